"""Turns the scores of all candidates into decisions: eccentricity, match, rank (spec §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.partials import Partials
from sim.numeric import log2

SigmaOver = Literal["all", "nonzero"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Guesses:
    """The part of `Decisions` that does not depend on the target."""

    best: NDArray[np.int64]
    best_score: Floats
    second_score: Floats
    sigma: Floats
    eccentricity: Floats
    matched: NDArray[np.bool_]
    matching: NDArray[np.int64]
    posterior: Floats


@dataclass(frozen=True, slots=True)
class Decisions:
    """One decision per aux set; every array has shape (U,), unless stated otherwise.

    Parameters
    ----------
    best : int64
        Record with the highest score; −1 if the top is tied or the matching set is empty, and, for
        attacks that then know nothing, if no record overlaps the aux.
    best_score, second_score : float64
        NaN without a candidate; `second_score` also with one candidate. Log posteriors for Bayes:
        −inf for a record that is ruled out.
    sigma : float64
        Standard deviation (ddof 0) of the candidates' scores.
    eccentricity : float64
        (best − second)/σ; 0 for a tie; NaN with one candidate, or where σ is 0 without a tie.
    matched : bool
        By the algorithm's rule; never without a best guess.
    correct : bool
        `best` is the target, whether matched or not; of a person with several records any of them.
    target_score : float64
        NaN where the target's record is absent, or no candidate. Of several records the highest.
    rank : int64
        Candidates scoring at least the target's score, of the person's own records one; 0 where the
        target is no candidate.
    above : int64
        Candidates scoring more than the target; 0 where the target is no candidate.
    ties : int64
        Candidates with the highest score.
    candidates, matching, overlapping : int64
        Candidates; those of them in the matching set; those that overlap the aux, −1 where only the
        records that the facts leave possible were looked at.
    entropy_bits, entropy_bits_other : float64
        H = −log2 Π(target) by the convention of σ that is asked for, and by the other; NaN where
        not measured or the target is no candidate. Π of several records is their sum: the chance
        that the attacker names one of them.
    entropy_all_bits : float64
        Entropy of Π itself, by the convention of σ that is asked for; NaN where not measured.
    posterior : float64
        Probability given to the best guess; NaN for algorithms that give none.
    top : int64 array, shape (U, K)
        The K records with the highest probabilities, from the highest down, of equal ones the
        lowest first; −1 where fewer are possible. K is 0 where they are not asked for.
    top_posterior : float64 array, shape (U, K)
        Their probabilities.
    """

    best: NDArray[np.int64]
    best_score: Floats
    second_score: Floats
    sigma: Floats
    eccentricity: Floats
    matched: NDArray[np.bool_]
    correct: NDArray[np.bool_]
    target_score: Floats
    rank: NDArray[np.int64]
    above: NDArray[np.int64]
    ties: NDArray[np.int64]
    candidates: NDArray[np.int64]
    matching: NDArray[np.int64]
    overlapping: NDArray[np.int64]
    entropy_bits: Floats
    entropy_bits_other: Floats
    entropy_all_bits: Floats
    posterior: Floats
    top: NDArray[np.int64]
    top_posterior: Floats


def sigma(whole: Partials, over: SigmaOver) -> Floats:
    """Population standard deviation of the scores.

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)
    over : {"all", "nonzero"}
        All candidates, or only those that overlap the aux.

    Returns
    -------
    float64 array, shape (U,)
        Exactly 0 where all these scores are equal.
    """
    names = ("candidates", "sum", "sum_squares")
    if over == "nonzero":
        names = ("overlapping", "overlapping_sum", "overlapping_squares")
    return _deviation(whole, names, over)


def relative_sigma(whole: Partials, over: SigmaOver) -> Floats:
    """Population standard deviation of exp(s − best), where the scores s are logarithms.

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)

    Returns
    -------
    float64 array, shape (U,)
    """
    names = ("candidates", "exp", "exp_squares")
    if over == "nonzero":
        names = ("overlapping", "overlapping_exp", "overlapping_exp_squares")
    return _deviation(whole, names, over)


def log2_candidates(whole: Partials) -> Floats:
    """Bits of a uniform choice among the candidates, shape (U,); 0 without any."""
    return log2(np.maximum(whole["candidates"], 1))


def _deviation(whole: Partials, names: tuple[str, str, str], over: SigmaOver) -> Floats:
    """√(Σ²/n − mean²), from the names of n, Σ and Σ²."""
    count, sums, squares = (whole[name] for name in names)
    n = np.maximum(count, 1)
    mean = sums / n
    variance = np.maximum(squares / n - mean * mean, 0.0)
    # Rounding must not make σ positive where all scores are equal.
    return np.where(all_equal(whole, over), 0.0, np.sqrt(variance))


def all_equal(whole: Partials, over: SigmaOver) -> NDArray[np.bool_]:
    """Whether all scores that σ ranges over are equal, or there are none.

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)

    Returns
    -------
    bool array, shape (U,)
    """
    if over == "all":
        return np.asarray(whole["ties"] >= whole["candidates"])
    return np.asarray(whole["overlapping_least"] >= whole["overlapping_best"])


def eccentricity(best: Floats, second: Floats, spread: Floats, whole: Partials) -> Floats:
    """(max − max2)/σ (NS08 §4; spec §4).

    Parameters
    ----------
    best, second, spread : float64 arrays, shape (U,)
    whole : PARTIAL array, shape (U,)

    Returns
    -------
    float64 array, shape (U,)
        0 for a tie; NaN with fewer than two candidates, or where σ is 0 without a tie.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        stands_out = np.where(whole["ties"] > 1, 0.0, (best - second) / spread)
    return np.where((whole["candidates"] < 2) | np.isinf(stands_out), np.nan, stands_out)
