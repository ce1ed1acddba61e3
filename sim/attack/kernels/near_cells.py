"""How many cells of an item are within the adversary's noise of each of its cells.

A wrong value is drawn from the item's cells outside the noise of the record's own, whose number
depends on that cell's own day. Each cell is counted for once per noise, in all blocks that a worker
scans. The counts are kept: two bytes a cell of the items that were asked for, or four if a count
needs them.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import OwnCells
from sim.attack.kernels.score_spec import WrongDraws
from sim.attack.kernels.sorted_cells import cells_within, sorted_cells
from sim.numeric.compiled import njit
from sim.release.store.store import Block, Store

Counts = NDArray[np.uint16] | NDArray[np.uint32]
_ROOM = 4
"""Noises there is room for; where more are asked about, the others are forgotten."""
_A_SEARCH = 64  # places of a table that are filled in the time of counting for one cell


class NearCells:
    """The counts of a release, block by block."""

    def __init__(self, store: Store) -> None:
        self._store, self._lock = store, threading.Lock()
        self._together: tuple[int, ...] = ()
        self._asked: tuple[Any, Any, list[NDArray[np.int32]]] | None = None
        self._undated = store.manifest.missing_days > 0
        self._kind: type[np.uint16 | np.uint32] = np.uint16
        self._forget(_ROOM)

    def _forget(self, room: int) -> None:
        self._room, self._row = room, dict[Any, int]()
        self._near: dict[int, NDArray[Any]] = {}

    def scanned(self, blocks: Sequence[int]) -> None:
        """Take note of the blocks that are about to be scanned: all are counted for together."""
        with self._lock:
            self._together = tuple(blocks)

    def of(
        self, block: Block, item: NDArray[np.int32], draws: WrongDraws
    ) -> tuple[Counts, NDArray[np.int64]]:
        """Return the counts of a block's postings, those of the facts' items at least.

        Parameters
        ----------
        item : int32 array, shape (A,)

        Returns
        -------
        near : unsigned array, shape (R·K,)
            Of all K postings for one noise, for another, and so on.
        start : int64 array, shape (G,)
            Where those for each of the facts' noises begin.
        """
        with self._lock:
            items = self._distinct(item, draws.kind, len(draws.within))
            while True:
                row = self._rows(draws)
                kinds = [
                    self._fits(block, distinct, draws, g, at)
                    for g, (at, distinct) in enumerate(zip(row.tolist(), items, strict=True))
                ]
                if all(kinds):
                    near = self._near_of(block)
                    return near.reshape(-1), row * near.shape[1]
                self._kind = np.uint32
                self._forget(self._room)

    def _distinct(
        self, item: NDArray[np.int32], kind: NDArray[np.int64], kinds: int
    ) -> list[NDArray[np.int32]]:
        """Return the items of the facts of each kind, worked out once for all blocks of a batch."""
        if self._asked is None or self._asked[0] is not item or self._asked[1] is not kind:
            distinct = [np.unique(item[kind == g]) for g in range(kinds)]
            self._asked = item, kind, distinct
        return self._asked[2]

    def _fits(
        self, block: Block, item: NDArray[np.int32], draws: WrongDraws, g: int, at: int
    ) -> bool:
        """Count for one noise; return whether the counts are small enough for their type."""
        if not self._is_new(block, item, at).any():
            return True
        others = map(self._store.block, self._together)
        blocks = list({each.first: each for each in (block, *others)}.values())
        item = item[np.any([self._is_new(each, item, at) for each in blocks], axis=0)]
        cells, noise = sorted_cells(self._store), (draws.reach[g], draws.within[g])
        # A table does not need the cells in order.
        is_loose = _sizes(blocks, item) * _A_SEARCH >= cells.n_codes
        for some, of_items in cells.apart(item, is_loose):
            tables = _tables(np.flatnonzero(is_loose[some]), of_items, noise)
            place = np.where(is_loose[some], np.cumsum(is_loose[some]) - 1, -1)
            for each in blocks:
                columns, near = (each.item_level, each.item_day), self._near_of(each)[at]
                most = _count_of_items(
                    *each.postings_of(item[some]), of_items, place, tables, *columns, noise,
                    self._undated, near,
                )  # fmt: skip
                if most > np.iinfo(near.dtype).max:
                    return False
        return True

    def _near_of(self, block: Block) -> NDArray[Any]:
        """Return the counts of a block's postings, by noise; 0 where there are none yet."""
        if block.first not in self._near:
            # Pages that are never written take no memory.
            self._near[block.first] = np.zeros((self._room, block.item_row.size), self._kind)
        return self._near[block.first]

    def _is_new(self, block: Block, item: NDArray[np.int32], at: int) -> NDArray[np.bool_]:
        """Whether each item has cells in a block that were not counted for."""
        begin, end = block.postings_of(item)
        is_new = begin < end
        here = np.flatnonzero(is_new)
        is_new[here] = self._near_of(block)[at, begin[here]] == 0  # every cell is near itself
        return is_new

    def _rows(self, draws: WrongDraws) -> NDArray[np.int64]:
        each = zip(draws.reach.tolist(), draws.within, strict=True)
        keys = [(reach, within.tobytes()) for reach, within in each]
        if len(self._row.keys() | set(keys)) > self._room:
            self._forget(max(_ROOM, len(keys)))
        return np.array([self._row.setdefault(key, len(self._row)) for key in keys], np.int64)


def _sizes(blocks: list[Block], item: NDArray[np.int32]) -> NDArray[np.int64]:
    """Cells of each item in some blocks together."""
    sizes = np.zeros(item.size, np.int64)
    for block in blocks:
        begin, end = block.postings_of(item)
        sizes += end - begin
    return sizes


@functools.lru_cache(maxsize=2)
def near_cells(store: Store) -> NearCells:
    """Return the counts of a release, the same for all who ask."""
    return NearCells(store)


def near_own(
    store: Store, item: NDArray[np.int32], own: OwnCells, draws: WrongDraws
) -> NDArray[np.uint32]:
    """Count the same for the targets' cells, each about a fact's item.

    Parameters
    ----------
    item : int32 array, shape (A,)
    own : OwnCells
        C cells.

    Returns
    -------
    unsigned array, shape (C,)
        0 where wrong values do not depend on it.
    """
    near = np.zeros(own.fact.size, np.uint32)
    if not draws.kind.size:
        return near
    kind = draws.kind[own.fact]
    every, undated = sorted_cells(store), store.manifest.missing_days > 0
    for g, within in enumerate(draws.within):
        asked = np.flatnonzero(kind == g)
        # The first facts of many are asked about once for each number of them.
        code = own.level[asked].astype(np.int64) * every.width + own.day[asked]
        cell = item[own.fact[asked]].astype(np.int64) * every.n_codes + code
        distinct, which = np.unique(cell, return_inverse=True)
        about, code = (distinct // every.n_codes).astype(np.int32), distinct % every.n_codes
        cells, noise = every.of(np.unique(about)), (draws.reach[g], within)
        found = _count_of_cells(about, code, cells, noise, undated)
        near[asked] = found[which]
    return near


@njit
def _count(item, level, day, cells, noise, undated):  # type: ignore[no-untyped-def]
    """Count the cells of an item within the noise of one of them; a missing part never differs.

    ``undated`` is whether any cell may lack a day.
    """
    (reach, within), found, none = noise, 0, cells.width - 1
    first, last = cells.start[item], cells.start[item + 1]
    low, high = (0, none) if day == none else (max(day - reach, 0), min(day + reach + 1, none))
    for other in range(within.shape[0]):
        at = other * cells.width
        if not within[level, other] or cells.code[last - 1] < at:
            continue
        found += cells_within(cells, first, last, at + low, at + high)
        if undated:
            found += cells_within(cells, first, last, at + none, at + cells.width)
    return found


@njit
def _tables(loose, cells, noise):  # type: ignore[no-untyped-def]
    """Count the same for every level and day of some items; a row of a table for each item."""
    levels, width = noise[1].shape[0], cells.width
    of_code, sums = np.zeros(levels * width, np.uint32), np.zeros((levels, width + 1), np.int64)
    tables = np.empty((loose.size, levels * width), np.uint32)
    for t in range(loose.size):
        first, last = cells.start[loose[t]], cells.start[loose[t] + 1]
        _tabulate(first, last, cells.code, width, noise, of_code, sums, tables[t])
    return tables


@njit
def _tabulate(first, last, code, width, noise, of_code, sums, table):  # type: ignore[no-untyped-def]
    """Count the same for every level that the item has, and every day."""
    reach, within = noise
    of_code[:] = 0
    for c in range(first, last):
        of_code[code[c]] += 1
    for level in range(sums.shape[0]):
        for day in range(width):
            sums[level, day + 1] = sums[level, day] + of_code[level * width + day]
    for level in range(sums.shape[0]):
        if sums[level, width] == 0:
            continue
        row = table[level * width : (level + 1) * width]
        row[:] = 0
        for other in range(sums.shape[0]):
            if not within[level, other] or sums[other, width] == 0:
                continue
            of_other = sums[other]
            undated = of_other[width] - of_other[width - 1]
            for day in range(width - 1):
                low, high = max(day - reach, 0), min(day + reach + 1, width - 1)
                row[day] += of_other[high] - of_other[low] + undated
            row[width - 1] += of_other[width]


@njit
def _count_of_items(begin, end, cells, place, tables, item_level, item_day, noise, undated, near):  # type: ignore[no-untyped-def]
    most = np.int64(0)
    for j in range(begin.size):
        for k in range(begin[j], end[j]):
            level, day = np.int64(item_level[k]), np.int64(item_day[k])
            if place[j] >= 0:
                found = np.int64(tables[place[j], level * cells.width + day])
            else:
                found = _count(j, level, day, cells, noise, undated)
            near[k], most = found, max(most, found)
    return most


@njit
def _count_of_cells(item, code, cells, noise, undated):  # type: ignore[no-untyped-def]
    near = np.empty(item.size, np.uint32)
    for c in range(item.size):
        level, day = code[c] // cells.width, code[c] % cells.width
        near[c] = _count(np.int64(item[c]), level, day, cells, noise, undated)
    return near
