"""How many records hold all of some points; see `sim.measurements.points`."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.target_cells import first_at_least, gallop
from sim.measurements.points import BlockPoints, Ints

_BITS, _ONE = 64, np.uint64(1)
_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@numba.njit(cache=True, nogil=True)
def _keep_common(some, n, values, low, high):  # type: ignore[no-untyped-def]
    """Keep those of the first n of `some` that stand in values[low:high]; return their number."""
    kept = 0
    for k in range(n):
        low = gallop(values, low, high, some[k])
        if low == high:
            break
        if values[low] == some[k]:
            some[kept] = some[k]
            kept += 1
    return kept


@numba.njit(cache=True, nogil=True)
def count_matches(points, index_point, start, row, common, counts):  # type: ignore[no-untyped-def]
    """Add the records of a block that hold the first 1, 2, … of each target's points.

    Parameters
    ----------
    points : int64 array, shape (T, P)
        −1: no more.
    index_point, start, row : arrays
        Of `sim.measurements.points.BlockPoints`.
    common : row array
        Memory for a block's records.
    counts : int64 array, shape (T, P)
        Added to.
    """
    for t in range(points.shape[0]):
        n = -1  # not in `common` yet
        for p in range(points.shape[1]):
            wanted = points[t, p]
            if wanted < 0:
                break
            at = first_at_least(index_point, 0, index_point.size, wanted)
            if at == index_point.size or index_point[at] != wanted:
                break
            begin, end = start[at], start[at + 1]
            if p == 0:
                first, last = begin, end
                counts[t, p] += end - begin
                continue
            if n < 0:  # the shorter of the first two lists is looked up in the longer
                if end - begin < last - first:
                    first, last, begin, end = begin, end, first, last
                n = last - first
                common[:n] = row[first:last]
            n = _keep_common(common, n, row, begin, end)
            if n == 0:
                break
            counts[t, p] += n


def records_of(blocks: Sequence[BlockPoints], points: Ints) -> tuple[Ints, NDArray[np.int32]]:
    """Records of the whole release that hold each of some points.

    Returns
    -------
    start : int64 array, shape (n + 1,)
    record : int32 array, shape (start[n],)
        Ascending for each point.
    """
    found = [np.searchsorted(block.point, points) for block in blocks]
    sizes = np.zeros(points.size, np.int64)
    ranges = []
    for block, at in zip(blocks, found, strict=True):
        inside = at < block.point.size
        at = np.where(inside, at, 0)
        has = inside & (block.point[at] == points) if block.point.size else inside
        begin = block.start[at]
        size = np.where(has, block.start[at + 1] - begin, 0) if block.point.size else sizes * 0
        ranges.append((begin, size))
        sizes += size
    start = np.concatenate([[0], np.cumsum(sizes)])
    record = np.empty(start[-1], np.int32)
    free = start[:-1].copy()
    for block, (begin, size) in zip(blocks, ranges, strict=True):
        within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        to = np.repeat(free, size) + within
        record[to] = block.row[np.repeat(begin, size) + within].astype(np.int64) + block.first
        free += size
    return start, record


@numba.njit(cache=True, nogil=True)
def fewest_matches(cost, group, start, record, facts):  # type: ignore[no-untyped-def]
    """The fewest records that hold all of any of one record's points worth some facts.

    Parameters
    ----------
    cost : int64 array, shape (n,)
        Facts that each point takes: 1, or k for the k-th repeat of one.
    group : int64 array, shape (n,)
        Points of one group are repeats of one; one of them at most is taken.
    start, record : arrays
        Of `records_of`, the points with few records first.
    facts : int
        In 1 … 3.

    Returns
    -------
    n : int
        At least 1, as the record itself holds them.

    Examples
    --------
    Of records 0, 1 and 2, two hold each point, but only record 0 both.

    >>> one, two = np.ones(2, int), np.arange(2)
    >>> fewest_matches(one, two, np.array([0, 2, 4]), np.array([0, 1, 0, 2]), 1)
    2
    >>> fewest_matches(one, two, np.array([0, 2, 4]), np.array([0, 1, 0, 2]), 2)
    1
    """
    n, best = cost.size, record.size + 1
    for i in range(n):
        own = record[start[i] : start[i + 1]]
        if cost[i] > facts:
            continue
        best = min(best, own.size)
        if best == 1:
            break
        # Which of the first point's records hold each other point, a bit each.
        holders = np.zeros((n, (own.size + _BITS - 1) // _BITS), np.uint64)
        for j in range(i + 1, n):
            if cost[i] + cost[j] > facts or group[j] == group[i]:
                continue
            best = min(best, _mark_common(own, record, start[j], start[j + 1], holders[j]))
            for k in range(i + 1, j):
                if (
                    cost[i] + cost[j] + cost[k] <= facts
                    and group[k] != group[i]
                    and group[k] != group[j]
                ):
                    best = min(best, _count_both(holders[j], holders[k]))
            if best == 1:
                return best
    return best


@numba.njit(cache=True, nogil=True)
def _mark_common(some, values, low, high, bits):  # type: ignore[no-untyped-def]
    """Set the bits of those of `some` that stand in values[low:high]; return their number."""
    marked = 0
    if high - low < some.size:
        at = 0
        for k in range(low, high):
            at = gallop(some, at, some.size, values[k])
            if at == some.size:
                break
            if some[at] == values[k]:
                bits[at // _BITS] |= _ONE << np.uint64(at % _BITS)
                marked += 1
        return marked
    for at in range(some.size):
        low = gallop(values, low, high, some[at])
        if low == high:
            break
        if values[low] == some[at]:
            bits[at // _BITS] |= _ONE << np.uint64(at % _BITS)
            marked += 1
    return marked


@numba.njit(cache=True, nogil=True)
def _count_both(one, other):  # type: ignore[no-untyped-def]
    """Bits that are set in both."""
    total = np.uint64(0)
    for w in range(one.size):
        # Sums of ever wider fields of bits, which compilers know as a population count.
        x = one[w] & other[w]
        x -= (x >> _ONE) & _ODD
        x = (x & _PAIRS) + ((x >> np.uint64(2)) & _PAIRS)
        x = (x + (x >> np.uint64(4))) & _NIBBLES
        total += (x * _BYTES) >> np.uint64(56)
    return np.int64(total)
