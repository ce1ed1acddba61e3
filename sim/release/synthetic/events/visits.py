"""The visits of some consecutive records.

A person is at home at night, at work in working hours, at a hub in between, and otherwise explores
or returns. The hours at which they are seen are drawn first, without replacement, by the rhythm of
the week; their places then follow in the order of time. Invariant: a record has at most one place
an hour, and its rows do not depend on the block in which they are made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.release.synthetic.events.draws import WORDS, item_of, pick, start, unit
from sim.release.synthetic.events.preset import DAYS_PER_WEEK, HOURS_PER_DAY, VisitPreset

_WEEK = DAYS_PER_WEEK * HOURS_PER_DAY
_WORKDAYS = 5
_EARLIEST = 7
_STARTS = 3
_WORK_HOURS = 9
_NIGHT_ENDS = 6
_NIGHT_BEGINS = 22
_EVENING = 18

_HOME, _WORK, _FREE = -1, -2, -3
"""Where a routine leads if not to an item."""

_REMEMBERED = 4
"""Earlier visits that are looked at for one at the same time of the day."""

_SAME_TIME = 1
"""Hours."""

_TRIES = 16
"""After so many places that are known already, one of these will do."""

_WEEKDAY = (2, 1, 1, 1, 1, 3, 8, 16, 24, 28, 30, 32, 34, 32, 30, 30, 32, 36, 40, 40, 34, 24, 14, 6)
_WEEKEND = (5, 3, 2, 1, 1, 1, 3, 6, 12, 20, 27, 31, 33, 32, 30, 29, 29, 31, 33, 33, 30, 24, 17, 10)
"""How often people are seen at each hour of the day, relative to each other."""


class Habits(NamedTuple):
    """The numbers of a preset that the kernel needs; see `VisitPreset` for each."""

    weeks: int
    employed: float
    attendance: float
    at_work: float
    at_hub: float
    at_night: float
    at_evening: float
    at_weekend: float


class VisitBuffers(NamedTuple):
    """Scratch buffers for one record, reused for the next.

    Parameters
    ----------
    state : uint64 array, shape (3,)
        The record's stream.
    rhythm : float64 array, shape (168,)
        Cumulative share of each hour of the week.
    seen : uint8 array, shape (hours,)
        Hours at which the person is seen.
    held : uint8 array, shape (M,)
        Items that the person knows.
    other : int32 array, shape (longest,)
        Where the person has been, home, work and hubs aside, once for each visit.
    clock : int32 array, shape (longest,)
        The hour of the day then.
    """

    state: NDArray[np.uint64]
    rhythm: NDArray[np.float64]
    seen: NDArray[np.uint8]
    held: NDArray[np.uint8]
    other: NDArray[np.int32]
    clock: NDArray[np.int32]


def habits_of(preset: VisitPreset) -> Habits:
    """Return the numbers that the kernel needs.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> habits_of(EVENTS["visits"]).weeks
    13
    """
    return Habits(
        preset.days // DAYS_PER_WEEK,
        preset.employed,
        preset.attendance,
        preset.at_work,
        preset.at_hub,
        preset.at_night,
        preset.at_evening,
        preset.at_weekend,
    )


def visit_buffers(preset: VisitPreset, longest: int) -> VisitBuffers:
    """Allocate the buffers.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> visit_buffers(EVENTS["visits"], 500).seen.size == 91 * 24
    True
    """
    weekdays = _WEEKDAY * _WORKDAYS + _WEEKEND * (DAYS_PER_WEEK - _WORKDAYS)
    rhythm = np.cumsum(np.array(weekdays, np.float64))
    return VisitBuffers(
        np.zeros(WORDS, np.uint64),
        rhythm / rhythm[-1],
        np.zeros(preset.days * HOURS_PER_DAY, np.uint8),
        np.zeros(preset.items, np.uint8),
        np.zeros(longest, np.int32),
        np.zeros(longest, np.int32),
    )


@njit
def make_visits(
    key: Any, world: Any, habits: Any, length: Any, buffers: Any, lo: int, hi: int
) -> Any:
    """Generate the rows of records lo … hi − 1, each in order of time.

    Parameters
    ----------
    key : uint64
        Key of the release's streams.
    length : int64 array, shape (N,)
        Of all records.
    buffers : VisitBuffers
        Overwritten.

    Returns
    -------
    record, item, hour : int32 array, shape (n,)
        From 0; hours from the beginning of the first day.
    """
    total = length[lo:hi].sum()
    record = np.empty(total, np.int32)
    item = np.empty(total, np.int32)
    hour = np.empty(total, np.int32)
    at = 0
    for r in range(lo, hi):
        end = at + length[r]
        start(buffers.state, key, r)
        record[at:end] = r
        _live(world, habits, buffers, item[at:end], hour[at:end])
        at = end
    return record, item, hour


@njit
def _live(world: Any, habits: Any, buffers: Any, item: Any, hour: Any) -> None:
    """Fill in where one person is, and when."""
    state, seen, held, other = buffers.state, buffers.seen, buffers.held, buffers.other
    near = pick(state, world.size)
    home = item_of(state, world, near)
    office = pick(state, world.reach[near])
    work = item_of(state, world, office)
    opens = _EARLIEST + int(_STARTS * unit(state)) if unit(state) < habits.employed else -1
    _draw_hours(habits.weeks, buffers, hour)
    held[home] = 1
    known, others = 1, 0
    today, at_work = -1, False
    for k in range(hour.size):
        if hour[k] // HOURS_PER_DAY != today:
            today = hour[k] // HOURS_PER_DAY
            is_workday = opens >= 0 and today % DAYS_PER_WEEK < _WORKDAYS
            at_work = is_workday and unit(state) < habits.attendance
        clock = hour[k] % HOURS_PER_DAY
        place = _routine(world, habits, state, today, clock, opens if at_work else -1, near, office)
        if place == _HOME:
            i = home
        elif place == _WORK:
            i = work
        elif place >= 0:
            i = place
        else:
            i = _return(world, buffers, others, known, clock)
            if i < 0:
                i = _explore(world, state, office if at_work else near, held)
            other[others] = i
            buffers.clock[others] = clock
            others += 1
        if held[i] == 0:
            held[i] = 1
            known += 1
        item[k] = i
    held[home] = 0
    for k in range(hour.size):
        held[item[k]] = 0
        seen[hour[k]] = 0


@njit
def _draw_hours(weeks: int, buffers: Any, hour: Any) -> None:
    """Draw different hours by the rhythm of the week, in order."""
    count = 0
    while count < hour.size:
        slot = pick(buffers.state, buffers.rhythm)
        when = int(unit(buffers.state) * weeks) * _WEEK + slot
        if buffers.seen[when] == 0:
            buffers.seen[when] = 1
            count += 1
    count = 0
    for when in range(buffers.seen.size):
        if buffers.seen[when]:
            hour[count] = when
            count += 1


@njit
def _routine(
    world: Any,
    habits: Any,
    state: Any,
    today: int,
    clock: int,
    opens: int,
    near: int,
    office: int,
) -> int:
    """Where habit leads at this hour: home, work, a hub's item, or nowhere in particular.

    Parameters
    ----------
    opens : int
        When work begins today; −1: no work.
    """
    if opens >= 0 and opens <= clock < opens + _WORK_HOURS:
        return _WORK if unit(state) < habits.at_work else _FREE
    if opens >= 0 and (clock == opens - 1 or clock == opens + _WORK_HOURS):
        if unit(state) < habits.at_hub:
            return int(world.hub[near if unit(state) < 0.5 else office])
        return _FREE
    stays = habits.at_evening
    if clock < _NIGHT_ENDS or clock >= _NIGHT_BEGINS:
        stays = habits.at_night
    elif today % DAYS_PER_WEEK >= _WORKDAYS and clock < _EVENING:
        stays = habits.at_weekend
    return _HOME if unit(state) < stays else _FREE


@njit
def _return(world: Any, buffers: Any, others: int, known: int, clock: int) -> int:
    """Return where one has been, in proportion to the visits there at that time; −1: not now."""
    state = buffers.state
    if others == 0 or unit(state) < world.new[known]:
        return -1
    at = 0
    for _ in range(_REMEMBERED):
        at = int(unit(state) * others)
        apart = abs(buffers.clock[at] - clock)
        if min(apart, HOURS_PER_DAY - apart) <= _SAME_TIME:
            break
    return int(buffers.other[at])


@njit
def _explore(world: Any, state: Any, here: int, held: Any) -> int:
    """Find a place by popularity and distance that one does not know."""
    i = 0
    for _ in range(_TRIES):
        i = item_of(state, world, pick(state, world.reach[here]))
        if held[i] == 0:
            break
    return i
