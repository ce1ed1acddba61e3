"""Which aux sets are beginnings of others, so that one scan serves them all.

Aux sets of one target are drawn on common random numbers: that of two facts is the beginning of
that of eight. Nothing is taken for granted, though: the facts themselves are compared, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Nest:
    """How S scans serve U aux sets.

    Parameters
    ----------
    scanned : int64 array, shape (S,)
        Aux set whose facts each scan goes through, those of one target next to each other.
    start : int64 array, shape (S + 1,)
        Scan s serves `unit[start[s] : start[s + 1]]`, and itself among them.
    unit : int64 array, shape (U,)
        Aux sets, by scan, then by size.
    size : int64 array, shape (U,)
        How many of the scan's facts each has.
    """

    scanned: Ints
    start: Ints
    unit: Ints
    size: Ints

    def part(self, begin: int, end: int) -> Nest:
        """Scans [begin, end)."""
        served = slice(int(self.start[begin]), int(self.start[end]))
        return Nest(
            self.scanned[begin:end],
            self.start[begin : end + 1] - self.start[begin],
            self.unit[served],
            self.size[served],
        )


@numba.njit(cache=True, nogil=True)
def _begins(u, v, start, numbers):  # type: ignore[no-untyped-def]
    """Whether the facts of u are the first ones of v."""
    for a in range(start[u + 1] - start[u]):
        for column in numbers:
            if column[start[u] + a] != column[start[v] + a]:
                return False
    return True


@numba.njit(cache=True, nogil=True)
def _leaders(order, changes, start, numbers, leader):  # type: ignore[no-untyped-def]
    """For every aux set the first one, in the given order, that it is a beginning of.

    Only those between two changes can be.
    """
    first = 0
    for p in range(order.size):
        u = order[p]
        if changes[p]:
            first = p
        leader[u] = u
        for q in range(first, p):
            v = order[q]
            if leader[v] == v and _begins(u, v, start, numbers):
                leader[u] = v
                break


def apart(drawn: Drawn) -> Nest:
    """Let every aux set have its own scan, in the order they come."""
    each = np.arange(len(drawn))
    return Nest(each, np.arange(len(drawn) + 1), each, drawn.aux.size)


def nested(drawn: Drawn) -> Nest:
    """Find the aux sets that are beginnings of others about the same target and all candidates."""
    if not len(drawn):
        return apart(drawn)
    aux, candidates, truth = drawn.aux, drawn.candidates, drawn.truth
    # A known length is for the other loop, and last: neighbours are scanned together.
    bounded = candidates.restricted
    alike = (candidates.longest, candidates.shortest, truth.absent, truth.target, bounded)
    order = np.lexsort((-aux.size, *alike))  # stable: the first of equals leads
    changes = bounded[order]
    for column in alike:
        changes[1:] |= column[order[1:]] != column[order[:-1]]
    numbers = tuple(
        np.ascontiguousarray(column).astype(np.int64)
        for column in (
            aux.item, aux.value.view(np.int64), aux.day,
            truth.own_held, truth.own_level, truth.own_day,
            *([drawn.notes.view(np.int64)] if drawn.notes.size else []),
        )
    )  # fmt: skip
    leader = np.empty(len(drawn), np.int64)
    _leaders(order, changes, aux.start, numbers, leader)
    # Scans of one target are neighbours: the second finds the postings at hand.
    scanned = order[leader[order] == order]
    place = np.empty(len(drawn), np.int64)
    place[scanned] = np.arange(scanned.size)
    scan = place[leader]
    unit = np.lexsort((aux.size, scan))
    start = np.searchsorted(scan[unit], np.arange(scanned.size + 1))
    return Nest(scanned, start, unit, aux.size[unit])
