"""Points with bars for intervals, a thin line from one to the next; beside each other at one x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.form import Curve, Form, categories_of


def _draw(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    for place in range(1, len(categories_of(plot))):
        axes.axvline(place - 0.5, color="#E8E8E8", linewidth=0.6)
    size = 6.0 if len(curves) <= 4 else 4.5
    for curve in curves:
        thin: dict[str, Any] = {"color": curve.look.colour, "linewidth": 0.9, "alpha": 0.6}
        axes.plot(curve.x, curve.y, ":" if curve.variant == "dotted" else "-", **thin)
        if curve.variant != "dotted":
            bars: dict[str, Any] = {"elinewidth": 1.0, "capsize": 2.0, "zorder": 3}
            axes.errorbar(curve.x, curve.y, curve.errors, **bars, **curve.point(size))


FORM = Form(_draw, is_named=True, spread=0.76, widest=0.19)
