"""The guard's features are those of the plain reference, whatever the data and facts have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from making import MakeStore, random_rows
from reference.guard import Cell, expected_times, guard_features

from sim.adversary.aux import NO_DAY, Aux
from sim.metrics.guard_features import COLUMNS, Pairs, candidate_features
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

FACTS = 3


def cells_of(store: Store, record: int) -> list[Cell]:
    index = record // store.manifest.block_records
    block = store.block(index)
    begin, end = block.record_start[record - block.first :][:2]
    scale = [*store.scale.tolist(), None]
    days = [int(d) if d < store.manifest.n_days else None for d in block.record_day[begin:end]]
    levels = block.record_level[begin:end].tolist()
    items = block.record_item[begin:end].tolist()
    return [Cell(i, scale[v], d) for i, v, d in zip(items, levels, days, strict=True)]


def facts_about(store: Store, units: int, seed: int) -> Aux:
    """Facts about any items, near cells or far from them; some without a value, a date, an item."""
    rng = np.random.default_rng(seed)
    n = units * FACTS
    item = rng.integers(-1, store.manifest.n_items, n).astype(np.int32)
    value = rng.choice([1.0, 2.5, 4.0, np.nan], n)
    day = rng.integers(-20, store.manifest.n_days + 20, n).astype(np.int32)
    day[rng.random(n) < 0.2] = NO_DAY
    return Aux(np.zeros(units, np.int32), np.arange(0, n + 1, FACTS), item, value, day)


@pytest.mark.parametrize("reach", [0, 1, 3, 14, 30, 90])
@pytest.mark.parametrize("repeats", [False, True])
def test_features_are_those_of_the_reference(
    make_store: MakeStore, reach: int, repeats: bool
) -> None:
    rows = random_rows(5, records=30, items=9, cells=220, missing=0.1, repeats=repeats)
    how = {"repeats": Repeats.ALL} if repeats else {}
    store = make_store(rows, block_records=12, **how)
    units, n = 12, store.manifest.n_records
    aux, rng = facts_about(store, units, reach), np.random.default_rng(1)
    size = rng.integers(0, n, units)
    record = np.concatenate([rng.choice(n, k, replace=False) for k in size])
    hidden = rng.integers(0, 50, aux.item.size)
    pairs = Pairs(np.concatenate([[0], np.cumsum(size)]), record)
    found = candidate_features(store, aux, pairs, hidden, reach)
    facts = [
        (Cell(int(i), None if math.isnan(v) else float(v), None if d == NO_DAY else int(d)), int(h))
        for i, v, d, h in zip(aux.item, aux.value, aux.day, hidden, strict=True)
    ]
    every = [cells_of(store, r) for r in range(n)]
    expected = expected_times(every, rounds=10, prior=1.0)
    for unit in range(units):
        its = facts[unit * FACTS : (unit + 1) * FACTS]
        for r in range(pairs.start[unit], pairs.start[unit + 1]):
            plain = guard_features(every[int(record[r])], its, max(reach, 1), expected)
            assert len(plain) == len(COLUMNS)
            np.testing.assert_allclose(found[r], plain, rtol=1e-5, atol=1e-6, err_msg=str(its))
    if reach == 14:
        assert np.ptp(found, axis=0).all()
