"""Quantiles of beta distributions."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric import elementary
from sim.numeric.compiled import njit
from sim.numeric.constants import pi

_DIGITS = 40
_SHIFT = 60
"""Stirling's series for arguments above this, of `_TERMS` terms, is right to 40 digits."""

_BERNOULLI = ((1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510))
_BERNOULLI_MORE = ((43867, 798), (-174611, 330), (854513, 138), (-236364091, 2730))


def _log_gamma(x: Decimal) -> Decimal:
    """Ln Γ(x) for x > 0, by Stirling's series, further up."""
    product = Decimal(1)
    while x < _SHIFT:
        product *= x
        x += 1
    total = (x - Decimal("0.5")) * x.ln() - x + (2 * pi(_DIGITS)).ln() / 2
    for k, (over, under) in enumerate((*_BERNOULLI, *_BERNOULLI_MORE), 1):
        total += Decimal(over) / (Decimal(under) * 2 * k * (2 * k - 1) * x ** (2 * k - 1))
    return total - product.ln()


def _log_beta(a: float, b: float) -> float:
    with localcontext() as context:
        context.prec = _DIGITS
        one, other = Decimal(a), Decimal(b)
        return float(_log_gamma(one) + _log_gamma(other) - _log_gamma(one + other))


@njit(error_model="numpy")
def _fraction(a: Any, b: Any, x: Any) -> Any:
    """The continued fraction of I_x(a, b), by Lentz's method; fast for x below its mean."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    found = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 + even * d
        c = 1.0 + even / c
        d = 1.0 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        found *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 + odd * d
        c = 1.0 + odd / c
        d = 1.0 / (d if abs(d) > tiny else tiny)
        c = c if abs(c) > tiny else tiny
        found *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return found


@njit(error_model="numpy")
def _miss(a: Any, b: Any, x: Any, p: Any, log_beta: Any) -> Any:
    """I_x(a, b) − p, from whichever tail is the smaller, for 0 < x < 1."""
    front = elementary.exp(a * elementary.log(x) + b * elementary.log1p(-x) - log_beta)
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _fraction(a, b, x) / a - p
    return (1.0 - p) - front * _fraction(b, a, 1.0 - x) / b


@njit(error_model="numpy")
def _quantiles(a: Any, b: Any, p: Any, log_beta: Any, out: Any) -> None:
    """Newton's steps on I_x, halving where one leaves what encloses the quantile."""
    for i in range(p.size):
        low, high = 0.0, 1.0
        x = a / (a + b)
        for _ in range(2_000):
            miss = _miss(a, b, x, p[i], log_beta)
            if miss == 0.0:
                break
            if miss > 0.0:
                high = x
            else:
                low = x
            density = elementary.exp(
                (a - 1.0) * elementary.log(x) + (b - 1.0) * elementary.log1p(-x) - log_beta
            )
            step = miss / density
            to = x - step
            if not low < to < high:
                to = 0.5 * (low + high)
                if not low < to < high:
                    break
            elif abs(step) <= 1e-16 * x:
                x = to
                break
            x = to
        out[i] = x


def beta_quantile(a: float, b: float, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x with I_x(a, b) = p for every p in [0, 1]: the inverse incomplete beta function.

    Within some 1e-13 of I_x; a, b > 0.

    Examples
    --------
    >>> beta_quantile(2.0, 1.0, np.array([0.25, 1.0])).round(12).tolist()
    [0.5, 1.0]
    """
    out = np.empty_like(p)
    _quantiles(a, b, p, _log_beta(a, b), out)
    return np.where(p <= 0.0, 0.0, np.where(p >= 1.0, 1.0, out))
