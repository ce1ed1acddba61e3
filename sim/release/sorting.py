"""Counting sorts: the two orders of a block's cells, in time linear in their number."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(cache=True, nogil=True)
def counting_order(keys, n_keys):  # type: ignore[no-untyped-def]
    """Stable order of small integer keys.

    Parameters
    ----------
    keys : integer array, shape (n,)
        Values in [0, n_keys).
    n_keys : int

    Returns
    -------
    order : int64 array, shape (n,)
        ``keys[order]`` is sorted; equal keys keep their order.

    Examples
    --------
    >>> counting_order(np.array([2, 0, 2, 1]), 3).tolist()
    [1, 3, 0, 2]
    """
    start = np.zeros(n_keys + 1, np.int64)
    for k in keys:
        start[k + 1] += 1
    for k in range(n_keys):
        start[k + 1] += start[k]
    order = np.empty(keys.size, np.int64)
    for i in range(keys.size):
        k = keys[i]
        order[start[k]] = i
        start[k] += 1
    return order


@numba.njit(cache=True, nogil=True)
def latest_of_duplicates(record, item, time):  # type: ignore[no-untyped-def]
    """Mark, in each run of equal (record, item), the row with the latest time.

    The last of a run wins where times tie, so rows must be in file order within a run.

    Parameters
    ----------
    record, item : integer arrays, shape (n,)
        Sorted by record, then item.
    time : int64 array, shape (n,)

    Returns
    -------
    keep : bool array, shape (n,)

    Examples
    --------
    >>> r = np.array([0, 0, 0]); i = np.array([4, 4, 5]); t = np.array([9, 7, 1])
    >>> latest_of_duplicates(r, i, t).tolist()
    [True, False, True]
    """
    keep = np.zeros(record.size, np.bool_)
    best = 0
    for k in range(record.size):
        if k > 0 and record[k] == record[k - 1] and item[k] == item[k - 1]:
            if time[k] >= time[best]:
                best = k
        else:
            if k > 0:
                keep[best] = True
            best = k
    if record.size > 0:
        keep[best] = True
    return keep


def index_of_sorted(keys: NDArray[np.integer], n_keys: int) -> NDArray[np.int64]:
    """Where each key's run begins in a sorted array, with the end appended.

    Parameters
    ----------
    keys : integer array, shape (n,)
        Sorted, in [0, n_keys).
    n_keys : int

    Returns
    -------
    start : int64 array, shape (n_keys + 1,)

    Examples
    --------
    >>> index_of_sorted(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    start = np.zeros(n_keys + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=n_keys), out=start[1:])
    return start
