"""Bins of time: the resolution in which the cells of a release carry their times (spec §8).

A bin has a number, counted from the bin of 1970-01-01 00:00 UTC, which is 0. What the code calls a
*day* is such a number, or, in the cells of a store, a code that counts from the release's first bin
(see `sim.release.store.manifest.Manifest`).

Invariant: bins are consecutive and cover all times, so their numbers are in the order of time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError

MAX_BINS = 65_535
"""Most bins of a release: codes have 16 bits, and one of them stands for no time."""

_MINUTE = 60
_HOUR, _DAY, _WEEK = 60, 1440, 10_080  # in minutes
_MOST_MINUTES = 525_600
_DAYS_A_YEAR = 365.2425
_MONDAY = 4 * _DAY * _MINUTE  # Monday, 5 January 1970, in seconds
_LONGEST_MONTH, _LONGEST_YEAR = 31 * _DAY, 366 * _DAY
_NARROW = (1, 5, 15, _HOUR)
_CALENDAR = {"month": "M", "year": "Y"}
_NAMES = {"hour": _HOUR, "day": _DAY, "week": _WEEK}
_UNITS = ((_WEEK, "week"), (_DAY, "day"), (_HOUR, "hour"), (1, "minute"))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXPECTED = (
    f"expected day, hour, week, month, or a number of minutes from 1 to {_MOST_MINUTES}, such as 15"
)


@dataclass(frozen=True, slots=True)
class TimeBin:
    """The width of bins of time, and where they begin.

    Parameters
    ----------
    kind : str
        ``minutes``: bins of `minutes`, counted from 1970-01-01 00:00 UTC; those of a week begin on
        Monday. ``month``, ``year``: those of the calendar.
    minutes : int
        0 unless the kind is ``minutes``.

    Examples
    --------
    >>> TimeBin.parse("hour").of(np.array([3599, 3600, -1])).tolist()
    [0, 1, -1]
    >>> str(TimeBin.parse(1440)), TimeBin.parse("15").words
    ('day', '15-minute bin')
    """

    kind: Literal["minutes", "month", "year"] = "minutes"
    minutes: int = 0

    @classmethod
    def parse(cls, given: Any, key: str = "data.time_bin") -> Self:
        """Read the setting of a configuration.

        Raises
        ------
        ConfigError
            It is no bin of time.

        Examples
        --------
        >>> TimeBin.parse("fortnight")
        Traceback (most recent call last):
        sim.errors.ConfigError: data.time_bin: 'fortnight': expected day, hour, week, month, or a \
number of minutes from 1 to 525600, such as 15
        """
        if given == "month":
            return cls("month")
        minutes = _NAMES.get(given) if isinstance(given, str) else None
        if minutes is None and isinstance(given, str) and re.fullmatch("[0-9]{1,6}", given):
            minutes = int(given)
        if isinstance(given, int) and not isinstance(given, bool):
            minutes = given
        if minutes is None or not 1 <= minutes <= _MOST_MINUTES:
            raise ConfigError(f"{key}: {given!r}: {_EXPECTED}")
        return cls("minutes", minutes)

    def __str__(self) -> str:
        """Canonical text: what `parse` reads back, one text for one bin; also ``year``."""
        if self.kind != "minutes":
            return self.kind
        names = {minutes: name for name, minutes in _NAMES.items()}
        return names.get(self.minutes, str(self.minutes))

    @property
    def seconds(self) -> int | None:
        """Width in seconds; None where bins differ in width."""
        return self.minutes * _MINUTE if self.minutes else None

    @property
    def words(self) -> str:
        """What one bin is called.

        Examples
        --------
        >>> TimeBin.parse("month").words, TimeBin.parse(2880).words, TimeBin.parse(90).words
        ('month', '2-day bin', '90-minute bin')
        """
        text = str(self)
        if not text.isdecimal():
            return text
        size, unit = next(each for each in _UNITS[1:] if self.minutes % each[0] == 0)
        return f"{self.minutes // size}-{unit} bin"

    def of(self, seconds: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of the bin of each time.

        Parameters
        ----------
        seconds : int64 array, shape (n,)
            Since 1970-01-01 UTC.

        Examples
        --------
        >>> day = 86_400
        >>> TimeBin.parse("week").of(np.array([3, 4, 11]) * day).tolist()  # from Thursday, day 0
        [0, 1, 2]
        >>> TimeBin.parse("month").of(np.array([-1, 30, 31]) * day).tolist()
        [-1, 0, 1]
        """
        if self.kind != "minutes":
            moments = np.asarray(seconds).astype("datetime64[s]")
            return moments.astype(f"datetime64[{_CALENDAR[self.kind]}]").astype(np.int64)
        return (seconds - self._origin) // (self.minutes * _MINUTE)

    def start(self, number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where bins begin, in seconds since 1970-01-01 UTC.

        Parameters
        ----------
        number : int64 array, shape (n,)

        Examples
        --------
        >>> (TimeBin.parse("month").start(np.array([0, 1, 2])) // 86_400).tolist()
        [0, 31, 59]
        """
        if self.kind != "minutes":
            first = np.asarray(number).astype(f"datetime64[{_CALENDAR[self.kind]}]")
            return first.astype("datetime64[s]").astype(np.int64)
        return number * (self.minutes * _MINUTE) + self._origin

    @property
    def _origin(self) -> int:
        """Where bin 0 begins, in seconds."""
        return _MONDAY - _WEEK * _MINUTE if self.minutes == _WEEK else 0

    def starts(self, number: int) -> datetime:
        """Return where a bin begins, as a moment of UTC."""
        return _EPOCH + timedelta(seconds=int(self.start(np.array([number]))[0]))

    def text(self, number: int) -> str:
        """Format a bin: the day, month or moment when it begins.

        Examples
        --------
        >>> TimeBin.parse("hour").text(1), TimeBin.parse("month").text(14), DAY.text(365)
        ('1970-01-01 01:00', '1971-03', '1971-01-01')
        """
        form = "%Y-%m" if self.kind == "month" else "%Y-%m-%d"
        return self.starts(number).strftime(form if self.is_whole_days else "%Y-%m-%d %H:%M")

    def in_days(self, bins: NDArray[Any]) -> NDArray[np.float64]:
        """Return numbers of bins as days; a month is a twelfth of a mean year, 30.44 days.

        Parameters
        ----------
        bins : array, shape (n,)

        Examples
        --------
        >>> TimeBin.parse("hour").in_days(np.array([0, 6, 48])).tolist()
        [0.0, 0.25, 2.0]
        """
        if self.kind != "minutes":
            return bins * (_DAYS_A_YEAR / (12 if self.kind == "month" else 1))
        return bins * self.minutes / _DAY

    def narrowest(self, n: int) -> Self | None:
        """Return the bin of 1, 5, 15 or 60 minutes, narrower than this, that a release can have.

        Parameters
        ----------
        n : int
            Bins of this width that the release spans.

        Returns
        -------
        TimeBin or None
            None: all of them are too many for it, or none is narrower.

        Examples
        --------
        >>> [str(DAY.narrowest(n)) for n in (30, 100, 400, 2000, 9000)]
        ['1', '5', '15', 'hour', 'None']
        """
        width = self.minutes or (_LONGEST_YEAR if self.kind == "year" else _LONGEST_MONTH)
        for minutes in _NARROW:
            if minutes < width and n * -(-width // minutes) <= MAX_BINS:
                return type(self)("minutes", minutes)
        return None

    def within(self, days: float) -> int:
        """Return the most bins that are within a number of days.

        Examples
        --------
        >>> TimeBin.parse("week").within(14), TimeBin.parse("month").within(14), DAY.within(14)
        (2, 0, 14)
        """
        guess = int(min(days, _MOST_MINUTES * MAX_BINS) / float(self.in_days(np.ones(1))[0]))
        # Up to a rounding of the division.
        near = [bins for bins in (guess + 1, guess) if self.in_days(np.array([bins]))[0] <= days]
        return near[0] if near else max(guess - 1, 0)

    @property
    def is_whole_days(self) -> bool:
        """Whether every bin is made of whole days, so that times of day are of no use."""
        return self.kind != "minutes" or self.minutes % _DAY == 0

    def first_in(self, wider: TimeBin, number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first of the bins that lie in the same bin of another width as each.

        Parameters
        ----------
        wider : TimeBin
            One that this one refines.
        number : int64 array, shape (n,)

        Examples
        --------
        >>> DAY.first_in(TimeBin.parse("month"), np.array([0, 30, 31, 58, 59])).tolist()
        [0, 0, 31, 31, 59]
        """
        return self.of(wider.start(wider.of(self.start(number))))

    def refines(self, other: TimeBin) -> bool:
        """Whether every bin lies within one bin of another width.

        Examples
        --------
        >>> hour, week, month = map(TimeBin.parse, ("hour", "week", "month"))
        >>> hour.refines(week), week.refines(month), TimeBin.parse(7).refines(DAY)
        (True, False, False)
        """
        if self.kind != "minutes":
            return other.kind in (self.kind, "year")
        if other.kind != "minutes" or other.minutes == _WEEK != self.minutes:
            return _DAY % self.minutes == 0
        return other.minutes % self.minutes == 0 and (self.minutes != _WEEK or other == self)

    @staticmethod
    def fitting(first: int, last: int) -> Iterator[TimeBin]:
        """Yield the usual bins in which a span of seconds has at most `MAX_BINS`, narrowest first.

        Examples
        --------
        >>> [str(each) for each in TimeBin.fitting(0, 10**10)]
        ['week', 'month']
        """
        usual = [TimeBin("minutes", n) for n in range(1, _DAY + 1) if _DAY % n == 0]
        for each in (*usual, TimeBin("minutes", _WEEK), TimeBin("month")):
            ends = each.of(np.array([first, last], np.int64))
            if ends[1] - ends[0] < MAX_BINS:
                yield each


DAY = TimeBin("minutes", _DAY)
"""Whole days of UTC, the default."""

YEAR = TimeBin("year")
"""Years of the calendar: only to make other bins coarser."""
