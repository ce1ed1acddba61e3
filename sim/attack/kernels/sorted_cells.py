"""The cells of each item by level and day, sorted, so that equal ones are counted by looking up."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.target_cells import first_at_least, gallop
from sim.numeric.compiled import njit
from sim.release.store.store import Block, Store

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_APART = 1 << 22
"""Cells that are in memory at a time, with the places of tables, or what one item takes."""
_EVERY = 64  # codes to one of the guide, which stays in the cache


class Cells(NamedTuple):
    """Sorted cells of some items.

    Parameters
    ----------
    start : int64 array, shape (M + 1,)
        Where each item's cells begin.
    code : unsigned array
        level · width + day.
    guide : unsigned array
        Every 64th code.
    width : int
        Codes of days, "no day" included.
    """

    start: Ints
    code: NDArray[Any]
    guide: NDArray[Any]
    width: int


class SortedCells:
    """Cells of every item, sorted by level, then by day.

    An item's cells are read and sorted when they are first asked for, so each is read once however
    many facts are about it. Takes two bytes a cell (four where there are many levels and days), of
    the items that were asked for, but for those that are sorted `apart`.
    """

    def __init__(self, store: Store) -> None:
        self._store, self.width = store, store.manifest.n_days + 1  # as of `Cells`
        self.n_codes = codes = (store.scale.size + 1) * self.width
        self._start = np.concatenate([[0], np.cumsum(store.cells, dtype=np.int64)])
        self._code = np.empty(store.manifest.n_cells, np.uint16 if codes < 1 << 16 else np.uint32)
        self._guide = np.empty(-(-self._code.size // _EVERY), self._code.dtype)
        self._is_sorted = np.zeros(store.manifest.n_items, np.bool_)
        # First and last day, cells without one, and whether these are known.
        self._days = np.zeros((4, store.manifest.n_items), np.int32)
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

    def of(self, item: NDArray[np.int32]) -> Cells:
        """Return all sorted cells, those of some items at least.

        Parameters
        ----------
        item : int32 array, shape (B,)
            Each once.
        """
        self._sort(item)
        return Cells(self._start, self._code, self._guide, self.width)

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
        with self._lock:
            new = np.unique(item)
            new = new[self._days[3, new] == 0]
            self._days[:, new] = np.array([self.width - 1, -1, 0, 1])[:, None]
            for block in self._blocks(new):
                _find_days(new, *block.postings_of(new), block.item_day, self.width - 1, self._days)
        first, last, undated = self._days[:3, item].astype(np.int64)
        return first, last, undated

    def apart(
        self, item: NDArray[np.int32], is_loose: NDArray[np.bool_]
    ) -> Iterator[tuple[slice, Cells]]:
        """Yield the sorted cells of some items at a time, which are not kept.

        Parameters
        ----------
        item : int32 array, shape (B,)
            Each once.
        is_loose : bool array, shape (B,)
            Items whose cells may come in any order; each is given a table of all codes.

        Yields
        ------
        some : slice
            Of the items.
        cells : Cells
            Of these items alone.
        """
        size = self._start[item + 1] - self._start[item]
        taken = size + is_loose * self.n_codes
        ends = np.cumsum(taken)
        begin = 0
        while begin < item.size:
            before = ends[begin] - taken[begin]
            end = max(begin + 1, int(np.searchsorted(ends, before + _APART, side="right")))
            some = slice(begin, end)
            start = np.concatenate([[0], np.cumsum(size[some])])
            code = np.empty(start[-1], self._code.dtype)
            self._write(item[some], start, code, is_loose[some])
            yield some, Cells(start, code, code[::_EVERY].copy(), self.width)
            begin = end

    def _blocks(self, item: NDArray[np.int32]) -> Iterator[Block]:
        """Yield all blocks, if there is any item to look for."""
        for index in range(self._store.manifest.n_blocks if item.size else 0):
            yield self._store.block(index)

    def _sort(self, item: NDArray[np.int32]) -> None:
        with self._lock:
            item = item[~self._is_sorted[item]]
            self._write(item, self._start[item], self._code, np.zeros(item.size, np.bool_))
            _copy_every(self._start[item], self._start[item + 1], self._code, self._guide)
            self._is_sorted[item] = True

    def _write(
        self,
        item: NDArray[np.int32],
        start: Ints,
        code: NDArray[Any],
        is_loose: NDArray[np.bool_],
    ) -> None:
        """Write the cells of some items, those of each from a place on, sorted or loose."""
        free = start[: item.size].copy()
        for block in self._blocks(item):
            columns = block.item_level, block.item_day
            _copy(*columns, *block.postings_of(item), free, self.width, code)
        # NumPy's stable sort of 16 bits is a radix sort, ten times as fast as its other one.
        kind: Literal["stable", "quicksort"] = "stable" if code.itemsize == 2 else "quicksort"
        in_order = np.flatnonzero(~is_loose)
        for begin, end in zip(start[in_order].tolist(), free[in_order].tolist(), strict=True):
            code[begin:end].sort(kind=kind)


@functools.lru_cache(maxsize=2)
def sorted_cells(store: Store) -> SortedCells:
    """Return the sorted cells of a release, the same for all who ask."""
    return SortedCells(store)


@njit
def _copy(item_level, item_day, begin, end, free, width, code):  # type: ignore[no-untyped-def]
    """Append the codes of some items' cells in a block to those of the blocks before."""
    for j in range(begin.size):
        at = free[j]
        for k in range(begin[j], end[j]):
            code[at] = np.int64(item_level[k]) * width + item_day[k]
            at += 1
        free[j] = at


@njit
def _copy_every(begin, end, code, guide):  # type: ignore[no-untyped-def]
    """Copy every 64th code of some items to the guide."""
    for j in range(begin.size):
        for g in range(-(-begin[j] // _EVERY), -(-end[j] // _EVERY)):
            guide[g] = code[g * _EVERY]


@njit
def cells_within(cells, first, last, low, high):  # type: ignore[no-untyped-def]
    """Count the cells of [first, last), of one item, with codes in [low, high).

    The guide is searched first: most of its places are in the cache, those of the codes are not.
    """
    guided = -(-first // _EVERY)
    g = first_at_least(cells.guide, guided, -(-last // _EVERY), low)
    before = first if g == guided else (g - 1) * _EVERY + 1
    begin = first_at_least(cells.code, before, min(g * _EVERY, last), low)
    return gallop(cells.code, begin, last, high) - begin


@njit
def _sum(order, item, chance, low, high, cells, found):  # type: ignore[no-untyped-def]
    start, width = cells.start, cells.width
    before = np.int64(-1)
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
                at = level * width
                n = cells_within(cells, first, last, at + low[a], at + high[a] + 1)
                found[a] += chance[a, level] * n


@njit
def _find_days(item, begin, end, item_day, none, days):  # type: ignore[no-untyped-def]
    for b in range(item.size):
        first, last, undated = days[0, item[b]], days[1, item[b]], days[2, item[b]]
        for k in range(begin[b], end[b]):
            day = np.int32(item_day[k])
            if day == none:
                undated += 1
            else:
                first, last = min(first, day), max(last, day)
        days[0, item[b]], days[1, item[b]], days[2, item[b]] = first, last, undated


@njit
def _asks_the_same(a, b, item, chance, low, high):  # type: ignore[no-untyped-def]
    differing = 0
    for level in range(chance.shape[1]):
        differing += chance[a, level] != chance[b, level]
    return item[a] == item[b] and low[a] == low[b] and high[a] == high[b] and differing == 0
