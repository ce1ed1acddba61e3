"""Counting sorts: the two orders of a block's cells, in time linear in their number."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from sim.release.store.cells import NO_TIME


def sorted_rows(
    row: NDArray[Any],
    item: NDArray[Any],
    n_rows: int,
    n_items: int,
    first: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Order of cells by row, then item; where both are equal, as they came.

    Parameters
    ----------
    row, item : integer arrays, shape (n,)
        Values in [0, n_rows) and [0, n_items).
    first : integer array, shape (n,), optional
        The order in which the cells are taken to have come.

    Returns
    -------
    order : int32 array, shape (n,)
        int64 where int32 is too short.

    Examples
    --------
    >>> row, item = np.array([1, 0, 1, 0]), np.array([4, 2, 3, 2])
    >>> sorted_rows(row, item, 2, 5).tolist()
    [1, 3, 2, 0]
    >>> sorted_rows(row, item, 2, 5, first=np.array([3, 2, 1, 0])).tolist()
    [3, 1, 2, 0]
    """
    integer = np.int32 if row.size <= np.iinfo(np.int32).max else np.int64
    by_item, order = np.empty(row.size, integer), np.empty(row.size, integer)
    if first is None:
        _order(item, n_items, by_item)
    else:
        _order_within(item, first, n_items, by_item)
    _order_within(row, by_item, n_rows, order)
    return order


@numba.njit(cache=True, nogil=True)
def _ends_before(keys, n_keys):  # type: ignore[no-untyped-def]
    """Return the start of each key's run in the sorted array, with the end appended."""
    start = np.zeros(n_keys + 1, np.int64)
    for k in keys:
        start[k + 1] += 1
    for k in range(n_keys):
        start[k + 1] += start[k]
    return start


@numba.njit(cache=True, nogil=True)
def _order(keys, n_keys, order):  # type: ignore[no-untyped-def]
    """Stable order of integer keys."""
    free = _ends_before(keys, n_keys)
    for i in range(keys.size):
        order[free[keys[i]]] = i
        free[keys[i]] += 1


@numba.njit(cache=True, nogil=True)
def _order_within(keys, within, n_keys, order):  # type: ignore[no-untyped-def]
    """Stable order of integer keys that are taken in the order `within`."""
    free = _ends_before(keys, n_keys)
    for i in within:
        order[free[keys[i]]] = i
        free[keys[i]] += 1


@numba.njit(cache=True, nogil=True)
def by_item(  # type: ignore[no-untyped-def]
    row_start, row_item, row_level, row_day, item_start, item_row, item_level, item_day
):
    """Turn cells sorted by (row, item) into the same sorted by (item, row).

    Parameters
    ----------
    row_start : int64 array, shape (n_rows + 1,)
    row_item, row_level, row_day : integer arrays, shape (n,)
    item_start : int64 array, shape (n_items + 1,)
        Gets where each item's cells begin, with the end appended.
    item_row, item_level, item_day : integer arrays, shape (n,)
        Get the cells.

    Examples
    --------
    >>> out = np.zeros(3, int), np.zeros(2, int), np.zeros(2, int), np.zeros(2, int)
    >>> by_item(np.array([0, 1, 2]), np.array([1, 0]), np.array([7, 8]), np.array([5, 6]), *out)
    >>> out
    (array([0, 1, 2]), array([1, 0]), array([8, 7]), array([6, 5]))
    """
    item_start[:] = _ends_before(row_item, item_start.size - 1)
    free = item_start[:-1].copy()
    for r in range(row_start.size - 1):
        for k in range(row_start[r], row_start[r + 1]):
            i = row_item[k]
            item_row[free[i]], item_level[free[i]], item_day[free[i]] = r, row_level[k], row_day[k]
            free[i] += 1


@numba.njit(cache=True, nogil=True)
def partition(  # type: ignore[no-untyped-def]
    rows, final, block_records, n_blocks, first, unit, out
):
    """Group rows by the block of their record, in final codes.

    Parameters
    ----------
    rows : tuple of arrays, shape (n,)
        Provisional codes of record, item and level; time, `NO_TIME` for none.
    final : tuple of integer arrays
        Final codes of records, items and levels, by provisional ones.
    block_records, n_blocks : int
        Block b holds the records from b·block_records on.
    first, unit : int
        The earliest time, and what all times are multiples of from there.
    out : tuple of four integer arrays, shape (n,)
        Written: the rows, those of a block in the order they came: the record's index in its
        block, final codes of item and level, and 1 + the units since `first`, 0 for none.

    Returns
    -------
    start : int64 array, shape (n_blocks + 1,)
        Where the rows of each block begin, with the end appended.

    Examples
    --------
    >>> code, same, out = np.array([2, 0, 1]), np.arange(3), np.zeros((4, 3), int)
    >>> rows = (code, code, code, np.array([9, 7, NO_TIME]))
    >>> partition(rows, (same, same, same), 2, 2, 7, 2, tuple(out))
    array([0, 2, 3])
    >>> out
    array([[0, 1, 0],
           [0, 1, 2],
           [0, 1, 2],
           [1, 0, 2]])
    """
    record, item, level, time = rows
    record_of, item_of, level_of = final
    out_row, out_item, out_level, out_when = out
    start = np.zeros(n_blocks + 1, np.int64)
    for code in record:
        start[record_of[code] // block_records + 1] += 1
    for b in range(n_blocks):
        start[b + 1] += start[b]
    free = start[:-1].copy()
    for i in range(record.size):
        r = record_of[record[i]]
        b = r // block_records
        at = free[b]
        free[b] += 1
        out_row[at], out_item[at] = r - b * block_records, item_of[item[i]]
        out_level[at] = level_of[level[i]]
        out_when[at] = 0 if time[i] == NO_TIME else 1 + (time[i] - first) // unit
    return start
