"""Sums of exponentials of scores, from which the entropy is computed.

With g = (s − best)/σ these are Σ exp(g) and Σ g·exp(g), for each convention of σ that is asked for.
Most scores are 0 on a sparse release: their number is multiplied with the one exponential.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.loops import weigh_tile
from sim.attack.kernels.powers import power
from sim.attack.kernels.simd import njit, njit_inline
from sim.attack.kernels.types import Weighing

_CHUNK = 3072  # scores taken at a time, where they do not come in tiles


@njit
def halves_first(numbers):  # type: ignore[no-untyped-def]
    """Sum of 2^k numbers, in whose place partial sums are written: the upper half to the lower."""
    half = numbers.size // 2
    while half > 0:
        for j in range(half):
            numbers[j] += numbers[j + half]
        half //= 2
    return numbers[0]


@njit
def make_weighing(sigma, records):  # type: ignore[no-untyped-def]
    """Return the buffers of `weigh_tile` for tiles of up to this number of records."""
    n, conventions = sigma.shape
    return Weighing(
        sigma,
        np.zeros((n, 1 + 2 * conventions, WIDTH)),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.empty(records + 2 * WIDTH),
        np.empty((2, records + 2 * WIDTH)),
    )


@njit_inline
def has_spread(sigma, c):  # type: ignore[no-untyped-def]
    """Whether there is anything to weigh by: some σ is above 0."""
    found = False
    for j in range(sigma.shape[1]):
        found |= sigma[c, j] > 0
    return found


@njit
def finish_weighing(zeros, best, c, weighing, out):  # type: ignore[no-untyped-def]
    """Add the pending scores of prefix c and those that are 0; write Σ exp(g) and Σ g·exp(g)."""
    sigma, lane_sums = weighing.sigma, weighing.lane_sums
    for j in range(sigma.shape[1]):
        if sigma[c, j] > 0:
            over = 1.0 / sigma[c, j]
            for k in range(weighing.pending[c]):
                gap, weight = power((lane_sums[c, 0, k] - best) * over)
                lane_sums[c, 1 + 2 * j, k] += weight
                lane_sums[c, 2 + 2 * j, k] += gap * weight
            out[j, 0] = halves_first(lane_sums[c, 1 + 2 * j])
            out[j, 1] = halves_first(lane_sums[c, 2 + 2 * j])
            if zeros > 0:
                gap, weight = power(-best / sigma[c, j])
                out[j, 0] += zeros * weight
                out[j, 1] += zeros * (gap * weight)


@njit
def weigh(score, best, sigma, log, out):  # type: ignore[no-untyped-def]
    """Σ exp(g) and Σ g·exp(g) for every σ above 0; NaN is no candidate.

    Where the scores are logarithms, g = (exp(s − best) − 1)/σ. ``best`` is at least every score.
    """
    weighing = make_weighing(sigma.reshape(1, sigma.size), _CHUNK)
    if not has_spread(weighing.sigma, 0):
        return
    chunk = np.empty(_CHUNK if log else 0)
    for begin in range(0, score.size, _CHUNK):
        n = min(_CHUNK, score.size - begin)
        part = score[begin : begin + n]
        if log:
            for j in range(n):
                _, weight = power(part[j] - best)
                chunk[j] = weight - 1.0 if part[j] == part[j] else np.nan
            part = chunk
        weigh_tile(part, n, 0.0 if log else best, 0, weighing)
    zeros = score.size - weighing.nonzero[0]
    finish_weighing(zeros, 0.0 if log else best, 0, weighing, out)


@njit
def _deviation(count, total, squares, equal):  # type: ignore[no-untyped-def]
    """σ with the arithmetic of `sim.attack.engine.decisions.sigma`."""
    n = max(count, 1)
    mean = total / n
    return 0.0 if equal else math.sqrt(max(squares / n - mean * mean, 0.0))


@njit
def sigmas_of(o, log, overlapping, sigma):  # type: ignore[no-untyped-def]
    """Write σ of the partials of a whole release, by each convention.

    ``overlapping`` says of each whether σ is over the records that share an item with the aux only.
    """
    for j in range(overlapping.size):
        if overlapping[j]:
            count, alike = o["overlapping"], o["overlapping_least"] >= o["overlapping_best"]
            total, squares = o["overlapping_sum"], o["overlapping_squares"]
            if log:
                total, squares = o["overlapping_exp"], o["overlapping_exp_squares"]
        else:
            count, alike = o["candidates"], o["ties"] >= o["candidates"]
            total, squares = o["sum"], o["sum_squares"]
            if log:
                total, squares = o["exp"], o["exp_squares"]
        sigma[j] = _deviation(count, total, squares, alike)
