"""Counts the cells of a target in which each record of a block agrees with it.

Invariant: within the requested words, a counter's tally and bit planes add up to the number of
agreeing cells, regardless of earlier contents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.measurements.neighbours.bit_counters import WORD, count_sets
from sim.measurements.neighbours.bounds import MetricKind
from sim.numeric.compiled import njit

_U = np.uint64  # unsigned indices need no check for wrap-around
_AGREEMENT = int(MetricKind.AGREEMENT)


class QueryBlock(NamedTuple):
    """The block that holds some targets, record by record; fields as in `Block`."""

    first: int
    start: NDArray[np.int64]
    item: NDArray[np.int32]
    level: NDArray[Any]
    day: NDArray[np.uint16]


class Counter(NamedTuple):
    """A count per place of an index: rare items in a tally, bitmaps in bit-sliced counters.

    Parameters
    ----------
    tally : unsigned array, shape (words * 64,)
    planes, pending : uint64 arrays, shape (B, words)
    scratch : uint64 array, shape (3, words)
    full : bool array, shape (B,)
        See `count_sets`.
    asked : int64 array
        Bitmaps to count, at most one for each cell of a target.
    """

    tally: NDArray[Any]
    planes: NDArray[np.uint64]
    pending: NDArray[np.uint64]
    scratch: NDArray[np.uint64]
    full: NDArray[np.bool_]
    asked: NDArray[np.int64]


def make_counter(block_records: int, longest: int) -> Counter:
    """Return a counter for targets of up to `longest` cells and blocks of up to `block_records`.

    Examples
    --------
    >>> make_counter(100, 70_000).tally.dtype  # up to 70,000 cells may agree
    dtype('uint32')
    """
    words, bits = -(-block_records // WORD), longest.bit_length()
    return Counter(
        np.zeros(words * WORD, np.uint16 if longest < 1 << 16 else np.uint32),
        np.zeros((bits, words), np.uint64),
        np.zeros((bits, words), np.uint64),
        np.zeros((3, words), np.uint64),
        np.zeros(bits, np.bool_),
        np.zeros(longest, np.int64),
    )


@njit
def count_uses(queries, rows, rule, uses):  # type: ignore[no-untyped-def]
    """Count the cells of some targets that ask for each item and range of levels.

    Parameters
    ----------
    rows : int64 array, shape (t,)
        Records, minus `queries.first`.
    uses : int64 array, shape (M * n_ranges,)
        Added to.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sim.measurements.neighbours.metric import PRESENCE, match_rule
    >>> facts = SimpleNamespace(n_days=0, missing_days=3)
    >>> rule = match_rule(PRESENCE, SimpleNamespace(scale=np.empty(0), manifest=facts))
    >>> item, level, day = np.array([0, 2, 2]), np.zeros(3, np.uint8), np.zeros(3, np.uint16)
    >>> uses = np.zeros(3, np.int64)
    >>> queries = QueryBlock(0, np.array([0, 2, 3]), item, level, day)
    >>> count_uses(queries, np.array([0, 1]), rule, uses)
    >>> uses.tolist()
    [1, 0, 2]
    """
    for row in rows:
        for k in range(queries.start[row], queries.start[row + 1]):
            asked = _class(queries, k, rule, False)
            if asked >= 0:
                uses[asked] += 1
            if rule.kind == _AGREEMENT:
                uses[_class(queries, k, rule, True)] += 1


@njit
def count_agreeing(queries, row, index, rule, bare, begin, end, counter):  # type: ignore[no-untyped-def]
    """Count, for each record of a block, the cells in which it agrees with a target.

    Parameters
    ----------
    row : int
        The target, minus `queries.first`.
    bare : bool
        Ignore the target's values and days, so that items in common are counted.
    begin, end : int
        Words to count in.
    counter : Counter
        Written.

    Returns
    -------
    levels : int
        See `agreeing`.
    """
    counter.tally[begin * WORD : end * WORD] = 0
    n_sets = 0
    for k in range(queries.start[row], queries.start[row + 1]):
        item = np.int64(queries.item[k])
        if index.item.size:
            item = _first_from(index.item, 0, index.item.size, item)
            if item == index.item.size or index.item[item] != queries.item[k]:
                continue
        first, last = index.start[item], index.start[item + 1]
        if first == last:
            continue
        asked = _class(queries, k, rule, bare)
        if asked >= 0 and index.set_of.size and index.set_of[asked] >= 0:
            counter.asked[n_sets] = index.set_of[asked]
            n_sets += 1
            continue
        level = rule.no_value if bare else np.int64(queries.level[k])
        low, high = rule.low[level], rule.high[level]
        if asked < 0:
            day = np.int64(queries.day[k])
            if rule.undated:
                undated = _first_from(index.day, first, last, rule.no_day)
                _count(index, undated, last, low, high, rule.no_value, counter.tally)
                last = undated
            first = _first_from(index.day, first, last, day - rule.reach)
            last = _first_from(index.day, first, last, day + rule.reach + 1)
        _count(index, first, last, low, high, rule.no_value, counter.tally)
    return count_sets(
        index.sets, counter.asked, n_sets, begin, end,
        counter.planes, counter.pending, counter.scratch, counter.full,
    )  # fmt: skip


@njit
def agreeing(counter, levels, place):  # type: ignore[no-untyped-def]
    """Read a counter.

    Parameters
    ----------
    levels : int
        What `count_agreeing` returned.

    Examples
    --------
    >>> counter = make_counter(1, longest=3)
    >>> counter.tally[0], counter.planes[1, 0] = 1, 1
    >>> agreeing(counter, 2, 0)
    3
    """
    count = np.int64(counter.tally[place])
    for b in range(levels):
        count += np.int64((counter.planes[b, place >> 6] >> _U(place & 63)) & _U(1)) << b
    return count


@njit
def _class(queries, k, rule, bare):  # type: ignore[no-untyped-def]
    """Item and range of levels that a cell asks for; −1 if it asks for days as well."""
    level = rule.no_value if bare else np.int64(queries.level[k])
    if rule.reach >= 0 and not bare and queries.day[k] != rule.no_day:
        return np.int64(-1)
    return queries.item[k] * rule.n_ranges + rule.range_of[level]


@njit
def _first_from(day, begin, end, limit):  # type: ignore[no-untyped-def]
    """Return the first of the ascending days, or items, [begin, end) that is not before `limit`."""
    while begin < end:
        middle = (begin + end) >> 1
        if day[middle] < limit:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit
def _count(index, begin, end, low, high, no_value, tally):  # type: ignore[no-untyped-def]
    """Count the holders [begin, end) whose level is in [low, high], or missing."""
    if low == 0 and high == no_value:
        for q in range(_U(begin), _U(end)):
            tally[index.place[q]] += 1
    else:
        for q in range(_U(begin), _U(end)):
            level = index.level[q]
            tally[index.place[q]] += (low <= level <= high) | (level == no_value)
