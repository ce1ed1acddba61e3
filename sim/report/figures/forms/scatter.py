"""Points that are not joined, sized by their weights where they have any; dotted lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.form import Curve, Form

_SMALLEST, _LARGEST = 3.0, 9.0
"""Size in points, without weight and with all of it."""


def draw_scatter(axes: Axes, curves: Sequence[Curve], size: float) -> None:
    """Draw points of a size, with bars for intervals."""
    for curve in curves:
        if curve.variant == "dotted":
            axes.plot(curve.x, curve.y, ":", color=curve.look.colour, label=curve.label)
            continue
        bars: dict[str, Any] = {"elinewidth": 1.0, "capsize": 2.0, "zorder": 3}
        axes.errorbar(curve.x, curve.y, curve.errors, **bars, **curve.point(size))
        if "weight" in curve.rows:
            share = np.sqrt(curve.rows["weight"] / curve.rows["weight"].sum())
            point: dict[str, Any] = {"c": curve.look.colour, "marker": curve.look.marker}
            area = np.square(_SMALLEST + (_LARGEST - _SMALLEST) * share)
            axes.scatter(curve.x, curve.y, area, **point, zorder=4)


def _draw(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    weighted = any("weight" in curve.rows for curve in curves)
    draw_scatter(axes, curves, _SMALLEST if weighted else 5.0)


FORM = Form(_draw)
