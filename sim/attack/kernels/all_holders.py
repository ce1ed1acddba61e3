"""The scores of all who hold the items of an aux set whose facts may all be wrong.

The first fact or two of many rule nobody out who holds their items, and popular items are held by
tens of thousands. What is known of them are the cells of one or two items, so there are far fewer
scores, but for the records' own terms, than records: each is computed once. Where the chance of a
wrong fact depends on the day of each record's own cell, its divisor is one more of these terms.
"""

# mypy: disable-error-code="call-arg, no-untyped-call"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

import numpy as np

from sim.attack.kernels.arithmetic import prefetch
from sim.attack.kernels.possible_records import (
    MUST,
    all_are_candidates,
    cells_of,
    find,
    keep_candidates,
    shortest_that_must,
    who_hold,
)
from sim.attack.kernels.possible_scores import (
    combinations_of,
    keep_possible,
    likelihood_of_combination,
)
from sim.attack.kernels.score_spec import RULED_OUT
from sim.attack.kernels.simd import njit, njit_inline, njit_no_nrt
from sim.attack.kernels.wrong_chances import are_drawn, no_draws
from sim.numeric.bits import WORD, popcount

_U = np.uint64  # unsigned indices need no check for wrap-around
RUNS = 4
"""Successive days of one class, at most, that are told apart by comparisons."""

_FEW = 1024  # divisors that are worth computing for any number of records
_AHEAD = _U(8)  # words of bits, of 64 records each
_EACH = 64  # records looked at in the time of computing a likelihood


@njit_no_nrt
def _most(near, begin, end):  # type: ignore[no-untyped-def]
    """The most cells near any of some postings."""
    most = near.dtype.type(0)
    for k in range(_U(begin), _U(end)):
        most = max(most, near[k])
    return np.int64(most)


@njit_no_nrt
def all_are_possible(begin, misses, role, postings, aux, tables, length, order, most):  # type: ignore[no-untyped-def]
    """Whether nobody is ruled out who holds all items, and records by far outnumber likelihoods.

    Writes the most cells near any posting of each fact's item; see `_make_divisors`.
    """
    size, counted = role.size, tables.counted
    if size == 0 or misses < size or counted.number.size == 0 or counted.leader.size > 0:
        return False
    draws = counted.draws
    for j in range(size):
        if role[j] != MUST or (are_drawn(counted) and not draws.plain[begin + j]):
            return False
    if combinations_of(length[order[0]], size, counted) == 0:
        return False
    for j in range(size):
        most[j] = 0
        if are_drawn(counted) and draws.kind[begin + j] >= 0:
            start = tables.near_start[draws.kind[begin + j]]
            low, high = cells_of(aux.item[begin + j], postings)
            most[j] = _most(tables.near, start + low, start + high)
        if most[j] > _FEW + length[j]:
            return False
    return True


@njit_inline
def _cell(k, days, levels, postings):  # type: ignore[no-untyped-def]
    """1 + the place of a posting in a fact's tables."""
    day, level = days[_U(postings.item_day[k])], postings.item_level[k]
    return _U(day) * levels + _U(level) + _U(1)


@njit
def _make_divisors(begin, end, most, divisors, tables):  # type: ignore[no-untyped-def]
    """Memory for the divisors, and what is the same for all postings of a fact.

    For each fact: whether it is wrong at each place in its tables; where the cells near each
    posting begin; and where its divisors begin, of which there is one for every number of cells
    near, and 0 for a posting where it may be right.
    """
    counted = tables.counted
    draws, size, places = counted.draws, end - begin, counted.right.shape[1]
    wrong, start, at = np.zeros((size, places), np.uint64), np.zeros(size, np.uint64), 0
    begins, of_near = np.zeros(size, np.uint64), np.zeros(most[:size].sum() + size)
    for j in range(size * are_drawn(counted)):
        a, same = begin + j, np.int64(0)
        begins[j] = at
        if draws.kind[a] >= 0:
            start[j] = tables.near_start[draws.kind[a]]
            for place in range(places):
                if counted.right[a, place] == 0.0:
                    wrong[j, place] = 1
                    same = max(same, np.int64(counted.wrong[a, place]))  # that, or 0
            logs, n = draws.logs, _U(counted.support[a])
            high, rest = logs[same, 0], logs[same, 1]
            for m in range(_U(1), _U(most[j] + 1)):
                of_near[_U(at) + m] = (logs[n - m, 0] - high) + (logs[n - m, 1] - rest)
        at += most[j] + 1
    return divisors, wrong, start, begins, of_near


@njit_inline
def _of_fact(j, given):  # type: ignore[no-untyped-def]
    """What `_divisor` needs of a fact, read once: LLVM would read it again after every store."""
    _, wrong, start, begins, of_near = given
    return wrong[_U(j)], start[_U(j)], begins[_U(j)], of_near


@njit_inline
def _divisor(k, place, of_fact, near):  # type: ignore[no-untyped-def]
    """Ln n/s of a posting with a place in the tables; 0 where the fact may be right."""
    wrong, start, begin, of_near = of_fact
    return of_near[begin + _U(near[start + k]) * wrong[place]]


@njit_no_nrt
def _write_divisors(a, j, low, n, postings, tables, given):  # type: ignore[no-untyped-def]
    """Write the divisors of the first n postings from one on."""
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    divisors, of_fact = given[0], _of_fact(j, given)
    for s in range(_U(n)):
        k = _U(low) + s
        place = _cell(k, days, levels, postings) - _U(1)
        divisors[s] = _divisor(k, place, of_fact, tables.near)


@njit_no_nrt
def _find_runs(a, tables, run_end, run):  # type: ignore[no-untyped-def]
    """Write the day codes from which on the days' class is another, and 1 + its first place.

    Of fewer than there is room for, the last is repeated; return whether there is room.
    """
    counted, offset, at = tables.counted, tables.smooth.day_offset[a], np.int64(0)
    # Where every cell has a day, the table may end before the code of "no day".
    end = min(counted.days, run_end.size - offset)
    for r in range(run.shape[0]):
        if at < end:
            run[r, 0], run[r, 1] = at, tables.day_class[offset + at] * counted.levels + 1
            at = np.int64(run_end[offset + at]) - offset
        else:
            run[r, 0], run[r, 1] = run[r - 1, 0], run[r - 1, 1]
    return 0 < end <= at


@njit_no_nrt
def _write_cells(a, cells, postings, tables, run_end, run, which):  # type: ignore[no-untyped-def]
    """Write the cells of all postings of an item, which are the first of their combinations."""
    item_level, item_day, low = postings.item_level, postings.item_day, _U(cells[0])
    if run_end.size == 0 or not _find_runs(a, tables, run_end, run):
        days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
        for k in range(low, _U(cells[1])):
            which[k - low] = _cell(k, days, levels, postings)
        return
    # Comparisons are made many at a time, looks into tables are not.
    day, place = item_day.dtype.type, which.dtype.type
    b1, b2, b3 = day(run[1, 0]), day(run[2, 0]), day(run[3, 0])
    p0, p1, p2, p3 = place(run[0, 1]), place(run[1, 1]), place(run[2, 1]), place(run[3, 1])
    for k in range(low, _U(cells[1])):
        at = item_day[k]
        first = p1 if at >= b1 else p0
        first = p2 if at >= b2 else first
        first = p3 if at >= b3 else first
        which[k - low] = first + item_level[k]


@njit_no_nrt
def _add_cells(a, j, n, at, postings, tables, which, given):  # type: ignore[no-untyped-def]
    """Append each record's cell of a fact's item to the number of its combination of cells."""
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    radix, divisors = _U(tables.counted.right.shape[1] + 1), given[0]
    of_fact = _of_fact(j, given)
    for s in range(_U(n)):
        k = _U(at[s])
        cell = _cell(k, days, levels, postings)
        which[s] = _U(which[s]) * radix + cell
        if divisors.size > 0:
            divisors[s] += _divisor(k, cell - _U(1), of_fact, tables.near)


@njit_no_nrt
def _add_cells_by_bits(a, j, n, rows, holders, postings, tables, which, given):  # type: ignore[no-untyped-def]
    """As `_add_cells`, of an item whose holders are known by bits."""
    low, bits, before = holders
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    radix, divisors = _U(tables.counted.right.shape[1] + 1), given[0]
    of_fact = _of_fact(j, given)
    for s in range(_U(n)):
        word, place = _U(rows[s]) >> _U(6), _U(rows[s]) & _U(63)
        k = _U(low) + _U(before[word]) + popcount(bits[word] & ((_U(1) << place) - _U(1)))
        cell = _cell(k, days, levels, postings)
        which[s] = _U(which[s]) * radix + cell
        if divisors.size > 0:
            divisors[s] += _divisor(k, cell - _U(1), of_fact, tables.near)


@njit_inline
def _fetch(k, postings):  # type: ignore[no-untyped-def]
    """Fetch the level and the day of a posting: the processor does not see what comes."""
    prefetch(postings.item_level, k)
    prefetch(postings.item_day, k)


@njit_no_nrt
def _who_hold_both(begin, postings, aux, holders, tables, rows, which, given):  # type: ignore[no-untyped-def]
    """Write who hold two items, ascending, and their combinations of cells; return their number.

    Of items whose holders are known by bits: all in one pass.
    """
    one, other = aux.item[begin], aux.item[begin + 1]
    place, offset, levels = holders.place, tables.smooth.day_offset, _U(tables.counted.levels)
    bits, before = holders.bits[place[one]], holders.before[place[one]]
    other_bits, other_before = holders.bits[place[other]], holders.before[place[other]]
    low, other_low = _U(postings.item_start[one]), _U(postings.item_start[other])
    days, other_days = tables.day_class[offset[begin] :], tables.day_class[offset[begin + 1] :]
    radix, n = _U(tables.counted.right.shape[1] + 1), _U(0)
    divisors, near, start = given[0], tables.near, given[2]
    first, second = _of_fact(0, given), _of_fact(1, given)
    for w in range(_U(bits.size)):
        both = bits[w] & other_bits[w]
        at, other_at = low + _U(before[w]), other_low + _U(other_before[w])
        later = min(w + _AHEAD, _U(bits.size) - _U(1))
        _fetch(low + _U(before[later]), postings)
        _fetch(other_low + _U(other_before[later]), postings)
        if divisors.size > 0:
            prefetch(near, start[0] + low + _U(before[later]))
            prefetch(near, start[1] + other_low + _U(other_before[later]))
        while both != 0:
            lowest = both & (~both + _U(1))
            below = lowest - _U(1)
            rows[n] = w * _U(WORD) + popcount(below)
            k, other_k = at + popcount(bits[w] & below), other_at + popcount(other_bits[w] & below)
            cell, other_cell = (
                _cell(k, days, levels, postings),
                _cell(other_k, other_days, levels, postings),
            )
            which[n] = cell * radix + other_cell
            if divisors.size > 0:
                one_divisor = _divisor(k, cell - _U(1), first, near)
                divisors[n] = one_divisor + _divisor(other_k, other_cell - _U(1), second, near)
            both ^= lowest
            n += _U(1)
    return np.int64(n)


@njit_no_nrt
def _keep_found(n, rows, at):  # type: ignore[no-untyped-def]
    """Keep the rows that have a posting; return their number."""
    kept = np.int64(0)
    for s in range(_U(n)):
        rows[_U(kept)] = rows[s]
        kept += at[s] >= 0
    return kept


@njit_no_nrt
def _find_alike(begin, counted, alike):  # type: ignore[no-untyped-def]
    """For each fact and cell, write the first cell of the same chances: most are as wrong."""
    for j in range(alike.shape[0]):
        right, wrong = counted.right[begin + j], counted.wrong[begin + j]
        alike[j, 0] = 0  # lacks the item
        for place in range(right.size):
            first = 0
            while first < place and (right[first] != right[place] or wrong[first] != wrong[place]):
                first += 1
            alike[j, 1 + place] = 1 + first


@njit_no_nrt
def _first_alike(c, alike):  # type: ignore[no-untyped-def]
    """The first combination of cells of the same chances as combination c."""
    first, weight, radix = np.int64(0), np.int64(1), alike.shape[1]
    for j in range(alike.shape[0] - 1, -1, -1):
        first += weight * alike[j, c % radix]
        c //= radix
        weight *= radix
    return first


@njit_no_nrt
def _know(u, n, facts, postings, tables, memory):  # type: ignore[no-untyped-def]
    """Compute the scores, but for the records' own terms, of all combinations there are."""
    which, code, ways, none, alike, known = memory
    if _EACH * known.size < n:
        known[:] = 0.0  # sooner computed than found not to occur
    else:
        for s in range(_U(n)):
            known[_U(which[s])] = 0.0
    _find_alike(facts[0], tables.counted, alike)
    for c in range(known.size):
        if known[c] != known[c]:  # NaN: it does not occur
            continue
        first = _first_alike(c, alike)
        if first == c or known[first] != known[first]:
            known[first] = likelihood_of_combination(
                u, facts, postings.first, first, tables.counted, (code, ways, none)
            )
        known[c] = known[first]


@njit_no_nrt
def _add_up(n, first, feature, base, which, known, divisors, rows, score):  # type: ignore[no-untyped-def]
    """Write all scores, −∞ of who is ruled out; return how many are possible."""
    possible = 0
    if divisors.size > 0:
        for s in range(_U(n)):
            x = known[_U(which[s])] - divisors[s] + base + feature[_U(first) + _U(rows[s])]
            score[s] = x if x > RULED_OUT else -np.inf
            possible += x > RULED_OUT
        return possible
    for s in range(_U(n)):
        x = known[_U(which[s])] + base + feature[_U(first) + _U(rows[s])]
        score[s] = x if x > RULED_OUT else -np.inf
        possible += x > RULED_OUT
    return possible


@njit_no_nrt
def _add_up_of_one(n, low, first, terms, which, known, given, near, rows, score):  # type: ignore[no-untyped-def]
    """As `_add_up`, of all who hold the item of the only fact: in one pass over its postings."""
    possible, (feature, base), of_fact = 0, terms, _of_fact(0, given)
    for s in range(_U(n)):
        place = _U(which[s]) - _U(1)
        divisor = _divisor(_U(low) + s, place, of_fact, near)
        x = known[place + _U(1)] - divisor + base + feature[_U(first) + _U(rows[s])]
        score[s] = x if x > RULED_OUT else -np.inf
        possible += x > RULED_OUT
    return possible


@njit_no_nrt
def _are_two_with_bits(begin, end, aux, holders):  # type: ignore[no-untyped-def]
    """Whether these are facts about two items whose holders are known by bits."""
    item, place = aux.item, holders.place
    return end - begin == 2 and place[item[begin]] >= 0 and place[item[begin + 1]] >= 0


@njit_no_nrt
def _find_cells(n, begin, postings, aux, holders, tables, memory, given, rows):  # type: ignore[no-untyped-def]
    """Write the combination of cells of each row that holds all items; return their number."""
    role, order, _, at, slot, which, run_end, run, divisors = memory
    shortest, first = shortest_that_must(role, order), cells_of(aux.item[begin], postings)
    for t in range(order.size):
        # Rows that lack an item may be left where it has no bits: only those of short lists.
        i = aux.item[begin + order[t]]
        if holders.place[i] < 0 and order[t] != shortest:
            find(n, rows, i, postings, holders, slot, at)
            n = _keep_found(n, rows, at)
    if n == first[1] - first[0]:  # all who hold it, in the order of the postings
        _write_cells(begin, first, postings, tables, run_end, run, which)
        if divisors.size > 0 and order.size > 1:
            _write_divisors(begin, 0, first[0], n, postings, tables, given)
    else:
        which[:n] = 0
        divisors[:n] = 0.0
    for a in range(begin + (n == first[1] - first[0]), begin + order.size):
        i = aux.item[a]
        if holders.place[i] >= 0:
            place = holders.place[i]
            by_bits = (postings.item_start[i], holders.bits[place], holders.before[place])
            _add_cells_by_bits(a, a - begin, n, rows, by_bits, postings, tables, which, given)
        else:
            find(n, rows, i, postings, holders, slot, at)
            _add_cells(a, a - begin, n, at, postings, tables, which, given)
    return n


@njit
def score_all(u, postings, holders, given, tables, form, memory, most, rows, score):  # type: ignore[no-untyped-def]
    """Write the possible records of a block, which hold all items, ascending, and their scores.

    Parameters
    ----------
    given : tuple
        Aux sets, candidates, and the rows of the removed records.
    most : int64 array
        See `all_are_possible`.

    Returns
    -------
    int
        Their number.
    """
    (aux, candidates, removed), (role, order, marks, _, _, which, _, _, divisors) = given, memory
    begin, end, counted = aux.start[u], aux.start[u + 1], tables.counted
    shared = _make_divisors(begin, end, most, divisors, tables)
    everyone = all_are_candidates(u, candidates, removed)
    if everyone and _are_two_with_bits(begin, end, aux, holders):
        n = _who_hold_both(begin, postings, aux, holders, tables, rows, which, shared)
    else:
        n = who_hold(begin, postings, aux, holders, role, order, marks, rows)
        n = keep_candidates(u, n, postings.first, candidates, removed, rows)
        n = _find_cells(n, begin, postings, aux, holders, tables, memory, shared, rows)
    known = np.full(combinations_of(-1, end - begin, counted), np.nan)
    code, ways = np.empty(end - begin, np.uint32), np.empty(counted.number[u] + 1)
    none, radix = no_draws(end - begin), counted.right.shape[1] + 1
    alike = np.empty((end - begin, radix), np.int64)
    _know(u, n, (begin, end), postings, tables, (which, code, ways, none, alike, known))
    feature, base, cells = (
        form.feature[form.group[u]],
        form.base[u],
        cells_of(aux.item[begin], postings),
    )
    if are_drawn(counted) and end - begin == 1 and n == cells[1] - cells[0]:
        possible = _add_up_of_one(
            n, cells[0], postings.first, (feature, base), which, known, shared, tables.near,
            rows, score,
        )  # fmt: skip
    else:
        possible = _add_up(n, postings.first, feature, base, which, known, divisors, rows, score)
    # Few are ruled out by themselves.
    return n if possible == n else keep_possible(n, rows, score, rows)
