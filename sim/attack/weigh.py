"""Exponentials of scores, by the thousand: what the entropy sums up.

exp(x) = 2^k·e^r with |r| ≤ ln 2/2, and e^r by a polynomial of the ninth degree, 1 + r + r²·q(r),
whose q was fitted to leave out at most 1.7e-14 of e^r wherever it is; k·ln 2 is taken off in one
step, which adds at most 6e-14 at x = −700 and 4e-15 from −40 on. So the relative error is below
1e-13, and that of an entropy below 1e-12 bits. Every step is the same for all numbers, so the
compiler can take several at a time; fused multiplications are asked for by name, so that every
machine makes the same bits.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from sim.attack.numeric import fma

CHUNK = 512
"""Numbers taken at a time; also chains of sums, of which each number has its own."""

_LOWEST = -700.0
"""An exponential of less is taken for 0: it is below 1e-304."""

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


@intrinsic
def _bits(typing: Any, number: Any) -> Any:  # noqa: ARG001
    """Take a number's bits for an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _number(typing: Any, bits: Any) -> Any:  # noqa: ARG001
    """Take an integer's bits for a number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@numba.njit(cache=True, nogil=True, inline="always")
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


@numba.njit(cache=True, nogil=True, inline="always")
def _within(x):  # type: ignore[no-untyped-def]
    """exp(x) for −700 ≤ x ≤ 0."""
    shifted = fma(x, _LOG2_E, _TO_INTEGER)
    e = _near(fma(_TO_INTEGER - shifted, _LN2, x))
    return _number(_bits(e) + (_bits(shifted) << 52))


@numba.njit(cache=True, nogil=True, inline="always")
def power(x):  # type: ignore[no-untyped-def]
    """``max(x, −700), exp(x)`` for x ≤ 0 or NaN; −700, 0 for NaN and where x ≤ −700."""
    at = x if x > _LOWEST else _LOWEST
    weight = _within(at)
    return at, weight if at > _LOWEST else 0.0


@numba.njit(cache=True, nogil=True)
def exponentials(x, m, out):  # type: ignore[no-untyped-def]
    """``out[:m] = exp(x[:m])`` for x ≤ 0 or NaN; 0 for NaN and where x ≤ −700, which x then is."""
    for j in range(m):
        x[j], out[j] = power(x[j])


@numba.njit(cache=True, nogil=True)
def summed(chains):  # type: ignore[no-untyped-def]
    """Add up, halves first."""
    half = chains.size // 2
    while half > 0:
        for j in range(half):
            chains[j] += chains[j + half]
        half //= 2
    return chains[0]


@numba.njit(cache=True, nogil=True)
def _others(score, zeros):  # type: ignore[no-untyped-def]
    """Scores that are not 0, of which there are so many, in their order."""
    kept, n = np.empty(score.size - zeros + 1), 0
    for s in score:
        kept[n] = s  # without a branch: which come is chance
        n += s != 0
    return kept[:n]


@numba.njit(cache=True, nogil=True)
def _shares(score, best):  # type: ignore[no-untyped-def]
    """``exp(s − best) − 1`` of every candidate."""
    share = np.empty(score.size)
    for j in range(score.size):
        _, weight = power(score[j] - best)
        share[j] = weight - 1.0 if score[j] == score[j] else np.nan
    return share


@numba.njit(cache=True, nogil=True)
def _weigh_by(score, best, over, other, chains):  # type: ignore[no-untyped-def]
    """Add exp(g) and g·exp(g) of each score to the chains, by both 1/σ."""
    for begin in range(0, score.size, CHUNK):
        m = min(CHUNK, score.size - begin)
        part = score[begin : begin + m]
        for j in range(m):
            above = part[j] - best
            gap, weight = power(above * over)
            chains[0, j] += weight
            chains[1, j] += gap * weight
            gap, weight = power(above * other)
            chains[2, j] += weight
            chains[3, j] += gap * weight


@numba.njit(cache=True, nogil=True)
def weigh(score, best, sigma, log, out):  # type: ignore[no-untyped-def]
    """Σ exp(g) and Σ g·exp(g), g = (s − best)/σ, for both σ if above 0; NaN is no candidate.

    Where the scores are logarithms, g = (exp(s − best) − 1)/σ. Where most scores are 0, those are
    counted, and weighed but once. ``best`` is a score, or above all.
    """
    if not (sigma[0] > 0 or sigma[1] > 0):
        return
    zeros = 0
    if not log:
        for s in score:
            zeros += s == 0
        zeros = zeros if 2 * zeros > score.size else 0
    chains = np.zeros((4, CHUNK))
    # Where one σ is 0, the other is taken twice.
    over = 1.0 / (sigma[0] if sigma[0] > 0 else sigma[1])
    other = 1.0 / sigma[1] if sigma[1] > 0 else over
    if log:
        _weigh_by(_shares(score, best), 0.0, over, other, chains)
    elif zeros > 0:
        _weigh_by(_others(score, zeros), best, over, other, chains)
    else:
        _weigh_by(score, best, over, other, chains)
    for c in range(2):
        if sigma[c] > 0:
            out[c, 0], out[c, 1] = summed(chains[2 * c]), summed(chains[2 * c + 1])
            if zeros > 0:
                gap, weight = power(-best / sigma[c])
                out[c, 0] += zeros * weight
                out[c, 1] += zeros * (gap * weight)


@numba.njit(cache=True, nogil=True)
def _deviation(count, total, squares, equal):  # type: ignore[no-untyped-def]
    """σ with the arithmetic of `sim.attack.decisions.sigma`."""
    n = max(count, 1)
    mean = total / n
    return 0.0 if equal else math.sqrt(max(squares / n - mean * mean, 0.0))


@numba.njit(cache=True, nogil=True)
def weigh_whole(score, o, log, out):  # type: ignore[no-untyped-def]
    """Weigh the scores of a whole release by the σ of its partials, by both conventions."""
    alike, alike_touched = o["ties"] >= o["candidates"], o["touched_least"] >= o["touched_best"]
    sigma = np.empty(2)
    if log:
        sigma[0] = _deviation(o["candidates"], o["exp"], o["exp_squares"], alike)
        sigma[1] = _deviation(
            o["touched"], o["touched_exp"], o["touched_exp_squares"], alike_touched
        )
    else:
        sigma[0] = _deviation(o["candidates"], o["sum"], o["sum_squares"], alike)
        sigma[1] = _deviation(o["touched"], o["touched_sum"], o["touched_squares"], alike_touched)
    weigh(score, o["best"], sigma, log, out)
