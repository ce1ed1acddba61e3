"""Whether an attack that gives probabilities keeps its word (spec §4.1).

Of guesses made with probability p, a share p should be right.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from sim.metrics.decision_arrays import DecisionArrays
from sim.metrics.outcomes import success_at_one
from sim.numeric.columns import MEAN, SHARE, mean, share

BINS = 10
COLUMNS = tuple(f"claimed{end}" for end in MEAN)


def claimed(rows: DecisionArrays) -> dict[str, float]:
    """Measure the mean probability that the attack gives its best guesses.

    Returns
    -------
    dict
        `COLUMNS`; NaN for an attack that gives no probabilities.
    """
    # Sorted, since the sum goes by their order and targets need not be known.
    return mean("claimed", np.sort(rows.posterior[~np.isnan(rows.posterior)]))


def reliability_frame(cell: int, rows: DecisionArrays) -> pd.DataFrame | None:
    """Compare the claimed probabilities with the rate of right guesses.

    Returns
    -------
    DataFrame or None
        As ``reliability.parquet``: one row for each of `BINS` bins of equal width; None for an
        attack that gives no probabilities, and where the truth is unknown. A guess
        tied with t − 1 others is right 1/t times; one about an absent target never.
    """
    known = ~np.isnan(rows.posterior) & rows.known
    if not known.any():
        return None
    here = rows.take(known)
    success = success_at_one(here)
    place = np.minimum((here.posterior * BINS).astype(np.int64), BINS - 1)
    bins = []
    for nth in range(BINS):
        inside = place == nth
        n = int(np.count_nonzero(inside))
        claims = math.fsum(here.posterior[inside]) / n if n else np.nan
        right = share("right", math.fsum(success[inside]), n)
        bins.append(
            {"low": nth / BINS, "high": (nth + 1) / BINS, "n": n, "claimed": claims, **right}
        )
    frame = pd.DataFrame(
        bins, columns=["low", "high", "n", "claimed", *(f"right{e}" for e in SHARE)]
    )
    frame.insert(0, "cell", np.full(BINS, cell, np.int32))
    return frame
