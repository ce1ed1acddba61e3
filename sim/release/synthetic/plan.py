"""One record's taste and its days, drawn before any of its items.

Invariant: everything comes from the record's own stream, in a fixed order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.numeric.elementary import exp, log, power
from sim.release.synthetic.randomness import normal, start, unit
from sim.release.synthetic.world import World

TASTES = 5
"""Sources of a record's items: the mainstream, three communities and a shelf on its first day."""

MOST_SESSIONS = 1024
"""No record is spread over more days than this."""

_MOST = 0.98
"""The mainstream or the shelf is at most this share, so that every item can be drawn."""


class PlanBuffers(NamedTuple):
    """Scratch buffers for one record's plan, reused for the next.

    Parameters
    ----------
    state : uint64 array, shape (1,)
        The record's stream.
    which : int64 array, shape (TASTES,)
        Rows of the world's tables.
    theta : float64 array, shape (2, TASTES)
        Their shares, on the first day and later.
    taste : float64 array, shape (dimensions,)
        The mean of the communities' centres.
    size, day : int64 array, shape (MOST_SESSIONS + 1,)
        Ratings and day of each session, in order of days.
    tries : float64 array, shape (MOST_SESSIONS + 1,)
        Tickets each session drew.
    seen : uint8 array, shape (M,)
        Whether the record holds an item.
    """

    state: NDArray[np.uint64]
    which: NDArray[np.int64]
    theta: NDArray[np.float64]
    taste: NDArray[np.float64]
    size: NDArray[np.int64]
    day: NDArray[np.int64]
    tries: NDArray[np.float64]
    seen: NDArray[np.uint8]


def new_plan(world: World) -> PlanBuffers:
    """Allocate the buffers of a plan.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> from sim.release.synthetic.items import make_items
    >>> from sim.release.synthetic.world import make_world
    >>> items = make_items(PRESETS["tiny"], 1, 30_000)
    >>> new_plan(make_world(PRESETS["tiny"], items, items.target)).seen.shape
    (300,)
    """
    return PlanBuffers(
        np.zeros(1, np.uint64),
        np.zeros(TASTES, np.int64),
        np.zeros((2, TASTES)),
        np.zeros(world.centre.shape[1]),
        np.zeros(MOST_SESSIONS + 1, np.int64),
        np.zeros(MOST_SESSIONS + 1, np.int64),
        np.zeros(MOST_SESSIONS + 1),
        np.zeros(len(world.release), np.uint8),
    )


@njit
def plan_record(key: Any, world: Any, people: Any, r: int, plan: Any) -> int:
    """Draw a record's taste and spread it over days.

    Parameters
    ----------
    r : int
        The record, from 0.
    plan : Plan
        Overwritten.

    Returns
    -------
    int
        The number of sessions; their sizes add up to the items that are not given.
    """
    start(plan.state, key, r)
    _taste(world, people.length[r], people.join[r], plan)
    free = people.length[r] - (people.given_start[r + 1] - people.given_start[r])
    sessions: int = _sessions(world.habits, free, people.join[r], people.leave[r], plan)
    return sessions


@njit
def _taste(world: Any, length: int, join: int, plan: Any) -> None:
    """Mix the mainstream, three communities and the shelf of the day."""
    habits, state, theta = world.habits, plan.state, plan.theta
    communities = world.centre.shape[0]
    lean = 2.0 / (1.0 + length / habits.settle)
    mainstream = min(_MOST, lean * habits.mainstream * unit(state))
    shelf = min(_MOST, lean * habits.shelf_share * unit(state))
    total = 0.0
    for j in range(1, TASTES - 1):
        u = unit(state)  # squared: communities of low number are larger
        plan.which[j] = 1 + int(u * u * (communities - 1))
        theta[1, j] = -log(unit(state))
        total += theta[1, j]
    for j in range(1, TASTES - 1):
        theta[1, j] *= (1.0 - mainstream) / total
    theta[1, 0] = mainstream
    theta[1, TASTES - 1] = 0.0
    for j in range(TASTES - 1):
        theta[0, j] = (1.0 - shelf) * theta[1, j]
    theta[0, TASTES - 1] = shelf
    plan.which[0] = 0
    plan.which[TASTES - 1] = communities + int(join * habits.shelves_per_day)
    plan.taste[:] = 0.0
    for j in range(1, TASTES - 1):
        for f in range(plan.taste.shape[0]):
            plan.taste[f] += theta[1, j] * world.centre[plan.which[j], f]


@njit
def _sessions(habits: Any, length: int, join: int, leave: int, plan: Any) -> int:
    """Spread ratings over days: many on the first, then few at a time, now and then more."""
    state, size, day = plan.state, plan.size, plan.day
    day[0] = join
    size[0] = length
    share = power(unit(state), 1.0 / habits.first_batch - 1.0)
    if length <= 1 or leave <= join or unit(state) < habits.one_day:
        return 1
    size[0] = 1 + int(share * (length - 1))
    left = length - size[0]
    mean = habits.session * exp(0.6 * normal(state))
    mean = max(mean, left / (0.5 * min(leave - join, MOST_SESSIONS)))
    count = 1
    while left > 0:
        wanted = -log(unit(state)) * mean
        if unit(state) < 0.1:
            wanted *= 5.0
        take = min(left, 1 + int(wanted))
        if count == MOST_SESSIONS:
            take = left
        size[count] = take
        left -= take
        today = join + 1 + int(unit(state) * (leave - join))
        place = count  # sizes are exchangeable: days alone are put in order
        while day[place - 1] > today:
            day[place] = day[place - 1]
            place -= 1
        day[place] = today
        count += 1
    return count
