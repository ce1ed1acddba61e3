"""Likelihoods of facts about visible and hidden cells, of every record (spec §12).

A fact is right or wrong, about a cell that the record shows or about a hidden one: four weights.
A record's likelihood is the sum over which facts are wrong and which are about hidden cells, as a
polynomial in both; facts about one item are about different cells of it. Its coefficients are
weighed by T(n, j), how likely j of the facts are hidden.

Times are not multiplied: a right fact narrows the window of its cell, or adds one for a hidden
cell, and the next fact is weighed by what the record's times are then
(`sim.adversary.time_channel`). That costs some hundred passes over a record's times for every fact,
so all records are scored first as if facts were independent, and only those that come near the best
of their block again, unless their facts may be about too many cells.
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
from sim.numeric.elementary import exp, log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOT_KNOWN, NO_TIME = -1, -2
"""`FactTable.reach` of a fact without a time: it says nothing of it, or its cell has none."""

NEAR_BEST = 1e-8
"""Share of the best independent likelihood of a block from which a record is scored again."""

MOST_CHOICES = 64
"""Choices of cells for the facts, of more of which a record is not scored again."""


class FactTable(NamedTuple):
    """The weights of A facts, but for times and the record.

    Parameters
    ----------
    item : int64 array, shape (A,)
        −1: the release does not hold it.
    leader : int64 array, shape (A,)
        The first fact of the unit about the same item.
    time : int64 array, shape (A,)
        Code of the original, where `reach` is not negative.
    reach : int64 array, shape (A,)
        The most by which the time may be off; `NOT_KNOWN` or `NO_TIME` without one.
    right, wrong, close : float64 arrays, shape (A, L + 1)
        By the level of a visible cell: chance of a right fact, and of a wrong one about the item,
        from which `close` is left out in proportion to how likely the cell's time is the fact's.
    hidden, hidden_wrong : float64 arrays, shape (A,)
        The same of a cell of the item that is hidden; of a wrong item, of any cell of it.
    popular, odds : float64 arrays, shape (A,)
        `sim.adversary.original_totals.CellsBehind.items` and ``odds`` of the item.
    """

    item: Ints
    leader: Ints
    time: Ints
    reach: Ints
    right: Floats
    wrong: Floats
    close: Floats
    hidden: Floats
    hidden_wrong: Floats
    popular: Floats
    odds: Floats


class Placement(NamedTuple):
    """How likely so many of the facts of U units are about hidden cells, and about which.

    Parameters
    ----------
    table : float64 array, shape (V, R, K + 1, W + 1, B)
        T(n, j) by kind of record, hidden facts, wrong ones and class of lengths.
    row, drawn : int64 arrays, shape (U,)
        Of the table; and of the G arrays that follow.
    least_wrong, most_wrong : int64 arrays, shape (U,)
    by_item, once : bool arrays, shape (U,)
        Whether wrong facts are about wrong items; and facts are about items, each drawn once.
    kind : int64 array, shape (G, N + 1)
    share, weight, mean_hidden, held : float64 arrays, shape (G, N + 1)
        See `sim.adversary.original_totals.CellsBehind`.
    strength : float64 array, shape (G,)
    of_record, of_item : float64 arrays, shape (G, N + 1 or 1, B), and (G, I + 1, B)
    """

    table: Floats
    row: Ints
    drawn: Ints
    least_wrong: Ints
    most_wrong: Ints
    by_item: NDArray[np.bool_]
    once: NDArray[np.bool_]
    kind: Ints
    share: Floats
    weight: Floats
    mean_hidden: Floats
    held: Floats
    strength: Floats
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


class Posterior(NamedTuple):
    """All that the score of a batch of U units needs; unit u has the facts [start[u], …)."""

    start: Ints
    facts: FactTable
    placement: Placement
    times: TimeTables


class RecordCells(NamedTuple):
    """The cells of consecutive records, by item.

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


class _Room(NamedTuple):
    """Memory for polynomials in hidden and in wrong facts.

    Parameters
    ----------
    ways, more : float64 arrays, shape (B, K + 1, W + 1)
    one : float64 array, shape (K + 1, W + 1)
        Of the facts about one item.
    masks : float64 array, shape (2, 2^m, W + 1)
        By which of up to m facts about one item are about visible cells.
    classes : float64 array, shape (K + 1, B)
    """

    ways: Floats
    more: Floats
    one: Floats
    masks: Floats
    classes: Floats


@njit(error_model="numpy")
def score_records(cells, given, removed, out):  # type: ignore[no-untyped-def]
    """Log likelihood of every unit's facts, of every record; −inf where it is 0.

    Parameters
    ----------
    cells : RecordCells
    given : Posterior
    removed : int64 array, shape (U,)
        A record that is not in the release of each unit; −1: none.
    out : float64 array, shape (U, n)
    """
    n_units, times, facts = given.start.size - 1, given.times, given.facts
    longest = most = alike = 0
    for r in range(cells.start.size - 1):
        longest = max(longest, cells.start[r + 1] - cells.start[r])
    timed = np.zeros(n_units, np.bool_)
    for u in range(n_units):
        most = max(most, given.start[u + 1] - given.start[u])
        for a in range(given.start[u], given.start[u + 1]):
            timed[u] = timed[u] or facts.reach[a] >= 0
            same = 0
            for other in range(a, given.start[u + 1]):
                same += facts.leader[other] == a
            alike = max(alike, same)
    place, of_day = np.full(cells.n_items, -1), np.full(times.low.size + 1, -1)
    windows = np.empty((3, longest + most + 1), np.int64)
    span, dated = np.zeros((most + 1, 2), np.int64), np.zeros(most + 1)
    w, sums = np.empty((most + 1, times.usual.size)), np.empty((most + 1, 3, times.usual.size + 1))
    state = _Times(windows, of_day, span, dated, w, sums)
    n_wrong, n_classes = given.placement.table.shape[3], given.placement.table.shape[4]
    room = _Room(
        np.zeros((n_classes, most + 1, n_wrong)), np.zeros((n_classes, most + 1, n_wrong)),
        np.zeros((most + 1, n_wrong)), np.zeros((2, 1 << alike, n_wrong)),
        np.zeros((most + 1, n_classes)),
    )  # fmt: skip
    best = np.full(n_units, -np.inf)
    for again in range(2):
        for r in range(cells.start.size - 1):
            begin, end = cells.start[r], cells.start[r + 1]
            for c in range(end - 1, begin - 1, -1):
                place[cells.item[c]] = c
            n_windows = -1
            for u in range(n_units):
                if again == 0:
                    out[u, r] = -np.inf
                    wanted = removed[u] != cells.first + r
                    wanted = wanted and _is_possible(u, r, end, place, cells, given)
                else:
                    several = timed[u] and given.start[u + 1] - given.start[u] > 1
                    near = best[u] + log(NEAR_BEST)
                    wanted = several and out[u, r] > -np.inf and out[u, r] >= near
                    wanted = wanted and _choices(u, end, place, cells, given) <= MOST_CHOICES
                if not wanted:
                    continue
                if timed[u] and n_windows < 0:
                    n_windows = _windows_of(begin, end, cells, times, state)
                if again == 0:
                    chance = _likelihood_of_independent(u, r, end, place, cells, given, state, room)
                else:
                    chance = _likelihood(u, r, end, place, cells, given, n_windows, state, room)
                out[u, r] = log(chance) if chance > 0.0 else -np.inf
                if again == 0:
                    best[u] = max(best[u], out[u, r])
            for c in range(begin, end):
                place[cells.item[c]] = -1
                of_day[np.int64(cells.day[c])] = -1


@njit(error_model="numpy", inline="always")
def _cells_of(a, end, place, cells, facts):  # type: ignore[no-untyped-def]
    """The cells [first, last) of a fact's item that a record shows."""
    first = place[facts.item[a]] if facts.item[a] >= 0 else -1
    if first < 0:
        return 0, 0
    last = first + 1
    while last < end and cells.item[last] == facts.item[a]:
        last += 1
    return first, last


@njit(error_model="numpy")
def _fits(a, c, cells, given):  # type: ignore[no-untyped-def]
    """Whether a visible cell may be what a right fact is about."""
    facts, times = given.facts, given.times
    day, reach = np.int64(cells.day[c]), facts.reach[a]
    if not facts.right[a, np.int64(cells.level[c])] > 0.0:
        return False
    if reach == NOT_KNOWN:
        return True
    if reach == NO_TIME or day >= times.low.size:
        return (reach == NO_TIME) == (day >= times.low.size)
    low, high = facts.time[a] - reach, facts.time[a] + reach
    return low < times.high[day] and times.low[day] <= high


@njit(error_model="numpy")
def _may_be_hidden(a, r, shown, u, cells, given):  # type: ignore[no-untyped-def]
    """Whether a record may have a hidden cell of a fact's item."""
    placement, facts, g = given.placement, given.facts, given.placement.drawn[u]
    record = cells.first + r
    if shown and placement.once[u]:
        return facts.odds[a] > 0.0
    if not placement.mean_hidden[g, record] > 0.0:
        return False
    if placement.strength[g] > 0.0:
        return facts.popular[a] > 0.0 or (shown and facts.odds[a] > 0.0)
    if shown:
        return False
    return placement.share[g, record] * facts.popular[a] > 0.0


@njit(error_model="numpy")
def _is_possible(u, r, end, place, cells, given):  # type: ignore[no-untyped-def]
    """Whether the facts may be about a record, by a look at each alone."""
    facts, placement = given.facts, given.placement
    surely_wrong = perhaps_wrong = 0
    for a in range(given.start[u], given.start[u + 1]):
        first, last = _cells_of(a, end, place, cells, facts)
        right = wrong = False
        if _may_be_hidden(a, r, last > first, u, cells, given):
            right, wrong = facts.hidden[a] > 0.0, facts.hidden_wrong[a] > 0.0
        if placement.by_item[u]:
            wrong = last == first and facts.hidden_wrong[a] > 0.0
        for c in range(first, last):
            right = right or _fits(a, c, cells, given)
            if not placement.by_item[u]:
                wrong = wrong or facts.wrong[a, np.int64(cells.level[c])] > 0.0
        if not (right or (wrong and placement.most_wrong[u] > 0)):
            return False
        surely_wrong += not right
        perhaps_wrong += wrong
    return surely_wrong <= placement.most_wrong[u] and placement.least_wrong[u] <= perhaps_wrong


@njit(error_model="numpy")
def _choices(u, end, place, cells, given):  # type: ignore[no-untyped-def]
    """In how many ways right facts may be about cells that a record shows."""
    ways = 1
    for a in range(given.start[u], given.start[u + 1]):
        first, last = _cells_of(a, end, place, cells, given.facts)
        number = 0
        for c in range(first, last):
            number += _fits(a, c, cells, given)
        ways = min(ways * max(number, 1), MOST_CHOICES + 1)
    return ways


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
def _visible(a, c, cells, given, depth, state):  # type: ignore[no-untyped-def]
    """Chance of a right fact about a visible cell, and of a wrong one.

    Parameters
    ----------
    depth : int
        Which w the record's times have.
    """
    facts, times, dated = given.facts, given.times, state.dated
    prior, blur = times.strengths[0], times.strengths[1]
    day, level, near, chance = np.int64(cells.day[c]), np.int64(cells.level[c]), 1.0, 1.0
    if facts.reach[a] >= 0:
        near = 0.0
        first, end = facts.time[a] - facts.reach[a], facts.time[a] + facts.reach[a] + 1
        if day < times.low.size:
            near = chance_of_visible(
                first, end, times.low[day], times.high[day], dated[depth], state.sums[depth, 0],
                times.usual_up_to, prior, blur,
            )  # fmt: skip
        chance = near / (end - first)
    elif facts.reach[a] == NO_TIME:
        near = chance = 1.0 if day == times.low.size else 0.0
    wrong = facts.wrong[a, level] - near * facts.close[a, level]
    return facts.right[a, level] * chance, max(wrong, 0.0)


@njit(error_model="numpy")
def _near_hidden(a, given, depth, state):  # type: ignore[no-untyped-def]
    """Chance of the time of a right fact about a hidden cell."""
    facts, times, span = given.facts, given.times, state.span
    if facts.reach[a] < 0:
        return 1.0
    first, end = facts.time[a] - facts.reach[a], facts.time[a] + facts.reach[a] + 1
    whole = span[depth, 0], span[depth, 1]
    sums = state.sums[depth]
    near = chance_of_hidden(first, end, whole, sums[1], times.usual_up_to, times.strengths[2])
    return near / (end - first)


@njit(error_model="numpy")
def _wrong_item(a, r, u, cells, given):  # type: ignore[no-untyped-def]
    """Chance of a wrong fact about an item of which the person has no cell at all."""
    placement, facts, g = given.placement, given.facts, given.placement.drawn[u]
    record = cells.first + r
    held, hidden = placement.held[g, record], placement.mean_hidden[g, record]
    if not held < 1.0:
        return 0.0
    share = placement.share[g, record]
    if placement.strength[g] > 0.0:
        share = placement.strength[g] / (placement.weight[g, record] + placement.strength[g])
    lacks = 1.0
    if hidden > 0.0:
        of_one = 1.0 - min(share * facts.popular[a], 1.0)
        lacks = exp(hidden * log(of_one)) if of_one > 0.0 else 0.0
    return facts.hidden_wrong[a] * lacks / (1.0 - held)


@njit(error_model="numpy")
def _placed(u, r, cells, given, ways):  # type: ignore[no-untyped-def]
    """Weigh a polynomial of hidden and wrong facts by T(n, j)."""
    placement, g, total = given.placement, given.placement.drawn[u], 0.0
    record, of_record = cells.first + r, given.placement.of_record
    kind, of = placement.kind[g, record], min(record, of_record.shape[1] - 1)
    table = placement.table[placement.row[u], kind]
    for b in range(ways.shape[0]):
        urn, own = 1.0, 0.0
        for j in range(given.start[u + 1] - given.start[u] + 1):
            for x in range(placement.least_wrong[u], placement.most_wrong[u] + 1):
                own += ways[b, j, x] * table[j, x, b] / urn
            if placement.strength[g] > 0.0:
                urn *= placement.weight[g, record] + j + placement.strength[g]
        total += own * of_record[g, of, b]
    return total


@njit(error_model="numpy")
def _one_fact(a, r, u, end, place, cells, given, state):  # type: ignore[no-untyped-def]
    """The weights of the only fact about an item: right, wrong, hidden right, hidden wrong."""
    facts, placement, g = given.facts, given.placement, given.placement.drawn[u]
    first, last = _cells_of(a, end, place, cells, facts)
    right = wrong = hidden = hidden_wrong = 0.0
    for c in range(first, last):
        of_cell, bad = _visible(a, c, cells, given, 0, state)
        right += of_cell
        wrong += bad
    n, record = last - first, cells.first + r
    if facts.hidden[a] > 0.0 or facts.hidden_wrong[a] > 0.0:
        chance = 0.0
        if _may_be_hidden(a, r, n > 0, u, cells, given):
            if placement.strength[g] > 0.0:
                chance = facts.odds[a] * n + placement.strength[g] * facts.popular[a]
            elif n > 0:
                chance = facts.odds[a] * n
            else:
                chance = facts.popular[a] * placement.share[g, record]
        if chance > 0.0:
            hidden = facts.hidden[a] * chance * _near_hidden(a, given, 0, state)
            hidden_wrong = facts.hidden_wrong[a] * chance
        if placement.once[u] and n > 0:  # any cell of the item, those that are hidden too
            whole = n * (1.0 + facts.odds[a])
            right, wrong = (right + hidden) / whole, (wrong + hidden_wrong) / whole
            hidden = hidden_wrong = 0.0
    elif placement.once[u] and n > 0:
        right, wrong = right / n, wrong / n
    if placement.by_item[u]:
        wrong = 0.0 if n else _wrong_item(a, r, u, cells, given)
        hidden_wrong = 0.0
    return right, wrong, hidden, hidden_wrong


@njit(error_model="numpy")
def _facts_about(lead, r, u, end, place, cells, given, state, room):  # type: ignore[no-untyped-def]
    """The polynomial of several facts about one item, in `room.one`; return how many facts.

    By which of them are about cells that the record shows, cell after cell; the others are hidden.
    """
    facts, placement, g = given.facts, given.placement, given.placement.drawn[u]
    one, masks = room.one, room.masks
    members = np.empty(given.start[u + 1] - lead, np.int64)
    m = 0
    for a in range(lead, given.start[u + 1]):
        if facts.leader[a] == lead:
            members[m] = a
            m += 1
    n_wrong = placement.most_wrong[u] + 1
    masks[:, : 1 << m, :] = 0.0
    masks[0, 0, 0] = 1.0
    first, last = _cells_of(lead, end, place, cells, facts)
    for c in range(first, last):
        for i in range(m):
            room.classes[i, 0], room.more[0, i, 0] = _visible(members[i], c, cells, given, 0, state)
        # From the largest sets down, so that each cell is used once.
        for mask in range((1 << m) - 1, 0, -1):
            for i in range(m):
                if not mask >> i & 1:
                    continue
                right = room.classes[i, 0]
                wrong = 0.0 if placement.by_item[u] else room.more[0, i, 0]
                for x in range(n_wrong):
                    masks[0, mask, x] += right * masks[0, mask ^ (1 << i), x]
                    if x > 0:
                        masks[0, mask, x] += wrong * masks[0, mask ^ (1 << i), x - 1]
    one[:, :] = 0.0
    n, full = last - first, (1 << m) - 1
    may_be_hidden = _may_be_hidden(lead, r, n > 0, u, cells, given)
    for mask in range(full + 1):
        rest = np.zeros(n_wrong)
        rest[0] = 1.0
        j = 0
        for i in range(m):
            if mask >> i & 1:
                continue
            a = members[i]
            chance = 0.0
            if may_be_hidden:
                chance = facts.odds[a] * n + j + placement.strength[g] * facts.popular[a]
            right = facts.hidden[a] * chance
            right *= _near_hidden(a, given, 0, state) if right > 0.0 else 0.0
            wrong = 0.0 if placement.by_item[u] else facts.hidden_wrong[a] * chance
            for x in range(n_wrong - 1, 0, -1):
                rest[x] = rest[x] * right + rest[x - 1] * wrong
            rest[0] *= right
            j += 1
        for x in range(n_wrong):
            for y in range(n_wrong - x):
                one[j, x + y] += masks[0, mask, x] * rest[y]
    return m


@njit(error_model="numpy")
def _likelihood_of_independent(u, r, end, place, cells, given, state, room):  # type: ignore[no-untyped-def]
    """Likelihood of the facts if each is weighed by the record's released times alone."""
    facts, placement, g = given.facts, given.placement, given.placement.drawn[u]
    n_wrong, n_classes = placement.most_wrong[u] + 1, room.ways.shape[0]
    ways, more = room.ways, room.more
    ways[:, :, :] = 0.0
    for b in range(n_classes):
        ways[b, 0, 0] = 1.0
    done = most = 0  # facts, and hidden ones, so far
    for a in range(given.start[u], given.start[u + 1]):
        if facts.leader[a] != a:
            continue
        alone = True
        for other in range(a + 1, given.start[u + 1]):
            alone = alone and facts.leader[other] != a
        if alone:
            right, wrong, hidden, hidden_wrong = _one_fact(a, r, u, end, place, cells, given, state)
            may_be_hidden = hidden > 0.0 or hidden_wrong > 0.0
            for b in range(n_classes):
                of_item = placement.of_item[g, facts.item[a], b]
                for j in range(most + may_be_hidden, -1, -1):
                    for x in range(n_wrong - 1, -1, -1):
                        sum_of = ways[b, j, x] * right
                        if x > 0:
                            sum_of += ways[b, j, x - 1] * wrong
                        if j > 0 and may_be_hidden:
                            of_hidden = ways[b, j - 1, x] * hidden
                            if x > 0:
                                of_hidden += ways[b, j - 1, x - 1] * hidden_wrong
                            sum_of += of_hidden * of_item
                        ways[b, j, x] = sum_of
            done, most = done + 1, most + may_be_hidden
            continue
        m = _facts_about(a, r, u, end, place, cells, given, state, room)
        for b in range(n_classes):
            more[b, : done + m + 1, :] = 0.0
            for j in range(most + 1):
                for i in range(m + 1):
                    for x in range(n_wrong):
                        for y in range(n_wrong - x):
                            more[b, i + j, x + y] += ways[b, j, x] * room.one[i, y]
            ways[b, : done + m + 1, :] = more[b, : done + m + 1, :]
        done, most = done + m, most + m
    return _placed(u, r, cells, given, ways)


@njit(error_model="numpy")
def _likelihood(u, r, end, place, cells, given, n_windows, state, room):  # type: ignore[no-untyped-def]
    """Likelihood of the facts, each placed before the next is weighed.

    Goes through all choices of a cell for each, and of which are wrong, depth first, so that
    choices which begin alike share what their first facts have placed. Choice o of a fact with n
    visible cells: cell o, right; from n on wrong; then right and wrong about a hidden cell.
    """
    facts, placement, g = given.facts, given.placement, given.placement.drawn[u]
    begin, k, record = given.start[u], given.start[u + 1] - given.start[u], cells.first + r
    most_wrong, n_classes = placement.most_wrong[u], room.ways.shape[0]
    choice, cell_of = np.full(k + 1, -1), np.full(k + 1, -1)
    n_wrong, n_hidden = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    w_of, added = np.zeros(k + 1, np.int64), np.zeros(k + 1, np.int64)
    chance, classes = np.ones(k + 1), room.classes
    classes[0, :] = 1.0
    ways = room.ways
    ways[:, :, :] = 0.0
    depth = extra = 0
    while depth >= 0:
        if depth == k:
            for b in range(n_classes):
                ways[b, n_hidden[k], n_wrong[k]] += chance[k] * classes[k, b]
            depth -= 1
            continue
        a = begin + depth
        if added[depth]:
            extra -= 1
            _take_back(cell_of[depth], cells, state)
            added[depth] = 0
        choice[depth] += 1
        first, last = _cells_of(a, end, place, cells, facts)
        n, option, at = last - first, choice[depth], w_of[depth]
        if option == 2 * n + 2:
            choice[depth] = -1
            depth -= 1
            continue
        is_hidden = option >= 2 * n
        is_wrong = option >= n if not is_hidden else option == 2 * n + 1
        value, of_item, c = 0.0, False, -1
        if is_wrong and n_wrong[depth] >= most_wrong:
            continue
        if not is_hidden:
            c = first + (option - n if is_wrong else option)
            for before in range(depth):
                if cell_of[before] == c:
                    c = -1
                    break
            if c < 0 or (is_wrong and placement.by_item[u]):
                continue
            right, wrong = _visible(a, c, cells, given, at, state)
            value = wrong if is_wrong else right
            if placement.once[u]:
                value /= n * (1.0 + facts.odds[a])
        elif is_wrong and placement.by_item[u]:
            others = 0  # facts about the item of which the person has no cell
            for other in range(begin, begin + k):
                others += other != a and facts.leader[other] == facts.leader[a]
            if n == 0 and others == 0:
                value = _wrong_item(a, r, u, cells, given)
        elif _may_be_hidden(a, r, n > 0, u, cells, given):
            value = facts.hidden_wrong[a] if is_wrong else facts.hidden[a]
            if placement.strength[g] > 0.0:
                again = 0  # hidden cells of the item so far
                for before in range(depth):
                    same = facts.leader[begin + before] == facts.leader[a]
                    again += same and n_hidden[before + 1] > n_hidden[before]
                value *= facts.odds[a] * n + again + placement.strength[g] * facts.popular[a]
                of_item = True
            elif n > 0:
                value *= facts.odds[a] / (1.0 + facts.odds[a])
            else:
                value *= facts.popular[a] * placement.share[g, record]
                of_item = True
            if value > 0.0 and not is_wrong:
                value *= _near_hidden(a, given, at, state)
        if not value > 0.0:
            continue
        chance[depth + 1] = chance[depth] * value
        n_wrong[depth + 1] = n_wrong[depth] + is_wrong
        n_hidden[depth + 1] = n_hidden[depth] + of_item
        for b in range(n_classes):
            classes[depth + 1, b] = classes[depth, b]
            if of_item:
                classes[depth + 1, b] *= placement.of_item[g, facts.item[a], b]
        w_of[depth + 1] = at
        cell_of[depth] = c
        if not is_wrong and depth + 1 < k:
            added[depth] = _place(a, c, n_windows + extra, cells, given, at, depth + 1, state)
            if added[depth]:
                w_of[depth + 1] = depth + 1
                extra += 1
        choice[depth + 1] = -1
        depth += 1
    return _placed(u, r, cells, given, ways)


@njit(error_model="numpy")
def _place(a, c, number, cells, given, at, depth, state):  # type: ignore[no-untyped-def]
    """Put a right fact in its place among a record's times; return whether it says anything.

    Parameters
    ----------
    c : int
        The visible cell that it is about; −1: a hidden one.
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
def _take_back(c, cells, state):  # type: ignore[no-untyped-def]
    """Undo what `_place` did to the window of a visible cell."""
    if c >= 0:
        windows = state.windows
        windows[2, state.of_day[np.int64(cells.day[c])]] += 1
