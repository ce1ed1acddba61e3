"""Numbers as unevaluated sums of two doubles: the rounding error is kept.

The sum is Knuth's, the product Dekker's and Veltkamp's ("A floating-point technique for extending
the available precision", 1971). All are exact unless a product overflows or becomes subnormal.
"""

from __future__ import annotations

from typing import Any

from sim.numeric.compiled import njit

_SPLITTER = 134217729.0  # 2^27 + 1


@njit(inline="always")
def two_sum(a: Any, b: Any) -> Any:
    """Return a + b as its nearest double and the error of that."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@njit(inline="always")
def quick_two_sum(a: Any, b: Any) -> Any:
    """As `two_sum`, where |a| ≥ |b| or a is 0."""
    s = a + b
    return s, b - (s - a)


@njit(inline="always")
def split(a: Any) -> Any:
    """Return two numbers of at most 26 bits that sum to a; |a| < 2^996."""
    t = _SPLITTER * a
    high = t - (t - a)
    return high, a - high


@njit(inline="always")
def two_product(a: Any, b: Any) -> Any:
    """Return a·b as its nearest double and the error of that."""
    p = a * b
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low
