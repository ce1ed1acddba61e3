"""A distribution: how many stand at each whole number as an area, and sums of them as lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.curves import draw_curves
from sim.report.figures.forms.form import Curve, Form


def _draw(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    counts, *sums = curves
    edges = [*(counts.x - 0.5), *(counts.x[-1:] + 0.5)]
    look: dict[str, Any] = {"color": counts.look.colour, "alpha": 0.75, "label": counts.label}
    axes.stairs(counts.y, edges, baseline=0.5, fill=True, **look)
    draw_curves(axes, sums)


FORM = Form(_draw)
