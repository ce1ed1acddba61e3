"""Outcomes of the attacks on a cell's targets: best guess, match, or neither (spec §5)."""

from __future__ import annotations

import math

import numpy as np

from sim.metrics.decision_arrays import DecisionArrays, Floats
from sim.numeric.columns import SHARE, share

OUTCOMES = ("rank1", "matched_right", "matched_wrong", "no_match")
COUNTS = ("sigma_zero", "tied_top", "not_candidate")

COLUMNS = ("n_targets", "n_present", *(f"{name}{end}" for name in OUTCOMES for end in SHARE))


def success_at_one(rows: DecisionArrays) -> Floats:
    """Chance that each best guess, φ ignored, names the target.

    Returns
    -------
    float64 array, shape (n,)
        o/t where o records of the target are at the top with t − o others, else 0; o is 1 unless a
        person has several records.
    """
    at_top = (rows.rank > 0) & (rows.above == 0)
    own = rows.ties - rows.rank + 1  # of the own records, the rank counts one
    return np.where(at_top, own / np.maximum(rows.ties, 1), 0.0)


def outcomes(rows: DecisionArrays) -> dict[str, float]:
    """Measure how often the attack names the target, and how often it dares to.

    Parameters
    ----------
    rows : DecisionArrays
        At least one.

    Returns
    -------
    dict
        ``n_targets``; ``n_present``, those known to be in the release; each of `OUTCOMES` with
        its interval, ``rank1`` of the targets present,
        matches of those whose record, or that there is none, is known; each of `COUNTS`.
    """
    n, present = len(rows), int(np.count_nonzero(rows.present))
    known = int(np.count_nonzero(rows.known))
    right = int(np.count_nonzero(rows.matched & rows.correct))
    wrong = int(np.count_nonzero(rows.matched & rows.known)) - right
    return {
        "n_targets": n,
        "n_present": present,
        **share("rank1", math.fsum(success_at_one(rows)), present),
        **share("matched_right", right, known),
        **share("matched_wrong", wrong, known),
        **share("no_match", int(np.count_nonzero(~rows.matched)), n),
        "sigma_zero": int(np.count_nonzero(rows.sigma == 0)),
        "tied_top": int(np.count_nonzero(rows.ties > 1)),
        "not_candidate": int(np.count_nonzero(rows.present & (rows.rank == 0))),
    }
