"""Sums of the exponentials of log scores, from which the posterior and its entropy are computed.

Only possible records count. In the order of the records, each is added in the lane of its number
among them, modulo the number of lanes. So whoever leaves out records that are impossible anyway
finds the same bits.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.entropy_weights import halves_first
from sim.attack.kernels.powers import power
from sim.attack.kernels.simd import njit, njit_inline, njit_no_nrt

_U = np.uint64  # unsigned indices need no check for wrap-around
LANES = 64
"""Lanes of the sums."""


@njit
def make_lanes():  # type: ignore[no-untyped-def]
    """Memory for `exponential_sums`."""
    return np.empty((3, LANES))


@njit_inline
def _add(s, lane, score, best, sums):  # type: ignore[no-untyped-def]
    gap, weight = power(score[s] - best)
    sums[0, lane] += weight
    sums[1, lane] += weight * weight
    sums[2, lane] += gap * weight


@njit_no_nrt
def exponential_sums(n, score, best, sums):  # type: ignore[no-untyped-def]
    """Σ e, Σ e² and Σ (s − best)·e of the first n scores s, where e = exp(s − best).

    Parameters
    ----------
    score : float64 array, shape (≥ n,)
        Of possible records, ascending by record: neither NaN nor −∞.
    best : float
        The highest of them.
    """
    sums[:] = 0.0
    whole = _U(n - n % LANES)
    for begin in range(_U(0), whole, _U(LANES)):
        for lane in range(_U(LANES)):  # always as many, so that the compiler takes many at a time
            _add(begin + lane, lane, score, best, sums)
    for lane in range(_U(n) - whole):
        _add(whole + lane, lane, score, best, sums)
    return halves_first(sums[0]), halves_first(sums[1]), halves_first(sums[2])
