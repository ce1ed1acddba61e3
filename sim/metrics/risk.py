"""Records at risk: rank-1 rates by the length of a record, its rarest item and its active period.

Invariant: every present target of every cell is in exactly one bin of each kind, but for records
without a date, which have no period. Single records
are told of only where all were attacked, by the identifiers of the release.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim.measurements.measurement import Tables
from sim.metrics.curves import axis_columns
from sim.numeric.columns import share
from sim.release.store.store import Block, Store

LENGTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
"""Lower ends of the bins of record lengths."""

SUPPORTS = tuple(2**n for n in range(20))
"""Lower ends of the bins of the rarest item's support."""

PERIODS = (1, 2, 8, 31, 91, 366, 731, 1096)
"""Lower ends of the bins of days from the first date of a record to its last, both included."""

_RECORDS_AT_A_TIME = 1 << 13
"""Whose cells are looked at together: all of a large release's would take its size in memory."""

_COLUMNS = ["target", "matched", "correct", "true_rank", "ties", "present"]


def risk(folder: Path, store: Store, *, by_record: bool) -> Tables:
    """Bin the targets of an attack by what their records are like.

    Parameters
    ----------
    folder : Path
        Run folder, its results written; all targets are records of the release.
    store : Store
        The release under attack.
    by_record : bool
        Whether to make a table of single records, meant for a census, which attacks all.

    Returns
    -------
    Tables
        ``risk_by_length``, ``risk_by_rarest`` and, where there are dates, ``risk_by_period``: a row
        per cell and bin that a present target is in: ``cell``, the axes, ``low`` and ``high``
        (items held, records that hold the rarest item held, or days from the first date to the
        last; null: open), ``n`` (targets), ``rank1`` and ``matched_right`` with their
        intervals. ``risk``: a row per record attacked in any cell: ``record``, ``length``,
        ``rarest_support``, ``cells`` (in which it was attacked), ``best_guess`` and ``matched``
        (the share of these in which the best guess is right, a tie of t counting 1/t, and in which
        a match is declared and right) and, where the grid's cells know more and more of the same
        facts, ``facts_needed``: the least number from which on the best guess names the record
        alone; null: it never does. Nothing at all where every target is absent.
    """
    curves = pd.read_parquet(folder / "curves.parquet")
    axes = curves[["cell", *axis_columns(curves)]]
    binned: dict[str, list[pd.DataFrame]] = {"length": [], "rarest": [], "period": []}
    tally = _Tally(store.manifest.n_records, axes) if by_record else None
    rarest, period = (np.zeros(store.manifest.n_records, np.int64) for _ in range(2))
    for cell, decided in _by_cell(folder, curves["cell"].tolist()):
        row = _rows_of(store, decided["target"])
        here = _true(decided, "present")
        row = row[here]
        if not row.size:
            continue  # an absent target has no record
        at_top = _true(decided, "true_rank")[here] == _true(decided, "ties")[here]
        named = np.where(at_top, 1 / np.maximum(_true(decided, "ties")[here], 1), 0.0)
        right = (_true(decided, "matched") & _true(decided, "correct"))[here]
        unseen = row[rarest[row] == 0]
        rarest[unseen] = rarest_support(store, unseen)
        period[unseen] = active_days(store, unseen)
        for kind, of, starts in (
            ("length", store.length[row], LENGTHS),
            ("rarest", rarest[row], SUPPORTS),
            ("period", period[row], PERIODS),
        ):
            known = of > 0
            if known.any():
                binned[kind].append(_bins(cell, of[known], starts, named[known], right[known]))
        if tally is not None:
            tally.add(cell, row, named, right)
    if not binned["length"]:
        return {}
    tables = {
        f"risk_by_{kind}": axes.merge(pd.concat(frames), on="cell")
        for kind, frames in binned.items()
        if frames
    }
    if tally is None:
        return tables
    return {**tables, "risk": tally.table(store, rarest)}


def rarest_support(store: Store, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Support of the rarest item that each record holds.

    Parameters
    ----------
    records : int64 array, shape (R,)

    Returns
    -------
    int64 array, shape (R,)
    """
    least = np.zeros(records.size, np.int64)
    for block, which, place, first in _cells_of(store, records):
        support = store.support[block.record_item[place]]
        least[which] = np.minimum.reduceat(support, first)
    return least


def active_days(store: Store, records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Days from the first date of each record to its last, both included; 0 without a date.

    Parameters
    ----------
    records : int64 array, shape (R,)

    Returns
    -------
    int64 array, shape (R,)
    """
    days = np.zeros(records.size, np.int64)
    if not store.manifest.has_days:
        return days
    none = store.manifest.n_days
    for block, which, place, start in _cells_of(store, records):
        day = block.record_day[place].astype(np.int64)
        first = np.minimum.reduceat(day, start)
        last = np.maximum.reduceat(np.where(day == none, -1, day), start)
        days[which] = np.where(last < 0, 0, last - first + 1)
    return days


def _cells_of(
    store: Store, records: NDArray[np.int64]
) -> Iterator[tuple[Block, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Per block: which of the records are in it, places of their cells, where each one's begin."""
    order = np.argsort(records, kind="stable")
    ordered = records[order]
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        begin, end = np.searchsorted(ordered, [block.first, block.first + block.n_records])
        for at in range(begin, end, _RECORDS_AT_A_TIME):
            some = slice(at, min(at + _RECORDS_AT_A_TIME, end))
            row = ordered[some] - block.first
            start = block.record_start[row]
            length = block.record_start[row + 1] - start
            first = np.cumsum(length) - length
            place = np.repeat(start - first, length) + np.arange(int(length.sum()))
            yield block, order[some], place, first


class _Tally:
    """Return the results of each record over all cells."""

    def __init__(self, n_records: int, axes: pd.DataFrame) -> None:
        self.cells = np.zeros(n_records, np.int32)
        self.best_guess = np.zeros(n_records)
        self.matched = np.zeros(n_records)
        known = axes["first"] if "first" in axes else pd.Series([None] * len(axes))
        others = axes.drop(columns=["cell", "first"], errors="ignore")
        one = known.notna().all() and len(others.drop_duplicates()) == 1
        self.first = dict(zip(axes["cell"], known, strict=True)) if one else None
        # Of the cells so far: the largest number of facts that did not name the record.
        self.failed = np.zeros(n_records, np.int32)

    def add(
        self,
        cell: int,
        row: NDArray[np.int64],
        named: NDArray[np.float64],
        right: NDArray[np.bool_],
    ) -> None:
        self.cells[row] += 1
        self.best_guess[row] += named
        self.matched[row] += right
        if self.first is not None:
            missed = row[named < 1]
            self.failed[missed] = np.maximum(self.failed[missed], int(self.first[cell]))

    def table(self, store: Store, rarest: NDArray[np.int64]) -> pd.DataFrame:
        row = np.flatnonzero(self.cells)
        columns: dict[str, Any] = {
            "record": store.records.take(pa.array(row)).to_pandas(),
            "length": store.length[row],
            "rarest_support": rarest[row],
            "cells": self.cells[row],
            "best_guess": self.best_guess[row] / self.cells[row],
            "matched": self.matched[row] / self.cells[row],
        }
        if self.first is not None:
            sizes = np.sort(np.array([int(n) for n in self.first.values()], np.int32))
            nth = np.searchsorted(sizes, self.failed[row], side="right")
            needed = pd.array(np.append(sizes, 0)[nth], dtype="Int32")
            needed[nth == sizes.size] = pd.NA
            columns["facts_needed"] = needed
        return pd.DataFrame(columns)


def _by_cell(folder: Path, cells: list[int]) -> Iterator[tuple[int, pa.Table]]:
    path = folder / "decisions.parquet"
    for cell in cells:
        yield cell, pq.read_table(path, columns=_COLUMNS, filters=[("cell", "=", cell)])


def _rows_of(store: Store, identifiers: pa.ChunkedArray) -> NDArray[np.int64]:
    asked, known = identifiers.combine_chunks(), store.records
    if pa.types.is_integer(known.type):  # ascending; a table to look them up in would be large
        numbers, numbered = known.to_numpy(), pc.fill_null(asked, 0).to_numpy()
        at = np.minimum(np.searchsorted(numbers, numbered), numbers.size - 1)
        is_there = pc.is_valid(asked).to_numpy(zero_copy_only=False) & (numbers[at] == numbered)
        return np.where(is_there, at, -1).astype(np.int64)
    found = pc.index_in(asked, value_set=known)
    return np.asarray(pc.fill_null(found, -1).to_numpy(zero_copy_only=False), np.int64)


def _true(decided: pa.Table, name: str) -> NDArray[Any]:
    """A column of a table, null as nothing."""
    column = decided[name]
    filler = False if pa.types.is_boolean(column.type) else -1
    values = pc.fill_null(column, filler).to_numpy(zero_copy_only=False)
    return np.asarray(values)


def _bins(
    cell: int,
    of: NDArray[np.int64],
    starts: tuple[int, ...],
    named: NDArray[np.float64],
    right: NDArray[np.bool_],
) -> pd.DataFrame:
    nth = np.searchsorted(starts, of, side="right") - 1
    ends = [*(s - 1 for s in starts[1:]), None]
    rows = []
    for number in np.unique(nth).tolist():
        inside = nth == number
        n = int(np.count_nonzero(inside))
        ours = {"cell": cell, "low": starts[number], "high": ends[number], "n": n}
        rows.append(
            ours
            | share("rank1", float(named[inside].sum()), n)
            | share("matched_right", float(right[inside].sum()), n)
        )
    return pd.DataFrame(rows).astype({"high": "Int64"})
