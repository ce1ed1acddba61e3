"""Points with intervals along a line for each of a list of categories."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.form import Curve, Form


def _draw(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    for curve in curves:
        axes.errorbar(
            curve.y, curve.x, xerr=curve.errors, elinewidth=1.0, capsize=1.8, **curve.point(4.5)
        )


FORM = Form(_draw, sideways=True)
