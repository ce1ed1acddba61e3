"""Counting for 64 records at once: numbers held as layers of bits.

Layer b holds bit b of one number per record, 64 records to a word. A full adder on whole layers
(Harley & Seal's carry-save counter, as in Warren, "Hacker's Delight", 2nd ed., section 5-1) then
adds one item's holders to the counts of all records with a few instructions per word: where more
than one record in 250 or so holds the item, that is faster than touching its holders one by one.

Invariant: between calls, the number of a record is Σ_b 2^b·(planes[b] + waiting[b] where full[b]).
"""

from __future__ import annotations

import numpy as np
from numba import njit

_NONE = np.uint64(0)

WORD = 64
"""Records in a word."""


@njit(cache=True, nogil=True)
def full_add(total, one, other, carry, begin, end):  # type: ignore[no-untyped-def]
    """Add two layers to a third: ``total + one + other = total′ + 2·carry′``, bit by bit.

    Parameters
    ----------
    total : uint64 array, shape (words,)
        Changed in place.
    one, other : uint64 arrays, shape (words,)
    carry : uint64 array, shape (words,)
        Written; no other argument may share its memory.
    begin, end : int
        Words to work on.

    Examples
    --------
    >>> import numpy as np
    >>> a, b, c, carry = (np.array([x], np.uint64) for x in (0b0011, 0b0101, 0b0001, 0))
    >>> full_add(a, b, c, carry, 0, 1); print(f"{a[0]:04b} {carry[0]:04b}")
    0111 0001
    """
    for w in range(np.uint64(begin), np.uint64(end)):  # unsigned: no check for wrap-around
        x, y, z = total[w], one[w], other[w]
        odd = x ^ y
        total[w] = odd ^ z
        carry[w] = (x & y) | (odd & z)


@njit(cache=True, nogil=True)
def _room(waiting, spare, full, b, levels):  # type: ignore[no-untyped-def]
    """Where a carry into layer b goes: it waits there for a second one, if none waits yet."""
    return waiting[b] if b < levels and not full[b] else spare[b & 1]


@njit(cache=True, nogil=True)
def _arrived(planes, waiting, spare, full, b, levels, begin, end):  # type: ignore[no-untyped-def]
    """A carry lies where `_room` said: add it up with the one that waited, and so on upwards."""
    while b < levels and full[b]:
        full[b] = False
        up = _room(waiting, spare, full, b + 1, levels)
        full_add(planes[b], waiting[b], spare[b & 1], up, begin, end)
        b += 1
    if b < levels:  # beyond the last layer a carry is zero: no number exceeds the count of sets
        full[b] = True


@njit(cache=True, nogil=True)
def count_sets(bitmaps, rows, n, begin, end, planes, waiting, spare, full):  # type: ignore[no-untyped-def]
    """Count, for every record, how many of some sets hold it.

    Parameters
    ----------
    bitmaps : uint64 array, shape (S, words)
        Sets of records, one bit each.
    rows : int64 array
        The first `n` name the sets.
    begin, end : int
        Words to work on; others are left as they are.
    planes : uint64 array, shape (B, words)
        Written: layer b holds bit b of the counts. B must be at least `n.bit_length()`.
    waiting : uint64 array, shape (B, words)
    spare : uint64 array, shape (3, words)
        The third must be zero.
    full : bool array, shape (B,)
        `waiting`, `spare` and `full` are room to work in.

    Returns
    -------
    levels : int
        Layers written: `n.bit_length()`.

    Examples
    --------
    >>> import numpy as np
    >>> sets = np.array([[0b011], [0b110], [0b010]], np.uint64)
    >>> planes, waiting, spare = (np.zeros((3, 1), np.uint64) for _ in range(3))
    >>> rows, full = np.arange(3), np.zeros(3, np.bool_)
    >>> count_sets(sets, rows, 3, 0, 1, planes, waiting, spare, full)
    2
    >>> [f"{plane[0]:03b}" for plane in planes[:2]]  # counts 1, 3, 1
    ['111', '010']
    """
    levels = 0
    while n >> levels:
        planes[levels, begin:end] = 0
        full[levels] = False
        levels += 1
    zeros = spare[2]
    for k in range(0, n, 2):
        second = bitmaps[rows[k + 1]] if k + 1 < n else zeros
        up = _room(waiting, spare, full, 1, levels)
        full_add(planes[0], bitmaps[rows[k]], second, up, begin, end)
        _arrived(planes, waiting, spare, full, 1, levels, begin, end)
    for b in range(1, levels):
        if full[b]:
            full[b] = False
            up = _room(waiting, spare, full, b + 1, levels)
            full_add(planes[b], waiting[b], zeros, up, begin, end)
            _arrived(planes, waiting, spare, full, b + 1, levels, begin, end)
    return levels


@njit(cache=True, nogil=True)
def at_least(planes, levels, word, least):  # type: ignore[no-untyped-def]
    """Which records of a word have a count of at least `least`.

    Parameters
    ----------
    planes : uint64 array, shape (B, words)

    Returns
    -------
    uint64
        One bit per record.

    Examples
    --------
    >>> import numpy as np
    >>> planes = np.array([[0b111], [0b010]], np.uint64)  # counts 1, 3, 1
    >>> f"{at_least(planes, 2, 0, 2):03b}"
    '010'
    """
    if least <= 0:
        return ~_NONE
    if least >> levels:
        return _NONE
    more, same = _NONE, ~_NONE
    for k in range(levels):
        b = levels - 1 - k
        if (least >> b) & 1:
            same &= planes[b, word]
        else:
            more |= same & planes[b, word]
    return more | same
