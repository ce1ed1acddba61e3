"""Forms of figures: plain matplotlib, filled by the rows of a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from sim.extend.plugins import named
from sim.plot.palette import INK
from sim.plot.spec import Look, Plot

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """The rows of a series and variant within a panel; its slot is the distance of two series."""

    label: str
    look: Look
    variant: str
    slot: float
    rows: pd.DataFrame

    @property
    def x(self) -> Floats:
        """Where the points stand, as numbers."""
        return self.rows["x"].to_numpy(np.float64)

    @property
    def y(self) -> Floats:
        """The measure."""
        return self.rows["y"].to_numpy(np.float64)

    @property
    def errors(self) -> Floats | None:
        """Lengths of the intervals below and above; None if there is none."""
        low, high = self.rows["low"].to_numpy(np.float64), self.rows["high"].to_numpy(np.float64)
        if np.isnan(low).all():
            return None
        return np.asarray(np.nan_to_num([self.y - low, high - self.y]).clip(0))

    def point(self, size: float, line: Any = "none") -> dict[str, Any]:
        """Return how matplotlib draws its points."""
        return {
            "color": self.look.colour,
            "marker": "none" if self.variant == "dotted" else self.look.marker,
            "markersize": size,
            "markerfacecolor": "white" if self.variant == "open" else self.look.colour,
            "markeredgewidth": 1.1,
            "linestyle": line,
            "label": self.label,
        }

    def bars(self, size: float, cap: float) -> dict[str, Any]:
        """Return how matplotlib draws its points with their intervals."""
        return {"elinewidth": 1.0, "capsize": cap, "zorder": 3, **self.point(size)}


@dataclass(frozen=True, slots=True)
class Form:
    """A way to draw rows.

    Parameters
    ----------
    draw : callable
        Draws the curves of one panel, with labels for the legend.
    is_named : bool
        Whether series are named at their ends, in place of a legend.
    sideways : bool
        Whether x runs upwards.
    spread : float
        Share of a category that its series take; of a scale, series stand beside each other too.
    widest : float
        Between neighbouring series of a category, at most.
    intervals : str
        How they are drawn.
    """

    draw: Callable[[Axes, Plot, Sequence[Curve]], None]
    is_named: bool = False
    sideways: bool = False
    spread: float = 0.0
    widest: float = 1.0
    intervals: str = "bars"


def form_of(name: str) -> Form:
    """Return a form of this file, or of a plug-in."""
    found: Form = named(name) if ":" in name else FORMS[name]
    return found


_MARKED = 12
"""Points of a curve that have markers, at most."""

_INSIDE = 10.0
"""Height of a bar, in units of y, from which its words fit inside."""

_SMALLEST, _LARGEST = 3.0, 9.0
"""Size of a point, without weight and with all of it."""


def _bars(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    """Bars, those of several series beside each other, the parts of one stacked."""
    for curve in curves:
        rows = curve.rows if "part" in curve.rows else curve.rows.assign(part="")
        height = dict.fromkeys(rows["x"], 0.0)
        for part, some in rows.groupby("part", sort=False):
            look = plot.looks.get(str(part), curve.look)
            base = [height[x] for x in some["x"]]
            height |= {x: height[x] + y for x, y in zip(some["x"], some["y"], strict=True)}
            edge = INK if part else ("white" if look.hatch else look.colour)
            drawn: dict[str, Any] = {
                "color": look.colour,
                "hatch": look.hatch,
                "edgecolor": edge,
                "linewidth": 0.5,
            }
            label = str(part) or curve.label
            bars = axes.bar(some["x"], some["y"], 0.92 * curve.slot, base, label=label, **drawn)
            if "words" in some:
                inside = np.where(some["y"] >= _INSIDE, some["words"], "")
                axes.bar_label(bars, inside, label_type="center", color="white", fontsize=8)
                axes.bar_label(bars, np.where(inside == "", some["words"], ""), fontsize=8)
        known = replace(curve, rows=rows[rows["low"].notna()], label="_")
        cap = min(2.5, 13 * curve.slot)
        thin: dict[str, Any] = {"capsize": cap, "elinewidth": 1.0, "linestyle": "none"}
        axes.errorbar(known.x, known.y, known.errors, color=INK, **thin)


def _curves(axes: Axes, _: Plot, curves: Sequence[Curve], steps: str = "default") -> None:
    """Curves, with bands for intervals; what a series does not join is points with bars."""
    for curve in curves:
        look = curve.look
        if not look.line:
            axes.errorbar(curve.x, curve.y, curve.errors, elinewidth=1.0, **curve.point(4.5))
            continue
        if curve.errors is not None:
            ends = curve.rows[["low", "high"]].to_numpy(np.float64).T
            axes.fill_between(curve.x, *ends, color=look.colour, alpha=0.15, linewidth=0)
        line = {"open": "--", "dotted": ":"}.get(curve.variant, look.line)
        drawn = curve.point(4.5, line) | {"linewidth": look.width, "drawstyle": steps}
        if len(curve.x) > _MARKED:
            drawn["marker"] = "none"
        axes.plot(curve.x, curve.y, **drawn)


def _steps(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    """Curves that keep their height up to the next x."""
    _curves(axes, plot, curves, "steps-post")


def _distribution(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    """How many stand at each whole number as an area, and sums of them as lines."""
    counts, *sums = curves
    edges = [*(counts.x - 0.5), *(counts.x[-1:] + 0.5)]
    look: dict[str, Any] = {"color": counts.look.colour, "alpha": 0.75, "label": counts.label}
    axes.stairs(counts.y, edges, baseline=0.5, fill=True, **look)
    _curves(axes, plot, sums)


def _points(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    """Points, a thin line from one to the next; those of several series beside each other."""
    for place in range(1, len(plot.categories)):
        axes.axvline(place - 0.5, color="#E8E8E8", linewidth=0.6)
    size = 6.0 if len(curves) <= 4 else 4.5
    for curve in curves:
        thin: dict[str, Any] = {"color": curve.look.colour, "linewidth": 0.9, "alpha": 0.6}
        axes.plot(curve.x, curve.y, ":" if curve.variant == "dotted" else "-", **thin)
        if curve.variant != "dotted":
            axes.errorbar(curve.x, curve.y, curve.errors, **curve.bars(size, 2.0))


def _listing(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    """Points along a line for each of a list of categories."""
    for curve in curves:
        axes.errorbar(curve.y, curve.x, xerr=curve.errors, **curve.bars(4.5, 1.8))


def _scatter(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    """Points that are not joined, sized by their weights where they have any; dotted lines."""
    weighted = any("weight" in curve.rows for curve in curves)
    for curve in curves:
        if curve.variant == "dotted":
            axes.plot(curve.x, curve.y, ":", color=curve.look.colour, label=curve.label)
            continue
        size = _SMALLEST if weighted else 5.0
        axes.errorbar(curve.x, curve.y, curve.errors, **curve.bars(size, 2.0))
        if "weight" in curve.rows:
            share = np.sqrt(curve.rows["weight"] / curve.rows["weight"].sum())
            point: dict[str, Any] = {"c": curve.look.colour, "marker": curve.look.marker}
            area = np.square(_SMALLEST + (_LARGEST - _SMALLEST) * share)
            axes.scatter(curve.x, curve.y, area, **point, zorder=4)


def _frontier(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    """What two measures of each choice trade off, and a staircase along the best choices."""
    rows = pd.concat([curve.rows for curve in curves])
    best = rows[rows["best"]].sort_values(["x", "y"], ascending=[True, False])
    axes.step(best["x"], best["y"], where="post", color=curves[-1].look.colour, linewidth=0.8)
    _scatter(axes, plot, curves)
    for words, x, y in rows[["words", "x", "y"]].itertuples(index=False, name=None):
        axes.annotate(words, (x, y), (5, 4), textcoords="offset points", fontsize=8)


FORMS = {
    "bars": Form(_bars, spread=0.8),
    "curves": Form(_curves, is_named=True, intervals="bands"),
    "distribution": Form(_distribution),
    "frontier": Form(_frontier),
    "listing": Form(_listing, sideways=True),
    "points": Form(_points, is_named=True, spread=0.76, widest=0.19),
    "scatter": Form(_scatter),
    "steps": Form(_steps, is_named=True),
}
