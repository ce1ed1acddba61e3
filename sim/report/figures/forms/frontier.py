"""What two measures of each choice trade off, and a staircase along the choices that are best."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from sim.plot.spec import Plot
from sim.report.figures.forms.form import Curve, Form
from sim.report.figures.forms.scatter import draw_scatter


def _draw(axes: Axes, _: Plot, curves: Sequence[Curve]) -> None:
    rows = pd.concat([curve.rows for curve in curves])
    best = rows[rows["best"]].sort_values(["x", "y"], ascending=[True, False])
    axes.step(best["x"], best["y"], where="post", color=curves[-1].look.colour, linewidth=0.8)
    draw_scatter(axes, curves, 5.5)
    for words, x, y in rows[["words", "x", "y"]].itertuples(index=False, name=None):
        axes.annotate(words, (x, y), (5, 4), textcoords="offset points", fontsize=8)


FORM = Form(_draw)
