"""Where the time of the scan goes: the same work with ever more of it left out.

Reading the postings and making contributions of them, which is done while the next are on their
way; adding these to the records' scores, a tile at a time; looking at the scores that matter. What
a step takes more than the one before is its part.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from sim.adversary.aux import Aux
from sim.attack.kernels.lanes import ALL, WIDTH, added_up, between, spread
from sim.attack.kernels.numeric import uncounted
from sim.attack.kernels.postings import gains_of, read_on, table_of
from sim.attack.kernels.scan import Gains
from sim.attack.kernels.tiled import TILE, add_fact, start_walk, tile_end
from sim.release.store.store import Block

_U = np.uint64
_ALL, _NONE, _WIDTH, _LINE = np.uint8(ALL), _U(0), _U(WIDTH), _U(63)

STEPS = {
    "contributions": "reading the postings and making contributions of them",
    "scores": "adding these to the scores, in tiles",
    "looking": "looking at the scores that matter, counting, and what is done once for a block",
}
"""Parts of the scan, in the order in which they come on top of one another."""


@uncounted
def _contribute(  # type: ignore[no-untyped-def]
    item_start, item_row, item_level, item_day, item, add, mul, day_table, day_offset
):
    total = 0.0
    for a in range(item.size):
        plus, times, days = table_of(add, a), table_of(mul, a), _NONE - _U(day_offset[a])
        begin, end = _U(item_start[item[a]]), _U(item_start[item[a] + 1])
        gains, k = spread(0.0), begin
        while k + _WIDTH <= end:
            if k - begin & _LINE == 0:
                read_on(k, item_row, item_level, item_day)
            gains = gains + gains_of(
                add, mul, day_table, plus, times, days, item_level, item_day, k, _ALL
            )
            k += _WIDTH
        those = between(k, k, end)
        gains = gains + gains_of(
            add, mul, day_table, plus, times, days, item_level, item_day, k, those
        )
        total += added_up(gains)
    return total


@numba.njit(cache=True, nogil=True)
def _score(  # type: ignore[no-untyped-def]
    n, item_start, item_row, item_level, item_day, start, item, add, mul, day_table, day_offset
):
    facts = item.size
    walk, score = np.empty((3, facts), np.uint64), np.empty(TILE)
    for u in range(start.size - 1):
        begin, end, tile = start[u], start[u + 1], 0
        start_walk(begin, end, item, item_start, item_row, item_level, item_day, -1, walk)
        while tile < n:
            limit = tile_end(tile, n)
            score[: limit - tile] = -0.0
            for a in range(begin, end):
                add_fact(
                    a, begin, limit, item_row, item_level, item_day, add, mul, day_table,
                    day_offset, score, _U(tile), walk,
                )  # fmt: skip
            tile = limit


def steps(blocks: list[Block], aux: Aux, gains: Gains) -> dict[str, Callable[[], Any]]:
    """Work up to each of the first two steps, on all blocks.

    Parameters
    ----------
    blocks : list of Block
    aux : Aux
        All items of which are in the release.
    gains : Gains
        Smooth.

    Returns
    -------
    dict of str to callable
        By the names of `STEPS`.
    """
    tables = gains.by_level, gains.weight, gains.day_table, gains.day_offset
    columns = [(b.item_start, b.item_row, b.item_level, b.item_day) for b in blocks]
    return {
        "contributions": lambda: [_contribute(*c, aux.item, *tables) for c in columns],
        "scores": lambda: [
            _score(b.n_records, *c, aux.start, aux.item, *tables)
            for b, c in zip(blocks, columns, strict=True)
        ],
    }
