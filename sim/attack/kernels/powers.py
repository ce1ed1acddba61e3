"""Exponentials of numbers that are not above 0, alike for one number and for a vector of eight.

exp(x) = 2^k·e^r with |r| ≤ ln 2/2, and e^r is a polynomial of the ninth degree, 1 + r + r²·q(r),
whose q was fitted to an error of at most 1.7e-14 relative to e^r; k·ln 2 is subtracted in one step,
which adds at most 6e-14 at x = −700 and 4e-15 from −40 on. So the relative error is below 1e-13,
and that of an entropy below 1e-12 bits. Every step is the same for all numbers, so the compiler can
take several at a time; fused multiplications are asked for by name, so that every machine makes the
same bits.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

import math

from sim.attack.kernels.arithmetic import fma, if_more, scaled
from sim.attack.kernels.simd import njit_inline

_LOWEST = -700.0
"""Below this an exponential, which is then below 1e-304, is taken to be 0."""

_LOG2_E = 1.0 / math.log(2.0)
_LN2 = math.log(2.0)
_TO_INTEGER = 1.5 * 2.0**52  # added to a number, leaves it rounded in the lowest bits
# (e^r − 1 − r)/r² for |r| ≤ ln 2/2: least greatest error relative to e^r.
_Q9, _Q8, _Q7, _Q6, _Q5, _Q4, _Q3, _Q2 = (
    float.fromhex(number)
    for number in (
        "0x1.71010f08b3537p-19", "0x1.a16e42da68ce4p-16", "0x1.a01b74035594dp-13",
        "0x1.6c163bdcc9cfbp-10", "0x1.1111108dfdcb0p-7", "0x1.5555557df45ccp-5",
        "0x1.555555558a066p-3", "0x1.fffffffff13c8p-2",
    )
)  # fmt: skip


@njit_inline
def _near(r):  # type: ignore[no-untyped-def]
    """exp(r) for |r| ≤ ln 2/2."""
    e = fma(_Q9, r, _Q8)
    e = fma(e, r, _Q7)
    e = fma(e, r, _Q6)
    e = fma(e, r, _Q5)
    e = fma(e, r, _Q4)
    e = fma(e, r, _Q3)
    e = fma(e, r, _Q2)
    e = fma(e, r, 1.0)
    return fma(e, r, 1.0)


@njit_inline
def power(x):  # type: ignore[no-untyped-def]
    """``max(x, −700), exp(x)`` of a number or eight, ≤ 0; −700, 0 of NaN and where x ≤ −700."""
    at = if_more(x, _LOWEST, x, _LOWEST)
    shifted = fma(at, _LOG2_E, _TO_INTEGER)
    weight = scaled(_near(fma(_TO_INTEGER - shifted, _LN2, at)), shifted)
    return at, if_more(at, _LOWEST, weight, 0.0)
