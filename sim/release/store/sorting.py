"""Counting sorts: the two orders of a block's cells, in time linear in their number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
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
    integer = _integer(row.size)
    order = np.empty(row.size, integer)
    _order_within(row, 0, _all_bits, sorted_by(item, n_items, first, integer), n_rows, order)
    return order


def _integer(n: int) -> type[np.signedinteger[Any]]:
    """Type of the places of n cells."""
    return np.int32 if n <= np.iinfo(np.int32).max else np.int64


def sorted_by(
    item: NDArray[Any],
    n_items: int,
    first: NDArray[Any] | None = None,
    integer: type[np.signedinteger[Any]] = np.int64,
) -> NDArray[Any]:
    """Stable order of items, digit by digit if they are few beside all that there are.

    Parameters
    ----------
    item : integer array, shape (n,)
        Values in [0, n_items).
    first : see `sorted_rows`
    integer : type
        Of the result.

    Examples
    --------
    >>> sorted_by(np.array([70_000, 3, 70_000, 4_464]), 100_000).tolist()
    [1, 3, 0, 2]
    """
    order = np.arange(item.size, dtype=integer) if first is None else first
    bits = max(int(n_items - 1).bit_length(), 1)
    # Counting takes as long as there are numbers to count, so these are to be fewer than the cells.
    parts = 1 if n_items <= max(item.size, 1 << _DIGIT) else -(-bits // _DIGIT)
    digit = -(-bits // parts)
    for part in range(parts):
        given, order = order, np.empty(item.size, integer)
        values = n_items if parts == 1 else 1 << digit
        mask = _all_bits if parts == 1 else (1 << digit) - 1
        _order_within(item, part * digit, mask, given, values, order)
    return order


_DIGIT = 14
"""Most bits that are sorted by at a time, if the items are many: the counts fit in a near cache."""

_all_bits = (1 << 62) - 1


@njit
def _order_within(keys, shift, mask, within, n_values, order):  # type: ignore[no-untyped-def]
    """Stable order of some bits of integer keys, which are taken in the order `within`."""
    free = np.zeros(n_values + 1, np.int64)
    for k in keys:
        free[((np.int64(k) >> shift) & mask) + 1] += 1
    for k in range(n_values):
        free[k + 1] += free[k]
    for i in within:
        k = (np.int64(keys[i]) >> shift) & mask
        order[free[k]] = i
        free[k] += 1


@njit
def _turned(row_start, row_level, row_day, order, item_row, item_level, item_day):  # type: ignore[no-untyped-def]
    row = np.empty(order.size, item_row.dtype)
    for r in range(row_start.size - 1):
        row[row_start[r] : row_start[r + 1]] = r
    for at in range(order.size):
        k = order[at]
        item_row[at], item_level[at], item_day[at] = row[k], row_level[k], row_day[k]


def by_item(
    row_start: NDArray[np.int64],
    row_item: NDArray[Any],
    row_level: NDArray[Any],
    row_day: NDArray[Any],
    n_items: int,
) -> tuple[NDArray[Any], NDArray[np.uint16], NDArray[Any], NDArray[Any]]:
    """Turn cells sorted by (row, item) into the same sorted by (item, row).

    Parameters
    ----------
    row_start : int64 array, shape (n_rows + 1,)
    row_item, row_level, row_day : integer arrays, shape (n,)
    n_items : int

    Returns
    -------
    item, row, level, day : integer arrays, shape (n,)

    Examples
    --------
    >>> cells = np.array([0, 1, 2]), np.array([1, 0]), np.array([7, 8]), np.array([5, 6])
    >>> [column.tolist() for column in by_item(*cells, 2)]
    [[0, 1], [1, 0], [8, 7], [6, 5]]
    """
    order = sorted_by(row_item, n_items, integer=_integer(row_item.size))
    out = np.empty(order.size, np.uint16), np.empty_like(row_level), np.empty_like(row_day)
    _turned(row_start, row_level, row_day, order, *out)
    return row_item[order], *out


def descending(number: NDArray[np.int64]) -> NDArray[np.int32]:
    """Place of each number from the greatest down, of equal ones in the order they are in.

    Parameters
    ----------
    number : int64 array, shape (n,)
        Not negative.

    Examples
    --------
    >>> descending(np.array([2, 5, 2, 9])).tolist()
    [2, 1, 3, 0]
    """
    return np.asarray(_descending(number, int(number.max(initial=0))))


@njit
def _descending(number, most):  # type: ignore[no-untyped-def]
    free = np.zeros(most + 2, np.int64)
    for n in number:
        free[most - n + 1] += 1
    for k in range(most + 1):
        free[k + 1] += free[k]
    place = np.empty(number.size, np.int32)
    for i in range(number.size):
        place[i] = free[most - number[i]]
        free[most - number[i]] += 1
    return place


@njit
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
