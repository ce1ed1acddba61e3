"""Curves that keep their height up to the next x."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.curves import draw_curves
from sim.report.figures.forms.form import Curve, Form


def _draw(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    draw_curves(axes, curves, "steps-post")


FORM = Form(_draw, is_named=True)
