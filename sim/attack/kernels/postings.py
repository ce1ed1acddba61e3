"""Reading an item's postings: what one contributes, where a record's lies, fetching them in time.

Invariant: contributions are made of the tables of `sim.attack.kernels.scan.Gains` by the same
arithmetic whichever loop asks for them.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from sim.attack.kernels.lanes import Lanes, spread
from sim.attack.kernels.moving import gather, load, pick, row_of
from sim.attack.kernels.numeric import prefetch

_U = np.uint64
_NONE, _ONE, _TWO = _U(0), _U(1), _U(2)
_LINE, _HALF = _U(64), _U(32)  # postings in a cache line of levels; of rows or days
_AHEAD = _U(256)
"""Postings fetched ahead: an item has too few for the processor to find the pattern by itself."""


@numba.njit(cache=True, nogil=True, inline="always")
def _before(table, a):  # type: ignore[no-untyped-def]
    """How many numbers of a table come before row a, taken off."""
    return _NONE - _U(a) * _U(table.shape[1])


def table_of(table, a):  # type: ignore[no-untyped-def]
    """What fact a's contributions are made with, of a table by fact.

    Where there is a number for each of many levels, where its row begins; for each of a few, the
    row; for all the same, that.
    """


@overload(table_of, inline="always")
def _table_of(table, a):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(table, types.NoneType):
        return lambda table, a: None  # noqa: ARG005
    if table.ndim == 1:
        return lambda table, a: spread(table[a])
    if table.ndim == 2:
        return lambda table, a: _before(table, a)
    return lambda table, a: row_of(table, a)


def _at_level(table, row, level, those):  # type: ignore[no-untyped-def]
    """Numbers of a fact's table, by level."""


@overload(_at_level, inline="always")
def _number_at(table, row, level, those):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(row, Lanes):
        return lambda table, row, level, those: row  # noqa: ARG005
    if isinstance(row, types.BaseTuple):
        return lambda table, row, level, those: pick(table, row, level, those)
    return lambda table, row, level, those: gather(table, row, level, those)


def _of_days(mul, day_table, times, days, level, item_day, k, those):  # type: ignore[no-untyped-def]
    """What the days add; nothing where they weigh nothing."""


@overload(_of_days, inline="always")
def _days_add(mul, day_table, times, days, level, item_day, k, those):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(mul, types.NoneType):
        return lambda mul, day_table, times, days, level, item_day, k, those: 0.0  # noqa: ARG005
    return lambda mul, day_table, times, days, level, item_day, k, those: (
        _at_level(mul, times, level, those)
        * gather(day_table, days, load(item_day, k, those), those)
    )


@numba.njit(cache=True, nogil=True, inline="always")
def gains_of(  # type: ignore[no-untyped-def]
    add, mul, day_table, plus, times, days, item_level, item_day, k, those
):
    """Contributions of those of the postings [k, k + 8) that a mask names; 0 of the others.

    `plus`, `times` and `days` say what of the tables is the fact's: no views of arrays, since
    counting who refers to them takes longer than the postings of a tile.
    """
    level = load(item_level, k, those)
    by_level = _at_level(add, plus, level, those)
    return by_level + _of_days(mul, day_table, times, days, level, item_day, k, those)


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


def _fetch_days(k, item_day):  # type: ignore[no-untyped-def]
    """Fetch the days of 64 postings, unless nobody looks at days."""


@overload(_fetch_days, inline="always")
def _days_fetched(k, item_day):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(item_day, types.NoneType):
        return lambda k, item_day: None  # noqa: ARG005

    def fetch(k, item_day):  # type: ignore[no-untyped-def]
        prefetch(item_day, k)
        prefetch(item_day, k + _HALF)

    return fetch


@numba.njit(cache=True, nogil=True, inline="always")
def _fetch(k, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    prefetch(item_level, k)
    prefetch(item_row, k)
    prefetch(item_row, k + _HALF)
    _fetch_days(k, item_day)


@numba.njit(cache=True, nogil=True, inline="always")
def read_on(k, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    """Fetch the 64 postings that come some way after k."""
    _fetch(k + _AHEAD, item_row, item_level, item_day)


@numba.njit(cache=True, nogil=True)
def read_ahead(begin, end, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    """Fetch the first of an item's postings, before they are asked for."""
    for k in range(begin, min(end, begin + _AHEAD), _LINE):
        _fetch(k, item_row, item_level, item_day)
