"""From the rows of a block to its columns: sorted, put together, and in both orders.

Invariant: a block is a function of its rows, in whatever order, and of the layout.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.release.store.item_index import distinct, is_sparse, sparse_index
from sim.release.store.layout import Layout
from sim.release.store.repeats import Repeats, add_up, in_order_of_cells, take_all, take_one
from sim.release.store.sorting import by_item, sorted_by, sorted_rows
from sim.release.store.store import (
    DENSE_INDEX,
    POSTING_COLUMNS,
    RECORD_COLUMNS,
    SPARSE_INDEX,
)

_ROWS_AT_A_TIME = 1 << 19

Columns = dict[str, NDArray[Any]]
"""The columns of a block, by name."""


@dataclass(frozen=True, slots=True)
class BlockCounts:
    """Counts of the cells of a block.

    Parameters
    ----------
    length : int32 array, shape (records,)
        Cells of each record.
    held : int32 array, shape (H,)
        Items that have cells.
    support, cells : int64 arrays, shape (H,)
        Records that hold each of these, and its cells.
    n_cells, missing_values, missing_days : int
        Cells in all, without a value, and without a time.
    is_sparse : bool
        Of the index; see `sim.release.store.item_index`.
    """

    length: NDArray[np.int32]
    held: NDArray[np.int32]
    support: NDArray[np.int64]
    cells: NDArray[np.int64]
    n_cells: int
    missing_values: int
    missing_days: int
    is_sparse: bool


def added_up(
    rows: NDArray[np.void], n_records: int, scale: list[float], layout: Layout
) -> tuple[NDArray[np.void], NDArray[np.float64]]:
    """Add up the rows of every record and item.

    Parameters
    ----------
    rows : array of `Layout.row_dtype`, shape (n,)
        Of one block.
    scale : list of float
        The values that are added up.

    Returns
    -------
    rows : array of `Layout.row_dtype`, shape (m,)
        One for each record and item, without a level.
    amount : float64 array, shape (m,)
        NaN where none has a value.
    """
    is_count = layout.repeats is Repeats.COUNT
    # Sums are rounded, so that values are added in an order of their own.
    first = None if is_count else sorted_by(rows["level"], len(scale) + 1)
    order = sorted_rows(rows["row"], rows["item"], n_records, layout.n_items, first)
    amount = np.ones(rows.size) if is_count else np.append(scale, np.nan)[rows["level"]]
    left, added = np.zeros(rows.size, layout.row_dtype), np.empty(rows.size)
    n = add_up(
        order, (rows["row"], rows["item"], rows["when"]), amount,
        (left["row"], left["item"], left["when"], added),
    )  # fmt: skip
    return left[:n], added[:n]


def block_of(
    rows: NDArray[np.void], amount: NDArray[np.float64] | None, n_records: int, layout: Layout
) -> tuple[Columns, BlockCounts]:
    """Make the columns of a block.

    Parameters
    ----------
    rows : array of `Layout.row_dtype`, shape (n,)
        Of the block, or what `added_up` left of them.
    amount : float64 array, shape (n,), or None
        What they add up to, if they are added up.
    """
    start, item, level, day = _by_record(rows, amount, n_records, layout)
    del rows
    by_record = start, item, level, day
    columns: Columns = dict(zip(RECORD_COLUMNS, by_record, strict=True))
    posting_item, *postings = by_item(*by_record, layout.n_items)
    columns |= zip(POSTING_COLUMNS, postings, strict=True)
    held, begin = distinct(posting_item)
    sparse = is_sparse(layout.n_items, item.size, layout.dense_at_most)
    if sparse:
        columns |= zip(SPARSE_INDEX, sparse_index(posting_item, layout.n_items), strict=True)
        columns[RECORD_COLUMNS[0]] = start.astype(np.uint32)  # fewer cells than 2 · items
    else:
        number = np.bincount(posting_item, minlength=layout.n_items)
        columns[DENSE_INDEX[0]] = np.concatenate([[0], np.cumsum(number)])
    cells = support = np.diff(begin)
    if layout.repeats.keeps_all:
        support = _holders(begin, columns["item_row"])
    return columns, BlockCounts(
        np.diff(start).astype("<i4"),
        held,
        support,
        cells,
        item.size,
        int(np.count_nonzero(level == len(layout.scale))),
        int(np.count_nonzero(day == layout.n_days)),
        sparse,
    )


def write(columns: Columns, folder: Path) -> None:
    """Write the columns of a block into its folder."""
    for name, column in columns.items():
        np.save(folder / f"{name}.npy", column, allow_pickle=False)


def _by_record(
    rows: NDArray[np.void], amount: NDArray[np.float64] | None, n_records: int, layout: Layout
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any], NDArray[np.uint16]]:
    """Starts, items, level and day codes of a block's cells, sorted by record, then item."""
    level_of_row = rows["level"]
    if amount is not None:
        level_of_row = layout.levels_of(amount).astype(level_of_row.dtype)
    first = None
    if layout.repeats.keeps_all:
        first = in_order_of_cells(_day_codes(rows["when"], layout), level_of_row, rows["when"])
    order = sorted_rows(rows["row"], rows["item"], n_records, layout.n_items, first)
    start = np.empty(n_records + 1, np.int64)
    item = np.empty(rows.size, np.int32)
    level = np.empty(rows.size, np.uint8 if len(layout.scale) < 256 else np.uint16)
    when = np.empty(rows.size, rows["when"].dtype)
    given = rows["row"], rows["item"], level_of_row, rows["when"]
    out = start, item, level, when
    if layout.repeats.keeps_all:
        n = take_all(order, given, layout.repeats is Repeats.ALL, out)
    else:
        n = take_one(order, given, layout.repeats is Repeats.FIRST, len(layout.scale), out)
    del rows, given, order, first, level_of_row
    if n < item.size:
        item, level, when = item[:n].copy(), level[:n].copy(), when[:n]
    return start, item, level, _day_codes(when, layout)


def _day_codes(when: NDArray[Any], layout: Layout) -> NDArray[np.uint16]:
    days = np.empty(when.size, np.uint16)
    for begin in range(0, when.size, _ROWS_AT_A_TIME):  # so that what is in between is small
        part = when[begin : begin + _ROWS_AT_A_TIME].astype(np.int64)
        days[begin : begin + part.size] = layout.days_of(part)
    return days


def _holders(item_start: NDArray[np.int64], item_row: NDArray[Any]) -> NDArray[np.int64]:
    """Records that hold each item, from its cells by ascending row."""
    is_new = np.diff(item_row.astype(np.int32), prepend=-1) != 0
    is_new[item_start[:-1]] = True
    reach = np.concatenate([[0], np.cumsum(is_new)])
    return np.diff(reach[item_start])
