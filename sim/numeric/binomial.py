"""Quantiles of binomial distributions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_BITS = 256


def fair_coin_quantile(n: int, share: Fraction) -> int:
    """Least k with P(X ≤ k) ≥ share, X ~ Binomial(n, ½), for 0 < share < ½; in integers.

    Examples
    --------
    >>> fair_coin_quantile(10, Fraction(1, 40))
    2
    """
    if not 0 < share < Fraction(1, 2):
        raise ValueError(f"a share of {share} is not between 0 and 1/2")
    # Probabilities as multiples of 2^−256, from the middle down to where nothing is left of them.
    terms, k = [(math.comb(n, n // 2) << _BITS) >> n], n // 2
    while k > 0 and terms[-1]:
        terms.append(terms[-1] * k // (n - k + 1))
        k -= 1
    below = 0
    for place, term in enumerate(reversed(terms), k):
        below += term
        if below >= share * 2**_BITS:
            return place
    return n // 2


def binomial_quantiles(n: int, m: int, shares: NDArray[np.float64]) -> NDArray[np.int64]:
    """Least k with P(X ≤ k) > share, X ~ Binomial(n, m/n), for 0 < m < n.

    Of uniform numbers they are draws of X. NumPy's own draws take logarithms, which differ by
    machine.

    Parameters
    ----------
    shares : float64 array
        At least 0 and below 1.

    Examples
    --------
    >>> binomial_quantiles(4, 2, np.array([0.0, 0.06, 0.07, 0.5, 0.95])).tolist()
    [0, 0, 1, 2, 4]
    """
    # Beyond this, nothing is left that 53 bits can tell.
    reach = int(12 * math.sqrt(m * (n - m) / n)) + 40
    low, high = max(0, m - reach), min(n, m + reach)
    up = np.arange(m + 1, high + 1, dtype=np.float64)
    down = np.arange(m, low, -1, dtype=np.float64)
    odds = m / (n - m)
    # Probabilities in units of that of the mode.
    above = np.cumprod((n + 1 - up) / up * odds)
    below = np.cumprod(down / (n + 1 - down) / odds)
    summed = np.cumsum(np.concatenate([below[::-1], [1.0], above]))
    found = np.searchsorted(summed, shares * summed[-1], side="right")
    return np.asarray(low + np.minimum(found, high - low), np.int64)
