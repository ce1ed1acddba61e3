"""The records of a block that the facts of an aux set leave possible (spec §10).

With at most w wrong facts, a possible record fits at least one of *any* w + 1 of them. So the w + 1
shortest posting lists are read, and the records whose cells fit are marked, a bit each. Those that
lack an item they must hold are unmarked where a bit says so, and the few that are left are looked
up in the other lists; a record is dropped once it misses more than w facts, or lacks an item after
all.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from sim.adversary.aux import ANY_LENGTH
from sim.adversary.target_cells import gallop
from sim.attack.kernels.fitting import (
    class_fits,
    counted_fits,
    read_fitting,
    read_list,
    smooth_fits,
)
from sim.attack.kernels.postings import same_removed
from sim.attack.kernels.repeated_facts import may_lack
from sim.attack.kernels.score_forms import ALL, LEAST, LOG
from sim.attack.kernels.score_spec import DAYS_UNIT, RULED_OUT, ScoreForm
from sim.attack.kernels.simd import njit_inline, njit_no_nrt
from sim.attack.kernels.wrong_chances import are_drawn
from sim.numeric.bits import has_bit, popcount, set_bits, take_bits

_U = np.uint64  # unsigned indices need no check for wrap-around
_BOTH = int(ScoreForm.BOTH)
_LEAST_POSITIVE = 5e-324
_SCAN = 32  # a list of fewer postings a row is read, not searched

# What lacking a fact's item means for a record: one fact less that fits, the end, or nothing.
_MISSES, MUST, _FREE = 0, 1, 2
_READ = 8  # postings compared in the time of looking one record up


@njit_no_nrt
def _roles_of_counted(begin, end, counted, role):  # type: ignore[no-untyped-def]
    for a in range(begin, end):
        free = counted.either[a] or (counted.missed.size > 0 and counted.missed[a] > 0)
        must = not free and not may_lack(a, counted)
        role[a - begin] = _FREE if free else MUST if must else _MISSES


@njit_no_nrt
def _agreement_needed(u, begin, end, form, mul):  # type: ignore[no-untyped-def]
    """Wrong facts that a neighbourhood tolerates, and what a fact that fits contributes.

    A fact fits by its value, by its day or by both, whatever leaves the fewest that need not; on a
    tie what fewer cells do. The result ends with the least total and the least part of the value.
    """
    size = end - begin
    by_value = max(math.ceil(form.need[u, 0]), 0)
    by_day = max(math.ceil(form.need[u, 1]), 0)
    by_both = max(by_value + by_day - size, 0)
    dated = False
    for a in range(begin, end):
        dated |= mul[a, 0] != 0.0
    most = max(by_value, by_day, by_both)
    if most == 0:
        return size, 0.0, 0.0
    if by_both == most:
        return size - most, DAYS_UNIT + 1.0, 1.0
    if by_day == most and (dated or by_value < most):
        return size - most, DAYS_UNIT, 0.0
    return size - most, 1.0, 1.0


@njit_no_nrt
def bound_of(u, begin, end, tables, form, role):  # type: ignore[no-untyped-def]
    """Write the role of each fact; return the facts a record may miss, and what fits.

    What fits is the least contribution, and the least part of it that is a value's.
    """
    counted = tables.counted
    if counted.number.size > 0:
        _roles_of_counted(begin, end, counted, role)
        return counted.number[u], 0.0, 0.0
    if form.kind == _BOTH:
        role[: end - begin] = _MISSES
        return _agreement_needed(u, begin, end, form, tables.smooth.mul)
    for a in range(begin, end):
        must = form.required.shape[0] > 0 and form.required[a]
        role[a - begin] = MUST if must else _FREE
    least = RULED_OUT if form.kind == LOG else _LEAST_POSITIVE if form.kind == LEAST else 0.0
    return 0, least, -np.inf


@njit_no_nrt
def by_length(begin, end, aux, postings, length, order):  # type: ignore[no-untyped-def]
    """Write the length of each fact's list, and the facts from the shortest to the longest."""
    for a in range(begin, end):
        i, j = aux.item[a], a - begin
        length[j] = postings.item_start[i + 1] - postings.item_start[i] if i >= 0 else 0
        at = j
        while at > 0 and length[order[at - 1]] > length[j]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = j


@njit_no_nrt
def cells_of(i, postings):  # type: ignore[no-untyped-def]
    """The range of an item's postings."""
    if i < 0:
        return np.int64(0), np.int64(0)
    return postings.item_start[i], postings.item_start[i + 1]


@njit_no_nrt
def shortest_that_must(role, order):  # type: ignore[no-untyped-def]
    """The fact about an item that a record must hold whose list is the shortest, or −1."""
    for t in range(order.size):
        if role[order[t]] == MUST:
            return order[t]
    return -1


@njit_no_nrt
def to_read(misses, role, order):  # type: ignore[no-untyped-def]
    """Facts whose lists have to be read for those that fit: ``order[:n]`` but for free ones.

    0 if all may be missed.
    """
    found, n = 0, 0
    while n < order.size and found <= misses:
        found += role[order[n]] != _FREE
        n += 1
    return n if found > misses else 0


@njit_no_nrt
def nobody_holds_enough(begin, misses, aux, postings, role):  # type: ignore[no-untyped-def]
    """Whether too many of the facts are about items that nobody in the block holds."""
    missed = np.int64(0)
    for j in range(role.size):
        i = aux.item[begin + j]
        if i >= 0 and postings.item_start[i] < postings.item_start[i + 1]:
            continue
        if role[j] == MUST:
            return True
        missed += role[j] != _FREE
    return missed > misses


@njit_no_nrt
def _unmark(begin, aux, holders, role, marks):  # type: ignore[no-untyped-def]
    """Take the marks of records that lack an item which they must hold, where bits say so."""
    for j in range(role.size):
        i = aux.item[begin + j]
        if role[j] != MUST or i < 0 or holders.place[i] < 0:
            continue
        bits = holders.bits[holders.place[i]]
        for w in range(_U(bits.size)):
            marks[w] &= bits[w]


@njit_no_nrt
def _keep_holders(n, begin, aux, holders, role, order, rows):  # type: ignore[no-untyped-def]
    """As `_unmark`, of rows that are few; return their number."""
    for t in range(order.size):
        i = aux.item[begin + order[t]]
        if role[order[t]] != MUST or i < 0 or holders.place[i] < 0:
            continue
        bits, kept = holders.bits[holders.place[i]], np.int64(0)
        for s in range(_U(n)):
            row = rows[s]
            rows[_U(kept)] = row
            kept += has_bit(bits, row)
        n = kept
    return n


@njit_no_nrt
def who_hold(begin, postings, aux, holders, role, order, marks, rows):  # type: ignore[no-untyped-def]
    """Write the records that hold an item, ascending, but for those known to lack another.

    The item is that of the fact with the shortest list of those that a record must hold.
    """
    shortest = shortest_that_must(role, order)
    others = False
    for j in range(role.size):
        i = aux.item[begin + j]
        others |= j != shortest and role[j] == MUST and i >= 0 and holders.place[i] >= 0
    i = aux.item[begin + shortest]
    low, high = cells_of(i, postings)
    if others and high - low >= marks.size and holders.place[i] >= 0:
        bits = holders.bits[holders.place[i]]
        for w in range(_U(bits.size)):
            marks[w] = bits[w]
        _unmark(begin, aux, holders, role, marks)
        return take_bits(marks, rows)
    n = read_list((low, high), postings, rows)
    if n > 1 and holders.before.shape[0] == 0:  # a record may stand there twice
        set_bits(rows, 0, n, marks)
        n = take_bits(marks, rows)
    return _keep_holders(n, begin, aux, holders, role, order, rows) if others else n


@njit_no_nrt
def start_rows(begin, postings, aux, holders, kind, tables, bound, memory):  # type: ignore[no-untyped-def]
    """Write the records that may be possible, ascending; −1 if nothing rules any out."""
    misses, least, least_value = bound
    role, length, order, marks, room, rows = memory
    read, shortest = to_read(misses, role, order), shortest_that_must(role, order)
    if read == 0 and shortest < 0:
        return np.int64(-1)
    marked = np.int64(0)
    for t in range(read):
        if role[order[t]] == _FREE:
            continue
        a = begin + order[t]
        cells = cells_of(aux.item[a], postings)
        if cells[0] == cells[1]:
            continue
        n = read_fitting(a, cells, kind, postings, tables, (least, least_value), room, rows)
        set_bits(rows, 0, n, marks)
        marked += n
    if read == 0 or (read > 1 and shortest >= 0 and length[shortest] < marked):
        # Everybody holds this one, whether it fits or not.
        if marked > 0:
            marks[:] = 0
        return who_hold(begin, postings, aux, holders, role, order, marks, rows)
    if marked == 0:
        return np.int64(0)
    if marked < marks.size:
        return _keep_holders(take_bits(marks, rows), begin, aux, holders, role, order, rows)
    _unmark(begin, aux, holders, role, marks)
    return take_bits(marks, rows)


@njit_no_nrt
def is_fewer(n, misses, role, length, order):  # type: ignore[no-untyped-def]
    """Whether so many records are looked up sooner than lists are read for those that fit."""
    postings, read = np.int64(0), to_read(misses, role, order)
    for t in range(read):
        postings += length[order[t]]
    if read == 0:
        postings = _READ * length[order[0]]
    return _READ * n < postings


@njit_inline
def next_of_row(k, high, item_row):  # type: ignore[no-untyped-def]
    """The next posting of the same row, or −1."""
    return k + 1 if k + 1 < high and item_row[_U(k + 1)] == item_row[_U(k)] else -1


@njit_no_nrt
def _find_by_bits(n, rows, low, bits, before, at):  # type: ignore[no-untyped-def]
    for s in range(_U(n)):
        row = _U(rows[s])
        word, place = bits[row >> _U(6)], row & _U(63)
        k = low + before[row >> _U(6)] + np.int64(popcount(word & ((_U(1) << place) - _U(1))))
        at[s] = k if (word >> place) & _U(1) else -1


@njit_no_nrt
def find(n, rows, i, postings, holders, slot, at):  # type: ignore[no-untyped-def]
    """Write the first posting of each row among an item's, or −1."""
    low, high = cells_of(i, postings)
    item_row = postings.item_row
    if i >= 0 and holders.place[i] >= 0 and holders.before.shape[0] > 0:
        place = holders.place[i]
        _find_by_bits(n, rows, low, holders.bits[place], holders.before[place], at)
        return
    if (high - low) < _SCAN * n:
        # The slot of every row that is not wanted is the last place of `at`.
        nowhere = at.size - 1
        for s in range(_U(n)):
            slot[_U(rows[s])], at[s] = s, -1
        for k in range(high - 1, low - 1, -1):  # downwards: of several the first is left
            at[_U(slot[_U(item_row[_U(k)])])] = k
        for s in range(_U(n)):
            slot[_U(rows[s])] = nowhere
        return
    for s in range(_U(n)):
        row = rows[s]
        low = gallop(item_row, low, high, row)
        at[s] = low if low < high and item_row[_U(low)] == row else -1


@njit_no_nrt
def _code_counted(a, n, at, postings, tables, fit):  # type: ignore[no-untyped-def]
    """Write whether each row's one cell fits; put its place in the tables for its posting."""
    item_level, item_day = postings.item_level, postings.item_day
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    right = tables.counted.right[a]
    for s in range(_U(n)):
        k, fit[s] = np.int64(at[s]), False
        if k >= 0:
            place = _U(days[_U(item_day[_U(k)])]) * levels + _U(item_level[_U(k)])
            at[s], fit[s] = place, right[place] > 0


@njit_no_nrt
def _fit_one_cell(a, n, at, postings, tables, fit):  # type: ignore[no-untyped-def]
    """Write whether each row's one cell fits."""
    item_level, item_day = postings.item_level, postings.item_day
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    right = tables.counted.right[a]
    for s in range(_U(n)):
        k, fit[s] = np.int64(at[s]), False
        if k >= 0:
            fit[s] = counted_fits(item_level[_U(k)], item_day[_U(k)], days, levels, right)


@njit_no_nrt
def _fit_counted(a, n, at, high, postings, tables, fit):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    right = tables.counted.right[a]
    for s in range(_U(n)):
        found, k = False, np.int64(at[s])
        while k >= 0 and not found:
            found = counted_fits(item_level[_U(k)], item_day[_U(k)], days, levels, right)
            k = next_of_row(k, high, item_row)
        fit[s] = found


@njit_no_nrt
def _fit_classes(a, n, at, high, postings, tables, fit):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, choice = tables.day_class[tables.smooth.day_offset[a] :], tables.choice[a]
    for s in range(_U(n)):
        found, k = False, np.int64(at[s])
        while k >= 0 and not found:
            found = class_fits(item_level[_U(k)], item_day[_U(k)], days, choice)
            k = next_of_row(k, high, item_row)
        fit[s] = found


@njit_no_nrt
def _fit_smooth(a, n, at, high, postings, tables, least, fit):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    smooth = tables.smooth
    add, mul, days = smooth.add[a], smooth.mul[a], smooth.day_table[smooth.day_offset[a] :]
    for s in range(_U(n)):
        found, k = False, np.int64(at[s])
        while k >= 0 and not found:
            found = smooth_fits(item_level[_U(k)], item_day[_U(k)], days, add, mul, least)
            k = next_of_row(k, high, item_row)
        fit[s] = found


@njit_no_nrt
def are_coded(counted):  # type: ignore[no-untyped-def]
    """Whether all that matters of a record's cells are their places in the tables."""
    return counted.number.size > 0 and counted.leader.size == 0 and not are_drawn(counted)


@njit_no_nrt
def _fit(a, kind, n, at, high, postings, tables, least, fit):  # type: ignore[no-untyped-def]
    """Write whether each row has a cell, from posting `at` on, that fits fact a."""
    if kind == ALL:
        for s in range(n):
            fit[s] = at[s] >= 0
    elif are_coded(tables.counted):
        _code_counted(a, n, at, postings, tables, fit)
    elif tables.counted.number.size > 0 and tables.counted.leader.size == 0:
        _fit_one_cell(a, n, at, postings, tables, fit)
    elif tables.counted.number.size > 0:
        _fit_counted(a, n, at, high, postings, tables, fit)
    elif tables.choice.shape[0] > 0:
        _fit_classes(a, n, at, high, postings, tables, fit)
    else:
        _fit_smooth(a, n, at, high, postings, tables, least, fit)


@njit_no_nrt
def all_are_candidates(u, candidates, removed):  # type: ignore[no-untyped-def]
    """Whether every record of the block is a candidate."""
    shortest, longest = candidates.shortest[u], candidates.longest[u]
    return removed.size == 0 and shortest <= 0 and longest >= ANY_LENGTH


@njit_no_nrt
def keep_candidates(u, n, first, candidates, removed, rows):  # type: ignore[no-untyped-def]
    """Keep the rows whose records are candidates at all; return their number."""
    shortest, longest, kept, k = candidates.shortest[u], candidates.longest[u], 0, 0
    if all_are_candidates(u, candidates, removed):
        return n
    for s in range(n):
        row = rows[s]
        while k < removed.size and removed[k] < row:
            k += 1
        stays = k == removed.size or removed[k] != row
        rows[kept] = row
        kept += stays and shortest <= candidates.length[first + row] <= longest
    return kept


@njit_no_nrt
def _keep_fitting(n, misses, role, t, scratch, order, place):  # type: ignore[no-untyped-def]
    """Keep the rows that miss few enough after fact order[t]; return their number."""
    rows, missed, at, fit = scratch
    j, kept = order[t], np.int64(0)
    for s in range(n):
        after = missed[s] + (role[j] != _FREE and fit[s] == 0)
        if after > misses or (at[s] < 0 and role[j] == MUST):
            continue
        if kept < s:
            rows[kept] = rows[s]
            for before in range(t):
                place[kept, order[before]] = place[s, order[before]]
        missed[kept], place[kept, j] = after, at[s]
        kept += 1
    return kept


@njit_no_nrt
def look_up(n, begin, kind, postings, holders, aux, tables, bound, memory, place):  # type: ignore[no-untyped-def]
    """Find the cells of each record, and keep those that miss few enough; return their number.

    ``place[s, j]`` is the first posting of row s of fact j's item, or −1; where likelihoods are
    counted, a record has one cell of an item and its day matters by its class alone, it is that
    cell's place in the tables. Facts that
    are ``known`` have been looked up already.
    """
    misses, least, least_value = bound
    role, order, scratch, slot, known = memory
    rows, _, at, fit = scratch
    coded = are_coded(tables.counted)
    for t in range(known, order.size):
        a, i = begin + order[t], aux.item[begin + order[t]]
        if kind == ALL and (role[order[t]] == _FREE or (i >= 0 and holders.place[i] >= 0)):
            continue  # that they hold it is known, or means nothing
        find(n, rows, i, postings, holders, slot, at)
        if coded or role[order[t]] != _FREE:
            high = cells_of(i, postings)[1]
            _fit(a, kind, n, at, high, postings, tables, (least, least_value), fit)
        n = _keep_fitting(n, misses, role, t, scratch, order, place)
    return n


@njit_no_nrt
def goes_on(u, aux, candidates, tables, misses):  # type: ignore[no-untyped-def]
    """Whether the facts of aux set u are those of the one before and more, about the same record.

    Then nobody is possible whom the facts before rule out: these few need not be found again.
    """
    if u == 0 or tables.counted.number.size == 0 or tables.counted.leader.size > 0:
        return False
    counted, offset = tables.counted, tables.smooth.day_offset
    first, begin, end = aux.start[u - 1], aux.start[u], aux.start[u + 1]
    size = begin - first
    most = counted.number[u - 1]
    alike = 0 < size < end - begin and most >= min(misses, size)
    alike &= same_removed(u, candidates)
    alike &= candidates.shortest[u - 1] == candidates.shortest[u]
    alike &= candidates.longest[u - 1] == candidates.longest[u]
    if not alike:
        return False
    for j in range(size):
        a, b = first + j, begin + j
        # The wrong ones say whether lacking an item is possible.
        same = aux.item[a] == aux.item[b] and offset[a] == offset[b]
        same &= counted.either[a] == counted.either[b]
        same &= may_lack(a, counted) == may_lack(b, counted)
        if not same:
            return False
        for place in range(counted.right.shape[1]):
            if (counted.right[a, place] > 0) != (counted.right[b, place] > 0):
                return False
    return True


@njit_no_nrt
def order_after(size, order):  # type: ignore[no-untyped-def]
    """Put the first facts first, the others by the lengths of their lists as they are."""
    at = order.size - 1
    for t in range(order.size - 1, -1, -1):
        if order[t] >= size:
            order[at] = order[t]
            at -= 1
    for j in range(size):
        order[j] = j
