"""Reading an item's postings: what one contributes, where a record's lies, fetching them in time.

Invariant: contributions are made of the tables of `sim.attack.scan.Gains` by the same arithmetic
whichever loop asks for them.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np
from numba.extending import overload

from sim.attack.lanes import Lanes, gather, load, spread
from sim.attack.numeric import prefetch

_U = np.uint64
_NONE, _ONE, _TWO = _U(0), _U(1), _U(2)
_LINE, _HALF = _U(64), _U(32)  # postings in a cache line of levels; of rows or days
_AHEAD = _U(256)
"""Postings fetched ahead: an item has too few for the processor to find the pattern by itself."""


def times_of(mul, a):  # type: ignore[no-untyped-def]
    """Weight of fact a's days, if it is the same at all levels; else where its table begins."""


@overload(times_of, inline="always")
def _times_of(mul, a):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if mul.ndim == 1:
        return lambda mul, a: spread(mul[a])
    return lambda mul, a: before(mul, a)


@numba.njit(cache=True, nogil=True, inline="always")
def before(table, a):  # type: ignore[no-untyped-def]
    """How many numbers of a table come before row a, taken off."""
    return _NONE - _U(a) * _U(table.shape[1])


def _weight(times, mul, level, those):  # type: ignore[no-untyped-def]
    """Weights of the days, by level."""


@overload(_weight, inline="always")
def _weight_of(times, mul, level, those):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(times, Lanes):
        return lambda times, mul, level, those: times  # noqa: ARG005
    return lambda times, mul, level, those: gather(mul, times, level, those)


@numba.njit(cache=True, nogil=True, inline="always")
def gains_of(  # type: ignore[no-untyped-def]
    add, mul, day_table, plus, times, days, item_level, item_day, k, those
):
    """Contributions of those of the postings [k, k + 8) that a mask names; 0 of the others.

    `plus`, `times` and `days` say what of the tables is the fact's: no views of arrays, since
    counting who refers to them takes longer than the postings of a tile.
    """
    level = load(item_level, k, those)
    day = gather(day_table, days, load(item_day, k, those), those)
    return gather(add, plus, level, those) + _weight(times, mul, level, those) * day


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
