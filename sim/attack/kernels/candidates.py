"""The scan of attackers that rule records out: only records that the facts leave possible.

`sim.attack.kernels.possible_records` finds these, `sim.attack.kernels.possible_scores` their
scores. Every other record scores −∞ (a logarithm) or 0 (a set), so the partial is that of
`sim.attack.kernels.dense`, to the bit, except for what is counted over records that hold any of the
items: `overlapping` is −1.

Where nothing is ruled out, because too few facts can be missed, an aux set is left for the scan of
all records. Which aux sets these are depends on the aux set and the attack alone, not on the block.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.adversary.aux import ANY_LENGTH
from sim.attack.kernels.entropy_weights import SUM_LANES, halves_first
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.possible_records import (
    bound_of,
    by_length,
    goes_on,
    keep_candidates,
    keep_holders,
    longest_list,
    look_up,
    order_after,
    start_rows,
)
from sim.attack.kernels.possible_scores import score_rows
from sim.attack.kernels.postings import removed_rows
from sim.attack.kernels.powers import exponentials
from sim.attack.kernels.score_forms import LOG
from sim.attack.kernels.simd import njit, njit_no_nrt
from sim.attack.kernels.tiled import longest_run

_U = np.uint64  # unsigned indices need no check for wrap-around


@njit_no_nrt
def _others(u, postings, candidates, removed):  # type: ignore[no-untyped-def]
    """Candidates of the block, and the lowest row of one; −1 without any."""
    shortest, longest, n = candidates.shortest[u], candidates.longest[u], postings.n_records
    if shortest <= 0 and longest >= ANY_LENGTH:
        lowest = 0
        for row in removed:
            lowest += row == lowest  # ascending
        number = n - removed.size
        return number, lowest if number > 0 else -1
    number, lowest, k = 0, -1, 0
    for r in range(n):
        if k < removed.size and removed[k] == r:
            k += 1
            continue
        if shortest <= candidates.length[postings.first + r] <= longest:
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
    rows = np.empty(n_records + longest_list(aux.item, postings) + 1, np.int64)
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
        bound = bound_of(u, begin, end, tables, form, role)
        by_length(begin, end, aux, postings, length, order)
        removed = removed_rows(u, candidates, postings.first, n_records)
        known = 0
        # Else the shortest list leads to fewer.
        fewer = size > 0 and 0 <= kept < length[order[0]]
        if fewer and goes_on(u, aux, candidates, tables, bound[0]):
            n, known = kept, aux.start[u] - aux.start[u - 1]
            order_after(known, order)
        else:
            memory = role, length, order, mark, rows
            n = start_rows(begin, postings, aux, form.kind, tables, bound, memory)
            kept = n
            if n < 0:
                continue
            n = keep_candidates(u, n, postings.first, candidates, removed, rows)
            n = keep_holders(n, begin, aux, holders, role, rows)
            missed[:n] = 0
        found = role, order, (rows, missed, at, fit), slot, known
        n = look_up(n, begin, form.kind, postings, holders, aux, tables, bound, found, place)
        kept = n
        score_rows(u, n, (begin, end), postings, aux, tables, form, rows, place, score)
        n = _possible(n, rows, score, possible)
        _keep_highest(n, possible, score, postings.first, highest[0][u], highest[1][u])
        everyone = _others(u, postings, candidates, removed)
        bounds = own[u], matching_above
        _write(n, possible, score, postings.first, everyone, bounds, floor, out[u])
        if not is_log:
            _moments(n, possible, score, lane_sums, out[u])
        elif n > 0:
            _exponential_sums(n, possible, score, out[u]["best"], scratch, out[u])
