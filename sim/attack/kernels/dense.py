"""The scan for any score: computes every record's score in full, then accumulates moments.

Used where `sim.attack.kernels.fused` does not apply: scores that may fall, restricted candidates,
and forms that are more than a sum.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np
from numba.extending import overload

from sim.adversary.aux import ANY_LENGTH
from sim.attack.kernels.entropy_weights import sigmas_of, weigh
from sim.attack.kernels.exponential_sums import exponential_sums, make_lanes
from sim.attack.kernels.loops import accumulate_moments, add_fact
from sim.attack.kernels.moments import MOMENT_LANES, finish_moments, start_moments
from sim.attack.kernels.postings import removed_row, start_cursors
from sim.attack.kernels.repeated_facts import (
    assignments,
    facts_about,
    likelihood_of_repeats,
    scratch_of,
)
from sim.attack.kernels.score_forms import (
    ALL,
    COSINE,
    LEAST,
    LOG,
    REQUIRED,
    SUM,
    count_of,
    finished,
    likelihood,
    required_of,
)
from sim.attack.kernels.simd import njit, njit_no_nrt
from sim.attack.kernels.tiled import TILE, longest_run
from sim.attack.kernels.types import Tables, Tile
from sim.attack.kernels.wrong_chances import (
    NOT_DRAWN,
    are_drawn,
    chance_elsewhere,
    near_of,
    near_start,
    outside,
    wrong_chance,
)

_U = np.uint64  # unsigned indices need no check for wrap-around


@njit
def _add_up(u, postings, aux, tables, required, least, score, held):  # type: ignore[no-untyped-def]
    """Total contributions and number of held aux items of every record of the block."""
    add, mul, day_table, day_offset = tables.smooth
    choice, day_class = tables.choice, tables.day_class
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    score[:] = np.inf if least else 0.0
    held[:] = 0
    by_class = choice.shape[0] > 0
    for a in range(aux.start[u], aux.start[u + 1]):
        i = aux.item[a]
        if i < 0:
            continue
        shift = _U(day_offset[a])
        count = count_of(required, a)
        for k in range(_U(postings.item_start[i]), _U(postings.item_start[i + 1])):
            level, day = _U(item_level[k]), shift + _U(item_day[k])
            if by_class:
                contribution = choice[a, day_class[day], level]
            else:
                contribution = add[a, level] + mul[a, level] * day_table[day]
            row = _U(item_row[k])
            held[row] += count
            if least:
                score[row] = min(score[row], contribution)
            else:
                score[row] += contribution


@njit_no_nrt
def _add_facts(begin_fact, end_fact, limit, postings, tables, tile, held):  # type: ignore[no-untyped-def]
    """As `_add_up`, for a tile and sums of contributions that are never negative.

    `held` is 0 or 1.
    """
    score = tile.score
    score[:] = -0.0
    for a in range(begin_fact, end_fact):
        add_fact(a, a - begin_fact, limit, postings, tables, tile)
    bits = score.view(np.int64)
    for r in range(score.size):
        held[r] = bits[r] >= 0  # −0.0 is left where nothing was added
        score[r] += 0.0


@njit
def _count_up(u, postings, aux, tables, score, held):  # type: ignore[no-untyped-def]
    """Log likelihoods and number of held aux items of every record of the block."""
    begin, end, n = aux.start[u], aux.start[u + 1], postings.n_records
    counted, day_offset = tables.counted, tables.smooth.day_offset
    max_lacking, levels = counted.number[u], counted.levels
    for a in range(begin, end):
        max_lacking += counted.either[a]  # which no record of the release holds
    code, drawn = np.zeros((n, end - begin), np.uint32), are_drawn(counted)
    n_outside = np.full((n if drawn else 1, end - begin), NOT_DRAWN)
    elsewhere = np.zeros((n if drawn else 1, end - begin))
    held[:] = 0
    for a in range(begin, end):
        i = aux.item[a]
        if i < 0:
            continue
        for k in range(postings.item_start[i], postings.item_start[i + 1]):
            row = _U(postings.item_row[k])
            day = tables.day_class[day_offset[a] + postings.item_day[k]]
            place = np.int64(day) * levels + postings.item_level[k]
            code[row, a - begin] = 1 + place
            if drawn:
                cell = np.int64(postings.item_level[k]), np.int64(postings.item_day[k])
                n_outside[row, a - begin] = outside(a, *cell, near_of(a, k, tables), counted)
                elsewhere[row, a - begin] = chance_elsewhere(a, place, *cell, counted)
            held[row] += 1
    ways = np.empty(counted.number[u] + 1, np.float64)
    for r in range(n):
        score[r] = -np.inf
        if end - begin - held[r] <= max_lacking:
            at = r if drawn else 0
            score[r] = likelihood(
                postings.first + r, begin, end, code[r], (n_outside[at], elsewhere[at]), counted,
                u, ways,
            )  # fmt: skip


@njit
def _add_single(a, first, last, postings, tables, at, polynomials, holds, held):  # type: ignore[no-untyped-def]
    """As `assignments` for all records, of the only fact about an item."""
    counted, days = tables.counted, tables.day_class[tables.smooth.day_offset[a] :]
    right, wrong, drawn = counted.right[a], counted.wrong[a], are_drawn(counted)
    for c in range(_U(first), _U(last)):
        row = _U(postings.item_row[c])
        level, day = np.int64(postings.item_level[c]), np.int64(postings.item_day[c])
        place = np.int64(days[_U(day)]) * counted.levels + level
        polynomials[row, at] += right[place]
        if drawn:
            near = near_of(a, c, tables)
            polynomials[row, at + 1] += wrong_chance(a, place, level, day, near, counted)
        else:
            polynomials[row, at + 1] += wrong[place]
        held[row] += not holds[row]
        holds[row] = True
    if not counted.any_cell[a]:
        return
    run = first  # where the row's cells begin
    for c in range(first, last):
        row = postings.item_row[c]
        if c + 1 == last or postings.item_row[c + 1] != row:
            polynomials[row, at] *= 1.0 / (c + 1 - run)
            polynomials[row, at + 1] *= 1.0 / (c + 1 - run)
            run = c + 1


@njit
def _count_repeats(u, postings, aux, tables, score, held):  # type: ignore[no-untyped-def]
    """As `_count_up`, where a record may hold an item in several cells."""
    begin, end, n = aux.start[u], aux.start[u + 1], postings.n_records
    counted = tables.counted
    most_lacking = counted.number[u]
    for a in range(begin, end):
        most_lacking += counted.either[a] or counted.missed.size > 0
    holds = np.zeros((n, end - begin), np.bool_)
    polynomials = np.zeros((n, 2 * (end - begin)))
    scratch = scratch_of(begin, end, counted.leader)
    held[:] = 0
    at = 0
    for a in range(begin, end):
        if counted.leader[a] != a:
            continue
        k = facts_about(a, end, counted.leader, scratch[0])
        i = aux.item[a]
        if i >= 0:
            first, last = postings.item_start[i], postings.item_start[i + 1]
            if k == 1:
                _add_single(
                    a, first, last, postings, tables, at, polynomials, holds[:, a - begin], held
                )
                first = last
            while first < last:
                row, stop = postings.item_row[first], first + 1
                while stop < last and postings.item_row[stop] == row:
                    stop += 1
                near = tables.near[near_start(a, tables) :]
                cells = postings.item_level, postings.item_day, near, first, stop
                assignments(k, cells, tables, scratch, polynomials[row, at:])
                holds[row, a - begin] = True
                held[row] += k
                first = stop
        at += k + 1
    ways = np.empty(counted.number[u] + 1, np.float64)
    for r in range(n):
        score[r] = -np.inf
        if end - begin - held[r] <= most_lacking:
            score[r] = likelihood_of_repeats(
                postings.first + r, begin, end, holds[r], polynomials[r], counted, u, ways
            )


@njit_no_nrt
def _finish_all(kind, n_required, base, term, values, days, score, held):  # type: ignore[no-untyped-def]
    """Turn totals into scores; one loop for each kind of form keeps each loop simple."""
    n = score.size
    if kind == COSINE:
        for r in range(n):
            score[r] = finished(COSINE, score[r], True, base, term[r], values, days)
    elif kind == SUM and term.size == 0:
        for r in range(n):
            score[r] = finished(SUM, score[r], True, base, 0.0, values, days)
    elif kind == ALL:
        for r in range(n):
            whole = held[r] // REQUIRED == n_required
            score[r] = finished(ALL, score[r], whole, base, 0.0, values, days)
    else:
        for r in range(n):
            whole = held[r] // REQUIRED == n_required
            of_record = term[r] if term.size > 0 else 0.0
            score[r] = finished(kind, score[r], whole, base, of_record, values, days)


def _rows_at_a_time(tables, n):  # type: ignore[no-untyped-def]
    """Rows that are scored at a time, of n: a tile where smooth tables are all there is."""


@overload(_rows_at_a_time, inline="always")
def _rows_at_a_time_overload(tables, n):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if tables.instance_class is Tables:
        return lambda tables, n: min(n, TILE)  # noqa: ARG005
    return lambda tables, n: n  # noqa: ARG005


def _make_totals(u, begin, end, postings, aux, tables, form, tile, held):  # type: ignore[no-untyped-def]
    """Total contributions of rows [begin, end) of the block, and what they hold of the aux."""


@overload(_make_totals)
def _make_totals_overload(u, begin, end, postings, aux, tables, form, tile, held):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if tables.instance_class is Tables:

        def in_tiles(u, begin, end, postings, aux, tables, form, tile, held):  # type: ignore[no-untyped-def]  # noqa: ARG001
            facts = aux.start[u], aux.start[u + 1]
            if begin == 0:
                start_cursors(facts[0], facts[1], aux.item, postings, -1, tile.cursors)
            _add_facts(facts[0], facts[1], _U(end), postings, tables, tile, held)

        return in_tiles

    def at_once(u, begin, end, postings, aux, tables, form, tile, held):  # type: ignore[no-untyped-def]  # noqa: ARG001
        if tables.counted.leader.size > 0:
            _count_repeats(u, postings, aux, tables, tile.score, held)
        elif tables.counted.number.size > 0:
            _count_up(u, postings, aux, tables, tile.score, held)
        else:
            least = form.kind == LEAST
            _add_up(u, postings, aux, tables, form.required, least, tile.score, held)

    return at_once


@njit
def _score_rows(u, begin, end, postings, aux, candidates, tables, form, tile, held):  # type: ignore[no-untyped-def]
    """Scores of the candidates in rows [begin, end) of the block; NaN for a record that is none."""
    score = tile.score
    _make_totals(u, begin, end, postings, aux, tables, form, tile, held)
    record, n, need, feature = postings.first + begin, end - begin, form.need, form.feature
    _finish_all(
        form.kind, required_of(form.required, aux.start, u), form.base[u],
        feature[form.group[u], record : record + n] if feature.shape[0] else form.base[:0],
        need[u, 0] if need.shape[0] else 0.0, need[u, 1] if need.shape[0] else 0.0, score, held,
    )  # fmt: skip
    shortest, longest = candidates.shortest[u], candidates.longest[u]
    if shortest > 0 or longest < ANY_LENGTH:
        for r in range(n):
            if not shortest <= candidates.length[record + r] <= longest:
                score[r] = np.nan
    for k in range(candidates.removed_start[u], candidates.removed_start[u + 1]):
        removed = removed_row(candidates.removed[k], record, n)
        if removed >= 0:
            score[removed] = np.nan


@njit
def _write_exponentials(score, held, best, lanes, o):  # type: ignore[no-untyped-def]
    """Write the sums of the exponentials of log scores, of all and of who hold an item."""
    possible = np.empty(score.size)
    for overlapping in (True, False):
        n = 0
        for r in range(score.size):
            possible[n] = score[r]
            n += (score[r] > -np.inf) & (not overlapping or held[r] > 0)  # NaN is no candidate
        total, squares, scores = exponential_sums(n, possible, best, lanes)
        if overlapping:
            o["overlapping_exp"], o["overlapping_exp_squares"] = total, squares
    o["exp"], o["exp_squares"], o["exp_scores"] = total, squares, scores


@njit
def scan_dense(  # type: ignore[no-untyped-def]
    postings, aux, candidates, tables, form, matching_above, own, out, weighed, overlapping
):
    """Partials of every aux set, except those that are known from their candidates alone.

    These have −1 records that overlap in ``out``. ``weighed`` has a row for each aux set, where the
    block is the whole release and the entropy is wanted, with a column for each convention of σ in
    ``overlapping`` (see `sigmas_of`); else it is empty.
    """
    n, is_log = postings.n_records, form.kind == LOG
    cursors = np.empty((3, longest_run(aux.start)), np.uint64)
    step = _rows_at_a_time(tables, n)
    keeps = is_log or weighed.shape[0] > 0
    size = n if keeps else step
    score, held, lane_sums = np.empty(size), np.empty(size, np.uint32), np.empty(MOMENT_LANES)
    sigma, lanes = np.empty(overlapping.size), make_lanes()
    for u in range(aux.start.size - 1):
        if out[u]["overlapping"] < 0:  # by `sim.attack.kernels.candidates`
            continue
        start_moments(lane_sums, out[u])
        bounds = own[u], matching_above
        for begin in range(0, n, step):
            end = min(begin + step, n)
            rows = slice(begin, end) if keeps else slice(0, end - begin)
            tile = Tile(score[rows], _U(begin), cursors)
            _score_rows(u, begin, end, postings, aux, candidates, tables, form, tile, held[rows])
            accumulate_moments(
                score[rows], held[rows], postings.first + begin, bounds, not is_log, lane_sums,
                out[u],
            )  # fmt: skip
        finish_moments(lane_sums, out[u])
        if is_log and out[u]["best"] > -np.inf:
            _write_exponentials(score, held, out[u]["best"], lanes, out[u])
        if weighed.shape[0] > 0:
            sigmas_of(out[u], is_log, overlapping, sigma)
            weigh(score, out[u]["best"], sigma, is_log, weighed[u])


@njit
def score_dense(u, postings, aux, candidates, tables, form, score):  # type: ignore[no-untyped-def]
    """Every record's score for aux set u; NaN where it is no candidate."""
    n, held = postings.n_records, np.empty(postings.n_records, np.uint32)
    cursors = np.empty((3, aux.start[u + 1] - aux.start[u]), np.uint64)
    step = _rows_at_a_time(tables, n)
    for begin in range(0, n, step):
        end = min(begin + step, n)
        tile = Tile(score[begin:end], _U(begin), cursors)
        _score_rows(u, begin, end, postings, aux, candidates, tables, form, tile, held[begin:end])


@njit
def weigh_dense(postings, aux, candidates, tables, form, best, sigma, out):  # type: ignore[no-untyped-def]
    """Compute every record's score again, and accumulate its exponential weight."""
    score = np.empty(postings.n_records)
    for u in range(aux.start.size - 1):
        score_dense(u, postings, aux, candidates, tables, form, score)
        weigh(score, best[u], sigma[u], form.kind == LOG, out[u])
