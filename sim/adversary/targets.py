"""Eligible records, and the targets drawn from them (spec §2)."""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from sim.adversary.filters import Filter, RecordCells, kept
from sim.adversary.knowledge import Draw, Window
from sim.errors import GridError
from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, words
from sim.release.store.store import Store

_RECORDS_AT_A_TIME = 1 << 20


@njit
def _count(record_start, record_item, rank, window, kept, once, out):  # type: ignore[no-untyped-def]
    low, high = window
    for r in range(record_start.size - 1):
        n, last = 0, -1
        for k in range(record_start[r], record_start[r + 1]):
            item = record_item[k]
            if once and item == last:
                continue
            if low <= rank[item] < high and (kept.size == 0 or kept[k]):
                n += 1
                last = item
        out[r] = n


@functools.lru_cache(maxsize=8)
def items_in_window(
    store: Store, window: Window, filters: tuple[Filter, ...] = (), draw: Draw = "cells"
) -> NDArray[np.int32]:
    """Number of cells of each record whose item's rank lies in the window and that are kept.

    Parameters
    ----------
    draw : {"cells", "items"}
        Count these cells, or the items that they are of.

    Returns
    -------
    int32 array, shape (n_records,)
    """
    if window == Window() and not filters:
        return store.length if draw == "cells" else store.items_held
    high = store.manifest.n_items if window.high is None else window.high
    counts = np.empty(store.manifest.n_records, np.int32)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        out = counts[block.first : block.first + block.n_records]
        passes = np.empty(0, np.bool_)
        if filters:
            passes = kept(store, filters, RecordCells.of(block))
        ranks = window.low, high
        once = draw == "items"
        _count(block.record_start, block.record_item, store.rank, ranks, passes, once, out)
    return counts


def draw_targets(eligible: NDArray[np.bool_], n: int | None, seed: int) -> NDArray[np.int64]:
    """Draw targets uniformly without replacement from the eligible records.

    Each record has one key per seed and those with the smallest keys are taken, so grid cells
    with different eligible records still share as many targets as they can.

    Parameters
    ----------
    eligible : bool array, shape (n_records,)
    n : int or None
        How many; None is all. Fewer are returned if fewer are eligible.

    Returns
    -------
    int64 array
        Record numbers, ascending.

    Examples
    --------
    >>> few = draw_targets(np.ones(100, bool), 5, seed=1)
    >>> set(few) <= set(draw_targets(np.ones(100, bool), 10, seed=1))
    True
    """
    if n is None or n >= np.count_nonzero(eligible):
        return np.flatnonzero(eligible)
    if n == 0:
        return np.empty(0, np.int64)
    first, keys = np.empty(0, np.int64), np.empty(0, np.uint64)
    most = np.uint64(2**64 - 1)
    for begin in range(0, eligible.size, _RECORDS_AT_A_TIME):
        some = begin + np.flatnonzero(eligible[begin : begin + _RECORDS_AT_A_TIME])
        key = words(seed, Purpose.TARGET, some)
        first, keys = (np.concatenate([a, b[key <= most]]) for a, b in ((first, some), (keys, key)))
        if keys.size > n:
            most = np.partition(keys, n - 1)[n - 1]
            first, keys = first[keys <= most], keys[keys <= most]
    chosen: NDArray[np.int64] = np.sort(first[np.lexsort((first, keys))[:n]])
    return chosen


def check_removal(store: Store, present: bool) -> None:
    """Check that the release is not empty once a target's record is removed.

    Parameters
    ----------
    present : bool
        Whether the targets' records stay in the release.

    Raises
    ------
    GridError
        The release holds one record only.
    """
    if not present and store.manifest.n_records == 1:
        raise GridError(
            "removing the target leaves no record to attack, as the release holds only one"
        )
