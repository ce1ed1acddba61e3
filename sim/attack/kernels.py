"""The scan: score a block of records against aux sets, and keep what matters as it goes.

Two loops do the same work. `_fused` is for plain sums of contributions that are never negative:
scores then only grow while the facts of an aux set are added, one item's postings after the
other, so the highest two scores and the moments can be kept posting by posting, with no pass over
the records. `_dense` is for everything else: it makes every record's score, then sums up.

Untouched records hold −0.0 in `_fused`: adding +0.0 makes it +0.0, so the sign bit tells whether
a record shares an item with the aux even where the similarity is zero.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import ANY_LENGTH, AuxBatch
from sim.attack.partials import PARTIAL, Partials
from sim.attack.scan import DAYS_UNIT, IMPOSSIBLE, Finish, Gains, Scan
from sim.release.store import Block, Store

_UNTOUCHED = np.int64(-(2**63))  # the bits of −0.0
_U = np.uint64  # unsigned indices need no check for wrap-around
_SUM, _ALL, _LOG = int(Finish.SUM), int(Finish.ALL), int(Finish.LOG)
_LEAST, _COSINE = int(Finish.LEAST), int(Finish.COSINE)
_RULED_OUT = IMPOSSIBLE / 2
_MUST = 1 << 16
"""In counts of held aux items, one that the record must hold counts this much more."""


@numba.njit(cache=True, nogil=True)
def _count(score, n, least):  # type: ignore[no-untyped-def]
    at_least = above = 0
    for r in range(n):
        at_least += score[r] >= least
        above += score[r] > least
    return at_least, above


@numba.njit(cache=True, nogil=True)
def _count_and_clear(bits, n, own):  # type: ignore[no-untyped-def]
    """Records touched, scoring at least own, scoring more; then all untouched again.

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
        bits[r] = _UNTOUCHED
    return touched, at_least, above


@numba.njit(cache=True, nogil=True, inline="always")
def _post(k, item_row, item_level, item_day, plus, times, day_table, shift, score):  # type: ignore[no-untyped-def]
    """Add the contribution of posting k to its record's score."""
    level = _U(item_level[k])
    gain = plus[level] + times[level] * day_table[shift + _U(item_day[k])]
    row = _U(item_row[k])
    old = score[row]
    new = old + gain
    score[row] = new
    return row, old, new, gain, gain * (old + new)


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


@numba.njit(cache=True, nogil=True)
def _fused(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day,
    start, item, add, mul, day_table, day_offset, own, listed_above, out,
):  # fmt: skip
    score = np.full(n, -0.0)
    bits = score.view(np.int64)
    one, two = _U(1), _U(2)
    for u in range(start.size - 1):
        best, second = 0.0, 0.0 if n > 1 else -np.inf
        best_row, ties = _U(0), n
        # Two chains of sums, even and odd postings, so that one addition need not wait for the
        # one before it. Postings are taken in pairs of one each: no branch picks the chain, and
        # one rarely taken branch looks at the highest scores of both.
        sum0, sum1, squares0, squares1 = 0.0, 0.0, 0.0, 0.0
        for a in range(start[u], start[u + 1]):
            i = item[a]
            if i < 0 or item_start[i] == item_start[i + 1]:
                continue
            begin, end = _U(item_start[i]), _U(item_start[i + 1])
            plus, times, shift = add[a], mul[a], _U(day_offset[a])
            if begin & one:
                row, old, new, gain, square = _post(
                    begin, item_row, item_level, item_day, plus, times, day_table, shift, score
                )
                sum1 += gain
                squares1 += square
                best, second, best_row, ties = _rise(row, old, new, best, second, best_row, ties)
            for k in range(begin + (begin & one), end - (end & one), two):
                row, old, new, gain, square = _post(
                    k, item_row, item_level, item_day, plus, times, day_table, shift, score
                )
                row1, old1, new1, gain1, square1 = _post(
                    k + one, item_row, item_level, item_day, plus, times, day_table, shift, score
                )
                sum0 += gain
                sum1 += gain1
                squares0 += square
                squares1 += square1
                if new >= second or new1 >= second:
                    best, second, best_row, ties = _rise(
                        row, old, new, best, second, best_row, ties
                    )
                    best, second, best_row, ties = _rise(
                        row1, old1, new1, best, second, best_row, ties
                    )
            if end & one:
                row, old, new, gain, square = _post(
                    end - one, item_row, item_level, item_day, plus, times, day_table, shift, score
                )
                sum0 += gain
                squares0 += square
                best, second, best_row, ties = _rise(row, old, new, best, second, best_row, ties)
        o = out[u]
        o["candidates"] = n
        o["sum"] = sum0 + sum1
        o["sum_squares"] = squares0 + squares1
        o["best"] = best
        o["best_record"] = first + np.int64(best_row)
        o["ties"] = ties
        o["second"] = second
        o["listed"] = n if listed_above < 0 else _count(score, n, listed_above)[1]
        o["touched"], o["at_least"], o["above"] = _count_and_clear(bits, n, own[u])


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
        count = _count_of(must, a)
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
def _likelihood(record, begin, end, code, counted, u, ways):  # type: ignore[no-untyped-def]
    """Ln of the chance that exactly so many facts are wrong and these come out; see `Counted`.

    ``code[a − begin]`` is 0 where the record lacks the item, else 1 + the place of its cell in the
    tables. ``ways[w]`` is the chance of the facts so far with w of them wrong.
    """
    right, wrong, lacking, support, number, cells, mass, group = counted
    n_wrong = number[u]
    room = float(cells[u])
    if mass.shape[0] > 0:
        room -= mass[group[u], record]
    ways[0] = 1.0
    for w in range(1, n_wrong + 1):
        ways[w] = 0.0
    for a in range(begin, end):
        place = code[a - begin]
        if place > 0:
            p, q = right[a, place - 1], wrong[a, place - 1]
        elif math.isnan(lacking[a]):
            p, q = 0.0, 1.0
        else:
            p, q = 0.0, lacking[a] / max(room, 1.0)
            room -= support[a]
        for w in range(n_wrong, 0, -1):
            ways[w] = ways[w] * p + ways[w - 1] * q
        ways[0] *= p
    return math.log(ways[n_wrong]) if ways[n_wrong] > 0 else -np.inf


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
            total[r] = _likelihood(first + r, begin, end, code[r], counted, u, ways)


@numba.njit(cache=True, nogil=True)
def _count_of(must, a):  # type: ignore[no-untyped-def]
    return 1 + _MUST if must.shape[0] > 0 and must[a] else 1


@numba.njit(cache=True, nogil=True)
def _totals(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
    day_table, day_offset, choice, day_class, counted, must, least, total, held,
):  # fmt: skip
    if counted[4].size > 0:
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
def _musts(must, start, u):  # type: ignore[no-untyped-def]
    """How many of an aux set's items a record must hold."""
    count = 0
    if must.shape[0] > 0:
        for a in range(start[u], start[u + 1]):
            count += must[a]
    return count


@numba.njit(cache=True, nogil=True)
def _finish(finish, total, whole, base, feature, values, days):  # type: ignore[no-untyped-def]
    """Score of one record, which may hold the whole of what it must; see `Finish`."""
    if finish == _SUM:
        return total + base + feature
    if finish == _ALL:
        return total + base if whole else 0.0
    if finish == _LOG:
        score = total + base + feature
        return score if whole and score > _RULED_OUT else -np.inf
    if finish == _LEAST:
        return total if whole else 0.0
    if finish == _COSINE:
        length = feature * base
        return total / length if length > 0 else 0.0
    n_days = math.floor(total / DAYS_UNIT)
    return 1.0 if total - n_days * DAYS_UNIT >= values and n_days >= days else 0.0


@numba.njit(cache=True, nogil=True)
def _score_all(  # type: ignore[no-untyped-def]
    u, first, n, length, start, must, finish, base, feature, group, need,
    shortest, longest, absent, target, total, held, score,
):  # fmt: skip
    """Scores of the block's candidates; NaN for a record that is none."""
    musts = _musts(must, start, u)
    values = need[u, 0] if need.shape[0] else 0.0
    days = need[u, 1] if need.shape[0] else 0.0
    for r in range(n):
        record = first + r
        if (absent[u] and record == target[u]) or not shortest[u] <= length[record] <= longest[u]:
            score[r] = np.nan
            continue
        score[r] = _finish(
            finish, total[r], held[r] // _MUST == musts, base[u],
            feature[group[u], record] if feature.shape[0] else 0.0, values, days,
        )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _sum_up(first, n, score, held, own, listed_above, log, o):  # type: ignore[no-untyped-def]
    """One row of partials from the scores of a block."""
    best = second = -np.inf
    best_record, ties = np.int64(-1), 0
    candidates = touched = listed = at_least = above = 0
    sum_ = squares = touched_sum = touched_squares = 0.0
    touched_best, touched_least = -np.inf, np.inf
    for r in range(n):
        s = score[r]
        if math.isnan(s):
            continue
        candidates += 1
        if held[r] > 0:
            touched += 1
            touched_best, touched_least = max(touched_best, s), min(touched_least, s)
            if not log:
                touched_sum += s
                touched_squares += s * s
        listed += s > listed_above
        at_least += s >= own
        above += s > own
        if not log:
            sum_ += s
            squares += s * s
        if s > best or best_record < 0:
            second = best
            best, best_record, ties = s, first + r, 1
        elif s == best:
            ties += 1
            second = best
        elif s > second:
            second = s
    exp = exp_squares = exp_scores = touched_exp = touched_exp_squares = 0.0
    if log and best > -np.inf:
        for r in range(n):
            if score[r] > -np.inf:  # neither NaN nor ruled out
                gap = score[r] - best
                weight = math.exp(gap)
                exp += weight
                exp_squares += weight * weight
                exp_scores += gap * weight
                if held[r] > 0:
                    touched_exp += weight
                    touched_exp_squares += weight * weight
    o["candidates"], o["touched"], o["listed"] = candidates, touched, listed
    o["sum"], o["sum_squares"] = sum_, squares
    o["best"], o["best_record"], o["ties"], o["second"] = best, best_record, ties, second
    o["at_least"], o["above"] = at_least, above
    o["touched_sum"], o["touched_squares"] = touched_sum, touched_squares
    o["touched_best"], o["touched_least"] = touched_best, touched_least
    o["exp"], o["exp_squares"], o["exp_scores"] = exp, exp_squares, exp_scores
    o["touched_exp"], o["touched_exp_squares"] = touched_exp, touched_exp_squares


@numba.njit(cache=True, nogil=True)
def _dense(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, counted, must,
    finish, base, feature, group, need, listed_above,
    shortest, longest, absent, target, own, out,
):  # fmt: skip
    total, score = np.empty(n, np.float64), np.empty(n, np.float64)
    held = np.empty(n, np.uint32)
    for u in range(start.size - 1):
        _totals(
            u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
            day_table, day_offset, choice, day_class, counted, must, finish == _LEAST, total, held,
        )  # fmt: skip
        _score_all(
            u, first, n, length, start, must, finish, base, feature, group, need,
            shortest, longest, absent, target, total, held, score,
        )  # fmt: skip
        _sum_up(first, n, score, held, own[u], listed_above, finish == _LOG, out[u])


@numba.njit(cache=True, nogil=True)
def _score_unit(  # type: ignore[no-untyped-def]
    u, first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, counted, must,
    finish, base, feature, group, need,
    shortest, longest, absent, target, score,
):  # fmt: skip
    total, held = np.empty(n, np.float64), np.empty(n, np.uint32)
    _totals(
        u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
        day_table, day_offset, choice, day_class, counted, must, finish == _LEAST, total, held,
    )  # fmt: skip
    _score_all(
        u, first, n, length, start, must, finish, base, feature, group, need,
        shortest, longest, absent, target, total, held, score,
    )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def _weigh(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day, length,
    start, item, add, mul, day_table, day_offset, choice, day_class, counted, must,
    finish, base, feature, group, need,
    shortest, longest, absent, target, best, sigma, out,
):  # fmt: skip
    total, score = np.empty(n, np.float64), np.empty(n, np.float64)
    held = np.empty(n, np.uint32)
    log = finish == _LOG
    for u in range(start.size - 1):
        _totals(
            u, first, n, item_start, item_row, item_level, item_day, start, item, add, mul,
            day_table, day_offset, choice, day_class, counted, must, finish == _LEAST, total, held,
        )  # fmt: skip
        _score_all(
            u, first, n, length, start, must, finish, base, feature, group, need,
            shortest, longest, absent, target, total, held, score,
        )  # fmt: skip
        for c in range(sigma.shape[1]):
            if not sigma[u, c] > 0:
                continue
            weight_sum = gap_sum = 0.0
            # Records that share nothing with the aux all score the same: one exponential for all.
            alike, alike_gap = 0, 0.0
            for r in range(n):
                if math.isnan(score[r]):
                    continue
                gap = (math.exp(score[r] - best[u]) - 1.0) if log else (score[r] - best[u])
                gap /= sigma[u, c]
                if held[r] == 0 and feature.shape[0] == 0:
                    alike += 1
                    alike_gap = gap
                    continue
                weight = math.exp(gap)
                weight_sum += weight
                gap_sum += gap * weight
            weight = math.exp(alike_gap)
            out[u, c, 0] = weight_sum + alike * weight
            out[u, c, 1] = gap_sum + alike * (alike_gap * weight)


@numba.njit(cache=True, nogil=True)
def _own(  # type: ignore[no-untyped-def]
    start, item, own_held, level, day, add, mul, day_table, day_offset, choice, day_class,
    counted, must, finish, base, feature, group, need, length, shortest, longest, absent, target,
    fused, out,
):  # fmt: skip
    least = finish == _LEAST
    for u in range(start.size - 1):
        record = target[u]
        if absent[u] or record < 0 or not shortest[u] <= length[record] <= longest[u]:
            out[u] = np.nan
            continue
        total = np.inf if least else (-0.0 if fused else 0.0)
        held = 0
        code = np.zeros(start[u + 1] - start[u], np.uint32)
        for a in range(start[u], start[u + 1]):
            if not own_held[a] or item[a] < 0:
                continue
            held += _count_of(must, a)
            at = day_offset[a] + day[a]
            if counted[4].size > 0:
                levels = counted[0].shape[1] // 3
                code[a - start[u]] = 1 + day_class[at] * levels + level[a]
                continue
            if choice.shape[0] > 0:
                gain = choice[a, day_class[at], level[a]]
            else:
                gain = add[a, level[a]] + mul[a, level[a]] * day_table[at]
            total = min(total, gain) if least else total + gain
        if fused:
            out[u] = total
            continue
        if counted[4].size > 0:
            ways = np.empty(counted[4][u] + 1, np.float64)
            total = _likelihood(record, start[u], start[u + 1], code, counted, u, ways)
        out[u] = _finish(
            finish, total, held // _MUST == _musts(must, start, u), base[u],
            feature[group[u], record] if feature.shape[0] else 0.0,
            need[u, 0] if need.shape[0] else 0.0, need[u, 1] if need.shape[0] else 0.0,
        )  # fmt: skip


def target_scores(store: Store, aux: AuxBatch, scan: Scan) -> NDArray[np.float64]:
    """Each target's own score, from its own cells, with the arithmetic of the scan.

    Parameters
    ----------
    store : Store
    aux : AuxBatch
        U units.
    scan : Scan

    Returns
    -------
    float64 array, shape (U,)
        NaN where the target is no candidate.
    """
    out = np.empty(len(aux), np.float64)
    _own(
        aux.start, aux.item, aux.own_held, aux.own_level, aux.own_day,
        *_gains(scan.gains), *_finishing(scan), store.length, *_candidates(aux),
        _is_fused(aux, scan), out,
    )  # fmt: skip
    return out


def scan_block(
    store: Store, block: Block, aux: AuxBatch, scan: Scan, own: NDArray[np.float64]
) -> Partials:
    """Score every candidate of a block against every aux set.

    Contributions are added in the order of the facts, in float64.

    Parameters
    ----------
    store : Store
    block : Block
    aux : AuxBatch
        U units.
    scan : Scan
    own : float64 array, shape (U,)
        Each target's own score, for its rank.

    Returns
    -------
    PARTIAL array, shape (U,)
    """
    out = np.zeros(len(aux), PARTIAL)
    if _is_fused(aux, scan):
        gains = scan.gains
        _fused(
            *_cells(block), aux.start, aux.item, gains.add, gains.mul, gains.day_table,
            gains.day_offset, own, scan.listed_above, out,
        )  # fmt: skip
        # Records that share nothing score 0, and no score is below that.
        out["touched_sum"], out["touched_squares"] = out["sum"], out["sum_squares"]
        none, alike = out["touched"] == 0, out["ties"] >= out["touched"]
        out["touched_best"] = np.where(none, -np.inf, out["best"])
        out["touched_least"] = np.where(none, np.inf, np.where(alike, out["best"], 0.0))
    else:
        _dense(
            *_cells(block), store.length, aux.start, aux.item, *_gains(scan.gains),
            *_finishing(scan), scan.listed_above, *_candidates(aux), own, out,
        )  # fmt: skip
    return out


def score_block(
    store: Store, block: Block, aux: AuxBatch, scan: Scan, unit: int
) -> NDArray[np.float64]:
    """Every record's score for one aux set.

    Parameters
    ----------
    store : Store
    block : Block
    aux : AuxBatch
    scan : Scan
    unit : int

    Returns
    -------
    float64 array, shape (n_records,)
        NaN for a record that is no candidate.
    """
    score = np.empty(block.n_records, np.float64)
    _score_unit(
        unit, *_cells(block), store.length, aux.start, aux.item, *_gains(scan.gains),
        *_finishing(scan), *_candidates(aux), score,
    )  # fmt: skip
    return score


def weigh_block(
    store: Store,
    block: Block,
    aux: AuxBatch,
    scan: Scan,
    best: NDArray[np.float64],
    sigma: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Sum exp((s − best)/σ) and (s − best)/σ·exp((s − best)/σ) over the candidates of a block.

    Where the scores are logarithms, exp(s − best) and its σ are meant.

    Parameters
    ----------
    store : Store
    block : Block
    aux : AuxBatch
        U units.
    scan : Scan
    best : float64 array, shape (U,)
        Highest score in the whole release.
    sigma : float64 array, shape (U, C)
        Several conventions of σ; where it is 0 nothing is summed.

    Returns
    -------
    float64 array, shape (U, C, 2)
    """
    out = np.zeros((*sigma.shape, 2))
    _weigh(
        *_cells(block), store.length, aux.start, aux.item, *_gains(scan.gains), *_finishing(scan),
        *_candidates(aux), best, sigma, out,
    )  # fmt: skip
    return out


def _is_fused(aux: AuxBatch, scan: Scan) -> bool:
    return bool(
        scan.finish == Finish.SUM
        and not len(scan.gains.choice)
        and not len(scan.feature)
        and not scan.base.any()
        and not aux.absent.any()
        and not aux.shortest.any()
        and (aux.longest == ANY_LENGTH).all()
        and (scan.gains.add >= 0).all()
        and (scan.gains.mul >= 0).all()
    )


def _cells(block: Block) -> Any:
    return (
        block.first, block.n_records,
        block.item_start, block.item_row, block.item_level, block.item_day,
    )  # fmt: skip


def _gains(gains: Gains) -> Any:
    return (
        gains.add, gains.mul, gains.day_table, gains.day_offset, gains.choice, gains.day_class,
    )  # fmt: skip


def _finishing(scan: Scan) -> Any:
    c = scan.counted
    counted = (
        c.right, c.wrong, c.lacking, c.support, c.number, c.cells, c.mass, c.group,
    )  # fmt: skip
    return counted, scan.must, int(scan.finish), scan.base, scan.feature, scan.group, scan.need


def _candidates(aux: AuxBatch) -> Any:
    return aux.shortest, aux.longest, aux.absent, aux.target
