"""The Bayes-optimal attacker against an enumeration of all ways of drawing aux."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import reference as ref
from enumerating import LEVELS, enumerated, settings_of_the_adversary
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import examples
from worked import RATED, dense

pytestmark = pytest.mark.fast


def films() -> ref.PlainRelease:
    return dense(RATED, 4)


def exactly(correct: int, **options) -> ref.Adversary:  # type: ignore[no-untyped-def]
    return ref.Adversary(correct, LEVELS, date_noise=None, **options)


def values(*pairs: tuple[int, float]) -> ref.PlainAux:
    return ref.PlainAux.of([(item, value, None) for item, value in pairs])


def test_exact_values_by_hand() -> None:
    """Items 0 and 1 known as 5 and 3: record 0 fits, with C(2, 2) = 1 choice; 1 and 2 do not."""
    scores = ref.bayes(films(), values((0, 5), (1, 3)), exactly(2))
    assert scores.tolist() == [0.0, -np.inf, -np.inf, -np.inf]


def test_a_longer_record_is_less_likely_by_hand() -> None:
    """Item 0 known as 5: records 0 (2 items) and 1 (3): 1/2 and 1/3, so 3/5 and 2/5."""
    logs = ref.log_distribution(ref.bayes(films(), values((0, 5)), exactly(1)))
    assert np.exp(logs) == pytest.approx([0.6, 0.4, 0, 0])


def test_value_noise_by_hand() -> None:
    """Item 0 known as 4 within ±1. From 5 the levels are 4, 5: p = 1/2; from 4 they are 3, 4, 5.

    Record 0: 1/2·1/2 = 1/4; 1: 1/3·1/2 = 1/6; 2: 1/3·1/3 = 1/9. Of 19/36: 9, 6 and 4 nineteenths.
    """
    logs = ref.log_distribution(ref.bayes(films(), values((0, 4)), exactly(1, value_noise=1)))
    assert np.exp(logs) == pytest.approx([9 / 19, 6 / 19, 4 / 19, 0])


def test_wrong_values_by_hand() -> None:
    """Items 0, 1 known as 5, 3, one of the two wrong: π = 1/2; q = 2/3 for each.

    Fits: 1/2·1 + 1/2·2/3 = 5/6; does not: 1/2·2/3 = 1/3. Record 0: (5/6)²; 1: 5/6·1/3 over 3
    choices; 2: 1/3·5/6 over 3.
    """
    scores = ref.bayes(films(), values((0, 5), (1, 3)), exactly(1))
    assert np.exp(scores) == pytest.approx([25 / 36, 5 / 54, 5 / 54, 0])


def test_wrong_items_by_hand() -> None:
    """Items 0, 3 known as 5, 1; π = 1/2; of 9 cells item 0 has 3 (q = 2/3), item 3 one (q = 1).

    Held and fitting: 1/2 + 1/2·q: 5/6 and 1. Held, not fitting: π·q. Lacking: π·share·q.
    Record 0: 5/6 · 1/2·1/9; 1: the same over C(3, 2) = 3; 2: 1/2·2/3 · 1 over 3; 3: too short.
    """
    scores = ref.bayes(films(), values((0, 5), (3, 1)), exactly(1, wrong="item"))
    assert np.exp(scores) == pytest.approx([5 / 108, 5 / 324, 1 / 9, 0])


def test_dates_by_hand() -> None:
    """Days 10 and 12, known as 12 within ±2: p = 1/5 for both; within ±1 the first is impossible.

    A cell without a day gives no fact with one, and the only facts without one.
    """
    release = ref.PlainRelease.of(3, 1, [(0, 0, None, 10), (1, 0, None, 12), (2, 0, None, None)])
    aux = ref.PlainAux.of([(0, None, 12)])
    for noise, expected in ((2, [0.2, 0.2, 0]), (1, [0, 1 / 3, 0]), (0, [0, 1, 0])):
        adversary = ref.Adversary(1, np.empty(0), date_noise=noise)
        assert np.exp(ref.bayes(release, aux, adversary)) == pytest.approx(expected)
        undated = ref.bayes(release, ref.PlainAux.of([(0, None, None)]), adversary)
        assert np.exp(undated).tolist() == [0, 0, 1]


def test_values_that_are_missing_by_hand() -> None:
    """Values 5, 4 and none; a quarter of the facts lack theirs, of the third cell all do."""
    release = ref.PlainRelease.of(3, 1, [(0, 0, 5, None), (1, 0, 4, None), (2, 0, None, None)])
    for missing, expected in ((0.25, [0.25, 0.25, 1]), (0.0, [0, 0, 1])):
        adversary = exactly(1, missing=missing)
        assert np.exp(ref.bayes(release, values((0, None)), adversary)).tolist() == expected
        known = ref.bayes(release, values((0, 5)), adversary)
        assert np.exp(known).tolist() == [1 - missing, 0, 0]


def test_the_popularity_filter_counts_only_what_it_leaves() -> None:
    """Outside the top 1 (item 0 of supports 3, 3, 2, 1): record 0 has 1 item left, 1 and 2 have 2.

    Item 1 known as 3: record 0 1/C(1, 1), record 2 1/C(2, 1). Asked for two, 0 is not eligible.
    """
    release = films()
    left = ref.rank_window(release, 1)
    assert left.tolist() == [False, True, True, True]
    scores = ref.bayes(release, values((1, 3)), exactly(1), left)
    assert np.exp(scores) == pytest.approx([1, 0, 0.5, 0])
    two = ref.bayes(release, values((1, 3), (3, 1)), exactly(2), left)
    assert np.exp(two) == pytest.approx([0, 0, 1, 0])


def test_ranks_break_ties_by_item() -> None:
    assert ref.ranks(films()).tolist() == [0, 1, 2, 3]
    assert ref.rank_window(films(), 1, 3).tolist() == [False, True, True, False]


@pytest.mark.parametrize("attack", [ref.bayes, ref.bayes_exact])
def test_an_item_that_the_release_lacks(attack) -> None:  # type: ignore[no-untyped-def]
    """With wrong values nobody can have been asked about it; with wrong items it is a wrong one."""
    aux = values((0, 5), (-1, 3))
    assert (attack(films(), aux, exactly(1)) == -np.inf).all()
    scores = attack(films(), aux, exactly(1, wrong="item"))
    assert np.isfinite(scores[[0, 1]]).all()
    assert scores[0] > scores[1]


@pytest.mark.parametrize("attack", [ref.bayes, ref.bayes_exact])
def test_what_the_adversary_cannot_know_is_refused(attack) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="knows no days"):
        attack(films(), ref.PlainAux.of([(0, 5, 3)]), exactly(1))
    with pytest.raises(ValueError, match="knows no values"):
        attack(films(), values((0, 5)), ref.Adversary(1, LEVELS, value_noise=None))
    with pytest.raises(ValueError, match="2 correct triples of 1"):
        attack(films(), values((0, 5)), exactly(2))


def test_wrong_values_counted_by_hand() -> None:
    """Items 0, 1 known as 5, 3, exactly one wrong: record 0, which fits both, is impossible.

    Record 1 (5, 4): 0 right, 1 wrong; its wrong cells of item 1 are those that are not 4: 3, 3, so
    w = 1; over C(3, 2) choices: 1/3. Record 2 (4, 3): 1 right, 0 wrong: not 4: 5, 5, w = 1; 1/3.
    """
    scores = ref.bayes_exact(films(), values((0, 5), (1, 3)), exactly(1))
    assert np.exp(scores) == pytest.approx([0, 1 / 3, 1 / 3, 0])


def test_wrong_items_counted_by_hand() -> None:
    """Records {0, 1}, {0, 4}, {1, 2, 3}, {2}: supports 2, 2, 2, 1, 1, 8 cells. Both 2 and 3 wrong.

    Record 0 leaves 8 − 4 cells to draw from: item 2 has 2 of 4, then item 3 one of 2; 1/4.
    Record 1 leaves 8 − 3: 2 of 5, then 1 of 3; 2/15. Record 2 holds both; record 3 is too short.
    """
    rows = [(0, 1), (0, 4), (1, 2, 3), (2,)]
    release = ref.PlainRelease.of(4, 5, [(r, i, 5, None) for r, c in enumerate(rows) for i in c])
    scores = ref.bayes_exact(release, values((2, 5), (3, 5)), exactly(0, wrong="item"))
    assert np.exp(scores) == pytest.approx([1 / 4, 2 / 15, 0, 0])


@given(settings_of_the_adversary(), st.integers(0, 1))
@settings(max_examples=examples(120))
def test_the_exact_form_is_the_posterior(
    setting: tuple[ref.PlainRelease, ref.Adversary, int], low: int
) -> None:
    release, adversary, size = setting
    eligible = ref.rank_window(release, low)
    auxes = enumerated(release, adversary, size, eligible)
    assume(auxes)
    for triples, likelihood in itertools.islice(auxes.items(), 0, None, max(len(auxes) // 20, 1)):
        aux = ref.PlainAux.of(list(triples))
        logs = ref.log_distribution(ref.bayes_exact(release, aux, adversary, eligible))
        assert np.exp(logs) == pytest.approx(likelihood / likelihood.sum(), abs=1e-12)


@given(settings_of_the_adversary(), st.integers(0, 1))
@settings(max_examples=examples(60))
def test_where_nothing_is_wrong_the_formula_is_the_posterior(
    setting: tuple[ref.PlainRelease, ref.Adversary, int], low: int
) -> None:
    release, other, size = setting
    adversary = ref.Adversary(size, LEVELS, other.value_noise, other.date_noise)
    eligible = ref.rank_window(release, low)
    for triples, likelihood in enumerated(release, adversary, size, eligible).items():
        aux = ref.PlainAux.of(list(triples))
        scores = ref.bayes(release, aux, adversary, eligible)
        assert np.exp(scores) == pytest.approx(likelihood * math.factorial(size), abs=1e-12)
        exact = ref.bayes_exact(release, aux, adversary, eligible)
        assert np.exp(exact) == pytest.approx(np.exp(scores), abs=1e-12)


def test_a_wrong_value_from_elsewhere_is_impossible_for_the_formula() -> None:
    """All cells of item 0 are 5, so a wrong value for it comes from the rest of the release.

    Item 0 known as 2: q_0 = 0, and the formula rules out every record, the true one included. The
    exact form gives record 0: w = 1/2 (of the cells that are not 5: 2, 3) over C(2, 2), record 1
    likewise.
    """
    cells = [(0, 0, 5, None), (0, 1, 2, None), (1, 0, 5, None), (1, 1, 3, None)]
    release = ref.PlainRelease.of(2, 2, cells)
    aux = values((0, 2), (1, 2))
    assert (ref.bayes(release, aux, exactly(1)) == -np.inf).all()
    assert np.exp(ref.bayes_exact(release, aux, exactly(1))) == pytest.approx([0.5, 0])
