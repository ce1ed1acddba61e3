"""exp, exp2, log, log2, log1p, power and cos of one number, for compiled code.

Each argument is reduced to one close to a table entry, a short series does the rest, and the
leading terms are kept as pairs of doubles (`sim.numeric.pairs`). Normal results are within 0.6
units in the last place, which is the correctly rounded result nearly always; those of log1p are
within 0.75, and subnormal ones and cos within 1.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.numeric.compiled import njit
from sim.numeric.constants import (
    EXP_HIGH,
    EXP_LOW,
    EXP_STEP,
    EXP_STEP_REST,
    LN2,
    LN2_ALIGNED,
    LN2_ALIGNED_REST,
    LN2_REST,
    LOG2_E,
    LOG2_E_REST,
    LOG_FACTOR,
    LOG_FIRST,
    LOG_HIGH,
    LOG_LOW,
    LOG_STEPS,
    QUARTER_TURN,
    QUARTER_TURN_2,
    QUARTER_TURN_3,
    STEPS_OF_E,
    TWO_OVER_PI,
)
from sim.numeric.pairs import quick_two_sum, split, two_product, two_sum

_MANTISSA = np.int64((1 << 52) - 1)
_BIAS = np.int64(1023)
_SHIFT = np.int64(52)
_STEP_BITS, _STEP_MASK = np.int64(6), np.int64(63)
_LEAST_NORMAL = 2.0**-1022
_UPPER_HALF = 181.0 / 128.0  # significands from about √2 on are halved
_OVERFLOW, _UNDERFLOW = 709.79, -745.14
_OVERFLOW_2, _UNDERFLOW_2 = 1024.0, -1075.1
_HUGE_POWER = 2.0**64  # of any number but 1, overflows or vanishes

_SIN = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(1, 9))
_COS = tuple((-1.0) ** k / math.factorial(2 * k) for k in range(2, 10))


@njit(error_model="numpy", inline="always")
def _power_of_2(n: Any) -> Any:
    """2^n for −1022 ≤ n ≤ 1023."""
    return np.int64((_BIAS + n) << _SHIFT).view(np.float64)


@njit(error_model="numpy", inline="always")
def _scaled_step(k: Any, r: Any, rest: Any) -> Any:
    """2^(k/64)·exp(r + rest), for |r| ≤ ln 2/128; rounded once where it is subnormal."""
    series = 0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0))))
    less_one = r + (r * r * series + (rest + rest * r))
    j = k & _STEP_MASK
    value = EXP_HIGH[j] + (EXP_LOW[j] + EXP_HIGH[j] * less_one)
    whole = k >> _STEP_BITS
    half = whole >> np.int64(1)
    return value * _power_of_2(half) * _power_of_2(whole - half)


@njit(error_model="numpy", inline="always")
def _exp_of_pair(x: Any, rest: Any) -> Any:
    """exp(x + rest), where it neither overflows nor underflows."""
    k = np.int64(math.floor(x * STEPS_OF_E + 0.5))
    steps = np.float64(k)
    r, error = two_sum(x - steps * EXP_STEP, -steps * EXP_STEP_REST)
    return _scaled_step(k, r, error + rest)


@njit(error_model="numpy")
def exp(x: Any) -> Any:
    """e^x."""
    if x != x:
        return x
    if x > _OVERFLOW:
        return np.inf
    if x < _UNDERFLOW:
        return 0.0
    return _exp_of_pair(x, 0.0)


@njit(error_model="numpy")
def exp2(x: Any) -> Any:
    """2^x, exactly for whole x."""
    if x != x:
        return x
    if x >= _OVERFLOW_2:
        return np.inf
    if x < _UNDERFLOW_2:
        return 0.0
    k = np.int64(math.floor(x * 64.0 + 0.5))
    left = x - np.float64(k) * 0.015625
    r, error = two_product(left, LN2)
    return _scaled_step(k, r, error + left * LN2_REST)


@njit(error_model="numpy", inline="always")
def _significand(x: Any) -> Any:
    """Return m and e with x = m·2^e and m in about [√½, √2], for 0 < x < ∞."""
    e = np.int64(0)
    if x < _LEAST_NORMAL:
        x = x * 2.0**54
        e = np.int64(-54)
    bits = np.float64(x).view(np.int64)
    e += (bits >> _SHIFT) - _BIAS
    m = np.int64((bits & _MANTISSA) | (_BIAS << _SHIFT)).view(np.float64)
    if m >= _UPPER_HALF:
        m = m * 0.5
        e += np.int64(1)
    return m, e


@njit(error_model="numpy", inline="always")
def _log_of(m: Any, e: Any) -> Any:
    """ln(m·2^e) as a pair, to some 2^−66 of it."""
    j = np.int64(m * LOG_STEPS + 0.5) - LOG_FIRST
    factor = LOG_FACTOR[j]
    high, low = split(m)
    r, r_rest = two_sum(high * factor - 1.0, low * factor)
    square, square_rest = two_product(r, r)
    series = 1.0 / 3.0 + r * (
        -1.0 / 4.0
        + r
        * (
            1.0 / 5.0
            + r
            * (-1.0 / 6.0 + r * (1.0 / 7.0 + r * (-1.0 / 8.0 + r * (1.0 / 9.0 - r * (1.0 / 10.0)))))
        )
    )
    exponent = np.float64(e)
    # Multiples of 2^−42 below 2^10: the product and the sum are exact.
    table = exponent * LN2_ALIGNED + LOG_HIGH[j]
    table_rest = exponent * LN2_ALIGNED_REST + LOG_LOW[j]
    total, rest = two_sum(table, r)
    total, rest_2 = two_sum(total, -0.5 * square)
    small = r * square * series - 0.5 * square_rest + (r_rest - r * r_rest)
    return quick_two_sum(total, rest + rest_2 + (table_rest + small))


@njit(error_model="numpy", inline="always")
def log_pair(x: Any) -> Any:
    """Ln of a positive, finite number as a pair of doubles, to some 2^−66 of it."""
    m, e = _significand(x)
    return _log_of(m, e)


@njit(error_model="numpy", inline="always")
def _log_of_no_number(x: Any) -> Any:
    """The logarithm of a number without a finite one."""
    if x == 0.0:
        return -np.inf
    if x < 0.0:
        return np.nan
    return x  # ∞ or NaN


@njit(error_model="numpy")
def log(x: Any) -> Any:
    """Ln x."""
    if not 0.0 < x < np.inf:
        return _log_of_no_number(x)
    high, low = log_pair(x)
    return high + low


@njit(error_model="numpy")
def log2(x: Any) -> Any:
    """log2 x, exactly for powers of 2."""
    if not 0.0 < x < np.inf:
        return _log_of_no_number(x)
    m, e = _significand(x)
    high, low = _log_of(m, np.int64(0))
    p, error = two_product(high, LOG2_E)
    total, rest = two_sum(np.float64(e), p)
    return total + (rest + (error + (high * LOG2_E_REST + low * LOG2_E)))


@njit(error_model="numpy")
def log1p(x: Any) -> Any:
    """ln(1 + x)."""
    if not -1.0 < x < np.inf:
        return -np.inf if x == -1.0 else (np.nan if x < -1.0 else x)
    if x == 0.0:
        return x
    s, error = two_sum(1.0, x)
    high, low = log_pair(s)
    left = error / s
    return high + (low + (left - 0.5 * left * left))


@njit(error_model="numpy")
def power(x: Any, y: Any) -> Any:
    """x^y for x ≥ 0, as C has it: x^0 and 1^y are 1. NaN for x < 0."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if x != x or y != y or x < 0.0:
        return np.nan
    if x == 0.0 or x == np.inf:
        return 0.0 if (x == 0.0) == (y > 0.0) else np.inf
    y = min(max(y, -_HUGE_POWER), _HUGE_POWER)
    high, low = log_pair(x)
    product, error = two_product(y, high)
    if product > _OVERFLOW:
        return np.inf
    if product < _UNDERFLOW:
        return 0.0
    return _exp_of_pair(product, error + y * low)


@njit(error_model="numpy")
def cos(x: Any) -> Any:
    """Cos x for |x| ≤ 100,000."""
    n = math.floor(x * TWO_OVER_PI + 0.5)
    r, rest = two_sum(x - n * QUARTER_TURN, -n * QUARTER_TURN_2)
    r, rest = quick_two_sum(r, rest - n * QUARTER_TURN_3)
    z = r * r
    quarter = np.int64(n) & np.int64(3)
    series = 0.0
    if quarter & 1:
        for c in _SIN[::-1]:
            series = series * z + c
        value = r + (r * z * series + rest * (1.0 - 0.5 * z))
        return -value if quarter == 1 else value
    for c in _COS[::-1]:
        series = series * z + c
    half = 0.5 * z
    first = 1.0 - half
    value = first + ((1.0 - first - half) + (z * z * series - r * rest))
    return -value if quarter == 2 else value
