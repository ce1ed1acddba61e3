"""The highest risk of each record by two facts at once, where the release is small enough.

The facts are without error, about two different items: with errors there would be as many pairs as
there are errors of both. So the risk is exact where the adversary makes no errors, and otherwise
that of some of the facts that may be drawn.

Invariant: a pair that was not looked at is never taken for one that leaves no risk.
"""

from __future__ import annotations

import functools

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Draw
from sim.adversary.targets import items_in_window
from sim.adversary.tolerance import FREE, Tolerance
from sim.metrics.single_facts import Floats, item_cells, items_known
from sim.numeric.bits import popcount
from sim.release.store.store import Store

MAX_STEPS = 2_000_000_000
"""The most work for which pairs are looked at: cells, and words of 64 records compared."""

_ROUNDING = 1e-12


def steps_of_pairs(store: Store) -> float:
    """Return the work of comparing the records that fit two facts, for all pairs of a release.

    Every cell is compared with all of its item, and every pair of cells of a record by words of 64
    records.
    """
    cells = np.asarray(store.cells, np.float64)
    length = np.asarray(store.length, np.float64)
    words = -(-store.manifest.n_records // 64)
    return float((cells * cells).sum() + (length * (length + 1)).sum() / 2 * words)


def fact_pairs(
    store: Store, tolerance: Tolerance, draw: Draw, counted: NDArray[np.bool_]
) -> Floats | None:
    """Return the highest risk of each record by a pair of facts without error about it.

    Parameters
    ----------
    draw, counted : as for `sim.metrics.single_facts.single_facts`

    Returns
    -------
    float64 array, shape (n_records,), or None
        0 for a record without two items; None: the release has too many pairs.
    """
    if steps_of_pairs(store) > MAX_STEPS:
        return None
    return _fact_pairs(store, tolerance, draw, np.packbits(counted).tobytes())


@functools.lru_cache(maxsize=8)
def _fact_pairs(store: Store, tolerance: Tolerance, draw: Draw, counted: bytes) -> Floats:
    n = store.manifest.n_records
    found = np.zeros(n)
    known = items_known(store, tolerance)
    if not known.size:
        return found
    (every,) = item_cells(store, np.arange(store.manifest.n_items), store.manifest.n_cells + 1)
    is_known = np.zeros(store.manifest.n_items, np.bool_)
    is_known[known] = True
    size = items_in_window(store, tolerance.window, draw=draw).astype(np.float64)
    is_counted = np.unpackbits(np.frombuffer(counted, np.uint8), count=n).astype(np.bool_)
    part = np.where(is_counted & (size > 1), 2 / np.maximum(size * (size - 1), 1), 0.0)
    # The largest parts first, so that most pairs are seen to be no rare ones soon.
    order = np.argsort(-part, kind="stable")
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    # Without error, a fact has the value of its cell; where none are known there is but one fact.
    chances = tolerance.chances
    if not tolerance.knows_values:
        chances = chances.repeat(chances.shape[1], axis=0)
    weights = part, part[order], place
    limits = chances, tolerance.days, tolerance.blanks, store.manifest.n_days
    cells = every.start, every.record, every.level, every.day
    repeats, some = store.manifest.has_repeats, chances[chances > 0]
    by_item = repeats and draw == "items"
    # By how much a record's own chance may be larger than those of the others that fit.
    slack = (some.max() / some.min()) ** 2
    if by_item:
        slack *= float(_most_times(every.start, every.record)) ** 2
    how = slack, by_item, repeats or slack > 1
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        own = block.record_start, block.record_item, block.record_level, block.record_day
        _raise(own, block.first, cells, is_known, weights, how, limits, found)
    return found


@numba.njit(cache=True, nogil=True)
def _most_times(start, record):  # type: ignore[no-untyped-def]
    """Cells of the record and the item that have the most of each other."""
    most = 1
    for a in range(start.size - 1):
        times = 1
        for k in range(start[a] + 1, start[a + 1]):
            times = times + 1 if record[k] == record[k - 1] else 1
            most = max(most, times)
    return most


@numba.njit(cache=True, nogil=True)
def _raise(own, first, cells, is_known, weights, how, limits, found):  # type: ignore[no-untyped-def]
    """Raise the risks of the records of a block that are counted."""
    start, item, level, day = own
    part, in_order, place = weights
    slack, by_item, differ = how
    longest = 0
    for r in range(start.size - 1):
        longest = max(longest, start[r + 1] - start[r])
    masks = np.zeros((longest, (part.size + 63) // 64), np.uint64)
    kept, times = np.empty(longest, np.int64), np.ones(longest)
    for r in range(start.size - 1):
        mine = part[first + r]
        if mine == 0:
            continue
        n = 0
        for k in range(start[r], start[r + 1]):
            if is_known[item[k]]:
                kept[n] = k
                masks[n] = 0
                fact = np.int64(item[k]), np.int64(level[k]), np.int64(day[k])
                _mark(masks[n], fact, cells, part, place, limits)
                n += 1
        for a in range(n if differ and not by_item else 0):
            times[a] = 0
            for b in range(n):
                times[a] += item[kept[a]] == item[kept[b]]
        risk = found[first + r]
        for a in range(n):
            for b in range(a + 1, n):
                k, m = kept[a], kept[b]
                if item[k] == item[m]:
                    continue
                most = mine * slack * times[a] * times[b]
                enough = np.inf if risk == 0 else most / risk * (1 - _ROUNDING)
                whole = _sum(masks[a], masks[b], in_order, enough)
                if whole >= enough:
                    continue
                if differ:
                    one = np.int64(item[k]), np.int64(level[k]), np.int64(day[k])
                    other = np.int64(item[m]), np.int64(level[m]), np.int64(day[m])
                    risk = max(risk, _share(first + r, one, other, cells, part, by_item, limits))
                else:
                    risk = max(risk, mine / whole)
        found[first + r] = risk


@numba.njit(cache=True, nogil=True)
def _chance(fact, k, cells, limits):  # type: ignore[no-untyped-def]
    """Return the probability of a fact without error about a cell; 0 where it does not fit."""
    _, level, day = fact
    _, _, other_level, other_day = cells
    chances, days, blanks, none = limits
    if days == FREE or other_day[k] == none:
        near = days == FREE or day == none or blanks
    else:
        near = day != none and abs(np.int64(other_day[k]) - day) <= days
    return chances[level, other_level[k]] if near else 0.0


@numba.njit(cache=True, nogil=True)
def _mark(mask, fact, cells, part, place, limits):  # type: ignore[no-untyped-def]
    """Set the bits of the records that fit a fact, at their places in the order."""
    begin, record = cells[0], cells[1]
    for k in range(begin[fact[0]], begin[fact[0] + 1]):
        if part[record[k]] > 0 and _chance(fact, k, cells, limits) > 0:
            at = place[record[k]]
            mask[at >> 6] |= np.uint64(1) << np.uint64(at & 63)


@numba.njit(cache=True, nogil=True)
def _sum(first, second, in_order, enough):  # type: ignore[no-untyped-def]
    """Sum the parts of the records in both masks, until it is enough."""
    whole = 0.0
    for w in range(first.size):
        both = first[w] & second[w]
        while both:
            rest = both & (both - np.uint64(1))
            whole += in_order[64 * w + np.int64(popcount((both ^ rest) - np.uint64(1)))]
            both = rest
        if whole >= enough:
            break
    return whole


@numba.njit(cache=True, nogil=True)
def _share(record, one, other, cells, part, by_item, limits):  # type: ignore[no-untyped-def]
    """Return how likely a record is, of all that fit two facts."""
    begin, whose = cells[0], cells[1]
    k, m = begin[one[0]], begin[other[0]]
    mine, whole = 0.0, 0.0
    while k < begin[one[0] + 1] and m < begin[other[0] + 1]:
        r = min(whose[k], whose[m])
        is_both = whose[k] == whose[m]
        first, k = _sum_of_record(r, one, k, cells, by_item, limits)
        second, m = _sum_of_record(r, other, m, cells, by_item, limits)
        if is_both:
            both = part[r] * first * second
            whole += both
            if r == record:
                mine = both
    return mine / whole


@numba.njit(cache=True, nogil=True)
def _sum_of_record(record, fact, k, cells, by_item, limits):  # type: ignore[no-untyped-def]
    """Sum the probabilities of a fact about the cells of a record; return where the next begin."""
    begin, whose = cells[0], cells[1]
    found, times = 0.0, 0
    while k < begin[fact[0] + 1] and whose[k] == record:
        found += _chance(fact, k, cells, limits)
        times += 1
        k += 1
    return (found / times if by_item and times else found), k
