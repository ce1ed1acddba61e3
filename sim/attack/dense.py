"""The scan of any score: make every record's, then sum up.

For what `sim.attack.fused` cannot do: scores that may fall, restricted candidates, and what is
more than a sum.
"""

# mypy: disable-error-code="call-arg"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np

from sim.adversary.aux import ANY_LENGTH
from sim.attack.finish import (
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
from sim.attack.lanes import WIDTH
from sim.attack.postings import removed
from sim.attack.tiled import add_fact, start_walk
from sim.attack.weigh import CHUNK, both_sigmas, exponentials, summed, weigh

_U = np.uint64  # unsigned indices need no check for wrap-around


@numba.njit(cache=True, nogil=True)
def _add_up(  # type: ignore[no-untyped-def]
    u, item_start, item_row, item_level, item_day, start, item,
    add, mul, day_table, day_offset, choice, day_class, must, least, total, held,
):  # fmt: skip
    """Total contributions and number of held aux items of every record of the block."""
    total[:] = np.inf if least else 0.0
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
                total[row] = min(total[row], gain)
            else:
                total[row] += gain


@numba.njit(cache=True, nogil=True)
def _add_plain(  # type: ignore[no-untyped-def]
    u, n, item_start, item_row, item_level, item_day, start, item, tables, total, held,
):  # fmt: skip
    """As `_add_up`, for sums of contributions that are never negative; `held` is 0 or 1."""
    add, mul, day_table, day_offset = tables
    begin, end = start[u], start[u + 1]
    walk, sums = np.empty((3, end - begin), np.uint64), np.empty(2 * (end - begin) * WIDTH)
    start_walk(begin, end, item, item_start, item_row, item_level, item_day, -1, walk, sums)
    total[:] = -0.0
    for a in range(begin, end):
        add_fact(
            a, begin, n, item_row, item_level, item_day, add, mul, day_table, day_offset,
            total, _U(0), walk, sums,
        )  # fmt: skip
    bits = total.view(np.int64)
    for r in range(n):
        held[r] = bits[r] >= 0  # −0.0 stays where nothing is added
        total[r] += 0.0


@numba.njit(cache=True, nogil=True)
def _count_up(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, start, item, day_offset, day_class,
    counted, total, held,
):  # fmt: skip
    """Log likelihoods and number of held aux items of every record of the block."""
    begin, end = start[u], start[u + 1]
    most_lacking, levels = counted[4][u], counted[0].shape[1] // 3
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
    ways = np.empty(most_lacking + 1, np.float64)
    for r in range(n):
        total[r] = -np.inf
        if end - begin - held[r] <= most_lacking:
            total[r] = likelihood(first + r, begin, end, code[r], counted, u, ways)


@numba.njit(cache=True, nogil=True)
def _totals(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
    day_table, day_offset, choice, day_class, plain, counted, must, least, total, held,
):  # fmt: skip
    if plain is not None:
        _add_plain(
            u, n, item_start, item_row, item_level, item_day, start, item, plain, total, held
        )  # fmt: skip
    elif counted[4].size > 0:
        _count_up(
            u, first, n, item_start, item_row, item_level, item_day, start, item, day_offset,
            day_class, counted, total, held,
        )  # fmt: skip
    else:
        _add_up(
            u, item_start, item_row, item_level, item_day, start, item,
            add, mul, day_table, day_offset, choice, day_class, must, least, total, held,
        )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _finish_all(  # type: ignore[no-untyped-def]
    finish, first, musts, base, feature, values, days, total, held, score
):
    """Scores of all records: a loop for each kind, so that each is a simple one."""
    n, featured = score.size, feature.size > 0
    if finish == COSINE:
        for r in range(n):
            score[r] = finished(COSINE, total[r], True, base, feature[first + r], values, days)
    elif finish == SUM and not featured:
        for r in range(n):
            score[r] = finished(SUM, total[r], True, base, 0.0, values, days)
    elif finish == ALL:
        for r in range(n):
            score[r] = finished(
                ALL, total[r], held[r] // MUST == musts, base, 0.0, values, days
            )  # fmt: skip
    else:
        for r in range(n):
            score[r] = finished(
                finish, total[r], held[r] // MUST == musts, base,
                feature[first + r] if featured else 0.0, values, days,
            )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _score_all(  # type: ignore[no-untyped-def]
    u, first, n, length, start, must, finish, base, feature, group, need,
    shortest, longest, absent, target, total, held, score,
):  # fmt: skip
    """Scores of the block's candidates; NaN for a record that is none."""
    values = need[u, 0] if need.shape[0] else 0.0
    days = need[u, 1] if need.shape[0] else 0.0
    features = feature[group[u]] if feature.shape[0] else np.empty(0)
    _finish_all(
        finish, first, musts_of(must, start, u), base[u], features, values, days,
        total, held, score,
    )  # fmt: skip
    if shortest[u] > 0 or longest[u] < ANY_LENGTH:
        for r in range(n):
            if not shortest[u] <= length[first + r] <= longest[u]:
                score[r] = np.nan
    gone = removed(absent[u], target[u], first, n)
    if gone >= 0:
        score[gone] = np.nan


@numba.njit(cache=True, nogil=True)
def _top_two(first, score, o):  # type: ignore[no-untyped-def]
    """Highest two scores, with multiplicity."""
    best = second = -np.inf
    best_record, ties = np.int64(-1), 0
    for r in range(score.size):
        s = score[r]
        if s >= second:  # rarely; never for NaN
            if s > best or best_record < 0:
                second = best
                best, best_record, ties = s, first + r, 1
            elif s == best:
                ties += 1
                second = best
            else:
                second = s
    o["best"], o["best_record"], o["ties"], o["second"] = best, best_record, ties, second


@numba.njit(cache=True, nogil=True)
def _counts_and_moments(score, held, own, listed_above, log, o):  # type: ignore[no-untyped-def]
    chains = np.zeros((4, CHUNK))
    most, least = np.full(CHUNK, -np.inf), np.full(CHUNK, np.inf)
    candidates = touched = listed = at_least = above = 0
    for begin in range(0, score.size, CHUNK):
        m = min(CHUNK, score.size - begin)
        part, holds = score[begin : begin + m], held[begin : begin + m]
        for j in range(m):
            s = part[j]
            candidates += s == s
            touched += (holds[j] > 0) & (s == s)
            listed += s > listed_above
            at_least += s >= own
            above += s > own
        for j in range(m):
            s = part[j]
            here = (holds[j] > 0) & (s == s)
            most[j] = max(most[j], s if here else -np.inf)
            least[j] = min(least[j], s if here else np.inf)
            value = s if (s == s) & (not log) else 0.0
            shared = value if here else 0.0
            chains[0, j] += value
            chains[1, j] += value * value
            chains[2, j] += shared
            chains[3, j] += shared * shared
    o["candidates"], o["touched"], o["listed"] = candidates, touched, listed
    o["at_least"], o["above"] = at_least, above
    o["sum"], o["sum_squares"] = summed(chains[0]), summed(chains[1])
    o["touched_sum"], o["touched_squares"] = summed(chains[2]), summed(chains[3])
    o["touched_best"], o["touched_least"] = most.max(), least.min()


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
    total, score = np.empty(n, np.float64), np.empty(n, np.float64)
    held, sigma = np.empty(n, np.uint32), np.empty(2)
    for u in range(start.size - 1):
        _totals(
            u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
            day_table, day_offset, choice, day_class, plain, counted, must, finish == LEAST,
            total, held,
        )  # fmt: skip
        _score_all(
            u, first, n, length, start, must, finish, base, feature, group, need,
            shortest, longest, absent, target, total, held, score,
        )  # fmt: skip
        _counts_and_moments(score, held, own[u], listed_above, finish == LOG, out[u])
        _top_two(first, score, out[u])
        if finish == LOG and out[u]["best"] > -np.inf:
            _exponential_sums(score, held, out[u]["best"], out[u])
        if weighed.shape[0] > 0:
            both_sigmas(out[u], finish == LOG, sigma)
            weigh(score, out[u]["best"], sigma, finish == LOG, weighed[u])


@numba.njit(cache=True, nogil=True)
def score_dense(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
    finish, base, feature, group, need,
    shortest, longest, absent, target, total, held, score,
):  # fmt: skip
    """Every record's score for aux set u; NaN where it is no candidate."""
    _totals(
        u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
        day_table, day_offset, choice, day_class, plain, counted, must, finish == LEAST,
            total, held,
    )  # fmt: skip
    _score_all(
        u, first, n, length, start, must, finish, base, feature, group, need,
        shortest, longest, absent, target, total, held, score,
    )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def weigh_dense(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
    finish, base, feature, group, need,
    shortest, longest, absent, target, best, sigma, out,
):  # fmt: skip
    """Make every record's score again, and weigh it."""
    total, score = np.empty(n, np.float64), np.empty(n, np.float64)
    held = np.empty(n, np.uint32)
    for u in range(start.size - 1):
        score_dense(
            u, first, n, item_start, item_row, item_level, item_day, length,
            start, item, add, mul, day_table, day_offset, choice, day_class, plain, counted, must,
            finish, base, feature, group, need,
            shortest, longest, absent, target, total, held, score,
        )  # fmt: skip
        weigh(score, best[u], sigma[u], finish == LOG, out[u])
