"""Records that hold items outside the most supported (NS08, table of section 5).

Invariant: every share is a bar with its value; the caption names the thresholds that leave no item.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS
from sim.plot.spec import Axis, Bars, Data, FigureSpec, Mark, Page, Panel
from sim.report.figures.series import offset, stated_numbers, stated_point

_PREFIX = "at_least_"
_WIDE = 0.8
"""Share of the room between two x positions that a group of bars takes."""


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of records that hold at least n such items."""
    facts = data.tables["facts"]
    measures = [name for name in facts.columns if name.startswith(_PREFIX)]
    known = facts[facts["items"] > 0]
    places = {top: nth for nth, top in enumerate(known["popularity"].tolist())}
    slot = _WIDE / max(len(known), 1)

    def marks() -> Iterator[Mark]:
        for nth, row in enumerate(row_dicts(known)):
            y = [100 * float(row[name]) for name in measures]
            yield Bars(
                np.arange(len(measures)) + offset(nth, len(known), slot),
                y,
                width=0.92 * slot,
                colour=COLOURS[nth % len(COLOURS)],
                label=f"not in the top {row['popularity']:,} ({row['items']:,} items)",
                values=[f"{share:.1f}" for share in y],
            )
        for cell, number, value in stated_numbers(data, known, measures):
            at = offset(places[cell["popularity"]], len(known), slot)
            yield stated_point(number, measures.index(number.measure) + at, 100 * value)

    missing = [f"{top:,}" for top in facts.loc[facts["items"] == 0, "popularity"]]
    yield Page(
        "Share of records that hold rare items",
        [
            Panel(
                list(marks()),
                Axis(
                    "minimum number of such items in a record",
                    ticks=range(len(measures)),
                    names=[f"{int(name.removeprefix(_PREFIX)):,}" for name in measures],
                ),
                Axis("records (%)", (0, 110), ticks=range(0, 101, 20)),
            )
        ],
        "all records counted"
        + (f"; no item outside the top {' or '.join(missing)}" if missing else ""),
        each=max(6.4, 1.5 * len(known)),
    )


SPEC = FigureSpec("Share of the records that hold items outside the most popular.", pages)
