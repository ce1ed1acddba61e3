"""Exponentials of scores, by the thousand: what the entropy sums up.

exp(x) = 2^k·e^r with |r| ≤ ln 2/2, and e^r by its Taylor series up to r¹¹, which leaves out less
than 1e-14 of it. Every step is the same for all numbers, so the compiler can take eight at a time;
fused multiplications are asked for by name, so that every machine makes the same bits.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import math

import numba
import numpy as np

from sim.attack.numeric import fma

CHUNK = 512
"""Numbers taken at a time; also chains of sums, of which each number has its own."""

_LOWEST = -700.0
"""An exponential of less is taken for 0: it is below 1e-304."""

_LOG2_E = 1.0 / math.log(2.0)
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")  # so short that its multiples are exact
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_TO_INTEGER = 1.5 * 2.0**52  # added to a number, leaves it rounded in the lowest bits
_T11, _T10, _T9, _T8, _T7, _T6, _T5, _T4, _T3 = (1.0 / math.factorial(k) for k in range(11, 2, -1))


@numba.njit(cache=True, nogil=True)
def exponentials(x, m, power, out):  # type: ignore[no-untyped-def]
    """``out[:m] = exp(x[:m])`` for x ≤ 0 or NaN; 0 for NaN and where x < −700, which x then is.

    ``power`` is room for as many numbers.
    """
    for j in range(m):
        at = x[j] if x[j] > _LOWEST else _LOWEST
        shifted = fma(at, _LOG2_E, _TO_INTEGER)
        k = shifted - _TO_INTEGER
        r = fma(-k, _LN2_LOW, fma(-k, _LN2_HIGH, at))
        e = fma(_T11, r, _T10)
        e = fma(e, r, _T9)
        e = fma(e, r, _T8)
        e = fma(e, r, _T7)
        e = fma(e, r, _T6)
        e = fma(e, r, _T5)
        e = fma(e, r, _T4)
        e = fma(e, r, _T3)
        e = fma(e, r, 0.5)
        e = fma(e, r, 1.0)
        out[j] = fma(e, r, 1.0)
        power[j] = shifted
        x[j] = at
    bits, powers = out.view(np.int64), power.view(np.int64)
    for j in range(m):
        bits[j] += powers[j] << 52
    for j in range(m):
        out[j] = out[j] if x[j] > _LOWEST else 0.0


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
def weigh(score, best, sigma, log, out):  # type: ignore[no-untyped-def]
    """Σ exp(g) and Σ g·exp(g), g = (s − best)/σ, for every σ above 0; NaN is no candidate.

    Where the scores are logarithms, g = (exp(s − best) − 1)/σ.
    """
    n = score.size
    gap, weight, power = np.empty(CHUNK), np.empty(CHUNK), np.empty(CHUNK)
    weights, gaps = np.empty(CHUNK), np.empty(CHUNK)
    for c in range(sigma.size):
        if not sigma[c] > 0:
            continue
        over = 1.0 / sigma[c]
        weights[:] = 0.0
        gaps[:] = 0.0
        for begin in range(0, n, CHUNK):
            m = min(CHUNK, n - begin)
            part = score[begin : begin + m]
            if log:
                for j in range(m):
                    gap[j] = part[j] - best
                exponentials(gap, m, power, weight)
                for j in range(m):
                    gap[j] = (weight[j] - 1.0) * over if part[j] == part[j] else -np.inf
            else:
                for j in range(m):
                    gap[j] = (part[j] - best) * over
            exponentials(gap, m, power, weight)
            for j in range(m):
                weights[j] += weight[j]
                gaps[j] += gap[j] * weight[j]
        out[c, 0] = summed(weights)
        out[c, 1] = summed(gaps)


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
