"""Of a record that holds an item in several cells, the cell that agrees best with a fact (spec §8).

The similarity of a fact and a record is the greatest over the record's cells of the item. Which
cell that is depends on the fact, so the postings of each fact's item are reduced to one cell a
record first, and the scan runs on what is left as on a release without repeats.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.simd import njit
from sim.attack.kernels.types import AllTables, AuxColumns, Postings

_U = np.uint64  # unsigned indices need no check for wrap-around


@njit
def contribution_of(a, level, day, tables):  # type: ignore[no-untyped-def]
    """Contribution of a cell to fact a's similarity; see `score_spec.Contributions`."""
    add, mul, day_table, day_offset = tables.smooth
    at = day_offset[a] + day
    if tables.choice.shape[0] > 0:
        return tables.choice[a, tables.day_class[at], level]
    return add[a, level] + mul[a, level] * day_table[at]


@njit
def _reduce(facts, item, postings, tables, start, out):  # type: ignore[no-untyped-def]
    """Write the best cell of every record for facts [begin, end); return how many cells these are.

    Of cells that contribute as much, the first is taken.
    """
    n, (begin, end) = 0, facts
    start[0] = 0
    by_class = tables.choice.shape[0] > 0
    for a in range(begin, end):
        i = item[a]
        if i >= 0:
            cells = postings.item_start[i], postings.item_start[i + 1]
            if by_class:
                n = _reduce_by_class(a, cells, postings, tables, n, out)
            else:
                n = _reduce_smooth(a, cells, postings, tables.smooth, n, out)
        start[a - begin + 1] = n
    return n


@njit
def _reduce_smooth(a, cells, postings, smooth, n, out):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    row, level, day = out
    add, mul, days = smooth.add[a], smooth.mul[a], smooth.day_table[smooth.day_offset[a] :]
    last, best, best_level, best_day = np.int64(-1), 0.0, item_level[0], item_day[0]
    for k in range(_U(cells[0]), _U(cells[1])):
        r, this_level, this_day = np.int64(item_row[k]), item_level[k], item_day[k]
        contribution = add[_U(this_level)] + mul[_U(this_level)] * days[_U(this_day)]
        # No branches: whether a record has another cell cannot be predicted.
        is_new = r != last
        n += is_new
        taken = is_new | (contribution > best)
        best = contribution if taken else best
        best_level = this_level if taken else best_level
        best_day = this_day if taken else best_day
        last = r
        row[_U(n - 1)], level[_U(n - 1)], day[_U(n - 1)] = item_row[k], best_level, best_day
    return n


@njit
def _reduce_by_class(a, cells, postings, tables, n, out):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    row, level, day = out
    last, best = np.int64(-1), 0.0
    for k in range(cells[0], cells[1]):
        contribution = contribution_of(a, item_level[k], item_day[k], tables)
        is_new = np.int64(item_row[k]) != last
        n += is_new
        if is_new or contribution > best:
            best = contribution
            row[n - 1], level[n - 1], day[n - 1] = item_row[k], item_level[k], item_day[k]
        last = np.int64(item_row[k])
    return n


def best_cells(
    postings: Postings, aux: AuxColumns, tables: AllTables, facts: tuple[int, int] | None = None
) -> tuple[Postings, AuxColumns]:
    """Reduce the postings of each fact's item to one cell a record.

    Parameters
    ----------
    facts : (int, int), optional
        Only of the facts [begin, end); the others are left without postings.

    Returns
    -------
    postings : Postings
        With an item for each of these facts.
    aux : AuxColumns
        Facts on these items.
    """
    begin, end = facts or (0, aux.item.size)
    item = aux.item[begin:end]
    known = np.where(item >= 0, item, 0)
    cells = np.where(item >= 0, postings.item_start[known + 1] - postings.item_start[known], 0)
    most, start = int(cells.sum()), np.empty(end - begin + 1, np.int64)
    assert postings.item_day is not None
    columns = (postings.item_row, postings.item_level, postings.item_day)
    row, level, day = (np.empty(most, column.dtype) for column in columns)
    n = _reduce((begin, end), aux.item, postings, tables, start, (row, level, day))
    reduced = np.full(aux.item.size, -1, np.int32)
    reduced[begin:end] = np.where(item >= 0, np.arange(end - begin), -1)
    return (
        Postings(postings.first, postings.n_records, start, row[:n], level[:n], day[:n]),
        AuxColumns(aux.start, reduced),
    )
