"""The scan of plain sums of contributions that are never negative, in one pass over the postings.

Such scores only grow while the facts of an aux set are added, one item's postings after the other.
So the highest two scores and the moments are kept posting by posting, with no pass over the
records; and what is known after the first few facts is what an aux set of these alone would say:
one scan serves every aux set that is a beginning of it (a *cut*), to the last bit.

Untouched records hold −0.0: adding +0.0 makes it +0.0, so the sign bit tells whether a record
shares an item with the aux even where the similarity is zero.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import math

import numba
import numpy as np

from sim.attack.postings import (
    gain_of,
    is_uniform,
    place_of,
    read_ahead,
    read_on,
    removed,
    scatter,
)
from sim.attack.weigh import weigh, weigh_whole

_UNTOUCHED = np.int64(-(2**63))  # the bits of −0.0
_U = np.uint64  # unsigned indices need no check for wrap-around
_ONE, _TWO, _STEP = _U(1), _U(2), _U(64)
_LEAST = 5e-324  # the least score above 0


@numba.njit(cache=True, nogil=True, inline="always")
def _rise(row, old, new, best, second, best_row, ties):  # type: ignore[no-untyped-def]
    """Highest two scores, once a record's score rose from old to new."""
    if new >= second:
        if new > best:
            if old != best or ties > 1:
                second = best
            best, best_row, ties = new, row, 1
        elif new == best:
            if old != best:
                ties += 1
                second = best
                best_row = min(row, best_row)
        else:
            second = new
    return best, second, best_row, ties


@numba.njit(cache=True, nogil=True, inline="always")
def _enlist(row, old, new, before, mark, marked, n_marked):  # type: ignore[no-untyped-def]
    """Records that score at least `mark`, of which those listed scored at least `before`."""
    if new >= mark and old < before:
        marked[n_marked] = row
        n_marked += 1
    return n_marked


@numba.njit(cache=True, nogil=True)
def _add_item(  # type: ignore[no-untyped-def]
    begin, end, item_row, item_level, item_day, plus, times, days, score,
    before, mark, marked, state,
):  # fmt: skip
    """Add the contributions of postings [begin, end), all of one item.

    Two chains of sums, even and odd postings, so that one addition need not wait for the one
    before it. Postings are taken in pairs of one each: no branch picks the chain, and one rarely
    taken branch looks at the highest scores of both.
    """
    sum0, sum1, squares0, squares1, best, second, best_row, ties, touched, n_marked = state
    signs, n_postings = 0.0, end - begin
    if begin < end and begin & _ONE:
        row = _U(item_row[begin])
        gain = gain_of(plus, times, item_level[begin], days, item_day[begin])
        old = score[row]
        new = old + gain
        score[row] = new
        sum1 += gain
        squares1 += gain * (old + new)
        best, second, best_row, ties = _rise(row, old, new, best, second, best_row, ties)
        if marked is not None:
            signs += math.copysign(1.0, old)
            n_marked = _enlist(row, old, new, before, mark, marked, n_marked)
        begin += _ONE
    low, even = min(second, mark), end - (end & _ONE)
    for step in range(begin, even, _STEP):
        read_on(step, item_row, item_level, item_day)
        for k in range(step, min(step + _STEP, even), _TWO):
            row, row1 = _U(item_row[k]), _U(item_row[k + _ONE])
            gain = gain_of(plus, times, item_level[k], days, item_day[k])
            gain1 = gain_of(plus, times, item_level[k + _ONE], days, item_day[k + _ONE])
            old = score[row]
            new = old + gain
            score[row] = new
            old1 = score[row1]
            new1 = old1 + gain1
            score[row1] = new1
            sum0 += gain
            sum1 += gain1
            squares0 += gain * (old + new)
            squares1 += gain1 * (old1 + new1)
            if marked is not None:
                signs += math.copysign(1.0, old) + math.copysign(1.0, old1)
            if new >= low or new1 >= low:
                best, second, best_row, ties = _rise(row, old, new, best, second, best_row, ties)
                best, second, best_row, ties = _rise(row1, old1, new1, best, second, best_row, ties)
                low = min(second, mark)
                if marked is not None:
                    n_marked = _enlist(row, old, new, before, mark, marked, n_marked)
                    n_marked = _enlist(row1, old1, new1, before, mark, marked, n_marked)
    if begin < end and end & _ONE:
        row = _U(item_row[even])
        gain = gain_of(plus, times, item_level[even], days, item_day[even])
        old = score[row]
        new = old + gain
        score[row] = new
        sum0 += gain
        squares0 += gain * (old + new)
        best, second, best_row, ties = _rise(row, old, new, best, second, best_row, ties)
        if marked is not None:
            signs += math.copysign(1.0, old)
            n_marked = _enlist(row, old, new, before, mark, marked, n_marked)
    touched += (np.int64(n_postings) - np.int64(signs)) // 2  # +1 for each touched before, else −1
    return sum0, sum1, squares0, squares1, best, second, best_row, ties, touched, n_marked


@numba.njit(cache=True, nogil=True)
def _add_run(  # type: ignore[no-untyped-def]
    begin, end, item_row, item_level, item_day, plus, times, days, score,
    counting, before, mark, marked, state,
):  # fmt: skip
    """Add the contributions of postings [begin, end), by the simplest loop that does it."""
    if not is_uniform(times):
        return _add_item(
            begin, end, item_row, item_level, item_day, plus, times, days, score,
            before, mark, marked, state,
        )  # fmt: skip
    if counting:
        return _add_item(
            begin, end, item_row, item_level, item_day, plus, times[0], days, score,
            before, mark, marked, state,
        )  # fmt: skip
    return _add_item(
        begin, end, item_row, item_level, item_day, plus, times[0], days, score,
        before, mark, None, state,
    )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _add_fact(  # type: ignore[no-untyped-def]
    a, last, item_start, item_row, item_level, item_day, item, gone,
    plus, times, days, score, counting, before, mark, marked, state,
):  # fmt: skip
    """Add the contributions of fact a to all records but a removed one."""
    i = item[a]
    if i < 0 or item_start[i] == item_start[i + 1]:
        return state
    begin, end = _U(item_start[i]), _U(item_start[i + 1])
    if a + 1 < last and item[a + 1] >= 0:
        j = item[a + 1]
        read_ahead(_U(item_start[j]), _U(item_start[j + 1]), item_row, item_level, item_day)
    hole = place_of(item_row, begin, end, gone) if gone >= 0 else end
    state = _add_run(
        begin, hole, item_row, item_level, item_day, plus, times, days, score,
        counting, before, mark, marked, state,
    )  # fmt: skip
    if hole < end:
        state = _add_run(
            hole + _ONE, end, item_row, item_level, item_day, plus, times, days, score,
            counting, before, mark, marked, state,
        )  # fmt: skip
    return state


@numba.njit(cache=True, nogil=True)
def _count(bits, n, own, clear):  # type: ignore[no-untyped-def]
    """Records touched, scoring at least own, scoring more; then, if asked, all untouched again.

    Scores are −0.0 or not negative, so their bits, taken as integers, are in the order of the
    scores: a single pass over a single array, which the compiler can vectorise.
    """
    number = np.empty(1, np.float64)
    number[0] = own + 0.0
    more = number.view(np.int64)[0]
    least = more if more > 0 else _UNTOUCHED  # no score is below 0
    touched = at_least = above = 0
    for r in range(n):
        touched += bits[r] != _UNTOUCHED
        at_least += bits[r] >= least
        above += bits[r] > more
        if clear:
            bits[r] = _UNTOUCHED
    return touched, at_least, above


@numba.njit(cache=True, nogil=True)
def _still_marked(score, marked, n_marked, mark, own):  # type: ignore[no-untyped-def]
    """Keep the listed records that score at least `mark`; of these, how many more than own."""
    kept = above = 0
    for j in range(n_marked):
        row = marked[j]
        s = score[_U(row)]
        marked[kept] = row
        kept += s >= mark
        above += s > own
    return kept, above


@numba.njit(cache=True, nogil=True)
def _write(o, first, candidates, gone, state, touched, at_least, above):  # type: ignore[no-untyped-def]
    sum0, sum1, squares0, squares1, best, second, best_row, ties, _, _ = state
    o["candidates"] = o["listed"] = candidates
    o["touched"], o["at_least"], o["above"] = touched, at_least, above
    o["sum"], o["sum_squares"] = sum0 + sum1, squares0 + squares1
    o["best"] = o["second"] = -np.inf
    o["best_record"] = -1
    if candidates > 0:
        o["best"], o["second"], o["ties"] = best, second, ties
        lowest = 1 if gone == 0 else 0
        o["best_record"] = first + (np.int64(best_row) if best > 0 else lowest)
    # Records that share nothing score 0, and no score is below that.
    o["touched_sum"], o["touched_squares"] = o["sum"], o["sum_squares"]
    o["touched_best"], o["touched_least"] = -np.inf, np.inf
    if touched > 0:
        o["touched_best"], o["touched_least"] = best, best if ties >= touched else 0.0


@numba.njit(cache=True, nogil=True)
def _weigh_but(gone, score, o, out):  # type: ignore[no-untyped-def]
    """Weigh all records but a removed one."""
    if gone >= 0:
        score[gone] = np.nan
    weigh_whole(score, o, False, out)
    if gone >= 0:
        score[gone] = -0.0


@numba.njit(cache=True, nogil=True)
def scan_fused(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day,
    start, item, own_held, own_level, own_day, absent, target,
    add, mul, day_table, day_offset, cut_start, cut_size, own, out, weighed,
):  # fmt: skip
    """Partials of every cut of every aux set: ``own`` and ``out`` have a row per cut.

    So has ``weighed``, where the block is the whole release and the entropy is wanted; else it is
    empty.
    """
    weighs = weighed.shape[0] > 0
    score = np.full(n, -0.0)
    marked = np.empty(n, np.uint16)
    for u in range(start.size - 1):
        gone = removed(absent[u], target[u], first, n)
        candidates = n - 1 if gone >= 0 else n
        cut, cut_end = cut_start[u], cut_start[u + 1]
        # Where there is but one cut, at the end, a pass over the records counts for less.
        counting = cut < cut_end and cut_size[cut] < start[u + 1] - start[u]
        known = counting and own[cut] == own[cut]
        state = (
            0.0, 0.0, 0.0, 0.0, 0.0, 0.0 if candidates > 1 else -np.inf,
            _U(0), candidates, 0, 0,
        )  # fmt: skip
        mark, before, running, above = np.inf, _LEAST, -0.0, 0
        for a in range(start[u], start[u + 1] + 1):
            while counting and cut < cut_end and cut_size[cut] == a - start[u]:
                at_least = candidates if own[cut] == 0 else state[9]
                _write(out[cut], first, candidates, gone, state, state[8], at_least, above)
                if weighs:
                    _weigh_but(gone, score, out[cut], weighed[cut])
                cut += 1
            if a == start[u + 1]:
                break
            days = day_table[day_offset[a] :]
            if known:
                if own_held[a] and item[a] >= 0:
                    level = own_level[a]
                    running += add[a, level] + mul[a, level] * days[own_day[a]]
                mark = max(running, _LEAST)
            state = _add_fact(
                a, start[u + 1], item_start, item_row, item_level, item_day, item, gone,
                add[a], mul[a], days, score, counting, before, mark, marked, state,
            )  # fmt: skip
            if counting:
                kept, above = _still_marked(score, marked, state[9], mark, running)
                state, before = (*state[:9], kept), mark
        if counting:
            score[:] = -0.0
        elif cut < cut_end:
            bits = score.view(np.int64)
            touched, at_least, above = _count(bits, n, own[cut], not weighs)
            for c in range(cut, cut_end):
                _write(out[c], first, candidates, gone, state, touched, at_least, above)
            if weighs:
                _weigh_but(gone, score, out[cut], weighed[cut])
                weighed[cut + 1 : cut_end] = weighed[cut]
                score[:] = -0.0


@numba.njit(cache=True, nogil=True)
def own_fused(  # type: ignore[no-untyped-def]
    start, item, own_held, own_level, own_day, absent, target,
    add, mul, day_table, day_offset, cut_start, cut_size, out,
):  # fmt: skip
    """Each target's own score at every cut; NaN where it is no candidate."""
    for u in range(start.size - 1):
        score, cut, cut_end = -0.0, cut_start[u], cut_start[u + 1]
        if absent[u] or target[u] < 0:
            out[cut:cut_end] = np.nan
            continue
        for a in range(start[u], start[u + 1] + 1):
            while cut < cut_end and cut_size[cut] == a - start[u]:
                out[cut] = score
                cut += 1
            if a < start[u + 1] and own_held[a] and item[a] >= 0:
                level, day = own_level[a], day_offset[a] + own_day[a]
                score += add[a, level] + mul[a, level] * day_table[day]


@numba.njit(cache=True, nogil=True)
def _scatter_fact(  # type: ignore[no-untyped-def]
    a, last, item_start, item_row, item_level, item_day, item, gone, plus, times, days, score
):
    """Add the contributions of fact a to all records but a removed one, and nothing else."""
    i = item[a]
    if i < 0 or item_start[i] == item_start[i + 1]:
        return
    begin, end = _U(item_start[i]), _U(item_start[i + 1])
    if a + 1 < last and item[a + 1] >= 0:
        j = item[a + 1]
        read_ahead(_U(item_start[j]), _U(item_start[j + 1]), item_row, item_level, item_day)
    hole = place_of(item_row, begin, end, gone) if gone >= 0 else end
    scatter(begin, hole, item_row, item_level, item_day, plus, times, days, score)
    if hole < end:
        scatter(hole + _ONE, end, item_row, item_level, item_day, plus, times, days, score)


@numba.njit(cache=True, nogil=True)
def score_fused(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day,
    start, item, absent, target, add, mul, day_table, day_offset, score,
):  # fmt: skip
    """Every record's score for aux set u; NaN for a removed one."""
    gone = removed(absent[u], target[u], first, n)
    score[:] = 0.0
    for a in range(start[u], start[u + 1]):
        _scatter_fact(
            a, start[u + 1], item_start, item_row, item_level, item_day, item, gone,
            add[a], mul[a], day_table[day_offset[a] :], score,
        )  # fmt: skip
    if gone >= 0:
        score[gone] = np.nan


@numba.njit(cache=True, nogil=True)
def weigh_fused(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day,
    start, item, absent, target, add, mul, day_table, day_offset,
    cut_start, cut_size, best, sigma, out,
):  # fmt: skip
    """Make the scores again, and weigh them at every cut."""
    score = np.empty(n, np.float64)
    for u in range(start.size - 1):
        gone = removed(absent[u], target[u], first, n)
        cut, cut_end = cut_start[u], cut_start[u + 1]
        score[:] = 0.0
        if gone >= 0:
            score[gone] = np.nan
        for a in range(start[u], start[u + 1] + 1):
            while cut < cut_end and cut_size[cut] == a - start[u]:
                weigh(score, best[cut], sigma[cut], False, out[cut])
                cut += 1
            if a < start[u + 1]:
                _scatter_fact(
                    a, start[u + 1], item_start, item_row, item_level, item_day, item, gone,
                    add[a], mul[a], day_table[day_offset[a] :], score,
                )  # fmt: skip
