"""Records at risk: the rank-1 rate by record length and by the support of the rarest item.

Invariant: every cell of the grid is drawn; a line has the same look in both panels; a point stands
for `FEWEST` people or more, and every person is in one.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.numeric.columns import share
from sim.numeric.rows import row_dicts
from sim.numeric.text import quantity
from sim.plot.spec import Axis, Data, FigureSpec, Mark, Page, Panel, Points
from sim.report.figures.facets import chunks, differing, shared_levels
from sim.report.figures.series import MOST, interval, look, offset
from sim.report.population import populations_text
from sim.report.small_groups import FEWEST
from sim.study.labels import level_words

_PANELS = {
    "risk_by_length": "items in the record",
    "risk_by_rarest": "records that hold the rarest item of the record",
}
_MEASURED = ("cell", "low", "high", "n", "rank1", "rank1_low", "rank1_high")
_APART = 0.03
"""Between two lines at one place of a logarithmic axis, in powers of e."""


def pages(data: Data) -> Iterator[Page]:
    """Yield the rank-1 rate by length and rarest item; a page has a line for each colour."""
    whole = data.tables["risk_by_length"]
    axes = [a for a in whole.columns if a not in _MEASURED and "matched" not in a]
    varied = differing(whole, axes)
    cells = whole.drop_duplicates("cell").sort_values("cell")
    tables = {name: merged(data.tables[name]) for name in _PANELS}
    caption = [
        *shared_levels(cells, [a for a in axes if a not in varied]),
        "points: lower end of each bin",
        f"targets: {populations_text(data.tables['curves'])}",
        *_few(data, tables),
        "bars: 95% intervals",
    ]
    for some in chunks(row_dicts(cells), MOST):
        labels = {
            row["cell"]: ", ".join(level_words(a, row[a]) for a in varied) or "best guess"
            for row in some
        }
        yield Page(
            "Which records are identified correctly",
            [
                Panel(
                    list(_marks(tables[name], labels)),
                    _length_axis(tables[name], title),
                    Axis("best guess right (%)", (-3, 103)),
                )
                for name, title in _PANELS.items()
            ],
            "; ".join(caption),
            each=4.2,
        )


def merged(bins: pd.DataFrame) -> pd.DataFrame:
    """Merge neighbouring bins of each cell until each holds `FEWEST` people.

    Parameters
    ----------
    bins : DataFrame
        Columns ``cell``, ``low``, ``n`` and ``rank1``.

    Returns
    -------
    DataFrame
        The same columns, and the interval of ``rank1``. A cell with fewer people in all has one
        bin.

    Examples
    --------
    >>> bins = pd.DataFrame({"cell": 0, "low": [1, 5, 9, 20], "n": [4, 8, 30, 3],
    ...     "rank1": [0.0, 0.75, 0.5, 1.0]})
    >>> merged(bins)[["low", "n", "rank1"]].values.tolist()
    [[1.0, 12.0, 0.5], [9.0, 33.0, 0.5454545454545454]]
    """
    rows = []
    for cell, its in bins.sort_values(["cell", "low"]).groupby("cell", sort=True):
        group = np.array(_groups(its["n"].tolist()))
        for nth in np.unique(group):
            some = its[group == nth]
            n = int(some["n"].sum())
            found = share("rank1", float((some["rank1"] * some["n"]).sum()), n)
            rows.append({"cell": cell, "low": int(some["low"].iloc[0]), "n": n, **found})
    return pd.DataFrame(rows)


def _groups(sizes: list[int]) -> list[int]:
    """Number bins by the group that they are merged into; what is left over joins the last one."""
    groups, inside = [0], sizes[0]
    for size in sizes[1:]:
        full = inside >= FEWEST
        groups.append(groups[-1] + full)
        inside = size if full else inside + size
    last = groups[-1]
    short = inside < FEWEST and last > 0
    return [min(group, last - 1) if short else group for group in groups]


def _few(data: Data, tables: dict[str, pd.DataFrame]) -> Iterator[str]:
    """Count the bins that were merged with their neighbours, having too few people."""
    few = sum(len(data.tables[name]) - len(table) for name, table in tables.items())
    if few:
        verb = "is" if few == 1 else "are"
        yield (
            f"{quantity(few, 'bin')} {verb} merged with another, so that each holds {FEWEST} "
            "people or more"
        )


def _marks(table: pd.DataFrame, labels: dict[int, str]) -> Iterator[Mark]:
    for nth, (cell, label) in enumerate(labels.items()):
        rows = table[(table["cell"] == cell) & (table["n"] >= FEWEST)]
        x = rows["low"] * np.e ** offset(nth, len(labels), _APART)
        yield Points(x, label=label, size=4.0, **interval(rows, "rank1"), **look(nth))


def _length_axis(table: pd.DataFrame, title: str) -> Axis:
    """At most eight of the bins are written."""
    drawn = table[table["n"] >= FEWEST]
    starts = np.unique((table if drawn.empty else drawn)["low"].to_numpy(np.int64))
    ticks = starts[:: -(-starts.size // 8)].tolist()
    names = [f"{start:,}" for start in ticks]
    # A logarithmic axis of a single place has no width of its own.
    limits = (starts[0] / 2, starts[0] * 2) if starts.size == 1 else (None, None)
    return Axis(title, limits, scale="log", ticks=ticks, names=names)


SPEC = FigureSpec(
    "Rate of right best guesses by the length of a record and by the support of its rarest item; "
    f"neighbouring bins are merged until each holds {FEWEST} people.",
    pages,
    needs=[("risk_by_length", ""), ("curves", "")],
)
