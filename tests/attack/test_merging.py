"""What an attack decides depends on the release and the aux alone, for every algorithm there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attacking import decide
from every_attack import EVERY, mixed
from making import MakeStore, deep, random_rows

from sim.adversary.aux import Drawn
from sim.attack.engine import algorithm, block_tree
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.block_tree import Span
from sim.attack.engine.decisions import Decisions
from sim.release.store.store import Store

attacks = pytest.mark.parametrize("attack", EVERY, ids=lambda a: a.name)


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(5, 60, 25, 700, missing=0.1), block_records=8)


def fields(found: Decisions) -> dict[str, bytes]:
    return {name: getattr(found, name).tobytes() for name in Decisions.__slots__}


def by_workers(store: Store, aux: Drawn, attack: Algorithm, rng: np.random.Generator) -> Decisions:
    """Blocks dealt to a random number of workers, whose answers come in any order.

    Every second time, neighbours stay together.
    """
    carry: Any = None
    for phase in range(attack.n_phases):
        order = rng.permutation(store.manifest.n_blocks).tolist()
        if rng.random() < 0.5:
            order = np.arange(store.manifest.n_blocks).tolist()
        workers = int(rng.integers(1, 5))
        answers = [
            attack.partials(store, part.tolist(), aux, phase, carry)
            for part in np.array_split(order, workers)
        ]
        found: dict[Span, Any] = {}
        for worker in rng.permutation(workers).tolist():
            found |= answers[worker]
        carry = attack.fold(store, aux, phase, carry, found)
    assert isinstance(carry, Decisions)
    return carry


@attacks
@pytest.mark.parametrize("group", [2, *deep(32)])
def test_blocks_merge_in_any_order(
    store: Store, attack: Algorithm, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_tree, "GROUP_BLOCKS", group)
    aux = mixed(store, attack)
    whole = fields(decide(store, aux, attack))
    rng = np.random.default_rng(0)
    for _ in range(4):
        assert fields(by_workers(store, aux, attack, rng)) == whole


@attacks
def test_blocks_and_aux_sets_a_few_at_a_time(
    store: Store, attack: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of blocks merge before the next are scored, for the aux sets whose tables fit."""
    monkeypatch.setattr(block_tree, "GROUP_BLOCKS", 3)
    aux = mixed(store, attack)
    whole = fields(decide(store, aux, attack))
    held = []

    def counted(found: Any, *given: Any) -> Any:
        held.append(len(found))
        return block_tree.merged(found, *given)

    monkeypatch.setattr(algorithm, "merged", counted)
    monkeypatch.setattr(algorithm, "_CELLS_OF_TABLES", 1)
    assert len(attack._slices(store, aux)) == len(aux)
    assert fields(decide(store, aux, attack)) == whole
    assert max(held) == 4 < block_tree.most_held(store.manifest.n_blocks) < 8


@attacks
@pytest.mark.parametrize("group", [3, *deep(32)])
def test_a_decision_depends_on_no_other_aux_set(
    store: Store, attack: Algorithm, group: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_tree, "GROUP_BLOCKS", group)
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
