"""The highest risk of each record by a single fact which may be drawn about it: exact, of all.

Whoever knows one fact about somebody finds, by Bayes' rule, each record as likely as the fact is of
it (spec §4.1): a fact is a larger part of a short record than of a long one. So a fact that few
records fit, or mostly long ones, identifies its person, whether or not it was among those drawn.
The noise counts against the person: of a cell with a date that may be off by D, the fact with the
date by which the risk is highest is taken, and likewise for values.

Invariant: the risks do not depend on the blocks of the store; sums are of whole numbers, in which
one is the smallest part of a probability that counts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Draw
from sim.adversary.targets import items_in_window
from sim.adversary.tolerance import FREE, Tolerance
from sim.numeric.compiled import njit
from sim.release.store.store import Store
from sim.release.store.threads import in_order, threads_for

_CELLS_AT_A_TIME = 1 << 22
"""Cells of whole items that are read together."""

_UNIT = 2.0**53
"""The sum of the probabilities of a fact over all records is at most this, and so is exact."""

_NEVER = np.iinfo(np.int64).max

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SingleFacts:
    """For each record the highest risk by a single fact about it; 0 where none may be drawn.

    Parameters
    ----------
    item, value, date : float64 arrays, shape (n_records,)
        By facts that consist of an item alone, of one with its value, and of one with its value and
        its date. What the adversary does not know is free.
    """

    item: Floats
    value: Floats
    date: Floats


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


def single_facts(store: Store, tolerance: Tolerance, draw: Draw, chance: Floats) -> SingleFacts:
    """Return the highest risk of each record by a single right fact about it.

    Parameters
    ----------
    draw : {"cells", "items"}
        What facts are drawn from.
    chance : float64 array, shape (n_records,)
        That a fact about a record is a certain one of those that may be drawn about it, at most 1;
        0 for records that the adversary does not take into account. See `share_of_fact`.
    """
    return _single_facts(store, tolerance, draw, chance.tobytes())


@functools.lru_cache(maxsize=8)
def _single_facts(store: Store, tolerance: Tolerance, draw: Draw, chance: bytes) -> SingleFacts:
    n, none = store.manifest.n_records, store.manifest.n_days
    items = items_known(store, tolerance)
    unit = _UNIT / max(1, int(np.asarray(store.cells, np.int64)[items].max(initial=1)))
    weight = unit * np.frombuffer(chance)
    repeated = n if store.manifest.has_repeats else 0
    by_item = draw == "items" and repeated > 0
    limits = tolerance.drawn, tolerance.chances, tolerance.days, tolerance.blanks, none

    def risks(items: Ints) -> Floats:
        found = np.zeros((3, n))
        for cells in item_cells(store, items):
            where = cells.start, cells.record, cells.level, cells.day
            own = np.zeros(repeated, np.int64), np.zeros(repeated, np.int64)
            _raise(where, weight, by_item, limits, own, *found)
        return found

    highest = np.zeros((3, n))
    for _, found in in_order(risks, _parts(store, items), threads_for(store.manifest.n_cells)):
        np.maximum(highest, found, out=highest)
    return SingleFacts(*highest)


def share_of_fact(
    store: Store, tolerance: Tolerance, draw: Draw, counted: NDArray[np.bool_]
) -> Floats:
    """Return how large a part of each record one fact is; 0 for those that do not count.

    Parameters
    ----------
    counted : bool array, shape (n_records,)
        The records that the adversary takes into account, and those that facts are drawn about.
    """
    size = items_in_window(store, tolerance.window, draw=draw)
    return np.where(counted & (size > 0), 1.0 / np.maximum(size, 1), 0.0)


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


@njit
def _copy(item_row, item_level, item_day, first, begin, end, free, record, level, day):  # type: ignore[no-untyped-def]
    """Append some items' cells in a block to those of the blocks before."""
    for a in range(begin.size):
        at = free[a]
        for k in range(begin[a], end[a]):
            record[at] = first + np.int64(item_row[k])
            level[at], day[at] = item_level[k], item_day[k]
            at += 1
        free[a] = at


@njit
def _raise(cells, weight, by_item, limits, own, best_item, best_value, best_date):  # type: ignore[no-untyped-def]
    """Raise the risks of all records that have a cell of the items.

    ``own`` holds two sums of each record, all 0; none where no record has an item several times.
    """
    start, record, level, day = cells
    drawn, chances, days, blanks, none = limits
    mine, times = own
    longest = 0
    for a in range(start.size - 1):
        longest = max(longest, start[a + 1] - start[a])
    held = np.zeros(drawn.shape[1], np.bool_)
    order = np.arange(longest)
    ours = np.empty((3, longest), np.int64)
    part = np.empty(longest)
    fitting = np.empty((4, longest), np.int64)
    steps = np.empty((3, 2 * longest + 1), np.int64)
    for a in range(start.size - 1):
        first, size = start[a], start[a + 1] - start[a]
        if days != FREE:
            _sort_by_day(day[first : start[a + 1]], none, order)
        n = 0
        held[:] = False
        for j in range(size):
            k = first + order[j]
            r = record[k]
            if weight[r] > 0:
                ours[0, n], ours[1, n], ours[2, n] = r, day[k], level[k]
                n += 1
                held[level[k]] = True
                if by_item:
                    times[r] += 1
        for j in range(n):
            r = ours[0, j]
            part[j] = weight[r] / times[r] if by_item else weight[r]
            fitting[0, j], fitting[2, j], fitting[3, j] = r, 1, _mass(part[j])
        _raise_drawn(fitting[0, :n], fitting[2, :n], fitting[3, :n], mine, best_item)
        for f in range(len(drawn)):
            if not _share_any(held, drawn[f]):
                continue
            m = 0
            for j in range(n):
                chance = chances[f, ours[2, j]]
                if chance > 0:
                    fitting[0, m], fitting[1, m] = ours[0, j], ours[1, j]
                    fitting[2, m] = drawn[f, ours[2, j]]
                    fitting[3, m] = _mass(part[j] * chance)
                    m += 1
            _raise_by_fact(fitting[:, :m], none, (days, blanks), mine, steps, best_value, best_date)
        if by_item:
            for j in range(n):
                times[ours[0, j]] = 0


@njit
def _mass(probability):  # type: ignore[no-untyped-def]
    return max(np.int64(1), np.int64(probability + 0.5))


@njit
def _put(record, mass, mine):  # type: ignore[no-untyped-def]
    """Add to the sum of a record, if records may have several cells of an item."""
    if mine.size:
        mine[record] += mass


@njit
def _higher(record, mass, whole, mine, best):  # type: ignore[no-untyped-def]
    """Raise the risk of a record to its part of the whole."""
    own = mine[record] if mine.size else mass
    best[record] = max(best[record], min(1.0, own / whole))


@njit
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


@njit
def _share_any(first, second):  # type: ignore[no-untyped-def]
    found = False
    for k in range(first.size):
        found |= first[k] and second[k]
    return found


@njit
def _raise_by_fact(fitting, none, limits, mine, steps, best_value, best_date):  # type: ignore[no-untyped-def]
    """Raise the risks of the records about which a fact with one value may be drawn.

    ``fitting`` has the records and the days of the cells that fit it, by ascending day, those
    without a day last, whether the fact may be drawn about each, and its probability then.
    """
    (record, day, is_drawn, mass), (days, blanks) = fitting, limits
    _raise_drawn(record, is_drawn, mass, mine, best_value)
    if days == FREE:
        _raise_drawn(record, is_drawn, mass, mine, best_date)
        return
    n_dated = 0
    for j in range(record.size):
        n_dated += day[j] != none
    _raise_drawn(record[n_dated:], is_drawn[n_dated:], mass[n_dated:], mine, best_date)
    if n_dated == 0:
        return
    begins, sums, queue = steps
    always = mass[n_dated:].sum() if blanks else 0
    n_steps = _sums_by_date(day[:n_dated], mass, always, days, begins, sums)
    if mine.size:
        _raise_by_pieces(fitting, n_dated, limits, begins[:n_steps], sums, best_date)
        return
    # The least sum over the dates that each fact may have, which move on from cell to cell.
    front, back, entering = 0, 0, 0
    for j in range(n_dated):
        if not is_drawn[j]:
            continue
        while entering < n_steps and begins[entering] <= day[j] + days:
            while back > front and sums[queue[back - 1]] >= sums[entering]:
                back -= 1
            queue[back] = entering
            back += 1
            entering += 1
        while begins[queue[front] + 1] <= day[j] - days:
            front += 1
        _higher(record[j], mass[j], sums[queue[front]], mine, best_date)


@njit
def _raise_by_pieces(fitting, n_dated, limits, begins, sums, best):  # type: ignore[no-untyped-def]
    """Raise the risks of records with several cells that fit a fact, of whatever date.

    As the date moves on, cells of a record begin to fit and cease to. Between two such moments, the
    risk is highest where the sum over all records is least.
    """
    (record, day, is_drawn, mass), (days, blanks) = fitting, limits
    least = _tree_of_least(sums[: begins.size])
    order = np.argsort(record, kind="mergesort")  # days stay ascending, the cells without one last
    first = 0
    while first < order.size:
        who, end, last, own = record[order[first]], first, first, 0
        while end < order.size and record[order[end]] == who:
            if order[end] < n_dated:
                last = end + 1
            elif blanks:
                own += mass[order[end]]
            end += 1
        entering, leaving, drawn = first, first, 0
        while leaving < last:
            enters = entering < last and day[order[entering]] <= day[order[leaving]] + 2 * days + 1
            if enters:
                j = order[entering]
                at = day[j] - days
                own, drawn, entering = own + mass[j], drawn + is_drawn[j], entering + 1
            else:
                j = order[leaving]
                at = day[j] + days + 1
                own, drawn, leaving = own - mass[j], drawn - is_drawn[j], leaving + 1
            if drawn:
                until = day[order[leaving]] + days + 1
                if entering < last:
                    until = min(until, day[order[entering]] - days)
                if at < until:
                    piece = np.searchsorted(begins, at), np.searchsorted(begins, until)
                    best[who] = max(best[who], min(1.0, own / _least(least, *piece)))
        first = end


@njit
def _tree_of_least(numbers):  # type: ignore[no-untyped-def]
    """Return the numbers behind the least of each two, of each two of these, and so on."""
    n = numbers.size
    tree = np.empty(2 * n, np.int64)
    tree[n:] = numbers
    for k in range(n - 1, 0, -1):
        tree[k] = min(tree[2 * k], tree[2 * k + 1])
    return tree


@njit
def _least(tree, first, last):  # type: ignore[no-untyped-def]
    """Return the least of the numbers from one place to before another."""
    n = tree.size // 2
    left, right, least = first + n, last + n, _NEVER
    while left < right:
        if left & 1:
            least = min(least, tree[left])
            left += 1
        if right & 1:
            right -= 1
            least = min(least, tree[right])
        left, right = left >> 1, right >> 1
    return least


@njit
def _raise_drawn(record, is_drawn, mass, mine, best):  # type: ignore[no-untyped-def]
    """Raise the risks of records by a fact, to their parts of all that fit it."""
    whole = mass.sum()
    for j in range(record.size):
        _put(record[j], mass[j], mine)
    for j in range(record.size):
        if is_drawn[j]:
            _higher(record[j], mass[j], whole, mine, best)
    for j in range(record.size):
        _put(record[j], -mass[j], mine)


@njit
def _sums_by_date(day, mass, always, days, begins, sums):  # type: ignore[no-untyped-def]
    """Sum the probabilities of a fact by its date: a step function, and its number of steps.

    Step s reaches from ``begins[s]`` to before ``begins[s + 1]``; the last has no end.
    """
    n_steps, whole, entering, leaving = 0, always, 0, 0
    while leaving < day.size:
        ends = day[leaving] + days + 1
        if entering < day.size and day[entering] - days <= ends:
            at = day[entering] - days
            whole += mass[entering]
            entering += 1
        else:
            at = ends
            whole -= mass[leaving]
            leaving += 1
        if n_steps == 0 or begins[n_steps - 1] != at:
            begins[n_steps] = at
            n_steps += 1
        sums[n_steps - 1] = whole
    begins[n_steps] = _NEVER
    return n_steps
