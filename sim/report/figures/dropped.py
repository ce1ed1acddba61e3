"""People still identified when the rarest items are dropped (F06, Figs. 6 and 7).

Invariant: both panels hold the same points, one for each threshold; people whose items were all
dropped count as not identified.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.metrics.identification import DEPTHS
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel
from sim.report.figures.series import interval, look, per_point, percent, stated_point

_PANELS = {
    "items_dropped": "items dropped, the rarest first (%)",
    "cells_dropped": "cells dropped with them (%)",
}


def pages(data: Data) -> Iterator[Page]:
    """Yield k-identification against what is dropped, a page for each grid cell."""
    for _, rows in data.tables["dropped"].groupby("cell"):
        low, high = int(rows["min_support"].min()), int(rows["min_support"].max())
        yield Page(
            "People identified when the publisher drops the rarest items",
            [
                Panel(
                    list(_marks(rows, column, data)),
                    Axis(title, (-2, 102), ticks=range(0, 101, 20)),
                    percent("people among the k most likely (%)"),
                )
                for column, title in _PANELS.items()
            ],
            f"{per_point(rows['n_targets'].tolist())}; bands: 95% intervals; dropped: "
            f"items held by fewer than {low:,} to {high:,} records",
            each=5.0,
        )


def _marks(rows: pd.DataFrame, column: str, data: Data) -> Iterator[Mark]:
    for nth, k in enumerate(DEPTHS):
        shares = interval(rows, f"k{k}")
        yield Line(100 * rows[column], label=f"k = {k}", **shares, **look(nth))
    for number in data.numbers:
        if number.measure == f"{column}_k1_nil" and number.value is not None:
            yield stated_point(number, 100 * number.value, 0, "0% at k = 1: ")


SPEC = FigureSpec(
    "People identified, by the share of items and of cells that the publisher drops.", pages
)
