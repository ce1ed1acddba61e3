"""Whether an attack's probabilities are calibrated: right against claimed (spec §4.1).

Invariant: every bin that holds a guess is drawn, with its interval.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts
from sim.plot.palette import FAINT, INK
from sim.plot.spec import Data, FigureSpec, Line, Mark, Page, Points
from sim.report.figures.facets import facet_pages, plan_series
from sim.report.figures.series import interval, look, percent

_SMALLEST, _LARGEST = 3.0, 9.0
"""Size in points, for a bin with almost no guesses and for a bin with all."""


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of right guesses over the probability claimed."""
    curves, table = data.tables["curves"], data.tables["reliability"]
    drawn = curves[curves["rank1"].notna()]
    plan = plan_series(drawn, "claimed")
    series = plan.names(drawn)
    by_cell = dict(list(table[table["n"] > 0].groupby("cell")))

    def marks(cells: pd.DataFrame) -> Iterator[Mark]:
        for cell in row_dicts(cells):
            bins, s = by_cell[cell["cell"]], plan.place(cell, series)
            weight = np.sqrt((bins["n"] / bins["n"].sum()).to_numpy(np.float64))
            yield Points(
                100 * bins["claimed"],
                size=_SMALLEST + (_LARGEST - _SMALLEST) * weight,
                **interval(bins, "right"),
                **look(s) | {"style": "none"},
            )
        label = "right as often as claimed"
        yield Line([0, 100], [0, 100], colour=FAINT, style=":", width=1.2, label=label)

    guesses = [
        Points(label=name or "guesses", **look(s) | {"style": "none"})
        for s, name in enumerate(series)
    ]
    yield from facet_pages(
        drawn,
        plan,
        marks,
        title="How often guesses are right, by the probability claimed",
        x=percent("probability claimed (%)"),
        y=percent("guesses right (%)"),
        note="bars: 95% intervals",
        legend=[*guesses, Points(label="larger points: more guesses", colour=INK, size=3.0)],
    )


SPEC = FigureSpec(
    "Whether guesses are right as often as their claimed probability.",
    pages,
    needs=[("reliability", ""), ("curves", "rank1")],
)
