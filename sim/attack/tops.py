"""The highest two scores, kept as scores are made or afterwards.

Invariant: whatever order scores are shown in, the same is kept: highest and second-highest score
with multiplicity, how many have the highest, the lowest row of these.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np

from sim.attack.lanes import (
    ALL,
    WIDTH,
    at_least,
    between,
    first_of,
    lane,
    load,
    more,
    negative,
    number_of,
    rest_of,
    spread,
    store,
)

LEAST = 5e-324
"""The least score above 0."""

_U = np.uint64
_ALL, _WIDTH, _LAST = np.uint8(ALL), _U(WIDTH), _U(WIDTH - 1)


@numba.njit(cache=True, nogil=True, inline="always")
def none_yet(candidates):  # type: ignore[no-untyped-def]
    """Keep nothing but that all candidates score 0."""
    return 0.0, 0.0 if candidates > 1 else -np.inf, _U(0), candidates


@numba.njit(cache=True, nogil=True, inline="always")
def rise(row, old, new, tops):  # type: ignore[no-untyped-def]
    """Keep the highest two scores, once a record's score rose from old to new."""
    best, second, best_row, ties = tops
    if new >= second:
        if new > best:
            if old != best or ties > 1:
                second = best
            best, best_row, ties = new, row, 1
        elif new == best:
            if old != best:
                ties += 1
                second = best
                best_row = min(row, best_row)
        else:
            second = new
    return best, second, best_row, ties


@numba.njit(cache=True, nogil=True, inline="always")
def _look_at(r, those, score, first, own, clear, low, tops, counts):  # type: ignore[no-untyped-def]
    touched, at_or_above, above = counts
    s = load(score, r, those)
    if clear is not None:
        store(score, r, those, spread(-0.0))
    touched += number_of(those) - number_of(negative(s, those))
    at_or_above += number_of(at_least(s, own, those))
    above += number_of(more(s, own, those))
    high = at_least(s, low, those)
    if high:
        while high:
            j = first_of(high)
            high = rest_of(high)
            tops = rise(first + r + _U(j), 0.0, lane(s, j), tops)
        low = spread(max(tops[1], LEAST))
    return low, tops, (touched, at_or_above, above)


@numba.njit(cache=True, nogil=True)
def look(score, n, first, own, clear, tops, counts):  # type: ignore[no-untyped-def]
    """Look through the first n scores, of the rows from `first` on, each shown for the first time.

    Counts are of the rows touched, scoring at least own, scoring more. Unless `clear` is None, all
    are untouched (−0.0) afterwards.
    """
    own, low, n = spread(own), spread(max(tops[1], LEAST)), _U(n)
    whole = n & ~_LAST
    for r in range(_U(0), whole, _WIDTH):
        low, tops, counts = _look_at(r, _ALL, score, first, own, clear, low, tops, counts)
    if whole < n:
        those = between(whole, whole, n)
        low, tops, counts = _look_at(whole, those, score, first, own, clear, low, tops, counts)
    return tops, counts
