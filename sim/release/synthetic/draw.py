"""One record's items, drawn without replacement.

Successive sampling: items come one by one, each with probability proportional to its weight among
those not yet held. They are drawn as tickets with replacement, and repeats thrown away; where too
many repeat, the rest comes from a race of exponential clocks, which has the same distribution
(Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006). Invariant: no record
holds an item twice, and each gets exactly as many as its plan asks for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.numeric.compiled import njit
from sim.numeric.elementary import log
from sim.release.synthetic.plan import TASTES
from sim.release.synthetic.randomness import bits, unit

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_UNIT = 2.0**-32


@njit
def draw_items(world: Any, given: Any, sessions: int, plan: Any, item: Any, day: Any) -> float:
    """Fill a record's sessions with items.

    Parameters
    ----------
    given : int32 array
        Items the record holds in any case, each on the day of a random session.
    plan : Plan
        Its `seen` and `tries` are overwritten.
    item, day : int32 array, shape (length,)
        Receive the rows.

    Returns
    -------
    float
        Tickets drawn in the end for items that come out after the last session.
    """
    plan.seen[:] = 0
    at = owed = np.int64(0)  # literal numbers would be types of their own: all is compiled again
    for g in range(given.shape[0]):
        i = given[g]
        plan.seen[i] = 1
        item[at] = i
        day[at] = max(plan.day[int(unit(plan.state) * sessions)], world.release[i])
        at += 1
    budget = 2 * plan.seen.shape[0]  # about the cost of a race
    for s in range(sessions):
        kind = min(s, 1)
        need = plan.size[s] + owed
        got, drawn = _tickets(world, kind, plan.day[s], need, budget, plan, item, day, at)
        at += got
        plan.tries[s] = drawn
        owed = need - got
        if owed > 0:
            got, clock = _race(world, kind, plan.day[s], owed, plan, item, day, at)
            at += got
            plan.tries[s] += clock
            owed -= got
            budget = plan.seen.shape[0] // 4  # later sessions will not succeed either
    if owed == 0:
        return 0.0
    _, clock = _race(world, np.int64(-1), plan.day[sessions - 1], owed, plan, item, day, at)
    return float(clock)


@njit
def _tickets(
    world: Any,
    kind: int,
    today: int,
    need: int,
    budget: int,
    plan: Any,
    item: Any,
    day: Any,
    at: int,
) -> Any:
    """Draw tickets until `need` items are taken or the budget is used up; return both counts."""
    m = np.uint64(world.release.shape[0])
    bound = np.empty(TASTES, np.uint64)
    below = 0.0
    last = 0
    for j in range(TASTES):
        below += plan.theta[kind, j]
        bound[j] = np.uint64(min(below, 1.0) * 4294967295.0)
        if plan.theta[kind, j] > 0.0:
            last = j
    bound[last] = _LOW
    got = 0
    drawn = 0
    while got < need and drawn < budget:
        drawn += 1
        ticket, other = bits(plan.state), bits(plan.state)
        j = 0
        while other & _LOW > bound[j]:
            j += 1
        z = plan.which[j]
        column = ((ticket >> _HALF) * m) >> _HALF
        i = np.int64(column)
        if ticket & _LOW > world.cut[z, column]:
            i = np.int64(world.alias[z, column])
        if plan.seen[i]:
            continue
        age = today - world.release[i]
        if age < 0 or float(other >> _HALF) * _UNIT >= world.appeal[kind, age]:
            continue
        plan.seen[i] = 1
        item[at + got] = i
        day[at + got] = today
        got += 1
    return got, drawn


@njit
def _race(
    world: Any, kind: int, today: int, need: int, plan: Any, item: Any, day: Any, at: int
) -> Any:
    """Take the items whose clocks ring first; with kind −1, those yet to come run too.

    Gives how many were there to take, and the time of the last, in tickets.
    """
    m = plan.seen.shape[0]
    when = np.empty(m)
    who = np.empty(m, np.int32)
    size = np.int64(0)
    for i in range(m):
        age = today - world.release[i]
        if plan.seen[i] or (age < 0 and kind >= 0):
            continue
        rate = 0.0
        for j in range(TASTES):
            rate += plan.theta[abs(kind), j] * world.share[plan.which[j], i]
        if kind >= 0:
            rate *= world.appeal[kind, age]
        when[size] = -log(unit(plan.state)) / rate
        who[size] = i
        size += 1
    for root in range(size // 2 - 1, -1, -1):
        _sift(when, who, root, size)
    got = 0
    clock = 0.0
    while got < need and size > 0:
        i = who[0]
        clock = when[0]
        plan.seen[i] = 1
        item[at + got] = i
        day[at + got] = max(today, world.release[i])
        got += 1
        size -= 1
        when[0], who[0] = when[size], who[size]
        _sift(when, who, np.int64(0), size)
    return got, clock


@njit
def _sift(when: Any, who: Any, root: int, size: int) -> None:
    """Restore the heap below `root`: the earliest on top."""
    while True:
        child = 2 * root + 1
        if child >= size:
            return
        if child + 1 < size and when[child + 1] < when[child]:
            child += 1
        if when[root] <= when[child]:
            return
        when[root], when[child] = when[child], when[root]
        who[root], who[child] = who[child], who[root]
        root = child
