"""Compares two records' nearness, and bounds the agreement and length of a nearer record.

*best* is the nearest record so far as (record, agree, union): `agree` cells of `union` items agree;
record −1 stands for none. Invariant: all arithmetic is on whole numbers; no bound excludes a record
that would beat or tie the best.
"""

from __future__ import annotations

import enum

import numpy as np

from sim.numeric.compiled import njit


class MetricKind(enum.IntEnum):
    """The kind of metric: how nearness depends on agreement."""

    PRESENCE = 0
    """agree/union, where all items in common agree."""
    AGREEMENT = 1
    """agree/union, where some items in common agree."""
    HAMMING = 2
    """Least union − agree, where all items in common agree."""


_PRESENCE, _HAMMING = int(MetricKind.PRESENCE), int(MetricKind.HAMMING)

ANY_LENGTH = np.int64(2**62)
"""Greatest length, for no limit."""


@njit
def is_nearer(kind, agree, union, record, best):  # type: ignore[no-untyped-def]
    """Whether a record beats the best; at a tie the lower one does.

    Parameters
    ----------
    best : int64 array, shape (3,)

    Examples
    --------
    >>> best = np.array([7, 1, 3])
    >>> is_nearer(0, 2, 6, 8, best), is_nearer(0, 2, 6, 5, best)  # 2/6 ties with 1/3
    (False, True)
    """
    if best[0] < 0:
        return True
    closer = (best[2] - best[1]) - (union - agree)
    gain = closer if kind == _HAMMING else agree * best[2] - best[1] * union
    return gain > 0 or (gain == 0 and record < best[0])


@njit
def min_agreement(kind, length, other, best):  # type: ignore[no-untyped-def]
    """Least number of agreeing cells with which a record may beat or tie the best.

    Where items in common may disagree, the union may be as small as the longer record. By
    similarity the bound is at least 1: among records that agree nowhere the lowest is the nearest,
    and `search` tries the lowest of a block first.

    Parameters
    ----------
    length, other : int
        Of the target and of the record; the result does not fall as `other` grows.
    best : int64 array, shape (3,)
        Not none.

    Examples
    --------
    >>> best = np.array([0, 1, 3])
    >>> min_agreement(0, 6, 6, best)  # 3/(6 + 6 − 3) = 1/3
    3
    >>> min_agreement(1, 6, 6, best)  # 2/6 = 1/3, if the records hold the same items
    2
    """
    if kind == _HAMMING:
        return (length + other - (best[2] - best[1]) + 1) >> 1
    if kind == _PRESENCE:
        return max(-(-best[1] * (length + other) // (best[1] + best[2])), 1)
    return max(-(-best[1] * max(length, other) // best[2]), 1)


@njit
def possible_lengths(kind, length, best):  # type: ignore[no-untyped-def]
    """Least and greatest length of a record that may beat or tie the best.

    At most as many cells agree as the shorter record has, so Sim is at most min(l, l′)/max(l, l′)
    and the Hamming distance at least |l − l′|.

    Parameters
    ----------
    length : int
        Of the target.
    best : int64 array, shape (3,)
        Not none.

    Examples
    --------
    >>> possible_lengths(0, 10, np.array([0, 2, 5]))
    (4, 25)
    """
    if kind == _HAMMING:
        distance = best[2] - best[1]
        return length - distance, length + distance
    if best[1] == 0:
        return np.int64(1), ANY_LENGTH
    return -(-best[1] * length // best[2]), length * best[2] // best[1]
