"""Where the cells of an item are in the columns of a block that are sorted by item.

A *dense* index has a place for every item of the release, 8 bytes each: one look. Where most items
have no cell in a block, as in a catalogue of millions, that is far more than the cells themselves,
and the index is *sparse*: the column of the cells' items, which are sorted, with the bits that all
cells of a *bucket* share taken out. A bucket is a run of 2^s items, and the index says where each
begins; of a cell's item the lower s bits are left, to be found by bisection among the few cells of
its bucket. With s = 8, 16 or 32, whatever takes the fewest bytes, that is at most 4 bytes a cell
and mostly 2 to 3; a list of the distinct items and of where they begin takes 8 bytes an item, and
a bisection of it five times as many steps, each of which waits for memory.

Which of the two a block has follows from its cells and the number of items (`is_sparse`).

Six cells of the items 2, 2, 259, 300, 300 and 900, of 1,000 items, with s = 8::

    lower bits     2   2 |   3  44  44 | 132        items of the buckets: 0–255, 256–511, 512–767,
    buckets begin  0       2             5   5   6  768–999; the third has no cell

Item 300 is in bucket 1 with the lower bits 44: cells 3 and 4 of the block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit

DENSE_AT_MOST = 1 << 20
"""Bytes up to which an index is dense whatever the cells: it stays in a nearby cache."""

_BYTES_A_CELL = 4
"""Bytes of a dense index for each cell from which on it is sparse: what that takes at most."""

_SHIFTS = ((8, np.uint8), (16, np.uint16), (32, np.uint32))


_MOST_FOR_SPEED = 1.1
"""Bytes, as a multiple of the least, for short runs of items, in which one is found sooner."""


def is_sparse(n_items: int, n_cells: int, dense_at_most: int = DENSE_AT_MOST) -> bool:
    """Whether a block's index is sparse.

    Parameters
    ----------
    n_items : int
        Of the release.
    n_cells : int
        Of the block.
    dense_at_most : int
        Bytes up to which it never is.

    Examples
    --------
    >>> is_sparse(17_770, 13_000_000), is_sparse(48_000_000, 690_000)
    (False, True)
    """
    return 8 * (n_items + 1) > max(dense_at_most, _BYTES_A_CELL * n_cells)


def sparse_index(item: NDArray[np.int32], n_items: int) -> tuple[NDArray[np.uint32], NDArray[Any]]:
    """Index cells by item.

    Parameters
    ----------
    item : int32 array, shape (n,)
        Of each cell, ascending; fewer than 2^32 of them.
    n_items : int
        Of the release.

    Returns
    -------
    bucket : uint32 array, shape (buckets + 1,)
        Where the cells of each run of 2^s items begin, with the end appended.
    low : uint8, uint16 or uint32 array, shape (n,)
        The lower s = 8, 16 or 32 bits of each cell's item.

    Examples
    --------
    >>> bucket, low = sparse_index(np.array([2, 2, 259, 300, 300, 900], np.int32), 1000)
    >>> bucket.tolist(), low.tolist(), low.dtype
    ([0, 6], [2, 2, 259, 300, 300, 900], dtype('uint16'))
    >>> bucket, low = sparse_index(np.repeat(np.array([2, 259, 300], np.int32), 9), 1000)
    >>> bucket.tolist(), low[::9].tolist(), low.dtype
    ([0, 9, 27, 27, 27], [2, 3, 44], dtype('uint8'))
    """
    least = min(_bytes(item.size, n_items, shift) for shift, _ in _SHIFTS)
    shift, kind = next(
        one for one in _SHIFTS if _bytes(item.size, n_items, one[0]) <= _MOST_FOR_SPEED * least
    )
    begins = np.arange((n_items >> shift) + 2, dtype=np.int64) << shift
    bucket = np.searchsorted(item, begins).astype(np.uint32)
    low = (item.astype(np.uint32) & np.uint32((1 << shift) - 1)).astype(kind)
    return bucket, low


def _bytes(n_cells: int, n_items: int, shift: int) -> int:
    return 4 * ((n_items >> shift) + 2) + n_cells * shift // 8


def find(
    bucket: NDArray[np.uint32], low: NDArray[Any], item: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the cells of some items begin and end.

    Parameters
    ----------
    bucket, low : see `sparse_index`
    item : integer array, shape (A,)
        In any order; −1 has no cells.

    Returns
    -------
    begin, end : int64 array, shape (A,)
        Both 0 where there is no cell.

    Examples
    --------
    >>> index = sparse_index(np.array([2, 2, 259, 300, 300, 900], np.int32), 1000)
    >>> [column.tolist() for column in find(*index, np.array([300, 299, 2, -1]))]
    [[3, 0, 0, 0], [5, 0, 2, 0]]
    """
    begin, end = np.empty(item.size, np.int64), np.empty(item.size, np.int64)
    _find(bucket, low, 8 * low.itemsize, item, begin, end)
    return begin, end


@njit
def _find(bucket, low, shift, item, begin, end):  # type: ignore[no-untyped-def]
    mask = (np.int64(1) << shift) - 1
    for j in range(item.size):
        begin[j] = end[j] = 0
        i = np.int64(item[j])
        if i < 0:
            continue
        first, stop = np.int64(bucket[i >> shift]), np.int64(bucket[(i >> shift) + 1])
        key = i & mask
        at = _first_at_least(low, first, stop, key)
        if at < stop and np.int64(low[at]) == key:
            begin[j] = at
            last, step = at, 1  # most items have one cell or two
            while last + step < stop and np.int64(low[last + step]) == key:
                last += step
                step *= 2
            end[j] = _first_at_least(low, last + 1, min(last + step, stop), key + 1)


@njit
def _first_at_least(low, begin, end, key):  # type: ignore[no-untyped-def]
    while begin < end:
        middle = (begin + end) >> 1
        if np.int64(low[middle]) < key:
            begin = middle + 1
        else:
            end = middle
    return begin


def runs(
    bucket: NDArray[np.uint32], low: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the items that have cells, ascending, and where the cells of each begin.

    Returns
    -------
    item : int32 array, shape (d,)
    start : int64 array, shape (d + 1,)
        With the end appended.

    Examples
    --------
    >>> index = sparse_index(np.array([2, 2, 259, 300, 300, 900], np.int32), 1000)
    >>> [column.tolist() for column in runs(*index)]
    [[2, 259, 300, 900], [0, 2, 3, 5, 6]]
    """
    begin = bucket.astype(np.int64)
    of = np.repeat(np.arange(bucket.size - 1, dtype=np.int64), begin[1:] - begin[:-1])
    return distinct(((of << (8 * low.itemsize)) | low).astype(np.int32))


def distinct(item: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the different items of an ascending list, and where each begins, the end appended.

    Examples
    --------
    >>> [column.tolist() for column in distinct(np.array([2, 2, 5], np.int32))]
    [[2, 5], [0, 2, 3]]
    """
    start = np.flatnonzero(np.diff(item, prepend=-1))
    return item[start], np.append(start, item.size).astype(np.int64)
