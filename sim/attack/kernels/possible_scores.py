"""The scores of the records that the facts leave possible, to the bit as in the scan of all."""

# mypy: disable-error-code="call-arg, no-untyped-call"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.arithmetic import prefetch
from sim.attack.kernels.possible_records import next_of_row
from sim.attack.kernels.repeated_facts import (
    assignments,
    facts_about,
    likelihood_of_repeats,
    room_for_assignments,
)
from sim.attack.kernels.repeats import contribution_of
from sim.attack.kernels.score_forms import ALL, LEAST, finished, likelihood
from sim.attack.kernels.score_spec import Counted
from sim.attack.kernels.simd import njit_in_place, njit_no_nrt
from sim.attack.kernels.wrong_chances import (
    NOT_DRAWN,
    are_drawn,
    chance_elsewhere,
    near_of,
    near_start,
    outside,
)

_AHEAD = 8  # records whose cells are fetched before they are looked at


def _room_for_repeats(facts: int, leader: NDArray[np.int64]) -> tuple[Any, ...]:
    """Memory for `_total_of_repeats`: which items are held, polynomials, and for `assignments`."""
    most = int(np.bincount(leader).max(initial=1))  # facts about one item
    members = np.empty(facts, np.int64)
    return np.zeros(facts, np.bool_), np.zeros(2 * facts), room_for_assignments(members, most)


@njit_no_nrt
def _total_of_repeats(u, record, facts, postings, aux, tables, memory, place):  # type: ignore[no-untyped-def]
    counted, (begin, end), (ways, holds, polynomials, scratch) = tables.counted, facts, memory
    holds[: end - begin] = False
    at = 0
    for a in range(begin, end):
        if counted.leader[a] != a:
            continue
        k, first = facts_about(a, end, counted.leader, scratch[0]), place[a - begin]
        if first >= 0:
            high, stop = postings.item_start[aux.item[a] + 1], np.int64(first)
            while stop >= 0:
                last, stop = stop, next_of_row(stop, high, postings.item_row)
            near = tables.near[near_start(a, tables) :]
            cells = postings.item_level, postings.item_day, near, np.int64(first), last + 1
            assignments(k, cells, tables, scratch, polynomials[at:])
            holds[a - begin] = True
        at += k + 1
    return likelihood_of_repeats(record, begin, end, holds, polynomials, counted, u, ways)


@njit_no_nrt
def combinations_of(n, size, counted):  # type: ignore[no-untyped-def]
    """Combinations of cells of so many facts, where n records share their likelihoods; else 0.

    For any number of records where n is −1.
    """
    # Where wrong items are drawn, or own ones counted, likelihoods are each record's own.
    if counted.mass.shape[0] > 0 or counted.eligible.shape[0] > 0:
        return 0
    combinations = 1
    for _ in range(size):
        combinations *= counted.right.shape[1] + 1
        if n >= 0 and 2 * combinations > n:
            return 0
    return combinations


@njit_in_place
def likelihood_of_combination(u, facts, record, which, counted, scratch):  # type: ignore[no-untyped-def]
    """Log likelihood of a combination of cells: its number has a digit for each fact.

    Without what depends on the days of the cells, as if n were s (`wrong_chances`).
    """
    (begin, end), (code, ways, drawn), radix = facts, scratch, counted.right.shape[1] + 1
    n_outside = drawn[0]
    for j in range(end - begin - 1, -1, -1):
        code[j], n_outside[j] = which % radix, NOT_DRAWN
        which //= radix
        if code[j] > 0 and are_drawn(counted) and counted.draws.kind[begin + j] >= 0:
            s = np.int64(counted.wrong[begin + j, code[j] - 1])
            if s > 0:
                n_outside[j] = s
    return likelihood(record, begin, end, code, drawn, counted, u, ways)


@njit_no_nrt
def _likelihoods(u, n, facts, postings, counted, rows, place, scratch, total):  # type: ignore[no-untyped-def]
    """Log likelihoods, as `sim.attack.kernels.dense` computes them; of alike records once.

    ``known`` has a place for every combination of cells, or none.
    """
    (begin, end), (code, ways, drawn, known) = facts, scratch
    radix, memory = counted.right.shape[1] + 1, (code, ways, drawn)
    for s in range(n):
        if known.size == 0:
            for j in range(end - begin):
                code[j] = np.int64(place[s, j]) + 1
            total[s] = likelihood(
                postings.first + rows[s], begin, end, code, drawn, counted, u, ways
            )
            continue
        which = np.int64(0)
        for j in range(end - begin):
            which = which * radix + np.int64(place[s, j]) + 1
        if known[which] != known[which]:  # NaN: not known yet
            known[which] = likelihood_of_combination(
                u, facts, postings.first + rows[s], which, counted, memory
            )
        total[s] = known[which]


@njit_no_nrt
def _fetch_cells(begin, place, postings, tables):  # type: ignore[no-untyped-def]
    """Fetch a record's cells, which may be anywhere in the lists."""
    for j in range(place.size):
        k = np.int64(place[j])
        if k >= 0:
            prefetch(postings.item_level, k)
            prefetch(postings.item_day, k)
            g = tables.counted.draws.kind[begin + j]
            if g >= 0:
                prefetch(tables.near, tables.near_start[g] + k)


@njit_in_place
def _look_at_cells(s, begin, end, postings, tables, place, code, drawn):  # type: ignore[no-untyped-def]
    """Write what `likelihood` needs of a record's cells, and fetch the logarithms it will need."""
    (n_outside, elsewhere), counted = drawn, tables.counted
    for a in range(begin, end):
        j, k = a - begin, np.int64(place[s, a - begin])
        code[j], n_outside[j] = 0, NOT_DRAWN
        if k < 0:
            continue
        level, day = np.int64(postings.item_level[k]), np.int64(postings.item_day[k])
        days = tables.day_class[tables.smooth.day_offset[a] + day]
        cell = np.int64(days) * counted.levels + level
        code[j] = 1 + cell
        if counted.draws.plain[a] and counted.wrong[a, cell] == 0.0:
            continue  # it is right, or the record is ruled out
        n_outside[j] = outside(a, level, day, near_of(a, k, tables), counted)
        if n_outside[j] == 0:
            elsewhere[j] = chance_elsewhere(a, cell, level, day, counted)
        elif n_outside[j] > 0:
            prefetch(counted.draws.logs, n_outside[j])
            prefetch(counted.draws.logs, counted.draws.logs.shape[1] + n_outside[j])


@njit_no_nrt
def _drawn_likelihoods(u, n, facts, postings, tables, rows, place, scratch, total):  # type: ignore[no-untyped-def]
    """As `_likelihoods`, where these depend on the days of the record's own cells."""
    (begin, end), (code, ways, n_outside, elsewhere) = facts, scratch
    for first in range(-_AHEAD, n, _AHEAD):
        for s in range(first + _AHEAD, min(first + 2 * _AHEAD, n)):
            _fetch_cells(begin, place[s, : end - begin], postings, tables)
        for s in range(max(first, 0), min(first + _AHEAD, n)):
            t = s - first
            _look_at_cells(
                s, begin, end, postings, tables, place, code[t], (n_outside[t], elsewhere[t])
            )
        for s in range(max(first, 0), min(first + _AHEAD, n)):
            t = s - first
            total[s] = likelihood(
                postings.first + rows[s], begin, end, code[t], (n_outside[t], elsewhere[t]),
                tables.counted, u, ways,
            )  # fmt: skip


@njit_no_nrt
def _likelihoods_of_repeats(u, n, facts, postings, aux, tables, memory, rows, place, total):  # type: ignore[no-untyped-def]
    for s in range(n):
        total[s] = _total_of_repeats(
            u, postings.first + rows[s], facts, postings, aux, tables, memory, place[s]
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
                level, day = np.int64(item_level[k]), np.int64(item_day[k])
                best = max(best, contribution_of(a, level, day, tables))
                k = next_of_row(k, high, item_row)
            total[s] = min(total[s], best) if kind == LEAST else total[s] + best


@njit_no_nrt
def keep_possible(n, rows, score, possible):  # type: ignore[no-untyped-def]
    """Keep the records, and their scores, that are not ruled out after all; return their number.

    ``possible`` may be ``rows``.
    """
    kept = 0
    for s in range(n):
        x = score[s]
        possible[kept], score[kept] = rows[s], x
        kept += x > -np.inf
    return kept


class ScoreRoom(NamedTuple):
    """Memory for `score_rows`.

    Parameters
    ----------
    code, n_outside, elsewhere : arrays, shape (_AHEAD, facts)
        What `likelihood` needs of the cells of several records.
    none : tuple
        Its ``drawn`` where chances do not depend on cells near.
    ways : float64 array
    known : float64 array
        Likelihoods of combinations of cells.
    repeats : tuple
        See `_room_for_repeats`.
    """

    code: NDArray[np.uint32]
    n_outside: NDArray[np.int64]
    elsewhere: NDArray[np.float64]
    none: Any
    ways: NDArray[np.float64]
    known: NDArray[np.float64]
    repeats: Any


def room_for_scores(n: int, facts: int, counted: Counted) -> ScoreRoom:
    """Memory for `score_rows`: n records, aux sets of so many facts."""
    return ScoreRoom(
        np.zeros((_AHEAD, facts), np.uint32),
        np.zeros((_AHEAD, facts), np.int64),
        np.zeros((_AHEAD, facts)),
        (np.full(facts, NOT_DRAWN), np.zeros(facts)),
        np.zeros(int(counted.number.max(initial=0)) + 1),
        np.empty(n // 2 + 1),  # fewer combinations than half of the records
        _room_for_repeats(facts, counted.leader),
    )


@njit_no_nrt
def score_rows(u, n, facts, postings, aux, tables, form, room, found, score):  # type: ignore[no-untyped-def]
    """Scores of the records, as `sim.attack.kernels.dense` computes them; see `look_up`."""
    counted, (rows, place) = tables.counted, found
    if counted.leader.size > 0:
        repeats = room.ways, room.repeats[0], room.repeats[1], room.repeats[2]
        _likelihoods_of_repeats(u, n, facts, postings, aux, tables, repeats, rows, place, score)
    elif counted.number.size > 0 and are_drawn(counted):
        scratch = room.code, room.ways, room.n_outside, room.elsewhere
        _drawn_likelihoods(u, n, facts, postings, tables, rows, place, scratch, score)
    elif counted.number.size > 0:
        known = room.known[: combinations_of(n, facts[1] - facts[0], counted)]
        known[:] = np.nan
        memory = room.code[0], room.ways, room.none, known
        _likelihoods(u, n, facts, postings, counted, rows, place, memory, score)
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
