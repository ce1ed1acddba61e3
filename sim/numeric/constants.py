"""Constants and tables of the elementary functions, computed in decimal arithmetic.

`decimal` rounds exponentials and logarithms correctly at any precision, in integers, so every
machine makes the same tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

_DIGITS = 60
LOG_STEPS = 128
"""Parts of [1, 2) that the logarithm has table entries for."""

LOG_FIRST = 90
"""First entry of the logarithm's tables: reduced arguments lie in [90.5, 181] parts."""

LOG_LAST = 181
EXP_STEPS = 64
"""Parts of [1, 2) that the exponential has table entries for."""

_FACTOR_BITS = 11
_ALIGNED_BITS = 42


def _double(x: Decimal) -> float:
    """Nearest double: Python rounds decimals correctly."""
    return float(x)


def _aligned(x: Decimal) -> float:
    """Nearest multiple of 2^−42: small integers times it, and sums of these, are exact."""
    return math.ldexp(int((x * 2**_ALIGNED_BITS).to_integral_value()), -_ALIGNED_BITS)


def _pair(x: Decimal) -> tuple[float, float]:
    """Nearest double, and the rest."""
    high = _double(x)
    return high, _double(x - Decimal(high))


def _aligned_pair(x: Decimal) -> tuple[float, float]:
    high = _aligned(x)
    return high, _double(x - Decimal(high))


def _columns(rows: Iterable[tuple[float, float]]) -> tuple[NDArray[np.float64], ...]:
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def pi(digits: int) -> Decimal:
    """Return π by Machin's formula, 16·atan(1/5) − 4·atan(1/239).

    Examples
    --------
    >>> pi(20)
    Decimal('3.1415926535897932385')
    """
    unit = 10 ** (digits + 10)

    def atan_inverse(n: int) -> int:
        power, total, k = unit // n, 0, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= n * n
            k += 2
        return total

    with localcontext() as context:
        context.prec = digits
        return Decimal(16 * atan_inverse(5) - 4 * atan_inverse(239)) / Decimal(unit)


with localcontext() as _context:
    _context.prec = _DIGITS
    _ln2 = Decimal(2).ln()
    LN2, LN2_REST = _pair(_ln2)
    """ln 2 as the nearest double, and what that leaves out."""
    LN2_ALIGNED, LN2_ALIGNED_REST = _aligned_pair(_ln2)
    LOG2_E, LOG2_E_REST = _pair(1 / _ln2)

    LOG_FACTOR: NDArray[np.float64] = np.array(
        [
            round(LOG_STEPS * 2**_FACTOR_BITS / j) / 2**_FACTOR_BITS
            for j in range(LOG_FIRST, LOG_LAST + 1)
        ]
    )
    """About 128/j, of 12 bits, by j − `LOG_FIRST`."""
    LOG_HIGH, LOG_LOW = _columns(_aligned_pair(-Decimal(c).ln()) for c in LOG_FACTOR.tolist())
    """−ln of these factors."""

    EXP_STEP, EXP_STEP_REST = _aligned_pair(_ln2 / EXP_STEPS)
    STEPS_OF_E = _double(EXP_STEPS / _ln2)
    EXP_HIGH, EXP_LOW = _columns(
        _pair((_ln2 * j / EXP_STEPS).exp() if j else Decimal(1)) for j in range(EXP_STEPS)
    )
    """2^(j/64)."""

    _quarter = pi(_DIGITS) / 2
    TWO_OVER_PI = _double(1 / _quarter)
    QUARTER_TURN = math.ldexp(int((_quarter * 2**31).to_integral_value()), -31)
    """π/2 in three parts, the first two of 33 bits, so that small multiples of them are exact."""
    _rest = _quarter - Decimal(QUARTER_TURN)
    QUARTER_TURN_2 = math.ldexp(int((_rest * 2**65).to_integral_value()), -65)
    QUARTER_TURN_3 = _double(_rest - Decimal(QUARTER_TURN_2))
