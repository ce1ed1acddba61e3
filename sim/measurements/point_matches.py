"""How many records hold all of some points; see `sim.measurements.points`."""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from sim.measurements.points import BlockPoints, Ints

NO_LIMIT = np.iinfo(np.int64).max


@numba.njit(cache=True, nogil=True)
def _place(values, low, high, wanted):  # type: ignore[no-untyped-def]
    """First place in [low, high) of an ascending array with at least the wanted value."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@numba.njit(cache=True, nogil=True)
def _gallop(values, low, high, wanted):  # type: ignore[no-untyped-def]
    """As `_place`, if the place is near `low`."""
    step = 1
    while low + step < high and values[low + step] < wanted:
        low += step
        step *= 2
    return _place(values, low, min(low + step + 1, high), wanted)


@numba.njit(cache=True, nogil=True)
def _keep_common(some, n, values, low, high):  # type: ignore[no-untyped-def]
    """Keep those of the first n of `some` that stand in values[low:high]; return their number."""
    kept = 0
    for k in range(n):
        low = _gallop(values, low, high, some[k])
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
        n = -1  # all records
        for p in range(points.shape[1]):
            wanted = points[t, p]
            if wanted < 0:
                break
            at = _place(index_point, 0, index_point.size, wanted)
            if at == index_point.size or index_point[at] != wanted:
                break
            low, high = start[at], start[at + 1]
            if n < 0:
                n = high - low
                common[:n] = row[low:high]
            else:
                n = _keep_common(common, n, row, low, high)
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
    n = cost.size
    longest = 0
    for i in range(n):
        longest = max(longest, start[i + 1] - start[i])
    pair, triple = np.empty(longest, record.dtype), np.empty(longest, record.dtype)
    best = record.size + 1
    for i in range(n):
        size = start[i + 1] - start[i]
        if cost[i] > facts:
            continue
        best = min(best, size)
        if best == 1:
            return best
        for j in range(i + 1, n):
            if cost[i] + cost[j] > facts or group[j] == group[i]:
                continue
            pair[:size] = record[start[i] : start[i + 1]]
            two = _keep_common(pair, size, record, start[j], start[j + 1])
            best = min(best, two)
            if best == 1:
                return best
            for k in range(j + 1, n):
                if cost[i] + cost[j] + cost[k] > facts or group[k] == group[i]:
                    continue
                if group[k] == group[j]:
                    continue
                triple[:two] = pair[:two]
                best = min(best, _keep_common(triple, two, record, start[k], start[k + 1]))
                if best == 1:
                    return best
    return best
