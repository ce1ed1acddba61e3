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

import numba
import numpy as np

from sim.attack.kernels.lanes import ALL, WIDTH, added_up, between, equal, number_of, only, spread
from sim.attack.kernels.moving import append, load, store
from sim.attack.kernels.numeric import fma, if_more, scaled, uncounted
from sim.attack.kernels.tiled import TILE

CHUNK = 512
"""Numbers taken at a time; also chains of sums, of which each number has its own."""

FLOW = 5 * WIDTH
"""Room for what a cut hands from tile to tile: four chains of sums, and scores that wait."""

_LOWEST = -700.0
"""An exponential of less is taken for 0: it is below 1e-304."""

_U = np.uint64
_ALL, _WIDTH, _LAST = np.uint8(ALL), _U(WIDTH), _U(WIDTH - 1)
_NONE, _TWO, _THREE, _WAITING = _U(0), _U(2), _U(3), _U(4 * WIDTH)
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
def power(x):  # type: ignore[no-untyped-def]
    """``max(x, −700), exp(x)`` of a number or eight, ≤ 0; −700, 0 of NaN and where x ≤ −700."""
    at = if_more(x, _LOWEST, x, _LOWEST)
    shifted = fma(at, _LOG2_E, _TO_INTEGER)
    weight = scaled(_near(fma(_TO_INTEGER - shifted, _LN2, at)), shifted)
    return at, if_more(at, _LOWEST, weight, 0.0)


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


@numba.njit(cache=True, nogil=True, inline="always")
def _weigh_eight(s, those, best, over, other, chains):  # type: ignore[no-untyped-def]
    """Add exp(g) and g·exp(g) of the scores of a mask, by both 1/σ."""
    above = s - best
    gap, weight = power(above * over)
    weight = only(weight, those)
    gap2, weight2 = power(above * other)
    weight2 = only(weight2, those)
    return (
        chains[0] + weight, chains[1] + gap * weight,
        chains[2] + weight2, chains[3] + gap2 * weight2,
    )  # fmt: skip


@numba.njit(cache=True, nogil=True, inline="always")
def _chains(flow, at):  # type: ignore[no-untyped-def]
    return (
        load(flow, at, _ALL), load(flow, at + _WIDTH, _ALL),
        load(flow, at + _TWO * _WIDTH, _ALL), load(flow, at + _THREE * _WIDTH, _ALL),
    )  # fmt: skip


@numba.njit(cache=True, nogil=True, inline="always")
def _keep_chains(flow, at, chains):  # type: ignore[no-untyped-def]
    store(flow, at, chains[0])
    store(flow, at + _WIDTH, chains[1])
    store(flow, at + _TWO * _WIDTH, chains[2])
    store(flow, at + _THREE * _WIDTH, chains[3])


@numba.njit(cache=True, nogil=True, inline="always")
def _both_over(sigma, c):  # type: ignore[no-untyped-def]
    """1/σ by both conventions; where one σ is 0, the other is taken twice."""
    over = 1.0 / (sigma[c, 0] if sigma[c, 0] > 0 else sigma[c, 1])
    return over, 1.0 / sigma[c, 1] if sigma[c, 1] > 0 else over


@numba.njit(cache=True, nogil=True, inline="always")
def _keep(s, those, room, kept):  # type: ignore[no-untyped-def]
    """Append the scores that are not 0, of those of a mask."""
    those = those & ~equal(s, spread(0.0), those)
    append(room, kept, those, s)
    return kept + _U(number_of(those))


@numba.njit(cache=True, nogil=True, inline="always")
def is_spread(sigma, c):  # type: ignore[no-untyped-def]
    """Whether there is anything to weigh by: σ is above 0 by either convention."""
    return sigma[c, 0] > 0 or sigma[c, 1] > 0


@uncounted
def weigh_tile(score, n, best, sigma, room, waiting, flow, c):  # type: ignore[no-untyped-def]
    """Weigh the next n scores at cut c, of which those that are 0 are but left out.

    Scores are taken in eights, in their order, whatever tiles they come in: the end of ``flow[c]``
    holds those that wait for an eighth, of which there are so many, and `room` all of a tile.
    Returns how many wait, and how many were not 0.
    """
    n, kept, at = _U(n), _U(waiting), _U(c * FLOW)
    store(room, _NONE, load(flow, at + _WAITING, _ALL))
    full = n & ~_LAST
    for r in range(_NONE, full, _WIDTH):
        kept = _keep(load(score, r, _ALL), _ALL, room, kept)
    if full < n:
        those = between(full, _NONE, n)
        kept = _keep(load(score, full, those), those, room, kept)
    over, other = _both_over(sigma, c)
    chains, whole = _chains(flow, at), kept & ~_LAST
    for k in range(_NONE, whole, _WIDTH):
        chains = _weigh_eight(load(room, k, _ALL), _ALL, best, over, other, chains)
    _keep_chains(flow, at, chains)
    store(flow, at + _WAITING, load(room, whole, _ALL))
    return np.int64(kept & _LAST), np.int64(kept) - waiting


@numba.njit(cache=True, nogil=True)
def weigh_rest(zeros, best, sigma, waiting, flow, c, out):  # type: ignore[no-untyped-def]
    """Weigh the scores that wait at cut c, and those that are 0; say Σ exp(g) and Σ g·exp(g)."""
    over, other = _both_over(sigma, c)
    those, at = between(_NONE, _NONE, _U(waiting)), _U(c * FLOW)
    s = load(flow, at + _WAITING, those)
    chains = _weigh_eight(s, those, best, over, other, _chains(flow, at))
    if sigma[c, 0] > 0:
        out[0, 0], out[0, 1] = added_up(chains[0]), added_up(chains[1])
    if sigma[c, 1] > 0:
        out[1, 0], out[1, 1] = added_up(chains[2]), added_up(chains[3])
    for j in range(2):
        if zeros > 0 and sigma[c, j] > 0:
            gap, weight = power(-best / sigma[c, j])
            out[j, 0] += zeros * weight
            out[j, 1] += zeros * (gap * weight)


@numba.njit(cache=True, nogil=True)
def weigh(score, best, sigma, log, out):  # type: ignore[no-untyped-def]
    """Σ exp(g) and Σ g·exp(g), g = (s − best)/σ, for both σ if above 0; NaN is no candidate.

    Where the scores are logarithms, g = (exp(s − best) − 1)/σ. ``best`` is a score, or above all.
    """
    both = sigma.reshape(1, 2)
    if not is_spread(both, 0):
        return
    room, flow = np.empty(TILE + 2 * WIDTH), np.zeros(FLOW)
    tile = np.empty(TILE if log else 0)
    zeros, waiting = np.int64(0), np.int64(0)
    for begin in range(0, score.size, TILE):
        m = min(TILE, score.size - begin)
        part = score[begin : begin + m]
        if log:
            for j in range(m):
                _, weight = power(part[j] - best)
                tile[j] = weight - 1.0 if part[j] == part[j] else np.nan
            part = tile
        waiting, kept = weigh_tile(part, m, 0.0 if log else best, both, room, waiting, flow, 0)
        zeros += m - kept
    weigh_rest(zeros, 0.0 if log else best, both, waiting, flow, 0, out)


@numba.njit(cache=True, nogil=True)
def _deviation(count, total, squares, equal):  # type: ignore[no-untyped-def]
    """σ with the arithmetic of `sim.attack.engine.decisions.sigma`."""
    n = max(count, 1)
    mean = total / n
    return 0.0 if equal else math.sqrt(max(squares / n - mean * mean, 0.0))


@numba.njit(cache=True, nogil=True)
def both_sigmas(o, log, sigma):  # type: ignore[no-untyped-def]
    """σ of the partials of a whole release, by both conventions."""
    alike, alike_touched = o["ties"] >= o["candidates"], o["touched_least"] >= o["touched_best"]
    if log:
        sigma[0] = _deviation(o["candidates"], o["exp"], o["exp_squares"], alike)
        sigma[1] = _deviation(
            o["touched"], o["touched_exp"], o["touched_exp_squares"], alike_touched
        )
    else:
        sigma[0] = _deviation(o["candidates"], o["sum"], o["sum_squares"], alike)
        sigma[1] = _deviation(o["touched"], o["touched_sum"], o["touched_squares"], alike_touched)
