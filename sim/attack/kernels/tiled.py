"""Scores of a few thousand records at a time, made fact by fact.

The scores of a *tile* of records stay in the processor's nearest cache while every fact adds to
them. The postings of an item lie in the order of their records, so each fact goes on where it
stopped at the tile before.

Invariant: a record's contributions are added in the order of the facts. Sums of a fact's
contributions go to the lane of the posting's place in the block. So neither the tiles nor what else
is asked for change a bit.

Untouched records hold −0.0: adding +0.0 makes it +0.0, so the sign bit tells whether a record
shares an item with the aux even where the similarity is zero.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np

from sim.attack.kernels.lanes import (
    ALL,
    WIDTH,
    add_signs,
    added_up,
    at_least,
    below,
    between,
    more,
    number_of,
    spread,
)
from sim.attack.kernels.moving import append, gather, load, scatter, store
from sim.attack.kernels.numeric import uncounted
from sim.attack.kernels.postings import gains_of, place_of, read_ahead, read_on, table_of

TILE = 3072
"""Records of a tile: their scores take 24 KiB."""

_FIRST = 192  # records of the first tile, which knows nothing yet of how high scores are
_U = np.uint64
_ALL, _NONE, _ONE, _WIDTH, _LAST = np.uint8(ALL), _U(0), _U(1), _U(WIDTH), _U(WIDTH - 1)
_LINE = _U(63)


@numba.njit(cache=True, nogil=True, inline="always")
def tile_end(first, n):  # type: ignore[no-untyped-def]
    """Where the tile that begins at record `first` of n ends."""
    return min(first + min(max(_FIRST, 3 * first), TILE), n)


@numba.njit(cache=True, nogil=True)
def most_of(start):  # type: ignore[no-untyped-def]
    """Most facts of an aux set, or cuts of a scan."""
    most = 0
    for u in range(start.size - 1):
        most = max(most, start[u + 1] - start[u])
    return most


@numba.njit(cache=True, nogil=True)
def start_walk(  # type: ignore[no-untyped-def]
    begin_fact, end_fact, item, item_start, item_row, item_level, item_day, gone, walk
):
    """Be where each fact's postings begin; know where the removed record's is, and the end."""
    for a in range(begin_fact, end_fact):
        i, j = item[a], a - begin_fact
        walk[:, j] = 0
        if i >= 0:
            begin, end = _U(item_start[i]), _U(item_start[i + 1])
            hole = place_of(item_row, begin, end, gone) if gone >= 0 else end
            walk[0, j], walk[1, j], walk[2, j] = begin, hole, end
            read_ahead(begin, end, item_row, item_level, item_day)


@numba.njit(cache=True, nogil=True, inline="always")
def _take_eight(  # type: ignore[no-untyped-def]
    k, those, item_row, item_level, item_day, add, mul, day_table, plus, times, days,
    score, first, fence, hot, state,
):  # fmt: skip
    """Add those of the postings [k, k + 8) that a mask names."""
    row = load(item_row, k, those)
    gain = gains_of(
        add, mul, day_table, plus, times, days, item_level, item_day, k, those
    )  # fmt: skip
    old = gather(score, first, row, those)
    new = old + gain
    scatter(score, first, row, those, new)
    if hot is None:
        return state
    sums, squares, touched, n_hot = state
    high = at_least(new, fence, those)
    if high:
        high = more(fence, old, high)
        append(hot, n_hot, high, row)
        n_hot += _U(number_of(high))
    return sums + gain, squares + gain * (old + new), add_signs(touched, old), n_hot


@numba.njit(cache=True, nogil=True, inline="always")
def _take(  # type: ignore[no-untyped-def]
    begin, end, limit, item_row, item_level, item_day, add, mul, day_table, plus, times, days,
    score, first, fence, hot, state,
):  # fmt: skip
    """Add the postings from `begin` on, to `end` or to the first of a row that is not below limit.

    Says where it stopped.
    """
    k = begin & ~_LAST
    while begin < end:
        if k == begin:
            while k + _WIDTH <= end and item_row[k + _LAST] < limit:
                if k & _LINE == 0:
                    read_on(k, item_row, item_level, item_day)
                state = _take_eight(
                    k, _ALL, item_row, item_level, item_day, add, mul, day_table, plus, times, days,
                    score, first, fence, hot, state,
                )  # fmt: skip
                k += _WIDTH
            begin = k
            if begin == end:
                break
        if k & _LINE == 0:
            read_on(k, item_row, item_level, item_day)
        those = between(k, begin, end)
        those = below(load(item_row, k, those), limit, those)
        state = _take_eight(
            k, those, item_row, item_level, item_day, add, mul, day_table, plus, times, days,
            score, first, fence, hot, state,
        )  # fmt: skip
        begin += _U(number_of(those))
        k += _WIDTH
        if begin < k:
            break
    return begin, state


@numba.njit(cache=True, nogil=True, inline="always")
def _walk_on(  # type: ignore[no-untyped-def]
    a, j, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
    score, first, walk, fence, hot, state,
):  # fmt: skip
    """Add fact `a`, the j-th, to the records from `first` to `limit`, but the removed one."""
    plus, times, days = table_of(add, a), table_of(mul, a), _NONE - _U(day_offset[a])
    at, stop, end = walk[0, j], walk[1, j], walk[2, j]
    walks = True
    while walks:
        at, state = _take(
            at, stop, limit, item_row, item_level, item_day, add, mul, day_table,
            plus, times, days, score, first, fence, hot, state,
        )  # fmt: skip
        walks = at == stop and stop < end
        if walks:  # pass over the removed record
            at, stop = at + _ONE, end
    walk[0, j], walk[1, j] = at, stop
    return state


@numba.njit(cache=True, nogil=True, inline="always")
def take_fact(  # type: ignore[no-untyped-def]
    a, begin_fact, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
    score, first, walk, sums, fence, hot, touched, n_hot,
):  # fmt: skip
    """Add what fact `a` contributes to the records from `first` to `limit`, but the removed one.

    Appends to `hot` the rows that come to score at least `fence`. Returns how many rows have been
    touched, and how many are in `hot`.
    """
    place = _U((a - begin_fact) * 2 * WIDTH)
    state = load(sums, place, _ALL), load(sums, place + _WIDTH, _ALL), touched, n_hot
    state = _walk_on(
        a, a - begin_fact, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
        score, first, walk, spread(fence), hot, state,
    )  # fmt: skip
    store(sums, place, state[0])
    store(sums, place + _WIDTH, state[1])
    return state[2], state[3]


@uncounted
def add_fact(  # type: ignore[no-untyped-def]
    a, begin_fact, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
    score, first, walk,
):  # fmt: skip
    """As `take_fact`, with nothing summed, listed or counted."""
    _walk_on(
        a, a - begin_fact, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
        score, first, walk, None, None, 0,
    )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def sums_of(n_facts, sums):  # type: ignore[no-untyped-def]
    """Sum of the first facts' contributions, and of the squares of the scores they make."""
    total, squares = spread(0.0), spread(0.0)
    for j in range(n_facts):
        total = total + load(sums, _U(j * 2 * WIDTH), _ALL)
        squares = squares + load(sums, _U((j * 2 + 1) * WIDTH), _ALL)
    return added_up(total), added_up(squares)
