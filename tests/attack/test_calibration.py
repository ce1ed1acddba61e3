"""Claims of the Bayes-optimal attacker come true where times moved or entries were left out."""

from __future__ import annotations

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attacking import decide
from benchmarking import module
from calibrating import success
from making import Row, RowSource, deep

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.on_release import on_release
from sim.attack.algorithms.bayes import Bayes
from sim.defence.apply import defended
from sim.defence.cap_length import CapLength
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_popular import DropPopular
from sim.defence.drop_values import DropValues
from sim.defence.jitter_time import JitterTime
from sim.defence.sample_cells import SampleCells
from sim.release.readers.movielens import MovieLensSource
from sim.release.store.build import build_store
from sim.release.store.store import Store

PEOPLE, TOO_MUCH = 500, 0.03

WORLDS = {"one day": (1,), "three days": (3,), "many days": (1, 2, 3, 5, 10, 20), "any days": ()}

CHAINS: dict[str, tuple[Defence, ...]] = {
    "jitter": (JitterTime(date_noise=30),),
    "items": (DropItems(min_support=120),),
    "popular": (DropPopular(top=50),),
    "cap": (CapLength(n=8),),
    "week": (CoarsenTime(bin="week"),),
    "month": (CoarsenTime(bin="month"), JitterTime(date_noise=5)),
    "sample": (SampleCells(share=0.5),),
}

KNOWN = [
    Knowledge(1, 1, 0, 0),
    Knowledge(3, 3, 0, 0),
    Knowledge(2, 2, 1, 14),
    Knowledge(3, 4, 1, 7),
]


def world(days: tuple[int, ...], seed: int = 11, items: int = 150) -> list[Row]:
    """People with few days or many, on which they did what they did; popular items and rare."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, items + 1) ** 0.7
    rows: list[Row] = []
    for person in range(PEOPLE):
        n = int(rng.integers(6, 40))
        held = np.sort(rng.choice(items, n, replace=False, p=popularity / popularity.sum()))
        day = rng.integers(0, 200, n)
        if days:
            own = rng.integers(0, 200, rng.choice(days))
            day = own[rng.integers(0, own.size, n)]
        value = rng.integers(1, 6, n)
        rows += [
            (person, int(i), float(v), int(d)) for i, v, d in zip(held, value, day, strict=True)
        ]
    return rows


@pytest.fixture(scope="module")
def truths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Store]:
    found = {}
    for name, days in WORLDS.items():
        folder = tmp_path_factory.mktemp("world") / "store"
        build_store(RowSource(world(days)), folder, block_records=300)
        found[name] = Store(folder)
    return found


@functools.lru_cache(maxsize=4)
def released(truth: Store, chain: tuple[Defence, ...], folder: Path) -> Store:
    return defended(truth, chain).build(folder / "released")


def facts(truth: Store, store: Store, known: Knowledge) -> Drawn:
    able = np.flatnonzero(truth.length >= known.size)
    drawn = on_release(draw_aux(truth, known, 0, able, 5), truth, store)
    there = np.flatnonzero(drawn.truth.target >= 0)
    return Drawn.concatenate([drawn.part(n, n + 1) for n in there.tolist()])


OFTEN = [("three days", False), ("any days", True), ("one day", True), ("any days", False)]
"""Worlds, with values or without, one of which each chain is tried in by `make test`, in turn."""


@pytest.mark.parametrize(
    ("name", "chain", "without_values"),
    [
        case if (case[0], case[2]) == OFTEN[[*CHAINS].index(case[1]) % 4] else deep(case)[0]
        for case in itertools.product(WORLDS, CHAINS, (False, True))
    ],
)
def test_claims_come_true(
    truths: dict[str, Store], name: str, chain: str, without_values: bool, tmp_path: Path
) -> None:
    """Never too little by more than chance, and too much by three points at most."""
    truth = truths[name]
    defences = (DropValues(), *CHAINS[chain]) if without_values else CHAINS[chain]
    store = released(truth, defences, tmp_path)
    publisher = defended(truth, defences).with_totals(store)
    for each in KNOWN[:3] if without_values else KNOWN:
        known = Knowledge(each.correct, each.size, None if without_values else each.value_noise,
                          each.date_noise)  # fmt: skip
        attack = Bayes(knowledge=(known,), publisher=publisher)
        assert attack.untested == ""
        found = decide(store, facts(truth, store, known), attack)
        right, claimed = success(found), found.posterior
        chance = 4 * np.sqrt((claimed * (1 - claimed)).sum()) / claimed.size + 0.004
        assert right.mean() < claimed.mean() + chance
        assert right.mean() > claimed.mean() - TOO_MUCH - chance
        assert np.isfinite(found.target_score).mean() > 0.999


def test_other_days_of_a_record_give_a_moved_one_back(
    truths: dict[str, Store], tmp_path: Path
) -> None:
    """One exact fact finds about one in eight by its own day alone, and most by all of them."""
    truth, known = truths["one day"], Knowledge(1, 1, None, 0)
    chain = DropValues(), JitterTime(date_noise=30)
    store = defended(truth, chain).build(tmp_path / "released")
    drawn = facts(truth, store, known)
    change = defended(truth, chain)
    alone = decide(store, drawn, Bayes(knowledge=(known,), publisher=change.publisher))
    whole = decide(store, drawn, Bayes(knowledge=(known,), publisher=change.with_totals(store)))
    assert success(alone).mean() < 0.15
    assert success(whole).mean() > 2 * success(alone).mean()
    assert alone.posterior.mean() < success(whole).mean() - 0.1  # so it was content


@pytest.fixture(scope="module", params=["ratings", "purchases", "visits", "one_day"])
def some_world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param) / "store"
    build_store(module("calibration").World(request.param, 250), folder)
    return request.param, Store(folder)


@pytest.mark.parametrize("seed", [2, 5])
def test_claims_of_random_chains_come_true(some_world: tuple[str, Store], seed: int) -> None:
    """Of absent people too, which are among the targets."""
    benchmark, (kind, world) = module("calibration"), some_world
    found = benchmark.claims(world, *benchmark.random_case(kind, seed, 250), 250)
    claimed, right = found.posterior, success(found)
    chance = 4 * np.sqrt((claimed * (1 - claimed)).sum()) / claimed.size + 0.004
    assert -chance < claimed.mean() - right.mean() < TOO_MUCH + chance


def test_the_benchmark_of_claims_counts_them_by_bins(tmp_path: Path) -> None:
    results = module("calibration").run("tiny", tmp_path)
    names = [one.name for one in results]
    for kind in ("ratings", "purchases", "visits", "one_day"):
        bins = [name for name in names if name.startswith(f"calibration/{kind}/")]
        assert f"calibration/{kind}" in names
        assert len(bins) <= 5
    assert all(0 <= one.ours[0] <= 1 for one in results)


MOVIELENS = [
    ((JitterTime(date_noise=30),), 1, 0.5, 0.1),
    ((JitterTime(date_noise=90),), 2, 0.7, 0.35),
    ((DropPopular(top=600),), 1, 0.28, 0.0),
    ((DropItems(min_support=100),), 1, 0.5, 0.0),
    ((CapLength(n=10),), 1, 0.3, 0.0),
]
"""Chains, exact facts, the share that whole records give, and more than dates cell by cell do."""


@pytest.mark.parametrize(("chain", "facts_known", "least", "more"), MOVIELENS, ids=str)
def test_on_movielens_the_attacker_finds_what_dates_give_away(
    real_data: Path,
    tmp_path: Path,
    chain: tuple[Defence, ...],
    facts_known: int,
    least: float,
    more: float,
) -> None:
    build_store(MovieLensSource(real_data / "ml-100k" / "u.data"), tmp_path / "truth")
    truth, known = Store(tmp_path / "truth"), Knowledge(facts_known, facts_known, None, 0)
    defences = DropValues(), *chain
    store = defended(truth, defences).build(tmp_path / "released")
    change, drawn = defended(truth, defences), facts(truth, store, known)
    whole = decide(store, drawn, Bayes(knowledge=(known,), publisher=change.with_totals(store)))
    right, claimed = success(whole).mean(), whole.posterior.mean()
    assert right > least
    assert abs(right - claimed) < 0.05
    if more:
        alone = decide(store, drawn, Bayes(knowledge=(known,), publisher=change.publisher))
        assert right > success(alone).mean() + more
        assert claimed > alone.posterior.mean() + more
