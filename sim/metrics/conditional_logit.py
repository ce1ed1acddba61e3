"""Conditional logit: which of several candidates is a person's, learnt from other people.

The probability of a candidate is the softmax of a weighted sum of its features. Weights minimise
the mean of −ln of the right candidate's probability plus a ridge, by Newton's method.

Source: D. McFadden, "Conditional logit analysis of qualitative choice behavior" (1974).
"""

# mypy: disable-error-code="no-untyped-call,untyped-decorator"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.numeric import elementary
from sim.numeric.compiled import njit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RIDGE = 1e-3
STEPS = 25
_HALVINGS = 30
_NEGLIGIBLE = 1e-6  # probability of a candidate that the curvature leaves out


@dataclass(frozen=True, slots=True)
class Choices:
    """The candidates of G choices, and which of each is right.

    Parameters
    ----------
    features : float32 array, shape (R, F)
        Of the candidates, choice by choice.
    start : int64 array, shape (G + 1,)
        Candidates of choice g are [start[g], start[g + 1]).
    right : int64 array, shape (G,)
        Row of the right candidate; −1 if it is not among them.
    """

    features: NDArray[np.float32]
    start: Ints
    right: Ints


@dataclass(frozen=True, slots=True)
class Predicted:
    """What a fit says of choices, each array of shape (G,).

    Parameters
    ----------
    own : float64 array
        Probability of the right candidate; 0 if it is not among them.
    correct : float64 array
        1/t where the right candidate is one of the t most probable, 0 elsewhere.
    claim : float64 array
        Probability of the most probable candidate; 0 without any.
    """

    own: Floats
    correct: Floats
    claim: Floats


@njit
def _loss(features, start, right, groups, weight):  # type: ignore[no-untyped-def]
    """Mean of −ln of the right candidates' probabilities."""
    total = 0.0
    for g in groups:
        begin, end = start[g], start[g + 1]
        score = np.empty(end - begin)
        for r in range(begin, end):
            s = 0.0
            for i in range(weight.size):
                s += weight[i] * np.float64(features[r, i])
            score[r - begin] = s
        best, mass = score.max(), 0.0
        for k in range(score.size):
            mass += elementary.exp(score[k] - best)
        total += elementary.log(mass) + best - score[right[g] - begin]
    return total / groups.size


@njit
def _slopes(features, start, right, groups, weight):  # type: ignore[no-untyped-def]
    """Gradient and Hessian (its lower triangle) of `_loss`."""
    n = weight.size
    gradient, hessian = np.zeros(n), np.zeros((n, n))
    x, mean = np.empty(n), np.empty(n)
    for g in groups:
        begin, end = start[g], start[g + 1]
        share = np.empty(end - begin)
        for r in range(begin, end):
            s = 0.0
            for i in range(n):
                s += weight[i] * np.float64(features[r, i])
            share[r - begin] = s
        best, mass = share.max(), 0.0
        for k in range(share.size):
            share[k] = elementary.exp(share[k] - best)
            mass += share[k]
        mean[:] = 0.0
        for k in range(share.size):
            p = share[k] / mass
            for i in range(n):
                x[i] = features[begin + k, i]
                mean[i] += p * x[i]
            if p < _NEGLIGIBLE:
                continue
            for i in range(n):
                weighed = p * x[i]
                for j in range(i + 1):
                    hessian[i, j] += weighed * x[j]
        for i in range(n):
            gradient[i] += mean[i] - features[right[g], i]
            for j in range(i + 1):
                hessian[i, j] -= mean[i] * mean[j]
    return gradient / groups.size, hessian / groups.size


@njit
def _solved(matrix, vector):  # type: ignore[no-untyped-def]
    """Solution of a symmetric positive definite system by Cholesky, from the lower triangle."""
    n = vector.size
    lower, x = np.zeros((n, n)), vector.copy()
    for i in range(n):
        for j in range(i + 1):
            s = matrix[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(max(s, 1e-12)) if i == j else s / lower[j, j]
    for i in range(n):
        for k in range(i):
            x[i] -= lower[i, k] * x[k]
        x[i] /= lower[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= lower[k, i] * x[k]
        x[i] /= lower[i, i]
    return x


@njit
def _minimised(features, start, right, groups, n, ridge):  # type: ignore[no-untyped-def]
    """Newton's method with halved steps, `STEPS` at most: it ends where no step is lower."""
    weight = np.zeros(n)
    loss = _loss(features, start, right, groups, weight)
    for _ in range(STEPS):
        gradient, hessian = _slopes(features, start, right, groups, weight)
        for i in range(n):
            gradient[i] += ridge * weight[i]
            hessian[i, i] += ridge
        step = _solved(hessian, -gradient)
        slope = 0.0
        for i in range(n):
            slope += gradient[i] * step[i]
        size, lower = 1.0, False
        for _ in range(_HALVINGS):
            there, square = weight + size * step, 0.0
            for i in range(n):
                square += there[i] * there[i]
            found = _loss(features, start, right, groups, there) + 0.5 * ridge * square
            if found < loss:
                weight, loss, lower = there, found, True
                break
            size *= 0.5
        if not lower or -slope < 1e-13:
            break
    return weight


@njit
def _predict(features, start, right, groups, weight, own, correct, claim):  # type: ignore[no-untyped-def]
    for g in groups:
        begin, end = start[g], start[g + 1]
        if begin == end:
            continue
        score = np.empty(end - begin)
        for r in range(begin, end):
            s = 0.0
            for i in range(weight.size):
                s += weight[i] * np.float64(features[r, i])
            score[r - begin] = s
        best, mass, ties = score.max(), 0.0, 0
        for k in range(score.size):
            mass += elementary.exp(score[k] - best)
            ties += score[k] == best
        claim[g] = 1.0 / mass
        if right[g] >= 0:
            its = score[right[g] - begin]
            own[g] = elementary.exp(its - best) / mass
            if its == best:
                correct[g] = 1.0 / ties


def fitted_weights(choices: Choices, groups: Ints, n: int, ridge: float = RIDGE) -> Floats:
    """Fit the weights of the first features.

    Parameters
    ----------
    groups : int64 array, shape (T,)
        The choices to learn from, T ≥ 1; the right candidate of each is among its candidates.
    n : int
        Number of features.

    Returns
    -------
    float64 array, shape (n,)
    """
    return np.asarray(_minimised(choices.features, choices.start, choices.right, groups, n, ridge))


def cross_fitted(
    learnt: Choices, learnt_half: Ints, asked: Choices, asked_half: Ints, n: int
) -> Predicted:
    """Predict the choices of each half of the people by weights learnt from the other half.

    Parameters
    ----------
    learnt : Choices
        To learn from.
    learnt_half, asked_half : int64 array, shape (G,)
        Half of each choice, 0 or 1.
    asked : Choices
        To predict.
    n : int
        Number of features: the first ones.
    """
    found = Predicted(*(np.zeros(asked.right.size) for _ in range(3)))
    for half in (0, 1):
        weight = fitted_weights(learnt, np.flatnonzero(learnt_half != half), n)
        groups = np.flatnonzero(asked_half == half)
        _predict(
            asked.features, asked.start, asked.right, groups, weight,
            found.own, found.correct, found.claim,
        )  # fmt: skip
    return found
