"""Spans of time with a unit, such as an error of known times: ``3d``, ``2h``; a number is days."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Self

from sim.errors import ConfigError
from sim.release.store.time_bins import TimeBin

_MINUTES = {"min": 1, "h": 60, "d": 1440, "w": 10_080}
_WORDS = {"min": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month"}
_TEXT = re.compile(r"([0-9]{1,9}) ?(min|h|d|w|mo)?")

EXPECTED = "a whole number with a unit (min, h, d, w, mo), such as 2h; without a unit it is days"


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A span of time: minutes, or months of the calendar.

    Examples
    --------
    >>> [TimeSpan.parse(given).value for given in (3, "36h", "48h", "1w", "90min", "2mo")]
    [3, '36h', 2, 7, '90min', '2mo']
    """

    minutes: int = 0
    months: int = 0

    @classmethod
    def parse(cls, given: Any) -> Self:
        """Read a setting of a configuration.

        Raises
        ------
        ConfigError
            It is no span of time; the message is without a key.

        Examples
        --------
        >>> TimeSpan.parse("2 fortnights")
        Traceback (most recent call last):
        sim.errors.ConfigError: expected a whole number with a unit (min, h, d, w, mo), such as \
2h; without a unit it is days
        """
        if isinstance(given, float) and given.is_integer():
            given = int(given)
        found = _TEXT.fullmatch(str(given)) if isinstance(given, (int, str)) else None
        if found is None or isinstance(given, bool):
            raise ConfigError(f"expected {EXPECTED}")
        number, unit = int(found[1]), found[2] or "d"
        return cls(0, number) if unit == "mo" else cls(number * _MINUTES[unit])

    @property
    def value(self) -> int | str:
        """What `parse` reads back: days as a number, and otherwise the widest unit that is whole.

        Equal spans have the same.
        """
        if self.months:
            return f"{self.months}mo"
        if self.minutes % _MINUTES["d"] == 0:
            return self.minutes // _MINUTES["d"]
        unit = "min" if self.minutes % _MINUTES["h"] else "h"
        return f"{self.minutes // _MINUTES[unit]}{unit}"

    @property
    def words(self) -> str:
        """The span in words.

        Examples
        --------
        >>> TimeSpan.parse("2h").words, TimeSpan.parse(1).words, TimeSpan.parse("3mo").words
        ('2 hours', '1 day', '3 months')
        """
        number, unit = parts(str(self.value))
        return f"{number:,} {_WORDS[unit]}{'' if number == 1 else 's'}"

    def bins(self, width: TimeBin) -> int | None:
        """Return its number of bins; None where that is not a whole number.

        Months differ in length, so bins of a month make no number of days, nor days one of months.

        Examples
        --------
        >>> week = TimeBin.parse("week")
        >>> TimeSpan.parse(14).bins(week), TimeSpan.parse(3).bins(week)
        (2, None)
        """
        if not (self.minutes or self.months):
            return 0
        if width.kind == "month":
            return self.months or None
        number, over = divmod(self.minutes, width.minutes)
        return None if over or not number else number

    def whole_bins(self, width: TimeBin, key: str) -> int:
        """Return its number of bins.

        Raises
        ------
        ConfigError
            That is not a whole number; the message begins with `key`.
        """
        bins = self.bins(width)
        if bins is None:
            raise ConfigError(f"{key}: {self.misfit(width)}")
        return bins

    @classmethod
    def of_bins(cls, number: int, width: TimeBin) -> Self:
        """Return the span of a number of bins."""
        return cls(0, number) if width.kind == "month" else cls(number * width.minutes)

    @property
    def fitting_bin(self) -> str:
        """The ``data.time_bin`` that makes a whole number of bins of it; empty if days do.

        Examples
        --------
        >>> [TimeSpan.parse(each).fitting_bin for each in ("36h", "45min", "2d", "1mo")]
        ['hour', '45', '', '']
        """
        if self.months or self.minutes % _MINUTES["d"] == 0:
            return ""
        return "hour" if self.minutes % _MINUTES["h"] == 0 else str(self.minutes)

    def misfit(self, width: TimeBin) -> str:
        """Return why it cannot be had in bins of a width; empty if it can.

        Examples
        --------
        >>> TimeSpan.parse("90min").misfit(TimeBin.parse("hour"))
        '90 minutes is no whole number of hours, in which the release has its times'
        >>> TimeSpan.parse(3).misfit(TimeBin.parse("month"))
        '3 days is no whole number of months, in which the release has its times and which differ \
in length (1mo is a month)'
        """
        if self.bins(width) is not None:
            return ""
        differ = " and which differ in length (1mo is a month)" if width.kind == "month" else ""
        return (
            f"{self.words} is no whole number of {width.words}s, in which the release has its "
            f"times{differ}"
        )


def parts(value: str) -> tuple[int, str]:
    """Return number and unit of a value as text.

    Examples
    --------
    >>> parts("3"), parts("2h")
    ((3, 'd'), (2, 'h'))
    """
    found = _TEXT.fullmatch(value)
    assert found is not None
    return int(found[1]), found[2] or "d"


def zero(width: TimeBin) -> int | str:
    """Return the value of no error at all, in the unit of a release's bins: 0, ``0h``, ``0mo``.

    Examples
    --------
    >>> [zero(TimeBin.parse(each)) for each in ("day", "hour", "week", "month", 15, 2880)]
    [0, '0h', '0w', '0mo', '0min', 0]
    """
    if width.kind == "month":
        return "0mo"
    unit = next(unit for unit in ("w", "d", "h", "min") if width.minutes % _MINUTES[unit] == 0)
    return 0 if unit == "d" else f"0{unit}"
