"""Sets of small numbers as bits: bit b of word w stands for 64·w + b."""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

import numpy as np

from sim.numeric.compiled import njit

WORD = 64
"""Bits of a word."""

_ONE = np.uint64(1)
_ODD, _PAIRS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
_NIBBLES, _BYTES = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)


@njit
def popcount(x):  # type: ignore[no-untyped-def]
    """Bits that are set in a word.

    Examples
    --------
    >>> int(popcount(np.uint64(0b1011)))
    3
    """
    # Sums of ever wider fields of bits, which compilers know as a population count.
    x -= (x >> _ONE) & _ODD
    x = (x & _PAIRS) + ((x >> np.uint64(2)) & _PAIRS)
    x = (x + (x >> np.uint64(4))) & _NIBBLES
    return (x * _BYTES) >> np.uint64(56)


@njit
def has_bit(bits, number):  # type: ignore[no-untyped-def]
    """Return 1 if the bit of a number is set, else 0.

    Examples
    --------
    >>> bits = np.array([0, 2], np.uint64)
    >>> int(has_bit(bits, np.uint64(65))), int(has_bit(bits, np.uint64(64)))
    (1, 0)
    """
    at = np.uint64(number)
    return np.int64((bits[at >> np.uint64(6)] >> (at & np.uint64(63))) & _ONE)


@njit
def set_bits(numbers, begin, end, bits):  # type: ignore[no-untyped-def]
    """Set the bits of numbers[begin:end].

    Examples
    --------
    >>> bits = np.zeros(2, np.uint64)
    >>> set_bits(np.array([7, 65, 0], np.uint16), 1, 3, bits)
    >>> bits.tolist()
    [1, 2]
    """
    for k in range(begin, end):
        at = np.uint64(numbers[k])
        bits[at >> np.uint64(6)] |= _ONE << (at & np.uint64(63))


@njit
def lowest_bit(x):  # type: ignore[no-untyped-def]
    """Place of the lowest bit that is set in a word that is not 0.

    Examples
    --------
    >>> int(lowest_bit(np.uint64(0b1000)))
    3
    """
    return popcount((x & (~x + _ONE)) - _ONE)


@njit
def take_bits(bits, numbers):  # type: ignore[no-untyped-def]
    """Write the numbers whose bits are set, ascending, and unset them; return how many there are.

    Examples
    --------
    >>> bits, numbers = np.array([128, 2], np.uint64), np.zeros(3, np.int32)
    >>> take_bits(bits, numbers), numbers.tolist(), bits.tolist()
    (2, [7, 65, 0], [0, 0])
    """
    n = 0
    for w in range(np.uint64(bits.size)):
        word = bits[w]
        if word == 0:
            continue
        bits[w] = 0
        while word != 0:
            numbers[np.uint64(n)] = w * np.uint64(WORD) + lowest_bit(word)
            word &= word - _ONE
            n += 1
    return n
