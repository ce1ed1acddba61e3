"""The scan: score a block of records against aux sets, and keep what matters as it goes.

Contributions are never negative, so scores only grow while the facts of an aux set are added, one
item's postings after the other. The highest two scores and the moments can therefore be kept
posting by posting, with no pass over the records, and are right after every prefix of the aux.

Untouched records hold −0.0: adding +0.0 makes it +0.0, so the sign bit tells whether a record
shares an item with the aux even where the similarity is zero.
"""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.attack.partials import PARTIAL, Partials
from sim.attack.similarity import ScanTables
from sim.release.store import Block

_U = np.uint64  # unsigned indices need no check for wrap-around


@numba.njit(cache=True, nogil=True)
def _count_at_least(score, n, least):  # type: ignore[no-untyped-def]
    count = 0
    for r in range(n):
        count += score[r] >= least
    return count


@numba.njit(cache=True, nogil=True)
def _count_untouched(bits, n):  # type: ignore[no-untyped-def]
    untouched = np.int64(-(2**63))  # the bits of −0.0
    count = 0
    for r in range(n):
        count += bits[r] == untouched
    return count


@numba.njit(cache=True, nogil=True)
def _scan(  # type: ignore[no-untyped-def]
    first, n, item_start, item_row, item_level, item_day,
    start, item, level_add, level_mul, day_table, day_offset, least, out,
):  # fmt: skip
    score = np.empty(n, np.float64)
    bits = score.view(np.int64)
    for u in range(start.size - 1):
        score[:] = -0.0
        best, second = 0.0, 0.0 if n > 1 else -np.inf
        best_row, ties = _U(0), n
        # Two chains of sums, even and odd postings, so that one addition need not wait for the
        # one before it.
        sum0, sum1, squares0, squares1 = 0.0, 0.0, 0.0, 0.0
        for a in range(start[u], start[u + 1]):
            i = item[a]
            if i < 0:
                continue
            add, mul, shift = level_add[a], level_mul[a], _U(day_offset[a])
            for k in range(_U(item_start[i]), _U(item_start[i + 1])):
                level = _U(item_level[k])
                gain = add[level] + mul[level] * day_table[shift + _U(item_day[k])]
                row = _U(item_row[k])
                old = score[row]
                new = old + gain
                score[row] = new
                if k & _U(1):
                    sum1 += gain
                    squares1 += gain * (old + new)
                else:
                    sum0 += gain
                    squares0 += gain * (old + new)
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
        o = out[u]
        o["candidates"] = n
        o["touched"] = n - _count_untouched(bits, n)
        o["sum"] = sum0 + sum1
        o["sum_squares"] = squares0 + squares1
        o["best"] = best
        o["best_record"] = first + np.int64(best_row)
        o["ties"] = ties
        o["second"] = second
        o["at_least"] = _count_at_least(score, n, least[u])


def scan_block(
    block: Block, aux: AuxBatch, tables: ScanTables, target_score: NDArray[np.float64]
) -> Partials:
    """Score every record of a block against every aux set.

    A record's score is the sum, in the order of the facts, of the contributions of the items it
    holds, in float64.

    Parameters
    ----------
    block : Block
    aux : AuxBatch
        U units.
    tables : ScanTables
        Contributions; none may be negative.
    target_score : float64 array, shape (U,)
        Each target's own score, for its rank.

    Returns
    -------
    PARTIAL array, shape (U,)
    """
    out = np.zeros(len(aux), PARTIAL)
    _scan(
        block.first, block.n_records,
        block.item_start, block.item_row, block.item_level, block.item_day,
        aux.start, aux.item, tables.level_add, tables.level_mul,
        tables.day_table, tables.day_offset, target_score, out,
    )  # fmt: skip
    return out


@numba.njit(cache=True, nogil=True)
def _own(  # type: ignore[no-untyped-def]
    start, item, held, level, day, level_add, level_mul, day_table, day_offset, out
):
    for u in range(start.size - 1):
        score = -0.0
        for a in range(start[u], start[u + 1]):
            if held[a] and item[a] >= 0:
                gain = day_table[day_offset[a] + day[a]]
                score = score + (level_add[a, level[a]] + level_mul[a, level[a]] * gain)
        out[u] = score


def target_scores(aux: AuxBatch, tables: ScanTables) -> NDArray[np.float64]:
    """Each target's own score, from its own cells, with the arithmetic of the scan.

    Parameters
    ----------
    aux : AuxBatch
    tables : ScanTables

    Returns
    -------
    float64 array, shape (U,)
    """
    out = np.empty(len(aux), np.float64)
    _own(
        aux.start, aux.item, aux.own_held, aux.own_level, aux.own_day, tables.level_add,
        tables.level_mul, tables.day_table, tables.day_offset, out,
    )  # fmt: skip
    return out
