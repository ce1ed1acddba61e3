"""Counts over a whole release and over one of its records, for `sim.attack.engine.view`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.target_cells import items_of
from sim.attack.engine.decisions import Floats
from sim.numeric.compiled import njit
from sim.release.store.store import Block, Store

Squares = Callable[[Floats, int], Floats]
"""Function of the supports and the number of records: each item's part of a squared norm."""


@functools.lru_cache(maxsize=2)
def all_cells(store: Store) -> NDArray[np.int64]:
    """Cells of the release by level and day, shape (L + 1, n_days + 1)."""
    counts = np.zeros((store.scale.size + 1, store.manifest.n_days + 1), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_cells(block.item_level, block.item_day, counts)
    return counts


def cells_without(store: Store, records: Sequence[int]) -> NDArray[np.int64]:
    """As `all_cells`, without some records."""
    cells = all_cells(store).copy()
    for record in records:
        block, own = _cells_of(store, record)
        np.subtract.at(cells, (block.record_level[own], block.record_day[own]), 1)
    return cells


class LevelsOfItems:
    """Cells of items by level, counted when an item is first asked for and kept."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._item = np.empty(0, np.int64)
        self._count = np.zeros((0, store.scale.size + 1), np.int64)

    def of(self, item: NDArray[Any]) -> NDArray[np.int64]:
        """Count cells by level.

        Parameters
        ----------
        item : integer array, shape (A,)

        Returns
        -------
        int64 array, shape (A, L + 1)
        """
        wanted = np.unique(item)
        with self._lock:
            new = wanted[~np.isin(wanted, self._item, assume_unique=True)]
            if new.size:
                counts = np.zeros((new.size, self._count.shape[1]), np.int64)
                for index in range(self._store.manifest.n_blocks):
                    block = self._store.block(index)
                    _count_levels(*block.postings_of(new), block.item_level, counts)
                at = np.searchsorted(self._item, new)
                self._item = np.insert(self._item, at, new)
                self._count = np.insert(self._count, at, counts, axis=0)
            found: NDArray[np.int64] = self._count[np.searchsorted(self._item, item)]
            return found


@functools.lru_cache(maxsize=2)
def levels_of_items(store: Store) -> LevelsOfItems:
    """Return the cells of a release's items by level, the same for all who ask."""
    return LevelsOfItems(store)


@functools.lru_cache(maxsize=64)
def close_dates(store: Store, days: float) -> float:
    """Probability that two cells are at most `days` bins apart; a missing day never differs."""
    if days < 0:
        return 1.0
    counts = all_cells(store).sum(axis=0).astype(np.float64)
    reach = np.concatenate([[0.0], np.cumsum(counts[:-1])])
    at = np.arange(counts.size - 1)
    low = np.clip(at - int(days), 0, counts.size - 1)
    high = np.clip(at + int(days) + 1, 0, counts.size - 1)
    dated = (counts[:-1] * (reach[high] - reach[low])).sum()
    missing, everything = counts[-1], counts.sum()
    return float((dated + missing * (2 * everything - missing)) / everything**2)


@functools.lru_cache(maxsize=2)
def cells_of_own_items(store: Store) -> Floats:
    """Cells of the items that each record holds, shape (N,)."""
    cells = np.empty(store.manifest.n_records)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        cells[block.first : block.first + block.n_records] = _sum_of_items(
            store, block, store.cells
        )
    return cells


def cells_shared_with(store: Store, records: Sequence[int]) -> Floats:
    """Cells of some records whose items each record holds, shape (N,)."""
    shared = np.zeros(store.manifest.n_records)
    theirs = np.concatenate([items_of(store, record) for record in records])
    items, cells = np.unique(theirs, return_counts=True)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        here = shared[block.first : block.first + block.n_records]
        _add_to_holders(*block.postings_of(items), cells, block.item_row, here)
    return shared


@functools.lru_cache(maxsize=2)
def inverse_norms(store: Store, squares: Squares) -> Floats:
    """1/√Σ of the squares of each record's items, shape (N,)."""
    return _inverse_norms(store, squares(store.support.astype(np.float64), _n(store)))


def inverse_norms_without(store: Store, squares: Squares, records: Sequence[int]) -> Floats:
    """As `inverse_norms`, without some records and their supports."""
    support = store.support.astype(np.float64)
    for record in records:
        support[items_of(store, record)] -= 1
    return _inverse_norms(store, squares(support, _n(store) - len(records)))


def _n(store: Store) -> int:
    return store.manifest.n_records


def _inverse_norms(store: Store, squares: Floats) -> Floats:
    norms = np.empty(_n(store))
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        norms[block.first : block.first + block.n_records] = _sum_of_items(store, block, squares)
    return over_root(norms)


def over_root(squares: Floats) -> Floats:
    """1/√ of sums of squares, or 0: multiplying by it takes a tenth of the time of a division."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros(squares.size), where=squares > 0)


def _sum_of_items(store: Store, block: Block, of_item: NDArray[Any]) -> NDArray[Any]:
    """Sum a number of each item over the items that each record of a block holds."""
    numbers = of_item[block.record_item]
    if store.manifest.has_repeats:
        numbers[~block.first_of_item] = 0
    # No record is empty, so each range between two starts is a record.
    summed: NDArray[Any] = np.add.reduceat(numbers, block.record_start[:-1])
    return summed


def _cells_of(store: Store, record: int) -> tuple[Block, slice]:
    """Return the block of a record, and the slice of its cells."""
    block = store.block(record // store.manifest.block_records)
    row = record - block.first
    return block, slice(int(block.record_start[row]), int(block.record_start[row + 1]))


@njit
def _add_to_holders(begin, end, cells, row, total):  # type: ignore[no-untyped-def]
    """Add the cells of each item to the rows that hold it, once for all a row has of it."""
    for j in range(begin.size):
        last = -1
        for k in range(begin[j], end[j]):
            if row[k] != last:
                last = row[k]
                total[last] += cells[j]


@njit
def _count_levels(begin, end, item_level, counts):  # type: ignore[no-untyped-def]
    for j in range(begin.size):
        for k in range(begin[j], end[j]):
            counts[j, item_level[k]] += 1


@njit
def _count_cells(level, day, counts):  # type: ignore[no-untyped-def]
    for k in range(level.size):
        counts[level[k], day[k]] += 1
