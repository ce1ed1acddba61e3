"""The conditional logit: its minimum, its predictions, and that halves do not see each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from reference.guard import conditional_logit_loss
from scipy.optimize import minimize

from sim.metrics.conditional_logit import Choices, cross_fitted, fitted_weights

RIDGE = 1e-3


def choices_of(seed: int, groups: int = 120, columns: int = 4, weight: float = 1.5) -> Choices:
    """Choices that follow a conditional logit with weights that grow by column."""
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 12, groups)
    start = np.concatenate([[0], np.cumsum(size)])
    features = rng.normal(size=(start[-1], columns)).astype(np.float32)
    score = features @ (weight * np.arange(columns)) + rng.gumbel(size=start[-1])
    right = [begin + int(np.argmax(score[begin:end])) for begin, end in pairwise(start)]
    return Choices(features, start, np.array(right))


def plain(choices: Choices) -> list[tuple[list[list[float]], int]]:
    pairs = zip(pairwise(choices.start), choices.right, strict=True)
    return [(choices.features[a:b].tolist(), int(r - a)) for (a, b), r in pairs]


@pytest.mark.parametrize("weight", [0.0, 1.5, 20.0])
def test_newton_finds_the_minimum_of_the_reference(weight: float) -> None:
    choices = choices_of(3, weight=weight)
    found = fitted_weights(choices, np.arange(120), 4)
    least = minimize(
        lambda w: conditional_logit_loss(plain(choices), w, RIDGE),
        np.zeros(4), method="BFGS", options={"gtol": 1e-8},
    )  # fmt: skip
    np.testing.assert_allclose(found, least.x, atol=1e-4)
    assert conditional_logit_loss(plain(choices), found, RIDGE) <= least.fun + 1e-11


def test_only_the_choices_given_and_the_first_features_are_learnt_from() -> None:
    choices = choices_of(4)
    some = np.arange(0, 120, 3)
    found = fitted_weights(choices, some, 2)
    few = [plain(choices)[n] for n in some.tolist()]
    less = [([row[:2] for row in rows], right) for rows, right in few]
    least = minimize(lambda w: conditional_logit_loss(less, w, RIDGE), np.zeros(2), tol=1e-10)
    np.testing.assert_allclose(found, least.x, atol=1e-4)


def test_predictions_by_hand() -> None:
    """Two candidates tie at the top of one choice; another lacks its own; another has none."""
    features = np.array([[1.0], [1.0], [0.0], [2.0], [5.0]], np.float32)
    asked = Choices(features, np.array([0, 3, 5, 5]), np.array([0, -1, -1]))
    learnt = choices_of(5, columns=1)
    halves = np.arange(120) % 2
    found = cross_fitted(learnt, halves, asked, np.zeros(3, int), 1)
    weight = fitted_weights(learnt, np.flatnonzero(halves == 1), 1)[0]
    if weight < 0:
        features *= -1
    top = 1 / (2 + np.exp(-abs(weight)))
    assert found.correct.tolist() in ([0.5, 0, 0], [0, 0, 0])
    assert found.own[0] == pytest.approx(np.exp(weight) / (2 * np.exp(weight) + 1))
    assert found.own[1:].tolist() == [0, 0]
    assert found.claim[2] == 0
    if weight > 0:
        assert found.claim[0] == pytest.approx(top)


def test_those_asked_about_are_not_learnt_from() -> None:
    """Whoever is right in one half changes nothing that is said of it, but for being right."""
    choices = choices_of(6)
    half = np.arange(120) % 2
    shuffled = choices.right.copy()
    here = np.flatnonzero(half == 1)
    shuffled[here] = choices.start[here]
    before = cross_fitted(choices, half, choices, half, 4)
    after = cross_fitted(replace(choices, right=shuffled), half, choices, half, 4)
    assert before.own[here].tobytes() == after.own[here].tobytes()
    assert before.claim[here].tobytes() == after.claim[here].tobytes()
    assert before.own[half == 0].tobytes() != after.own[half == 0].tobytes()
