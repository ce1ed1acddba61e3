"""Finds the item weights that give every item its target support.

A record can hold an item once only, so that support grows less than weight; tastes and release
days bend it further. For a sample of the release's own records, the number of tickets that each
session drew is known; given those, item i is held with probability
1 − exp(−Σ tickets · share · appeal), and the sum over records is its expected support, without the
noise of counting. Invariant: weights depend on preset and seed only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric import elementary, log1p
from sim.numeric.compiled import njit
from sim.release.synthetic.draw import draw_items
from sim.release.synthetic.items import Items
from sim.release.synthetic.people import People
from sim.release.synthetic.plan import TASTES, new_plan, plan_record
from sim.release.synthetic.preset import Preset
from sim.release.synthetic.world import World, make_world

SAMPLE = 1600
"""Records that are drawn anew in each round."""

ROUNDS = 7

_BINS = 96
"""Groups of release days that are taken together."""


def calibrate(preset: Preset, items: Items, people: People, key: np.uint64) -> World:
    """Fit the weights by fixed-point iteration.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> from sim.release.synthetic.items import make_items
    >>> from sim.release.synthetic.people import make_people
    >>> people = make_people(PRESETS["tiny"], 1)
    >>> items = make_items(PRESETS["tiny"], 1, int(people.length.sum()))
    >>> calibrate(PRESETS["tiny"], items, people, np.uint64(1)).share.shape
    (15, 300)
    """
    chosen, worth = sample(people.length, SAMPLE)
    edges = np.unique(np.quantile(items.release, np.linspace(0, 1, _BINS + 1)[1:]))
    place = np.searchsorted(edges, items.release)
    number = np.bincount(place)
    middle = np.floor(np.bincount(place, weights=items.release) / number).astype(np.int64)
    ceiling = 1.001 * preset.records
    wanted = np.maximum(items.target - preset.min_support, 0.3)
    weight = -log1p(-items.target / (1.05 * preset.records))
    for _ in range(ROUNDS):
        world = make_world(preset, items, weight)
        got = expected(key, world, people, new_plan(world), chosen, worth, place, middle)
        got = np.minimum(got, 0.999 * preset.records)
        weight *= log1p(-wanted / ceiling) / log1p(-got / ceiling)
        weight /= weight.max()
    return make_world(preset, items, weight)


def sample(length: NDArray[np.int64], count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Choose records systematically, half by number and half by ratings.

    Parameters
    ----------
    length : int64 array, shape (N,)

    Returns
    -------
    chosen : int64 array, shape (s,)
        Different records, at most `count`.
    worth : float64 array, shape (s,)
        How many records each stands for.

    Examples
    --------
    >>> chosen, worth = sample(np.array([1, 1, 8]), 4)
    >>> chosen.tolist(), worth.round(2).tolist()
    ([0, 1, 2], [1.15, 1.15, 0.88])
    """
    order = np.argsort(length, kind="stable")
    density = 0.5 / len(length) + 0.5 * length[order] / length.sum()
    picks = np.searchsorted(np.cumsum(density), (np.arange(count) + 0.5) / count)
    picks, times = np.unique(np.minimum(picks, len(length) - 1), return_counts=True)
    return order[picks], times / (count * density[picks])


@njit
def expected(
    key: Any,
    world: Any,
    people: Any,
    plan: Any,
    chosen: Any,
    worth: Any,
    place: Any,
    middle: Any,
) -> Any:
    """Estimate every item's expected support, given items left out.

    Parameters
    ----------
    plan : Plan
        Scratch.
    chosen : int64 array, shape (s,)
    worth : float64 array, shape (s,)
    place : int64 array, shape (M,)
        Group of each item's release day.
    middle : int64 array, shape (groups,)
        Mean release day of each group.

    Returns
    -------
    float64 array, shape (M,)
    """
    m = world.release.shape[0]
    support = np.zeros(m)
    item = np.empty(m, np.int32)
    day = np.empty(m, np.int32)
    heat = np.empty((2, middle.shape[0]))
    reach = np.empty(middle.shape[0])
    hazard = np.empty(m)
    for c in range(chosen.shape[0]):
        r = chosen[c]
        given = people.given[people.given_start[r] : people.given_start[r + 1]]
        sessions = plan_record(key, world, people, r, plan)
        late = draw_items(world, given, sessions, plan, item, day)
        for b in range(middle.shape[0]):
            heat[0, b] = 0.0
            heat[1, b] = late
            for s in range(sessions):
                age = plan.day[s] - middle[b]
                if age >= 0:
                    heat[min(s, 1), b] += plan.tries[s] * world.appeal[min(s, 1), age]
        hazard[:] = 0.0
        for j in range(TASTES):
            row = world.share[plan.which[j]]
            for b in range(middle.shape[0]):
                reach[b] = plan.theta[0, j] * heat[0, b] + plan.theta[1, j] * heat[1, b]
            for i in range(m):
                hazard[i] += row[i] * reach[place[i]]
        for i in range(m):
            support[i] += worth[c] * (1.0 - elementary.exp(-hazard[i]))
    return support
