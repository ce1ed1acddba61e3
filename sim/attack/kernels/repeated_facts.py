"""Likelihoods of facts where a record may hold an item in several cells (spec §8).

The facts of an aux set are about distinct cells. So the likelihood of the k facts about one item
sums over all ways to assign them to a record's c cells of it: the permanent of a k × c matrix. With
each entry p + q·z, of a right and a wrong fact, the coefficient of z^w is the likelihood with w of
the facts wrong. A record's likelihood is the product of these polynomials over the items.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.attack.kernels.simd import njit, njit_in_place
from sim.attack.kernels.wrong_chances import are_drawn, wrong_chance
from sim.numeric.elementary import log


@njit
def facts_about(a, end, leader, members):  # type: ignore[no-untyped-def]
    """Write the facts of [a, end) that are about the item of fact a; return their number."""
    k = 0
    for b in range(a, end):
        if leader[b] == a:
            members[k] = b
            k += 1
    return k


@njit
def most_alike(begin, end, leader, members):  # type: ignore[no-untyped-def]
    """The most facts of [begin, end) about one item; ``members`` has room for all."""
    most = 1
    for a in range(begin, end):
        if leader[a] == a:
            most = max(most, facts_about(a, end, leader, members))
    return most


def room_for_assignments(members: Any, most: Any) -> Any:
    """Memory for `assignments`: facts about one item, their chances, and sums over subsets."""
    return members, np.empty((2, most)), np.empty((1 << most, most + 1))


_room_in_kernel = njit(room_for_assignments)


@njit
def scratch_of(begin, end, leader):  # type: ignore[no-untyped-def]
    """Memory for `assignments` of the facts of one aux set."""
    members = np.empty(end - begin, np.int64)
    return _room_in_kernel(members, most_alike(begin, end, leader, members))


@njit
def assignments(k, cells, tables, scratch, out):  # type: ignore[no-untyped-def]
    """Write the polynomial of k facts about the item of some cells: coefficients of z^0 … z^k.

    ``cells`` holds levels, days, numbers of cells near each, and the first and last cell to look
    at. ``sums[s, w]`` is the sum, over all ways to assign the facts of the subset s to different
    cells so far, of the likelihoods with w of them wrong. Where items were drawn first
    (`Counted.any_cell`), the mean over the cells is written, so they must be all cells that the
    record has of the item.
    """
    level, day, near, first, last = cells
    members, chance, sums = scratch
    counted, day_offset, day_class = tables.counted, tables.smooth.day_offset, tables.day_class
    right, drawn = counted.right, are_drawn(counted)
    every = (1 << k) - 1
    sums[: every + 1, : k + 1] = 0.0
    sums[0, 0] = 1.0
    for c in range(first, last):
        for j in range(k):
            a, at_level, at_day = members[j], np.int64(level[c]), np.int64(day[c])
            place = np.int64(day_class[day_offset[a] + at_day]) * counted.levels + at_level
            n_near = np.int64(near[c]) if drawn and counted.draws.kind[a] >= 0 else np.int64(0)
            chance[0, j] = right[a, place]
            chance[1, j] = wrong_chance(a, place, at_level, at_day, n_near, counted)
        # Downwards, so that what a subset is made of has not been given this cell yet.
        for s in range(every, 0, -1):
            for j in range(k):
                rest = s & ~(1 << j)
                if rest == s:
                    continue
                p, q = chance[0, j], chance[1, j]
                for w in range(k, 0, -1):
                    sums[s, w] += sums[rest, w] * p + sums[rest, w - 1] * q
                sums[s, 0] += sums[rest, 0] * p
    share = 1.0
    if counted.any_cell[members[0]]:
        share = 1.0 / (last - first) if k == 1 else 0.0
    for w in range(k + 1):
        out[w] = sums[every, w] * share


@njit_in_place
def may_lack(a, counted):  # type: ignore[no-untyped-def]
    """Whether a record may lack fact a's item, as the fact may be wrong."""
    return counted.lacking[a] != 0  # NaN is another


@njit_in_place
def chances_if_lacking(a, u, record, room, counted):  # type: ignore[no-untyped-def]
    """Chances of fact a, right and wrong, for a record that lacks its item; see `Counted`.

    ``room`` is the number of cells that wrong items are drawn from; what is left of it follows.
    """
    if counted.either[a]:
        # A dropped item is as likely to be drawn for wrong as to be held, per item held: the
        # term for choosing the facts has one item too many where it is right.
        right = counted.eligible[counted.window[u], record] if counted.by_item[a] else 1.0
        return right, 1.0, room
    right = counted.missed[a] if counted.missed.size > 0 else 0.0
    if math.isnan(counted.lacking[a]):
        return right, 1.0, room
    return right, counted.lacking[a] / max(room, 1.0), room - counted.support[a]


@njit_in_place
def log_of_ways(ways, record, counted, u):  # type: ignore[no-untyped-def]
    """Ln of the probability of facts, ``ways[w]`` being that of w of them wrong; see `Counted`."""
    n_wrong = counted.number[u]
    total = ways[n_wrong]
    if counted.weight.shape[0] > 0:
        total, k = 0.0, counted.right_items[u]
        items = counted.eligible[counted.window[u], record] if k > 0 else 0.0
        for w in range(n_wrong + 1):
            term = ways[w] * counted.weight[u, w]
            if term == 0.0:  # as it is for most records and most w: divisions take long
                continue
            for before in range(k - w):  # own items, each drawn from those that are left
                term = term / (items - before) if items > before else 0.0
            total += term
    return log(total) if total > 0 else -np.inf


@njit
def likelihood_of_repeats(record, begin, end, holds, polynomials, counted, u, ways):  # type: ignore[no-untyped-def]
    """Ln of the probability of these facts; see `sim.attack.kernels.score_forms.likelihood`.

    ``holds`` says of each fact's item whether the record holds it. ``polynomials`` has those of the
    items, k + 1 coefficients each, in the order of their first facts.
    """
    n_wrong = counted.number[u]
    room = float(counted.cells[u])
    if counted.mass.shape[0] > 0:
        room -= counted.mass[counted.group[u], record]
    ways[0] = 1.0
    for w in range(1, n_wrong + 1):
        ways[w] = 0.0
    at = 0
    for a in range(begin, end):
        leads = counted.leader[a] == a
        k = 0
        if leads:
            for b in range(a, end):
                k += counted.leader[b] == a
        if holds[counted.leader[a] - begin]:
            if leads:
                for w in range(n_wrong, -1, -1):
                    total = 0.0
                    for j in range(min(k, w) + 1):
                        total += ways[w - j] * polynomials[at + j]
                    ways[w] = total
        else:
            p, q, room = chances_if_lacking(a, u, record, room, counted)
            for w in range(n_wrong, 0, -1):
                ways[w] = ways[w] * p + ways[w - 1] * q
            ways[0] *= p
        if leads:
            at += k + 1
    return log_of_ways(ways, record, counted, u)
