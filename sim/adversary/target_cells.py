"""The targets' own cells: what the release under attack holds of them for each fact."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Store


@numba.njit(cache=True, nogil=True)
def _look_up(  # type: ignore[no-untyped-def]
    rows, wanted, start, cell_item, cell_level, cell_day, held, level, day
):
    for a in range(rows.size):
        low, end = start[rows[a]], start[rows[a] + 1]
        high = end
        while low < high:
            middle = (low + high) // 2
            if cell_item[middle] < wanted[a]:
                low = middle + 1
            else:
                high = middle
        if low < end and cell_item[low] == wanted[a]:
            held[a] = True
            level[a] = cell_level[low]
            day[a] = cell_day[low]


def own_cells(
    store: Store, record: NDArray[np.int64], item: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32]]:
    """Look up the cells (record, item) of a release.

    Parameters
    ----------
    record : int64 array, shape (A,)
        −1 for none.
    item : int32 array, shape (A,)
        −1 for none.

    Returns
    -------
    held : bool array, shape (A,)
    level, day : int32 arrays, shape (A,)
        Codes; 0 where the record does not hold the item.
    """
    held = np.zeros(record.size, np.bool_)
    level, day = np.zeros(record.size, np.int32), np.zeros(record.size, np.int32)
    where = np.flatnonzero((record >= 0) & (item >= 0))
    blocks = record[where] // store.manifest.block_records
    for index in np.unique(blocks).tolist():
        here = where[blocks == index]
        block = store.block(index)
        out: list[NDArray[Any]] = [a[here] for a in (held, level, day)]
        _look_up(
            record[here] - block.first, item[here], block.record_start, block.record_item,
            block.record_level, block.record_day, *out,
        )  # fmt: skip
        held[here], level[here], day[here] = out
    return held, level, day


def items_of(store: Store, record: int) -> NDArray[np.int32]:
    """The items a record holds, ascending."""
    block = store.block(record // store.manifest.block_records)
    row = record - block.first
    return block.record_item[block.record_start[row] : block.record_start[row + 1]]
