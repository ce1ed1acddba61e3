"""People identified, and why others are not, by the number of mentions (F06, Figs. 3 and 5).

Invariant: every bin that holds people is drawn; the parts of a stack add up to the people in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sim.metrics.by_mentions import bin_words
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS, INK
from sim.plot.spec import Axis, Bars, Data, FigureSpec, Mark, Page, Panel, Points
from sim.report.figures.attacks import attack_labels
from sim.report.figures.facets import chunks, differing
from sim.report.figures.k_identification import REASONS
from sim.report.figures.series import MOST, interval, look, offset, per_point, percent
from sim.study.labels import level_words

_STACK = {
    "k1": ("identified", COLOURS[0], ""),
    **REASONS,
    "not_narrow": ("not narrow: others fit as well", *REASONS["not_narrow"][1:]),
    "misdirected": ("misdirected: others fit better", *REASONS["misdirected"][1:]),
}
_PANELS = 3
_APART = 0.11
_BIN = ["low", "high", "n", "n_present"]

Series = Sequence[tuple[str, pd.DataFrame]]


def pages(data: Data) -> Iterator[Page]:
    """Yield pages of lines, one for each attack or cell, then pages of three stacks each."""
    table = data.tables["by_mentions"]
    present = table[table["n_present"] > 0]
    bins = bins_of(present)
    labels = _labels(present.drop_duplicates("cell").sort_values("cell").drop(columns=_BIN))
    groups = [rows for _, rows in present.groupby("cell", sort=True)]
    series = list(zip(labels, groups, strict=True))
    x = Axis("items mentioned", (-0.5, len(bins) - 0.5), ticks=range(len(bins)), names=bins)
    for some in chunks(series, MOST):
        y = percent("people identified (%)")
        yield Page(
            "People identified, by number of items mentioned",
            [Panel(list(_lines(some, bins)), x, y)],
            f"{per_point(_counts(some))}; bars: 95% intervals; ties count against the attacker",
            each=7.0,
        )
    for some in chunks(series, _PANELS):
        yield Page(
            "Why people are not identified, by number of items mentioned",
            [
                Panel(list(_stack(rows, bins)), x, percent("people (%)"), label)
                for label, rows in some
            ],
            per_point(_counts(some), "bar"),
            each=3.6 if len(some) > 1 else 6.4,
        )


def bins_of(table: pd.DataFrame) -> list[str]:
    """Return the names of a table's bins, by rising number of mentions.

    Examples
    --------
    >>> bins_of(pd.DataFrame({"low": [4, 1, 64, 4], "high": [7, 1, None, 7]}))
    ['1', '4–7', '64+']
    """
    return list(dict.fromkeys(_bin_names(table.sort_values("low"))))


def _bin_names(table: pd.DataFrame) -> list[str]:
    return [
        bin_words(int(low), None if pd.isna(high) else int(high))
        for low, high in zip(table["low"], table["high"], strict=True)
    ]


def _labels(rows: pd.DataFrame) -> list[str]:
    """Names of attacks, or of the cells of one attack; a single cell needs none."""
    if "algorithm" in rows.columns:
        return attack_labels(rows)
    varying = differing(rows, axis_columns(rows))
    return [", ".join(level_words(axis, row[axis]) for axis in varying) for row in row_dicts(rows)]


def _counts(series: Series) -> list[int]:
    return [int(n) for _, rows in series for n in rows["n_present"]]


def _places(rows: pd.DataFrame, bins: Sequence[str]) -> np.ndarray:
    return np.array([bins.index(name) for name in _bin_names(rows)], np.float64)


def _lines(series: Series, bins: Sequence[str]) -> Iterator[Mark]:
    for nth, (label, rows) in enumerate(series):
        x = _places(rows, bins) + offset(nth, len(series), _APART)
        label = label or "identified"
        yield Points(x, size=4.5, edge=1.0, label=label, **interval(rows, "k1"), **look(nth))


def _stack(rows: pd.DataFrame, bins: Sequence[str]) -> Iterator[Mark]:
    x, base = _places(rows, bins), np.zeros(len(rows))
    for name, (label, colour, hatch) in _STACK.items():
        y = 100 * rows[name].to_numpy(np.float64)
        yield Bars(x, y, base=base, width=0.86, label=label, colour=colour, hatch=hatch, edge=INK)
        base = base + y


SPEC = FigureSpec(
    "People identified, and why others are not, by number of items mentioned.",
    pages,
    needs=[("by_mentions", "")],
)
