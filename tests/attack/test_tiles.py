"""Blocks of several tiles: what is found does not depend on where a tile ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import reference
from attacking import random_aux
from making import MakeStore, Row
from references import Oracle, check

from sim.attack.algorithms.mentions import TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Exponential
from sim.attack.kernels.drivers import is_fused
from sim.attack.kernels.tiled import TILE
from sim.release.store.store import Store

RECORDS = 2 * TILE + 101


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    """Items that most hold, that few hold, and that only the records about the end of a tile do."""
    rng = np.random.default_rng(8)
    found: list[Row] = []
    for item, share in enumerate([0.9, 0.4, 0.05, 0.01, 0.001]):
        held = np.flatnonzero(rng.random(RECORDS) < share).tolist()
        found += [(r, item, float(rng.integers(1, 6)), int(rng.integers(0, 60))) for r in held]
    for item, end in ((5, TILE), (6, 2 * TILE)):
        found += [(r, item, 3.0, 7) for r in range(end - 5, end + 5)]
    found += [(r, 7, 1.0, 1) for r in range(RECORDS)]
    return sorted(found)


@pytest.fixture
def store(make_store: MakeStore, rows: list[Row]) -> Store:
    return make_store(rows, block_records=RECORDS)


SIMILAR = Exponential(1.5, 30)


def scoreboard_rh(release: reference.PlainRelease, aux: reference.PlainAux) -> Any:
    return reference.scoreboard_rh(release, aux, reference.Exponential(1.5, 30), "log")


@pytest.mark.parametrize("entropy", [False, True])
def test_scores_that_are_looked_at_as_they_are_made(store: Store, entropy: bool) -> None:
    attack = ScoreboardRH(similarity=SIMILAR, entropy=entropy)
    aux = random_aux(store, 3, 12, absent=0.3)
    assert is_fused(aux, attack.scanned(store, aux))
    check(store, aux, attack, scoreboard_rh)


@pytest.mark.parametrize(
    ("attack", "oracle", "exact"),
    [(ScoreboardRH(similarity=SIMILAR), scoreboard_rh, True), (TfIdf(), reference.tf_idf, False)],
    ids=["scoreboard_rh", "tf_idf"],
)
@pytest.mark.parametrize("entropy", [False, True])
def test_scores_that_are_finished_first(
    store: Store, attack: Algorithm, oracle: Oracle, exact: bool, entropy: bool
) -> None:
    attack, aux = replace(attack, entropy=entropy), random_aux(store, 4, 12, absent=0.3, bounded=1)
    assert not is_fused(aux, attack.scanned(store, aux))
    check(store, aux, attack, oracle, exact=exact)
