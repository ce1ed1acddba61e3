"""Quantiles of the number of heads in n tosses of a fair coin."""

from __future__ import annotations

import math
from fractions import Fraction

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
