"""What an attack decides depends on the release and the aux alone, for every algorithm there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attacking import decide
from every_attack import EVERY, mixed
from making import MakeStore, random_rows

from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.release.store.store import Store

attacks = pytest.mark.parametrize("attack", EVERY, ids=lambda a: a.name)


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(5, 60, 25, 700, missing=0.1), block_records=8)


def fields(found: Decisions) -> dict[str, bytes]:
    return {name: getattr(found, name).tobytes() for name in Decisions.__slots__}


def by_workers(store: Store, aux: Drawn, attack: Algorithm, rng: np.random.Generator) -> Decisions:
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
