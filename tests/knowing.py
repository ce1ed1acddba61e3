"""Adversaries of every kind, for tests of the Bayes-optimal attacker."""

from __future__ import annotations

import dataclasses

import numpy as np
from drawing import changed
from hypothesis import strategies as st

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.on_release import on_release
from sim.adversary.targets import items_in_window
from sim.release.store.store import Store

MOST = 6
"""Most facts that `random_aux` brings."""

ADVERSARIES = st.builds(
    Knowledge,
    correct=st.integers(0, 3),
    size=st.just(3),
    value_noise=st.sampled_from([None, 0, 0.1, 1]),
    date_noise=st.sampled_from([None, 0, 3, 14]),
    popularity=st.sampled_from([Window(), Window(1), Window(1, 4)]),
    wrong=st.sampled_from(["value", "item"]),
    value_share=st.sampled_from([0.0, 0.0, 0.25]),
)


def of_every_size(knowledge: Knowledge) -> tuple[Knowledge, ...]:
    """The same knowledge in one cell for each size of aux."""
    return tuple(
        dataclasses.replace(knowledge, correct=min(knowledge.correct, size), size=size)
        for size in range(1, MOST + 1)
    )


def in_cells_of_their_size(aux: Drawn, knowledge: Knowledge) -> Drawn:
    """Leave out what the adversary cannot know; each aux in the cell of its size."""
    day = np.full_like(aux.aux.day, np.iinfo(np.int32).min)
    return changed(
        aux,
        cell=(aux.aux.size - 1).astype(np.int32),
        value=aux.aux.value
        if knowledge.value_noise is not None
        else np.full(aux.aux.item.size, np.nan),
        day=aux.aux.day if knowledge.date_noise is not None else day,
    )


def drawn_from(truth: Store, knowledge: Knowledge, seed: int, release: Store) -> Drawn:
    """What the adversary draws, of some targets that are removed and some that are not."""
    able = np.flatnonzero(items_in_window(truth, knowledge.popularity) >= knowledge.size)
    aux = on_release(draw_aux(truth, knowledge, 0, able[:4], seed), truth, release)
    return changed(aux, absent=(np.arange(len(aux)) % 3 == 1) & (aux.truth.target >= 0))
