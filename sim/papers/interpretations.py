"""Interpretations of what NS08 leaves open: which records, which σ, which bits.

NS08 §4 gives Π(r′) = c·e^(Score/σ) "for each r′", and says that this weighs "each matching
record"; §5 states about 3 bits for two items and a fraction of a bit for six of eight (Fig. 6),
without saying over which records, or which targets. Each function is one interpretation, for the
targets of one grid cell.

Invariant: every value follows from the columns of ``decisions.parquet`` alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.numeric import LN2, exp, exp2, log2

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """One interpretation of the entropy of a target.

    Parameters
    ----------
    words : str
        What it is, for people.
    bits : callable
        From the decisions about present targets, and the number of records, to bits; NaN where
        the attack does not measure what it is made of.
    """

    words: str
    bits: Callable[[pd.DataFrame, int], Floats]


def fit_as_well(decisions: pd.DataFrame, n_records: int) -> Floats:
    """log2 of the records that score at least as much as the target, itself included.

    Parameters
    ----------
    decisions : DataFrame
        Rows of ``decisions.parquet`` about present targets.

    Returns
    -------
    float64 array
        log2 of all records where the target is no candidate.

    Examples
    --------
    >>> fit_as_well(pd.DataFrame({"true_rank": [1, 8, None]}), 16).tolist()
    [0.0, 3.0, 4.0]
    """
    return log2(decisions["true_rank"].fillna(n_records).to_numpy(np.float64))


def over_all(decisions: pd.DataFrame, n_records: int) -> Floats:  # noqa: ARG001
    """−log2 Π(target), Π over all candidates (NS08 Def. 4, with the oracle)."""
    return _column(decisions, "entropy_bits")


def over_all_nonzero(decisions: pd.DataFrame, n_records: int) -> Floats:  # noqa: ARG001
    """−log2 Π(target), Π over all candidates, σ over those that share an item with the aux.

    Of runs with ``attack.sigma=all``, whose other convention this is.
    """
    return _column(decisions, "entropy_bits_other")


def of_the_distribution(decisions: pd.DataFrame, n_records: int) -> Floats:  # noqa: ARG001
    """The entropy of Π itself (NS08 §3: without an oracle)."""
    return _column(decisions, "entropy_all_bits")


def over_overlapping(decisions: pd.DataFrame, n_records: int) -> Floats:
    """−log2 Π(target), Π over the candidates that share an item with the aux.

    All others score 0, so that they can be taken out of the sum over all: with
    Z = Σ e^((s − best)/σ) = Π(target)⁻¹·e^((own − best)/σ), what is left is
    Z − (candidates − overlapping)·e^(−best/σ).

    Parameters
    ----------
    decisions : DataFrame
        As for `fit_as_well`, of an attack that adds up similarities.

    Examples
    --------
    >>> one = pd.DataFrame({"best_score": [1.0], "target_score": [1.0], "sigma": [1.0],
    ...     "candidates": [5], "overlapping": [2], "ties": [2], "true_rank": [2],
    ...     "entropy_bits": [np.log2(2 + 3 * np.exp(-1))]})
    >>> over_overlapping(one, 5).round(9).tolist()
    [1.0]
    """
    bits, best, own, sigma = (
        _column(decisions, name) for name in ("entropy_bits", "best_score", "target_score", "sigma")
    )
    others = _column(decisions, "candidates") - _column(decisions, "overlapping")
    with np.errstate(divide="ignore", invalid="ignore"):
        behind = (best - own) / sigma / LN2
        whole = exp2(bits - behind)
        # The records at the top are never taken out: they hold an item of the aux.
        left = np.maximum(whole - others * exp(-best / sigma), _column(decisions, "ties"))
        found = log2(left) + behind
    alike = log2(np.maximum(_column(decisions, "overlapping"), 1.0))
    found = np.where(sigma > 0, found, alike)
    return np.where(np.isnan(own) & ~np.isnan(bits), log2(n_records), found)


INTERPRETATIONS: Mapping[str, Interpretation] = {
    "all": Interpretation("−log2 Π(target), Π over all", over_all),
    "all_nonzero": Interpretation(
        "−log2 Π(target), over all, σ of overlapping records", over_all_nonzero
    ),
    "overlapping": Interpretation("−log2 Π(target), Π over overlapping records", over_overlapping),
    "itself": Interpretation("entropy of Π itself, over all", of_the_distribution),
    "as_well": Interpretation("log2 of the records with the same or a higher score", fit_as_well),
}
"""Interpretations of the entropy by name."""


SCORES: Mapping[str, str] = {
    "exponential": "exp terms, weights 1/ln supp",
    "threshold": "both within thresholds, 1/ln supp",
    "steps": "a threshold for each term, 1/ln supp",
    "log1p": "exp terms, weights 1/ln(supp + 1)",
    "unweighted": "exp terms, no weights",
    "nonzero": "exp terms, σ of overlapping records",
    "base2": "base-2 terms of NS07, no weights",
    "bayes": "exact posterior",
    "holds_all": "every record holding all items",
    "neighbourhood": "every matching record (NS07 §2)",
}
"""Words for the parts of the suite; a suffix after the last ``_`` is their date noise."""

STATISTICS: Mapping[str, str] = {
    "unresolved": "mean of targets not identified (6/8: of all)",
    "all": "mean of all",
    "median": "median of all",
}


def right_at(decisions: pd.DataFrame, phi: float, ddof: int = 0) -> NDArray[np.bool_]:
    """Whether the right answer is given at another φ, or with another divisor of σ.

    Parameters
    ----------
    decisions : DataFrame
        Rows of ``decisions.parquet``.
    ddof : {0, 1}
        σ is divided by n − ddof.

    Returns
    -------
    bool array
        Present: the target is the best guess and matched; absent: no match is declared.

    Examples
    --------
    >>> two = pd.DataFrame({"eccentricity": [1.6, 1.6], "correct": [True, False], "ties": 1,
    ...     "present": [True, False], "candidates": 5})
    >>> right_at(two, 1.5).tolist(), right_at(two, 1.5, ddof=1).tolist()
    ([True, False], [False, True])
    """
    n = _column(decisions, "candidates")
    with np.errstate(divide="ignore", invalid="ignore"):
        stands_out = _column(decisions, "eccentricity") * np.sqrt((n - ddof) / n)
    matched = (stands_out > phi) & (_column(decisions, "ties") == 1)
    correct, present = (
        decisions[name].astype("boolean").fillna(False).to_numpy(np.bool_)
        for name in ("correct", "present")
    )
    return np.asarray(np.where(present, matched & correct, ~matched))


def expected_right(decisions: pd.DataFrame) -> Floats:
    """Success of the best guess, φ ignored; 1/t for a target tied at the top with t − 1 others.

    Parameters
    ----------
    decisions : DataFrame
        As for `fit_as_well`.

    Examples
    --------
    >>> expected_right(pd.DataFrame({"true_rank": [1, 2, 2], "ties": [1, 2, 1]})).tolist()
    [1.0, 0.5, 0.0]
    """
    rank, ties = _column(decisions, "true_rank"), _column(decisions, "ties")
    return np.where(rank == ties, 1.0 / ties, 0.0)


def _column(decisions: pd.DataFrame, name: str) -> Floats:
    return decisions[name].to_numpy(np.float64, na_value=np.nan)
