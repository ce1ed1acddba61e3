"""The scores of all who hold the items of an aux set whose facts may all be wrong.

The first fact or two of many rule nobody out who holds their items, and popular items are held by
tens of thousands. What is known of them are the cells of one or two items, so there are far fewer
scores, but for the records' own terms, than records: each is computed once.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.possible_records import (
    MUST,
    cells_of,
    find,
    keep_candidates,
    shortest_that_must,
    who_hold,
)
from sim.attack.kernels.possible_scores import (
    combinations_of,
    likelihood_of_combination,
)
from sim.attack.kernels.score_spec import RULED_OUT
from sim.attack.kernels.simd import njit, njit_no_nrt

_U = np.uint64  # unsigned indices need no check for wrap-around


@njit_no_nrt
def all_are_possible(misses, role, counted, length, order):  # type: ignore[no-untyped-def]
    """Whether nobody is ruled out who holds all items, and records by far outnumber likelihoods."""
    size = role.size
    if size == 0 or misses < size or counted.number.size == 0 or counted.leader.size > 0:
        return False
    for j in range(size):
        if role[j] != MUST:
            return False
    return combinations_of(length[order[0]], size, counted) > 0


@njit_no_nrt
def _add_cells(a, n, in_order, at, postings, tables, which):  # type: ignore[no-untyped-def]
    """Append each record's cell of a fact's item to the number of its combination of cells."""
    item_level, item_day, low = postings.item_level, postings.item_day, _U(in_order)
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    radix = _U(tables.counted.right.shape[1] + 1)
    if in_order >= 0:  # posting after posting
        for s in range(_U(n)):
            k = low + s
            place = _U(days[_U(item_day[k])]) * levels + _U(item_level[k])
            which[s] = _U(which[s]) * radix + place + _U(1)
        return
    for s in range(_U(n)):
        k = _U(at[s])
        place = _U(days[_U(item_day[k])]) * levels + _U(item_level[k])
        which[s] = _U(which[s]) * radix + place + _U(1)


@njit_no_nrt
def _keep_found(n, rows, at, which):  # type: ignore[no-untyped-def]
    """Keep the rows that have a posting; return their number."""
    kept = np.int64(0)
    for s in range(_U(n)):
        k = at[s]
        rows[_U(kept)], at[_U(kept)], which[_U(kept)] = rows[s], k, which[s]
        kept += k >= 0
    return kept


@njit_no_nrt
def _know(u, n, facts, postings, tables, memory, base):  # type: ignore[no-untyped-def]
    """Compute the scores, but for the records' own terms, of all combinations that occur."""
    which, code, ways, known = memory
    for s in range(_U(n)):
        known[_U(which[s])] = 0.0
    for c in range(known.size):
        if known[c] == known[c]:  # NaN: it does not occur
            known[c] = base + likelihood_of_combination(
                u, facts, postings.first, c, tables.counted, (code, ways)
            )


@njit_no_nrt
def _add_up(n, first, feature, which, known, rows, score):  # type: ignore[no-untyped-def]
    """Write all scores, −∞ of who is ruled out; return how many are possible."""
    possible = 0
    for s in range(_U(n)):
        x = known[_U(which[s])] + feature[_U(first) + _U(rows[s])]
        score[s] = x if x > RULED_OUT else -np.inf
        possible += x > RULED_OUT
    return possible


@njit
def score_all(u, postings, holders, given, tables, form, memory, rows, score):  # type: ignore[no-untyped-def]
    """Write the records of a block that hold all items, ascending, and their scores.

    That of a record which is ruled out by itself is −∞: the few are left where they are.

    Parameters
    ----------
    given : tuple
        Aux sets, candidates, and the rows of the removed records.

    Returns
    -------
    int
        Records; 0 if none of them is possible.
    """
    (aux, candidates, removed), (role, order, marks, at, slot, which) = given, memory
    begin, end = aux.start[u], aux.start[u + 1]
    shortest = shortest_that_must(role, order)
    n = who_hold(begin, postings, aux, holders, role, order, marks, rows)
    n = keep_candidates(u, n, postings.first, candidates, removed, rows)
    which[:n] = 0
    for t in range(order.size):
        # Rows that lack an item may be left where it has no bits: only those of short lists.
        i = aux.item[begin + order[t]]
        if holders.place[i] < 0 and order[t] != shortest:
            find(n, rows, i, postings, holders, slot, at)
            n = _keep_found(n, rows, at, which)
    for a in range(begin, end):
        low, high = cells_of(aux.item[a], postings)
        if n < high - low:
            find(n, rows, aux.item[a], postings, holders, slot, at)
            low = -1
        _add_cells(a, n, low, at, postings, tables, which)
    counted = tables.counted
    known = np.full(combinations_of(-1, end - begin, counted), np.nan)
    code, ways = np.empty(end - begin, np.uint32), np.empty(counted.number[u] + 1)
    _know(u, n, (begin, end), postings, tables, (which, code, ways, known), form.base[u])
    feature = form.feature[form.group[u]]
    # A score of −∞ changes no sum and no count but that of records, if any other is higher.
    return n if _add_up(n, postings.first, feature, which, known, rows, score) > 0 else 0
