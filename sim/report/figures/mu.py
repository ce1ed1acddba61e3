"""μ(n, k): how often the answer is a set of at most n records (NS07, Figs. 2-4)."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.metrics.neighbourhoods import MEASURED, SIZES
from sim.numeric.rows import row_dicts
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page
from sim.report.figures.facets import facet_pages, plan_series
from sim.report.figures.series import interval, look, percent, stated_numbers, stated_point


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of targets whose matching set has at most n records, over n."""
    curves = data.tables["curves"]
    drawn = curves[curves["mu_1"].notna()]
    plan = plan_series(drawn, "n")
    series = plan.names(drawn)

    def marks(cells: pd.DataFrame) -> Iterator[Mark]:
        for nth, cell in enumerate(row_dicts(cells)):
            s = plan.place(cell, series)
            shares = interval(cells.iloc[[nth]], MEASURED)
            yield Line(SIZES, size=4.0, label=series[s] or "μ(n, k)", **shares, **look(s))
        for _, number, value in stated_numbers(data, cells, MEASURED):
            yield stated_point(number, SIZES[MEASURED.index(number.measure)], 100 * value)

    yield from facet_pages(
        drawn,
        plan,
        marks,
        title="Number of records that match the attacker's facts",
        x=Axis(
            "matching records, at most",
            scale="log",
            ticks=[1, 10, 100, 1000],
            names=["1", "10", "100", "1,000"],
            minor=True,
        ),
        y=percent("targets (%)"),
        note="bands: 95% intervals",
    )


SPEC = FigureSpec(
    "Share of the targets with at most n matching records.", pages, needs=[("curves", "mu_1")]
)
