"""Measures where the scan's time goes, by leaving out ever more of the work.

Reading the postings and making contributions of them, which is done while the next are on their
way; adding these to the records' scores, a tile at a time; looking at the scores that matter. What
a step takes more than the one before is its part.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim.adversary.aux import Aux
from sim.attack.kernels.lanes import ALL, WIDTH, between, hsum, splat
from sim.attack.kernels.loops import add_fact
from sim.attack.kernels.postings import fetch_ahead, start_cursors
from sim.attack.kernels.scalar_loops import contribution
from sim.attack.kernels.score_spec import Contributions
from sim.attack.kernels.simd import VECTOR, njit, njit_no_nrt
from sim.attack.kernels.tiled import TILE, tile_end
from sim.attack.kernels.types import AuxColumns, Postings, Tables, Tile
from sim.attack.kernels.vector_loops import contributions, fact_rows
from sim.release.store.store import Block

_U = np.uint64
_ALL, _WIDTH, _LINE = np.uint8(ALL), _U(WIDTH), _U(63)

STEPS = {
    "contributions": "reading the postings and making contributions of them",
    "scores": "adding these to the scores, in tiles",
    "looking": "looking at the scores that matter, counting, and what is done once for a block",
}
"""Parts of the scan, in the order in which they come on top of one another."""


@njit_no_nrt
def _contribute_vector(postings, item, tables):  # type: ignore[no-untyped-def]
    total = 0.0
    for a in range(item.size):
        rows = fact_rows(a, tables)
        k, end = _U(postings.item_start[item[a]]), _U(postings.item_start[item[a] + 1])
        sums = splat(0.0)
        while k + _WIDTH <= end:
            if k & _LINE < _WIDTH:
                fetch_ahead(k, postings)
            sums = sums + contributions(k, _ALL, postings, tables, rows)
            k += _WIDTH
        sums = sums + contributions(k, between(k, k, end), postings, tables, rows)
        total += hsum(sums)
    return total


@njit_no_nrt
def _contribute_scalar(postings, item, tables):  # type: ignore[no-untyped-def]
    total = 0.0
    for a in range(item.size):
        for k in range(_U(postings.item_start[item[a]]), _U(postings.item_start[item[a] + 1])):
            if k & _LINE == 0:
                fetch_ahead(k, postings)
            total += contribution(k, postings, tables, _U(a))
    return total


_contribute = _contribute_vector if VECTOR else _contribute_scalar


@njit
def _score(postings, aux, tables):  # type: ignore[no-untyped-def]
    n, start = postings.n_records, aux.start
    cursors, score = np.empty((3, aux.item.size), np.uint64), np.empty(TILE)
    for u in range(start.size - 1):
        begin_fact, end_fact, begin = start[u], start[u + 1], 0
        start_cursors(begin_fact, end_fact, aux.item, postings, -1, cursors)
        while begin < n:
            limit, tile = tile_end(begin, n), Tile(score, _U(begin), cursors)
            score[: limit - begin] = -0.0
            for a in range(begin_fact, end_fact):
                add_fact(a, a - begin_fact, limit, postings, tables, tile)
            begin = limit


def steps(
    blocks: list[Block], aux: Aux, contributions: Contributions
) -> dict[str, Callable[[], Any]]:
    """Work up to each of the first two steps, on all blocks.

    Parameters
    ----------
    aux : Aux
        All items of which are in the release.
    contributions : Contributions
        Smooth.

    Returns
    -------
    dict of str to callable
        By the names of `STEPS`.
    """
    tables = Tables(
        contributions.by_level,
        contributions.weight,
        contributions.day_table,
        contributions.day_offset,
    )
    facts = AuxColumns(aux.start, aux.item)
    days = contributions.weight is not None
    postings = [
        Postings(
            b.first, b.n_records, b.item_start, b.item_row, b.item_level,
            b.item_day if days else None,
        )
        for b in blocks
    ]  # fmt: skip
    return {
        "contributions": lambda: [_contribute(p, aux.item, tables) for p in postings],
        "scores": lambda: [_score(p, facts, tables) for p in postings],
    }
