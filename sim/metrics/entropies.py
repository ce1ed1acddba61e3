"""Bits of uncertainty that remain about the targets of a cell (NS08 Def. 4)."""

from __future__ import annotations

import numpy as np

from sim.metrics.attack_properties import AttackProperties
from sim.metrics.decision_arrays import DecisionArrays
from sim.numeric import log2
from sim.numeric.columns import MEAN, mean, unmeasured

MEANS = ("bits", "bits_all", "bits_unresolved")

COLUMNS = (
    *(f"{name}{end}" for name in MEANS for end in MEAN),
    *("bits_median", "bits_prior", "bits_gained", "bits_share"),
)


def entropies(rows: DecisionArrays, properties: AttackProperties) -> dict[str, float]:
    """Measure the entropy left, by the convention of σ that is asked for.

    Parameters
    ----------
    rows : DecisionArrays
        In the order of their targets: sums and resamples go by it.

    Returns
    -------
    dict
        `COLUMNS`, of the targets present; NaN where no entropy is measured. ``bits_all`` is
        about those with any candidate, ``bits_unresolved`` about those whom the best guess does
        not name.
    """
    here = rows.take(rows.present)
    row = unmeasured(COLUMNS)
    if not len(here) or not properties.entropy:
        return row
    prior = float(log2(properties.n_records))
    row |= {
        **mean("bits", here.bits),
        **mean("bits_all", here.bits_all[~np.isnan(here.bits_all)]),
        **mean("bits_unresolved", here.bits[~here.correct]),
        "bits_median": float(np.median(here.bits)),
        "bits_prior": prior,
    }
    gained = prior - row["bits"]
    return row | {"bits_gained": gained, "bits_share": row["bits"] / prior if prior else np.nan}
