"""Attacks on visits: the posterior is calibrated, nothing is stronger, and defences apply."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from attacking import decide
from calibrating import check_calibration, success
from defending import publish
from making import MakeStore, Row, RowSource

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.similarity import Exponential, Threshold
from sim.attack.kernels import repeats
from sim.defence.drop_items import DropItems
from sim.defence.jitter_time import JitterTime
from sim.errors import GridError
from sim.numeric.intervals import wilson
from sim.release.store.build import build_store
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

pytestmark = pytest.mark.fast


def visits(seed: int, people: int, places: int) -> list[Row]:
    """A few habitual places each, visited often, and others once; counts for values."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, places + 1) ** 0.8
    popularity /= popularity.sum()
    rows: list[Row] = []
    for person in range(people):
        habits = rng.choice(places, 3, replace=False, p=popularity)
        n = int(np.clip(rng.lognormal(2.6, 0.6), 8, 80))
        often = rng.random(n) < 0.6
        place = np.where(often, rng.choice(habits, n), rng.choice(places, n, p=popularity))
        day = rng.integers(0, 60, n)
        rows += [
            (person, int(p), float(rng.integers(1, 4)), int(d) + k / 1000)  # type: ignore[misc]
            for k, (p, d) in enumerate(zip(place, day, strict=True))
        ]
    return rows


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder: Path = tmp_path_factory.mktemp("visits") / "store"
    source = RowSource(visits(3, 300, 60), repeats=Repeats.ALL)
    build_store(source, folder, block_records=100)
    store = Store(folder)
    assert store.manifest.n_repeats > store.manifest.n_cells / 4
    return store


KNOWN = [
    Knowledge(2, 2, None, 3),
    Knowledge(4, 4, None, None),
    Knowledge(3, 3, 1, 14),
    Knowledge(3, 4, 0, None),
    Knowledge(3, 4, 0, 3, wrong="item"),
    Knowledge(3, 4, None, None, wrong="item"),
    Knowledge(2, 2, 0, 3, Window(5)),
    Knowledge(2, 2, None, 3, draw="items"),
    Knowledge(3, 4, 0, None, draw="items"),
    Knowledge(3, 4, 0, 3, wrong="item", draw="items"),
    Knowledge(2, 2, 0, None, Window(5), draw="items"),
]


def drawn_of(store: Store, knowledge: Knowledge) -> Drawn:
    held = items_in_window(store, knowledge.popularity, draw=knowledge.draw)
    able = np.flatnonzero(held >= knowledge.size)
    return Drawn.concatenate([draw_aux(store, knowledge, 0, able, s) for s in range(3)])


@pytest.mark.parametrize("knowledge", KNOWN, ids=str)
def test_the_posterior_of_visits_is_right_and_nothing_is_stronger(
    store: Store, knowledge: Knowledge
) -> None:
    drawn = drawn_of(store, knowledge)
    twice = [
        np.unique(drawn.aux.item[begin:end]).size < end - begin
        for begin, end in zip(drawn.aux.start[:-1], drawn.aux.start[1:], strict=True)
    ]
    # Facts about one place in several visits, unless places are drawn first.
    assert not any(twice) if knowledge.draw == "items" else np.mean(twice) > 0.05
    found = decide(store, drawn, Bayes(knowledge=(knowledge,)))
    check_calibration(found)
    assert not np.isinf(found.target_score).any()
    d = knowledge.date_noise or 0
    for other in (
        ScoreboardRH(similarity=Exponential()),
        ScoreboardRH(similarity=Threshold(knowledge.value_noise or 0, d)),
    ):
        difference = success(found) - success(decide(store, drawn, other))
        won, lost = int((difference > 0).sum()), int((difference < 0).sum())
        assert won + lost == 0 or wilson(won, won + lost).high >= 0.5


@pytest.mark.parametrize("first", [1, 2])
def test_who_visits_few_places_often_can_know_others(make_store: MakeStore, first: int) -> None:
    """Wrong places are among those that a record lacks: of 8, not of 8 less its visits."""
    rows: list[Row] = [
        (r, (r + k * (1 + r % 3)) % 8, None, (7 * r + 5 * k) % 60)
        for r in range(60)
        for k in [0, 1, 2, 0, 1, 2, 0, 1]
    ]
    rows = [(r, item, None, day + n % 8) for n, (r, item, _, day) in enumerate(rows)]
    store = make_store(rows, repeats=Repeats.ALL)
    assert (store.length == 8).all() and (store.items_held <= 3).all()  # noqa: PT018
    knowledge = Knowledge(2, 3, None, 3, wrong="item", first=first)
    drawn = Drawn.concatenate([draw_aux(store, knowledge, 0, np.arange(60), s) for s in range(20)])
    found = decide(store, drawn, Bayes(knowledge=(knowledge,)))
    assert not np.isinf(found.target_score).any()
    check_calibration(found)


def test_defences_keep_visits_apart(store: Store, tmp_path: Path) -> None:
    least = 40
    released = publish(
        store, tmp_path / "released", DropItems(min_support=least), JitterTime(date_noise=2)
    )
    kept = store.support >= least
    assert 0 < kept.sum() < kept.size
    m = released.manifest
    assert m.n_cells == store.cells[kept].sum()
    assert released.support.tolist() == store.support[kept].tolist()
    assert m.has_repeats
    again = publish(released, tmp_path / "again", JitterTime(date_noise=5, seed=3))
    assert again.manifest.n_cells == m.n_cells


def test_more_than_sixteen_facts_about_one_item_are_refused(make_store: MakeStore) -> None:
    rows: list[Row] = [(r, 1, None, day) for r in range(3) for day in range(20)]
    store = make_store(rows, repeats=Repeats.ALL)
    knowledge = Knowledge(17, 17, None, 0)
    drawn = draw_aux(store, knowledge, 0, np.arange(3), 1)
    assert Counter(drawn.aux.item.tolist()) == {0: 51}
    with pytest.raises(GridError, match=r"17.*16"):
        decide(store, drawn, Bayes(knowledge=(knowledge,)))


@pytest.mark.parametrize("at_once", [1, 500, 3_000])
def test_how_many_postings_are_reduced_at_once_changes_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    drawn = draw_aux(store, KNOWN[0], 0, np.arange(0, 300, 7), 1)
    attack = ScoreboardRH()
    whole = decide(store, drawn, attack)
    monkeypatch.setattr(repeats, "_AT_ONCE", at_once)
    parts = decide(store, drawn, attack)
    for field in dataclasses.fields(whole):
        assert getattr(whole, field.name).tobytes() == getattr(parts, field.name).tobytes()
