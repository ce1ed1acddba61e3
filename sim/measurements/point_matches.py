"""How many records hold all of some points; see `sim.measurements.points`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.target_cells import first_at_least, gallop
from sim.measurements.points import BlockPoints, Ints
from sim.numeric.bits import WORD, has_bit, popcount, set_bits
from sim.numeric.compiled import njit

_ONE = np.uint64(1)
FIRST = 1024
"""Records of a point that are compared first: most sets of points are held by enough of these."""

_FREQUENT = 64
"""One record in so many holds a frequent point: its bits take at most four times its list."""


class FrequentPoints(NamedTuple):
    """The records of a block that hold each frequent point, a bit each.

    Parameters
    ----------
    place : int64 array, shape (n_points,)
        Row of `bits`; −1 for a point that few records hold.
    bits : uint64 array, shape (n_frequent, words)
    """

    place: Ints
    bits: NDArray[np.uint64]

    @classmethod
    def of(cls, block: BlockPoints, n_records: int) -> FrequentPoints:
        """Mark the records of the frequent points of a block.

        Examples
        --------
        >>> points = BlockPoints(0, np.array([5]), np.array([0, 2]), np.array([0, 3], np.uint16))
        >>> FrequentPoints.of(points, 4).bits
        array([[9]], dtype=uint64)
        """
        often = np.diff(block.start) * _FREQUENT >= n_records
        place = np.where(often, np.cumsum(often) - 1, -1)
        bits = np.zeros((int(often.sum()), -(-n_records // WORD)), np.uint64)
        _mark(place, block.start, block.row, bits)
        return cls(place, bits)


class PointRuns(NamedTuple):
    """Where the points of each run of 2^s numbers begin, so that one is found among a few.

    Parameters
    ----------
    shift : int
    begin : int64 array, shape (runs + 1,)
    """

    shift: int
    begin: Ints

    @classmethod
    def of(cls, block: BlockPoints) -> PointRuns:
        """Cut the points of a block into runs of about two each.

        Examples
        --------
        >>> points = np.array([5, 9, 12, 14])
        >>> PointRuns.of(BlockPoints(0, points, np.arange(5), np.zeros(4, np.uint16)))
        PointRuns(shift=3, begin=array([0, 1, 4]))
        """
        most = int(block.point[-1]) if block.point.size else 0
        shift = (most // max(block.point.size // 2, 1)).bit_length()
        begins = np.arange((most >> shift) + 2, dtype=np.int64) << shift
        return cls(shift, np.searchsorted(block.point, begins))


@njit
def _mark(place, start, row, bits):  # type: ignore[no-untyped-def]
    for at in range(place.size):
        if place[at] >= 0:
            set_bits(row, start[at], start[at + 1], bits[place[at]])


@njit
def _keep_common(some, n, values, low, high):  # type: ignore[no-untyped-def]
    """Keep those of the first n of `some` that stand in values[low:high]; return their number."""
    kept = 0
    if high - low < n:
        at = 0
        for k in range(low, high):
            at = gallop(some, at, n, values[k])
            if at == n:
                break
            if some[at] == values[k]:
                some[kept] = values[k]  # kept <= at: what lies before has been compared
                kept += 1
        return kept
    for k in range(n):
        low = gallop(values, low, high, some[k])
        if low == high:
            break
        if values[low] == some[k]:
            some[kept] = some[k]
            kept += 1
    return kept


@njit
def _keep_marked(some, n, bits):  # type: ignore[no-untyped-def]
    """Keep those of the first n of `some` that have a bit; return their number."""
    kept = 0
    for k in range(n):
        some[kept] = some[k]
        kept += has_bit(bits, some[k])
    return kept


@njit
def _list_marked(bits, some):  # type: ignore[no-untyped-def]
    """List the bits that are set; return their number."""
    n = 0
    for w in range(bits.size):
        word, at = bits[w], w * WORD
        while word != 0:
            some[n] = at
            n += word & _ONE
            word, at = word >> _ONE, at + 1
    return n


@njit
def count_matches(points, block, runs, frequent, counts):  # type: ignore[no-untyped-def]
    """Add the records of a block that hold the first 1, 2, … of each target's points.

    The records that hold all of several frequent points are kept as bits, until they are few.

    Parameters
    ----------
    points : int64 array, shape (T, P)
        −1: no more.
    block : BlockPoints
    runs : PointRuns
    frequent : FrequentPoints
    counts : int64 array, shape (T, P)
        Added to.
    """
    index_point, start, row = block.point, block.start, block.row
    place, held = frequent.place, frequent.bits
    common, some = np.empty(held.shape[1], np.uint64), np.empty(held.shape[1] * WORD, row.dtype)
    few = some.size // _FREQUENT
    for t in range(points.shape[0]):
        n, marked = 0, False  # in `some`; or in `common`
        for p in range(points.shape[1]):
            wanted = points[t, p]
            if wanted < 0:
                break
            run = wanted >> runs.shift
            if run + 1 >= runs.begin.size:
                break
            stop = runs.begin[run + 1]
            at = first_at_least(index_point, runs.begin[run], stop, wanted)
            if at == stop or index_point[at] != wanted:
                break
            low, high, bits = start[at], start[at + 1], place[at]
            if p == 0:
                n, marked = high - low, bits >= 0
                if marked:
                    common[:] = held[bits]
                else:
                    some[:n] = row[low:high]
            elif marked and bits >= 0:
                n = _keep_both(common, held[bits])
            elif marked:
                n, marked = high - low, False
                some[:n] = row[low:high]
                n = _keep_marked(some, n, common)
            elif bits >= 0:
                n = _keep_marked(some, n, held[bits])
            else:
                n = _keep_common(some, n, row, low, high)
            if n == 0:
                break
            counts[t, p] += n
            if marked and n <= few:
                _list_marked(common, some)
                marked = False


def sizes_of(blocks: Sequence[BlockPoints], points: Ints) -> Ints:
    """Number of records of the whole release that hold each of some points, shape (n,)."""
    total = np.zeros(points.size, np.int64)
    for block in blocks:
        begin, end = _ranges(block, points)
        total += end - begin
    return total


def records_of(blocks: Sequence[BlockPoints], points: Ints) -> tuple[Ints, NDArray[np.int32]]:
    """Records of the whole release that hold each of some points.

    Returns
    -------
    start : int64 array, shape (n + 1,)
    record : int32 array, shape (start[n],)
        Ascending for each point.
    """
    start = np.append(0, np.cumsum(sizes_of(blocks, points)))
    record, free = np.empty(start[-1], np.int32), start[:-1].copy()
    for block in blocks:
        _copy_rows(*_ranges(block, points), block.row, block.first, free, record)
    return start, record


@njit
def _copy_rows(begin, end, row, first, free, record):  # type: ignore[no-untyped-def]
    """Copy a range of rows to each place that is free, which moves on."""
    for at in range(begin.size):
        for k in range(begin[at], end[at]):
            record[free[at]] = first + np.int64(row[k])
            free[at] += 1


def _ranges(block: BlockPoints, points: Ints) -> tuple[Ints, Ints]:
    """Begin and end of each point's rows in a block; the same where it has none."""
    at = np.searchsorted(block.point, points)
    has = at < block.point.size
    has[has] = block.point[at[has]] == points[has]
    begin = block.start[at]
    return begin, np.where(has, block.start[at + has], begin)


@njit
def fewest_matches(cost, group, start, record, n_records, facts, first=FIRST):  # type: ignore[no-untyped-def]
    """The fewest records that hold all of any of one record's points worth 1, 2, … facts.

    Parameters
    ----------
    cost : int64 array, shape (n,)
        Facts that each point takes: 1, or k for the k-th repeat of one.
    group : int64 array, shape (n,)
        Points of one group are repeats of one; one of them at most is taken.
    start, record : arrays
        Of `records_of`; fastest with the rarest points first.
    n_records : int
        In the release.
    facts : int
        In 1 … 3.
    first : int
        Records of a point that are compared first; changes nothing but the time.

    Returns
    -------
    int64 array, shape (facts,)
        At least 1, as the record itself holds them.

    Examples
    --------
    Of records 0, 1 and 2, two hold each point, but only record 0 both.

    >>> one, two = np.ones(2, int), np.arange(2)
    >>> fewest_matches(one, two, np.array([0, 2, 4]), np.array([0, 1, 0, 2], np.int32), 3, 2)
    array([2, 1])
    """
    n, best = cost.size, np.full(facts, n_records + 1)
    for i in range(n):
        for f in range(cost[i], facts + 1):
            best[f - 1] = min(best[f - 1], start[i + 1] - start[i])
    if facts == 1:
        return best
    # A bit for each point that a record holds.
    held = np.zeros((n_records, (n + WORD - 1) // WORD), np.uint64)
    for j in range(n):
        for k in range(start[j], start[j + 1]):
            held[record[k], j // WORD] |= _ONE << np.uint64(j % WORD)
    least = _hold_all(held, n)  # whatever is known: none of these can be told from the others
    for i in range(n):
        if best[1] == least:
            break
        if cost[i] >= facts:
            continue
        own = record[start[i] : start[i + 1]]
        some, others = own[:first], own[first:]
        both, holders = _holders(i, some, held, n)
        for j in range(i + 1, n):
            most = best[min(cost[i] + cost[j], facts) - 1]  # the least of more facts is no more
            if group[j] == group[i] or cost[i] + cost[j] > facts or both[j] >= most:
                continue
            number = both[j] + _count_in(others, held, j, j, most - both[j])
            for f in range(cost[i] + cost[j], facts + 1):
                best[f - 1] = min(best[f - 1], number)
        if facts > 2 and best[2] > least and cost[i] == 1:
            of_i = both, holders, others
            best[2] = _fewest_of_three(i, cost, group, of_i, held, some.size, best[2], least)
    return best


@njit
def _count_in(records, held, j, k, most):  # type: ignore[no-untyped-def]
    """Number of records that hold points j and k, or `most` if it is not below that."""
    total = 0
    of_j, of_k = _ONE << np.uint64(j % WORD), _ONE << np.uint64(k % WORD)
    for record in records:
        holds_j = held[record, j // WORD] & of_j
        total += (holds_j != 0) & ((held[record, k // WORD] & of_k) != 0)
        if total >= most:
            break
    return total


@njit
def _hold_all(held, n):  # type: ignore[no-untyped-def]
    """Number of records that hold all of n points."""
    total = 0
    for r in range(held.shape[0]):
        number = np.uint64(0)
        for w in range(held.shape[1]):
            number += popcount(held[r, w])
        total += np.int64(number) == n
    return total


@njit
def _holders(i, own, held, n):  # type: ignore[no-untyped-def]
    """Which of point i's records hold each later point, a bit each, and their numbers."""
    words, first = (own.size + WORD - 1) // WORD, (i + 1) // WORD
    both, holders = np.zeros(n, np.int64), np.zeros((n, words), np.uint64)
    square = np.empty(WORD, np.uint64)
    for v in range(first, held.shape[1]):
        for w in range(words):
            here = min(WORD, own.size - w * WORD)
            for k in range(here):
                square[k] = held[own[w * WORD + k], v]
            square[here:] = 0
            _transpose(square)
            for j in range(max(i + 1, v * WORD), min(n, (v + 1) * WORD)):
                holders[j, w] = square[j - v * WORD]
                both[j] += np.int64(popcount(square[j - v * WORD]))
    return both, holders


@njit
def _transpose(square):  # type: ignore[no-untyped-def]
    """Exchange bit c of word r for bit r of word c, halves at a time: 64 × 64 bits."""
    size, low = WORD // 2, np.uint64(0xFFFFFFFF)
    while size > 0:
        shift = np.uint64(size)
        for begin in range(0, WORD, 2 * size):
            for r in range(begin, begin + size):
                moved = ((square[r] >> shift) ^ square[r + size]) & low
                square[r] ^= moved << shift
                square[r + size] ^= moved
        size //= 2
        low ^= low << np.uint64(size)


@njit
def _fewest_of_three(i, cost, group, of_i, held, n_first, best, least):  # type: ignore[no-untyped-def]
    """Fewest records that hold point i and two later ones, all a fact each; at most `best`."""
    both, holders, others = of_i
    for j in range(i + 1, cost.size):
        if cost[j] > 1 or group[j] == group[i]:
            continue
        for k in range(i + 1, j):
            if cost[k] == 1 and group[k] != group[i] and group[k] != group[j]:
                if both[j] + both[k] - n_first >= best:
                    continue  # as many of the first records hold both at least
                number = _count_both(holders[j], holders[k], best)
                if number < best:
                    best = number + _count_in(others, held, j, k, best - number)
        if best == least:
            break
    return best


@njit
def _count_both(one, other, most):  # type: ignore[no-untyped-def]
    """Bits that are set in both, or at least `most` if they are not fewer."""
    total = np.int64(0)
    for w in range(one.size):
        total += np.int64(popcount(one[w] & other[w]))
        if total >= most:
            break
    return total


@njit
def _keep_both(one, other):  # type: ignore[no-untyped-def]
    """Keep the bits of `one` that are set in both; return their number."""
    total = np.uint64(0)
    for w in range(one.size):
        one[w] &= other[w]
        total += popcount(one[w])
    return np.int64(total)
