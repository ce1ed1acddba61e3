"""The fewest records that fit a fact which may be drawn about a record: an exact count of them all.

A fact that few records fit identifies its person, whether or not it was among the facts drawn. The
noise counts against the person: of a cell with a date that may be off by D, the fact with the date
that the fewest records fit is taken, and likewise for values.

Invariant: a record fits a fact if one of its cells does, however many do (spec §8); what is counted
does not depend on the blocks of the store.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.tolerance import FREE, Tolerance
from sim.release.store.store import Store
from sim.release.store.threads import in_order, usable

_CELLS_AT_A_TIME = 1 << 22
"""Cells of whole items that are read together."""

NONE = np.iinfo(np.int64).max
"""The count of a record about which no fact may be drawn."""

_MANY = np.iinfo(np.int32).max  # the same in 32 bits, of which more fit into the cache

_NEVER = np.iinfo(np.int64).max

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Fitting:
    """For each record the fewest records that fit a single fact about it; `NONE` where none may be.

    Parameters
    ----------
    item, value, date : int64 arrays, shape (n_records,)
        Of facts that consist of an item alone, of one with its value, and of one with its value and
        its date. What the adversary does not know is free.
    """

    item: Ints
    value: Ints
    date: Ints


@dataclass(frozen=True, slots=True, eq=False)
class ItemCells:
    """All cells of consecutive items, by item and then by record.

    Parameters
    ----------
    item : int64 array, shape (A,)
    start : int64 array, shape (A + 1,)
        Where the cells of each begin.
    record : int64 array, shape (C,)
    level, day : int32 arrays, shape (C,)
        Codes as in a store.
    """

    item: Ints
    start: Ints
    record: Ints
    level: NDArray[np.int32]
    day: NDArray[np.int32]


def fitting_records(store: Store, tolerance: Tolerance, counted: NDArray[np.bool_]) -> Fitting:
    """Count the fewest records that fit a single right fact about each record.

    Parameters
    ----------
    counted : bool array, shape (n_records,)
        The records that the adversary takes into account, and those that facts are drawn about.
    """
    return _fitting(store, tolerance, np.packbits(counted).tobytes())


@functools.lru_cache(maxsize=8)
def _fitting(store: Store, tolerance: Tolerance, counted: bytes) -> Fitting:
    n, none = store.manifest.n_records, store.manifest.n_days
    repeated = n if store.manifest.has_repeats else 0
    is_counted = np.unpackbits(np.frombuffer(counted, np.uint8), count=n).astype(np.bool_)
    limits = tolerance.drawn, tolerance.fits, tolerance.days, tolerance.blanks, none

    def counts(items: Ints) -> NDArray[np.int32]:
        found = np.full((3, n), _MANY, np.int32)
        for cells in item_cells(store, items):
            where = cells.start, cells.record, cells.level, cells.day
            _count(where, is_counted, limits, np.zeros(repeated, np.int32), *found)
        return found

    fewest = np.full((3, n), _MANY, np.int32)
    for _, found in in_order(counts, _parts(store, items_known(store, tolerance)), usable()):
        np.minimum(fewest, found, out=fewest)
    return Fitting(*np.where(fewest == _MANY, np.int64(NONE), fewest))


def items_known(store: Store, tolerance: Tolerance) -> Ints:
    """Return the items that facts may be about, ascending, shape (A,)."""
    window = tolerance.window
    high = store.manifest.n_items if window.high is None else window.high
    return np.flatnonzero((store.rank >= window.low) & (store.rank < high) & (store.cells > 0))


def item_cells(
    store: Store, items: Ints, cells_at_a_time: int = _CELLS_AT_A_TIME
) -> Iterator[ItemCells]:
    """Yield the cells of some items from all blocks, so many at a time, an item never in two parts.

    Parameters
    ----------
    items : int64 array, shape (A,)
        Ascending.
    """
    for item in _parts(store, items, cells_at_a_time):
        size = np.asarray(store.cells, np.int64)[item]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
        record = np.empty(start[-1], np.int64)
        level, day = np.empty(start[-1], np.int32), np.empty(start[-1], np.int32)
        free = start[:-1].copy()
        for index in range(store.manifest.n_blocks):
            block = store.block(index)
            columns = block.item_row, block.item_level, block.item_day
            _copy(*columns, block.first, *block.postings_of(item), free, record, level, day)
        yield ItemCells(item, start, record, level, day)


def _parts(store: Store, items: Ints, cells_at_a_time: int = _CELLS_AT_A_TIME) -> Iterator[Ints]:
    """Yield the items that are read together."""
    size = np.asarray(store.cells, np.int64)[items]
    part = (np.cumsum(size) - size) // cells_at_a_time
    for which in np.unique(part).tolist():
        yield items[part == which]


@numba.njit(cache=True, nogil=True)
def _copy(item_row, item_level, item_day, first, begin, end, free, record, level, day):  # type: ignore[no-untyped-def]
    """Append some items' cells in a block to those of the blocks before."""
    for a in range(begin.size):
        at = free[a]
        for k in range(begin[a], end[a]):
            record[at] = first + np.int64(item_row[k])
            level[at], day[at] = item_level[k], item_day[k]
            at += 1
        free[a] = at


@numba.njit(cache=True, nogil=True)
def _count(cells, is_counted, limits, seen, by_item, by_value, by_date):  # type: ignore[no-untyped-def]
    """Lower the counts of all records that have a cell of the items."""
    start, record, level, day = cells
    drawn, fits, days, blanks, none = limits
    longest = 0
    for a in range(start.size - 1):
        longest = max(longest, start[a + 1] - start[a])
    held = np.zeros(drawn.shape[1], np.bool_)
    order = np.arange(longest)
    ours = np.empty((3, longest), np.int64)
    fitting = np.empty((3, longest), np.int64)
    steps = np.empty((3, 2 * longest + 1), np.int64)
    for a in range(start.size - 1):
        first, size = start[a], start[a + 1] - start[a]
        if days != FREE:
            _sort_by_day(day[first : start[a + 1]], none, order)
        n, n_records = 0, 0
        held[:] = False
        for j in range(size):
            k = first + order[j]
            r = record[k]
            if is_counted[r]:
                ours[0, n], ours[1, n], ours[2, n] = r, day[k], level[k]
                n += 1
                held[level[k]] = True
                n_records += _enters(r, seen)
        for j in range(n):
            _leaves(ours[0, j], seen)
            by_item[ours[0, j]] = min(by_item[ours[0, j]], n_records)
        for f in range(len(drawn)):
            if not _share_any(held, drawn[f]):
                continue
            m = 0
            for j in range(n):
                if fits[f, ours[2, j]]:
                    fitting[0, m], fitting[1, m] = ours[0, j], ours[1, j]
                    fitting[2, m] = drawn[f, ours[2, j]]
                    m += 1
            _count_fact(fitting[:, :m], none, (days, blanks), seen, steps, by_value, by_date)


@numba.njit(cache=True, nogil=True)
def _enters(record, seen):  # type: ignore[no-untyped-def]
    """Take in a cell; return whether it is the only one of its record.

    ``seen`` counts the cells of each record; empty where no record has several of an item.
    """
    if seen.size == 0:
        return True
    seen[record] += 1
    return seen[record] == 1


@numba.njit(cache=True, nogil=True)
def _leaves(record, seen):  # type: ignore[no-untyped-def]
    """Take out a cell again; return whether it was the only one of its record."""
    if seen.size == 0:
        return True
    seen[record] -= 1
    return seen[record] == 0


@numba.njit(cache=True, nogil=True)
def _sort_by_day(day, none, order):  # type: ignore[no-untyped-def]
    """Write the places of the cells by ascending day; of many cells by counting those before."""
    if day.size < none // 8:
        order[: day.size] = np.argsort(day)
        return
    free = np.zeros(none + 2, np.int64)
    for d in day:
        free[d + 1] += 1
    for d in range(none):
        free[d + 1] += free[d]
    for j in range(day.size):
        order[free[day[j]]] = j
        free[day[j]] += 1


@numba.njit(cache=True, nogil=True)
def _share_any(first, second):  # type: ignore[no-untyped-def]
    found = False
    for k in range(first.size):
        found |= first[k] and second[k]
    return found


@numba.njit(cache=True, nogil=True)
def _count_fact(fitting, none, limits, seen, steps, by_value, by_date):  # type: ignore[no-untyped-def]
    """Lower the counts of the records about which a fact with one value may be drawn.

    ``fitting`` has the records and the days of the cells that fit it, by ascending day, those
    without a day last, and whether the fact may be drawn about each.
    """
    (record, day, is_drawn), (days, blanks) = fitting, limits
    n_records, n_dated = 0, 0
    for j in range(record.size):
        n_records += _enters(record[j], seen)
        n_dated += day[j] != none
    for j in range(record.size):
        _leaves(record[j], seen)
        if is_drawn[j]:
            by_value[record[j]] = min(by_value[record[j]], n_records)
            if days == FREE:
                by_date[record[j]] = min(by_date[record[j]], n_records)
    if days == FREE:
        return
    undated = record[n_dated:]
    _count_undated(undated, is_drawn[n_dated:], seen, by_date)
    if n_dated == 0:
        return
    begins, counts, queue = steps
    undated = undated if blanks else undated[:0]
    n_steps = _count_by_date(record[:n_dated], day[:n_dated], undated, days, seen, begins, counts)
    # The least count over the dates that each fact may have, which move on from cell to cell.
    front, back, entering = 0, 0, 0
    for j in range(n_dated):
        if not is_drawn[j]:
            continue
        while entering < n_steps and begins[entering] <= day[j] + days:
            while back > front and counts[queue[back - 1]] >= counts[entering]:
                back -= 1
            queue[back] = entering
            back += 1
            entering += 1
        while begins[queue[front] + 1] <= day[j] - days:
            front += 1
        by_date[record[j]] = min(by_date[record[j]], counts[queue[front]])


@numba.njit(cache=True, nogil=True)
def _count_undated(record, is_drawn, seen, by_date):  # type: ignore[no-untyped-def]
    """Lower the counts of the records about which a fact without a date may be drawn."""
    n_records = 0
    for r in record:
        n_records += _enters(r, seen)
    for j in range(record.size):
        _leaves(record[j], seen)
        if is_drawn[j]:
            by_date[record[j]] = min(by_date[record[j]], n_records)


@numba.njit(cache=True, nogil=True)
def _count_by_date(record, day, undated, days, seen, begins, counts):  # type: ignore[no-untyped-def]
    """Count the records that fit a fact by its date: a step function, and its number of steps.

    Step s reaches from ``begins[s]`` to before ``begins[s + 1]``; the last has no end. Cells that
    are `undated` always fit.
    """
    n_steps, n_records, entering, leaving = 0, 0, 0, 0
    for r in undated:
        n_records += _enters(r, seen)
    while leaving < record.size:
        ends = day[leaving] + days + 1
        if entering < record.size and day[entering] - days <= ends:
            r, at = record[entering], day[entering] - days
            n_records += _enters(r, seen)
            entering += 1
        else:
            r, at = record[leaving], ends
            n_records -= _leaves(r, seen)
            leaving += 1
        if n_steps == 0 or begins[n_steps - 1] != at:
            begins[n_steps] = at
            n_steps += 1
        counts[n_steps - 1] = n_records
    for r in undated:
        _leaves(r, seen)
    begins[n_steps] = _NEVER
    return n_steps
