"""The posterior on releases with repeats: by hand, and against the one without."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import reference as ref
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

pytestmark = pytest.mark.fast

NO_VALUES = np.empty(0)


def test_two_facts_about_one_place_by_hand() -> None:
    """Records: 0 was at the place on days 1, 2 and 9, record 1 on days 1 and 2, record 2 on day 1.

    Facts: the place on day 1 ± 1 and on day 2 ± 1. Each of days 1 and 2 explains both (1/3 each),
    so of the ordered pairs of cells 2 do: 2/9 over 3·2 pairs for record 0, over 2·1 for record 1.
    """
    cells = [(0, 0, None, 1), (0, 0, None, 2), (0, 0, None, 9),
             (1, 0, None, 1), (1, 0, None, 2), (2, 0, None, 1)]  # fmt: skip
    release = ref.PlainRelease.of(3, 1, cells)
    adversary = ref.Adversary(2, NO_VALUES, value_noise=None, date_noise=1)
    aux = ref.PlainAux.of([(0, None, 1), (0, None, 2)])
    for exact in (True, False):
        scores = ref.bayes_events(release, aux, adversary, exact=exact)
        assert scores[0] == pytest.approx(math.log(2 / 9 / 3))
        assert scores[1] == pytest.approx(math.log(2 / 9 / 1))
        assert scores[2] == -np.inf


@pytest.mark.parametrize("draw", ["cells", "items"])
def test_the_scores_are_a_probability_of_the_facts(draw: Any) -> None:
    """Over all facts there could be, drawn in order, the likelihoods of a record sum to 1."""
    cells = [(0, 0, 1, None), (0, 0, 2, None), (0, 1, 2, None), (1, 0, 1, None), (1, 1, 3, None)]
    release = ref.PlainRelease.of(2, 2, cells)
    adversary = ref.Adversary(2, np.arange(1.0, 4.0), value_noise=1, draw=draw)
    total = np.zeros(2)
    for one in [(i, v, None) for i in range(2) for v in (1.0, 2.0, 3.0)]:
        for two in [(i, v, None) for i in range(2) for v in (1.0, 2.0, 3.0)]:
            total += np.exp(ref.bayes_events(release, ref.PlainAux.of([one, two]), adversary))
    # −ln C(n, 2) leaves out the 2! orders of the two facts.
    assert (total / 2).tolist() == pytest.approx([1.0, 1.0])


def test_items_drawn_first_by_hand() -> None:
    """Record 0 was at place 0 on days 1, 2 and 9 and at place 1 on day 4; record 1 on 1 and 4.

    Facts: place 0 on day 1 ± 1 and place 1 on day 4 ± 1. Two of three visits of record 0 explain
    the first, so 2/3 · 1/3 and 1/3; for record 1 it is 1/3 and 1/3. There is one pair of places.
    """
    cells = [(0, 0, None, 1), (0, 0, None, 2), (0, 0, None, 9), (0, 1, None, 4),
             (1, 0, None, 1), (1, 1, None, 4)]  # fmt: skip
    release = ref.PlainRelease.of(2, 2, cells)
    adversary = ref.Adversary(2, NO_VALUES, value_noise=None, date_noise=1, draw="items")
    scores = ref.bayes_events(release, ref.PlainAux.of([(0, None, 1), (1, None, 4)]), adversary)
    assert np.exp(scores).tolist() == pytest.approx([2 / 27, 1 / 9])
    # Two facts about one place cannot be.
    twice = ref.bayes_events(release, ref.PlainAux.of([(0, None, 1), (0, None, 2)]), adversary)
    assert np.isinf(twice).all()


@settings(max_examples=examples(60))
@given(
    seed=st.integers(0, 10_000),
    correct=st.integers(0, 2),
    wrong=st.sampled_from(["value", "item"]),
    days=st.sampled_from([None, 0, 3]),
    exact=st.booleans(),
)
def test_without_repeats_it_is_the_posterior_of_the_papers(
    seed: int, correct: int, wrong: str, days: int | None, exact: bool
) -> None:
    rng = np.random.default_rng(seed)
    pairs = {(int(rng.integers(5)), int(rng.integers(4))) for _ in range(14)}
    cells = [(r, i, float(rng.integers(1, 4)), float(rng.integers(8))) for r, i in sorted(pairs)]
    release = ref.PlainRelease.of(5, 4, cells)
    facts = [
        (int(item), float(rng.integers(1, 4)), None if days is None else float(rng.integers(8)))
        for item in rng.permutation(4)[:2]
    ]
    adversary = ref.Adversary(correct, np.arange(1.0, 4.0), 1, days, wrong)  # type: ignore[arg-type]
    aux = ref.PlainAux.of(facts)
    known = ref.bayes_exact if exact else ref.bayes
    expected = known(release, aux, adversary)
    assert ref.bayes_events(release, aux, adversary, exact=exact) == pytest.approx(expected)
