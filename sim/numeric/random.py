"""Counter-based randomness: every draw is a function of its purpose and position, not of order.

The generator is Philox4x64-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
SC 2011), bit for bit that of `numpy.random.Philox`, but evaluated at whole arrays of counters.
The key is (seed, purpose); the counter is (record, position, attempt).
"""

from __future__ import annotations

import enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.numeric.compiled import njit, vectorize

_M0 = np.uint64(0xD2E7470EE14C6C93)
_M1 = np.uint64(0xCA5A826395121157)
_W0 = np.uint64(0x9E3779B97F4A7C15)
_W1 = np.uint64(0xBB67AE8584CAA73B)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)


@enum.unique
class Purpose(enum.IntEnum):
    """The purpose of a draw; draws for different purposes are independent."""

    TARGET = 1
    ITEM = 2
    WRONG_POSITION = 3
    VALUE_NOISE = 4
    DAY_NOISE = 5
    WRONG_CELL = 6
    WRONG_RELEASE_CELL = 7
    WRONG_ITEM = 8
    MISSING_VALUE = 9
    RECORD_LENGTH = 10
    RELEASE_VALUE = 11
    RELEASE_DAY = 12
    EVENT_WORLD = 40
    EVENT_RECORD = 41
    LIST_LENGTH = 13
    LIST_QUOTA = 14
    MENTION_HELD = 15
    MENTION_ITEM = 16
    MENTION_OTHER = 17
    ELSEWHERE_THERE = 18
    ELSEWHERE_PUNCTUAL = 19
    ELSEWHERE_ITEM = 20
    ELSEWHERE_DAY = 21
    FOLD = 30
    LIST_WRITER = 22
    MENTION_SHARE = 23
    UNICITY_POINT = 31
    CELL_OF_ITEM = 32
    UTILITY_SPLIT = 33
    UTILITY_PERSON = 34
    FACTOR = 35
    FACTOR_ORDER = 36
    FACT_DRAW = 37
    GUARD_HALF = 38
    SPARSE_PERSON = 42
    SPARSE_CELL = 43
    SPARSE_ORDER = 44


@njit
def _high_low(a, b):  # type: ignore[no-untyped-def]
    """Both halves of the 128-bit product."""
    a_low, a_high = a & _LOW, a >> _32
    b_low, b_high = b & _LOW, b >> _32
    low = a_low * b_low
    middle = a_high * b_low + (low >> _32)
    cross = a_low * b_high + (middle & _LOW)
    return a_high * b_high + (middle >> _32) + (cross >> _32), a * b


@njit
def philox(c0, c1, c2, c3, k0, k1):  # type: ignore[no-untyped-def]
    """First word of Philox4x64-10 at one counter.

    Parameters
    ----------
    c0, c1, c2, c3 : uint64
        Counter.
    k0, k1 : uint64
        Key.

    Examples
    --------
    >>> zero = np.uint64(0)
    >>> g = np.random.Philox(counter=2**256 - 1, key=0)  # NumPy counts up before it draws
    >>> int(philox(zero, zero, zero, zero, zero, zero)) == int(g.random_raw())
    True
    """
    for _ in range(10):
        high0, low0 = _high_low(_M0, c0)
        high1, low1 = _high_low(_M1, c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0 += _W0
        k1 += _W1
    return c0


@njit
def _fill(out, seed, purpose, record, position, attempt):  # type: ignore[no-untyped-def]
    zero = np.uint64(0)
    for i in range(out.size):
        out[i] = philox(record[i], position[i], attempt, zero, seed, purpose)


def words(
    seed: int, purpose: int, record: ArrayLike, position: ArrayLike = 0, attempt: int = 0
) -> NDArray[np.uint64]:
    """Uniform 64-bit words.

    Parameters
    ----------
    seed : int
        In [0, 2**64).
    purpose : int
        A `Purpose`, or a number of 2**63 or more that a plug-in draws for.
    record, position : array_like of non-negative int
        Broadcast together.

    Returns
    -------
    uint64 array of the broadcast shape

    Examples
    --------
    >>> a = words(7, Purpose.ITEM, [3, 4], [[0], [1]])
    >>> bool(a[1, 0] == words(7, Purpose.ITEM, 3, 1))
    True
    """
    r, p = np.broadcast_arrays(np.asarray(record, np.uint64), np.asarray(position, np.uint64))
    out = np.empty(r.size, np.uint64)
    _fill(out, np.uint64(seed), np.uint64(purpose), r.flatten(), p.flatten(), np.uint64(attempt))
    return out.reshape(r.shape)


# Without a signature, which would have Numba load its compiler whenever this is imported.
@vectorize
def _scale(word, n):  # type: ignore[no-untyped-def]
    high, _ = _high_low(word, n)
    return high


def below(word: ArrayLike, n: ArrayLike) -> NDArray[np.int64]:
    """Uniform integers in [0, n) from uniform words (bias below n / 2**64).

    Returns
    -------
    int64 array of the broadcast shape

    Examples
    --------
    >>> below(np.array([0, 2**63, 2**64 - 1], np.uint64), 10).tolist()
    [0, 5, 9]
    """
    scaled = _scale(np.asarray(word, np.uint64), np.asarray(n).astype(np.uint64))
    return np.asarray(scaled, np.uint64).astype(np.int64)


def unit(word: ArrayLike) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1) from uniform words: the upper 53 bits.

    Examples
    --------
    >>> unit(np.array([0, 2**63], np.uint64)).tolist()
    [0.0, 0.5]
    """
    upper = np.asarray(word, np.uint64) >> np.uint64(11)
    return np.asarray(upper.astype(np.float64) * 2.0**-53)
