"""The Bayes-optimal attacker, block by block, against its reference implementation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import reference
from attacking import Fact, decide, random_aux
from drawing import changed
from hypothesis import given, settings
from hypothesis import strategies as st
from knowing import ADVERSARIES, in_cells_of_their_size, of_every_size, told
from making import MakeStore, Row, examples, plain, random_rows
from references import Oracle, check
from worked import RATED, stored

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.engine.decisions import Decisions
from sim.errors import GridError
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

RELEASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "records": st.sampled_from([1, 2, 8, 25]),
        "items": st.sampled_from([1, 3, 8]),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
        "scale": st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (4.1, 4.2, 4.3)]),
        "repeats": st.booleans(),
    }
)


def oracle(store: Store, knowledge: Knowledge, count: str) -> Oracle:
    """The reference implementation for aux of any size."""
    plain_bayes = reference.bayes_exact if count == "exact" else reference.bayes
    window = knowledge.popularity
    eligible = reference.rank_window(plain(store), window.low, window.high)

    def scores(release: reference.PlainRelease, aux: reference.PlainAux) -> Any:
        adversary = told(store, knowledge, min(knowledge.correct, len(aux)))
        if release.more is not None:
            return reference.bayes_events(release, aux, adversary, eligible, exact=count == "exact")
        return plain_bayes(release, aux, adversary, eligible)

    return scores


@pytest.mark.parametrize("wrong", ["value", "item"])
@pytest.mark.parametrize("count", ["independent", "exact"])
def test_a_known_length_is_likelier_of_shorter_records(
    make_store: MakeStore, count: Any, wrong: Any
) -> None:
    """As 1/length, among those that may have it."""
    store = make_store(random_rows(3, 25, 8, 100), block_records=7)
    known = Knowledge(2, 3, 1, 14, wrong=wrong, record_length=0.5)
    aux = in_cells_of_their_size(random_aux(store, 3, 20, absent=0.3, bounded=0.3), known)
    attack = Bayes(knowledge=of_every_size(known), count=count)
    check(store, aux, attack, oracle(store, known, count), exact=False)


def drawn_aux(store: Store, knowledge: Knowledge, seed: int) -> Drawn:
    """What the adversary itself draws, of some targets that are removed and some that are not."""
    held = items_in_window(store, knowledge.popularity, draw=knowledge.draw)
    able = np.flatnonzero(held >= knowledge.size)
    aux = draw_aux(store, knowledge, 0, able[:5], seed)
    return changed(aux, absent=np.arange(len(aux)) % 3 == 1)


@settings(max_examples=examples(150))
@given(
    release=RELEASES,
    knowledge=ADVERSARIES,
    block=st.sampled_from([1, 3, 7, 100]),
    drawn=st.booleans(),
    confidence=st.sampled_from([0.0, 0.5, 0.9]),
    sigma=st.sampled_from(["all", "nonzero"]),
    count=st.sampled_from(["independent", "exact"]),
)
def test_matches_the_reference(
    make_store: MakeStore, release: dict[str, Any], knowledge: Knowledge, block: int, drawn: bool,
    confidence: float, sigma: Any, count: Any,
) -> None:  # fmt: skip
    rows = random_rows(cells=release["records"] * 4, **release)
    rule = Repeats.ALL if release["repeats"] else Repeats.LATEST
    store = make_store(rows, block_records=block, repeats=rule)
    aux = random_aux(store, release["seed"], 5, absent=0.3, bounded=0.3)
    if drawn:
        try:
            aux = drawn_aux(store, knowledge, release["seed"])
        except GridError:  # nothing can be wrong in this release
            return
    attack = Bayes(
        knowledge=of_every_size(knowledge), confidence=confidence, sigma=sigma, count=count
    )
    check(
        store,
        in_cells_of_their_size(aux, knowledge),
        attack,
        oracle(store, knowledge, count),
        exact=False,
    )


NARROW = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.integers(0, 3),
        st.sampled_from([1.0, 2.0, 3.0, 5.0, None]),
        st.sampled_from([0, 1, 2, 3, None]),
    ),
    min_size=4,
    max_size=40,
)


@settings(max_examples=examples(100))
@given(
    rows=NARROW,
    value_noise=st.sampled_from([0, 1]),
    date_noise=st.sampled_from([3, 14]),
    correct=st.integers(0, 2),
    seed=st.integers(0, 99),
)
def test_wrong_facts_of_items_whose_dates_are_all_close(
    make_store: MakeStore, rows: list[Row], value_noise: float, date_noise: int,
    correct: int, seed: int,
) -> None:  # fmt: skip
    """No date lies outside another's noise, so that only values tell wrong facts: exactly.

    Of an item whose values are all close as well, they are cells of the whole release.
    """
    store = make_store([*rows, (10, 4, 8.0, 0), (11, 4, 8.0, 3)])
    knowledge = Knowledge(correct, 2, value_noise, date_noise)
    able = np.flatnonzero((store.length >= 2) & (np.arange(store.length.size) < 10))
    if not able.size:
        return
    try:
        aux = draw_aux(store, knowledge, 0, able[:5], seed)
    except GridError:  # nothing can be wrong in this release
        return
    attack = Bayes(knowledge=of_every_size(knowledge), count="exact")
    check(
        store,
        in_cells_of_their_size(aux, knowledge),
        attack,
        oracle(store, knowledge, "exact"),
        exact=False,
    )


@pytest.mark.parametrize("date_noise", [1, 4, 9])
def test_nobody_is_ruled_out_whose_wrong_facts_may_be_of_another_item(
    make_store: MakeStore, date_noise: int
) -> None:
    """Dates of an item span up to ten days, and those of the last a year."""
    rows: list[Row] = [(r, i, None, 30 * i + (7 * r + i) % 11) for r in range(30) for i in range(4)]
    store = make_store([*rows, *((r, 4, None, 12 * r) for r in range(30))])
    knowledge = Knowledge(1, 2, None, date_noise)
    aux = Drawn.concatenate([draw_aux(store, knowledge, 0, np.arange(30), s) for s in range(10)])
    assert not np.isinf(decide(store, aux, Bayes(knowledge=(knowledge,))).target_score).any()


def by_hand(
    make_store: MakeStore, knowledge: Knowledge, target: int, *facts: Fact, absent: bool = False,
    rows: list[Row] = RATED, count: Any = "independent",
) -> Decisions:  # fmt: skip
    """What Bayes decides on a table."""
    store, aux = stored(make_store, rows, target, *facts, absent=absent)
    attack = Bayes(knowledge=(knowledge,), count=count)
    return decide(store, aux, attack)


def test_exact_values_by_hand(make_store: MakeStore) -> None:
    """Items 0 and 1 known as 5 and 3: record 0 fits, with C(2, 2) = 1 choice; nobody else does.

    One possible record: no bits, posterior 1. Probabilities 1, 0, 0, 0: σ² = 1/4 − 1/16.
    """
    found = by_hand(make_store, Knowledge(2, 2, 0, None), 0, (0, 5, None), (1, 3, None))
    assert (found.best[0], found.posterior[0], found.matching[0], found.best_score[0]) == (
        0,
        1,
        1,
        0,
    )
    assert found.second_score[0] == -np.inf
    assert found.matched[0]
    assert (found.entropy_bits[0], found.entropy_all_bits[0]) == (0, 0)
    assert found.eccentricity[0] == pytest.approx(1 / math.sqrt(3 / 16))


def test_a_longer_record_is_less_likely_by_hand(make_store: MakeStore) -> None:
    """Item 0 known as 5: records 0 (2 items) and 1 (3): 1/2 and 1/3, so 3/5 and 2/5.

    H(0) = −log2 0.6 = 0.73697; of Π 0.6·0.73697 + 0.4·1.32193 = 0.97095.
    """
    found = by_hand(make_store, Knowledge(1, 1, 0, None), 0, (0, 5, None))
    assert found.posterior[0] == pytest.approx(0.6)
    assert (found.best[0], found.rank[0], found.matching[0], found.candidates[0]) == (0, 1, 2, 4)
    assert found.matched[0]
    assert found.entropy_bits[0] == pytest.approx(0.73697, abs=1e-5)
    assert found.entropy_all_bits[0] == pytest.approx(0.97095, abs=1e-5)
    other = by_hand(make_store, Knowledge(1, 1, 0, None), 1, (0, 5, None))
    assert other.entropy_bits[0] == pytest.approx(1.32193, abs=1e-5)
    assert other.rank[0] == 2


def test_value_noise_by_hand(make_store: MakeStore) -> None:
    """Item 0 known as 4 within ±1. From 5 the levels are 4, 5: p = 1/2; from 4 they are 3, 4, 5.

    Record 0: 1/2·1/2 = 1/4; 1: 1/3·1/2 = 1/6; 2: 1/3·1/3 = 1/9. Of 19/36: 9, 6 and 4 nineteenths.
    """
    found = by_hand(make_store, Knowledge(1, 1, 1, None), 0, (0, 4, None))
    assert found.posterior[0] == pytest.approx(9 / 19)
    assert np.exp(found.second_score[0]) == pytest.approx(1 / 6)
    assert not found.matched[0]  # below the confidence of 0.5
    assert found.entropy_bits[0] == pytest.approx(-math.log2(9 / 19))


def test_wrong_values_by_hand(make_store: MakeStore) -> None:
    """Items 0, 1 known as 5, 3, one of the two wrong: π = 1/2; q = 2/3 for each.

    Fits: 1/2·1 + 1/2·2/3 = 5/6; does not: 1/2·2/3 = 1/3. Record 0: (5/6)²; 1: 5/6·1/3 over 3
    choices; 2: 1/3·5/6 over 3. Of 95/108: 75, 10, 10.
    """
    found = by_hand(make_store, Knowledge(1, 2, 0, None), 0, (0, 5, None), (1, 3, None))
    assert np.exp(found.best_score[0]) == pytest.approx(25 / 36)
    assert np.exp(found.second_score[0]) == pytest.approx(5 / 54)
    assert found.posterior[0] == pytest.approx(15 / 19)


def test_wrong_values_without_the_target_by_hand(make_store: MakeStore) -> None:
    """The same once record 0 is gone: q = 1/2 for each (5, 4 and 4, 3).

    Fits 1/2 + 1/4, does not 1/4. Records 1 and 2: 3/4·1/4 over 3 choices each: a tie.
    """
    facts = ((0, 5, None), (1, 3, None))
    found = by_hand(make_store, Knowledge(1, 2, 0, None), 0, *facts, absent=True)
    assert np.exp(found.best_score[0]) == pytest.approx(1 / 16)
    assert (found.ties[0], found.best[0], found.eccentricity[0]) == (2, -1, 0)
    assert found.posterior[0] == pytest.approx(0.5)
    assert not found.matched[0]


def test_wrong_items_by_hand(make_store: MakeStore) -> None:
    """Items 0, 3 known as 5, 1; π = 1/2; of 9 cells item 0 has 3 (q = 2/3), item 3 one (q = 1).

    Held and fitting: 1/2 + 1/2·q: 5/6 and 1. Held, not fitting: π·q. Lacking: π·share·q.
    Record 0: 5/6 · 1/2·1/9; 1: the same over C(3, 2) = 3; 2: 1/2·2/3 · 1 over 3; 3: too short.
    Of 56/324: 15, 5 and 36.
    """
    knowledge = Knowledge(1, 2, 0, None, wrong="item")
    found = by_hand(make_store, knowledge, 0, (0, 5, None), (3, 1, None))
    assert np.exp(found.target_score[0]) == pytest.approx(5 / 108)
    assert np.exp(found.best_score[0]) == pytest.approx(1 / 9)
    assert found.posterior[0] == pytest.approx(36 / 56)
    assert (found.best[0], found.rank[0], found.matching[0]) == (2, 2, 3)


def test_wrong_items_without_the_target_by_hand(make_store: MakeStore) -> None:
    """Record 2 gone: item 3 with it, which then tells nothing; 6 cells, item 0 has 2 (q = 1).

    0: 1/2 + 1/2 = 1 over C(2, 2); 1: the same over 3. 3/4 and 1/4.
    """
    knowledge = Knowledge(1, 2, 0, None, wrong="item")
    found = by_hand(make_store, knowledge, 2, (0, 5, None), (3, 1, None), absent=True)
    assert np.exp(found.best_score[0]) == pytest.approx(1)
    assert found.posterior[0] == pytest.approx(0.75)


def test_wrong_values_counted_by_hand(make_store: MakeStore) -> None:
    """Items 0, 1 known as 5, 3, exactly one wrong: record 0, which fits both, is impossible.

    Record 1 (5, 4): 0 right, 1 wrong; its wrong cells of item 1 are those that are not 4: 3, 3, so
    w = 1; over C(3, 2) choices: 1/3. Record 2 (4, 3): 1 right, 0 wrong: not 4: 5, 5, w = 1; 1/3.
    """
    facts = ((0, 5, None), (1, 3, None))
    found = by_hand(make_store, Knowledge(1, 2, 0, None), 1, *facts, count="exact")
    assert np.exp(found.best_score[0]) == pytest.approx(1 / 3)
    assert (found.ties[0], found.matching[0], found.rank[0]) == (2, 2, 2)
    of_0 = by_hand(make_store, Knowledge(1, 2, 0, None), 0, *facts, count="exact")
    assert of_0.target_score[0] == -np.inf


def test_wrong_values_from_elsewhere_by_hand(make_store: MakeStore) -> None:
    """All cells of item 0 are 5, so a wrong value for it comes from the rest of the release.

    Items 0, 1 known as 2, 2, one wrong. Record 0 (5, 2): of the cells that are not 5, 2 and 3,
    half are 2: w = 1/2 over C(2, 2). Record 1 (5, 3) would have both wrong. The formula, for which
    q_0 = 0, rules out both.
    """
    rows: list[Row] = [(0, 0, 5.0, None), (0, 1, 2.0, None), (1, 0, 5.0, None), (1, 1, 3.0, None)]
    facts = ((0, 2, None), (1, 2, None))
    knowledge = Knowledge(1, 2, 0, None)
    found = by_hand(make_store, knowledge, 0, *facts, rows=rows, count="exact")
    assert np.exp([found.best_score[0], found.second_score[0]]) == pytest.approx([0.5, 0])
    assert found.posterior[0] == 1
    assert by_hand(make_store, knowledge, 0, *facts, rows=rows).matching[0] == 0


def test_wrong_items_counted_by_hand(make_store: MakeStore) -> None:
    """Records {0, 1}, {0, 4}, {1, 2, 3}, {2}: supports 2, 2, 2, 1, 1, 8 cells. Both 2 and 3 wrong.

    Record 0 leaves 8 − 4 cells to draw from: item 2 has 2 of 4, then item 3 one of 2; 1/4.
    Record 1 leaves 8 − 3: 2 of 5, then 1 of 3; 2/15. Record 2 holds both; record 3 is too short.
    """
    held = [(0, 1), (0, 4), (1, 2, 3), (2,)]
    rows: list[Row] = [(r, i, 5.0, None) for r, items in enumerate(held) for i in items]
    facts = ((2, 5, None), (3, 5, None))
    knowledge = Knowledge(0, 2, 0, None, wrong="item")
    found = by_hand(make_store, knowledge, 1, *facts, rows=rows, count="exact")
    assert np.exp([found.best_score[0], found.target_score[0]]) == pytest.approx([1 / 4, 2 / 15])
    assert (found.best[0], found.rank[0], found.matching[0]) == (0, 2, 2)


def test_wrong_items_counted_without_the_target_by_hand(make_store: MakeStore) -> None:
    """The same once record 1 is gone: supports 1, 2, 2, 1; 6 cells, of which record 0 leaves 3.

    Item 2 has 2 of 3, then item 3 one of 1: 2/3.
    """
    held = [(0, 1), (0, 4), (1, 2, 3), (2,)]
    rows: list[Row] = [(r, i, 5.0, None) for r, items in enumerate(held) for i in items]
    facts = ((2, 5, None), (3, 5, None))
    knowledge = Knowledge(0, 2, 0, None, wrong="item")
    found = by_hand(make_store, knowledge, 1, *facts, rows=rows, count="exact", absent=True)
    assert np.exp(found.best_score[0]) == pytest.approx(2 / 3)
    assert (found.matching[0], found.candidates[0]) == (1, 3)


def test_a_guess_where_no_record_shares_an_item(make_store: MakeStore) -> None:
    """Both facts wrong, of items that nobody holds: they tell nothing but that two were drawn.

    Of RATED, 3 is too short; the others are all as likely (C(n, 0) = 1). Of a table with one long
    record that record is named, though it shares nothing.
    """
    facts = ((-1, 5, None), (-1, 3, None))
    knowledge = Knowledge(0, 2, 0, None, wrong="item")
    found = by_hand(make_store, knowledge, 0, *facts, count="exact")
    assert (found.ties[0], found.matching[0], found.best[0]) == (3, 3, -1)
    rows: list[Row] = [(0, 0, 5.0, None), (1, 0, 5.0, None), (1, 1, 5.0, None)]
    found = by_hand(make_store, knowledge, 1, *facts, rows=rows, count="exact")
    assert (found.best[0], found.posterior[0]) == (1, 1)
    assert found.matched[0]
    assert found.correct[0]


def test_the_popularity_filter_counts_only_what_it_leaves(make_store: MakeStore) -> None:
    """Outside the top 1 (item 0 of supports 3, 3, 2, 1): record 0 has 1 item left, 1 and 2 have 2.

    Item 1 known as 3: record 0 1/C(1, 1), record 2 1/C(2, 1).
    """
    knowledge = Knowledge(1, 1, 0, None, Window(1))
    found = by_hand(make_store, knowledge, 0, (1, 3, None))
    assert np.exp([found.best_score[0], found.second_score[0]]) == pytest.approx([1, 0.5])


def test_dates_by_hand(make_store: MakeStore) -> None:
    """Days 10 and 12, known as 12 within ±2: p = 1/5 for both; within ±1 the first is impossible.

    A cell without a day gives no fact with one.
    """
    rows: list[Row] = [(0, 0, None, 10), (1, 0, None, 12), (2, 0, None, None)]
    store, aux = stored(make_store, rows, 1, (0, None, 12))
    for noise, own, second, matching in ((2, 0.2, 0.2, 2), (1, 1 / 3, 0, 1), (0, 1, 0, 1)):
        known = (Knowledge(1, 1, None, noise),)
        found = decide(store, aux, Bayes(knowledge=known, count="independent"))
        assert np.exp(found.target_score[0]) == pytest.approx(own)
        assert np.exp([found.best_score[0], found.second_score[0]]) == pytest.approx([own, second])
        assert found.matching[0] == matching


def test_no_record_is_possible(make_store: MakeStore) -> None:
    """An item that nobody holds, none wrong: every record is ruled out; log2 4 bits, no match."""
    found = by_hand(make_store, Knowledge(2, 2, 0, None), 0, (0, 5, None), (-1, 3, None))
    assert (found.posterior[0], found.matching[0], found.best[0], found.ties[0]) == (0, 0, -1, 4)
    assert (found.entropy_bits[0], found.entropy_all_bits[0]) == (2, 2)
    assert not found.matched[0]
    assert found.target_score[0] == -np.inf


def test_the_truth_is_possible_whatever_rounding_does_to_the_scale(make_store: MakeStore) -> None:
    """4.2 − 4.1 > 0.1 in binary, yet a noise of 0.1 moves 4.1 to 4.2: the drawing allows it."""
    store = make_store(random_rows(1, 40, 12, 300, days=False, scale=(4.1, 4.2, 4.3, 4.4)))
    knowledge = Knowledge(3, 3, 0.1, None)
    aux = draw_aux(store, knowledge, 0, np.flatnonzero(store.length >= 3), 5)
    assert (aux.aux.value != store.scale[aux.truth.own_level]).any()
    found = decide(store, aux, Bayes(knowledge=(knowledge,), count="independent"))
    assert np.isfinite(found.target_score).all()
