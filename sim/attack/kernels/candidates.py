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

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.all_holders import all_are_possible, room_for_all, score_all
from sim.attack.kernels.exponential_sums import LANES
from sim.attack.kernels.fitting import ends_of_runs, room_to_read
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.possible_partials import (
    count_others,
    write_exponentials,
    write_moments,
    write_partial,
)
from sim.attack.kernels.possible_records import (
    bound_of,
    by_length,
    goes_on,
    is_fewer,
    keep_candidates,
    look_up,
    nobody_holds_enough,
    order_after,
    start_rows,
)
from sim.attack.kernels.possible_scores import keep_possible, room_for_scores, score_rows
from sim.attack.kernels.postings import removed_rows
from sim.attack.kernels.score_forms import LOG
from sim.attack.kernels.simd import njit_no_nrt
from sim.attack.kernels.types import AllTables, AuxColumns, Form, HolderBits, Postings, RowFilter
from sim.numeric.bits import WORD

_U = np.uint64  # unsigned indices need no check for wrap-around


@njit_no_nrt
def _keep_highest(n, rows, score, first, record, highest):  # type: ignore[no-untyped-def]
    """Write the records with the highest scores, from the highest down; of equal ones the first."""
    for s in range(n):
        at = highest.size
        while at > 0 and score[s] > highest[at - 1]:
            at -= 1
        if at == highest.size:
            continue
        for k in range(highest.size - 1, at, -1):
            highest[k], record[k] = highest[k - 1], record[k - 1]
        highest[at], record[at] = score[s], first + rows[s]


class _Room(NamedTuple):
    """Memory for the scan of a block, made once for all aux sets.

    It is made outside the kernels: each array that one makes itself takes long to compile.

    Parameters
    ----------
    role, length, order, most : int64 arrays, shape (facts,)
        See `sim.attack.kernels.possible_records` and `all_are_possible`.
    removed : int64 array
        Rows of the removed records.
    rows, at, slot : int32 arrays
    missed, fit : uint8 arrays
    marks : uint64 array
    place : int32 array, shape (n_records + 1, facts)
    run_end, read : see `sim.attack.kernels.fitting`
    possible : int32 array
        The possible records.
    score : float64 array
        Their scores.
    lane_sums, lanes : float64 arrays
    scores : tuple
        See `room_for_scores`.
    """

    role: NDArray[np.int64]
    length: NDArray[np.int64]
    order: NDArray[np.int64]
    most: NDArray[np.int64]
    removed: NDArray[np.int64]
    rows: NDArray[np.int32]
    at: NDArray[np.int32]
    slot: NDArray[np.int32]
    missed: NDArray[np.uint8]
    fit: NDArray[np.uint8]
    marks: NDArray[np.uint64]
    place: NDArray[np.int32]
    run_end: NDArray[np.int32]
    read: Any
    possible: NDArray[np.int32]
    score: NDArray[np.float64]
    lane_sums: NDArray[np.float64]
    lanes: NDArray[np.float64]
    scores: Any


def _longest(start: NDArray[np.int64]) -> int:
    """Return the length of the longest of the runs that begin and end at these places."""
    return int(np.diff(start).max(initial=0))


def _longest_list(postings: Postings, item: NDArray[np.int32]) -> int:
    """Return the most postings of any fact's item."""
    known, start = item[item >= 0], postings.item_start
    return int((start[known + 1] - start[known]).max(initial=0))


def _room(
    postings: Postings, aux: AuxColumns, candidates: RowFilter, tables: AllTables, longest: int
) -> _Room:
    n, facts = postings.n_records, _longest(aux.start)
    return _Room(
        role=np.empty(facts, np.int64),
        length=np.empty(facts, np.int64),
        order=np.empty(facts, np.int64),
        most=np.empty(facts, np.int64),
        removed=np.empty(_longest(candidates.removed_start), np.int64),
        rows=np.empty(max(n, longest) + 1, np.int32),
        at=np.empty(n + 1, np.int32),
        slot=np.full(n, n, np.int32),
        missed=np.empty(n, np.uint8),
        fit=np.empty(n, np.uint8),
        marks=np.zeros(n // WORD + 1, np.uint64),
        place=np.empty((n + 1, facts), np.int32),
        run_end=ends_of_runs(tables),
        read=room_to_read(longest),
        possible=np.empty(n + 1, np.int32),
        score=np.empty(n + 1),
        lane_sums=np.empty(2 * WIDTH),
        lanes=np.empty((3, LANES)),
        scores=room_for_scores(n, facts, tables.counted),
    )


def scan_candidates(
    postings: Postings,
    holders: HolderBits,
    aux: AuxColumns,
    candidates: RowFilter,
    tables: AllTables,
    form: Form,
    matching_above: float,
    own: NDArray[np.float64],
    out: NDArray[np.void],
    highest: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> None:
    """Partials of the aux sets whose facts rule records out; the other rows are left alone.

    A row that is written has −1 records that overlap; ``out`` is zeros before. ``highest`` has the
    records with the highest scores, and these, for each aux set, from the highest down: −1 and −∞
    where fewer are possible.
    """
    longest = _longest_list(postings, aux.item)
    room = _room(postings, aux, candidates, tables, longest)
    given, bounds = (aux, candidates), (own, float(matching_above))
    everyone = np.zeros(out.size, np.bool_)
    _scan(postings, holders, given, tables, form, bounds, room, out, highest, everyone)
    if everyone.any():
        memory = room, room_for_all(postings.n_records, room.role.size, longest, tables)
        _scan_all(postings, holders, given, tables, form, bounds, memory, out, highest, everyone)


@njit_no_nrt
def _scan(postings, holders, given, tables, form, bounds, room, out, highest, left):  # type: ignore[no-untyped-def]
    """See `scan_candidates`; those for `_scan_all` are left, and named."""
    (aux, candidates), n_records = given, postings.n_records
    is_log = form.kind == LOG
    floor = -np.inf if is_log else 0.0
    rows, at, slot = room.rows, room.at, room.slot
    missed, fit, marks, place = room.missed, room.fit, room.marks, room.place
    possible, score, lanes = room.possible, room.score, room.lanes
    kept = np.int64(-1)
    for u in range(aux.start.size - 1):
        begin, end = aux.start[u], aux.start[u + 1]
        size = end - begin
        role, length, order = room.role[:size], room.length[:size], room.order[:size]
        bound = bound_of(u, begin, end, tables, form, role)
        removed = room.removed[
            : removed_rows(u, candidates, postings.first, n_records, room.removed)
        ]
        everyone = count_others(u, postings, candidates, removed)
        own = bounds[0][u], bounds[1]
        if nobody_holds_enough(begin, bound[0], aux, postings, role):
            # As nearly always in a block of a large release, where most items are rare.
            kept = np.int64(0)
            write_partial(
                kept, possible, score, postings.first, everyone, own, floor, lanes, out[u]
            )
            continue
        by_length(begin, end, aux, postings, length, order)
        if all_are_possible(begin, bound[0], role, postings, aux, tables, length, order, room.most):
            left[u] = True
            kept = np.int64(-1)
            continue
        known = np.int64(0)
        fewer = size > 0 and kept >= 0 and is_fewer(kept, bound[0], role, length, order)
        if fewer and goes_on(u, aux, candidates, tables, bound[0]):
            n, known = kept, aux.start[u] - aux.start[u - 1]
            order_after(known, order)
        else:
            lists = role, length, order, marks, (room.run_end, room.read), rows
            n = start_rows(begin, postings, aux, holders, form.kind, tables, bound, lists)
            if n < 0:
                kept = n
                continue
            n = keep_candidates(u, n, postings.first, candidates, removed, rows)
            kept = n
            missed[:n] = 0
        if n > 0:
            found = role, order, (rows, missed, at, fit), slot, known
            n = look_up(n, begin, form.kind, postings, holders, aux, tables, bound, found, place)
            kept = n
            cells = rows, place
            score_rows(u, n, (begin, end), postings, aux, tables, form, room.scores, cells, score)
            n = keep_possible(n, rows, score, possible)
        if n > 0 and highest[0].shape[1] > 0:
            _keep_highest(n, possible, score, postings.first, highest[0][u], highest[1][u])
        write_partial(n, possible, score, postings.first, everyone, own, floor, lanes, out[u])
        if n > 0 and not is_log:
            write_moments(n, possible, score, room.lane_sums, out[u])
        elif n > 0:
            write_exponentials(n, score, out[u]["best"], lanes, out[u])


@njit_no_nrt
def _scan_all(postings, holders, given, tables, form, bounds, memory, out, highest, which):  # type: ignore[no-untyped-def]
    """As `_scan`, of the aux sets that leave all possible who hold their items.

    A kernel of its own, as most attackers make few mistakes and never need it.
    """
    (aux, candidates), (room, everyone) = given, memory
    possible, score, lanes = room.possible, room.score, room.lanes
    for u in range(aux.start.size - 1):
        if not which[u]:
            continue
        begin, end = aux.start[u], aux.start[u + 1]
        size = end - begin
        role, length, order = room.role[:size], room.length[:size], room.order[:size]
        misses = bound_of(u, begin, end, tables, form, role)[0]
        removed = room.removed[
            : removed_rows(u, candidates, postings.first, postings.n_records, room.removed)
        ]
        by_length(begin, end, aux, postings, length, order)
        most = everyone[0].most
        all_are_possible(begin, misses, role, postings, aux, tables, length, order, most)
        facts = aux, candidates, removed
        rest = role, order, room.marks, room.at, room.slot, (room.run_end, room.read)
        n = score_all(u, postings, holders, facts, tables, form, rest, everyone, possible, score)
        if n > 0 and highest[0].shape[1] > 0:
            _keep_highest(n, possible, score, postings.first, highest[0][u], highest[1][u])
        others, own = count_others(u, postings, candidates, removed), (bounds[0][u], bounds[1])
        write_partial(n, possible, score, postings.first, others, own, -np.inf, lanes, out[u])
        if n > 0:
            write_exponentials(n, score, out[u]["best"], lanes, out[u])
