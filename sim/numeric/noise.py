"""Noise on values and days, as the adversary errs and as a publisher perturbs (spec §2).

Both are the same two moves: a value to a uniform level of the scale within k, levels beyond the
ends of the scale not existing; a day by a uniform integer within ±D.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric.random import below


def moved_levels(
    scale: NDArray[np.float64],
    reach: float | NDArray[np.float64],
    level: NDArray[Any],
    word: NDArray[np.uint64],
) -> NDArray[np.int64]:
    """Move every level to a uniform one of the scale within reach; "no value" stays.

    Parameters
    ----------
    scale : float64 array, shape (L,)
        Ascending.
    reach : float or float64 array, shape (L,)
        In value units, of all levels or of each; see `sim.adversary.knowledge.reach`.
    level : integer array
        Level codes; L is "no value".
    word : uint64 array of the same shape

    Returns
    -------
    int64 array of the same shape

    Examples
    --------
    >>> moved_levels(np.arange(1.0, 6.0), 1.0, np.array([0, 5]), np.array([0, 0], np.uint64))
    array([0, 5])
    """
    # The last place is for cells without a value: their only level is "none".
    lowest = np.append(np.searchsorted(scale, scale - reach), scale.size)
    count = np.append(np.searchsorted(scale, scale + reach, side="right"), scale.size + 1) - lowest
    return np.asarray(lowest[level] + below(word, count[level]), np.int64)


def day_shifts(days: int, word: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Uniform integers in [−days, days].

    Parameters
    ----------
    days : int
        D.

    Returns
    -------
    int64 array of the same shape

    Examples
    --------
    >>> day_shifts(3, np.array([0, 2**64 - 1], np.uint64))
    array([-3,  3])
    """
    return below(word, 2 * days + 1) - days
