"""Counter-based random numbers inside Numba: SplitMix64, one stream per record.

The n-th number of a stream is a hash of (key, n), so a record's rows can be made anywhere, in any
order. Invariant: nothing here keeps state outside the one-element array the caller owns.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.numeric.compiled import njit
from sim.numeric.elementary import cos, log

STEP = np.uint64(0x9E3779B97F4A7C15)
"""Weyl increment (Steele, Lea and Flood, "Fast splittable pseudorandom number generators")."""

_A = np.uint64(0xBF58476D1CE4E5B9)
_B = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 2.0**-53
_TWO_PI = 2.0 * math.pi


@njit
def mix(z: Any) -> Any:
    """Hash 64 bits to 64 bits (the finaliser of SplitMix64).

    Examples
    --------
    >>> hex(mix(STEP))
    '0xe220a8397b1dcdaf'
    """
    z = (z ^ (z >> np.uint64(30))) * _A
    z = (z ^ (z >> np.uint64(27))) * _B
    return z ^ (z >> np.uint64(31))


@njit
def start(state: Any, key: Any, record: int) -> None:
    """Put `state` at the beginning of a record's stream.

    Parameters
    ----------
    state : uint64 array, shape (1,)
        Overwritten.
    key : uint64
        The key of the whole release.

    Examples
    --------
    >>> state = np.zeros(1, np.uint64)
    >>> start(state, np.uint64(7), 3)
    >>> first = bits(state)
    >>> start(state, np.uint64(7), 3)
    >>> bits(state) == first
    True
    """
    state[0] = mix(key ^ mix(np.uint64(record) * STEP + STEP))


@njit
def bits(state: Any) -> Any:
    """Draw 64 random bits.

    Parameters
    ----------
    state : uint64 array, shape (1,)

    Examples
    --------
    >>> hex(bits(np.zeros(1, np.uint64)))
    '0xe220a8397b1dcdaf'
    """
    state[0] += STEP
    return mix(state[0])


@njit
def unit(state: Any) -> float:
    """Draw uniformly from the open interval (0, 1).

    Parameters
    ----------
    state : uint64 array, shape (1,)

    Examples
    --------
    >>> 0.0 < unit(np.zeros(1, np.uint64)) < 1.0
    True
    """
    return (float(bits(state) >> np.uint64(11)) + 0.5) * _TO_UNIT


@njit
def normal(state: Any) -> float:
    """Draw from the standard normal distribution (Box and Muller, one of the pair).

    Parameters
    ----------
    state : uint64 array, shape (1,)

    Examples
    --------
    >>> abs(normal(np.zeros(1, np.uint64))) < 10.0
    True
    """
    radius = math.sqrt(-2.0 * log(unit(state)))
    return float(radius * cos(_TWO_PI * unit(state)))
