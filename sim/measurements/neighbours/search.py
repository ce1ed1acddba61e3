"""The search: each target's nearest record in one block.

Count in how many cells every record of the block agrees with the target, and compare only those
that may be nearer than the nearest so far. Records are in order of length, so that those of a
possible length are a range, and the agreement they need is nearly the same in a word of 64.

Invariant: what is found is a function of the target, the block and what was known.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.measurements.neighbours.agreement import agreeing, count_agreeing
from sim.measurements.neighbours.bounds import Kind, is_nearer, least_agreement, possible_lengths
from sim.measurements.neighbours.layers import WORD, at_least

_U = np.uint64  # unsigned indices need no check for wrap-around
_AGREEMENT = int(Kind.AGREEMENT)


class Found(NamedTuple):
    """The nearest record so far of each target; all int64 arrays, shape (n,); see `Nearest`."""

    record: NDArray[np.int64]
    agree: NDArray[np.int64]
    union: NDArray[np.int64]


@njit(cache=True, nogil=True)
def search(home, rows, slot, face, rule, agree, common, found):  # type: ignore[no-untyped-def]
    """Look through a block for records nearer than those found so far.

    Parameters
    ----------
    rows : int64 array, shape (t,)
        Targets, minus `home.first`.
    slot : int64 array, shape (t,)
        Place of each target in `found`.
    face : Face
        The block to look through.
    agree, common : Counter
        Room to count agreeing cells and items in common.
    found : Found
        Changed in place.
    """
    best = np.empty(3, np.int64)
    for t in range(rows.size):
        row, f = rows[t], slot[t]
        items = home.item[home.start[row] : home.start[row + 1]]
        best[0], best[1], best[2] = found.record[f], found.agree[f], found.union[f]
        _try_lowest(home.first + row, items, face, rule.kind, best)
        if best[0] < 0:
            continue  # the block holds the target alone
        shortest, longest = possible_lengths(rule.kind, items.size, best)
        begin = np.searchsorted(face.length, shortest) // WORD
        end = -(-np.searchsorted(face.length, longest, side="right") // WORD)
        if begin < end:
            levels = count_agreeing(home, row, face, rule, False, begin, end, agree)
            depth = levels
            if rule.kind == _AGREEMENT:
                depth = count_agreeing(home, row, face, rule, True, begin, end, common)
            _sift(
                home.first + row, items.size, face, rule.kind,
                (agree, levels), (common, depth), begin, end, best,
            )  # fmt: skip
        found.record[f], found.agree[f], found.union[f] = best[0], best[1], best[2]


@njit(cache=True, nogil=True)
def _try_lowest(target, items, face, kind, best):  # type: ignore[no-untyped-def]
    """Compare the block's first record, as if none of its values and days agreed.

    If some do, it will be met again. So there is a best to measure others by, and it is the lowest
    record where all agree nowhere.
    """
    row = 1 if target == face.first else 0
    if row < face.length.size:
        others = face.record_item[face.record_start[row] : face.record_start[row + 1]]
        overlap = _overlap(items, others)
        agree = 0 if kind == _AGREEMENT else overlap
        union = items.size + others.size - overlap
        if is_nearer(kind, agree, union, face.first + row, best):
            best[0], best[1], best[2] = face.first + row, agree, union


@njit(cache=True, nogil=True)
def _overlap(one, other):  # type: ignore[no-untyped-def]
    """How many items two ascending lists have in common."""
    i = j = common = 0
    while i < one.size and j < other.size:
        common += one[i] == other[j]
        i, j = i + (one[i] <= other[j]), j + (one[i] >= other[j])
    return common


@njit(cache=True, nogil=True)
def _sift(  # type: ignore[no-untyped-def]
    target, length, face, kind, agreed, shared, begin, end, best
):
    """Compare the records of words [begin, end) that may be nearer than the best."""
    agree, levels = agreed
    common, depth = shared
    # From the target's own length upwards, then downwards: the best is often of similar length.
    middle = min(max(np.searchsorted(face.length, length) // WORD, begin), end)
    for step in range(end - begin):
        w = middle + step
        if w >= end:
            w = middle - 1 - (w - end)
        at = w * WORD
        needed = least_agreement(kind, length, face.length[at], best)
        if needed > length:
            continue
        likely = at_least(agree.planes, levels, w, needed - _greatest(agree.tally, at))
        while likely:
            while not likely & _U(0xFF):
                likely >>= _U(8)
                at += 8
            if likely & _U(1) and at < face.length.size:
                cells = agreeing(agree, levels, at)
                items = agreeing(common, depth, at) if kind == _AGREEMENT else cells
                union = length + face.length[at] - items
                record = face.first + face.row[at]
                if record != target and is_nearer(kind, cells, union, record, best):
                    best[0], best[1], best[2] = record, cells, union
            likely >>= _U(1)
            at += 1


@njit(cache=True, nogil=True)
def _greatest(tally, at):  # type: ignore[no-untyped-def]
    """The greatest count of a word."""
    most = tally[at]
    for k in range(_U(at), _U(at + WORD)):
        most = max(most, tally[k])
    return np.int64(most)
