"""Decides from one target's scores (spec, sections 4 and 5).

Invariant: only candidates count; ties always count against the attacker; a tie, one candidate
and σ = 0 are never a match.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from reference.tables import Floats, Mask


class Top(Enum):
    """The two highest scores of a list, and the ties at the top."""

    CLEAR = "clear"
    TIE = "tie"
    FLAT = "flat"
    SINGLE = "single"


@dataclass(frozen=True, slots=True)
class Eccentricity:
    """The eccentricity of the best score (NS08, section 4).

    Parameters
    ----------
    value : float
        e = (max − max2)/σ; 0 for a tie at the top; NaN with one candidate, and where σ is 0
        without a tie (possible with `sigma=nonzero` only).
    best : int
        The record with the highest score, the first of several.
    ties : int
        How many candidates have the highest score.
    sigma : float
        σ; NaN with one candidate.
    top : Top
        SINGLE: one candidate; FLAT: σ = 0; TIE: two or more share the highest score, σ > 0.
    """

    value: float
    best: int
    ties: int
    sigma: float
    top: Top


class Outcome(Enum):
    """The outcome of an attack on one target at φ."""

    RIGHT = "right"
    WRONG = "wrong"
    NO_MATCH = "no match"


def sigma_of(scores: Floats, candidates: Mask | None = None, among: Mask | None = None) -> float:
    """σ: the population standard deviation of the candidates' scores.

    Parameters
    ----------
    scores : float64 array, shape (N,)
    candidates : bool array, shape (N,), or None
        None for all records.
    among : bool array, shape (N,), or None
        None for `sigma=all`; for `sigma=nonzero`, the records that share an item with aux
        (`overlaps`).

    Returns
    -------
    float
        Exactly 0 where all of them are equal, or there are none.

    Examples
    --------
    >>> round(sigma_of(np.array([3.0, 1.0, 0.0, 0.0])), 4)
    1.2247
    >>> sigma_of(np.array([3.0, 1.0, 0.0, 0.0]), among=np.array([True, True, False, False]))
    1.0
    """
    counted = candidate_mask(scores, candidates)
    values = scores[counted if among is None else counted & among]
    # Equal scores can have a mean that is off by one rounding, and then a σ that is not 0.
    return 0.0 if values.size == 0 or np.ptp(values) == 0 else float(values.std())


def eccentricity(
    scores: Floats, candidates: Mask | None = None, among: Mask | None = None
) -> Eccentricity:
    """Compute e = (max − max2)/σ over the candidates (NS08, section 4).

    Parameters
    ----------
    scores : float64 array, shape (N,)
        Finite for every candidate. For `bayes`, pass the probabilities.
    candidates, among : bool arrays, shape (N,), or None
        See `sigma_of`; `among` restricts σ only, never max or max2.

    Raises
    ------
    ValueError
        No candidate, or a score that is not finite.

    Examples
    --------
    >>> round(eccentricity(np.array([4.0, 0.0, 0.0, 0.0])).value, 4)
    2.3094
    >>> eccentricity(np.array([4.0, 4.0, 0.0])).top
    <Top.TIE: 'tie'>
    """
    mask = candidate_mask(scores, candidates)
    values = scores[mask]
    if not np.isfinite(values).all():
        raise ValueError("eccentricity of a score that is not finite")
    highest = values.max()
    best = int(np.flatnonzero(mask & (scores == highest))[0])
    ties = int((values == highest).sum())
    if values.size == 1:
        return Eccentricity(math.nan, best, ties, math.nan, Top.SINGLE)
    sigma = sigma_of(scores, mask, among)
    if ties > 1:
        return Eccentricity(0.0, best, ties, sigma, Top.TIE if sigma > 0 else Top.FLAT)
    if sigma == 0:
        return Eccentricity(math.nan, best, ties, sigma, Top.FLAT)
    second = values[values != highest].max()
    return Eccentricity(float((highest - second) / sigma), best, ties, sigma, Top.CLEAR)


def is_match(found: Eccentricity, phi: float = 1.5) -> bool:
    """Match iff e > φ (NS08, section 5: no match iff the difference is no more than φσ).

    Parameters
    ----------
    phi : float
        φ ≥ 0.

    Returns
    -------
    bool
        Never for a tie, σ = 0 or one candidate.

    Examples
    --------
    >>> found = eccentricity(np.array([3.0, 1.0, 1.0, 1.0, 1.0]))
    >>> round(found.value, 9), is_match(found, 2.4), is_match(found, found.value)
    (2.5, True, False)
    """
    return found.value > phi


def outcome(found: Eccentricity, target: int | None, phi: float = 1.5) -> Outcome:
    """Judge a best guess at φ (NS08, definition 3).

    Parameters
    ----------
    target : int or None
        The target's record; None where it is absent, so that every match is wrong.

    Examples
    --------
    >>> outcome(eccentricity(np.array([4.0, 0.0, 0.0, 0.0])), target=1)
    <Outcome.WRONG: 'wrong'>
    """
    if not is_match(found, phi):
        return Outcome.NO_MATCH
    return Outcome.RIGHT if found.best == target else Outcome.WRONG


def success_at_one(scores: Floats, target: int, candidates: Mask | None = None) -> float:
    """Chance that a best guess, φ ignored, names the target: 1/t where t tie at the top.

    Parameters
    ----------
    scores : float64 array, shape (N,)
    candidates : bool array, shape (N,), or None

    Returns
    -------
    float
        0 where the target is not at the top, or is no candidate.

    Examples
    --------
    >>> success_at_one(np.array([2.0, 2.0, 1.0]), target=1)
    0.5
    """
    mask = candidate_mask(scores, candidates)
    highest = scores[mask].max()
    if not mask[target] or scores[target] < highest:
        return 0.0
    return 1.0 / float((scores[mask] == highest).sum())


def theta_success(
    scores: Floats,
    target: int,
    similarity: Floats,
    theta: float,
    candidates: Mask | None = None,
) -> float:
    """Chance that a best guess is θ-similar to the target (NS08, definitions 2 and 3).

    Parameters
    ----------
    scores : float64 array, shape (N,)
    target : int
        Row of the target r.
    similarity : float64 array, shape (N,)
        Sim(r, r′) of every record r′.
    theta : float
        θ. At 1 only the very record counts.
    candidates : bool array, shape (N,), or None

    Returns
    -------
    float
        The share of the records tied at the top that are the target or have Sim ≥ θ.

    Examples
    --------
    >>> theta_success(np.array([1.0, 2.0]), 0, np.array([1.0, 0.7]), 0.5)
    1.0
    """
    mask = candidate_mask(scores, candidates)
    counts = similarity >= theta if theta < 1 else np.zeros(scores.size, dtype=np.bool_)
    counts[target] = True
    return float(counts[mask & (scores == scores[mask].max())].mean())


def candidate_mask(scores: Floats, candidates: Mask | None) -> Mask:
    """Return the candidates, all records by default.

    Parameters
    ----------
    scores : float64 array, shape (N,)
    candidates : bool array, shape (N,), or None

    Returns
    -------
    bool array, shape (N,)

    Raises
    ------
    ValueError
        There is no candidate.

    Examples
    --------
    >>> candidate_mask(np.zeros(2), None).tolist()
    [True, True]
    """
    mask = np.ones(scores.size, dtype=np.bool_) if candidates is None else candidates
    if not mask.any():
        raise ValueError("no candidate")
    return mask
