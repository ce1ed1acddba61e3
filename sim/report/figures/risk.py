"""Records at risk: the rank-1 rate by record length and by the support of the rarest item.

Invariant: every cell of the grid is drawn; a line has the same look in both panels.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.numeric.text import quantity
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel
from sim.report.figures.facets import chunks, differing, shared_levels
from sim.report.figures.series import MOST, interval, look
from sim.report.words.population import populations_text
from sim.report.words.small_groups import FEWEST
from sim.study.labels import level_words

_PANELS = {
    "risk_by_length": "items in the record",
    "risk_by_rarest": "records that hold the rarest item of the record",
}
_MEASURED = ("cell", "low", "high", "n", "rank1", "rank1_low", "rank1_high")


def pages(data: Data) -> Iterator[Page]:
    """Yield the rank-1 rate by length and rarest item; a page has a line for each colour."""
    whole = data.tables["risk_by_length"]
    axes = [a for a in whole.columns if a not in _MEASURED and "matched" not in a]
    varied = differing(whole, axes)
    cells = whole.drop_duplicates("cell").sort_values("cell")
    caption = [
        *shared_levels(cells, [a for a in axes if a not in varied]),
        "points: lower end of each bin",
        f"targets: {populations_text(data.tables['curves'])}",
        *_left_out(data),
        "bands: 95% intervals",
    ]
    for some in chunks(cells.to_dict("records"), MOST):
        labels = {
            row["cell"]: ", ".join(level_words(a, row[a]) for a in varied) or "best guess"
            for row in some
        }
        yield Page(
            "Which records are identified correctly",
            [
                Panel(
                    list(_marks(data.tables[name], labels)),
                    _length_axis(data.tables[name], title),
                    Axis("best guess right (%)", (-3, 103)),
                )
                for name, title in _PANELS.items()
            ],
            "; ".join(caption),
            each=4.2,
        )


def _left_out(data: Data) -> Iterator[str]:
    """Count the bins with too few records for their interval to say anything."""
    few = sum(int((data.tables[name]["n"] < FEWEST).sum()) for name in _PANELS)
    if few:
        verb = "is" if few == 1 else "are"
        yield f"{quantity(few, 'bin')} with fewer than {FEWEST} records {verb} left out"


def _marks(table: pd.DataFrame, labels: dict[int, str]) -> Iterator[Mark]:
    for nth, (cell, label) in enumerate(labels.items()):
        rows = table[(table["cell"] == cell) & (table["n"] >= FEWEST)]
        yield Line(rows["low"], label=label, **interval(rows, "rank1"), **look(nth))


def _length_axis(table: pd.DataFrame, title: str) -> Axis:
    """At most eight of the bins are written."""
    drawn = table[table["n"] >= FEWEST]
    starts = np.unique((table if drawn.empty else drawn)["low"].to_numpy(np.int64))
    ticks = starts[:: -(-starts.size // 8)].tolist()
    return Axis(title, scale="log", ticks=ticks, names=[f"{start:,}" for start in ticks])


SPEC = FigureSpec(
    "Rate of right best guesses by the length of a record and by the support of its rarest item; "
    f"bins with fewer than {FEWEST} records are left out.",
    pages,
    needs=[("risk_by_length", ""), ("curves", "")],
)
