"""θ-similar success: a guess that is nearly the target also tells much (NS08 Defs. 2, 3)."""

from __future__ import annotations

import math

import numpy as np

from sim.metrics.decision_arrays import DecisionArrays, Floats
from sim.metrics.outcomes import success_at_one
from sim.numeric.columns import SHARE, share

THETAS = {"theta_50": 0.5, "theta_75": 0.75}
"""By column; θ = 1, the very record, is ``rank1``."""

COLUMNS = tuple(f"{name}{end}" for name in THETAS for end in SHARE)


def theta_success(rows: DecisionArrays, theta: float) -> Floats:
    """Chance that each best guess is θ-similar to the target.

    Returns
    -------
    float64 array, shape (n,)
        1 where the best record has Sim ≥ θ; where several are tied at the top, the target's own
        chance alone counts, as the others are not recorded.
    """
    similar = np.nan_to_num(rows.theta, nan=-1.0) >= theta
    return np.where(similar, 1.0, success_at_one(rows))


def thetas(rows: DecisionArrays) -> dict[str, float]:
    """Measure θ-similar success, φ ignored.

    Returns
    -------
    dict
        Each of `THETAS` with its interval, as shares of the targets present.
    """
    present = int(np.count_nonzero(rows.present))
    row: dict[str, float] = {}
    for name, theta in THETAS.items():
        row |= share(name, math.fsum(theta_success(rows, theta)), present)
    return row
