"""The scores of all who hold the items of an aux set whose facts may all be wrong.

The first fact or two of many rule nobody out who holds their items, and popular items are held by
tens of thousands. What is known of them are the cells of one or two items, so there are far fewer
scores, but for the records' own terms, than records: each is computed once. Where the chance of a
wrong fact depends on the day of each record's own cell, its divisor is one more of these terms.

A posting's *kind* is all that matters of it for a fact: the number of cells near where the fact is
wrong and its chance depends on that, else the place in the fact's tables.
"""

# mypy: disable-error-code="call-arg, no-untyped-call"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.fitting import find_boxes, in_boxes
from sim.attack.kernels.possible_records import (
    MUST,
    all_are_candidates,
    cells_of,
    find,
    keep_candidates,
    shortest_that_must,
    who_hold,
)
from sim.attack.kernels.possible_scores import combinations_of, likelihood_of_combination
from sim.attack.kernels.score_spec import RULED_OUT
from sim.attack.kernels.simd import njit_inline, njit_no_nrt
from sim.attack.kernels.types import AllTables
from sim.attack.kernels.wrong_chances import NOT_DRAWN, are_drawn, near_start
from sim.numeric.bits import WORD, lowest_bit, popcount

_U = np.uint64  # unsigned indices need no check for wrap-around
_RUNS = 4  # successive days of one class, at most, that are told apart by comparisons

_FEW = 1024  # divisors that are worth computing for any number of records
_EACH = 64  # records looked at in the time of computing a likelihood


class Kinds(NamedTuple):
    """The kinds of postings, numbered for each fact: first those by cells near, then the places.

    Parameters
    ----------
    most : int64 array, shape (facts,)
        The most cells near any posting of the fact's item; 0 where these do not matter.
    none, first : int64 arrays, shape (facts,)
        The kind of no cells near, less one for each of them, and that of the first place.
    cell : int64 array, shape (facts,)
        1 + the first place of which the kind is the number of cells near; 0 without any.
    is_place : bool array, shape (facts, places)
        Whether the kind is the place.
    divisor : float64 array
        Ln n/s by kind, 0 of a place; empty where no chance depends on cells near.
    run : int64 array, shape (_RUNS, 2)
        See `_find_runs`.
    of : uint32 array, shape (2, postings)
        Kinds of all postings of one item, and of another.
    last : int64 array, shape (4,)
    was_place : bool array, shape (places,)
        What ``of[0]`` depends on, as it was written last: item, days, noise, `none` and `is_place`.
    """

    most: NDArray[np.int64]
    none: NDArray[np.int64]
    first: NDArray[np.int64]
    cell: NDArray[np.int64]
    is_place: NDArray[np.bool_]
    divisor: NDArray[np.float64]
    run: NDArray[np.int64]
    of: NDArray[np.uint32]
    last: NDArray[np.int64]
    was_place: NDArray[np.bool_]


class Totals(NamedTuple):
    """Combinations of cells, and their scores but for the records' own terms.

    Parameters
    ----------
    which : uint32 array, shape (records,)
        Combination of each record; of `_who_hold_both`, first the kind of its posting of one item.
    other : uint32 array, shape (records,)
        The kind of its posting of the other item.
    divisor : float64 array, shape (records,)
        Sum of its divisors; empty where there are none.
    known : float64 array
        Log likelihood of each combination; NaN where it does not occur.
    by_kind : float64 array
        Score of each kind of posting of a single fact, but for the record's own term.
    alike : int64 array, shape (facts, 1 + places)
        See `_find_alike`.
    code, ways, none
        See `sim.attack.kernels.possible_scores.likelihood_of_combination`.
    """

    which: NDArray[np.uint32]
    other: NDArray[np.uint32]
    divisor: NDArray[np.float64]
    known: NDArray[np.float64]
    by_kind: NDArray[np.float64]
    alike: NDArray[np.int64]
    code: NDArray[np.uint32]
    ways: NDArray[np.float64]
    none: Any


def room_for_all(n: int, facts: int, longest: int, tables: AllTables) -> tuple[Kinds, Totals]:
    """Memory for `score_all`: n records, aux sets of so many facts, lists of so many postings."""
    counted, few = tables.counted, 0
    drawn = counted.draws.kind.size > 0
    while few < facts and combinations_of(np.int64(longest), np.int64(few + 1), counted) > 0:
        few += 1
    places, near = counted.right.shape[1], (_FEW + longest + 1) * drawn
    kinds = Kinds(
        most=np.zeros(facts, np.int64),
        none=np.zeros(few, np.int64),
        first=np.zeros(few, np.int64),
        cell=np.zeros(few, np.int64),
        is_place=np.ones((few, places), np.bool_),
        divisor=np.empty(few * (near + places) * drawn),
        run=np.zeros((_RUNS, 2), np.int64),
        of=np.empty((2, longest), np.uint32),
        last=np.full(4, -2),
        was_place=np.zeros(places, np.bool_),
    )
    totals = Totals(
        which=np.empty(n + 1, np.uint32),
        other=np.empty(n + 1, np.uint32),
        divisor=np.empty((n + 1) * drawn),
        known=np.empty(longest // 2 + 1),  # fewer combinations than half of the records
        by_kind=np.empty(near + places),
        alike=np.zeros((few, 1 + places), np.int64),
        code=np.zeros(few, np.uint32),
        ways=np.zeros(counted.number.max() + 1),
        none=(np.full(few, NOT_DRAWN), np.zeros(few)),
    )
    return kinds, totals


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

    Writes `Kinds.most`.
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
        if _is_drawn(begin + j, counted):
            start = near_start(begin + j, tables)
            low, high = cells_of(aux.item[begin + j], postings)
            most[j] = _most(tables.near, start + low, start + high)
        if most[j] > _FEW + length[j]:
            return False
    return True


@njit_inline
def _is_drawn(a, counted):  # type: ignore[no-untyped-def]
    """Whether the chance of a fact, if it is wrong, depends on the cells near."""
    return are_drawn(counted) and counted.draws.kind[a] >= 0


@njit_no_nrt
def _write_divisors(highs, rests, n, s, divisor):  # type: ignore[no-untyped-def]
    """Write ln n/s, ln (n + 1)/s and so on; see `sim.attack.kernels.wrong_chances.log_ratio`."""
    high, rest, of_high, of_rest = highs[s], rests[s], highs[n:], rests[n:]
    for m in range(divisor.size):
        divisor[m] = (of_high[m] - high) + (of_rest[m] - rest)


@njit_no_nrt
def _find_kinds(begin, end, tables, kinds):  # type: ignore[no-untyped-def]
    """Write all of `Kinds` but `run` and `of`."""
    counted, draws = tables.counted, tables.counted.draws
    most, nones, firsts, cell = kinds.most, kinds.none, kinds.first, kinds.cell
    is_place = kinds.is_place
    divisor = kinds.divisor
    at, places = 0, counted.right.shape[1]
    for j in range(end - begin):
        a, same = begin + j, np.int64(0)
        cell[j] = 0
        for place in range(places - 1, -1, -1):
            wrong = counted.wrong[a, place] * (counted.right[a, place] == 0.0)
            is_place[j, place] = not _is_drawn(a, counted) or wrong == 0.0
            if not is_place[j, place]:
                same, cell[j] = np.int64(wrong), 1 + place
        if _is_drawn(a, counted):
            n, near = np.int64(counted.support[a]), most[j]
            _write_divisors(draws.logs[0], draws.logs[1], n - near, same, divisor[at : at + near])
            at += near
        nones[j], firsts[j] = at, at
        for place in range(places * (divisor.size > 0)):
            divisor[at + place] = 0.0
        at += places


@njit_inline
def _of_fact(a, j, tables, kinds):  # type: ignore[no-untyped-def]
    """What `_kind` needs of a fact, read once: LLVM would read it again after every store."""
    start, days = near_start(a, tables), tables.day_class[tables.smooth.day_offset[a] :]
    return (_U(kinds.none[j]), _U(kinds.first[j]), _U(start)), days, kinds.is_place[j]


@njit_inline
def _kind(k, of_fact, levels, postings, near):  # type: ignore[no-untyped-def]
    """The kind of a posting."""
    (none, first, start), days, is_place = of_fact
    place = _U(days[_U(postings.item_day[k])]) * levels + _U(postings.item_level[k])
    return first + place if is_place[place] else none - _U(near[start + k])


@njit_inline
def _cell(kind, first, cell):  # type: ignore[no-untyped-def]
    """1 + the place in the tables of a kind of posting."""
    return kind - first + _U(1) if kind >= first else cell


@njit_no_nrt
def _find_runs(a, j, tables, run_end, kinds):  # type: ignore[no-untyped-def]
    """Write the day codes from which on the days' class is another, and its first place as a kind.

    Of fewer than there is room for, the last is repeated; return whether there is room.
    """
    counted, offset, at = tables.counted, tables.smooth.day_offset[a], np.int64(0)
    # Where every cell has a day, the table may end before the code of "no day".
    end, run = min(counted.days, run_end.size - offset), kinds.run
    for r in range(run.shape[0]):
        if at < end:
            place = np.int64(tables.day_class[offset + at]) * counted.levels
            run[r, 0], run[r, 1] = at, kinds.first[j] + place
            at = np.int64(run_end[offset + at]) - offset
        else:
            run[r, 0], run[r, 1] = run[r - 1, 0], run[r - 1, 1]
    return 0 < end <= at


@njit_no_nrt
def _write_places(cells, postings, run, of):  # type: ignore[no-untyped-def]
    """Write the kinds of all postings of an item where these are places, by `_find_runs`."""
    item_level, item_day, low = postings.item_level, postings.item_day, _U(cells[0])
    # Comparisons are made many at a time, looks into tables are not.
    day, kind = item_day.dtype.type, of.dtype.type
    b1, b2, b3 = day(run[1, 0]), day(run[2, 0]), day(run[3, 0])
    p0, p1, p2, p3 = kind(run[0, 1]), kind(run[1, 1]), kind(run[2, 1]), kind(run[3, 1])
    for s in range(_U(cells[1]) - low):
        at = item_day[low + s]
        place = p1 if at >= b1 else p0
        place = p2 if at >= b2 else place
        place = p3 if at >= b3 else place
        of[s] = place + item_level[low + s]


@njit_no_nrt
def _write_kinds(a, j, cells, postings, tables, room, kinds, of):  # type: ignore[no-untyped-def]
    """Write the kinds of all postings of a fact's item."""
    (run_end, (box, marks)), low, near = room, _U(cells[0]), tables.near
    of_fact, levels = _of_fact(a, j, tables, kinds), _U(tables.counted.levels)
    number = _U(cells[1]) - low
    if kinds.cell[j] == 0 and run_end.size > 0 and _find_runs(a, j, tables, run_end, kinds):
        _write_places(cells, postings, kinds.run, of)
        return
    offset = tables.smooth.day_offset[a]
    n_boxes = find_boxes(kinds.is_place[j], offset, tables, run_end, box)
    if kinds.cell[j] == 0 or n_boxes < 0:
        for s in range(number):
            of[s] = _kind(low + s, of_fact, levels, postings, near)
        return
    # Few are in the boxes, where the kinds are places.
    (none, _, start), (words, _, some) = of_fact[0], marks
    for s in range(number):
        of[s] = none - _U(near[start + low + s])
    for m in range(_U(in_boxes(cells, postings, box, n_boxes, marks))):
        at = _U(some[m])
        word = words[at]
        while word != 0:
            s = at * _U(8) + (lowest_bit(word) >> _U(3))
            of[s] = _kind(low + s, of_fact, levels, postings, near)
            word &= word - _U(1)


@njit_no_nrt
def _write_kinds_of_first(i, a, postings, tables, read, kinds):  # type: ignore[no-untyped-def]
    """Write the kinds of all postings of the first fact's item to ``of[0]``, if they are others.

    They are the same after two facts as after one.
    """
    draws, last, is_place, was_place = (
        tables.counted.draws,
        kinds.last,
        kinds.is_place[0],
        kinds.was_place,
    )
    noise = draws.kind[a] if _is_drawn(a, tables.counted) else np.int64(-1)
    given = np.int64(i), tables.smooth.day_offset[a], noise, kinds.none[0]
    is_new = False
    for k in range(len(given)):
        is_new |= last[k] != given[k]
        last[k] = given[k]
    for place in range(is_place.size):
        is_new |= is_place[place] != was_place[place]
        was_place[place] = is_place[place]
    if is_new:
        of = kinds.of[0]
        _write_kinds(a, np.int64(0), cells_of(i, postings), postings, tables, read, kinds, of)


@njit_no_nrt
def _add_cells(a, j, n, at, postings, tables, kinds, totals):  # type: ignore[no-untyped-def]
    """Append each record's cell of a fact's item to the number of its combination of cells."""
    levels, radix = _U(tables.counted.levels), _U(tables.counted.right.shape[1] + 1)
    of_fact, first, cell = _of_fact(a, j, tables, kinds), _U(kinds.first[j]), _U(kinds.cell[j])
    which = totals.which
    divisor = totals.divisor
    for s in range(_U(n)):
        kind = _kind(_U(at[s]), of_fact, levels, postings, tables.near)
        which[s] = _U(which[s]) * radix + _cell(kind, first, cell)
        if divisor.size > 0:
            divisor[s] += kinds.divisor[kind]


@njit_no_nrt
def _who_hold_both(begin, postings, aux, holders, tables, read, kinds, totals, rows):  # type: ignore[no-untyped-def]
    """Write who hold two items, ascending, and their combinations of cells; return their number.

    Of items whose holders are known by bits: all in one pass.
    """
    one, other, place = aux.item[begin], aux.item[begin + 1], holders.place
    bits, before = holders.bits[place[one]], holders.before[place[one]]
    other_bits, other_before = holders.bits[place[other]], holders.before[place[other]]
    of, other_of = kinds.of[0], kinds.of[1]
    _write_kinds_of_first(one, begin, postings, tables, read, kinds)
    _write_kinds(
        begin + 1, np.int64(1), cells_of(other, postings), postings, tables, read, kinds, other_of
    )
    first, other_first = _U(kinds.first[0]), _U(kinds.first[1])
    cell, other_cell = _U(kinds.cell[0]), _U(kinds.cell[1])
    radix, n = _U(tables.counted.right.shape[1] + 1), _U(0)
    divisor = kinds.divisor
    which = totals.which
    others = totals.other
    sums = totals.divisor
    for w in range(_U(bits.size)):
        both = bits[w] & other_bits[w]
        at, other_at = _U(before[w]), _U(other_before[w])
        while both != 0:
            lowest = both & (~both + _U(1))
            below = lowest - _U(1)
            rows[n] = w * _U(WORD) + popcount(below)
            which[n] = of[at + popcount(bits[w] & below)]
            others[n] = other_of[other_at + popcount(other_bits[w] & below)]
            both ^= lowest
            n += _U(1)
    for s in range(n):
        kind, other_kind = _U(which[s]), _U(others[s])
        if divisor.size > 0:
            sums[s] = divisor[kind] + divisor[other_kind]
        which[s] = _cell(kind, first, cell) * radix + _cell(other_kind, other_first, other_cell)
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
def _know(u, n, facts, postings, tables, totals):  # type: ignore[no-untyped-def]
    """Compute the scores, but for the records' own terms, of all combinations there are."""
    which, size = totals.which, facts[1] - facts[0]
    known, alike = (
        totals.known[: combinations_of(np.int64(-1), size, tables.counted)],
        totals.alike[:size],
    )
    memory = totals.code, totals.ways, totals.none
    known[:] = np.nan
    if size == 1 or _EACH * known.size < n:
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
                u, facts, postings.first, first, tables.counted, memory
            )
        known[c] = known[first]


@njit_no_nrt
def _add_up(n, first, feature, base, totals, rows, score):  # type: ignore[no-untyped-def]
    """Keep the rows that are not ruled out after all, and their scores; return their number."""
    which, divisor, known, kept = totals.which, totals.divisor, totals.known, _U(0)
    for s in range(_U(n)):
        row, x = rows[s], known[_U(which[s])]
        if divisor.size > 0:
            x -= divisor[s]
        x = x + base + feature[_U(first) + _U(row)]
        rows[kept], score[kept] = row, x
        kept += _U(x > RULED_OUT)
    return np.int64(kept)


@njit_no_nrt
def _who_hold_one(u, i, postings, tables, terms, read, kinds, totals, rows, score):  # type: ignore[no-untyped-def]
    """Write who hold the item of the only fact, ascending, and their scores; return their number.

    Where a record has one posting of an item: in one pass over these.
    """
    (begin, (feature, base)), cells = terms, cells_of(i, postings)
    of, by_kind, known = kinds.of[0], totals.by_kind, totals.known
    _write_kinds_of_first(i, begin, postings, tables, read, kinds)
    _know(u, np.int64(0), (begin, begin + 1), postings, tables, totals)
    near, first, kept = np.int64(kinds.first[0]), _U(postings.first), _U(0)
    wrong = known[kinds.cell[0]]
    for m in range(_U(near)):
        by_kind[m] = wrong - kinds.divisor[m] + base
    for place in range(tables.counted.right.shape[1]):
        by_kind[near + place] = known[1 + place] + base
    item_row, low = postings.item_row, _U(cells[0])
    for s in range(_U(cells[1]) - low):
        row = item_row[low + s]
        x = by_kind[_U(of[s])] + feature[first + _U(row)]
        rows[kept], score[kept] = row, x
        kept += _U(x > RULED_OUT)
    return np.int64(kept)


@njit_no_nrt
def _are_two_with_bits(begin, end, aux, holders):  # type: ignore[no-untyped-def]
    """Whether these are facts about two items whose holders are known by bits."""
    item, place = aux.item, holders.place
    return end - begin == 2 and place[item[begin]] >= 0 and place[item[begin + 1]] >= 0


@njit_no_nrt
def _find_cells(n, begin, postings, aux, holders, tables, memory, kinds, totals, rows):  # type: ignore[no-untyped-def]
    """Write the combination of cells of each row that holds all items; return their number."""
    role, order, _, at, slot, _ = memory
    shortest = shortest_that_must(role, order)
    for t in range(order.size):
        # Rows that lack an item may be left where it has no bits: only those of short lists.
        i = aux.item[begin + order[t]]
        if holders.place[i] < 0 and order[t] != shortest:
            find(n, rows, i, postings, holders, slot, at)
            n = _keep_found(n, rows, at)
    which = totals.which
    divisor = totals.divisor
    which[:n] = 0
    divisor[:n] = 0.0
    for j in range(order.size):
        find(n, rows, aux.item[begin + j], postings, holders, slot, at)
        _add_cells(begin + j, j, n, at, postings, tables, kinds, totals)
    return n


@njit_no_nrt
def score_all(u, postings, holders, given, tables, form, memory, room, rows, score):  # type: ignore[no-untyped-def]
    """Write the possible records of a block, which hold all items, ascending, and their scores.

    Parameters
    ----------
    given : tuple
        Aux sets, candidates, and the rows of the removed records.
    room : tuple
        `room_for_all`, after `all_are_possible`.

    Returns
    -------
    int
        Their number.
    """
    (aux, candidates, removed), (role, order, marks, _, _, read) = given, memory
    begin, end, (kinds, totals) = aux.start[u], aux.start[u + 1], room
    _find_kinds(begin, end, tables, kinds)
    feature, base = form.feature[form.group[u]], form.base[u]
    everyone = all_are_candidates(u, candidates, removed) and holders.before.shape[0] > 0
    if everyone and end - begin == 1:
        i, terms = aux.item[begin], (begin, (feature, base))
        return _who_hold_one(u, i, postings, tables, terms, read, kinds, totals, rows, score)
    if everyone and _are_two_with_bits(begin, end, aux, holders):
        n = _who_hold_both(begin, postings, aux, holders, tables, read, kinds, totals, rows)
    else:
        n = who_hold(begin, postings, aux, holders, role, order, marks, rows)
        n = keep_candidates(u, n, postings.first, candidates, removed, rows)
        n = _find_cells(n, begin, postings, aux, holders, tables, memory, kinds, totals, rows)
    _know(u, n, (begin, end), postings, tables, totals)
    return _add_up(n, postings.first, feature, base, totals, rows, score)
