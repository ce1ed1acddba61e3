"""Curves, with bands for intervals; what a series does not join is points with bars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.form import Curve, Form

_MARKED = 12
"""Points of a curve that have markers, at most."""


def draw_curves(axes: Axes, curves: Sequence[Curve], steps: str = "default") -> None:
    """Draw curves, straight or as steps."""
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


def _draw(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    draw_curves(axes, curves)


FORM = Form(_draw, is_named=True, intervals="bands")
