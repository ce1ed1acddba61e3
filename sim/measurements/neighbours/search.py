"""Searches one block for each target's nearest record.

The search counts the cells in which every record of the block agrees with the target, and compares
only records that may be nearer than the nearest so far. Records are sorted by length, so those of
a possible length form a range, and the agreement they need hardly varies within a word of 64.

Invariant: the result is a function of the target, the block and the nearest record so far.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.measurements.neighbours.agreement import agreeing, count_agreeing
from sim.measurements.neighbours.bit_counters import WORD, at_least
from sim.measurements.neighbours.bounds import (
    MetricKind,
    is_nearer,
    min_agreement,
    possible_lengths,
)
from sim.numeric.compiled import njit

_U = np.uint64  # unsigned indices need no check for wrap-around
_AGREEMENT = int(MetricKind.AGREEMENT)


class Found(NamedTuple):
    """The nearest record so far of each target; all int64 arrays, shape (n,); see `Nearest`."""

    record: NDArray[np.int64]
    agree: NDArray[np.int64]
    union: NDArray[np.int64]


@njit
def search(queries, rows, slot, index, rule, agree, common, found):  # type: ignore[no-untyped-def]
    """Search a block for records nearer than those found so far.

    Parameters
    ----------
    rows : int64 array, shape (t,)
        Targets, minus `queries.first`.
    slot : int64 array, shape (t,)
        Place of each target in `found`.
    index : BlockIndex
        The block to search.
    agree, common : Counter
        Scratch space to count agreeing cells and items in common.
    found : Found
        Changed in place.
    """
    best = np.empty(3, np.int64)
    for t in range(rows.size):
        row, f = rows[t], slot[t]
        items = queries.item[queries.start[row] : queries.start[row + 1]]
        best[0], best[1], best[2] = found.record[f], found.agree[f], found.union[f]
        _try_lowest(queries.first + row, items, index, rule.kind, best)
        if best[0] < 0:
            continue  # the block holds the target alone
        shortest, longest = possible_lengths(rule.kind, items.size, best)
        begin = np.searchsorted(index.length, shortest) // WORD
        end = -(-np.searchsorted(index.length, longest, side="right") // WORD)
        if begin < end:
            levels = count_agreeing(queries, row, index, rule, False, begin, end, agree)
            depth = levels
            if rule.kind == _AGREEMENT:
                depth = count_agreeing(queries, row, index, rule, True, begin, end, common)
            _filter(
                queries.first + row, items.size, index, rule.kind,
                (agree, levels), (common, depth), begin, end, best,
            )  # fmt: skip
        found.record[f], found.agree[f], found.union[f] = best[0], best[1], best[2]


@njit
def _try_lowest(target, items, index, kind, best):  # type: ignore[no-untyped-def]
    """Compare the block's first record, as if none of its values and days agreed.

    If some do, the search meets it again. So there is always a best to compare with, and it is the
    lowest record where no record agrees anywhere.
    """
    row = 1 if target == index.first else 0
    if row < index.length.size:
        others = index.record_item[index.record_start[row] : index.record_start[row + 1]]
        overlap = _overlap(items, others)
        agree = 0 if kind == _AGREEMENT else overlap
        union = items.size + others.size - overlap
        if is_nearer(kind, agree, union, index.first + row, best):
            best[0], best[1], best[2] = index.first + row, agree, union


@njit
def _overlap(one, other):  # type: ignore[no-untyped-def]
    """Count the items that two ascending lists have in common."""
    i = j = common = 0
    while i < one.size and j < other.size:
        common += one[i] == other[j]
        i, j = i + (one[i] <= other[j]), j + (one[i] >= other[j])
    return common


@njit
def _filter(  # type: ignore[no-untyped-def]
    target, length, index, kind, agreed, shared, begin, end, best
):
    """Pass over words [begin, end), and compare only records that may be nearer than the best."""
    agree, levels = agreed
    common, depth = shared
    # Go from the target's own length upwards, then downwards: the best often has a similar length.
    middle = min(max(np.searchsorted(index.length, length) // WORD, begin), end)
    for step in range(end - begin):
        w = middle + step
        if w >= end:
            w = middle - 1 - (w - end)
        at = w * WORD
        needed = min_agreement(kind, length, index.length[at], best)
        if needed > length:
            continue
        likely = at_least(agree.planes, levels, w, needed - _greatest(agree.tally, at))
        while likely:
            while not likely & _U(0xFF):
                likely >>= _U(8)
                at += 8
            if likely & _U(1) and at < index.length.size:
                cells = agreeing(agree, levels, at)
                items = agreeing(common, depth, at) if kind == _AGREEMENT else cells
                union = length + index.length[at] - items
                record = index.first + index.row[at]
                if record != target and is_nearer(kind, cells, union, record, best):
                    best[0], best[1], best[2] = record, cells, union
            likely >>= _U(1)
            at += 1


@njit
def _greatest(tally, at):  # type: ignore[no-untyped-def]
    """Return the greatest count of a word."""
    most = tally[at]
    for k in range(_U(at), _U(at + WORD)):
        most = max(most, tally[k])
    return np.int64(most)
