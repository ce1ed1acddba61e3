"""How a record's score is made of its contributions, whichever loop has added them up.

Invariant: the target's own score, from its own cells alone, has the very bits that the scan of all
records gives it.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from sim.attack.kernels.scan import DAYS_UNIT, IMPOSSIBLE, Finish
from sim.numeric.elementary import log

SUM, ALL, LOG = int(Finish.SUM), int(Finish.ALL), int(Finish.LOG)
LEAST, COSINE = int(Finish.LEAST), int(Finish.COSINE)
_RULED_OUT = IMPOSSIBLE / 2
MUST = 1 << 16
"""In counts of held aux items, one that the record must hold counts this much more."""


@numba.njit(cache=True, nogil=True)
def count_of(must, a):  # type: ignore[no-untyped-def]
    """What holding a fact's item adds to the count of held items."""
    return 1 + MUST if must.shape[0] > 0 and must[a] else 1


@numba.njit(cache=True, nogil=True)
def musts_of(must, start, u):  # type: ignore[no-untyped-def]
    """How many of an aux set's items a record must hold."""
    count = 0
    if must.shape[0] > 0:
        for a in range(start[u], start[u + 1]):
            count += must[a]
    return count


@numba.njit(cache=True, nogil=True)
def finished(finish, total, whole, base, feature, values, days):  # type: ignore[no-untyped-def]
    """Score of one record, which may hold the whole of what it must; see `Finish`."""
    if finish == SUM:
        return total + base + feature
    if finish == ALL:
        return total + base if whole else 0.0
    if finish == LOG:
        score = total + base + feature
        return score if whole and score > _RULED_OUT else -np.inf
    if finish == LEAST:
        return total if whole else 0.0
    if finish == COSINE:
        return total * (feature * base)
    n_days = math.floor(total / DAYS_UNIT)
    return 1.0 if total - n_days * DAYS_UNIT >= values and n_days >= days else 0.0


@numba.njit(cache=True, nogil=True)
def likelihood(record, begin, end, code, counted, u, ways):  # type: ignore[no-untyped-def]
    """Ln of the chance that exactly so many facts are wrong and these come out; see `Counted`.

    ``code[a − begin]`` is 0 where the record lacks the item, else 1 + the place of its cell in the
    tables. ``ways[w]`` is the chance of the facts so far with w of them wrong.
    """
    n_wrong = counted.number[u]
    room = float(counted.cells[u])
    if counted.mass.shape[0] > 0:
        room -= counted.mass[counted.group[u], record]
    ways[0] = 1.0
    for w in range(1, n_wrong + 1):
        ways[w] = 0.0
    for a in range(begin, end):
        place = code[a - begin]
        if place > 0:
            p, q = counted.right[a, place - 1], counted.wrong[a, place - 1]
        elif counted.either[a]:
            # A dropped item is as likely to be drawn for wrong as to be held, per item held: the
            # term for choosing the facts has one item too many where it is right.
            p = counted.eligible[counted.window[u], record] if counted.by_item[a] else 1.0
            q = 1.0
        elif math.isnan(counted.lacking[a]):
            p, q = 0.0, 1.0
        else:
            p, q = 0.0, counted.lacking[a] / max(room, 1.0)
            room -= counted.support[a]
        for w in range(n_wrong, 0, -1):
            ways[w] = ways[w] * p + ways[w - 1] * q
        ways[0] *= p
    return log(ways[n_wrong]) if ways[n_wrong] > 0 else -np.inf


@numba.njit(cache=True, nogil=True)
def own_scores(  # type: ignore[no-untyped-def]
    start, item, own_held, level, day, add, mul, day_table, day_offset, choice, day_class,
    counted, must, finish, base, feature, group, need, length, shortest, longest, absent, target,
    out,
):  # fmt: skip
    """Each target's own score; NaN where it is no candidate."""
    least = finish == LEAST
    for u in range(start.size - 1):
        record = target[u]
        if absent[u] or record < 0 or not shortest[u] <= length[record] <= longest[u]:
            out[u] = np.nan
            continue
        total = np.inf if least else 0.0
        held = 0
        code = np.zeros(start[u + 1] - start[u], np.uint32)
        for a in range(start[u], start[u + 1]):
            if not own_held[a] or item[a] < 0:
                continue
            held += count_of(must, a)
            at = day_offset[a] + day[a]
            if counted.number.size > 0:
                code[a - start[u]] = 1 + day_class[at] * counted.levels + level[a]
                continue
            if choice.shape[0] > 0:
                gain = choice[a, day_class[at], level[a]]
            else:
                gain = add[a, level[a]] + mul[a, level[a]] * day_table[at]
            total = min(total, gain) if least else total + gain
        if counted.number.size > 0:
            ways = np.empty(counted.number[u] + 1, np.float64)
            total = likelihood(record, start[u], start[u + 1], code, counted, u, ways)
        out[u] = finished(
            finish, total, held // MUST == musts_of(must, start, u), base[u],
            feature[group[u], record] if feature.shape[0] else 0.0,
            need[u, 0] if need.shape[0] else 0.0, need[u, 1] if need.shape[0] else 0.0,
        )  # fmt: skip
