"""Number of facts from which the Bayes-optimal attacker finds a record.

Invariant: the bars sum to all records attacked.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.numeric.text import format_percent, quantity
from sim.plot.palette import COLOURS
from sim.plot.spec import Axis, Bars, Data, FigureSpec, Page, Panel


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of records by the number of facts."""
    rows = data.tables["facts_until_found"]
    names = [
        "not found" if pd.isna(facts) else quantity(int(facts), "fact") for facts in rows["facts"]
    ]
    share = 100 * rows["share"]
    yield Page(
        "How many facts until a record is found",
        [
            Panel(
                [
                    Bars(
                        range(len(rows)),
                        share,
                        low=100 * rows["share_low"],
                        high=100 * rows["share_high"],
                        colour=COLOURS[0],
                        values=[format_percent(value) for value in rows["share"]],
                    )
                ],
                Axis("found from", (-0.6, len(rows) - 0.4), ticks=range(len(rows)), names=names),
                Axis("records (%)", (0, 112), ticks=range(0, 101, 20)),
            )
        ],
        f"{rows['n'].sum():,} records; exact facts, of each record as many as it has, up to "
        f"{rows['known'].iloc[0]}; bars: 95% intervals",
    )


SPEC = FigureSpec(
    "Records by the number of exact facts from which the Bayes-optimal attacker finds them.",
    pages,
    needs=[("facts_until_found", "")],
)
