"""Lays out a plot: a title, panels, names at the ends of series, a legend with a caption below.

Invariant: every row is drawn once; nothing overlaps and nothing is cut off, however long the words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import fill
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
from numpy.typing import NDArray

from sim.plot.palette import FAINT, INK
from sim.plot.spec import LINEAR, Axis, Bound, Plot, nth_look
from sim.report.figures.forms import Curve, Form, form_of
from sim.report.figures.placement import categorized, curves_of, placed
from sim.report.figures.style import house_style, new_figure

T = TypeVar("T")

PER_PAGE = 12
"""Panels on a page, at most."""

_WIDTH = 10.6
"""Inches side by side, at most, so that a page can still be read when it is fitted to paper."""

_NAMED = 4
"""Statements of papers that are named beside their points; of more, the source is in the legend."""

_MEET = 0.04
"""Ends of curves that are nearer, as a share of the height, have a legend."""

_FRAME: dict[str, Any] = {"marker": "D", "markersize": 10.0, "markeredgewidth": 1.1}
_FRAME |= {"markerfacecolor": "none", "linestyle": "none"}
_STATED = ["x", "y", "series", "words", "source"]

_FEW = 40
"""Lines of a list that stand apart; more are nearer to each other."""

_LETTERS, _LETTER, _LINE, _FRAME_INCHES = 22, 0.07, 0.17, 0.11
"""Characters of a line of a name; inches of a character, of a line, and from a point to words."""

_BEHIND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
_LEADER: dict[str, Any] = {"arrowstyle": "-", "linewidth": 0.6, "alpha": 0.6, "relpos": (0, 0.5)}


def chunks(things: Sequence[T], most: int) -> list[Sequence[T]]:
    """Return things in groups of `most`, in their order; the last may be smaller.

    Examples
    --------
    >>> chunks("abcde", 2)
    ['ab', 'cd', 'e']
    """
    return [things[begin : begin + most] for begin in range(0, len(things), most)]


def pages_of(plot: Plot) -> list[Plot]:
    """Split a plot of too many series or panels into pages, which keep looks and categories."""
    plot, rows, stated = categorized(plot), plot.rows, plot.stated
    pages = []
    for series in chunks(plot.series(), plot.most):
        looks = {name: nth_look(nth) for nth, name in enumerate(series)} | {**plot.looks}
        of_series = rows[rows["series"].isin(series)]
        for panels in chunks(list(of_series["panel"].unique()), PER_PAGE):
            page = of_series[of_series["panel"].isin(panels)]
            about = None
            if stated is not None and len(stated):
                about = stated[stated["series"].isin(["", *series]) & stated["panel"].isin(panels)]
            pages.append(replace(plot, rows=page, stated=about, looks=looks))
    if len(pages) == 1:
        return pages
    return [
        replace(page, title=f"{plot.title} ({nth} of {len(pages)})")
        for nth, page in enumerate(pages, 1)
    ]


def draw_plot(plot: Plot) -> Figure:
    """Draw a plot, as one page."""
    form = form_of(plot.form)
    plot, slot = placed(plot, form)
    panels = {name: list(curves_of(plot, name, slot)) for name in plot.panels()}
    wide, high = plot.size or _size(plot, form, len(panels))
    across = min(plot.across or max(1, min(int(_WIDTH // wide), 3)), len(panels))
    rows = -(-len(panels) // across)
    named = form.is_named and rows == 1
    lines = plot.categories if form.sideways else ()
    aside = max(map(len, lines), default=0)
    width = max(across * wide + 1.9 * named + 0.066 * aside, 6.0)
    share_x, share_y = (isinstance(axis, Axis) for axis in _sides(plot.x, plot.y, form))
    with house_style():
        figure = new_figure(width, high * rows)
        grid = figure.subplots(rows, across, sharex=share_x, sharey=share_y, squeeze=False)
        for place, (axes, (panel, curves)) in enumerate(
            zip(grid.flat, panels.items(), strict=False)
        ):
            axes.set_title(fill(panel, int(12 * wide)))
            _draw_panel(axes, plot, form, panel, curves, (wide, high))
            axes.tick_params(labelbottom=True)
            if share_x and place + across < len(panels):
                axes.set_xlabel("")
            if share_y and place % across:
                axes.set_ylabel("")
        for unused in grid.flat[len(panels) :]:
            unused.remove()
        names = list(_names(axes, plot, panel, curves)) if named else []
        _draw_names(axes, names, high)
        figure.suptitle(fill(plot.title, int(8.5 * width)), x=0.01, horizontalalignment="left")
        below = _add_legend(figure, plot, form, width, {name.words for name in names})
        figure.set_figheight(0.8 + high * rows + 0.2 * below)
    return figure


def _size(plot: Plot, form: Form, panels: int) -> tuple[float, float]:
    """Return the inches of a panel: room for its categories, if it has any."""
    places = len(plot.categories)
    if form.sideways:
        return 2.8, 0.9 + (0.24 if places <= _FEW else 0.17) * places
    series = len(plot.rows[["series", "variant"]].drop_duplicates())
    least, high = (5.0, 3.3) if panels == 1 else (3.4, 2.7)
    return min(max(least, 0.14 * places * max(series, 4) + 0.9), 8.5), high


def _sides(x: T, y: T, form: Form) -> tuple[T, T]:
    return (y, x) if form.sideways else (x, y)


def _draw_panel(
    axes: Axes,
    plot: Plot,
    form: Form,
    panel: str,
    curves: Sequence[Curve],
    inches: tuple[float, float],
) -> None:
    first, second = (one if isinstance(one, Axis) else one[panel] for one in (plot.x, plot.y))
    x, y = _sides(first, second, form)
    axes.set_xscale(x.scale)
    axes.set_yscale(
        y.scale, **{"linthresh": LINEAR, "linscale": 1.2} if y.scale == "symlog" else {}
    )
    if form.sideways:
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", visible=True)
    form.draw(axes, plot, curves)
    for bound in _bounds(plot, panel):
        _draw_bound(axes, bound, upright=bound.upright != form.sideways)
    _set_axis(axes, "x", x, inches[0])
    _set_axis(axes, "y", y, inches[0])
    if plot.stated is not None:
        stated = plot.stated[plot.stated["panel"] == panel]
        _draw_stated(axes, stated, curves, inches)


def _bounds(plot: Plot, panel: str) -> list[Bound]:
    return [bound for bound in plot.bounds if bound.panel in (None, panel)]


def _draw_bound(axes: Axes, bound: Bound, *, upright: bool) -> None:
    drawn: dict[str, Any] = {"color": bound.colour, "label": bound.words}
    if bound.to is not None:
        span = axes.axvspan if upright else axes.axhspan
        span(bound.at, bound.to, alpha=0.35, linewidth=0, zorder=0, **drawn)
        return
    drawn |= {"linestyle": bound.line, "linewidth": 1.2, "zorder": 1}
    if bound.x is not None:
        axes.hlines(bound.at, bound.x - 0.46, bound.x + 0.46, **drawn)
    else:
        (axes.axvline if upright else axes.axhline)(bound.at, **drawn)


def _draw_stated(
    axes: Axes, stated: pd.DataFrame, curves: Sequence[Curve], inches: tuple[float, float]
) -> None:
    """Draw what papers state as frames: named where few stand, else as their series are."""
    few = stated["words"].nunique() <= _NAMED
    colours = {curve.label: curve.look.colour for curve in curves}
    points = [_within(axes, *at) for one in curves for at in zip(one.x, one.y, strict=True)]
    seen: set[str] = set()
    for x, y, series, words, source in stated[_STATED].itertuples(index=False, name=None):
        colour, label = (INK, "_") if few else (colours.get(series, INK), source)
        axes.plot([x], [y], color=colour, label=label, zorder=4, clip_on=False, **_FRAME)
        if few and words not in seen:
            seen.add(words)
            side, height = _corner(words, _within(axes, x, y), points, inches)
            axes.annotate(
                words, (x, y), (8 * side, 8 * height), textcoords="offset points", fontsize=8,
                color=INK, bbox=_BEHIND, zorder=5,
                horizontalalignment="right" if side > 0 else "left",
                verticalalignment="top" if height < 0 else "bottom",
            )  # fmt: skip


def _corner(
    words: str,
    at: tuple[float, float],
    points: Sequence[tuple[float, float]],
    inches: tuple[float, float],
) -> tuple[int, int]:
    """Return at which corner of a point its words cover the fewest others: 1 or −1, across and up.

    Words at the right end at the frame of the point, those at the left begin there.
    """
    lengths = _LETTER * len(words), _LINE
    preferred = (1 if at[0] > 0.7 else -1, -1 if at[1] > 0.15 else 1)

    def covered(corner: tuple[int, int]) -> tuple[int, int]:
        signs = (-corner[0], corner[1])
        boxes = [
            sorted((here + sign * begin / size, here + sign * (begin + length) / size))
            for here, sign, begin, length, size in zip(
                at, signs, (-_FRAME_INCHES, _FRAME_INCHES), lengths, inches, strict=True
            )
        ]
        inside = [
            all(low <= place <= high for place, (low, high) in zip(point, boxes, strict=True))
            for point in points
        ]
        outside = any(low < 0 or high > 1 for low, high in boxes)
        return sum(inside) + outside * len(points), corner != preferred

    return min(((1, -1), (-1, -1), (1, 1), (-1, 1)), key=covered)


def _set_axis(axes: Axes, name: Literal["x", "y"], axis: Axis, inches: float) -> None:
    side = axes.xaxis if name == "x" else axes.yaxis
    side.set_label_text(axis.title)
    if axis.ticks is not None:
        names = axis.names
        if names is not None and name == "x":
            turned = sum(min(len(word), 12) + 2 for word in names) > 13 * inches
            names = list(names) if turned else [fill(word, 12) for word in names]
            axes.tick_params(axis="x", labelrotation=90 if turned else 0)
        side.set_ticks(list(axis.ticks), labels=names)
        side.set_minor_locator(NullLocator())
    if axis.form:
        side.set_major_formatter(FuncFormatter(lambda value, _: axis.form.format(value)))
    if axis.whole:
        side.set_major_locator(MaxNLocator(axis.whole, integer=True))
    if axis.names is not None and axis.scale == "linear":
        axes.tick_params(axis=name, length=0)
    (axes.set_xlim if name == "x" else axes.set_ylim)(*axis.limits)


class _Name(NamedTuple):
    x: float
    y: float
    words: str
    colour: str


def _names(axes: Axes, plot: Plot, panel: str, curves: Sequence[Curve]) -> Iterator[_Name]:
    """Yield the words for the ends of series and bounds; none where ends of curves meet."""
    names: dict[str, _Name] = {}
    for curve in sorted(curves, key=lambda one: one.variant != "dotted"):
        dotted = curve.variant == "dotted"
        words = plot.variants.get("dotted", curve.label) if dotted else curve.label
        known = np.flatnonzero(~np.isnan(curve.y))
        if words and known.size:
            colour = INK if dotted else curve.look.colour
            x, y = _within(axes, curve.x[known[-1]], curve.y[known[-1]])
            names.setdefault(words, _Name(x, y, words, colour))
    ends = sorted(name.y for name in names.values())
    if form_of(plot.form).intervals != "bands" or min(np.diff(ends), default=1.0) > _MEET:
        yield from names.values()
    for bound in _bounds(plot, panel):
        if bound.words and not bound.upright and bound.words not in names:
            names[bound.words] = _Name(1.0, _within(axes, 1.0, bound.at)[1], bound.words, INK)
            yield names[bound.words]


def _draw_names(axes: Axes, names: Sequence[_Name], high: float) -> None:
    """Write names at the right of a panel, each with a line to its point, none over another."""
    words = [fill(name.words, _LETTERS) for name in names]
    heights = [_LINE / high * (1 + text.count("\n")) for text in words]
    middles = apart([name.y for name in names], heights, 0.0)
    for name, text, middle in zip(names, words, middles.tolist(), strict=True):
        axes.annotate(
            text, (name.x, name.y), (1.03, middle), xycoords="axes fraction",
            textcoords="axes fraction", color=name.colour, fontsize=8, verticalalignment="center",
            annotation_clip=False, arrowprops=_LEADER | {"color": name.colour},
        )  # fmt: skip


def _within(axes: Axes, x: float, y: float) -> tuple[float, float]:
    """Return a point as shares of the width and the height of a panel."""
    across, up = (axes.transScale + axes.transLimits).transform((x, y)).tolist()
    return across, up


def apart(at: Sequence[float], heights: Sequence[float], low: float) -> NDArray[np.float64]:
    """Move the middles of lines of text so that none overlaps another, or `low`.

    Examples
    --------
    >>> apart([99.0, 100.0, 1.0, 50.0], [4.0] * 4, 0.0).tolist()
    [96.0, 100.0, 2.0, 50.0]
    """
    middles = np.array(at, np.float64)
    order = sorted(range(len(at)), key=lambda place: (-at[place], place))
    ceiling = np.inf
    for place in order:
        middles[place] = min(middles[place], ceiling - heights[place] / 2)
        ceiling = middles[place] - heights[place] / 2
    floor = low
    for place in reversed(order):
        middles[place] = max(middles[place], floor + heights[place] / 2)
        floor = middles[place] + heights[place] / 2
    return middles


def _add_legend(figure: Figure, plot: Plot, form: Form, width: float, names: set[str]) -> int:
    """Add a legend of what is not named, with the caption; return how many lines it takes."""
    entries: dict[str, Artist] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    for variant, words in plot.variants.items():
        line: Any = {"open": "--", "dotted": ":"}.get(variant, "-")
        entries[words] = Line2D([], [], color=FAINT, linestyle=line)
    if plot.stated is not None:
        for source in entries.keys() & {*plot.stated["source"]}:
            entries[source] = Line2D([], [], color=INK, **_FRAME)
    series, bounds = {*plot.rows["series"]}, {bound.words for bound in plot.bounds}
    shown = [label for label in entries if label not in {"", *names}]
    shown.sort(key=lambda label: (label in bounds, label not in series))
    labels = [fill(label, int(12 * width)) for label in shown]
    longest = max((len(line) for label in labels for line in label.split("\n")), default=1)
    abreast = max(1, min(int(width / (0.062 * longest + 0.5)), len(labels)))
    measured = plot.intervals and plot.rows["low"].notna().any()
    parts = [plot.caption, f"{form.intervals}: {plot.intervals}" if measured else ""]
    caption = fill("; ".join(filter(None, parts)), int(13 * width))
    legend = figure.legend(
        [entries[label] for label in shown],
        labels,
        loc="outside lower center",
        ncols=abreast,
        title=caption,
    )
    legend.get_title().set_multialignment("center")
    return -(-len(labels) // abreast) + caption.count("\n")
