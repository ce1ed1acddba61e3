"""The scan of any score: make every record's, then sum up.

For what `sim.attack.kernels.fused` cannot do: scores that may fall, restricted candidates, and
what is more than a sum.
"""

# mypy: disable-error-code="call-arg"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np

from sim.adversary.aux import ANY_LENGTH
from sim.attack.kernels.finish import (
    ALL,
    COSINE,
    LEAST,
    LOG,
    MUST,
    SUM,
    count_of,
    finished,
    likelihood,
    musts_of,
)
from sim.attack.kernels.numeric import uncounted
from sim.attack.kernels.postings import removed
from sim.attack.kernels.tally import CHAINS, begin_tally, end_tally, tally
from sim.attack.kernels.tiled import TILE, add_fact, most_of, start_walk
from sim.attack.kernels.weigh import CHUNK, both_sigmas, exponentials, summed, weigh

_U = np.uint64  # unsigned indices need no check for wrap-around


@numba.njit(cache=True, nogil=True)
def _add_up(  # type: ignore[no-untyped-def]
    u, item_start, item_row, item_level, item_day, start, item,
    add, mul, day_table, day_offset, choice, day_class, must, least, score, held,
):  # fmt: skip
    """Total contributions and number of held aux items of every record of the block."""
    score[:] = np.inf if least else 0.0
    held[:] = 0
    select = choice.shape[0] > 0
    for a in range(start[u], start[u + 1]):
        i = item[a]
        if i < 0:
            continue
        shift = _U(day_offset[a])
        count = count_of(must, a)
        for k in range(_U(item_start[i]), _U(item_start[i + 1])):
            level, day = _U(item_level[k]), shift + _U(item_day[k])
            if select:
                gain = choice[a, day_class[day], level]
            else:
                gain = add[a, level] + mul[a, level] * day_table[day]
            row = _U(item_row[k])
            held[row] += count
            if least:
                score[row] = min(score[row], gain)
            else:
                score[row] += gain


@uncounted
def _add_plain(  # type: ignore[no-untyped-def]
    u, first, limit, item_start, item_row, item_level, item_day, start, item, tables, walk,
    score, held,
):  # fmt: skip
    """As `_add_up`, for rows [first, limit) and sums of contributions that are never negative.

    `held` is 0 or 1.
    """
    add, mul, day_table, day_offset = tables
    begin, end = start[u], start[u + 1]
    if first == 0:
        start_walk(begin, end, item, item_start, item_row, item_level, item_day, -1, walk)
    score[:] = -0.0
    for a in range(begin, end):
        add_fact(
            a, begin, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
            score, _U(first), walk,
        )  # fmt: skip
    bits = score.view(np.int64)
    for r in range(score.size):
        held[r] = bits[r] >= 0  # −0.0 stays where nothing is added
        score[r] += 0.0


@numba.njit(cache=True, nogil=True)
def _count_up(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, start, item, day_offset, day_class,
    counted, score, held,
):  # fmt: skip
    """Log likelihoods and number of held aux items of every record of the block."""
    begin, end = start[u], start[u + 1]
    most_lacking, levels = counted.number[u], counted.levels
    for a in range(begin, end):
        most_lacking += counted.either[a]  # which no record of the release holds
    code = np.zeros((n, end - begin), np.uint32)
    held[:] = 0
    for a in range(begin, end):
        i = item[a]
        if i < 0:
            continue
        for k in range(item_start[i], item_start[i + 1]):
            row = _U(item_row[k])
            day = day_class[day_offset[a] + item_day[k]]
            code[row, a - begin] = 1 + day * levels + item_level[k]
            held[row] += 1
    ways = np.empty(counted.number[u] + 1, np.float64)
    for r in range(n):
        score[r] = -np.inf
        if end - begin - held[r] <= most_lacking:
            score[r] = likelihood(first + r, begin, end, code[r], counted, u, ways)


@uncounted
def _finish_all(finish, musts, base, term, values, days, score, held):  # type: ignore[no-untyped-def]
    """Make totals scores: a loop for each kind, so that each is a simple one."""
    n = score.size
    if finish == COSINE:
        for r in range(n):
            score[r] = finished(COSINE, score[r], True, base, term[r], values, days)
    elif finish == SUM and term.size == 0:
        for r in range(n):
            score[r] = finished(SUM, score[r], True, base, 0.0, values, days)
    elif finish == ALL:
        for r in range(n):
            score[r] = finished(
                ALL, score[r], held[r] // MUST == musts, base, 0.0, values, days
            )  # fmt: skip
    else:
        for r in range(n):
            score[r] = finished(
                finish, score[r], held[r] // MUST == musts, base,
                term[r] if term.size > 0 else 0.0, values, days,
            )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _score_rows(  # type: ignore[no-untyped-def]
    u, first, begin, end, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
    finish, base, feature, group, need, shortest, longest, absent, target, walk, score, held,
):  # fmt: skip
    """Scores of the candidates in rows [begin, end) of the block; NaN for a record that is none.

    All rows at once, unless the sum is plain.
    """
    if plain is not None:
        _add_plain(
            u, begin, end, item_start, item_row, item_level, item_day, start, item, plain,
            walk, score, held,
        )  # fmt: skip
    elif counted.number.size > 0:
        _count_up(
            u, first, end, item_start, item_row, item_level, item_day, start, item, day_offset,
            day_class, counted, score, held,
        )  # fmt: skip
    else:
        _add_up(
            u, item_start, item_row, item_level, item_day, start, item,
            add, mul, day_table, day_offset, choice, day_class, must, finish == LEAST, score, held,
        )  # fmt: skip
    record, n = first + begin, end - begin
    _finish_all(
        finish, musts_of(must, start, u), base[u],
        feature[group[u], record : record + n] if feature.shape[0] else base[:0],
        need[u, 0] if need.shape[0] else 0.0, need[u, 1] if need.shape[0] else 0.0, score, held,
    )  # fmt: skip
    if shortest[u] > 0 or longest[u] < ANY_LENGTH:
        for r in range(n):
            if not shortest[u] <= length[record + r] <= longest[u]:
                score[r] = np.nan
    gone = removed(absent[u], target[u], record, n)
    if gone >= 0:
        score[gone] = np.nan


@numba.njit(cache=True, nogil=True)
def _exponential_sums(score, held, best, o):  # type: ignore[no-untyped-def]
    """Sums of exp(s − best) and the like, of log scores; 0 for NaN and what is ruled out."""
    gap, weight = np.empty(CHUNK), np.empty(CHUNK)
    chains = np.zeros((5, CHUNK))
    for begin in range(0, score.size, CHUNK):
        m = min(CHUNK, score.size - begin)
        part, holds = score[begin : begin + m], held[begin : begin + m]
        for j in range(m):
            gap[j] = part[j] - best
        exponentials(gap, m, weight)
        for j in range(m):
            w = weight[j]
            shared = w if holds[j] > 0 else 0.0
            chains[0, j] += w
            chains[1, j] += w * w
            chains[2, j] += gap[j] * w
            chains[3, j] += shared
            chains[4, j] += shared * shared
    o["exp"], o["exp_squares"] = summed(chains[0]), summed(chains[1])
    o["exp_scores"] = summed(chains[2])
    o["touched_exp"], o["touched_exp_squares"] = summed(chains[3]), summed(chains[4])


@numba.njit(cache=True, nogil=True)
def scan_dense(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
    finish, base, feature, group, need, listed_above,
    shortest, longest, absent, target, own, out, weighed,
):  # fmt: skip
    """Partials of every aux set.

    ``weighed`` has a row for each, where the block is the whole release and the entropy is wanted;
    else it is empty.
    """
    facts, is_log = most_of(start), finish == LOG
    walk = np.empty((3, facts), np.uint64)
    step = n if plain is None else min(n, TILE)
    keeps = is_log or weighed.shape[0] > 0
    room = n if keeps else step
    score, held, chains = np.empty(room), np.empty(room, np.uint32), np.empty(CHAINS)
    sigma = np.empty(2)
    for u in range(start.size - 1):
        begin_tally(chains, out[u])
        for begin in range(0, n, step):
            end = min(begin + step, n)
            rows = slice(begin, end) if keeps else slice(0, end - begin)
            _score_rows(
                u, first, begin, end, item_start, item_row, item_level, item_day, length,
                start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted,
                must, finish, base, feature, group, need, shortest, longest, absent, target,
                walk, score[rows], held[rows],
            )  # fmt: skip
            tally(
                score[rows], held[rows], first + begin, own[u], listed_above, not is_log, chains,
                out[u],
            )  # fmt: skip
        end_tally(chains, out[u])
        if is_log and out[u]["best"] > -np.inf:
            _exponential_sums(score, held, out[u]["best"], out[u])
        if weighed.shape[0] > 0:
            both_sigmas(out[u], is_log, sigma)
            weigh(score, out[u]["best"], sigma, is_log, weighed[u])


@numba.njit(cache=True, nogil=True)
def score_dense(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
    finish, base, feature, group, need, shortest, longest, absent, target, score,
):  # fmt: skip
    """Every record's score for aux set u; NaN where it is no candidate."""
    facts, held = start[u + 1] - start[u], np.empty(n, np.uint32)
    walk = np.empty((3, facts), np.uint64)
    step = n if plain is None else min(n, TILE)
    for begin in range(0, n, step):
        end = min(begin + step, n)
        _score_rows(
            u, first, begin, end, item_start, item_row, item_level, item_day, length,
            start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted,
            must, finish, base, feature, group, need, shortest, longest, absent, target,
            walk, score[begin:end], held[begin:end],
        )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def weigh_dense(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
    finish, base, feature, group, need, shortest, longest, absent, target, best, sigma, out,
):  # fmt: skip
    """Make every record's score again, and weigh it."""
    score = np.empty(n)
    for u in range(start.size - 1):
        score_dense(
            u, first, n, item_start, item_row, item_level, item_day, length,
            start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
            finish, base, feature, group, need, shortest, longest, absent, target, score,
        )  # fmt: skip
        weigh(score, best[u], sigma[u], finish == LOG, out[u])
