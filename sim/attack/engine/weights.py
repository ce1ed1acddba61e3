"""Weights of items from their supports in the release under attack: rare items weigh more."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.numeric import log

WeightForm = Literal["log", "log1p", "none"]


def rarity(support: NDArray[np.float64], form: WeightForm) -> NDArray[np.float64]:
    """1/ln|supp(i)|: rarer items weigh more (NS08 §4; spec §4).

    Parameters
    ----------
    support : float64 array, shape (A,)
    form : {"log", "log1p", "none"}
        1/ln(max(support, 2)), or 1/ln(support + 1), or 1 for every item.

    Returns
    -------
    float64 array, shape (A,)
        0 for an item without holders.

    Examples
    --------
    >>> rarity(np.array([1.0, 100.0, 0.0]), "log").round(4).tolist()
    [1.4427, 0.2171, 0.0]
    """
    if form == "none":
        return np.where(support > 0, 1.0, 0.0)
    n = np.maximum(support, 1.0)
    return np.where(support > 0, 1.0 / log(np.maximum(n, 2.0) if form == "log" else n + 1.0), 0.0)
