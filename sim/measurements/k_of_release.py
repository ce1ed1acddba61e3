"""k-anonymity of a release under suppression and generalisation (slides; NS08, section 2).

In a sparse release any attribute may be known, so the quasi-identifier is the whole record:
"k-anonymization completely fails on high-dimensional datasets". This measures what a publisher can
do all the same: release only the most supported items, coarsen values and days, and suppress the
records whose classes are still too small.

Invariant: exact, over all records; a coarser recoding never has a smaller k, nor more records to
suppress.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.extend.options import constant, option
from sim.findings.finding import Finding, Kind
from sim.measurements import kanonymity
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.measurements.record_classes import Columns, Recode, cells_of, class_sizes
from sim.measurements.ten_patients import NAME, QUASI, ten_patients
from sim.measurements.time_bins import binned, refines, width_words, widths
from sim.numeric.rows import row_dicts
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

RELEASE = "release"
"""Names the data that are measured, beside the worked table."""

VALUES = ("none", "halves", "exact")
"""Recodings of values, coarsest first; halves: whether above the middle of the scale."""

DAYS = ("none", "year", "month", "week", "day", "hour", "bin")
"""Recodings of times, coarsest first; see `sim.measurements.time_bins.widths`."""


K_OF_RELEASE = Kind("k_of_release", "k and the share of unique people where all is released")
FEWEST_UNIQUE = Kind("fewest_unique", "the recoding with the fewest unique people")
_FOUND = ("recoding", "n_records", "k", "unique")


@dataclass(frozen=True)
class KAnonymity(Measurement):
    """Finds k of the release, and of ever coarser recodings of it.

    Examples
    --------
    >>> KAnonymity().k
    (2, 5, 10)
    """

    kind: ClassVar[str] = "kanonymity"
    summary: ClassVar[str] = "k-anonymity; k is no bound on the risk"
    facts: ClassVar[str] = (
        "per recoding: k, share of unique records, and the suppression that each k requires"
    )
    figure: ClassVar[str] = "kanonymity"
    kinds: ClassVar[tuple[Kind, ...]] = (K_OF_RELEASE, FEWEST_UNIQUE)

    k: tuple[int, ...] = option(
        (2, 5, 10),
        help="required number of identical records; measures how much must be left out",
        minimum=2,
        ascending=True,
    )
    # Most supported items that are released: all, and what two coarse recodings leave.
    items: tuple[int | None, ...] = constant((None, 100, 10), minimum=1, distinct=True)

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003
        """See `Measurement.findings`."""
        rows = row_dicts(facts[facts["data"] != NAME])
        # Of the recodings that keep most items, the one that keeps most of values and days is last.
        kept = [math.inf if row["items"] is None else row["items"] for row in rows]
        finest = [row for row, items in zip(rows, kept, strict=True) if items == max(kept)][-1]
        yield K_OF_RELEASE.with_numbers("measurement:kanonymity", numbers_of(finest, *_FOUND))
        best = min(rows, key=lambda row: float(row["unique"]))
        if best is not finest:
            yield FEWEST_UNIQUE.with_numbers("measurement:kanonymity", numbers_of(best, *_FOUND))

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """Return the coarsest and the finest recoding for each number of items."""
        release = facts[facts["data"] != NAME]
        place = release.groupby("items", dropna=False, sort=False)
        ends = release[(place.cumcount() == 0) | (place.cumcount(ascending=False) == 0)]
        columns = [name for name in map(str, ends) if name.startswith("suppressed_records_")]
        heads = {name: f"left out, k={name.rpartition('_')[2]}" for name in columns}
        return ends[["recoding", "k", "unique", *columns]].rename(columns=heads)

    def measure(self, store: Store, seed: int) -> Tables:  # noqa: ARG002
        """Measure.

        Parameters
        ----------
        seed : int
            Unused: nothing is drawn.

        Returns
        -------
        Tables
            ``facts``: a row per number of ``items`` released and recoding of ``values`` and
            ``days``, as far as the release has these: ``k``; the share of records that are
            ``unique``; and for each k asked for, the shares of records and of cells that must be
            left out, ``suppressed_records_2`` and ``suppressed_cells_2``, the cells of items that
            are not released among them. First the worked table of the slides, whose ``data`` is
            ``ten_patients``; of the release it is ``release``.
        """
        rows = [*_worked(self.k)]
        for count in self.items:
            rows += self._recoded(store, count)
        types = {"items": "Int64", "k": "int64", "n_records": "int64"}
        text = dict.fromkeys(("data", "values", "days"), "str")  # also where all are null
        return {FACTS: pd.DataFrame(rows).astype(types | text)}

    def _recoded(self, store: Store, count: int | None) -> list[dict[str, Any]]:
        """Return the rows for the release with its `count` most supported items."""
        m = store.manifest
        pieces = cells_of(store, None if count is None else store.rank < count)
        length = np.concatenate([np.diff(piece.start) for piece in pieces])
        known = dict[tuple[str, str], NDArray[np.int64]]()
        rows = []
        for value in VALUES if m.has_values else VALUES[:1]:
            for day, less in recodings_of_days(m).items():
                # A record that is unique under a coarser recoding is unique under this one.
                coarser = [(value, less), *((v, day) for v in VALUES[: VALUES.index(value)])]
                wanted = np.ones(m.n_records, np.bool_)
                for level in coarser:
                    wanted &= known[level] > 1 if level in known else True
                sizes = class_sizes(pieces, recoding(store, value, day), wanted)
                known[value, day] = sizes
                conditions = {"data": RELEASE, "recoding": words(count, value, day), "items": count}
                rows.append(
                    conditions
                    | {"values": value if m.has_values else None}
                    | {"days": day if m.has_days else None}
                    | _measures(sizes, self.k)
                    | _cells_left_out(sizes, length, m.n_cells, self.k)
                )
        return rows


def recodings_of_days(release: Manifest) -> dict[str, str | None]:
    """Return the recodings of times that a release can have, each with a coarser one.

    Weeks do not nest in months.

    Examples
    --------
    >>> from types import SimpleNamespace as Any
    >>> from sim.release.store.time_bins import DAY
    >>> recodings_of_days(Any(has_days=True, time_bin="day", bins=DAY))
    {'none': None, 'year': 'none', 'month': 'year', 'week': 'none', 'day': 'week'}
    """
    found: dict[str, str | None] = {}
    for width in widths(release, DAYS):
        coarser = [each for each in found if each == "none" or refines(width, each)]
        found[width] = coarser[-1] if coarser else None
    return found


def recoding(store: Store, values: str, days: str) -> Recode:
    """Return the function that recodes cells.

    Parameters
    ----------
    values : str
        One of `VALUES`.
    days : str
        Of `recodings_of_days`; weeks begin on Monday, months and years are the calendar's.

    Returns
    -------
    callable
        From item, level and day to item and, unless recoded to nothing, value and day. A missing
        part equals only a missing part.
    """
    scale, bins = store.scale, binned(store, days).astype(np.int32)
    levels = np.arange(scale.size + 1, dtype=np.int32)
    if values == "halves":
        middle = (scale[0] + scale[-1]) / 2
        levels = np.append(scale > middle, 2).astype(np.int32)

    def recode(columns: Columns) -> Columns:
        item, level, day = columns
        recoded: Columns = (item,)
        if values != "none":
            recoded = (*recoded, levels[level])
        return recoded if days == "none" else (*recoded, bins[day])

    return recode


def words(count: int | None, values: str, days: str) -> str:
    """Describe a recoding in words.

    Examples
    --------
    >>> words(None, "exact", "day"), words(10, "none", "year")
    ('all items, exact values, days', 'top 10 items, years')
    """
    parts = ["all items" if count is None else f"top {count} items"]
    parts += (
        [] if values == "none" else [{"halves": "high or low values"}.get(values, "exact values")]
    )
    return ", ".join(parts + ([] if days == "none" else [f"{width_words(days)}s"]))


def _measures(sizes: NDArray[np.int64], ks: Sequence[int]) -> dict[str, Any]:
    """Return the measures of any table, from the sizes of its rows' classes."""
    row: dict[str, Any] = {"n_records": sizes.size, "k": int(sizes.min())}
    row["unique"] = float((sizes == 1).mean())
    return row | {f"suppressed_records_{k}": float((sizes < k).mean()) for k in ks}


def _cells_left_out(
    sizes: NDArray[np.int64], length: NDArray[np.int64], n_cells: int, ks: Sequence[int]
) -> dict[str, float]:
    """Share of the cells that are suppressed."""
    return {f"suppressed_cells_{k}": 1 - float(length[sizes >= k].sum() / n_cells) for k in ks}


def _worked(ks: Sequence[int]) -> list[dict[str, Any]]:
    """Rows for the slides' table, without cell counts: it is not sparse."""
    return [
        {"data": NAME, "recoding": recoded} | _measures(kanonymity.class_sizes(table, QUASI), ks)
        for recoded, table in ten_patients().items()
    ]
