"""The Bayes-optimal attacker's chances where a record may hold an item several times (spec §8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux
from sim.attack.algorithms.likelihood import Noise
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Counted
from sim.errors import GridError

MAX_FACTS_ABOUT_ITEM = 16
"""The sums over the subsets of k facts about one item take time and memory in 2^k."""


def leaders(aux: Aux) -> NDArray[np.int64]:
    """First fact of the same aux set about the same item, shape (A,).

    An item that the release lacks could be any: each such fact is its own.

    Raises
    ------
    GridError
        An aux set has more than 16 facts about one item.
    """
    facts = np.arange(aux.item.size)
    own = np.where(aux.item >= 0, aux.item, -1 - facts)
    _, first, place, number = np.unique(
        np.column_stack([aux.unit, own]), axis=0, return_index=True, return_inverse=True,
        return_counts=True,
    )  # fmt: skip
    if facts.size and number.max() > MAX_FACTS_ABOUT_ITEM:
        raise GridError(
            f"attack=bayes: {number.max()} facts about one item, the most is "
            f"{MAX_FACTS_ABOUT_ITEM}; lower grid.aux"
        )
    return np.asarray(first[place.ravel()], np.int64)


def once_each(chances: Counted, leader: NDArray[np.int64], any_cell: NDArray[np.bool_]) -> Counted:
    """Complete the chances of a known number of wrong facts: no wrong item is drawn twice.

    Parameters
    ----------
    leader, any_cell : see `Counted`
    """
    again = chances.by_item & (leader != np.arange(leader.size)) & ~np.isnan(chances.lacking)
    return chances._replace(
        lacking=np.where(again, 0.0, chances.lacking), leader=leader, any_cell=any_cell
    )


def independent_repeats(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    held: Floats,
    missed: Floats,
    any_cell: NDArray[np.bool_],
) -> Counted:
    """Chances where each fact is wrong by chance: as if none were, by the mixture of both.

    Parameters
    ----------
    held : float64 array, shape (A, C, L + 1)
        Chance of each fact if it is about a cell with this class of day and this level.
    missed : float64 array, shape (A,)
        Chance of each fact if the record lacks the item.
    any_cell : see `Counted`
    """
    flat = held.reshape(len(held), noise.n_classes * (release.scale.size + 1))
    return Counted(
        right=flat,
        wrong=np.zeros_like(flat),
        levels=release.scale.size + 1,
        days=release.n_days + 1,
        lacking=np.zeros(aux.item.size),
        either=np.zeros(aux.item.size, np.bool_),
        by_item=noise.by_item,
        support=release.cells,
        missed=missed,
        leader=leaders(aux),
        any_cell=any_cell,
        number=np.zeros(len(aux), np.int64),
        cells=release.n_cells,
    )
