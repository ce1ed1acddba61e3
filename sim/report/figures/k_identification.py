"""k-identification: the target among the k most likely, and why not (F06, Figs. 3-5).

Invariant: every cell with a present target has one bar for each k, with its interval, and one
stack whose parts add up to the targets that are not 1-identified.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.metrics.identification import DEPTHS
from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS, INK
from sim.plot.spec import Axis, Bars, Data, FigureSpec, Mark, Page
from sim.report.figures.facets import facet_pages, plan_series
from sim.report.figures.series import interval, offset, stated_numbers, stated_point

REASONS = {
    "not_narrow": ("not narrow: others score as much", "#EDEDED", ""),
    "misdirected": ("misdirected: others score more", "#C4C4C4", "////"),
    "no_one_possible": ("no one possible", "#8C8C8C", "...."),
}
"""Why a target is not identified: words, grey and hatch."""

_MEASURES = [f"k{k}" for k in DEPTHS]
_FAILED = len(DEPTHS) + 0.35
"""x position of the failures, a little apart from the bars."""

_WIDE = 0.8
"""Share of the room between two x positions that a group of bars takes."""


def pages(data: Data) -> Iterator[Page]:
    """Yield bars for every k, and the reasons of failure at k = 1 stacked."""
    curves = data.tables["curves"]
    drawn = curves[curves["k1"].notna()]
    plan = plan_series(drawn, "k")
    series = plan.names(drawn)
    slot = _WIDE / len(series)
    width = 0.92 * slot

    def marks(cells: pd.DataFrame) -> Iterator[Mark]:
        for nth, cell in enumerate(row_dicts(cells)):
            s = plan.place(cell, series)
            at, colour = offset(s, len(series), slot), COLOURS[s]
            shares = interval(cells.iloc[[nth]], _MEASURES)
            yield Bars([k + at for k in range(len(DEPTHS))], width=width, colour=colour, **shares)
            base = 0.0
            for reason, (label, grey, hatch) in REASONS.items():
                share = 100 * float(cell[reason])
                yield Bars(
                    [_FAILED + at],
                    [share],
                    base=base,
                    width=width,
                    colour=grey,
                    hatch=hatch,
                    edge=colour,
                    label=label,
                )
                base += share
        for row, number, value in stated_numbers(data, cells, _MEASURES):
            at = offset(plan.place(row, series), len(series), slot)
            yield stated_point(number, _MEASURES.index(number.measure) + at, 100 * value)

    reasons = [
        Bars(label=label, colour=grey, hatch=hatch, edge=INK)
        for label, grey, hatch in REASONS.values()
    ]
    yield from facet_pages(
        drawn,
        plan,
        marks,
        title="How often the target is among the k most likely records",
        x=Axis(
            "k", ticks=[*range(len(DEPTHS)), _FAILED], names=[*map(str, DEPTHS), "failed\nat k = 1"]
        ),
        y=Axis("targets (%)", (0, 104), ticks=range(0, 101, 20)),
        note="bars: 95% intervals; ties count against the attacker",
        each=4.2 if len(series) > 2 else 3.4,
        legend=[*(Bars(label=n, colour=COLOURS[s]) for s, n in enumerate(series) if n), *reasons],
    )


SPEC = FigureSpec(
    "How often the right record is among the k most likely, and why people are not identified.",
    pages,
    needs=[("curves", "k1")],
)
