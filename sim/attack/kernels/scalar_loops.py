"""The innermost loops of the scan, one posting or score after another, in plain Numba.

Invariant: `sim.attack.kernels.vector_loops` has the same functions and makes the same bits. So a
sum has eight accumulators: a posting or score goes to that of its index modulo eight.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math

import numpy as np
from numba.core import types
from numba.extending import overload

from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.postings import fetch_ahead
from sim.attack.kernels.powers import power
from sim.attack.kernels.simd import njit_inline, njit_no_nrt
from sim.attack.kernels.top2 import LEAST, raise_top2, set_threshold

_U = np.uint64  # unsigned indices need no check for wrap-around
_ZERO, _ONE, _LAST, _THREE = _U(0), _U(1), _U(WIDTH - 1), _U(3)
_WIDTH, _LINE = _U(WIDTH), _U(63)


def _at_level(table, a, level):  # type: ignore[no-untyped-def]
    """Number of fact a at a level, of a table of any of the shapes of `Tables`."""


@overload(_at_level, inline="always")
def _at_level_overload(table, a, level):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if table.ndim == 1:
        return lambda table, a, level: table[a]  # noqa: ARG005
    if table.ndim == 2:
        return lambda table, a, level: table[a, level]
    return lambda table, a, level: table[a, level >> _THREE, level & _LAST]


def _of_days(tables, a, level, item_day, k):  # type: ignore[no-untyped-def]
    """Return the contribution of the day; 0 where days do not count."""


@overload(_of_days, inline="always")
def _of_days_overload(tables, a, level, item_day, k):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(item_day, types.NoneType):
        return lambda tables, a, level, item_day, k: 0.0  # noqa: ARG005
    return lambda tables, a, level, item_day, k: (
        _at_level(tables.mul, a, level)
        * tables.day_table[_U(tables.day_offset[a]) + _U(item_day[k])]
    )


@njit_inline
def contribution(k, postings, tables, a):  # type: ignore[no-untyped-def]
    """Contribution of posting k to fact a."""
    level = _U(postings.item_level[k])
    by_level = _at_level(tables.add, a, level)
    return by_level + _of_days(tables, a, level, postings.item_day, k)


@njit_no_nrt
def add_fact(a, j, limit, postings, tables, tile):  # type: ignore[no-untyped-def]
    """Add fact a, the j-th of its aux set, to all records below `limit` but the removed one."""
    item_row, first = postings.item_row, tile.first
    score = tile.score  # by statements of their own: see `sim.attack.kernels.types`
    cursors = tile.cursors
    fact, at, stop, end = _U(a), cursors[0, j], cursors[1, j], cursors[2, j]
    advances = True
    while advances:
        while at < stop and item_row[at] < limit:
            if at & _LINE == 0:
                fetch_ahead(at, postings)
            score[_U(item_row[at]) - first] += contribution(at, postings, tables, fact)
            at += _ONE
        advances = at == stop and stop < end
        if advances:  # pass over the removed record
            at, stop = at + _ONE, end
    cursors[0, j], cursors[1, j] = at, stop


@njit_no_nrt
def add_and_prune(a, j, limit, postings, tables, tile, pruning, threshold, n_survivors):  # type: ignore[no-untyped-def]
    """Do as `add_fact`, add to the fact's lane sums, and append to the survivors.

    Returns the number of records that have got their first contribution, and of survivors.
    """
    item_row, first = postings.item_row, tile.first
    score = tile.score  # by statements of their own: see `sim.attack.kernels.types`
    cursors = tile.cursors
    sums = pruning.sums
    survivors = pruning.survivors
    fact, at, stop, end = _U(a), cursors[0, j], cursors[1, j], cursors[2, j]
    of_fact, overlapping = _U(j * 2 * WIDTH), np.int64(0)
    advances = True
    while advances:
        while at < stop and item_row[at] < limit:
            if at & _LINE == 0:
                fetch_ahead(at, postings)
            row = _U(item_row[at])
            gain = contribution(at, postings, tables, fact)
            old = score[row - first]
            new = old + gain
            score[row - first] = new
            lane = of_fact + (at & _LAST)
            sums[lane] += gain
            sums[lane + _WIDTH] += gain * (old + new)  # new² − old²
            overlapping += math.copysign(1.0, old) < 0.0  # −0.0: nothing added before
            if new >= threshold and threshold > old:  # the others are listed already
                survivors[n_survivors] = row
                n_survivors += _ONE
            at += _ONE
        advances = at == stop and stop < end
        if advances:  # pass over the removed record
            at, stop = at + _ONE, end
    cursors[0, j], cursors[1, j] = at, stop
    return overlapping, n_survivors


@njit_inline
def best_of_records(a, cells, postings, tables, n, out):  # type: ignore[no-untyped-def]
    """Write, from out[n] on, the cell of each record that contributes most to fact a.

    `cells` are the first and the end of the item's postings. Of cells that contribute as much, the
    first is taken. Returns the new n. Whole vectors are written, so `out` is longer by one.
    """
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    row, level, day = out
    last, best, best_level, best_day = np.int64(-1), 0.0, item_level[0], item_day[0]
    for k in range(_U(cells[0]), _U(cells[1])):
        r, this_level, this_day = np.int64(item_row[k]), item_level[k], item_day[k]
        gain = contribution(k, postings, tables, _U(a))
        # No branches: whether a record has another cell cannot be predicted.
        is_new = r != last
        n += is_new
        taken = is_new | (gain > best)
        best = gain if taken else best
        best_level = this_level if taken else best_level
        best_day = this_day if taken else best_day
        last = r
        row[_U(n - 1)], level[_U(n - 1)], day[_U(n - 1)] = item_row[k], best_level, best_day
    return n


@njit_no_nrt
def update_top2(n_survivors, survivors, tile, own, next_threshold, o):  # type: ignore[no-untyped-def]
    """Update the highest two and the target's rank at a prefix with the survivors' scores.

    Keeps the survivors that score at least `next_threshold`, and returns their number.
    """
    best, second, best_row, ties = o["best"], o["second"], o["best_row"], o["ties"]
    n_kept, at_least, above = _ZERO, np.int64(0), np.int64(0)
    for j in range(_ZERO, n_survivors):
        row = survivors[j]
        s = tile.score[_U(row) - tile.first]
        at_least += s >= own
        above += s > own
        if s >= max(second, LEAST):
            best, second, best_row, ties = raise_top2(
                np.int64(row), s, best, second, best_row, ties
            )
        if s >= next_threshold:
            survivors[n_kept] = row
            n_kept += _ONE
    o["best"], o["second"], o["best_row"], o["ties"] = best, second, best_row, ties
    o["at_least"] += at_least
    o["above"] += above
    set_threshold(own, o)
    return n_kept


@njit_no_nrt
def accumulate_moments(score, held, first, bounds, sums_up, lane_sums, o):  # type: ignore[no-untyped-def]
    """Accumulate the scores of the records from `first` on in their partial; NaN: no candidate.

    ``held`` is above 0 for records that share an item with the aux; ``bounds`` are the target's
    score and what a record of the matching set scores more than. Moments only if `sums_up`.
    """
    own, matching_above = bounds
    best, second, ties, best_record = o["best"], o["second"], o["ties"], o["best_record"]
    candidates, overlapping, matching = np.int64(0), np.int64(0), np.int64(0)
    at_least, above = np.int64(0), np.int64(0)
    for r in range(_U(score.size)):
        s = score[r]
        if s != s:
            continue
        lane, overlaps = r & _LAST, held[r] > 0
        candidates += 1
        overlapping += overlaps
        matching += s > matching_above
        at_least += s >= own
        above += s > own
        if sums_up:
            lane_sums[lane] += s
            lane_sums[_WIDTH + lane] += s * s
            if overlaps:
                lane_sums[_U(16) + lane] += s
                lane_sums[_U(24) + lane] += s * s
        if overlaps:
            if s > lane_sums[_U(32) + lane]:
                lane_sums[_U(32) + lane] = s
            if s < lane_sums[_U(40) + lane]:
                lane_sums[_U(40) + lane] = s
        if s >= second:
            if s > best or ties == 0:
                second = best
                best, ties = s, 1
                best_record = first + np.int64(r)
            elif s == best:
                second = best
                ties += 1
            else:
                second = s
    o["best"], o["second"], o["ties"], o["best_record"] = best, second, ties, best_record
    o["candidates"] += candidates
    o["overlapping"] += overlapping
    o["matching"] += matching
    o["at_least"] += at_least
    o["above"] += above


@njit_no_nrt
def weigh_tile(score, n, best, c, weighing):  # type: ignore[no-untyped-def]
    """Accumulate the exponentials of the next n scores at prefix c, skipping zeros.

    The caller adds zeros in bulk. Scores are taken in eights, in order, whatever tiles they come
    in: those left over are pending until the next tile.
    """
    sigma, c = weighing.sigma, _U(c)
    lane_sums = weighing.lane_sums  # by statements of their own: see `sim.attack.kernels.types`
    buffer = weighing.buffer
    scratch = weighing.scratch
    pending, kept = _U(weighing.pending[c]), _U(weighing.pending[c])
    for k in range(pending):
        buffer[k] = lane_sums[c, _ZERO, k]
    for r in range(_U(n)):
        buffer[kept] = score[r]
        kept += _U(score[r] != 0.0)
    whole = kept & ~_LAST
    for j in range(_U(sigma.shape[1])):
        if sigma[c, j] > 0:
            over = 1.0 / sigma[c, j]
            for k in range(whole):  # a separate loop, so that the compiler can take several
                scratch[_ZERO, k], scratch[_ONE, k] = power((buffer[k] - best) * over)
            sums = _ONE + j + j
            for k in range(whole):
                weight = scratch[_ONE, k]
                lane_sums[c, sums, k & _LAST] += weight
                lane_sums[c, sums + _ONE, k & _LAST] += scratch[_ZERO, k] * weight
    for k in range(kept - whole):
        lane_sums[c, _ZERO, k] = buffer[whole + k]
    weighing.pending[c] = np.int64(kept & _LAST)
    weighing.nonzero[c] += np.int64(kept - pending)
