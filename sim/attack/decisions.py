"""From the scores of all candidates to a decision: eccentricity, match, rank (spec §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.attack.partials import Partials

SigmaOver = Literal["all", "nonzero"]


@dataclass(frozen=True, slots=True)
class Decisions:
    """One decision per aux set; every array has shape (U,).

    Parameters
    ----------
    best : int64
        Record with the highest score; −1 where the top is tied or nobody shares an item.
    best_score, second_score : float64
        Second: NaN with one candidate.
    sigma : float64
        Standard deviation (ddof 0) of the candidates' scores.
    eccentricity : float64
        (best − second)/σ; 0 for a tie; NaN with one candidate, or where σ is 0 without a tie.
    matched : bool
        Eccentricity above φ.
    correct : bool
        `best` is the target, whether matched or not.
    target_score : float64
    rank : int64
        Candidates scoring at least the target's score.
    ties : int64
        Candidates with the highest score.
    """

    best: NDArray[np.int64]
    best_score: NDArray[np.float64]
    second_score: NDArray[np.float64]
    sigma: NDArray[np.float64]
    eccentricity: NDArray[np.float64]
    matched: NDArray[np.bool_]
    correct: NDArray[np.bool_]
    target_score: NDArray[np.float64]
    rank: NDArray[np.int64]
    ties: NDArray[np.int64]


def sigma(whole: Partials, over: SigmaOver) -> NDArray[np.float64]:
    """Population standard deviation of the scores.

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)
    over : {"all", "nonzero"}
        All candidates, or only those sharing an item with the aux.

    Returns
    -------
    float64 array, shape (U,)
        Exactly 0 where all these scores are equal.
    """
    n = whole["candidates"] if over == "all" else whole["touched"]
    safe = np.maximum(n, 1)
    mean = whole["sum"] / safe
    variance = np.maximum(whole["sum_squares"] / safe - mean * mean, 0.0)
    # Rounding must not make a spread where all scores are the same.
    equal = whole["ties"] >= n
    return np.where(equal, 0.0, np.sqrt(variance))


def decide(
    whole: Partials,
    target: NDArray[np.int64],
    target_score: NDArray[np.float64],
    *,
    phi: float,
    sigma_over: SigmaOver,
) -> Decisions:
    """Decide on every aux set by eccentricity (NS08 §4; spec §4).

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)
        Partials of the whole release.
    target : int64 array, shape (U,)
    target_score : float64 array, shape (U,)
    phi : float
        Match iff eccentricity > phi.
    sigma_over : {"all", "nonzero"}

    Returns
    -------
    Decisions
    """
    spread = sigma(whole, sigma_over)
    gap = whole["best"] - whole["second"]
    with np.errstate(divide="ignore", invalid="ignore"):
        eccentricity = np.where(gap == 0, 0.0, gap / spread)
    eccentricity[(whole["candidates"] < 2) | np.isinf(eccentricity)] = np.nan
    alone = (whole["ties"] == 1) & (whole["touched"] > 0)
    best = np.where(alone, whole["best_record"], -1)
    return Decisions(
        best=best,
        best_score=whole["best"],
        second_score=np.where(np.isinf(whole["second"]), np.nan, whole["second"]),
        sigma=spread,
        eccentricity=eccentricity,
        matched=eccentricity > phi,
        correct=best == target,
        target_score=target_score + 0.0,  # −0.0 is the mark of the untouched
        rank=whole["at_least"],
        ties=whole["ties"],
    )
