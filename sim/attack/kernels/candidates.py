"""The scan of attackers that rule records out: only records that the facts leave possible.

With at most w wrong facts, a possible record fits at least one of *any* w + 1 of them (spec §10).
So the w + 1 shortest posting lists of a block are read, the records whose cells fit are kept, and
these few are looked up in the other lists; a record is dropped once it misses more than w facts, or
lacks an item that it must hold. Every other record scores −∞ (a logarithm) or 0 (a set), so the
partial is that of `sim.attack.kernels.dense`, to the bit, except for what is counted over records
that hold any of the items: `overlapping` is −1.

Where nothing is ruled out, because too few facts can be missed, an aux set is left for the scan of
all records. Which aux sets these are depends on the aux set and the attack alone, not on the block.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from sim.adversary.aux import ANY_LENGTH
from sim.adversary.target_cells import gallop
from sim.attack.kernels.entropy_weights import SUM_LANES, halves_first
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.postings import removed_row
from sim.attack.kernels.powers import exponentials
from sim.attack.kernels.repeated_facts import (
    assignments,
    facts_about,
    likelihood_of_repeats,
    scratch_of,
)
from sim.attack.kernels.repeats import contribution_of
from sim.attack.kernels.score_forms import ALL, LEAST, LOG, finished, likelihood
from sim.attack.kernels.score_spec import DAYS_UNIT, IMPOSSIBLE, ScoreForm
from sim.attack.kernels.simd import njit, njit_inline, njit_no_nrt
from sim.attack.kernels.tiled import longest_run
from sim.numeric.bits import has_bit

_U = np.uint64  # unsigned indices need no check for wrap-around
_BOTH = int(ScoreForm.BOTH)
_RULED_OUT = IMPOSSIBLE / 2
_LEAST_POSITIVE = 5e-324
_SCAN = 32  # a list of fewer postings a row is read, not searched

# What lacking a fact's item means for a record: one fact less that fits, the end, or nothing.
_MISSES, _MUST, _FREE = 0, 1, 2


@njit_no_nrt
def _roles_of_counted(begin, end, counted, role):  # type: ignore[no-untyped-def]
    for a in range(begin, end):
        free = counted.either[a] or (counted.missed.size > 0 and counted.missed[a] > 0)
        # Without a chance of being wrong either, lacking is impossible; NaN compares false.
        must = not free and counted.lacking[a] == 0
        role[a - begin] = _FREE if free else _MUST if must else _MISSES


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
def _bound(u, begin, end, tables, form, role):  # type: ignore[no-untyped-def]
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
        role[a - begin] = _MUST if must else _FREE
    least = _RULED_OUT if form.kind == LOG else _LEAST_POSITIVE if form.kind == LEAST else 0.0
    return 0, least, -np.inf


@njit_no_nrt
def _longest_list(item, postings):  # type: ignore[no-untyped-def]
    """Most postings of any fact's item."""
    most = np.int64(0)
    for a in range(item.size):
        if item[a] >= 0:
            most = max(most, postings.item_start[item[a] + 1] - postings.item_start[item[a]])
    return most


@njit_no_nrt
def _by_length(begin, end, aux, postings, length, order):  # type: ignore[no-untyped-def]
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
def _read_counted(a, cells, postings, tables, rows, n):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    right = tables.counted.right[a]
    for k in range(_U(cells[0]), _U(cells[1])):
        place = _U(days[_U(item_day[k])]) * levels + _U(item_level[k])
        rows[_U(n)] = item_row[k]
        n += right[place] > 0
    return n


@njit_no_nrt
def _read_classes(a, cells, postings, tables, rows, n):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, choice = tables.day_class[tables.smooth.day_offset[a] :], tables.choice[a]
    for k in range(_U(cells[0]), _U(cells[1])):
        fits = choice[_U(days[_U(item_day[k])]), _U(item_level[k])] > _RULED_OUT
        rows[_U(n)] = item_row[k]
        n += fits
    return n


@njit_inline
def _agrees(contribution, least, least_value):  # type: ignore[no-untyped-def]
    value = contribution - DAYS_UNIT if contribution >= DAYS_UNIT else contribution
    return (contribution >= least) & (value >= least_value)


@njit_no_nrt
def _read_smooth(a, cells, postings, tables, least, rows, n):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    smooth = tables.smooth
    add, mul, days = smooth.add[a], smooth.mul[a], smooth.day_table[smooth.day_offset[a] :]
    for k in range(_U(cells[0]), _U(cells[1])):
        level = _U(item_level[k])
        contribution = add[level] + mul[level] * days[_U(item_day[k])]
        rows[_U(n)] = item_row[k]
        n += _agrees(contribution, least[0], least[1])
    return n


@njit_no_nrt
def _read_all(cells, postings, rows, n):  # type: ignore[no-untyped-def]
    item_row = postings.item_row
    for k in range(_U(cells[0]), _U(cells[1])):
        rows[_U(n)] = item_row[k]
        n += 1
    return n


@njit_no_nrt
def _read(a, kind, postings, aux, tables, least, mark, rows, before):  # type: ignore[no-untyped-def]
    """Append the records whose cells fit fact a, each once, to those before; mark them."""
    i, n = aux.item[a], before
    if i < 0:
        return n
    cells = postings.item_start[i], postings.item_start[i + 1]
    if kind == ALL:
        n = _read_all(cells, postings, rows, n)
    elif tables.counted.number.size > 0:
        n = _read_counted(a, cells, postings, tables, rows, n)
    elif tables.choice.shape[0] > 0:
        n = _read_classes(a, cells, postings, tables, rows, n)
    else:
        n = _read_smooth(a, cells, postings, tables, least, rows, n)
    kept = before
    for s in range(_U(before), _U(n)):
        row = _U(rows[s])
        rows[_U(kept)] = rows[s]
        kept += mark[row] == 0
        mark[row] = 1
    return kept


@njit_inline
def _next(k, high, item_row):  # type: ignore[no-untyped-def]
    """The next posting of the same row, or −1."""
    return k + 1 if k + 1 < high and item_row[_U(k + 1)] == item_row[_U(k)] else -1


@njit_no_nrt
def _find(n, rows, cells, item_row, slot, at):  # type: ignore[no-untyped-def]
    """Write the first posting of each row among an item's, or −1."""
    low, high = cells
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
def _keep_holders(n, begin, aux, holders, role, rows):  # type: ignore[no-untyped-def]
    """Keep the rows that hold the items that they must and that have bits; return their number."""
    for j in range(role.size):
        i = aux.item[begin + j]
        if role[j] != _MUST or i < 0 or holders.place[i] < 0:
            continue
        bits, kept = holders.bits[holders.place[i]], np.int64(0)
        for s in range(_U(n)):
            row = rows[s]
            rows[_U(kept)] = row
            kept += has_bit(bits, row)
        n = kept
    return n


@njit_no_nrt
def _fit_counted(a, n, at, high, postings, tables, fit):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    right = tables.counted.right[a]
    for s in range(_U(n)):
        found, k = False, np.int64(at[s])
        while k >= 0 and not found:
            place = _U(days[_U(item_day[_U(k)])]) * levels + _U(item_level[_U(k)])
            found = right[place] > 0
            k = _next(k, high, item_row)
        fit[s] = found


@njit_no_nrt
def _fit_classes(a, n, at, high, postings, tables, fit):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, choice = tables.day_class[tables.smooth.day_offset[a] :], tables.choice[a]
    for s in range(_U(n)):
        found, k = False, np.int64(at[s])
        while k >= 0 and not found:
            found = choice[_U(days[_U(item_day[_U(k)])]), _U(item_level[_U(k)])] > _RULED_OUT
            k = _next(k, high, item_row)
        fit[s] = found


@njit_no_nrt
def _fit_smooth(a, n, at, high, postings, tables, least, fit):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    smooth = tables.smooth
    add, mul, days = smooth.add[a], smooth.mul[a], smooth.day_table[smooth.day_offset[a] :]
    for s in range(_U(n)):
        found, k = False, np.int64(at[s])
        while k >= 0 and not found:
            level = _U(item_level[_U(k)])
            contribution = add[level] + mul[level] * days[_U(item_day[_U(k)])]
            found = _agrees(contribution, least[0], least[1])
            k = _next(k, high, item_row)
        fit[s] = found


@njit_no_nrt
def _fit(a, kind, n, at, high, postings, tables, least, fit):  # type: ignore[no-untyped-def]
    """Write whether each row has a cell, from posting `at` on, that fits fact a."""
    if kind == ALL:
        for s in range(n):
            fit[s] = at[s] >= 0
    elif tables.counted.number.size > 0:
        _fit_counted(a, n, at, high, postings, tables, fit)
    elif tables.choice.shape[0] > 0:
        _fit_classes(a, n, at, high, postings, tables, fit)
    else:
        _fit_smooth(a, n, at, high, postings, tables, least, fit)


@njit
def _ascending(rows, n, mark, lists):  # type: ignore[no-untyped-def]
    """Sort the rows that are marked, and take the marks away."""
    if lists > 1 and n * 64 < mark.size:
        rows[:n] = np.sort(rows[:n])
    elif lists > 1:
        at = 0
        for r in range(mark.size):
            rows[at] = r
            at += mark[r]
            if at == n:
                break
    for s in range(n):
        mark[rows[s]] = 0


@njit
def _start(begin, postings, aux, kind, tables, bound, memory):  # type: ignore[no-untyped-def]
    """Write the records that may be possible, ascending; −1 if nothing rules any out."""
    misses, least, least_value = bound
    role, length, order, mark, rows = memory
    size, missable, shortest = order.size, 0, -1
    for t in range(size):
        missable += role[order[t]] != _FREE
        if shortest < 0 and role[order[t]] == _MUST:
            shortest = order[t]
    if missable <= misses and shortest < 0:
        return -1
    n, lists = np.int64(0), 0
    if missable > misses:
        for t in range(size):
            if role[order[t]] == _FREE:
                continue
            a = begin + order[t]
            n = _read(a, kind, postings, aux, tables, (least, least_value), mark, rows, n)
            lists += 1
            if lists > misses:
                break
    if missable <= misses or (lists > 1 and shortest >= 0 and length[shortest] < n):
        # Everybody holds this one, whether it fits or not.
        for s in range(n):
            mark[rows[s]] = 0
        n, lists = (
            _read(
                begin + shortest, ALL, postings, aux, tables, (0.0, 0.0), mark, rows, np.int64(0)
            ),
            1,
        )
    _ascending(rows, n, mark, lists)
    return n


@njit_no_nrt
def _keep_candidates(u, n, first, candidates, removed, rows):  # type: ignore[no-untyped-def]
    """Keep the rows whose records are candidates at all; return their number."""
    shortest, longest, kept = candidates.shortest[u], candidates.longest[u], 0
    if removed < 0 and shortest <= 0 and longest >= ANY_LENGTH:
        return n
    for s in range(n):
        row = rows[s]
        rows[kept] = row
        kept += row != removed and shortest <= candidates.length[first + row] <= longest
    return kept


@njit_no_nrt
def _keep_fitting(n, misses, role, t, scratch, order, place):  # type: ignore[no-untyped-def]
    """Keep the rows that miss few enough after fact order[t]; return their number."""
    rows, missed, at, fit = scratch
    j, kept = order[t], np.int64(0)
    for s in range(n):
        after = missed[s] + (role[j] != _FREE and fit[s] == 0)
        if after > misses or (at[s] < 0 and role[j] == _MUST):
            continue
        if kept < s:
            rows[kept] = rows[s]
            for before in range(t):
                place[kept, order[before]] = place[s, order[before]]
        missed[kept], place[kept, j] = after, at[s]
        kept += 1
    return kept


@njit_no_nrt
def _look_up(n, begin, kind, postings, holders, aux, tables, bound, memory, place):  # type: ignore[no-untyped-def]
    """Find the cells of each record, and keep those that miss few enough; return their number.

    ``place[s, j]`` is the first posting of row s of fact j's item, or −1. Facts that are ``known``
    have been looked up already.
    """
    misses, least, least_value = bound
    role, order, scratch, slot, known = memory
    rows, _, at, fit = scratch
    for t in range(known, order.size):
        a, i = begin + order[t], aux.item[begin + order[t]]
        if kind == ALL and (role[order[t]] == _FREE or (i >= 0 and holders.place[i] >= 0)):
            continue  # that they hold it is known, or means nothing
        cells = np.int64(0), np.int64(0)
        if i >= 0:
            cells = postings.item_start[i], postings.item_start[i + 1]
        _find(n, rows, cells, postings.item_row, slot, at)
        if role[order[t]] != _FREE:
            _fit(a, kind, n, at, cells[1], postings, tables, (least, least_value), fit)
        n = _keep_fitting(n, misses, role, t, scratch, order, place)
    return n


@njit
def _total_of_repeats(u, record, begin, end, postings, aux, tables, place):  # type: ignore[no-untyped-def]
    counted = tables.counted
    holds, polynomials = np.zeros(end - begin, np.bool_), np.zeros(2 * (end - begin))
    scratch = scratch_of(begin, end, counted.leader)
    at = 0
    for a in range(begin, end):
        if counted.leader[a] != a:
            continue
        k, first = facts_about(a, end, counted.leader, scratch[0]), place[a - begin]
        if first >= 0:
            high, stop = postings.item_start[aux.item[a] + 1], np.int64(first)
            while stop >= 0:
                last, stop = stop, _next(stop, high, postings.item_row)
            cells = postings.item_level, postings.item_day, np.int64(first), last + 1
            assignments(k, cells, tables, scratch, polynomials[at:])
            holds[a - begin] = True
        at += k + 1
    ways = np.empty(counted.number[u] + 1, np.float64)
    return likelihood_of_repeats(record, begin, end, holds, polynomials, counted, u, ways)


@njit_no_nrt
def _likelihoods(u, n, facts, postings, tables, rows, place, scratch, total):  # type: ignore[no-untyped-def]
    """Log likelihoods, as `sim.attack.kernels.dense` computes them; of alike records once.

    ``known`` has a place for every combination of cells, or none.
    """
    (begin, end), (code, ways, known), counted = facts, scratch, tables.counted
    item_level, item_day, levels = postings.item_level, postings.item_day, counted.levels
    days, offset, radix = tables.day_class, tables.smooth.day_offset, counted.right.shape[1] + 1
    for s in range(n):
        which = np.int64(0)
        for a in range(begin, end):
            k = np.int64(place[s, a - begin])
            code[a - begin] = 0
            if k >= 0:
                code[a - begin] = 1 + days[offset[a] + item_day[k]] * levels + item_level[k]
            which = which * radix + code[a - begin]
        if known.size == 0:
            total[s] = likelihood(postings.first + rows[s], begin, end, code, counted, u, ways)
            continue
        if known[which] != known[which]:  # NaN: not known yet
            known[which] = likelihood(
                postings.first + rows[s], begin, end, code, counted, u, ways
            )  # fmt: skip
        total[s] = known[which]


@njit
def _room_for_known(n, size, counted):  # type: ignore[no-untyped-def]
    """Memory for the likelihoods of all combinations of cells, where many records share them."""
    combinations = 1
    for _ in range(size):
        combinations *= counted.right.shape[1] + 1
        if 2 * combinations > n:
            return np.empty(0)
    # Where wrong items are drawn, or own ones counted, likelihoods are each record's own.
    own = counted.mass.shape[0] > 0 or counted.eligible.shape[0] > 0
    return np.empty(0) if own else np.full(combinations, np.nan)


@njit
def _likelihoods_of_repeats(u, n, facts, postings, aux, tables, rows, place, total):  # type: ignore[no-untyped-def]
    for s in range(n):
        total[s] = _total_of_repeats(
            u, postings.first + rows[s], facts[0], facts[1], postings, aux, tables, place[s]
        )


@njit_no_nrt
def _sums(n, facts, kind, postings, aux, tables, place, total):  # type: ignore[no-untyped-def]
    """Sums of contributions, or the least of them, of the best cells for each fact."""
    begin, end = facts
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    for s in range(n):
        total[s] = np.inf if kind == LEAST else 0.0
    for a in range(begin, end):
        if aux.item[a] < 0:
            continue
        high = postings.item_start[aux.item[a] + 1]
        for s in range(n):
            k, best = np.int64(place[s, a - begin]), -np.inf
            if k < 0:
                continue
            while k >= 0:
                best = max(best, contribution_of(a, item_level[k], item_day[k], tables))
                k = _next(k, high, item_row)
            total[s] = min(total[s], best) if kind == LEAST else total[s] + best


@njit
def _score(u, n, facts, postings, aux, tables, form, rows, place, score):  # type: ignore[no-untyped-def]
    """Scores of the records, as `sim.attack.kernels.dense` computes them."""
    counted = tables.counted
    if counted.leader.size > 0:
        _likelihoods_of_repeats(u, n, facts, postings, aux, tables, rows, place, score)
    elif counted.number.size > 0:
        size = facts[1] - facts[0]
        known = _room_for_known(n, size, counted)
        scratch = np.zeros(size, np.uint32), np.empty(counted.number[u] + 1), known
        _likelihoods(u, n, facts, postings, tables, rows, place, scratch, score)
    elif form.kind != ALL:
        _sums(n, facts, form.kind, postings, aux, tables, place, score)
    _finish(u, n, postings.first, form, rows, score)


@njit_no_nrt
def _finish(u, n, first, form, rows, score):  # type: ignore[no-untyped-def]
    feature, need = form.feature, form.need
    values = need[u, 0] if need.shape[0] else 0.0
    days = need[u, 1] if need.shape[0] else 0.0
    group = form.group[u] if feature.shape[0] else 0
    for s in range(n):
        of_record = feature[group, first + rows[s]] if feature.shape[0] else 0.0
        # Who is left holds all that is required.
        score[s] = finished(form.kind, score[s], True, form.base[u], of_record, values, days)


@njit_no_nrt
def _others(u, postings, candidates, removed):  # type: ignore[no-untyped-def]
    """Candidates of the block, and the lowest row of one; −1 without any."""
    shortest, longest, n = candidates.shortest[u], candidates.longest[u], postings.n_records
    if shortest <= 0 and longest >= ANY_LENGTH:
        number = n - 1 if removed >= 0 else n
        return number, (1 if removed == 0 else 0) if number > 0 else -1
    number, lowest = 0, -1
    for r in range(n):
        length = candidates.length[postings.first + r]
        if r != removed and shortest <= length <= longest:
            number += 1
            if lowest < 0:
                lowest = r
    return number, lowest


@njit_no_nrt
def _moments(n, rows, score, lane_sums, o):  # type: ignore[no-untyped-def]
    lane_sums[:] = 0.0
    for s in range(n):
        lane = _U(rows[s]) % _U(WIDTH)
        lane_sums[lane] += score[s]
        lane_sums[_U(WIDTH) + lane] += score[s] * score[s]
    o["sum"] = o["overlapping_sum"] = halves_first(lane_sums[:WIDTH])
    o["sum_squares"] = o["overlapping_squares"] = halves_first(lane_sums[WIDTH:])


@njit_no_nrt
def _exponential_sums(n, rows, score, best, scratch, o):  # type: ignore[no-untyped-def]
    """As `sim.attack.kernels.dense`, of the records whose exponentials are not 0."""
    gap, weight, sums = scratch
    for s in range(n):
        gap[s] = score[s] - best
    exponentials(gap, n, weight)
    if n == 1:
        o["exp"], o["exp_squares"], o["exp_scores"] = weight[0], weight[0] * weight[0], 0.0
    else:
        sums[:] = 0.0
        for s in range(n):
            w, lane = weight[s], _U(rows[s]) % _U(SUM_LANES)
            sums[0, lane] += w
            sums[1, lane] += w * w
            sums[2, lane] += gap[s] * w
        o["exp"], o["exp_squares"] = halves_first(sums[0]), halves_first(sums[1])
        o["exp_scores"] = halves_first(sums[2])
    # Every possible record holds an item of the aux.
    o["overlapping_exp"], o["overlapping_exp_squares"] = o["exp"], o["exp_squares"]


@njit_no_nrt
def _write(n, rows, score, first, everyone, bounds, floor, o):  # type: ignore[no-untyped-def]
    """Write all but the sums: the records' scores are given, everyone else scores the floor."""
    (n_candidates, lowest), (own, matching_above) = everyone, bounds
    best, second, ties, best_row = -np.inf, -np.inf, np.int64(0), np.int64(-1)
    matching, at_least, above, one = np.int64(0), np.int64(0), np.int64(0), np.int64(1)
    for s in range(n):
        x = score[s]
        matching += x > matching_above
        at_least += x >= own
        above += x > own
        if x > best or ties == 0:
            second, best, ties, best_row = best, x, one, np.int64(rows[s])
        elif x == best:
            second = best
            ties += 1
        elif x > second:
            second = x
    others = n_candidates - n
    if others > 0:
        matching += others * (floor > matching_above)
        at_least += others * (floor >= own)
        above += others * (floor > own)
        if ties == 0 or floor > best:
            best, ties = floor, np.int64(0)
        if floor == best:
            second = floor if ties + others > 1 else -np.inf
            ties += others
            best_row = lowest  # no candidate scores less than the floor
        else:
            second = max(second, floor)
    o["candidates"], o["matching"], o["overlapping"] = n_candidates, matching, -1
    o["at_least"], o["above"] = at_least, above
    o["best"], o["second"], o["ties"] = best, second, ties
    o["best_record"] = first + best_row if best_row >= 0 else -1
    o["overlapping_best"], o["overlapping_least"] = -np.inf, np.inf


@njit_no_nrt
def _possible(n, rows, score, possible):  # type: ignore[no-untyped-def]
    """Keep the records that are not ruled out after all; return their number."""
    kept = 0
    for s in range(n):
        possible[kept], score[kept] = rows[s], score[s]
        kept += score[s] > -np.inf
    return kept


@njit_no_nrt
def _goes_on(u, aux, candidates, tables, misses):  # type: ignore[no-untyped-def]
    """Whether the facts of aux set u are those of the one before and more, about the same record.

    Then nobody is possible whom the facts before rule out: these few need not be found again.
    """
    if u == 0 or tables.counted.number.size == 0 or tables.counted.leader.size > 0:
        return False
    counted, offset = tables.counted, tables.smooth.day_offset
    first, begin, end = aux.start[u - 1], aux.start[u], aux.start[u + 1]
    size = begin - first
    alike = 0 < size < end - begin and counted.number[u - 1] >= min(misses, size)
    alike &= candidates.removed[u - 1] == candidates.removed[u]
    alike &= candidates.shortest[u - 1] == candidates.shortest[u]
    alike &= candidates.longest[u - 1] == candidates.longest[u]
    if not alike:
        return False
    for j in range(size):
        a, b = first + j, begin + j
        # The wrong ones say whether lacking an item is possible.
        same = aux.item[a] == aux.item[b] and offset[a] == offset[b]
        same &= counted.either[a] == counted.either[b]
        same &= (counted.lacking[a] == 0) == (counted.lacking[b] == 0)
        if not same:
            return False
        for place in range(counted.right.shape[1]):
            if (counted.right[a, place] > 0) != (counted.right[b, place] > 0):
                return False
    return True


@njit_no_nrt
def _order_after(size, order):  # type: ignore[no-untyped-def]
    """Put the first facts first, the others by the lengths of their lists as they are."""
    at = order.size - 1
    for t in range(order.size - 1, -1, -1):
        if order[t] >= size:
            order[at] = order[t]
            at -= 1
    for j in range(size):
        order[j] = j


@njit_no_nrt
def _keep_highest(n, rows, score, first, record, highest):  # type: ignore[no-untyped-def]
    """Write the records with the highest scores, from the highest down; of equal ones the first."""
    if highest.size == 0:
        return
    for s in range(n):
        at = highest.size
        while at > 0 and score[s] > highest[at - 1]:
            at -= 1
        if at == highest.size:
            continue
        for k in range(highest.size - 1, at, -1):
            highest[k], record[k] = highest[k - 1], record[k - 1]
        highest[at], record[at] = score[s], first + rows[s]


@njit
def scan_candidates(  # type: ignore[no-untyped-def]
    postings, holders, aux, candidates, tables, form, matching_above, own, out, highest
):
    """Partials of the aux sets whose facts rule records out; the other rows are left alone.

    A row that is written has −1 records that overlap. ``highest`` has the records with the highest
    scores, and these, for each aux set, from the highest down: −1 and −∞ where fewer are possible.
    """
    n_records, facts, is_log = postings.n_records, longest_run(aux.start), form.kind == LOG
    floor = -np.inf if is_log else 0.0
    roles, lengths = np.empty(facts, np.int64), np.empty(facts, np.int64)
    orders = np.empty(facts, np.int64)
    rows = np.empty(n_records + _longest_list(aux.item, postings) + 1, np.int64)
    at, slot = np.empty(n_records + 1, np.int32), np.full(n_records, n_records, np.int32)
    missed, fit = np.empty(n_records, np.uint8), np.empty(n_records, np.uint8)
    mark, place = np.zeros(n_records + 1, np.uint8), np.empty((n_records + 1, facts), np.int32)
    score, lane_sums = np.empty(n_records), np.empty(2 * WIDTH)
    scratch = np.empty(n_records), np.empty(n_records), np.empty((3, SUM_LANES))
    possible, kept = np.empty(n_records + 1, np.int64), np.int64(-1)
    for u in range(aux.start.size - 1):
        begin, end = aux.start[u], aux.start[u + 1]
        size = end - begin
        role, length, order = roles[:size], lengths[:size], orders[:size]
        bound = _bound(u, begin, end, tables, form, role)
        _by_length(begin, end, aux, postings, length, order)
        removed = removed_row(candidates.removed[u], postings.first, n_records)
        known = 0
        # Else the shortest list leads to fewer.
        fewer = size > 0 and 0 <= kept < length[order[0]]
        if fewer and _goes_on(u, aux, candidates, tables, bound[0]):
            n, known = kept, aux.start[u] - aux.start[u - 1]
            _order_after(known, order)
        else:
            memory = role, length, order, mark, rows
            n = _start(begin, postings, aux, form.kind, tables, bound, memory)
            kept = n
            if n < 0:
                continue
            n = _keep_candidates(u, n, postings.first, candidates, removed, rows)
            n = _keep_holders(n, begin, aux, holders, role, rows)
            missed[:n] = 0
        found = role, order, (rows, missed, at, fit), slot, known
        n = _look_up(n, begin, form.kind, postings, holders, aux, tables, bound, found, place)
        kept = n
        _score(u, n, (begin, end), postings, aux, tables, form, rows, place, score)
        n = _possible(n, rows, score, possible)
        _keep_highest(n, possible, score, postings.first, highest[0][u], highest[1][u])
        everyone = _others(u, postings, candidates, removed)
        bounds = own[u], matching_above
        _write(n, possible, score, postings.first, everyone, bounds, floor, out[u])
        if not is_log:
            _moments(n, possible, score, lane_sums, out[u])
        elif n > 0:
            _exponential_sums(n, possible, score, out[u]["best"], scratch, out[u])
