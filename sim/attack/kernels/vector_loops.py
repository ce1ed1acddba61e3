"""The innermost loops of the scan, eight postings or scores at a time.

Invariant: `sim.attack.kernels.scalar_loops` has the same functions and makes the same bits.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload

from sim.attack.kernels.arithmetic import if_more
from sim.attack.kernels.lanes import (
    ALL,
    WIDTH,
    Lanes,
    add_signs,
    below,
    between,
    bits_of_either,
    clear_lowest,
    ctz,
    eq,
    ge,
    gt,
    highest,
    hsum_i64,
    lane,
    mask_or_zero,
    popcount,
    same,
    select,
    shift_left,
    shift_right,
    splat,
    up_four,
    up_one,
    up_two,
    zeros_i64,
)
from sim.attack.kernels.memory import (
    compress,
    compress_store,
    gather,
    load,
    permute_lookup,
    row_of,
    scatter,
    store,
)
from sim.attack.kernels.postings import fetch_ahead
from sim.attack.kernels.powers import power
from sim.attack.kernels.simd import njit_inline, njit_no_nrt
from sim.attack.kernels.top2 import LEAST, raise_top2, set_threshold

_U = np.uint64  # unsigned indices need no check for wrap-around
_ALL, _ZERO, _ONE, _WIDTH, _LAST = np.uint8(ALL), _U(0), _U(1), _U(WIDTH), _U(WIDTH - 1)
_LINE = _U(63)


def _table_row(table, a):  # type: ignore[no-untyped-def]
    """Return fact a's row of a table of contributions, in the form fastest to look up.

    A number if all levels have the same; two registers if there are few levels; otherwise minus
    the offset of the row. Not a view: reference counting would take longer than scoring the
    postings of a tile.
    """


@njit_inline
def _minus_offset(table, a):  # type: ignore[no-untyped-def]
    return _ZERO - _U(a) * _U(table.shape[1])


@overload(_table_row, inline="always")
def _table_row_overload(table, a):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(table, types.NoneType):
        return lambda table, a: None  # noqa: ARG005
    if table.ndim == 1:
        return lambda table, a: splat(table[a])
    if table.ndim == 2:
        return lambda table, a: _minus_offset(table, a)
    return lambda table, a: row_of(table, a)


def _at_level(table, row, level, mask):  # type: ignore[no-untyped-def]
    """Numbers of a row of a table, by level."""


@overload(_at_level, inline="always")
def _at_level_overload(table, row, level, mask):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(row, Lanes):
        return lambda table, row, level, mask: row  # noqa: ARG005
    if isinstance(row, types.BaseTuple):
        return lambda table, row, level, mask: permute_lookup(table, row, level, mask)
    return lambda table, row, level, mask: gather(table, row, level, mask)


def _of_days(tables, rows, level, item_day, k, mask):  # type: ignore[no-untyped-def]
    """Return the contributions of the days; 0 where days do not count."""


@overload(_of_days, inline="always")
def _of_days_overload(tables, rows, level, item_day, k, mask):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if isinstance(item_day, types.NoneType):
        return lambda tables, rows, level, item_day, k, mask: 0.0  # noqa: ARG005
    return lambda tables, rows, level, item_day, k, mask: (
        _at_level(tables.mul, rows[1], level, mask)
        * gather(tables.day_table, rows[2], load(item_day, k, mask), mask)
    )


@njit_inline
def fact_rows(a, tables):  # type: ignore[no-untyped-def]
    """Return the lookup tables of fact a in each of the tables."""
    days = _ZERO - _U(tables.day_offset[a])
    return _table_row(tables.add, a), _table_row(tables.mul, a), days


@njit_inline
def contributions(k, mask, postings, tables, rows):  # type: ignore[no-untyped-def]
    """Contributions of those of the postings [k, k + 8) that are in a mask; 0 of the others."""
    level = load(postings.item_level, k, mask)
    by_level = _at_level(tables.add, rows[0], level, mask)
    return by_level + _of_days(tables, rows, level, postings.item_day, k, mask)


@njit_inline
def _add_eight(k, mask, postings, tables, rows, tile, threshold, survivors, state):  # type: ignore[no-untyped-def]
    """Add the contributions of those of the postings [k, k + 8) that are in a mask."""
    row = load(postings.item_row, k, mask)
    contribution = contributions(k, mask, postings, tables, rows)
    old = gather(tile.score, tile.first, row, mask)
    new = old + contribution
    # The rows of one item differ, so no two lanes write to one score.
    scatter(tile.score, tile.first, row, mask, new)
    if survivors is None:
        return state
    sums, squares, overlapping, n_survivors = state
    passed = ge(new, threshold, mask)
    if passed:
        passed = gt(threshold, old, passed)  # the others are listed already
        compress_store(survivors, n_survivors, passed, row)
        n_survivors += _U(popcount(passed))
    squares = squares + contribution * (old + new)  # new² − old²
    return sums + contribution, squares, add_signs(overlapping, old), n_survivors


@njit_inline
def _add_up_to(begin, end, limit, postings, tables, rows, tile, threshold, survivors, state):  # type: ignore[no-untyped-def]
    """Add the postings [begin, end) of rows below `limit`; return where that stopped.

    Eights are aligned, so that a posting's lane is its index modulo eight, whatever the tiles.
    """
    k = begin & ~_LAST
    while begin < end:
        if k == begin:
            while k + _WIDTH <= end and postings.item_row[k + _LAST] < limit:
                if k & _LINE == 0:
                    fetch_ahead(k, postings)
                state = _add_eight(
                    k, _ALL, postings, tables, rows, tile, threshold, survivors, state
                )
                k += _WIDTH
            begin = k
            if begin == end:
                break
        if k & _LINE == 0:
            fetch_ahead(k, postings)
        mask = between(k, begin, end)
        mask = below(load(postings.item_row, k, mask), limit, mask)
        state = _add_eight(k, mask, postings, tables, rows, tile, threshold, survivors, state)
        begin += _U(popcount(mask))
        k += _WIDTH
        if begin < k:
            break
    return begin, state


@njit_inline
def _advance(a, j, limit, postings, tables, tile, threshold, survivors, state):  # type: ignore[no-untyped-def]
    """Add fact a, the j-th of its aux set, to all records below `limit` but the removed one."""
    rows = fact_rows(a, tables)
    cursors = tile.cursors
    at, stop, end = cursors[0, j], cursors[1, j], cursors[2, j]
    advances = True
    while advances:
        at, state = _add_up_to(
            at, stop, limit, postings, tables, rows, tile, threshold, survivors, state
        )
        advances = at == stop and stop < end
        if advances:  # pass over the removed record
            at, stop = at + _ONE, end
    cursors[0, j], cursors[1, j] = at, stop
    return state


@njit_no_nrt
def add_fact(a, j, limit, postings, tables, tile):  # type: ignore[no-untyped-def]
    """Add fact a, the j-th of its aux set, to all records below `limit` but the removed one."""
    _advance(a, j, limit, postings, tables, tile, None, None, 0)


@njit_inline
def add_and_prune(a, j, limit, postings, tables, tile, pruning, threshold, n_survivors):  # type: ignore[no-untyped-def]
    """Do as `add_fact`, add to the fact's lane sums, and append to the survivors.

    Returns the number of records that have got their first contribution, and of survivors.
    """
    at, sums = _U(j * 2 * WIDTH), pruning.sums
    state = load(sums, at, _ALL), load(sums, at + _WIDTH, _ALL), zeros_i64(), n_survivors
    state = _advance(
        a, j, limit, postings, tables, tile, splat(threshold), pruning.survivors, state
    )
    store(sums, at, state[0])
    store(sums, at + _WIDTH, state[1])
    return hsum_i64(state[2]), state[3]


@njit_inline
def _keep_earlier(mask, contribution, cell, earlier, earlier_cell):  # type: ignore[no-untyped-def]
    """Replace the lanes of a mask by those of earlier cells that contribute at least as much."""
    keep = np.uint8(mask & ~gt(contribution, earlier, mask))
    return select(keep, earlier, contribution), select(keep, earlier_cell, cell)


@njit_inline
def _reduce_eight(k, mask, more, postings, tables, rows, out, state):  # type: ignore[no-untyped-def]
    """Reduce those of the postings [k, k + 8) that are in a mask.

    The lanes of `more` are followed by another posting. The state is the number of cells written,
    whether lane 0 goes on with the record before, and that record's best contribution and cell.
    """
    n, goes_on, best, best_cell = state
    row = load(postings.item_row, k, mask)
    not_last = same(row, load(postings.item_row, k + _ONE, more), more)
    contribution = contributions(k, mask, postings, tables, rows)
    cell = shift_left(load(postings.item_day, k, mask), 16)
    cell = bits_of_either(cell, load(postings.item_level, k, mask))
    cell = bits_of_either(cell, shift_left(row, 32))
    # After steps of one, two and four lanes, each has the best of its record up to it.
    of_record = np.uint8(not_last << 1)
    contribution, cell = _keep_earlier(
        of_record, contribution, cell, up_one(contribution), up_one(cell)
    )
    by_two = np.uint8(of_record & (of_record << 1))
    if by_two:
        contribution, cell = _keep_earlier(
            by_two, contribution, cell, up_two(contribution), up_two(cell)
        )
        by_four = np.uint8(by_two & (by_two << 2))
        contribution, cell = _keep_earlier(
            by_four, contribution, cell, up_four(contribution), up_four(cell)
        )
    of_record = np.uint8(of_record | goes_on)
    at_first = np.uint8(of_record & ~(of_record + np.uint8(1)))
    contribution, cell = _keep_earlier(at_first, contribution, cell, best, best_cell)
    last = np.uint8(mask & ~not_last)
    written = compress(last, cell)
    store(out[0], n, shift_right(written, 32))
    store(out[1], n, written)
    store(out[2], n, shift_right(written, 16))
    return (
        n + _U(popcount(last)), np.uint8(not_last >> 7), highest(contribution), highest(cell)
    )  # fmt: skip


@njit_inline
def best_of_records(a, cells, postings, tables, n, out):  # type: ignore[no-untyped-def]
    """Write, from out[n] on, the cell of each record that contributes most to fact a.

    `cells` are the first and the end of the item's postings. Of cells that contribute as much, the
    first is taken. Returns the new n. Whole vectors are written, so `out` is longer by one.
    """
    begin, end = _U(cells[0]), _U(cells[1])
    rows = fact_rows(a, tables)
    state = _U(n), np.uint8(0), splat(0.0), zeros_i64()
    k = begin
    while k + _WIDTH < end:
        state = _reduce_eight(k, _ALL, _ALL, postings, tables, rows, out, state)
        k += _WIDTH
    if k < end:
        mask = between(k, begin, end)
        more = np.uint8(mask >> 1)
        state = _reduce_eight(k, mask, more, postings, tables, rows, out, state)
    return np.int64(state[0])


@njit_no_nrt
def update_top2(n_survivors, survivors, tile, own, next_threshold, o):  # type: ignore[no-untyped-def]
    """Update the highest two and the target's rank at a prefix with the survivors' scores.

    Keeps the survivors that score at least `next_threshold`, and returns their number.
    """
    best, second, best_row, ties = o["best"], o["second"], o["best_row"], o["ties"]
    next_, own_score = splat(next_threshold), splat(own)
    n_kept, at_least, above = _ZERO, np.int64(0), np.int64(0)
    for j in range(_ZERO, n_survivors, _WIDTH):
        mask = between(j, _ZERO, n_survivors)
        row = load(survivors, j, mask)
        s = gather(tile.score, tile.first, row, mask)
        not_below = ge(s, own_score, mask)
        if not_below:
            at_least += popcount(not_below)
            above += popcount(gt(s, own_score, mask))
        high = ge(s, splat(max(second, LEAST)), mask)
        tied = eq(s, splat(best), high)
        if tied == high and best == second:  # only further ties
            ties += popcount(tied)
            high = below(row, _U(best_row), tied)
            while high:
                best_row = min(best_row, lane(row, ctz(high)))
                high = clear_lowest(high)
        while high:
            k = ctz(high)
            high = clear_lowest(high)
            best, second, best_row, ties = raise_top2(
                lane(row, k), lane(s, k), best, second, best_row, ties
            )
        mask = ge(s, next_, mask)
        if mask:
            compress_store(survivors, n_kept, mask, row)
            n_kept += _U(popcount(mask))
    o["best"], o["second"], o["best_row"], o["ties"] = best, second, best_row, ties
    o["at_least"] += at_least
    o["above"] += above
    set_threshold(own, o)
    return n_kept


@njit_no_nrt
def _raise_ordered(s, high, first, o):  # type: ignore[no-untyped-def]
    """Update the highest two with the scores of a mask of the records from `first` on."""
    best, second, ties = o["best"], o["second"], o["ties"]
    if ties > 0 and best == second and eq(s, splat(best), high) == high:
        o["ties"] = ties + popcount(high)  # the lowest such record came before
        return
    while high:
        j = ctz(high)
        high = clear_lowest(high)
        score = lane(s, j)
        if score > best or ties == 0:
            second = best
            best, ties = score, 1
            o["best_record"] = first + j
        elif score == best:
            second = best
            ties += 1
        else:
            second = max(second, score)
    o["best"], o["second"], o["ties"] = best, second, ties


@njit_inline
def _accumulate_eight(s, overlaps, mask, first, bounds, sums_up, o, counts, state):  # type: ignore[no-untyped-def]
    own, matching_above = bounds
    candidates, overlapping, matching, at_least, above = counts
    total, squares, shared_total, shared_squares, most, least = state
    real = eq(s, s, mask)  # NaN is no candidate
    overlaps = overlaps & real
    candidates += popcount(real)
    overlapping += popcount(overlaps)
    matching += popcount(gt(s, splat(matching_above), real))
    not_below = ge(s, splat(own), real)
    if not_below:
        at_least += popcount(not_below)
        above += popcount(gt(s, splat(own), not_below))
    if sums_up:
        value, shared = mask_or_zero(s, real), mask_or_zero(s, overlaps)
        total = total + value
        squares = squares + value * value
        shared_total = shared_total + shared
        shared_squares = shared_squares + shared * shared
    most = select(overlaps, if_more(s, most, s, most), most)
    least = select(overlaps, if_more(least, s, s, least), least)
    second = o["second"]
    high = ge(s, splat(second), real)
    if high:
        if o["best"] > second:
            high = gt(s, splat(second), high)
        if high:
            _raise_ordered(s, high, first, o)
    return (
        (candidates, overlapping, matching, at_least, above),
        (total, squares, shared_total, shared_squares, most, least),
    )


@njit_no_nrt
def accumulate_moments(score, held, first, bounds, sums_up, lane_sums, o):  # type: ignore[no-untyped-def]
    """Accumulate the scores of the records from `first` on in their partial; NaN: no candidate.

    ``held`` is above 0 for records that share an item with the aux; ``bounds`` are the target's
    score and what a record of the matching set scores more than. Moments only if `sums_up`.
    """
    n = _U(score.size)
    counts = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    state = (
        load(lane_sums, _ZERO, _ALL), load(lane_sums, _U(8), _ALL), load(lane_sums, _U(16), _ALL),
        load(lane_sums, _U(24), _ALL), load(lane_sums, _U(32), _ALL), load(lane_sums, _U(40), _ALL),
    )  # fmt: skip
    full = n & ~_LAST
    for r in range(_ZERO, full, _WIDTH):
        counts, state = _accumulate_eight(
            load(score, r, _ALL), ~below(load(held, r, _ALL), _ONE, _ALL), _ALL,
            first + np.int64(r), bounds, sums_up, o, counts, state,
        )  # fmt: skip
    if full < n:
        mask = between(full, _ZERO, n)
        counts, state = _accumulate_eight(
            load(score, full, mask), ~below(load(held, full, mask), _ONE, _ALL), mask,
            first + np.int64(full), bounds, sums_up, o, counts, state,
        )  # fmt: skip
    o["candidates"] += counts[0]
    o["overlapping"] += counts[1]
    o["matching"] += counts[2]
    o["at_least"] += counts[3]
    o["above"] += counts[4]
    store(lane_sums, _ZERO, state[0])
    store(lane_sums, _U(8), state[1])
    store(lane_sums, _U(16), state[2])
    store(lane_sums, _U(24), state[3])
    store(lane_sums, _U(32), state[4])
    store(lane_sums, _U(40), state[5])


@njit_inline
def _keep_nonzero(s, mask, buffer, kept):  # type: ignore[no-untyped-def]
    mask = mask & ~eq(s, splat(0.0), mask)
    compress_store(buffer, kept, mask, s)
    return kept + _U(popcount(mask))


@njit_no_nrt
def weigh_tile(score, n, best, c, weighing):  # type: ignore[no-untyped-def]
    """Accumulate the exponentials of the next n scores at prefix c, skipping zeros.

    The caller adds zeros in bulk. Scores are taken in eights, in order, whatever tiles they come
    in: those left over are pending until the next tile.
    """
    sigma, lane_sums, buffer = weighing.sigma, weighing.lane_sums, weighing.buffer
    n, pending, kept = _U(n), _U(weighing.pending[c]), _U(weighing.pending[c])
    at = _U(c) * _U(lane_sums.shape[1]) * _WIDTH
    store(buffer, _ZERO, load(lane_sums, at, _ALL))
    full = n & ~_LAST
    for r in range(_ZERO, full, _WIDTH):
        kept = _keep_nonzero(load(score, r, _ALL), _ALL, buffer, kept)
    if full < n:
        mask = between(full, _ZERO, n)
        kept = _keep_nonzero(load(score, full, mask), mask, buffer, kept)
    whole = kept & ~_LAST
    for j in range(sigma.shape[1]):
        if sigma[c, j] > 0:
            over, sums = 1.0 / sigma[c, j], at + _U(1 + 2 * j) * _WIDTH
            weights, weighted = load(lane_sums, sums, _ALL), load(lane_sums, sums + _WIDTH, _ALL)
            for k in range(_ZERO, whole, _WIDTH):
                gap, weight = power((load(buffer, k, _ALL) - best) * over)
                weights = weights + weight
                weighted = weighted + gap * weight
            store(lane_sums, sums, weights)
            store(lane_sums, sums + _WIDTH, weighted)
    store(lane_sums, at, load(buffer, whole, _ALL))
    weighing.pending[c] = np.int64(kept & _LAST)
    weighing.nonzero[c] += np.int64(kept - pending)
