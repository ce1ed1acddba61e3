"""The fewest records that fit two facts at once, where the release is small enough to count them.

The facts are without error, about two different items: with errors there would be as many pairs as
there are errors of both. So the count is exact where the adversary makes no errors, and otherwise
that of some of the facts that may be drawn.

Invariant: a pair that is not counted is never taken for one that many records fit.
"""

from __future__ import annotations

import functools

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.tolerance import FREE, Tolerance
from sim.metrics.fitting_records import NONE, Ints, item_cells, items_known
from sim.numeric.bits import popcount
from sim.release.store.store import Store

MAX_STEPS = 2_000_000_000
"""The most work for which pairs are counted: cells looked at and words of 64 records compared."""


def steps_of_pairs(store: Store) -> float:
    """Return the work of counting the records that fit two facts, for all pairs of a release.

    Every cell is compared with all of its item, and every pair of cells of a record by words of 64
    records.
    """
    cells = np.asarray(store.cells, np.float64)
    length = np.asarray(store.length, np.float64)
    words = -(-store.manifest.n_records // 64)
    return float((cells * cells).sum() + (length * (length + 1)).sum() / 2 * words)


def fitting_pairs(store: Store, tolerance: Tolerance, counted: NDArray[np.bool_]) -> Ints | None:
    """Count the fewest records that fit a pair of facts without error about each record.

    Parameters
    ----------
    counted : bool array, shape (n_records,)
        As for `sim.metrics.fitting_records.fitting_records`.

    Returns
    -------
    int64 array, shape (n_records,), or None
        `NONE` for a record without two items; None: the release has too many pairs.
    """
    if steps_of_pairs(store) > MAX_STEPS:
        return None
    return _pairs(store, tolerance, np.packbits(counted).tobytes())


@functools.lru_cache(maxsize=8)
def _pairs(store: Store, tolerance: Tolerance, counted: bytes) -> Ints:
    n = store.manifest.n_records
    found = np.full(n, NONE, np.int64)
    known = items_known(store, tolerance)
    if not known.size:
        return found
    (every,) = item_cells(store, np.arange(store.manifest.n_items), store.manifest.n_cells + 1)
    is_known = np.zeros(store.manifest.n_items, np.bool_)
    is_known[known] = True
    is_counted = np.unpackbits(np.frombuffer(counted, np.uint8), count=n).astype(np.bool_)
    # Without error, a fact has the value of its cell; where none are known there is but one fact.
    fits = tolerance.fits
    if not tolerance.knows_values:
        fits = fits.repeat(fits.shape[1], axis=0)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        own = block.record_start, block.record_item, block.record_level, block.record_day
        cells = every.start, every.record, every.level, every.day
        limits = fits, tolerance.days, tolerance.blanks, store.manifest.n_days
        _count_pairs(own, block.first, cells, is_known, is_counted, limits, found)
    return found


@numba.njit(cache=True, nogil=True)
def _count_pairs(own, first, cells, is_known, is_counted, limits, found):  # type: ignore[no-untyped-def]
    """Lower the counts of the records of a block that are counted."""
    start, item, level, day = own
    longest = 0
    for r in range(start.size - 1):
        longest = max(longest, start[r + 1] - start[r])
    masks = np.zeros((longest, (is_counted.size + 63) // 64), np.uint64)
    of_item = np.empty(longest, np.int64)
    for r in range(start.size - 1):
        if not is_counted[first + r]:
            continue
        n = 0
        for k in range(start[r], start[r + 1]):
            if is_known[item[k]]:
                of_item[n] = item[k]
                masks[n] = 0
                fact = np.int64(item[k]), np.int64(level[k]), np.int64(day[k])
                _mark(masks[n], fact, cells, is_counted, limits)
                n += 1
        fewest = found[first + r]
        for a in range(n):
            for b in range(a + 1, n):
                if of_item[a] != of_item[b]:
                    fewest = min(fewest, _in_both(masks[a], masks[b]))
        found[first + r] = fewest


@numba.njit(cache=True, nogil=True)
def _mark(mask, fact, cells, is_counted, limits):  # type: ignore[no-untyped-def]
    """Set the bits of the records that fit a fact without error."""
    item, level, day = fact
    begin, record, other_level, other_day = cells
    fits, days, blanks, none = limits
    for k in range(begin[item], begin[item + 1]):
        if days == FREE or other_day[k] == none:
            near = days == FREE or day == none or blanks
        else:
            near = day != none and abs(np.int64(other_day[k]) - day) <= days
        if near and fits[level, other_level[k]] and is_counted[record[k]]:
            mask[record[k] >> 6] |= np.uint64(1) << np.uint64(record[k] & 63)


@numba.njit(cache=True, nogil=True)
def _in_both(first, second):  # type: ignore[no-untyped-def]
    n = np.int64(0)
    for w in range(first.size):
        n += np.int64(popcount(first[w] & second[w]))
    return n
