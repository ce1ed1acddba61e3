"""Finds aux sets that are prefixes of others, so that one scan serves them all.

Aux sets of one target are drawn on common random numbers: that of two facts is a prefix of that of
eight. This is not taken for granted: the facts themselves are compared, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.attack.kernels.simd import njit

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PrefixGroups:
    """The assignment of U aux sets to S scans.

    Parameters
    ----------
    scanned : int64 array, shape (S,)
        Aux set whose facts each scan adds, those of one target adjacent.
    start : int64 array, shape (S + 1,)
        Scan s serves `unit[start[s] : start[s + 1]]`, and itself among them.
    unit : int64 array, shape (U,)
        Aux sets, by scan, then by size.
    size : int64 array, shape (U,)
        Number of the scan's facts that each has.
    """

    scanned: Ints
    start: Ints
    unit: Ints
    size: Ints

    def part(self, begin: int, end: int) -> PrefixGroups:
        """Scans [begin, end)."""
        served = slice(int(self.start[begin]), int(self.start[end]))
        return PrefixGroups(
            self.scanned[begin:end],
            self.start[begin : end + 1] - self.start[begin],
            self.unit[served],
            self.size[served],
        )


@njit
def _is_prefix(u, v, start, numbers):  # type: ignore[no-untyped-def]
    """Whether the facts of u are the first ones of v."""
    for a in range(start[u + 1] - start[u]):
        for column in numbers:
            if column[start[u] + a] != column[start[v] + a]:
                return False
    return True


@njit
def _leaders(order, changes, start, numbers, leader):  # type: ignore[no-untyped-def]
    """For every aux set, find the first one, in the given order, that it is a prefix of.

    Only aux sets between the same two changes can be.
    """
    first = 0
    for p in range(order.size):
        u = order[p]
        if changes[p]:
            first = p
        leader[u] = u
        for q in range(first, p):
            v = order[q]
            if leader[v] == v and _is_prefix(u, v, start, numbers):
                leader[u] = v
                break


def ungrouped(drawn: Drawn) -> PrefixGroups:
    """Assign every aux set its own scan, in the order given."""
    each = np.arange(len(drawn))
    return PrefixGroups(each, np.arange(len(drawn) + 1), each, drawn.aux.size)


def by_target(drawn: Drawn) -> PrefixGroups:
    """Assign every aux set its own scan, those of one target adjacent, the fewest facts first.

    Adjacent prefixes share their candidates (`sim.attack.kernels.candidates`). Targets whose first
    facts are about the same item are adjacent too: the second finds its postings in the cache.
    """
    aux, truth, bounds = drawn.aux, drawn.truth, drawn.candidates
    first = np.full(len(drawn), -1)
    first[aux.size > 0] = aux.item[aux.start[:-1][aux.size > 0]]
    keys = (aux.size, truth.absent, truth.target, first, bounds.restricted)
    order = np.lexsort(keys)
    return PrefixGroups(order, np.arange(len(drawn) + 1), order, drawn.aux.size[order])


def group_prefixes(drawn: Drawn, kind: Ints | None = None) -> PrefixGroups:
    """Find the aux sets that are prefixes of others with the same target and candidates.

    Parameters
    ----------
    kind : int64 array, shape (U,), optional
        Only aux sets of one kind are prefixes of each other.
    """
    if not len(drawn):
        return ungrouped(drawn)
    aux, candidates, truth = drawn.aux, drawn.candidates, drawn.truth
    # Aux sets with candidates of their own run on the dense kernel; last, they stay adjacent.
    bounded = drawn.apart
    alike = [candidates.longest, candidates.shortest, truth.absent, truth.target, bounded]
    alike = alike if kind is None else [kind, *alike]
    order = np.lexsort((-aux.size, *alike))  # stable: the first of equals leads
    changes = bounded[order]
    for column in alike:
        changes[1:] |= column[order[1:]] != column[order[:-1]]
    # Floats are compared by their bits, so a missing value (NaN) equals itself.
    numbers = tuple(
        np.ascontiguousarray(column).astype(np.int64)
        for column in (
            aux.item, aux.value.view(np.int64), aux.day,
            truth.own_held, truth.own_level, truth.own_day,
            *(np.atleast_2d(drawn.notes.T).view(np.int64) if drawn.notes.size else []),
        )
    )  # fmt: skip
    leader = np.empty(len(drawn), np.int64)
    _leaders(order, changes, aux.start, numbers, leader)
    # Scans of one target are adjacent, so the second finds the postings in the cache.
    scanned = order[leader[order] == order]
    place = np.empty(len(drawn), np.int64)
    place[scanned] = np.arange(scanned.size)
    scan = place[leader]
    unit = np.lexsort((aux.size, scan))
    start = np.searchsorted(scan[unit], np.arange(scanned.size + 1))
    return PrefixGroups(scanned, start, unit, aux.size[unit])
