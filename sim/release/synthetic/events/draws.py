"""Philox inside Numba, one stream per record; and draws of groups and items.

Invariant: the n-th number of a stream is a function of the key, the record and n.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.numeric.compiled import njit
from sim.numeric.elementary import cos, log
from sim.numeric.random import Purpose, philox

_RECORD = np.uint64(Purpose.EVENT_RECORD)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_11 = np.uint64(11)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_TO_UNIT = 2.0**-53
_TWO_PI = 2.0 * math.pi

WORDS = 3
"""Words of a stream's state: key, record, numbers drawn so far."""


@njit
def start(state: Any, key: Any, record: int) -> None:
    """Put `state` at the beginning of a record's stream.

    Parameters
    ----------
    state : uint64 array, shape (3,)
        Overwritten.
    key : uint64
        The key of the whole release.
    """
    state[0], state[1], state[2] = key, np.uint64(record), _ZERO


@njit
def bits(state: Any) -> Any:
    """Draw 64 random bits.

    Examples
    --------
    >>> from sim.numeric.random import words
    >>> state = np.zeros(WORDS, np.uint64)
    >>> start(state, np.uint64(7), 3)
    >>> [bits(state) for _ in range(2)] == words(7, Purpose.EVENT_RECORD, 3, [0, 1]).tolist()
    True
    """
    word = philox(state[1], state[2], _ZERO, _ZERO, state[0], _RECORD)
    state[2] += _ONE
    return word


@njit
def unit(state: Any) -> float:
    """Draw uniformly from the open interval (0, 1)."""
    return (float(bits(state) >> _11) + 0.5) * _TO_UNIT


@njit
def normal(state: Any) -> float:
    """Draw from the standard normal distribution (Box and Muller, one of the pair)."""
    radius = math.sqrt(-2.0 * log(unit(state)))
    return float(radius * cos(_TWO_PI * unit(state)))


@njit
def pick(state: Any, cumulative: Any) -> int:
    """Draw a place with the probabilities that add up to `cumulative`, whose last is 1."""
    return int(np.searchsorted(cumulative, unit(state)))


@njit
def item_of(state: Any, world: Any, group: int) -> int:
    """Draw an item of a group, by popularity."""
    word = bits(state)
    m = world.cut.shape[1]
    column = np.int64(((word >> _HALF) * np.uint64(m)) >> _HALF)
    if word & _LOW > world.cut[group, column]:
        column = np.int64(world.alias[group, column])
    return int(group * m + column)
