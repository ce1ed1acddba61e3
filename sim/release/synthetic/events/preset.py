"""The preset of a synthetic release of events: every parameter of the generator.

Invariant: a preset holds targets and habits, no randomness; two equal presets and seeds give the
same rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from sim.errors import ConfigError
from sim.release.synthetic.preset import Knots

HOURS_PER_DAY = 24
DAYS_PER_WEEK = 7

MOST_OF_THE_HOURS = 0.4
"""No record of visits is longer than this part of the hours, so that its hours can be drawn."""


@dataclass(frozen=True, slots=True)
class EventPreset:
    """What all releases of events have.

    Parameters
    ----------
    name : str
        What it is called in a configuration.
    records, items : int
        N, and items that there are; some that are rarely drawn may have no holder.
    lengths : tuple of (share, value)
        Quantile function of record length; see `sim.release.synthetic.preset.quantiles`. Met
        exactly.
    first_day, days : int
        First day since 1970-01-01, a Monday, and number of days covered, in whole weeks.
    groups : int
        Districts of places or shops, aisles of products; as many items in each.
    spread : float
        Standard deviation of the logarithm of an item's popularity.
    reach : float
        Kilometres over which people move; 0: groups have no distance.
    cities : int
        Cities that districts lie in; the size of the n-th is proportional to 1 / n.
    new, habit : float
        A person who knows S items goes for a new one with probability new · S^−habit.

    Raises
    ------
    ConfigError
        Parameters contradict one another.
    """

    time_bin: ClassVar[str] = "day"

    name: str
    records: int
    items: int
    lengths: Knots
    first_day: int
    days: int
    groups: int
    spread: float
    reach: float
    cities: int
    new: float
    habit: float

    def __post_init__(self) -> None:
        shares, values = zip(*self.lengths, strict=True)
        rising = list(shares) == sorted(shares) and list(values) == sorted(values)
        if not rising or shares[0] != 0 or shares[-1] != 1:
            raise self._wrong("lengths", "rising points (share, value) from share 0 to share 1")
        if not 1 <= values[0] <= values[-1] <= self.longest:
            raise self._wrong("lengths", f"values from 1 to {self.longest}")
        for key in ("records", "items", "days", "groups", "cities"):
            self._check(key, 1, math.inf, whole=True)
        if self.items % self.groups or self.items < 2 * self.groups:
            raise self._wrong("groups", "a divisor of items, with at least two items in each")
        if self.days % DAYS_PER_WEEK:
            raise self._wrong("days", "whole weeks")
        if (self.first_day + 3) % DAYS_PER_WEEK:  # the first of January 1970 was a Thursday
            raise self._wrong("first_day", "a Monday")
        for key in ("spread", "reach", "habit"):
            self._check(key, 0, 1e6)
        self._check("new", 1e-3, 1)

    @property
    def longest(self) -> int:
        """Length of the longest record that there may be."""
        return self.items - 1

    def _check(self, key: str, least: float, most: float, whole: bool = False) -> None:
        value = getattr(self, key)
        if not least <= value <= most or (whole and value != int(value)):
            kind = "a whole number" if whole else "a number"
            raise self._wrong(key, f"{kind} from {least:g} to {most:g}")

    def _wrong(self, key: str, wanted: str) -> ConfigError:
        return ConfigError(f"preset {self.name}: {key} = {getattr(self, key)}: must be {wanted}")


@dataclass(frozen=True, slots=True)
class VisitPreset(EventPreset):
    """People who are somewhere at some hours.

    Parameters
    ----------
    employed : float
        Share of the people who work, on weekdays, for nine hours from between 7 and 9.
    attendance : float
        Share of the weekdays on which they do.
    at_work, at_hub, at_night, at_evening, at_weekend : float
        Chance to be at work in working hours, at a hub of the home's or the work's district in the
        hours before and after, and at home at night, on the evening of a weekday, and on the day
        of a weekend; otherwise people explore or return.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> EVENTS["visits"].records
    20000
    """

    time_bin: ClassVar[str] = "hour"

    employed: float = 0.65
    attendance: float = 0.9
    at_work: float = 0.65
    at_hub: float = 0.4
    at_night: float = 0.85
    at_evening: float = 0.25
    at_weekend: float = 0.15

    def __post_init__(self) -> None:
        # A class with slots is made anew by its decorator, so that super() would not find it.
        EventPreset.__post_init__(self)
        for key in ("employed", "attendance", "at_work", "at_hub", "at_night", "at_evening"):
            self._check(key, 0, 1)
        self._check("at_weekend", 0, 1)

    @property
    def longest(self) -> int:
        """Length of the longest record that there may be."""
        return int(MOST_OF_THE_HOURS * HOURS_PER_DAY * self.days)


@dataclass(frozen=True, slots=True)
class PurchasePreset(EventPreset):
    """People who buy several items on one day, and many of these again.

    Parameters
    ----------
    basket, basket_spread : float
        Mean number of items on one day, and the standard deviation of its logarithm between
        people.
    period : float
        Mean number of days between two days with purchases.
    weekdays : tuple of float
        Volume of Monday … Sunday, relative to each other.
    season : float
        How much less is bought at the slackest time of the year than at its end, from 0 to 1.
    loyal : float
        Share of the people who have a day of the week on which they mostly buy.
    anchors : int
        Groups that a person turns to first.
    roam : float
        Chance that something new is from any group, by its weight and, if there is one, distance.
    patience : float
        Median number of days until an item is bought again; it differs between items.
    seasonal : float
        Share of the items that are rarely bought out of their season.
    levels, shares : tuple of float
        Values, a quantity or a price, and how often each occurs.
    own_level : float
        Correlation of the values of one item, on a normal scale.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> EVENTS["shopping"].records
    1100000
    """

    basket: float = 10.0
    basket_spread: float = 0.4
    period: float = 10.0
    weekdays: tuple[float, ...] = (1.0,) * DAYS_PER_WEEK
    season: float = 0.0
    loyal: float = 0.5
    anchors: int = 6
    roam: float = 0.3
    patience: float = 14.0
    seasonal: float = 0.2
    levels: tuple[float, ...] = (1.0,)
    shares: tuple[float, ...] = (1.0,)
    own_level: float = 0.5

    def __post_init__(self) -> None:
        EventPreset.__post_init__(self)
        for key in ("season", "loyal", "roam", "seasonal", "own_level"):
            self._check(key, 0, 1)
        for key in ("basket", "period"):
            self._check(key, 1, 1e6)
        self._check("basket_spread", 0, 3)
        self._check("patience", 1e-3, 1e6)
        self._check("anchors", 1, self.groups, whole=True)
        if len(self.weekdays) != DAYS_PER_WEEK or min(self.weekdays) <= 0:
            raise self._wrong("weekdays", f"{DAYS_PER_WEEK} numbers above 0")
        if list(self.levels) != sorted(set(self.levels)) or not self.levels:
            raise self._wrong("levels", "different numbers in rising order")
        if len(self.shares) != len(self.levels) or not math.isclose(sum(self.shares), 1.0):
            raise self._wrong("shares", "one part for each level, adding up to 1")
