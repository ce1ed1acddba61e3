"""The Bayes-optimal attacker on changed releases: it knows how they were made and remains optimal.

An attacker who did not know of the publisher's noise would take the true record for impossible.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
import pytest
from attacking import decide
from calibrating import check_calibration, lifelike, success
from defending import all_three, publish
from drawing import changed
from making import RowSource

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.on_release import on_release
from sim.adversary.publisher import AS_IS, Publisher
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.similarity import Exponential
from sim.numeric.intervals import wilson
from sim.release.store.build import build_store
from sim.release.store.store import Store

DRAWS = 3

CASES = [
    (Publisher(date_noise=2), Knowledge(2, 2, 0, 3)),
    (Publisher(date_noise=90), Knowledge(4, 4, None, 3)),
    (Publisher(date_noise=90), Knowledge(3, 3, 1, 14)),
    (Publisher(date_noise=30), Knowledge(2, 2, None, 0)),
    (Publisher(value_noise=1), Knowledge(4, 4, 0, None)),
    (Publisher(value_noise=3), Knowledge(3, 3, 1, None)),
    (Publisher(value_noise=1, date_noise=30), Knowledge(3, 3, 1, 14)),
    (Publisher(value_noise=1, date_noise=14), Knowledge(2, 2, 0, 3, Window(20))),
    (Publisher(date_noise=30), Knowledge(3, 4, 0, 3)),
    (Publisher(value_noise=1), Knowledge(5, 8, 0, None)),
    (Publisher(value_noise=1, date_noise=30), Knowledge(3, 4, 1, 14)),
    (Publisher(value_noise=1), Knowledge(3, 4, 0, None, wrong="item")),
    (Publisher(date_noise=30), Knowledge(3, 4, None, 3, wrong="item")),
    (Publisher(min_support=8), Knowledge(3, 3, 1, None)),
    (Publisher(value_noise=1, min_support=8), Knowledge(3, 4, 0, None)),
    (Publisher(date_noise=14, min_support=8), Knowledge(3, 4, 0, 3, wrong="item")),
]


@dataclasses.dataclass(frozen=True)
class Releases:
    """One truth, and what publishers make of it."""

    truth: Store
    folder: Path

    @functools.cache  # noqa: B019
    def published(self, publisher: Publisher) -> Store:
        noise = publisher.value_noise, publisher.date_noise, 5, publisher.min_support
        place = self.folder / str(hash(publisher))
        return publish(self.truth, place, *all_three(self.truth, *noise))


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("published")
    build_store(RowSource(lifelike(3, 300, 200)), folder / "truth", block_records=100)
    return Releases(Store(folder / "truth"), folder)


def drawn(releases: Releases, publisher: Publisher, knowledge: Knowledge) -> Drawn:
    """Three aux sets of every eligible person whose record is published."""
    truth, store = releases.truth, releases.published(publisher)
    able = np.flatnonzero(items_in_window(truth, knowledge.popularity) >= knowledge.size)
    sets = [
        on_release(draw_aux(truth, knowledge, 0, able, seed), truth, store) for seed in range(DRAWS)
    ]
    return Drawn.concatenate(sets)


def run(store: Store, aux: Drawn, attack: Algorithm) -> Decisions:
    return decide(store, aux, attack)


def aware(releases: Releases, publisher: Publisher, knowledge: Knowledge) -> Bayes:
    """The Bayes-optimal attacker, who knows what the publisher did."""
    scale = tuple(releases.truth.scale.tolist())
    told = dataclasses.replace(publisher, scale=scale)
    return Bayes(knowledge=(knowledge,), publisher=told, count="exact")


@pytest.mark.parametrize(("publisher", "knowledge"), CASES, ids=str)
def test_of_guesses_made_with_probability_p_a_share_p_is_right(
    releases: Releases, publisher: Publisher, knowledge: Knowledge
) -> None:
    """And the true record is never ruled out, and no published attack finds more people."""
    store, aux = releases.published(publisher), drawn(releases, publisher, knowledge)
    found = run(store, aux, aware(releases, publisher, knowledge))
    check_calibration(found)
    assert np.isfinite(found.target_score).mean() > 0.999
    other = success(run(store, aux, ScoreboardRH(similarity=Exponential())))
    difference = success(found) - other
    won, lost = int((difference > 0).sum()), int((difference < 0).sum())
    few = won + lost < 10  # nearly all are found by both
    assert wilson(won, won + lost).low > 0.5 or (few and won >= lost)


@pytest.mark.parametrize(
    ("publisher", "column"),
    [
        (Publisher(date_noise=90), "date_noise"),
        (Publisher(value_noise=1), "value_noise"),
    ],
    ids=str,
)
def test_it_is_never_weaker_than_one_who_ignores_the_noisy_column(
    releases: Releases, publisher: Publisher, column: str
) -> None:
    """Nor than one who takes the release as it is, who finds hardly anybody."""
    knowledge = Knowledge(3, 3, 0, 3)
    store, aux = releases.published(publisher), drawn(releases, publisher, knowledge)
    n = len(aux)
    best = success(run(store, aux, aware(releases, publisher, knowledge))).sum()
    less = dataclasses.replace(knowledge, **{column: None})
    blind = drawn(releases, publisher, less)
    ignoring = success(run(store, blind, aware(releases, publisher, less))).sum()
    assert best >= ignoring
    unaware = Bayes(knowledge=(knowledge,), publisher=AS_IS, count="independent")
    naive = success(run(store, aux, unaware)).sum()
    assert wilson(naive, n).high < wilson(best, n).low


def test_someone_who_is_not_there_is_never_named_rightly(releases: Releases) -> None:
    """Noise makes more records possible, so an absent person resembles somebody more often."""
    knowledge, publisher = Knowledge(4, 4, 1, 14), Publisher(value_noise=1, date_noise=30)
    resembled = []
    for how in (AS_IS, publisher):
        store = releases.truth if how == AS_IS else releases.published(how)
        aux = draw_aux(releases.truth, knowledge, 0, np.arange(300), 1)
        aux = on_release(aux, releases.truth, store)
        aux = changed(aux, absent=np.ones(len(aux), np.bool_))
        found = run(store, aux, aware(releases, how, knowledge))
        assert not found.correct.any()
        assert np.isnan(found.target_score).all()
        resembled.append(int((found.matching > 0).sum()))
    assert 0 < resembled[0] < resembled[1]
