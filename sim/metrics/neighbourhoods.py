"""μ(n, k): how often the answer is a set of at most n records (NS07 §2)."""

from __future__ import annotations

import numpy as np

from sim.metrics.attack_properties import AttackProperties
from sim.metrics.decision_arrays import DecisionArrays
from sim.numeric.columns import SHARE, share, unmeasured

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)

MEASURED = tuple(f"mu_{n}" for n in SIZES)
COLUMNS = tuple(f"{name}{end}" for name in MEASURED for end in SHARE)


def neighbourhoods(rows: DecisionArrays, properties: AttackProperties) -> dict[str, float]:
    """Measure μ(n, k) at several n; k is the cell's.

    Returns
    -------
    dict
        Each of `MEASURED` with its interval, as shares of the targets present; NaN for an attack
        whose answer is no set.
    """
    if not properties.answers_with_set:
        return unmeasured(COLUMNS)
    sizes = rows.matching_set[rows.present]
    row: dict[str, float] = {}
    for name, n in zip(MEASURED, SIZES, strict=True):
        row |= share(name, int(np.count_nonzero(sizes <= n)), sizes.size)
    return row
