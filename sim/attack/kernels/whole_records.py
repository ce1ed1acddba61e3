"""Scores of whole records: facts about visible and hidden cells, whose times hang together (§12).

A record that shows a fact's item shows the cell that the fact is about; else that cell is hidden,
as no item repeats. Either way the fact is right or wrong, so each has two weights, and a record's
likelihood is the sum over which of the facts are wrong, times the chance of as many hidden ones.

Times are not multiplied: a right fact narrows the window of its cell, or adds one for a hidden
cell, and the next fact is weighed by what the record's times are then
(`sim.adversary.time_channel`). That costs some hundred passes over a record's times for every fact,
so all records are scored first as if facts were independent, and only those that come near the best
of their block again.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.time_channel import (
    chance_of_hidden,
    chance_of_visible,
    sharpen,
    sum_up_weights,
)
from sim.numeric.compiled import njit
from sim.numeric.elementary import log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOT_KNOWN, NO_TIME = -1, -2
"""`FactWeights.reach` of a fact without a time: it says nothing of it, or its cell has none."""

NEAR_BEST = 1e-8
"""Share of the best independent likelihood of a block from which a record is scored again."""


class FactWeights(NamedTuple):
    """What is known of A facts, but for times.

    Parameters
    ----------
    item : int64 array, shape (A,)
        −1: the release does not hold it.
    time : int64 array, shape (A,)
        Code of the original, where `reach` is not negative.
    reach : int64 array, shape (A,)
        The most by which the time may be off; `NOT_KNOWN` or `NO_TIME` without one.
    right, inside : float64 arrays, shape (A, L + 1)
        By the level of the visible cell: chance of the known value, and that the true value is
        within the attacker's error of it.
    wrong : float64 array, shape (A,)
        Chance of a wrong fact about the item.
    hidden, hidden_wrong : float64 arrays, shape (A,)
        Chance of a right and a wrong fact about a hidden cell, but for the time and the record.
    """

    item: Ints
    time: Ints
    reach: Ints
    right: Floats
    inside: Floats
    wrong: Floats
    hidden: Floats
    hidden_wrong: Floats


class Placements(NamedTuple):
    """How likely so many of the facts of U units are about hidden cells.

    Parameters
    ----------
    number : int64 array, shape (U,)
        Wrong facts.
    table : float64 array, shape (V, M + 1, K + 1, B)
        T(n, j), by visible cells, hidden facts and class of lengths.
    row : int64 array, shape (U,)
        Of the table.
    hidden_share : float64 array, shape (N,)
        Of each record, what the chance of a hidden cell of an item is multiplied by.
    of_record, of_item : float64 arrays, shape (N, B) or (1, B), and (I + 1, B)
        See `sim.adversary.length_model.LengthModel`.
    """

    number: Ints
    table: Floats
    row: Ints
    hidden_share: Floats
    of_record: Floats
    of_item: Floats


class TimeTables(NamedTuple):
    """`sim.adversary.time_channel.TimeChannel` for compiled loops.

    Parameters
    ----------
    low, high : int64 arrays, shape (n_days,)
    usual, usual_up_to : float64 arrays, shape (T,) and (T + 1,)
    strengths : (float, float, float, float)
        Of the prior, of the blur, and the prior and the saturation of hidden cells.
    rounds : int
    """

    low: Ints
    high: Ints
    usual: Floats
    usual_up_to: Floats
    strengths: tuple[float, float, float, float]
    rounds: int


class WholeRecords(NamedTuple):
    """All that the score of a batch of U units needs."""

    start: Ints
    facts: FactWeights
    placements: Placements
    times: TimeTables


class RecordCells(NamedTuple):
    """The cells of consecutive records.

    Parameters
    ----------
    first : int
        Number of the first record.
    start : int64 array, shape (n + 1,)
    item, level, day : arrays
        The day of a cell without one is ``len(low)`` of the `TimeTables`.
    n_items : int
        Of the release.
    """

    first: int
    start: Ints
    item: NDArray[np.int32]
    level: NDArray[np.int64]
    day: NDArray[np.uint16]
    n_items: int


class _Times(NamedTuple):
    """A record's times as the facts so far have placed them; the arrays are written to.

    Parameters
    ----------
    windows : int64 array, shape (3, W)
        Low, high and cells of each window: those of the released times, then those of facts.
    of_day : int64 array, shape (n_days + 1,)
        The window of each released time; −1: none of the record's.
    span, dated, w, sums : arrays, shape (K + 1, …)
        The times that hold all windows, dated cells, w, and the sums of `sharpen` and then of
        `sum_up_weights`, after each of the facts that were placed.
    """

    windows: Ints
    of_day: Ints
    span: Ints
    dated: Floats
    w: Floats
    sums: Floats


@njit(error_model="numpy")
def score_records(cells, given, removed, out):  # type: ignore[no-untyped-def]
    """Log likelihood of every unit's facts, of every record; −inf where it is 0.

    Parameters
    ----------
    cells : RecordCells
    given : WholeRecords
    removed : int64 array, shape (U,)
        A record that is not in the release of each unit; −1: none.
    out : float64 array, shape (U, n)
    """
    n_units, times = given.start.size - 1, given.times
    longest = most = 0
    for r in range(cells.start.size - 1):
        longest = max(longest, cells.start[r + 1] - cells.start[r])
    for u in range(n_units):
        most = max(most, given.start[u + 1] - given.start[u])
    place, of_day = np.full(cells.n_items, -1), np.full(times.low.size + 1, -1)
    windows = np.empty((3, longest + most + 1), np.int64)
    span, dated = np.zeros((most + 1, 2), np.int64), np.zeros(most + 1)
    w, sums = np.empty((most + 1, times.usual.size)), np.empty((most + 1, 3, times.usual.size + 1))
    state = _Times(windows, of_day, span, dated, w, sums)
    best = np.full(n_units, -np.inf)
    for again in range(2):
        for r in range(cells.start.size - 1):
            begin, end = cells.start[r], cells.start[r + 1]
            for c in range(begin, end):
                place[cells.item[c]] = c
            n_windows = -1
            for u in range(n_units):
                if again == 0:
                    out[u, r] = -np.inf
                    wanted = removed[u] != cells.first + r
                    wanted = wanted and _is_possible(u, r, place, cells, given)
                else:
                    several = given.start[u + 1] - given.start[u] > 1
                    near = best[u] + log(NEAR_BEST)
                    wanted = several and out[u, r] > -np.inf and out[u, r] >= near
                if not wanted:
                    continue
                if n_windows < 0:
                    n_windows = _windows_of(begin, end, cells, times, state)
                if again == 0:
                    chance = _likelihood_of_independent(u, r, place, cells, given, state)
                else:
                    chance = _likelihood(u, r, place, cells, given, n_windows, state)
                out[u, r] = log(chance) if chance > 0.0 else -np.inf
                if again == 0:
                    best[u] = max(best[u], out[u, r])
            for c in range(begin, end):
                place[cells.item[c]] = -1
                of_day[np.int64(cells.day[c])] = -1


@njit(error_model="numpy")
def _is_possible(u, r, place, cells, given):  # type: ignore[no-untyped-def]
    """Whether the facts may be about a record, by a look at each alone."""
    facts, times, n_wrong = given.facts, given.times, given.placements.number[u]
    surely_wrong = perhaps_wrong = 0
    share = given.placements.hidden_share[cells.first + r]
    for a in range(given.start[u], given.start[u + 1]):
        c = place[facts.item[a]] if facts.item[a] >= 0 else -1
        if c < 0:
            right, wrong = facts.hidden[a] * share > 0.0, facts.hidden_wrong[a] * share > 0.0
        else:
            right = facts.right[a, np.int64(cells.level[c])] > 0.0
            wrong = facts.wrong[a] > 0.0
            day, reach = np.int64(cells.day[c]), facts.reach[a]
            if reach >= 0 and day < times.low.size:
                right = right and facts.time[a] - reach < times.high[day]
                right = right and times.low[day] <= facts.time[a] + reach
            elif reach != NOT_KNOWN:
                right = right and (reach == NO_TIME) == (day == times.low.size)
        if not (right or (wrong and n_wrong > 0)):
            return False
        surely_wrong += not right
        perhaps_wrong += wrong
    return surely_wrong <= n_wrong <= perhaps_wrong


@njit(error_model="numpy")
def _windows_of(begin, end, cells, times, state):  # type: ignore[no-untyped-def]
    """Start with a record's own times: its windows, and w by them. Return how many windows."""
    windows = state.windows
    of_day = state.of_day
    span = state.span
    dated = state.dated
    w = state.w
    number, first, last = 0, times.usual.size, 0
    dated[0] = 0.0
    for c in range(begin, end):
        day = np.int64(cells.day[c])
        if day >= times.low.size or times.high[day] <= times.low[day]:
            continue
        if of_day[day] < 0:
            of_day[day] = number
            windows[0, number], windows[1, number] = times.low[day], times.high[day]
            windows[2, number] = 0
            number += 1
            first, last = min(first, times.low[day]), max(last, times.high[day])
        windows[2, of_day[day]] += 1
        dated[0] += 1.0
    span[0, 0], span[0, 1] = min(first, last), last
    w[0, :] = times.usual
    _sharpen(number, times, 0, state)
    return number


@njit(error_model="numpy")
def _sharpen(number, times, depth, state):  # type: ignore[no-untyped-def]
    windows = state.windows
    span = state.span
    w = state.w
    sums = state.sums
    sharpen(
        (windows[0], windows[1], windows[2]), number, (times.usual, times.usual_up_to),
        (span[depth, 0], span[depth, 1]), (times.strengths[0], times.strengths[1]), times.rounds,
        w[depth], sums[depth],
    )  # fmt: skip
    sum_up_weights(
        state.dated[depth], (span[depth, 0], span[depth, 1]), w[depth], times.usual,
        times.strengths[0], times.strengths[3], sums[depth, 1],
    )  # fmt: skip


@njit(error_model="numpy")
def _chances(a, r, place, cells, given, depth, state):  # type: ignore[no-untyped-def]
    """Chance of a fact that is right, and of one that is wrong, about a record's cell.

    Parameters
    ----------
    depth : int
        Which w the record's times have.
    """
    facts, times, span, dated = given.facts, given.times, state.span, state.dated
    sums, (prior, blur, hidden, _) = state.sums[depth], times.strengths
    first, end = facts.time[a] - facts.reach[a], facts.time[a] + facts.reach[a] + 1
    c = place[facts.item[a]] if facts.item[a] >= 0 else -1
    if c < 0:
        share, near = given.placements.hidden_share[cells.first + r], 1.0
        if facts.reach[a] >= 0:
            whole = span[depth, 0], span[depth, 1]
            near = chance_of_hidden(first, end, whole, sums[1], times.usual_up_to, hidden)
            near /= end - first
        return facts.hidden[a] * share * near, facts.hidden_wrong[a] * share
    day, level, near, chance = np.int64(cells.day[c]), np.int64(cells.level[c]), 1.0, 1.0
    if facts.reach[a] >= 0:
        near = 0.0
        if day < times.low.size:
            near = chance_of_visible(
                first, end, times.low[day], times.high[day], dated[depth], sums[0],
                times.usual_up_to, prior, blur,
            )  # fmt: skip
        chance = near / (end - first)
    elif facts.reach[a] == NO_TIME:
        near = chance = 1.0 if day == times.low.size else 0.0
    right = facts.right[a, level] * chance
    return right, facts.wrong[a] * (1.0 - facts.inside[a, level] * near)


@njit(error_model="numpy")
def _placed(u, r, place, cells, given):  # type: ignore[no-untyped-def]
    """T(n, j) of a record, j of the facts being about items that it does not show."""
    placements, table, n_hidden = given.placements, given.placements.table, 0
    row = min(cells.first + r, placements.of_record.shape[0] - 1)
    likelier = placements.of_record[row].copy()
    for a in range(given.start[u], given.start[u + 1]):
        item = given.facts.item[a]
        if item < 0 or place[item] < 0:
            n_hidden += 1
            likelier *= placements.of_item[item]  # the last of any that the release lacks
    n = min(cells.start[r + 1] - cells.start[r], table.shape[1] - 1)
    total = 0.0
    for b in range(likelier.size):
        total += likelier[b] * table[placements.row[u], n, n_hidden, b]
    return total


@njit(error_model="numpy")
def _likelihood_of_independent(u, r, place, cells, given, state):  # type: ignore[no-untyped-def]
    """Likelihood of the facts if each is weighed by the record's released times alone."""
    n_wrong = given.placements.number[u]
    ways = np.zeros(n_wrong + 1)  # by how many are wrong
    ways[0] = 1.0
    for a in range(given.start[u], given.start[u + 1]):
        right, wrong = _chances(a, r, place, cells, given, 0, state)
        for x in range(n_wrong, 0, -1):
            ways[x] = ways[x] * right + ways[x - 1] * wrong
        ways[0] *= right
    placed = _placed(u, r, place, cells, given) if ways[n_wrong] > 0.0 else 0.0
    return ways[n_wrong] * placed


@njit(error_model="numpy")
def _likelihood(u, r, place, cells, given, n_windows, state):  # type: ignore[no-untyped-def]
    """Likelihood of the facts, each placed before the next is weighed.

    Goes through all choices of which are wrong, depth first, so that choices which begin alike
    share what their first facts have placed.
    """
    begin, end, n_wrong = given.start[u], given.start[u + 1], given.placements.number[u]
    k = end - begin
    tried, wrong_so_far = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    w_of = np.zeros(k + 1, np.int64)  # which w the facts so far have left
    chance, of_wrong, added = np.ones(k + 1), np.zeros(k), np.zeros(k, np.int64)
    total, depth, extra = 0.0, 0, 0
    while depth >= 0:
        if depth == k:
            total += chance[k]
            depth -= 1
            continue
        tried[depth] += 1
        if tried[depth] == 1:
            at = w_of[depth]
            right, of_wrong[depth] = _chances(begin + depth, r, place, cells, given, at, state)
            added[depth] = 0
            enough = wrong_so_far[depth] + k - depth - 1 >= n_wrong
            if right > 0.0 and enough:
                chance[depth + 1] = chance[depth] * right
                wrong_so_far[depth + 1] = wrong_so_far[depth]
                w_of[depth + 1] = at
                if depth + 1 < k:
                    added[depth] = _place(
                        begin + depth, n_windows + extra, place, cells, given, at, depth + 1, state
                    )  # fmt: skip
                    if added[depth]:
                        w_of[depth + 1] = depth + 1
                        extra += 1
                tried[depth + 1] = 0
                depth += 1
            continue
        if tried[depth] == 2:
            if added[depth]:
                extra -= 1
                _take_back(begin + depth, place, cells, given, state)
                added[depth] = 0
            if of_wrong[depth] > 0.0 and wrong_so_far[depth] < n_wrong:
                chance[depth + 1] = chance[depth] * of_wrong[depth]
                wrong_so_far[depth + 1] = wrong_so_far[depth] + 1
                w_of[depth + 1] = w_of[depth]
                tried[depth + 1] = 0
                depth += 1
            continue
        depth -= 1
    return total * _placed(u, r, place, cells, given)


@njit(error_model="numpy")
def _place(a, number, place, cells, given, at, depth, state):  # type: ignore[no-untyped-def]
    """Put a right fact in its place among a record's times; return whether it says anything.

    Parameters
    ----------
    number : int
        Windows so far.
    at, depth : int
        Which w the record has, and which it gets.
    """
    windows = state.windows
    span = state.span
    dated = state.dated
    w = state.w
    facts, times = given.facts, given.times
    if facts.reach[a] < 0:
        return 0
    low = max(facts.time[a] - facts.reach[a], 0)
    high = min(facts.time[a] + facts.reach[a] + 1, times.usual.size)
    c = place[facts.item[a]] if facts.item[a] >= 0 else -1
    before, more = dated[at], 1.0
    if c >= 0:
        day = np.int64(cells.day[c])
        low, high, more = max(low, times.low[day]), min(high, times.high[day]), 0.0
        if high - low == times.high[day] - times.low[day]:
            return 0
    if high <= low:
        return 0
    if c >= 0:
        windows[2, state.of_day[np.int64(cells.day[c])]] -= 1
    windows[0, number], windows[1, number], windows[2, number] = low, high, 1
    first, end = span[at, 0], span[at, 1]
    if first == end:
        first = end = low
    span[depth, 0], span[depth, 1] = min(first, low), max(end, high)
    prior = times.strengths[0]
    for t in range(span[depth, 0], span[depth, 1]):
        inside = first <= t < end
        w[depth, t] = w[at, t] if inside else prior * times.usual[t] / (before + prior)
    dated[depth] = before + more
    _sharpen(number + 1, times, depth, state)
    return 1


@njit(error_model="numpy")
def _take_back(a, place, cells, given, state):  # type: ignore[no-untyped-def]
    """Undo what `_place` did to the windows of visible cells."""
    windows = state.windows
    item = given.facts.item[a]
    if item >= 0 and place[item] >= 0:
        windows[2, state.of_day[np.int64(cells.day[place[item]])]] += 1
