"""The purchases of some consecutive records.

A person's days with purchases are first laid out: at intervals that vary little around a period of
their own, stretched by the rhythm of the week and the year. On each of them they fill a basket with
items they have bought before, once these are used up, and with new ones. Invariant: a record holds
an item at most once a day, and its rows do not depend on the block in which they are made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.numeric.elementary import exp, log
from sim.release.synthetic.events.draws import WORDS, item_of, normal, pick, start, unit
from sim.release.synthetic.events.preset import DAYS_PER_WEEK, PurchasePreset

_RETURNS = 24
_EXPLORES = 64
"""Items that are looked at before another will do."""

_YEAR = 365.0
_ON_THE_DAY = 0.7
"""Chance that a loyal person buys on their day of the week."""


class Shopper(NamedTuple):
    """The numbers of a preset that the kernel needs; see `PurchasePreset` for each."""

    basket: float
    basket_spread: float
    period: float
    loyal: float
    roam: float
    own_level: float


class PurchaseBuffers(NamedTuple):
    """Scratch buffers for one record, reused for the next.

    Parameters
    ----------
    state : uint64 array, shape (3,)
        The record's stream.
    anchor : int64 array, shape (anchors,)
        Groups that the person turns to first.
    day, size : int64 array, shape (days,)
        Days with purchases, ascending, and the items bought on each.
    part : float64 array, shape (days + 1,)
        Cumulative parts of a time or of a length.
    last : int32 array, shape (M,)
        Day on which the person last bought each item; −1: never.
    """

    state: NDArray[np.uint64]
    anchor: NDArray[np.int64]
    day: NDArray[np.int64]
    size: NDArray[np.int64]
    part: NDArray[np.float64]
    last: NDArray[np.int32]


def shopper_of(preset: PurchasePreset) -> Shopper:
    """Return the numbers that the kernel needs.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> shopper_of(EVENTS["purchases"]).basket
    11.5
    """
    return Shopper(
        preset.basket,
        preset.basket_spread,
        preset.period,
        preset.loyal,
        preset.roam,
        preset.own_level,
    )


def purchase_buffers(preset: PurchasePreset) -> PurchaseBuffers:
    """Allocate the buffers.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> purchase_buffers(EVENTS["purchases"]).day.size
    364
    """
    return PurchaseBuffers(
        np.zeros(WORDS, np.uint64),
        np.zeros(preset.anchors, np.int64),
        np.zeros(preset.days, np.int64),
        np.zeros(preset.days, np.int64),
        np.zeros(preset.days + 1),
        np.full(preset.items, -1, np.int32),
    )


@njit
def make_purchases(
    key: Any, world: Any, goods: Any, shopper: Any, length: Any, buffers: Any, lo: int, hi: int
) -> Any:
    """Generate the rows of records lo … hi − 1, each in order of time.

    Parameters
    ----------
    key : uint64
        Key of the release's streams.
    length : int64 array, shape (N,)
        Of all records.
    buffers : PurchaseBuffers
        Overwritten.

    Returns
    -------
    record, item, day, level : int32 array, shape (n,)
        From 0; days from the first of the release.
    """
    total = length[lo:hi].sum()
    record = np.empty(total, np.int32)
    item = np.empty(total, np.int32)
    day = np.empty(total, np.int32)
    level = np.empty(total, np.int32)
    noise = np.sqrt(1.0 - shopper.own_level * shopper.own_level)
    at = 0
    for r in range(lo, hi):
        end = at + length[r]
        start(buffers.state, key, r)
        record[at:end] = r
        days = _plan(shopper, goods.calendar, length[r], buffers)
        _buy(world, goods, shopper, days, buffers, item[at:end], day[at:end])
        for c in range(at, end):
            worth = goods.level[item[c]] + noise * normal(buffers.state)
            level[c] = np.searchsorted(goods.bound, worth)
        at = end
    return record, item, day, level


@njit
def _plan(shopper: Any, calendar: Any, length: int, buffers: Any) -> int:
    """Lay out a person's days and the size of their baskets; return the number of days."""
    state, day, size, part = buffers.state, buffers.day, buffers.size, buffers.part
    spread = shopper.basket_spread
    mean = shopper.basket * exp(spread * normal(state) - 0.5 * spread * spread)
    count = int(length / mean + unit(state))
    count = max(1, min(count, length, day.size))
    period = shopper.period * exp(0.5 * normal(state))
    width = min(1.0, count * period / day.size)
    first = unit(state) * (1.0 - width)
    prefers = pick(state, calendar) % DAYS_PER_WEEK if unit(state) < shopper.loyal else -1
    whole = 0.0
    for k in range(count + 1):
        whole -= log(unit(state)) + log(unit(state)) + log(unit(state))  # gamma of shape 3
        part[k] = whole
    for k in range(count):
        today = min(np.searchsorted(calendar, first + width * part[k] / whole), day.size - 1)
        if prefers >= 0 and unit(state) < _ON_THE_DAY:
            today += (prefers - today + 3) % DAYS_PER_WEEK - 3
        day[k] = min(max(today, 0), day.size - 1)
    for k in range(1, count):
        day[k] = max(day[k], day[k - 1] + 1)
    for k in range(count):
        day[count - 1 - k] = min(day[count - 1 - k], day.size - 1 - k)
    whole = 0.0
    for k in range(count):
        whole += 0.3 - log(unit(state))
        part[k] = whole
    before = 0
    for k in range(count):
        upto = int((length - count) * (part[k] / whole))
        size[k] = 1 + upto - before
        before = upto
    return int(count)


@njit
def _buy(
    world: Any, goods: Any, shopper: Any, days: int, buffers: Any, item: Any, day: Any
) -> None:
    """Fill a person's baskets, one day after the other."""
    anchor, last = buffers.anchor, buffers.last
    anchor[0] = pick(buffers.state, world.size)
    for a in range(1, anchor.size):
        anchor[a] = pick(buffers.state, world.reach[anchor[0]])
    row, known = 0, 0
    for k in range(days):
        today = buffers.day[k]
        before = row
        for _ in range(buffers.size[k]):
            i = _choose(world, goods, shopper.roam, buffers, item[:before], known, today)
            known += last[i] < 0
            last[i] = today
            item[row] = i
            day[row] = today
            row += 1
    for c in range(row):
        last[item[c]] = -1


@njit
def _choose(
    world: Any, goods: Any, roam: float, buffers: Any, before: Any, known: int, today: int
) -> int:
    """Return an item that is not in today's basket: one bought before, or a new one."""
    state, anchor, last = buffers.state, buffers.anchor, buffers.last
    if before.size > 0 and unit(state) >= world.new[known]:
        for _ in range(_RETURNS):
            i = before[int(unit(state) * before.size)]
            waited = today - last[i]
            if waited > 0 and unit(state) < 1.0 - exp(-waited / goods.patience[i]):
                return int(i)
    for _ in range(_EXPLORES):
        group = anchor[0]
        if unit(state) < roam:
            group = pick(state, world.reach[group])
        else:
            u = unit(state)  # squared: the first anchors are turned to most
            group = anchor[int(u * u * anchor.size)]
        i = item_of(state, world, group)
        if last[i] < 0 and unit(state) >= goods.season[i] * _out_of_season(today - goods.peak[i]):
            return int(i)
    i = int(unit(state) * last.size)
    while last[i] == today:
        i = (i + 1) % last.size
    return int(i)


@njit
def _out_of_season(days: float) -> float:
    """How far a day is from another in the year, from 0 to 1."""
    apart = abs(days) % _YEAR
    return float(min(apart, _YEAR - apart) / (0.5 * _YEAR))
