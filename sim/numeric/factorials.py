"""Logarithms of binomial coefficients."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.numeric.compiled import njit
from sim.numeric.elementary import log_pair
from sim.numeric.pairs import quick_two_sum, two_sum

_LEAST_TABLE = 1 << 12


@njit(error_model="numpy")
def _fill(high: Any, low: Any) -> None:
    """Ln n! as pairs of doubles, for all n of the table."""
    total, rest = 0.0, 0.0
    high[0], low[0] = total, rest
    for n in range(1, high.size):
        more, more_rest = log_pair(np.float64(n))
        total, error = two_sum(total, more)
        total, rest = quick_two_sum(total, error + (rest + more_rest))
        high[n], low[n] = total, rest


@functools.lru_cache(maxsize=2)
def _table(size: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    high, low = np.empty(size), np.empty(size)
    _fill(high, low)
    return high, low


def log_choose(n: ArrayLike, k: int) -> NDArray[np.float64]:
    """Ln of the ways to choose k of n: −∞ where k > n.

    Within 2 units in the last place up to n of some millions.

    Examples
    --------
    >>> log_choose([4, 5, 1], 2).round(9).tolist()
    [1.791759469, 2.302585093, -inf]
    """
    of = np.asarray(n, np.int64)
    # Doubled sizes, so that few tables are made.
    size = max(_LEAST_TABLE, 1 << int(max(of.max(initial=0), k)).bit_length())
    high, low = _table(size)
    left = np.maximum(of - k, 0)
    first = high[of] - high[k]
    # What the two subtractions leave out, as in `two_sum`.
    t = high[of] - first
    error = (high[of] - (first + t)) + (t - high[k])
    second = first - high[left]
    t = first - second
    error += (first - (second + t)) + (t - high[left])
    found = second + (error + (low[of] - low[k] - low[left]))
    return np.where(of >= k, found, -np.inf)
