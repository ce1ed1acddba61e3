"""Adversaries of every kind, for tests of the Bayes-optimal attacker."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import reference
from drawing import changed
from hypothesis import strategies as st

from sim.adversary.aux import NO_DAY, Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window, reach
from sim.adversary.on_release import on_release
from sim.adversary.targets import items_in_window
from sim.attack.engine.decisions import Floats
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
    draw=st.sampled_from(["cells", "items"]),
    value_share=st.sampled_from([0.0, 0.0, 0.25, 0.5]),
    missing=st.sampled_from([0.0, 0.0, 0.25, 1.0]),
)


def told(
    store: Store, known: Knowledge, correct: int, levels: Floats | None = None, **changes: Any
) -> reference.Adversary:
    """The same adversary for the reference implementations, with so many correct facts."""
    return reference.Adversary(
        correct,
        store.scale if levels is None else levels,
        known.value_reach,
        known.date_noise,
        known.wrong,
        known.draw,
        reach(known.value_share),
        known.missing,
        released_days=store.manifest.n_days > 0,
        knows_length=known.record_length is not None,
        **changes,
    )


def of_every_size(knowledge: Knowledge) -> tuple[Knowledge, ...]:
    """The same knowledge in one cell for each size of aux."""
    return tuple(
        dataclasses.replace(knowledge, correct=min(knowledge.correct, size), size=size)
        for size in range(1, MOST + 1)
    )


def in_cells_of_their_size(aux: Drawn, knowledge: Knowledge) -> Drawn:
    """Leave out what the adversary cannot know; each aux in the cell of its size."""
    return changed(as_known(aux, knowledge), cell=(aux.aux.size - 1).astype(np.int32))


def as_known(aux: Drawn, knowledge: Knowledge) -> Drawn:
    """Leave out what the adversary cannot know."""
    no_value, no_day = np.full(aux.aux.item.size, np.nan), np.full_like(aux.aux.day, NO_DAY)
    return changed(
        aux,
        value=no_value if knowledge.value_noise is None else aux.aux.value,
        day=no_day if knowledge.date_noise is None else aux.aux.day,
    )


def drawn_from(truth: Store, knowledge: Knowledge, seed: int, release: Store) -> Drawn:
    """What the adversary draws, of some targets that are removed and some that are not."""
    able = np.flatnonzero(items_in_window(truth, knowledge.popularity) >= knowledge.size)
    aux = on_release(draw_aux(truth, knowledge, 0, able[:4], seed), truth, release)
    return changed(aux, absent=(np.arange(len(aux)) % 3 == 1) & (aux.truth.target >= 0))
