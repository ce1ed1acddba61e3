"""Cursors into an item's postings, the posting of a record, and prefetching."""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from sim.attack.kernels.arithmetic import prefetch
from sim.attack.kernels.simd import njit, njit_inline
from sim.release.store.store import Block

_U = np.uint64  # unsigned indices need no check for wrap-around
_ONE, _TWO = _U(1), _U(2)
_LINE, _HALF = _U(64), _U(32)  # postings in a cache line of levels; of rows or days
_AHEAD = _U(256)
"""Postings to prefetch: an item has too few for the processor to detect the pattern."""


def facts_index(
    block: Block, item: NDArray[np.int32], facts: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Make an index of the items of some facts, for the kernels.

    Parameters
    ----------
    item : int32 array, shape (A,)
        Of each fact.
    facts : int64 array, shape (F,)
        Those that are needed, each once; by item is soonest.

    Returns
    -------
    place : int32 array, shape (A,)
        −1 for an item that nobody in the block holds.
    start : int64 array, shape (2·A + 1,)
        The postings of place p are [start[p], start[p + 1]).
    """
    place, start = np.full(item.size, -1, np.int32), np.zeros(2 * item.size + 1, np.int64)
    begin, end = block.postings_of(item[facts])
    start[2 * facts], start[2 * facts + 1] = begin, end
    held = facts[begin < end]
    place[held] = 2 * held
    return place, start


@njit
def removed_row(record, first, n):  # type: ignore[no-untyped-def]
    """Row of a removed record in the block of records [first, first + n); −1 if not there."""
    return record - first if first <= record < first + n else -1


@njit
def removed_rows(u, candidates, first, n, rows):  # type: ignore[no-untyped-def]
    """Write the rows of the records removed for aux set u in [first, first + n), ascending.

    Returns
    -------
    int
        Their number.
    """
    begin, end = candidates.removed_start[u], candidates.removed_start[u + 1]
    low = begin + np.searchsorted(candidates.removed[begin:end], first)
    high = begin + np.searchsorted(candidates.removed[begin:end], first + n)
    for k in range(low, high):
        rows[k - low] = candidates.removed[k] - first
    return high - low


@njit
def same_removed(u, candidates):  # type: ignore[no-untyped-def]
    """Whether the same records are removed for aux set u and the one before it."""
    start = candidates.removed_start
    if start[u] - start[u - 1] != start[u + 1] - start[u]:
        return False
    for k in range(start[u], start[u + 1]):
        if candidates.removed[k] != candidates.removed[k - start[u] + start[u - 1]]:
            return False
    return True


@njit
def _find_row(item_row, begin, end, row):  # type: ignore[no-untyped-def]
    """Index of a row among the postings [begin, end) of an item; `end` if it is not there."""
    low, high = begin, end
    while low < high:
        middle = (low + high) // _TWO
        if item_row[middle] < row:
            low = middle + _ONE
        else:
            high = middle
    return low if low < end and item_row[low] == row else end


@njit
def start_cursors(begin_fact, end_fact, item, postings, removed, cursors):  # type: ignore[no-untyped-def]
    """Move the cursors of facts [begin_fact, end_fact) to their first postings.

    `removed` is the row of the removed record, or −1.
    """
    for a in range(begin_fact, end_fact):
        i, j = item[a], a - begin_fact
        cursors[:, j] = 0
        if i >= 0:
            begin, end = _U(postings.item_start[i]), _U(postings.item_start[i + 1])
            stop = _find_row(postings.item_row, begin, end, removed) if removed >= 0 else end
            cursors[0, j], cursors[1, j], cursors[2, j] = begin, stop, end
            for k in range(begin, min(end, begin + _AHEAD), _LINE):
                _fetch(k, postings)


def _fetch_days(k, item_day):  # type: ignore[no-untyped-def]
    """Fetch the days of 64 postings, unless contributions do not depend on days."""


@overload(_fetch_days, inline="always")
def _fetch_days_overload(k, item_day):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(item_day, types.NoneType):
        return lambda k, item_day: None  # noqa: ARG005

    def fetch(k, item_day):  # type: ignore[no-untyped-def]
        prefetch(item_day, k)
        prefetch(item_day, k + _HALF)

    return fetch


@njit_inline
def _fetch(k, postings):  # type: ignore[no-untyped-def]
    prefetch(postings.item_level, k)
    prefetch(postings.item_row, k)
    prefetch(postings.item_row, k + _HALF)
    _fetch_days(k, postings.item_day)


@njit_inline
def fetch_ahead(k, postings):  # type: ignore[no-untyped-def]
    """Fetch the 64 postings that come some way after k."""
    _fetch(k + _AHEAD, postings)
