"""What an attack decides depends on the release and the aux alone, for every algorithm there is."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from attacking import decide, random_aux
from making import MakeStore, random_rows

from sim.adversary.aux import AuxBatch
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.registry import ATTACKS
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.similarity import Base2, Exponential, Threshold
from sim.release.store.store import Store

CELLS = (
    Knowledge(2, 2, 0, 3),
    Knowledge(2, 3, 1, 14),
    Knowledge(1, 3, None, 3, Window(1)),
    Knowledge(3, 4, 1, None, wrong="item"),
    Knowledge(4, 4, 0, 14, wrong="item"),
)
EVERY: list[Algorithm] = [
    Scoreboard(similarity=Threshold(1, 14)),
    ScoreboardRH(similarity=Exponential(), entropy=True),
    ScoreboardRH(similarity=Threshold(1, 14), sigma="nonzero", missing="mean"),
    Neighbourhood(eps_value=1, eps_day=14, delta_value=0.5, delta_day=0.5),
    Correlation(similarity=Base2(), entropy=True),
    SetIntersection(),
    TfIdf(entropy=True),
    Scoring(longest_share=0.9, entropy=True),
    ScoringRated(longest_share=None, entropy=True),
    Bayes(knowledge=CELLS, count="independent"),
    Bayes(knowledge=CELLS, count="exact", sigma="nonzero"),
    RandomGuess(entropy=True),
    LongestRecord(entropy=True, sigma="nonzero"),
]
EVERY += [  # an attack that nobody listed here is merged as it is by default
    attack().for_study(CELLS)
    for name, attack in ATTACKS.all().items()
    if name not in {listed.name for listed in EVERY}
]

attacks = pytest.mark.parametrize("attack", EVERY, ids=lambda a: a.name)


def mixed(store: Store, attack: Algorithm) -> AuxBatch:
    """Aux of several adversaries, present and absent targets, with and without a known length."""
    wild = [] if attack.name == "bayes" else [random_aux(store, 1, 12, absent=0.3, bounded=0.3)]
    drawn = [
        draw_aux(store, knowledge, cell, np.flatnonzero(store.length >= 8)[:4], 7)
        for cell, knowledge in enumerate(CELLS)
    ]
    aux = AuxBatch.concatenate(drawn)
    absent, lengths = np.arange(len(aux)) % 3 == 1, store.length[aux.target]
    bounded = np.arange(len(aux)) % 4 == 2
    aux = dataclasses.replace(
        aux, absent=absent, shortest=np.where(bounded, lengths - 2, 0).astype(np.int32)
    )
    return attack.annotate(store, AuxBatch.concatenate([aux, *wild]))


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(5, 60, 25, 700, missing=0.1), block_records=8)


def fields(found: Decisions) -> dict[str, bytes]:
    return {name: getattr(found, name).tobytes() for name in Decisions.__slots__}


def by_workers(
    store: Store, aux: AuxBatch, attack: Algorithm, rng: np.random.Generator
) -> Decisions:
    """Blocks dealt to a random number of workers, whose answers come in any order."""
    carry: Any = None
    for phase in range(attack.n_phases):
        order = rng.permutation(store.manifest.n_blocks).tolist()
        workers = int(rng.integers(1, 5))
        answers = [
            attack.score(store, order[w::workers], aux, phase, carry) for w in range(workers)
        ]
        found: dict[int, Any] = {}
        for worker in rng.permutation(workers).tolist():
            found |= answers[worker]
        carry = attack.fold(store, aux, phase, carry, found)
    assert isinstance(carry, Decisions)
    return carry


@attacks
def test_blocks_merge_in_any_order(store: Store, attack: Algorithm) -> None:
    aux = mixed(store, attack)
    whole = fields(decide(store, aux, attack))
    rng = np.random.default_rng(0)
    for _ in range(4):
        assert fields(by_workers(store, aux, attack, rng)) == whole


@attacks
def test_a_decision_depends_on_no_other_aux_set(store: Store, attack: Algorithm) -> None:
    aux = mixed(store, attack)
    whole = decide(store, aux, attack)
    for unit in range(len(aux)):
        alone = decide(store, aux.part(unit, unit + 1), attack)
        for name in Decisions.__slots__:
            assert getattr(alone, name).tobytes() == getattr(whole, name)[unit].tobytes(), name


@attacks
def test_the_size_of_a_block_shows_only_in_rounding(
    make_store: MakeStore, store: Store, attack: Algorithm
) -> None:
    aux = mixed(store, attack)
    whole = decide(store, aux, attack)
    for block_records in (1, 13, 100):
        rows = random_rows(5, 60, 25, 700, missing=0.1)
        other = decide(make_store(rows, block_records=block_records), aux, attack)
        for name in Decisions.__slots__:
            here, there = getattr(other, name), getattr(whole, name)
            if here.dtype.kind == "f":
                assert here == pytest.approx(there, rel=1e-9, abs=1e-12, nan_ok=True), name
            else:
                assert here.tolist() == there.tolist(), name
