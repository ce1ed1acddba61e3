"""Bit-sliced counters, which count for 64 records at once.

Plane b holds bit b of one number per record, 64 records to a word. A full adder on whole planes
(Harley & Seal's carry-save counter, as in Warren, "Hacker's Delight", 2nd ed., section 5-1) adds
one item's holders to the counts of all records with a few instructions per word. If more than about
one record in 250 holds the item, this is faster than visiting the holders one by one.

Invariant: between calls, the number of a record is Σ_b 2^b·(planes[b] + pending[b] where full[b]).
"""

from __future__ import annotations

import numpy as np

from sim.numeric.compiled import njit

_NONE = np.uint64(0)

WORD = 64
"""Records in a word."""


@njit
def full_add(total, one, other, carry, begin, end):  # type: ignore[no-untyped-def]
    """Add two planes to a third: ``total + one + other = total′ + 2·carry′``, bit by bit.

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


@njit
def _carry_target(pending, scratch, full, b, levels):  # type: ignore[no-untyped-def]
    """Return where to write a carry into plane b: to `pending` unless one is pending already."""
    return pending[b] if b < levels and not full[b] else scratch[b & 1]


@njit
def _propagate_carry(planes, pending, scratch, full, b, levels, begin, end):  # type: ignore[no-untyped-def]
    """Add a carry just written by `_carry_target` to the pending one, and so on upwards."""
    while b < levels and full[b]:
        full[b] = False
        up = _carry_target(pending, scratch, full, b + 1, levels)
        full_add(planes[b], pending[b], scratch[b & 1], up, begin, end)
        b += 1
    if b < levels:  # a carry out of the last plane is zero: no count exceeds the number of sets
        full[b] = True


@njit
def count_sets(bitmaps, rows, n, begin, end, planes, pending, scratch, full):  # type: ignore[no-untyped-def]
    """Count, for every record, the sets that contain it.

    Parameters
    ----------
    bitmaps : uint64 array, shape (S, words)
        Sets of records, one bit each.
    rows : int64 array
        The first `n` name the sets.
    begin, end : int
        Words to work on; others do not change.
    planes : uint64 array, shape (B, words)
        Written: plane b holds bit b of the counts. B must be at least `n.bit_length()`.
    pending : uint64 array, shape (B, words)
    scratch : uint64 array, shape (3, words)
        The third must be zero.
    full : bool array, shape (B,)
        `pending`, `scratch` and `full` are scratch space.

    Returns
    -------
    levels : int
        Planes written: `n.bit_length()`.

    Examples
    --------
    >>> import numpy as np
    >>> sets = np.array([[0b011], [0b110], [0b010]], np.uint64)
    >>> planes, pending, scratch = (np.zeros((3, 1), np.uint64) for _ in range(3))
    >>> rows, full = np.arange(3), np.zeros(3, np.bool_)
    >>> count_sets(sets, rows, 3, 0, 1, planes, pending, scratch, full)
    2
    >>> [f"{plane[0]:03b}" for plane in planes[:2]]  # counts 1, 3, 1
    ['111', '010']
    """
    levels = 0
    while n >> levels:
        planes[levels, begin:end] = 0
        full[levels] = False
        levels += 1
    zeros = scratch[2]
    for k in range(0, n, 2):
        second = bitmaps[rows[k + 1]] if k + 1 < n else zeros
        up = _carry_target(pending, scratch, full, 1, levels)
        full_add(planes[0], bitmaps[rows[k]], second, up, begin, end)
        _propagate_carry(planes, pending, scratch, full, 1, levels, begin, end)
    for b in range(1, levels):
        if full[b]:
            full[b] = False
            up = _carry_target(pending, scratch, full, b + 1, levels)
            full_add(planes[b], pending[b], zeros, up, begin, end)
            _propagate_carry(planes, pending, scratch, full, b + 1, levels, begin, end)
    return levels


@njit
def at_least(planes, levels, word, least):  # type: ignore[no-untyped-def]
    """Return the records of a word whose count is at least `least`.

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
