"""The normal distribution: single values in decimal arithmetic, arrays in doubles."""

from __future__ import annotations

import functools
import math
from decimal import Decimal, getcontext, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric import elementary
from sim.numeric.compiled import njit
from sim.numeric.constants import pi

_DIGITS = 60
_BEYOND = 40.0
"""Φ of less is below the least double."""

_ROOT_OF_2_PI = math.sqrt(float(2 * pi(30)))
_LOG_ROOT_OF_2_PI = 0.5 * float((2 * pi(30)).ln())
_SERIES_ENDS = 2.0
_NEAR = 1e-15


_pi = functools.lru_cache(maxsize=64)(pi)


def _density(x: Decimal) -> Decimal:
    return (-x * x / 2).exp() / (2 * _pi(getcontext().prec)).sqrt()


def _cdf(x: Decimal) -> Decimal:
    """Φ(x) = ½ + φ(x)·(x + x³/3 + x⁵/(3·5) + …), which holds for every x."""
    # For x < 0 the sum cancels all but e^(−x²/2) of the half, which loses digits.
    with localcontext() as context:
        context.prec = _DIGITS + int(x * x / 2)
        term, total, n = x, Decimal(0), 1
        while abs(term) > abs(total) * Decimal(10) ** -context.prec:
            total += term
            n += 2
            term *= x * x / n
        return Decimal("0.5") + _density(x) * total


def normal_cdf(x: float) -> float:
    """Φ(x), the nearest double.

    Examples
    --------
    >>> normal_cdf(0.0), normal_cdf(-1.0)
    (0.5, 0.15865525393145705)
    """
    if math.isnan(x):
        return x
    if abs(x) > _BEYOND:
        return float(x > 0)
    with localcontext() as context:
        context.prec = _DIGITS
        return float(_cdf(Decimal(x)))


@functools.lru_cache(maxsize=1024)
def normal_quantile(p: float | Decimal) -> float:
    """Φ⁻¹(p) for 0 < p < 1, the nearest double.

    Examples
    --------
    >>> normal_quantile(0.5), normal_quantile(Decimal("0.975"))
    (0.0, 1.9599639845400543)
    """
    if not 0 < p < 1:
        raise ValueError(f"no quantile of the normal distribution at {p}")
    x = Decimal(float(normal_quantiles(np.array([float(p)]))[0]))
    with localcontext() as context:
        context.prec = _DIGITS
        # From 10 right digits on, Newton's steps double them: 20, 40.
        for _ in range(2):
            x -= (_cdf(x) - Decimal(p)) / _density(x)
        return float(x) + 0.0


@njit(error_model="numpy")
def _tail_over_density(x: Any) -> Any:
    """(1 − Φ(x))/φ(x) for x ≥ 0: by the series of Φ, then by Laplace's continued fraction."""
    if x < _SERIES_ENDS:
        term, total, n = x, 0.0, 1.0
        while term > total * 1e-17:
            total += term
            n += 2.0
            term *= x * x / n
        return 0.5 * _ROOT_OF_2_PI * elementary.exp(0.5 * x * x) - total
    found = x
    for n in range(int(40 + 600 / (x * x)), 0, -1):
        found = x + n / found
    return 1.0 / found


@njit(error_model="numpy")
def _quantile(p: Any) -> Any:
    """Φ⁻¹(p), by Newton's method on the logarithm of the tail, which is concave."""
    tail = min(p, 1.0 - p)
    wanted = elementary.log(tail)
    x = 0.0
    for _ in range(64):
        ratio = _tail_over_density(x)
        log_tail = elementary.log(ratio) - 0.5 * x * x - _LOG_ROOT_OF_2_PI
        step = (log_tail - wanted) * ratio
        x += step
        if abs(step) <= _NEAR * x:
            break
    return x if p > 0.5 else -x


@njit(error_model="numpy")
def _quantiles(p: Any, out: Any) -> None:
    for i in range(p.size):
        out[i] = 0.0 if p[i] == 0.5 else _quantile(p[i])


def normal_quantiles(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Φ⁻¹ of every p, 0 < p < 1, within some 1e-14.

    Examples
    --------
    >>> normal_quantiles(np.array([0.025, 0.5])).round(12).tolist()
    [-1.95996398454, 0.0]
    """
    out = np.empty_like(p)
    _quantiles(p, out)
    return out
