"""The items of a target that the adversary knows: uniform without replacement, nested in size.

Each (record, place in the record) has one key per seed; the items of the window are taken in the
order of their keys. So aux of size 2 is a prefix of aux of size 8, and a window of popularity, or
a filter of the cells, only takes items out.

Where a record may hold an item in several cells, it is the cells that are drawn; or the items, each
by the key of its first cell, and then the cell of each item with the least key of another kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.filters import Filter, RecordCells, kept
from sim.adversary.knowledge import Draw, Window
from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, philox
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True)
class SampledItems:
    """Items known of each target, in the order the adversary learns them.

    Parameters
    ----------
    place : int64 array, shape (T, size)
        Place of the item in the target's record; −1 where the record has no more items in the
        window.
    item, level, day : int32 arrays, shape (T, size)
        The target's own cell there; 0 where place is −1.
    """

    place: NDArray[np.int64]
    item: NDArray[np.int32]
    level: NDArray[np.int32]
    day: NDArray[np.int32]


@njit
def _take_first(places, begin, cells, t, out):  # type: ignore[no-untyped-def]
    """Write the first of a record's places, and its cells there."""
    _, cell_item, cell_level, cell_day = cells
    place, item, level, day = out
    for j in range(min(places.size, place.shape[1])):
        p = places[j]
        place[t, j] = p
        item[t, j] = cell_item[begin + p]
        level[t, j] = cell_level[begin + p]
        day[t, j] = cell_day[begin + p]


@njit
def _least(keys, places, size):  # type: ignore[no-untyped-def]
    """Return the places with the least keys in the order of these, at least `size` if there are."""
    if 2 * (size + 8) < keys.size:
        # The keys are uniform, so nearly always enough of them are below twice what is expected.
        few = keys < np.uint64((size + 8) * (2.0**65 / keys.size))
        if np.sum(few) >= size:
            keys, places = keys[few], places[: few.size][few]
    return places[np.argsort(keys)]


@njit
def _sample(rows, first, cells, rank, window, kept, seed, purpose, out):  # type: ignore[no-untyped-def]
    start, cell_item = cells[0], cells[1]
    kept_start, is_kept = kept  # of the rows alone; empty: all cells are kept
    low, high = window
    zero = np.uint64(0)
    for t in range(rows.size):
        begin, end = start[rows[t]], start[rows[t] + 1]
        keys = np.empty(end - begin, np.uint64)
        places = np.empty(end - begin, np.int64)
        n = 0
        for k in range(begin, end):
            if is_kept.size and not is_kept[kept_start[t] + k - begin]:
                continue
            if low <= rank[cell_item[k]] < high:
                record = np.uint64(first + rows[t])
                keys[n] = philox(record, np.uint64(k - begin), zero, zero, seed, purpose)
                places[n] = k - begin
                n += 1
        _take_first(_least(keys[:n], places, out[0].shape[1]), begin, cells, t, out)


@njit
def _sample_by_item(rows, first, cells, rank, window, kept, seed, purposes, out):  # type: ignore[no-untyped-def]
    start, cell_item = cells[0], cells[1]
    kept_start, is_kept = kept  # as of `_sample`
    low, high = window
    zero = np.uint64(0)
    for t in range(rows.size):
        begin, end = start[rows[t]], start[rows[t] + 1]
        keys = np.empty(end - begin, np.uint64)
        places = np.empty(end - begin, np.int64)
        n, k, record = 0, begin, np.uint64(first + rows[t])
        while k < end:
            of_item, chosen, least = k, np.int64(-1), zero
            while k < end and cell_item[k] == cell_item[of_item]:
                if not is_kept.size or is_kept[kept_start[t] + k - begin]:
                    key = philox(record, np.uint64(k - begin), zero, zero, seed, purposes[1])
                    if chosen < 0 or key < least:
                        chosen, least = k - begin, key
                k += 1
            if chosen >= 0 and low <= rank[cell_item[of_item]] < high:
                at = np.uint64(of_item - begin)
                keys[n] = philox(record, at, zero, zero, seed, purposes[0])
                places[n] = chosen
                n += 1
        _take_first(_least(keys[:n], places, out[0].shape[1]), begin, cells, t, out)


_BY_ITEM = np.array([Purpose.ITEM, Purpose.CELL_OF_ITEM], np.uint64)


def sample_items(
    store: Store,
    targets: NDArray[np.int64],
    window: Window,
    size: int,
    seed: int,
    filters: tuple[Filter, ...] = (),
    draw: Draw = "cells",
) -> SampledItems:
    """Sample up to `size` items of each target.

    Parameters
    ----------
    targets : int64 array, shape (T,)
        Record numbers, ascending.
    window : Window
        Ranks the items may have.
    filters : tuple of Filter
        Which cells may be picked.
    draw : {"cells", "items"}
        See `sim.adversary.knowledge.Knowledge`.
    """
    shape = (targets.size, size)
    sampled = SampledItems(
        np.full(shape, -1, np.int64), *(np.zeros(shape, np.int32) for _ in range(3))
    )
    high = store.manifest.n_items if window.high is None else window.high
    for index, part in by_block(store, targets):
        block = store.block(index)
        out = (sampled.place[part], sampled.item[part], sampled.level[part], sampled.day[part])
        cells = (block.record_start, block.record_item, block.record_level, block.record_day)
        rows = targets[part] - block.first
        is_kept = np.zeros(1, np.int64), np.empty(0, np.bool_)
        if filters:
            own = RecordCells.of(block, rows)
            is_kept = own.start, kept(store, filters, own)
        given = rows, block.first, cells, store.rank, (window.low, high), is_kept, np.uint64(seed)
        if draw == "items" and store.manifest.has_repeats:
            _sample_by_item(*given, _BY_ITEM, out)
        else:
            _sample(*given, np.uint64(Purpose.ITEM), out)
    return sampled


def by_block(store: Store, targets: NDArray[np.int64]) -> list[tuple[int, slice]]:
    """Group ascending record numbers by the block they lie in."""
    block = targets // store.manifest.block_records
    present, begin = np.unique(block, return_index=True)
    ends = [*begin[1:].tolist(), targets.size][: present.size]
    return [(int(b), slice(int(s), e)) for b, s, e in zip(present, begin, ends, strict=True)]
