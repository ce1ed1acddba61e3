"""Of a record that holds an item in several cells, the cell that agrees best with a fact (spec §8).

The similarity of a fact and a record is the greatest over the record's cells of the item. Which
cell that is depends on the fact, so the postings of each fact's item are reduced to one cell a
record first, and the scan runs on what is left as on a release without repeats.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.loops import best_of_records
from sim.attack.kernels.simd import njit
from sim.attack.kernels.types import AllTables, AuxColumns, Postings

_AT_ONCE = 1 << 18
"""Postings to reduce before they are scanned."""


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
                n = best_of_records(a, cells, postings, tables.smooth, n, out)
        start[a - begin + 1] = n
    return n


@njit
def _reduce_by_class(a, cells, postings, tables, n, out):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    row, level, day = out
    last, best = np.int64(-1), 0.0
    for k in range(cells[0], cells[1]):
        level_of_k, day_of_k = np.int64(item_level[k]), np.int64(item_day[k])
        contribution = contribution_of(a, level_of_k, day_of_k, tables)
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
    room = _room(postings, int(_cells(postings, aux.item[begin:end]).sum()))
    return _best_cells(postings, aux, tables, (begin, end), room)


def best_cells_in_parts(
    postings: Postings, aux: AuxColumns, tables: AllTables
) -> Iterator[tuple[slice, Postings, AuxColumns]]:
    """Yield a few consecutive aux sets at a time, with what `best_cells` finds for them.

    All parts are written to the same memory, so a part is of use until the next one: fresh memory
    takes longer to get than its postings to reduce, and this fits in a nearby cache.
    """
    until = np.append(0, np.cumsum(_cells(postings, aux.item)))[aux.start]
    bounds = [0]
    while bounds[-1] < until.size - 1:
        fits = int(np.searchsorted(until, until[bounds[-1]] + _AT_ONCE, "right")) - 1
        bounds.append(max(fits, bounds[-1] + 1))
    most = max((int(until[end] - until[begin]) for begin, end in pairwise(bounds)), default=0)
    room = _room(postings, most)
    for begin, end in pairwise(bounds):
        facts = int(aux.start[begin]), int(aux.start[end])
        of_sets = AuxColumns(aux.start[begin : end + 1], aux.item)
        yield slice(begin, end), *_best_cells(postings, of_sets, tables, facts, room)


def _cells(postings: Postings, item: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the postings of some items; none of item −1."""
    known = np.where(item >= 0, item, 0)
    return np.where(item >= 0, postings.item_start[known + 1] - postings.item_start[known], 0)


def _room(postings: Postings, n: int) -> tuple[NDArray[Any], ...]:
    """Memory for n postings; whole vectors are written, so there is one more behind them."""
    assert postings.item_day is not None
    columns = (postings.item_row, postings.item_level, postings.item_day)
    return tuple(np.empty(n + WIDTH, column.dtype) for column in columns)


def _best_cells(
    postings: Postings,
    aux: AuxColumns,
    tables: AllTables,
    facts: tuple[int, int],
    room: tuple[NDArray[Any], ...],
) -> tuple[Postings, AuxColumns]:
    begin, end = facts
    start = np.empty(end - begin + 1, np.int64)
    n = _reduce(facts, aux.item, postings, tables, start, room)
    reduced = np.full(aux.item.size, -1, np.int32)
    reduced[begin:end] = np.where(aux.item[begin:end] >= 0, np.arange(end - begin), -1)
    row, level, day = (column[:n] for column in room)
    return (
        Postings(postings.first, postings.n_records, start, row, level, day),
        AuxColumns(aux.start, reduced),
    )
