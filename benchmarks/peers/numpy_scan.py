"""The scan in NumPy: a column-sparse release, and one target at a time with whole-array calls.

Two ways to write it: `by_bincount` as one would, `by_table` the fastest that was found. Several
others were slower: fixed-size buffers with `take(out=)`, `np.add.at`, sums of squares by dot
product, wider integers. None of the calls used is threaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux
from sim.attack.kernels.score_spec import Contributions
from sim.release.store.store import Store


class Found(NamedTuple):
    """Result for one target: the highest two scores, σ over all records, and the target's rank."""

    best: float
    second: float
    sigma: float
    best_record: int
    rank: int


@dataclass(frozen=True, slots=True)
class Columns:
    """A release item by item.

    Parameters
    ----------
    n_records, n_days : int
        Days count the code for "no day".
    start : int64 array, shape (n_items + 1,)
    row : uint32 array, shape (n_cells,)
        Record.
    level, day : uint8 and uint16 arrays, shape (n_cells,)
    place : unsigned array, shape (n_cells,)
        level · n_days + day.
    """

    n_records: int
    n_days: int
    start: NDArray[np.int64]
    row: NDArray[np.uint32]
    level: NDArray[Any]
    day: NDArray[np.uint16]
    place: NDArray[Any]

    @staticmethod
    def of(store: Store) -> Columns:
        """Return the blocks of a store as one."""
        m = store.manifest
        start = np.concatenate([[0], np.cumsum(store.support)])
        row = np.empty(m.n_cells, np.uint32)
        level = np.empty(m.n_cells, store.block(0).item_level.dtype)
        day = np.empty(m.n_cells, np.uint16)
        free = start[:-1].copy()
        for index in range(m.n_blocks):
            block = store.block(index)
            count = np.diff(block.item_start)
            place = np.repeat(free - block.item_start[:-1], count) + np.arange(block.n_cells)
            row[place] = block.item_row.astype(np.uint32) + np.uint32(block.first)
            level[place], day[place] = block.item_level, block.item_day
            free += count
        n_days = m.n_days + 1
        code = np.min_scalar_type(n_days * (store.scale.size + 1))
        place = level.astype(code) * code.type(n_days) + day
        return Columns(m.n_records, n_days, start, row, level, day, place.astype(code, copy=False))


def by_bincount(
    columns: Columns, aux: Aux, tables: Contributions, own: NDArray[Any]
) -> list[Found]:
    """Score by concatenated postings and one weighted `np.bincount` a target."""
    found = []
    for u in range(len(aux)):
        rows, summands = [], []
        for a in range(aux.start[u], aux.start[u + 1]):
            part = slice(columns.start[aux.item[a]], columns.start[aux.item[a] + 1])
            level, days = columns.level[part], tables.day_table[tables.day_offset[a] :]
            summands.append(tables.add[a][level] + tables.mul[a][level] * days[columns.day[part]])
            rows.append(columns.row[part])
        score = np.bincount(
            np.concatenate(rows), np.concatenate(summands), minlength=columns.n_records
        )
        found.append(_summed_up(score, own[u]))
    return found


def by_table(columns: Columns, aux: Aux, tables: Contributions, own: NDArray[Any]) -> list[Found]:
    """Score by one table per fact over (level, day), and one indexed addition per item."""
    found = []
    for u in range(len(aux)):
        score = np.zeros(columns.n_records)
        for a in range(aux.start[u], aux.start[u + 1]):
            part = slice(columns.start[aux.item[a]], columns.start[aux.item[a] + 1])
            days = tables.day_table[tables.day_offset[a] :][: columns.n_days]
            table = np.zeros((tables.add.shape[1], columns.n_days))
            table[:, : days.size] = tables.add[a][:, None] + tables.mul[a][:, None] * days
            # An item's records are distinct, so no addition is lost.
            score[columns.row[part]] += table.ravel()[columns.place[part]]
        found.append(_summed_up(score, own[u]))
    return found


def _summed_up(score: NDArray[Any], own: float) -> Found:
    second, best = np.partition(score, score.size - 2)[-2:]
    return Found(
        best, second, score.std(), int(score.argmax()), int(np.count_nonzero(score >= own))
    )
