"""Attacks in tests: aux sets written out or drawn at random, and a run without any runner."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from drawing import changed

from sim.adversary.aux import NO_DAY, Aux, Candidates, Drawn, GroundTruth
from sim.adversary.target_cells import items_of, own_cells
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.release.store.store import Store

Fact = tuple[int, float | None, int | None]
"""Item, value, day from the release's first."""


def decide(store: Store, drawn: Drawn, attack: Algorithm) -> Decisions:
    """Run an attack in this process."""
    drawn, carry = attack.annotated(store, drawn), None
    for phase in range(attack.n_phases):
        found = attack.partials(store, list(range(store.manifest.n_blocks)), drawn, phase, carry)
        carry = attack.fold(store, drawn, phase, carry, found)
    assert isinstance(carry, Decisions)
    return carry


def by_block(store: Store, drawn: Drawn, attack: Algorithm) -> dict[int, Any]:
    """The partials of phase 0 of each block, scored alone."""
    found = {}
    for index in range(store.manifest.n_blocks):
        (found[index],) = attack.partials(store, [index], drawn, 0, None).values()
    return found


def of_release(
    store: Store, drawn: Drawn, attack: Algorithm, blocks: list[int] | None = None
) -> Any:
    """The partials of phase 0 of the whole release, its blocks scored in some order."""
    order = list(range(store.manifest.n_blocks)) if blocks is None else blocks
    (found,) = attack.partials(store, order, drawn, 0, None).values()
    return found


def aux_of(store: Store, target: int, *facts: Fact, absent: bool = False) -> Drawn:
    """One aux set, written out."""
    item = np.array([i for i, _, _ in facts], np.int32)
    held, level, day = own_cells(store, np.full(item.size, target), item)
    aux = Aux(
        cell=np.zeros(1, np.int32),
        start=np.array([0, len(facts)]),
        item=item,
        value=np.array([math.nan if v is None else v for _, v, _ in facts]),
        day=np.array([NO_DAY if d is None else d for _, _, d in facts], np.int32),
    )
    truth = GroundTruth(
        target=np.array([target]),
        absent=np.full(1, absent),
        kind=np.zeros(len(facts), np.uint8),
        own_held=held,
        own_level=level,
        own_day=day,
    )
    return Drawn(aux, Candidates.every(1), truth)


def random_aux(
    store: Store, seed: int, units: int, *, absent: float = 0.0, bounded: float = 0.0
) -> Drawn:
    """Aux such as an outsider may bring: right, near, wrong, missing, unknown to the release.

    `absent` and `bounded` are the shares of units whose target is removed, or that know a length.
    """
    rng = np.random.default_rng(seed)
    m, lengths = store.manifest, store.length
    batches = []
    for _ in range(units):
        target = int(rng.integers(m.n_records))
        own = items_of(store, target)
        items = [int(i) for i in rng.permutation(own)[: rng.integers(0, 4)]]
        others = [int(i) for i in rng.permutation(m.n_items)[: rng.integers(0, 3)]]
        items += [i for i in others if i not in items]
        items += [-1] * int(rng.random() < 0.2 or not items)
        scale = [None, None, *store.scale.tolist(), 2.75]
        days = [None, None, -2, *range(m.n_days + 3)]
        facts: list[Fact] = [
            (i, scale[rng.integers(len(scale))], days[rng.integers(len(days))]) for i in items
        ]
        facts = [_own_cell(store, target, fact) if rng.random() < 0.5 else fact for fact in facts]
        target = target if rng.random() < 0.9 else -1
        one = aux_of(store, target, *facts, absent=bool(rng.random() < absent))
        if rng.random() < bounded:
            low, high = np.sort(rng.integers(0, lengths.max() + 2, 2))
            one = changed(
                one,
                shortest=np.array([low], np.int32),
                longest=np.array([high], np.int32),
            )
        batches.append(one)
    return Drawn.concatenate(batches)


def _own_cell(store: Store, target: int, fact: Fact) -> Fact:
    """The fact as it truly is of the target, if it holds the item."""
    one = aux_of(store, target, fact)
    if not one.truth.own_held[0]:
        return fact
    value = [*store.scale.tolist(), None][one.truth.own_level[0]]
    day = int(one.truth.own_day[0])
    return fact[0], value, day if day < store.manifest.n_days else None
