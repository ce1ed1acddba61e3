"""Reading an item's postings: what one contributes, where a record's lies, fetching them in time.

Invariant: contributions are made of the tables of `sim.attack.scan.Gains` by the same arithmetic
whichever loop asks for them.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np
from numba import types
from numba.extending import overload

from sim.attack.numeric import prefetch

_U = np.uint64
_ONE, _TWO = _U(1), _U(2)
_LINE, _HALF = _U(64), _U(32)  # postings in a cache line of levels; of rows or days
_AHEAD = _U(512)
"""Postings fetched ahead: an item has too few for the processor to find the pattern by itself."""


def gain_of(plus, times, level, days, day):  # type: ignore[no-untyped-def]
    """Contribution of a posting; `times` is a number, or a table by level."""


@overload(gain_of, inline="always")
def _gain_of(plus, times, level, days, day):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(times, types.Float):
        return lambda plus, times, level, days, day: plus[_U(level)] + times * days[_U(day)]
    return lambda plus, times, level, days, day: plus[_U(level)] + times[_U(level)] * days[_U(day)]


@numba.njit(cache=True, nogil=True)
def is_uniform(times):  # type: ignore[no-untyped-def]
    """Whether a table by level is the same at every level."""
    same = True
    for number in times:
        same = same and number == times[0]
    return same


@numba.njit(cache=True, nogil=True)
def removed(absent, target, first, n):  # type: ignore[no-untyped-def]
    """Row of the removed record in the block of records [first, first + n); −1 if not there."""
    return target - first if absent and first <= target < first + n else -1


@numba.njit(cache=True, nogil=True)
def place_of(item_row, begin, end, row):  # type: ignore[no-untyped-def]
    """Where in the postings [begin, end) of an item a row is; `end` if nowhere."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // _TWO
        if item_row[middle] < row:
            low = middle + _ONE
        else:
            high = middle
    return low if low < end and item_row[low] == row else end


@numba.njit(cache=True, nogil=True, inline="always")
def _fetch(k, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    prefetch(item_level, k)
    prefetch(item_row, k)
    prefetch(item_row, k + _HALF)
    prefetch(item_day, k)
    prefetch(item_day, k + _HALF)


@numba.njit(cache=True, nogil=True, inline="always")
def read_on(k, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    """Fetch the 64 postings that come some way after k."""
    _fetch(k + _AHEAD, item_row, item_level, item_day)


@numba.njit(cache=True, nogil=True)
def read_ahead(begin, end, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    """Fetch the first postings of the item that comes next."""
    for k in range(begin, min(end, begin + _AHEAD), _LINE):
        _fetch(k, item_row, item_level, item_day)


@numba.njit(cache=True, nogil=True)
def _scatter_run(  # type: ignore[no-untyped-def]
    begin, end, item_row, item_level, item_day, plus, times, days, score
):
    for step in range(begin, end, _LINE):
        read_on(step, item_row, item_level, item_day)
        for k in range(step, min(step + _LINE, end)):
            score[_U(item_row[k])] += gain_of(plus, times, item_level[k], days, item_day[k])


@numba.njit(cache=True, nogil=True)
def scatter(  # type: ignore[no-untyped-def]
    begin, end, item_row, item_level, item_day, plus, times, days, score
):
    """Add the contributions of postings [begin, end) to their records, and nothing else."""
    if not is_uniform(times):
        _scatter_run(begin, end, item_row, item_level, item_day, plus, times, days, score)
    else:
        _scatter_run(begin, end, item_row, item_level, item_day, plus, times[0], days, score)
