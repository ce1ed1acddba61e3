"""The scan of plain sums of contributions that are never negative, in one pass over the postings.

Such scores only grow while facts are added. So what is known after the first few facts is what an
aux set of these alone would say: one scan serves every aux set that is a beginning of it (a *cut*),
to the last bit. And a record can be among the highest two, or score as much as the target, only if
it comes to score as much as the lower of these did among the records before (the *fence*), in this
block or another: those few are listed (*hot*) as they do, and nobody looks at the others again.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np

from sim.attack.kernels.lanes import (
    WIDTH,
    at_least,
    below,
    between,
    counted,
    equal,
    first_of,
    lane,
    more,
    no_counts,
    number_of,
    rest_of,
    spread,
)
from sim.attack.kernels.moving import append, gather, load
from sim.attack.kernels.numeric import uncounted
from sim.attack.kernels.postings import removed
from sim.attack.kernels.tiled import (
    TILE,
    add_fact,
    most_of,
    start_walk,
    sums_of,
    take_fact,
    tile_end,
)
from sim.attack.kernels.weigh import FLOW, both_sigmas, is_spread, weigh_rest, weigh_tile

_U = np.uint64  # unsigned indices need no check for wrap-around
_WIDTH, _NONE = _U(WIDTH), _U(0)
_LEAST = 5e-324  # the least score above 0

TOPS = np.dtype(
    [
        ("best", "<f8"), ("second", "<f8"), ("best_row", "<i8"), ("ties", "<i8"),
        ("touched", "<i8"), ("at_least", "<i8"), ("above", "<i8"),
        ("floor", "<f8"),  # second highest score of the blocks before
        ("fence", "<f8"),  # what a record must score at least to be looked at
    ]
)  # fmt: skip
"""What is known of one cut."""


@numba.njit(cache=True, nogil=True, inline="always")
def _rise(row, new, best, second, best_row, ties):  # type: ignore[no-untyped-def]
    """Keep the highest two scores, given another record's score above 0."""
    if new >= second:
        if new > best:
            best, second, best_row, ties = new, best, row, 1
        elif new == best:
            second, best_row, ties = best, min(row, best_row), ties + 1
        else:
            second = new
    return best, second, best_row, ties


@uncounted
def _set_fence(own, o):  # type: ignore[no-untyped-def]
    least = max(o["second"], o["floor"])
    o["fence"] = max(min(least, own) if own == own else least, _LEAST)


@uncounted
def _look(n_hot, hot, score, first, own, next_fence, o):  # type: ignore[no-untyped-def]
    """Look at the hot records at a cut; keep in the list those at the next fence or above."""
    best, second, best_row, ties = o["best"], o["second"], o["best_row"], o["ties"]
    fence, own_score = spread(next_fence), spread(own)
    n_kept, n_least, n_above = _NONE, np.int64(0), np.int64(0)
    for j in range(_NONE, n_hot, _WIDTH):
        those = between(j, _NONE, n_hot)
        row = load(hot, j, those)
        s = gather(score, first, row, those)
        least = at_least(s, own_score, those)
        if least:
            n_least += number_of(least)
            n_above += number_of(more(s, own_score, those))
        high = at_least(s, spread(max(second, _LEAST)), those)
        tied = equal(s, spread(best), high)
        if tied == high and best == second:
            ties += number_of(tied)
            high = below(row, _U(best_row), tied)
            while high:
                best_row = min(best_row, lane(row, first_of(high)))
                high = rest_of(high)
        while high:
            k = first_of(high)
            high = rest_of(high)
            best, second, best_row, ties = _rise(
                lane(row, k), lane(s, k), best, second, best_row, ties
            )  # fmt: skip
        those = at_least(s, fence, those)
        if those:
            append(hot, n_kept, those, row)
            n_kept += _U(number_of(those))
    o["best"], o["second"], o["best_row"], o["ties"] = best, second, best_row, ties
    o["at_least"] += n_least
    o["above"] += n_above
    _set_fence(own, o)
    return n_kept


@numba.njit(cache=True, nogil=True)
def _start_tops(candidates, own, highest, tops):  # type: ignore[no-untyped-def]
    """Know of every cut that all candidates of the block score 0 so far."""
    for c in range(own.size):
        o = tops[c]
        o["floor"] = highest[c, 1]
        o["best"] = o["second"] = 0.0
        o["best_row"] = o["touched"] = o["at_least"] = o["above"] = 0
        o["ties"] = candidates
        _set_fence(own[c], o)


@numba.njit(cache=True, nogil=True)
def _raise(top, highest):  # type: ignore[no-untyped-def]
    """Bring the highest two scores of the blocks so far up to date."""
    best, second = top["best"], top["second"]
    highest[1] = max(min(best, highest[0]), max(second, highest[1]))
    highest[0] = max(best, highest[0])


@numba.njit(cache=True, nogil=True)
def _write(o, top, own, first, candidates, gone, sums):  # type: ignore[no-untyped-def]
    touched, best, ties = top["touched"], top["best"], top["ties"]
    o["candidates"] = o["listed"] = candidates
    o["touched"], o["above"] = touched, top["above"]
    o["at_least"] = candidates if own == 0 else top["at_least"]
    o["sum"], o["sum_squares"] = sums
    o["best"] = o["second"] = -np.inf
    o["best_record"] = -1
    if candidates > 0:
        o["best"], o["ties"] = best, ties
        lowest = 1 if gone == 0 else 0
        o["best_record"] = first + (top["best_row"] if best > 0 else lowest)
    if candidates > 1:
        o["second"] = top["second"]
    # Records that share nothing score 0, and no score is below that.
    o["touched_sum"], o["touched_squares"] = o["sum"], o["sum_squares"]
    o["touched_best"], o["touched_least"] = -np.inf, np.inf
    if touched > 0:
        o["touched_best"], o["touched_least"] = best, best if ties >= touched else 0.0


@numba.njit(cache=True, nogil=True, inline="always")
def _first_cut(size):  # type: ignore[no-untyped-def]
    """Find the first cut of any facts: of none nothing is known."""
    cut = 0
    while cut < size.size and size[cut] == 0:
        cut += 1
    return cut


@uncounted
def _scan_tile(  # type: ignore[no-untyped-def]
    begin_fact, end_fact, first, limit, item_row, item_level, item_day,
    add, mul, day_table, day_offset, size, own, score, walk, sums, hot, tops,
):  # fmt: skip
    """Score the records from `first` to `limit`, and look at them at every cut."""
    touched, n_hot, cut = no_counts(), _NONE, _first_cut(size)
    for a in range(begin_fact, end_fact):
        touched, n_hot = take_fact(
            a, begin_fact, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
            score, first, walk, sums, tops[cut]["fence"], hot, touched, n_hot,
        )  # fmt: skip
        while cut < size.size and size[cut] == a + 1 - begin_fact:
            if n_hot > 0:
                after = tops[cut + 1]["fence"] if cut + 1 < size.size else np.inf
                n_hot = _look(n_hot, hot, score, first, own[cut], after, tops[cut])
            tops[cut]["touched"] += counted(touched)
            cut += 1


@uncounted
def _weigh_cuts(  # type: ignore[no-untyped-def]
    begin_fact, end_fact, first, limit, item_row, item_level, item_day,
    add, mul, day_table, day_offset, size, best, sigma, score, walk, flows, room, waiting, kept,
):  # fmt: skip
    """Make the scores of the records from `first` to `limit` again, and weigh them at every cut."""
    cut = _first_cut(size)
    for a in range(begin_fact, end_fact):
        add_fact(
            a, begin_fact, limit, item_row, item_level, item_day, add, mul, day_table, day_offset,
            score, first, walk,
        )  # fmt: skip
        while cut < size.size and size[cut] == a + 1 - begin_fact:
            if is_spread(sigma, cut):
                waiting[cut], more_kept = weigh_tile(
                    score, limit - first, best[cut], sigma, room, waiting[cut], flows, cut
                )  # fmt: skip
                kept[cut] += more_kept
            cut += 1


@numba.njit(cache=True, nogil=True)
def _weigh(  # type: ignore[no-untyped-def]
    begin_fact, end_fact, gone, n, item_start, item_row, item_level, item_day, item,
    add, mul, day_table, day_offset, size, best, sigma, score, walk, flows, room, out,
):  # fmt: skip
    """Make all scores again, and weigh them at every cut."""
    start_walk(begin_fact, end_fact, item, item_start, item_row, item_level, item_day, gone, walk)
    waiting, kept = np.zeros(size.size, np.int64), np.zeros(size.size, np.int64)
    flows[:] = 0.0
    tile, candidates = 0, n - 1 if gone >= 0 else n
    while tile < n:
        limit = tile_end(tile, n)
        _weigh_cuts(
            begin_fact, end_fact, _U(tile), _U(limit), item_row, item_level, item_day,
            add, mul, day_table, day_offset, size, best, sigma, score, walk, flows, room,
            waiting, kept,
        )  # fmt: skip
        score[: limit - tile] = -0.0
        tile = limit
    for c in range(size.size):
        if is_spread(sigma, c):
            weigh_rest(candidates - kept[c], best[c], sigma, waiting[c], flows, c, out[c])


@numba.njit(cache=True, nogil=True)
def scan_fused(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day,
    start, item, absent, target,
    add, mul, day_table, day_offset, cut_start, cut_size, own, highest, out, weighed,
):  # fmt: skip
    """Partials of every cut of every aux set: ``own``, ``highest`` and ``out`` have a row per cut.

    ``highest`` are the two highest scores of the blocks before, and brought up to date. Where the
    block is the whole release and the entropy is wanted, ``weighed`` has a row per cut as well;
    else it is empty.
    """
    facts = most_of(start)
    walk, sums = np.empty((3, facts), np.uint64), np.empty(2 * facts * WIDTH)
    score, hot = np.full(TILE, -0.0), np.empty(TILE + WIDTH, np.uint16)
    most = most_of(cut_start)
    tops, weighs = np.empty(most, TOPS), weighed.shape[0] > 0
    sigma, flows, room = np.empty((most, 2)), np.empty((most, FLOW)), np.empty(TILE + 2 * WIDTH)
    for u in range(start.size - 1):
        begin, end, cuts = start[u], start[u + 1], slice(cut_start[u], cut_start[u + 1])
        gone = removed(absent[u], target[u], first, n)
        candidates = n - 1 if gone >= 0 else n
        start_walk(begin, end, item, item_start, item_row, item_level, item_day, gone, walk)
        sums[: (end - begin) * 2 * WIDTH] = 0.0
        _start_tops(candidates, own[cuts], highest[cuts], tops)
        tile = 0
        while tile < n:
            limit = tile_end(tile, n)
            _scan_tile(
                begin, end, _U(tile), limit, item_row, item_level, item_day,
                add, mul, day_table, day_offset, cut_size[cuts], own[cuts], score,
                walk, sums, hot, tops,
            )  # fmt: skip
            score[: limit - tile] = -0.0
            tile = limit
        for c in range(cut_start[u], cut_start[u + 1]):
            total = sums_of(cut_size[c], sums)
            _write(out[c], tops[c - cut_start[u]], own[c], first, candidates, gone, total)
            _raise(tops[c - cut_start[u]], highest[c])
            if weighs:
                both_sigmas(out[c], False, sigma[c - cut_start[u]])
        if weighs:
            _weigh(
                begin, end, gone, n, item_start, item_row, item_level, item_day, item,
                add, mul, day_table, day_offset, cut_size[cuts], out[cuts]["best"], sigma, score,
                walk, flows, room, weighed[cuts],
            )  # fmt: skip


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
def score_fused(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day,
    start, item, absent, target, add, mul, day_table, day_offset, score,
):  # fmt: skip
    """Every record's score for aux set u; NaN for a removed one."""
    begin, end, gone = start[u], start[u + 1], removed(absent[u], target[u], first, n)
    walk = np.empty((3, end - begin), np.uint64)
    start_walk(begin, end, item, item_start, item_row, item_level, item_day, gone, walk)
    score[:] = 0.0
    for a in range(begin, end):
        add_fact(
            a, begin, n, item_row, item_level, item_day, add, mul, day_table, day_offset,
            score, _NONE, walk,
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
    walk, flows = np.empty((3, most_of(start)), np.uint64), np.empty((most_of(cut_start), FLOW))
    score, room = np.full(TILE, -0.0), np.empty(TILE + 2 * WIDTH)
    for u in range(start.size - 1):
        cuts = slice(cut_start[u], cut_start[u + 1])
        _weigh(
            start[u], start[u + 1], removed(absent[u], target[u], first, n), n,
            item_start, item_row, item_level, item_day, item, add, mul, day_table, day_offset,
            cut_size[cuts], best[cuts], sigma[cuts], score, walk, flows, room, out[cuts],
        )  # fmt: skip
