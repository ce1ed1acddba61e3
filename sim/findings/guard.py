"""What the guard of a run found, over the draws of facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.record.run_folder import RunFolder
from sim.study.guard import GUARD, GUARD_PEOPLE


@dataclass(frozen=True, slots=True)
class Guarded:
    """What the guard found of an attacker's targets.

    Parameters
    ----------
    share, low, high : float
        Of those whom it looked at it names so many right; the interval holds that of every draw.
    above_model : bool
        Whether in some draw that is more than the attacker's model can explain.
    own : float64 array, shape (draws, targets)
        Probability that it gives to each target's own record; 0 of those not looked at.
    """

    share: float
    low: float
    high: float
    above_model: bool
    own: NDArray[np.float64]


def guard_of(best: RunFolder, cells: Sequence[int], targets: pd.Series) -> Guarded | None:
    """Return what the guard found in grid cells that differ in the draw of facts alone.

    Parameters
    ----------
    best : RunFolder
        A run of the Bayes-optimal attacker.
    targets : Series
        Identifiers of the targets in the release.

    Returns
    -------
    Guarded or None
        None: not tested in each of them.
    """
    if GUARD not in best.tables:
        return None
    every, people = best.tables[GUARD], best.tables[GUARD_PEOPLE]
    rows = every[every["stronger"] & every["cell"].isin(cells)]
    if len(rows) < len(cells):
        return None
    own = [
        people[people["cell"] == cell].set_index("target")["own"].reindex(targets, fill_value=0.0)
        for cell in cells
    ]
    return Guarded(
        share=float(rows["right"].mean()),
        low=float(rows["right_low"].min()),
        high=float(rows["right_high"].max()),
        above_model=bool(rows["above_model"].any()),
        own=np.stack([one.to_numpy(np.float64) for one in own]),
    )
