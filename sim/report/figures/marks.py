"""Draws the four types of mark and their legend entries."""

from __future__ import annotations

from typing import Any, assert_never

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from sim.plot.palette import INK
from sim.plot.spec import Bars, Line, Mark, Points, Rule, Values

_INSIDE = 10.0
"""Height of a bar, in units of y, from which its value fits inside."""

_BEHIND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
"""What keeps words readable over marks."""


def draw_mark(axes: Axes, mark: Mark) -> None:
    """Draw a mark; a mark without points is only for the legend."""
    if not isinstance(mark, Rule) and not len(mark.x):
        return
    match mark:
        case Line():
            _line(axes, mark)
        case Points():
            _points(axes, mark)
        case Bars():
            _bars(axes, mark)
        case Rule():
            _rule(axes, mark)
        case _:
            assert_never(mark)


def legend_entry(mark: Mark, label: str) -> Artist:
    """Return a mark's entry in a legend."""
    match mark:
        case Line():
            return Line2D([], [], label=label, **_line_look(mark))
        case Points():
            size = float(np.min(mark.size))
            return Line2D([], [], label=label, **_point_look(mark) | {"markersize": size})
        case Bars():
            return Patch(label=label, alpha=mark.opacity, **_bar_look(mark))
        case Rule():
            if mark.to is not None:
                return Patch(label=label, color=mark.colour, alpha=0.35)
            return Line2D([], [], label=label, **_rule_look(mark))
        case _:
            assert_never(mark)


def _floats(values: Values) -> NDArray[np.float64]:
    return np.asarray(values, np.float64)


def _errors(mark: Points | Bars) -> NDArray[np.float64] | None:
    """Return the lengths of the error bars below and above; 0 where the interval is unknown."""
    if mark.low is None or mark.high is None:
        return None
    middle = _floats(mark.x if isinstance(mark, Points) and mark.sideways else mark.y)
    ends = np.array([middle - _floats(mark.low), _floats(mark.high) - middle])
    lengths: NDArray[np.float64] = np.nan_to_num(ends).clip(0)
    return lengths


def _line(axes: Axes, mark: Line) -> None:
    x = _floats(mark.x)
    if mark.low is not None and mark.high is not None and not np.isnan(_floats(mark.low)).all():
        band: dict[str, Any] = {"color": mark.colour, "alpha": 0.15, "linewidth": 0}
        axes.fill_between(x, _floats(mark.low), _floats(mark.high), **band)
    steps = "steps-post" if mark.steps else "default"
    axes.plot(x, _floats(mark.y), drawstyle=steps, **_line_look(mark))


def _line_look(mark: Line) -> dict[str, Any]:
    return {
        "color": mark.colour,
        "linestyle": mark.style,
        "marker": mark.marker or "none",
        "markersize": mark.size,
        "linewidth": mark.width,
        "alpha": mark.opacity,
    }


def _points(axes: Axes, mark: Points) -> None:
    x, y, errors = _floats(mark.x), _floats(mark.y), _errors(mark)
    drawn = _point_look(mark) | {"zorder": 4 if mark.stated else 3}
    if not isinstance(mark.size, float):
        axes.errorbar(x, y, errors, color=mark.colour, linestyle="none", elinewidth=1.0, zorder=2)
        area = np.square(mark.size)
        axes.scatter(x, y, area, color=mark.colour, marker=mark.marker, zorder=3)
    elif errors is None:
        axes.plot(x, y, clip_on=not mark.stated, **drawn)
    else:
        drawn |= {"xerr" if mark.sideways else "yerr": errors}
        axes.errorbar(x, y, elinewidth=1.0, capsize=1.8 if mark.size < 4.5 else 2.5, **drawn)
    for name, at, above in zip(mark.names, x, y, strict=False):
        where: dict[str, Any] = {"xytext": (5, 4)}
        if mark.stated:
            where = {"xytext": (-8, -8), "verticalalignment": "top", "bbox": _BEHIND}
        axes.annotate(name, (at, above), textcoords="offset points", fontsize=8, color=INK, **where)


def _point_look(mark: Points) -> dict[str, Any]:
    empty = "none" if mark.stated else "white"
    return {
        "color": mark.colour,
        "marker": mark.marker,
        "markersize": mark.size,
        "markerfacecolor": mark.colour if mark.filled else empty,
        "markeredgewidth": mark.edge,
        "linestyle": mark.style,
    }


def _bars(axes: Axes, mark: Bars) -> None:
    x, y = _floats(mark.x), _floats(mark.y)
    if mark.width >= 1.0:
        edges = [*(x - 0.5), *(x[-1:] + 0.5)]
        base = float(np.min(np.asarray(mark.base)))
        axes.stairs(y, edges, baseline=base, fill=True, color=mark.colour, alpha=mark.opacity)
        return
    whiskers = {"elinewidth": 1.0, "ecolor": INK, "capsize": min(2.5, 13 * mark.width)}
    drawn = _bar_look(mark) | {"yerr": _errors(mark), "error_kw": whiskers}
    bars = axes.bar(x, y, mark.width, mark.base, **drawn)
    if mark.values:
        inside = [v if h >= _INSIDE else "" for v, h in zip(mark.values, y, strict=True)]
        axes.bar_label(bars, inside, label_type="center", color="white", fontsize=8)
        above = ["" if word in inside else word for word in mark.values]
        axes.bar_label(bars, above, fontsize=8)


def _bar_look(mark: Bars) -> dict[str, Any]:
    return {
        "facecolor": mark.colour,
        "hatch": mark.hatch,
        "edgecolor": mark.edge or mark.colour,
        "linewidth": 0.7 if mark.edge else 0.0,
    }


def _rule(axes: Axes, mark: Rule) -> None:
    drawn = _rule_look(mark) | {"zorder": 1}
    if mark.to is not None:
        span = axes.axvspan if mark.upright else axes.axhspan
        span(mark.at, mark.to, color=mark.colour, alpha=0.35, linewidth=0, zorder=0)
    elif mark.between is not None:
        (axes.vlines if mark.upright else axes.hlines)(mark.at, *mark.between, **drawn)
    else:
        (axes.axvline if mark.upright else axes.axhline)(mark.at, **drawn)


def _rule_look(mark: Rule) -> dict[str, Any]:
    return {"color": mark.colour, "linestyle": mark.style, "linewidth": mark.width}
