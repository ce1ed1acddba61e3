"""The uncertainty that an attack leaves, in bits (NS08, definition 4; spec, sections 4 and 5).

Invariant: a distribution over the N records is kept as natural logarithms, −∞ for no probability;
a list that is −∞ throughout is the empty matching set, and stands for log2 N bits.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import logsumexp

from reference.tables import Floats, Mask


def log_distribution(scores: Floats, candidates: Mask | None = None) -> Floats:
    """Normalise: ln of the distribution ∝ exp(score) over the candidates: `bayes` made a posterior.

    Parameters
    ----------
    scores : float64 array, shape (N,)
        Log weights; −∞ where impossible.
    candidates : bool array, shape (N,), or None
        None for all records.

    Returns
    -------
    float64 array, shape (N,)
        −∞ throughout where no candidate is possible.

    Examples
    --------
    >>> logs = log_distribution(np.log([1.0, 3.0, 4.0]), np.array([True, True, False]))
    >>> np.exp(logs).round(4).tolist()
    [0.25, 0.75, 0.0]
    """
    weights = scores if candidates is None else np.where(candidates, scores, -np.inf)
    if not (weights > -np.inf).any():
        return np.full(scores.size, -np.inf)
    logs: Floats = weights - logsumexp(weights)
    return logs


def entropic(scores: Floats, sigma: float, candidates: Mask | None = None) -> Floats:
    """Return ln Π, Π(r′) ∝ exp(Score/σ) over all candidates (NS08, section 4).

    Parameters
    ----------
    scores : float64 array, shape (N,)
    sigma : float
        σ, by either convention (`sigma_of`). 0 is its limit: uniform over the highest scores.
    candidates : bool array, shape (N,), or None

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    >>> scores = np.array([math.log(2.0), 0.0, 0.0])
    >>> np.exp(entropic(scores, 1.0)).round(4).tolist()
    [0.5, 0.25, 0.25]
    >>> np.exp(entropic(scores, 0.0)).tolist()
    [1.0, 0.0, 0.0]
    """
    if sigma > 0:
        return log_distribution(scores / sigma, candidates)
    mask = np.ones(scores.size, dtype=np.bool_) if candidates is None else candidates
    return uniform_over(mask & (scores == scores[mask].max()))


def uniform_over(members: Mask, candidates: Mask | None = None) -> Floats:
    """Return ln of the uniform distribution over a matching set (Scoreboard, N(aux), …).

    Parameters
    ----------
    members : bool array, shape (N,)
    candidates : bool array, shape (N,), or None

    Returns
    -------
    float64 array, shape (N,)
        −∞ throughout for the empty set.

    Examples
    --------
    >>> np.exp(uniform_over(np.array([True, False, True]))).tolist()
    [0.5, 0.0, 0.5]
    """
    return log_distribution(np.where(members, 0.0, -np.inf), candidates)


def target_bits(logs: Floats, similar: Mask) -> float:
    """H = min over r′ with Sim(r, r′) ≥ θ of −log2 Π(r′): the oracle form (NS08, definition 4).

    Parameters
    ----------
    logs : float64 array, shape (N,)
        ln Π.
    similar : bool array, shape (N,)
        The records with Sim(r, r′) ≥ θ; the target alone for θ = 1.

    Returns
    -------
    float
        Bits; log2 N where Π gives none of them any probability.

    Examples
    --------
    >>> target_bits(np.log([0.5, 0.25, 0.125, 0.125]), np.array([False, True, True, False]))
    2.0
    """
    best = float(logs[similar].max(initial=-np.inf))
    return math.log2(logs.size) if best == -math.inf else max(-best / math.log(2.0), 0.0)


def distribution_bits(logs: Floats) -> float:
    """Entropy of Π itself, which needs no oracle (NS08, section 3).

    Parameters
    ----------
    logs : float64 array, shape (N,)
        ln Π.

    Returns
    -------
    float
        Bits; log2 N for the empty matching set.

    Examples
    --------
    >>> distribution_bits(np.log([0.5, 0.25, 0.25]))
    1.5
    """
    possible = logs[logs > -np.inf]
    if possible.size == 0:
        return math.log2(logs.size)
    return max(float(-(np.exp(possible) * possible).sum() / math.log(2.0)), 0.0)
