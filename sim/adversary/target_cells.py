"""The targets' own cells: what the release under attack holds of them for each fact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import OwnCells
from sim.numeric.compiled import njit
from sim.release.store.store import Block, Store


@njit
def first_at_least(values, low, end, wanted):  # type: ignore[no-untyped-def]
    """First place in [low, end) of an ascending array with at least the wanted value; else end."""
    high = end
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def gallop(values, low, high, wanted):  # type: ignore[no-untyped-def]
    """As `first_at_least`, if the place is near `low`."""
    step = 1
    while low + step < high and values[low + step] < wanted:
        low += step
        step *= 2
    return first_at_least(values, low, min(low + step + 1, high), wanted)


@njit
def _find(rows, wanted, start, cell_item, begin, size):  # type: ignore[no-untyped-def]
    """Where the cells of each row and item begin in the block, and how many there are."""
    for a in range(rows.size):
        end = start[rows[a] + 1]
        begin[a] = first_at_least(cell_item, start[rows[a]], end, wanted[a])
        size[a] = first_at_least(cell_item, begin[a], end, wanted[a] + 1) - begin[a]


def own_cells(
    store: Store, record: NDArray[np.int64], item: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32]]:
    """Look up the cells (record, item) of a release; of several the first.

    Parameters
    ----------
    record : int64 array, shape (A,)
        −1 for none.
    item : int32 array, shape (A,)
        −1 for none.

    Returns
    -------
    held : bool array, shape (A,)
    level, day : int32 arrays, shape (A,)
        Codes; 0 where the record does not hold the item.
    """
    held = np.zeros(record.size, np.bool_)
    level, day = np.zeros(record.size, np.int32), np.zeros(record.size, np.int32)
    for block, facts, begin, size in _found(store, record, item):
        some = size > 0
        here, at = facts[some], begin[some]
        held[here], level[here], day[here] = True, block.record_level[at], block.record_day[at]
    return held, level, day


def all_own_cells(store: Store, record: NDArray[np.int64], item: NDArray[np.int32]) -> OwnCells:
    """Look up all cells (record, item) of a release.

    Parameters
    ----------
    record, item : see `own_cells`
    """
    sizes = np.zeros(record.size, np.int64)
    found = list(_found(store, record, item))
    for _, facts, _, size in found:
        sizes[facts] = size
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    level, day = np.empty(start[-1], np.int32), np.empty(start[-1], np.int32)
    for block, facts, begin, size in found:
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        to, at = np.repeat(start[facts], size) + within, np.repeat(begin, size) + within
        level[to], day[to] = block.record_level[at], block.record_day[at]
    return OwnCells(start, level, day)


def _found(
    store: Store, record: NDArray[np.int64], item: NDArray[np.int32]
) -> Iterator[tuple[Block, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Of each block the facts whose records it holds, where their cells begin, and how many."""
    where = np.flatnonzero((record >= 0) & (item >= 0))
    blocks = record[where] // store.manifest.block_records
    for index in np.unique(blocks).tolist():
        facts, block = where[blocks == index], store.block(index)
        begin, size = np.empty(facts.size, np.int64), np.empty(facts.size, np.int64)
        _find(
            record[facts] - block.first, item[facts], block.record_start, block.record_item, begin,
            size,
        )  # fmt: skip
        yield block, facts, begin, size


def items_of(store: Store, record: int) -> NDArray[np.int32]:
    """The item of each of a record's cells, ascending."""
    block = store.block(record // store.manifest.block_records)
    row = record - block.first
    return block.record_item[block.record_start[row] : block.record_start[row + 1]]
