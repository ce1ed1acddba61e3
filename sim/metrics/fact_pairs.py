"""The highest risk of each record by two facts at once, where the release is small enough.

The facts are without error: with errors there would be as many pairs as there are errors of both.
So the risk is exact where the adversary makes no errors, and otherwise that of some of the facts
that may be drawn, which are about two different items then.

Invariant: a pair that was not looked at is never taken for one that leaves no risk.
"""

from __future__ import annotations

import functools

import numpy as np

from sim.adversary.knowledge import Draw
from sim.adversary.tolerance import FREE, Tolerance
from sim.metrics.single_facts import Floats, item_cells, items_known
from sim.numeric.bits import popcount
from sim.numeric.compiled import njit
from sim.release.store.store import Store

MAX_STEPS = 2_000_000_000
"""The most work for which pairs are looked at: cells, and words of 64 records compared."""

MAX_LIKELY = 1 << 27
"""The most probabilities that are kept: of each fact about a record, one for every record."""


def steps_of_pairs(store: Store) -> float:
    """Return the work of comparing the records that fit two facts, for all pairs of a release.

    Every cell is compared with all of its item, and every pair of cells of a record by words of 64
    records.
    """
    cells = np.asarray(store.cells, np.float64)
    length = np.asarray(store.length, np.float64)
    words = -(-store.manifest.n_records // 64)
    return float((cells * cells).sum() + (length * (length + 1)).sum() / 2 * words)


def are_same_item(tolerance: Tolerance, draw: Draw) -> bool:
    """Whether pairs are looked at that are about one item, which a record has several times."""
    return draw == "cells" and tolerance.is_exact and not tolerance.blanks


def fact_pairs(store: Store, tolerance: Tolerance, draw: Draw, chance: Floats) -> Floats | None:
    """Return the highest risk of each record by a pair of facts without error about it.

    Those about one item are among them if `are_same_item`.

    Parameters
    ----------
    draw : as for `sim.metrics.single_facts.single_facts`
    chance : float64 array, shape (n_records,)
        As for it, of two certain facts. See `share_of_pair`.

    Returns
    -------
    float64 array, shape (n_records,), or None
        0 for a record without two facts; None: the release has too many pairs.
    """
    longest, n = int(store.length.max(initial=0)), store.manifest.n_records
    if steps_of_pairs(store) > MAX_STEPS or longest * n > MAX_LIKELY:
        return None
    return _fact_pairs(store, tolerance, draw, chance.tobytes())


def share_of_pair(one: Floats) -> Floats:
    """Return the chance of two certain facts by that of one: of n, two are one of C(n, 2).

    Examples
    --------
    >>> share_of_pair(np.array([1 / 3, 1, 0])).round(6)
    array([0.333333, 0.      , 0.      ])
    """
    some: Floats = np.where((one > 0) & (one < 1), 2 * one * one / np.maximum(1 - one, one), 0.0)
    return some


@functools.lru_cache(maxsize=8)
def _fact_pairs(store: Store, tolerance: Tolerance, draw: Draw, chance: bytes) -> Floats:
    n = store.manifest.n_records
    found = np.zeros(n)
    known = items_known(store, tolerance)
    if not known.size:
        return found
    (every,) = item_cells(store, np.arange(store.manifest.n_items), store.manifest.n_cells + 1)
    is_known = np.zeros(store.manifest.n_items, np.bool_)
    is_known[known] = True
    part = np.frombuffer(chance)
    # The largest parts first, so that most pairs are seen to be no rare ones soon.
    order = np.argsort(-part, kind="stable")
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    chances = tolerance.chances
    weights = part, part[order], place
    limits = chances, tolerance.days, tolerance.blanks, store.manifest.n_days
    exact = np.array(tolerance.exact)
    cells = every.start, every.record, every.level, every.day
    repeats = store.manifest.has_repeats
    # Kept where a fact is likelier of one record that fits it than of another of the same length.
    width = n if repeats or np.unique(chances[chances > 0]).size > 1 else 0
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        own = block.record_start, block.record_item, block.record_level, block.record_day
        of_one = repeats and are_same_item(tolerance, draw)
        how = width, repeats and draw == "items", of_one
        _raise(own, block.first, cells, is_known, exact, weights, how, limits, found)
    return found


@njit
def _raise(own, first, cells, is_known, exact, weights, how, limits, found):  # type: ignore[no-untyped-def]
    """Raise the risks of the records of a block that are counted."""
    start, item, level, day = own
    part, in_order, place = weights
    width, by_item, of_one = how
    longest = 0
    for r in range(start.size - 1):
        longest = max(longest, start[r + 1] - start[r])
    masks = np.zeros((longest, (part.size + 63) // 64), np.uint64)
    likely = np.empty((longest, width))
    kept = np.empty(longest, np.int64)
    for r in range(start.size - 1):
        if part[first + r] == 0:
            continue
        n = 0
        for k in range(start[r], start[r + 1]):
            if is_known[item[k]]:
                kept[n] = k
                masks[n] = 0
                fact = np.int64(item[k]), exact[level[k]], np.int64(day[k])
                _mark(masks[n], likely[n], fact, cells, part, place, by_item, limits)
                n += 1
        risk, at = found[first + r], place[first + r]
        for a in range(n):
            for b in range(a + 1, n):
                k, m, again = kept[a], kept[b], 0.0
                if item[k] == item[m]:
                    if not of_one:
                        continue
                    # The same fact twice is of two cells; two that differ have no cell in common.
                    same_day = limits[1] == FREE or day[k] == day[m]
                    again = 1.0 if same_day and exact[level[k]] == exact[level[m]] else 0.0
                mine = part[first + r]
                if width:
                    mine *= likely[a, at] * (likely[b, at] - again)
                enough = np.inf if risk == 0 else mine / risk
                both = masks[a], masks[b], likely[a], likely[b], again
                whole = _sum(both, in_order, enough)
                if 0 < whole < enough:
                    risk = mine / whole
        found[first + r] = risk


@njit
def _mark(mask, likely, fact, cells, part, place, by_item, limits):  # type: ignore[no-untyped-def]
    """Set the bits of the records that fit a fact without error, at their places in the order.

    ``likely`` gets the probabilities of the fact about them, if it has a place for each.
    """
    item, value, day = fact
    begin, record, level, other_day = cells
    chances, days, blanks, none = limits
    k = begin[item]
    while k < begin[item + 1]:
        r, chance, times = record[k], 0.0, 0
        while k < begin[item + 1] and record[k] == r:
            if days == FREE or other_day[k] == none:
                near = days == FREE or day == none or blanks
            else:
                near = day != none and abs(np.int64(other_day[k]) - day) <= days
            if near:
                chance += chances[value, level[k]]
            times += 1
            k += 1
        if chance > 0 and part[r] > 0:
            at = place[r]
            mask[at >> 6] |= np.uint64(1) << np.uint64(at & 63)
            if likely.size:
                likely[at] = chance / times if by_item else chance


@njit
def _sum(pair, in_order, enough):  # type: ignore[no-untyped-def]
    """Sum the probabilities of two facts over the records in both masks, until it is enough."""
    first, second, one, other, again = pair
    whole = 0.0
    for w in range(first.size):
        both = first[w] & second[w]
        while both:
            rest = both & (both - np.uint64(1))
            at = 64 * w + np.int64(popcount((both ^ rest) - np.uint64(1)))
            whole += in_order[at] * (one[at] * (other[at] - again) if one.size else 1.0)
            both = rest
        if whole >= enough:
            break
    return whole
