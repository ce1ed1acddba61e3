"""The similarity of the best guess to the target, from their records in the store (spec §3).

Agreements and items are counted in whole numbers, so the ratio is exact to the last bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.adversary.knowledge import Knowledge, reach
from sim.attack.engine.decisions import Decisions
from sim.numeric.compiled import njit
from sim.release.store.store import Block, Store

Limits = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


@njit
def _similar(  # type: ignore[no-untyped-def]
    a_cells, a_row, b_cells, b_row, scale, n_days, limits, out
):
    """Sim of pairs of records: one pass along both, their items ascending."""
    a_start, a_item, a_level, a_day = a_cells
    b_start, b_item, b_level, b_day = b_cells
    reach, share, days = limits
    for p in range(a_row.size):
        i, i_end = a_start[a_row[p]], a_start[a_row[p] + 1]
        j, j_end = b_start[b_row[p]], b_start[b_row[p] + 1]
        union, agreeing = (i_end - i) + (j_end - j), 0
        while i < i_end and j < j_end:
            x, y = a_item[i], b_item[j]
            if x == y:
                union -= 1
                u, v = a_level[i], b_level[j]
                near = u >= scale.size or v >= scale.size
                if not near:
                    near = abs(scale[u] - scale[v]) <= reach[p] + share[p] * abs(scale[u])
                s, t = np.int64(a_day[i]), np.int64(b_day[j])
                agreeing += near and (s >= n_days or t >= n_days or abs(s - t) <= days[p])
            # Which is less cannot be foretold, so there is no branch on it.
            i += x <= y
            j += y <= x
        out[p] = agreeing / union if union else 0.0


def pair_similarity(
    store: Store,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    limits: Limits,
) -> NDArray[np.float64]:
    """Sim(r, r′) = Σ_i Sim(r_i, r′_i)/|supp(r) ∪ supp(r′)| of pairs of records, by threshold.

    Parameters
    ----------
    first, second : int64 arrays, shape (P,)
        The records of each pair.
    limits : three float64 arrays, shape (P,)
        By how much values may differ, what share of the first record's value may be added to that,
        and by how much days may; infinite where they play no part. A missing part passes.

    Returns
    -------
    float64 array, shape (P,)
    """
    out = np.zeros(first.size)
    size, n_blocks = store.manifest.block_records, store.manifest.n_blocks
    blocks = first // size * n_blocks + second // size
    order = np.argsort(blocks, kind="stable")
    present, begin = np.unique(blocks[order], return_index=True)
    bounds = itertools.pairwise([*begin.tolist(), order.size])
    for key, (begins, ends) in zip(present.tolist(), bounds, strict=True):
        here = order[begins:ends]
        found = np.empty(here.size)
        one, other = store.block(key // n_blocks), store.block(key % n_blocks)
        _similar(
            _columns(one), first[here] - one.first, _columns(other), second[here] - other.first,
            store.scale, store.manifest.n_days, tuple(limit[here] for limit in limits), found,
        )  # fmt: skip
        out[here] = found
    return out


def best_guess_similarity(
    store: Store, drawn: Drawn, decisions: Decisions, knowledge: Sequence[Knowledge | None]
) -> NDArray[np.float64]:
    """Sim of each target's record and the best guess, at the noise of the cell.

    Parameters
    ----------
    drawn : Drawn
        U units.
    knowledge : sequence of Knowledge or None
        What the adversary of each grid cell knows, by the cell's number: values agree within k,
        or a share of the target's, and days within D; what is not known plays no part. None
        compares items only.

    Returns
    -------
    float64 array, shape (U,)
        1 where the best guess is the target; NaN where there is no best guess, or the target is
        not in the release. Of several records of a person the most similar counts.
    """
    target = drawn.truth.target
    asked = (decisions.best >= 0) & drawn.truth.present
    out = np.where(asked, 1.0, np.nan)
    wrong = np.flatnonzero(asked & ~drawn.truth.is_own(decisions.best))
    reaches = np.array([np.inf if k is None else _or_any(k.value_reach) for k in knowledge])
    shares = np.array([0.0 if k is None else reach(k.value_share) for k in knowledge])
    days = np.array([np.inf if k is None else _or_any(k.date_noise) for k in knowledge])
    cell = drawn.aux.cell[wrong]
    which, first = np.arange(wrong.size), target[wrong]
    if drawn.truth.records is not None:
        records = drawn.truth.records.take(wrong)
        which, first = np.repeat(which, records.number), records.record
    second = decisions.best[wrong][which]
    # The same guess is often made in several cells.
    limits = reaches[cell][which], shares[cell][which], days[cell][which]
    once, place = _distinct(first, second, *limits)
    of_each: Limits = (limits[0][once], limits[1][once], limits[2][once])
    found = pair_similarity(store, first[once], second[once], of_each)
    most = np.zeros(wrong.size)
    np.maximum.at(most, which, found[place])
    out[wrong] = most
    return out


def _distinct(*columns: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one index of every distinct row, and each row's place among the distinct rows."""
    order = np.lexsort(columns)
    new = np.ones(order.size, np.bool_)
    new[1:] = np.any([c[order[1:]] != c[order[:-1]] for c in columns], axis=0)
    place = np.empty(order.size, np.int64)
    place[order] = np.cumsum(new) - 1
    return order[new], place


def _or_any(noise: float | None) -> float:
    return np.inf if noise is None else float(noise)


def _columns(block: Block) -> tuple[NDArray[np.generic], ...]:
    return block.record_start, block.record_item, block.record_level, block.record_day
