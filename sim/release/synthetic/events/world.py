"""The places or products of a release of events, as arrays that the kernels read.

Groups are districts of cities, or aisles of a shop. Invariant: a world is a function of preset and
key; an item's place in the arrays says nothing but its group.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric import exp, normal_quantiles, power
from sim.numeric.random import Purpose, unit, words
from sim.release.synthetic.events.preset import DAYS_PER_WEEK, EventPreset, PurchasePreset
from sim.release.synthetic.world import alias_tables

_NEAR = 1.5
"""Kilometres that count for nothing."""

_DECAY = 1.75
"""Power of the distance by which places attract less."""

_CITY = 3.0
"""Kilometres by which the districts of a city lie apart."""

_YEAR = 365.0

_LENGTH, _NAME, _POPULAR, _SIZE, _CENTRE, _APART, _PATIENCE, _SEASON, _PEAK, _LEVEL = range(10)
"""Positions of the draws for a record, an item or a group."""


class World(NamedTuple):
    """The distributions that events are drawn from.

    Parameters
    ----------
    cut : uint32 array, shape (groups, items of a group)
    alias : int32 array, shape (groups, items of a group)
        Alias tables of the items of each group; item j of group g is number g · size + j.
    size : float64 array, shape (groups,)
        Cumulative share of each group.
    reach : float64 array, shape (groups, groups)
        Cumulative chances of the groups that are gone to from each.
    hub : int64 array, shape (groups,)
        Most popular item of each group.
    new : float64 array, shape (longest + 1,)
        Chance of something new, by the number of items that are known.
    """

    cut: NDArray[np.uint32]
    alias: NDArray[np.int32]
    size: NDArray[np.float64]
    reach: NDArray[np.float64]
    hub: NDArray[np.int64]
    new: NDArray[np.float64]


class Goods(NamedTuple):
    """What products have beside a world.

    Parameters
    ----------
    calendar : float64 array, shape (days,)
        Cumulative share of each day in all purchases.
    patience : float64 array, shape (M,)
        Mean number of days until an item is bought again.
    season : float64 array, shape (M,)
        How much less an item is bought half a year from its peak.
    peak : float64 array, shape (M,)
        Day of its peak.
    level : float64 array, shape (M,)
        Mean value, on a normal scale.
    bound : float64 array, shape (levels − 1,)
        Between the levels, on that scale.
    """

    calendar: NDArray[np.float64]
    patience: NDArray[np.float64]
    season: NDArray[np.float64]
    peak: NDArray[np.float64]
    level: NDArray[np.float64]
    bound: NDArray[np.float64]


def make_world(preset: EventPreset, key: int, longest: int) -> World:
    """Lay out groups and items.

    Parameters
    ----------
    longest : int
        Length of the longest record.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> world = make_world(EVENTS["visits"], 1, 100)
    >>> world.cut.size, round(float(world.new[1]), 3)
    (1000, 0.6)
    """
    groups = preset.groups
    popularity = exp(preset.spread * _normal(key, preset.items, _POPULAR))
    weight = popularity.reshape(groups, -1)
    size = weight.sum(axis=1)
    pull = np.broadcast_to(size, (groups, groups))
    if preset.reach > 0:
        city = np.arange(groups) % preset.cities
        size = exp(0.5 * _normal(key, groups, _SIZE)) / (1.0 + city)
        pull = size * _nearness(preset, key, city)
    cut, alias = alias_tables(weight / weight.sum(axis=1, keepdims=True))
    hub = np.arange(groups) * weight.shape[1] + weight.argmax(axis=1)
    known = np.maximum(np.arange(longest + 1), 1).astype(np.float64)
    new = preset.new * power(known, -preset.habit)
    return World(cut, alias, _cumulative(size), _cumulative(pull), hub, new)


def make_goods(preset: PurchasePreset, key: int) -> Goods:
    """Draw the properties of products, and the days of the year.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> make_goods(EVENTS["purchases"], 1).calendar.size
    364
    """
    m, day = preset.items, np.arange(preset.days)
    weekday = np.array(preset.weekdays)[day % DAYS_PER_WEEK]
    volume = weekday * (1.0 - preset.season * (1.0 - (day + 1) / preset.days))
    patience = preset.patience * exp(0.7 * _normal(key, m, _PATIENCE))
    season = np.where(_unit(key, m, _SEASON) < preset.seasonal, 0.9, 0.0)
    level = preset.own_level * _normal(key, m, _LEVEL)
    below = np.cumsum(preset.shares)[:-1]
    bound = normal_quantiles(below) if below.size else below
    return Goods(_cumulative(volume), patience, season, _YEAR * _unit(key, m, _PEAK), level, bound)


def ranks_of(preset: EventPreset, key: int) -> NDArray[np.int64]:
    """Each record's rank by length, at random."""
    return _shuffled(key, preset.records, _LENGTH)


def names_of(preset: EventPreset, key: int) -> NDArray[np.int64]:
    """The identifiers of items, which say nothing about their groups; from 1."""
    return _shuffled(key, preset.items, _NAME) + 1


def _nearness(preset: EventPreset, key: int, city: NDArray[np.int64]) -> NDArray[np.float64]:
    """How much districts attract each other by distance: a truncated power law."""
    side = 4.0 * preset.reach
    centre = side * _unit(key, 2 * preset.cities, _CENTRE).reshape(2, -1)
    apart = _CITY * _normal(key, 2 * city.size, _APART).reshape(2, -1)
    x, y = centre[:, city] + apart
    distance = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2)
    return power(distance + _NEAR, -_DECAY) * exp(-distance / preset.reach)


def _cumulative(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    added = np.cumsum(weight, axis=-1)
    return added / added[..., -1:]


def _unit(key: int, count: int, position: int) -> NDArray[np.float64]:
    return unit(words(key, Purpose.EVENT_WORLD, np.arange(count), position))


def _shuffled(key: int, count: int, position: int) -> NDArray[np.int64]:
    drawn = words(key, Purpose.EVENT_WORLD, np.arange(count), position)
    return np.argsort(drawn, kind="stable")


def _normal(key: int, count: int, position: int) -> NDArray[np.float64]:
    """The quantiles of a normal distribution, in random order."""
    return normal_quantiles((_shuffled(key, count, position) + 0.5) / count)
