"""The Bayes-optimal attacker on a release that its publisher changed (NS08 §3; spec §4.1)."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from attacking import decide, random_aux
from defending import all_three
from defending import publish as published_by
from drawing import changed, columns
from hypothesis import given, settings
from hypothesis import strategies as st
from knowing import ADVERSARIES, drawn_from, in_cells_of_their_size, of_every_size, told
from making import MakeStore, Row, examples, plain, random_rows
from references import Oracle, check

from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.on_release import on_release
from sim.adversary.publisher import Publisher
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.likelihood import Noise, day_classes, right_facts
from sim.attack.engine.view import ReleaseView
from sim.defence.drop_items import DropItems
from sim.errors import GridError
from sim.release.store.store import Store

TRUTHS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "records": st.sampled_from([2, 8, 20]),
        "items": st.sampled_from([3, 8]),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
        "scale": st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (4.1, 4.2, 4.3), (0.0, 1.0, 8.0)]),
    }
)


def publish(truth: Store, folder: Path, k: float, days: int, least: int) -> Store | None:
    """The release, in a folder of its own; None where nothing would be left of it."""
    if least > truth.support.max():
        return None
    place = folder / str(len(list(folder.iterdir())))
    return published_by(truth, place, *all_three(truth, k, days, 7, least))


def publisher_of(truth: Store, k: float, days: int, least: int) -> Publisher:
    return Publisher(k, days, least, tuple(truth.scale.tolist()))


def oracle(
    store: Store,
    knowledge: Knowledge,
    publisher: Publisher,
    count: str,
) -> Oracle:
    """The reference implementation for aux of any size."""
    window = knowledge.popularity
    eligible = reference.rank_window(plain(store), window.low, window.high)
    published = reference.Published(
        publisher.value_reach,
        publisher.date_noise,
        publisher.drops_from(window, store.manifest.n_items),
    )

    def scores(release: reference.PlainRelease, aux: reference.PlainAux) -> Any:
        correct = min(knowledge.correct, len(aux))
        adversary = told(store, knowledge, correct, publisher.levels(store.scale))
        return reference.bayes_published(
            release, aux, adversary, published, eligible, exact=count == "exact"
        )

    return scores


@settings(max_examples=examples(150))
@given(
    rows=TRUTHS,
    knowledge=ADVERSARIES,
    value_noise=st.sampled_from([0, 0.1, 1, 3]),
    date_noise=st.sampled_from([0, 2, 20]),
    least=st.sampled_from([1, 1, 2, 3]),
    block=st.sampled_from([3, 100]),
    drawn=st.booleans(),
    count=st.sampled_from(["independent", "exact"]),
)
def test_is_the_reference(
    make_store: MakeStore, tmp_path_factory: pytest.TempPathFactory, rows: dict[str, Any],
    knowledge: Knowledge, value_noise: float, date_noise: int, least: int, block: int,
    drawn: bool, count: Any,
) -> None:  # fmt: skip
    truth = make_store(random_rows(cells=rows["records"] * 4, **rows), block_records=block)
    folder = tmp_path_factory.mktemp("published")
    store = publish(truth, folder, value_noise, date_noise, least)
    if store is None:
        return
    if drawn:
        try:
            aux = drawn_from(truth, knowledge, rows["seed"], store)
        except GridError:  # nothing can be wrong in this release
            return
    else:
        aux = random_aux(store, rows["seed"], 4, absent=0.3)
    if count == "exact" and knowledge.wrong == "value" and knowledge.date_noise is not None:
        # Which of the item's dates lie within the noise is only known on average.
        knowledge = dataclasses.replace(knowledge, correct=knowledge.size)
    publisher = publisher_of(truth, value_noise, date_noise, least)
    attack = Bayes(knowledge=of_every_size(knowledge), publisher=publisher, count=count)
    reference_scores = oracle(store, knowledge, publisher, count)
    check(store, in_cells_of_their_size(aux, knowledge), attack, reference_scores, exact=False)


def test_days_that_two_noises_explain_by_hand(make_store: MakeStore) -> None:
    """The publisher's ±2, the adversary's ±1: 5 × 3 pairs of shifts.

    A gap of 0 or 1 is 3 of them, 2 is 2, 3 is 1, more is none; and a cell without a day gives no
    fact with one. Days 10, 11, 12, 13, 14, none: the fact is day 10.
    """
    rows: list[Row] = [
        (r, 0, None, None if d < 0 else d) for r, d in enumerate([*range(10, 15), -1])
    ]
    store = make_store(rows)
    aux = random_aux(store, 1, 1)
    one = changed(
        aux.part(0, 1),
        start=np.array([0, 1]),
        **{n: columns(aux)[n][:1] for n in ("own_held", "own_level", "own_day", "kind")},
        item=np.zeros(1, np.int32),
        value=np.full(1, np.nan),
        day=np.zeros(1, np.int32),
    )
    publisher = Publisher(date_noise=2)
    noise = Noise.of((Knowledge(1, 1, None, 1),), one.aux, publisher)
    view = ReleaseView(store, one)
    classes, offset = day_classes(view, one.aux, noise.days, 2)
    assert noise.n_classes == 5
    assert classes[offset[0] : offset[0] + 6].tolist() == [3, 3, 2, 1, 0, 4]
    right = right_facts(view, one.aux, noise)[0, :, -1]
    np.testing.assert_allclose(right, [0, 1 / 15, 2 / 15, 3 / 15, 0])


def test_values_that_the_publisher_moved_by_hand(make_store: MakeStore) -> None:
    """Known exactly as 1, moved within ±1 on three stars: 1 and 2 may lie behind 1, all behind 2.

    All three released levels are as common as a uniform truth makes them: 2 to 3 to 2. So 1 lies
    behind 1 with 1/2 : 1/3 = 3/5, behind 2 with 1/2 : (1/2 + 1/3 + 1/2) = 3/8, and not behind 3.
    """
    values = [1.0] * 50 + [2.0] * 80 + [3.0] * 50
    store = make_store([(r, 0, value, None) for r, value in enumerate(values)])
    knowledge, publisher = Knowledge(1, 1, 0, None), Publisher(value_noise=1)
    aux = draw_aux(store, knowledge, 0, np.array([0]), 1)
    noise = Noise.of((knowledge,), aux.aux, publisher)
    right = right_facts(ReleaseView(store, aux), aux.aux, noise)[0, 0]
    np.testing.assert_allclose(right, [3 / 5, 3 / 8, 0, 0])


def test_a_level_that_the_noise_took_away_is_still_possible(make_store: MakeStore) -> None:
    """Nobody's released value is 1 any more; a fact that says 1 must not rule out everybody."""
    store = make_store([(0, 0, 2.0, None), (1, 0, 3.0, None)])
    knowledge = Knowledge(1, 1, 0, None)
    aux = changed(draw_aux(store, knowledge, 0, np.array([0]), 1), value=np.array([1.0]))
    publisher = Publisher(value_noise=1, scale=(1.0, 2.0, 3.0))
    aware = Bayes(knowledge=(knowledge,), publisher=publisher, count="independent")
    found = decide(store, aux, aware)
    assert (found.best[0], found.posterior[0]) == (0, 1)
    unaware = decide(store, aux, Bayes(knowledge=(knowledge,), count="independent"))
    assert unaware.target_score[0] == -np.inf


@pytest.mark.parametrize("count", ["independent", "exact"])
@pytest.mark.parametrize("wrong", ["value", "item"])
def test_a_dropped_item_rules_no_record_out(
    make_store: MakeStore, tmp_path: Path, wrong: Any, count: Any
) -> None:
    """Items of one holder are dropped: whoever is known by one is still found by the others."""
    rows: list[Row] = [(r, i, float(1 + (r * i) % 5), None) for r in range(6) for i in range(1, 5)]
    rows += [(r, 100 + r, 3.0, None) for r in range(6)]
    truth = make_store(rows)
    store = published_by(truth, tmp_path / "release", DropItems(min_support=2))
    knowledge = Knowledge(4, 4, 0, None, wrong=wrong)
    aux = on_release(draw_aux(truth, knowledge, 0, np.arange(6), 3), truth, store)
    assert (aux.aux.item < 0).any()
    publisher = publisher_of(truth, 0, 0, 2)
    found = decide(store, aux, Bayes(knowledge=(knowledge,), publisher=publisher, count=count))
    assert np.isfinite(found.target_score).all()
    assert found.correct.tolist() == [False, True, True, True, True, False]
    np.testing.assert_allclose(found.posterior, [0.5, 1, 1, 1, 1, 0.5])  # 0 and 5 hold the same
