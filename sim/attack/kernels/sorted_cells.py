"""The cells of each item by level and day, sorted, so that equal ones are counted by looking up."""

from __future__ import annotations

import functools
import threading
from typing import Any, Literal

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.target_cells import first_at_least
from sim.release.store.store import Store

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class SortedCells:
    """Cells of every item, sorted by level, then by day.

    An item's cells are read and sorted when they are first asked for, so each is read once however
    many facts are about it. Takes two bytes a cell (four where there are many levels and days), of
    the items that were asked for.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._width = store, store.manifest.n_days + 1
        codes = (store.scale.size + 1) * self._width
        self._start = np.concatenate([[0], np.cumsum(store.cells, dtype=np.int64)])
        self._code = np.empty(store.manifest.n_cells, np.uint16 if codes < 1 << 16 else np.uint32)
        self._is_sorted = np.zeros(store.manifest.n_items, np.bool_)
        self._lock = threading.Lock()

    def sum_of(self, item: NDArray[np.int32], chance: Floats, low: Ints, high: Ints) -> Floats:
        """Sum the chances of the cells of an item, by their level, on the days [low, high].

        Parameters
        ----------
        item : int32 array, shape (B,)
        chance : float64 array, shape (B, L + 1)
        low, high : int64 arrays, shape (B,)
            Day codes; that of a cell without a day is n_days.

        Returns
        -------
        float64 array, shape (B,)
        """
        found = np.zeros(item.size)
        # The first facts of many are asked about once for each number of facts.
        order = np.lexsort((high, low, item))
        _sum(order, item, chance, low, high, self.of(np.unique(item)), found)
        return found

    def of(self, item: NDArray[np.int32]) -> tuple[Ints, NDArray[Any], int]:
        """Return all sorted cells, those of some items at least.

        Parameters
        ----------
        item : int32 array, shape (B,)
            Each once.

        Returns
        -------
        start : int64 array, shape (M + 1,)
            Where each item's cells begin.
        code : unsigned array
            level · width + day.
        width : int
            Codes of days, "no day" included.
        """
        self._sort(item)
        return self._start, self._code, self._width

    def days_of(self, item: NDArray[np.int32]) -> tuple[Ints, Ints, Ints]:
        """Return the first and the last day of the cells of each item, and its cells without one.

        Parameters
        ----------
        item : int32 array, shape (B,)

        Returns
        -------
        first, last, undated : int64 arrays, shape (B,)
            n_days, −1 and a number where no cell has a day.
        """
        distinct, which = np.unique(item, return_inverse=True)
        first = np.full(distinct.size, self._width - 1, np.int64)
        last, undated = np.full(distinct.size, -1, np.int64), np.zeros(distinct.size, np.int64)
        _find_days(distinct, self.of(distinct), first, last, undated)
        return first[which], last[which], undated[which]

    def _sort(self, item: NDArray[np.int32]) -> None:
        with self._lock:
            item = item[~self._is_sorted[item]]
            free = self._start[item]
            for index in range(self._store.manifest.n_blocks):
                block = self._store.block(index)
                columns = block.item_level, block.item_day
                _copy(*columns, *block.postings_of(item), free, self._width, self._code)
            # NumPy's stable sort of 16 bits is a radix sort, ten times as fast as its other one.
            kind: Literal["stable", "quicksort"]
            kind = "stable" if self._code.itemsize == 2 else "quicksort"
            for i in item.tolist():
                self._code[self._start[i] : self._start[i + 1]].sort(kind=kind)
            self._is_sorted[item] = True


@functools.lru_cache(maxsize=2)
def sorted_cells(store: Store) -> SortedCells:
    """Return the sorted cells of a release, the same for all who ask."""
    return SortedCells(store)


@numba.njit(cache=True, nogil=True)
def _copy(item_level, item_day, begin, end, free, width, code):  # type: ignore[no-untyped-def]
    """Append the codes of some items' cells in a block to those of the blocks before."""
    for j in range(begin.size):
        at = free[j]
        for k in range(begin[j], end[j]):
            code[at] = np.int64(item_level[k]) * width + item_day[k]
            at += 1
        free[j] = at


@numba.njit(cache=True, nogil=True)
def _sum(order, item, chance, low, high, cells, found):  # type: ignore[no-untyped-def]
    start, code, width = cells
    before = -1
    for a in order:
        if before >= 0 and _asks_the_same(a, before, item, chance, low, high):
            found[a] = found[before]
            continue
        before = a
        if low[a] > high[a]:
            continue
        first, last = start[item[a]], start[item[a] + 1]
        for level in range(chance.shape[1]):
            if chance[a, level] != 0:
                begin = first_at_least(code, first, last, level * width + low[a])
                end = first_at_least(code, begin, last, level * width + high[a] + 1)
                found[a] += chance[a, level] * (end - begin)


@numba.njit(cache=True, nogil=True)
def _find_days(item, cells, first, last, undated):  # type: ignore[no-untyped-def]
    start, code, width = cells
    for b in range(item.size):
        at, end = start[item[b]], start[item[b] + 1]
        while at < end:  # once for each level that the item has
            level = np.int64(code[at]) // width * width
            dated = first_at_least(code, at, end, level + width - 1)
            if dated > at:
                first[b] = min(first[b], np.int64(code[at]) - level)
                last[b] = max(last[b], np.int64(code[dated - 1]) - level)
            at = first_at_least(code, dated, end, level + width)
            undated[b] += at - dated


@numba.njit(cache=True, nogil=True)
def _asks_the_same(a, b, item, chance, low, high):  # type: ignore[no-untyped-def]
    differing = 0
    for level in range(chance.shape[1]):
        differing += chance[a, level] != chance[b, level]
    return item[a] == item[b] and low[a] == low[b] and high[a] == high[b] and differing == 0
