"""Reads dates written as numbers, in any of the units in use.

Invariant: a number is given a unit by its size alone only where no other unit makes a likely date
of it; `seconds_from_number` defines what a number means, `seconds_from_numbers` is the same rule
over arrays.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from math import floor

import numpy as np
from numpy.typing import NDArray

from sim.release.readers.date_units import END_SECOND, in_range, out_of_range, plausible
from sim.release.store.cells import SECONDS_PER_DAY

MEANING = {
    "year": "a year",
    "yyyymmdd": "a date written as yyyymmdd",
    "excel": "an Excel date",
    "days": "days since 1970-01-01",
    "s": "seconds since 1970-01-01",
    "ms": "milliseconds since 1970-01-01",
    "us": "microseconds since 1970-01-01",
    "ns": "nanoseconds since 1970-01-01",
}
"""The units of numbers, in words."""

SIZES = {
    "days": (0.0, 2e5),
    "s": (2e5, 2e10),
    "ms": (2e10, 2e13),
    "us": (2e13, 2e16),
    "ns": (2e16, np.inf),
}
"""The numbers that have each unit under ``auto`` once it is recognised: from, and below."""

_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_WHOLE = ("year", "yyyymmdd", "days")
_EXCEL_EPOCH = (date(1899, 12, 30) - date(1970, 1, 1)).days
_FIRST_EXCEL = 61  # 1900-03-01: Excel counts a 29 February 1900, which did not exist
_EXCEL_ERROR = 0.001  # seconds by which a time of day may fall short, as a fraction of a day
_USUAL = (
    int(datetime(1980, 1, 1, tzinfo=UTC).timestamp()),
    int(datetime(2040, 1, 1, tzinfo=UTC).timestamp()),
)
_IN_DIGITS = {6: "%Y%m", 10: "%Y%m%d%H", 12: "%Y%m%d%H%M", 14: "%Y%m%d%H%M%S"}


def unit_by_size(x: float) -> str:
    """Return the unit since 1970 that fits the size of a number.

    Examples
    --------
    >>> unit_by_size(12_345), unit_by_size(1.2e9), unit_by_size(1.2e12), unit_by_size(1.2e18)
    ('days', 's', 'ms', 'ns')
    """
    return next(unit for unit, (_, end) in SIZES.items() if abs(x) < end)


def recognised(x: float) -> str | None:
    """Return the unit of a number that can only be days, seconds, … since 1970, or None.

    It can if that makes a date from 1980 to 2039; these ranges do not overlap, nor do they hold a
    year or an Excel date of that time. A number whose digits are those of a calendar time is left
    open.

    Examples
    --------
    >>> recognised(12_345), recognised(2009), recognised(42_206), recognised(1.2e9)
    ('days', None, None, 's')
    >>> recognised(2035090612)  # 2034, or 12 o'clock on 2035-09-06
    """
    unit = unit_by_size(x)
    seconds = x * SECONDS_PER_DAY if unit == "days" else x / _PER_SECOND[unit]
    if not _USUAL[0] <= seconds < _USUAL[1] or _time_in_digits(x):
        return None
    return unit


def possible_readings(x: float, key: str) -> list[str]:
    """Return what a number may mean, each with its date and the setting that reads it so.

    Parameters
    ----------
    key : str
        The setting, as messages call it.

    Examples
    --------
    >>> possible_readings(2009, "date_unit")
    ['a year (2009-01-01: date_unit=year)', 'an Excel date (1905-07-01: date_unit=excel)', \
'days since 1970-01-01 (1975-07-03: date_unit=days)']
    >>> possible_readings(200509, "date_unit")[0]
    'the calendar time 2005-09 (write it so)'
    """
    found = [f"the calendar time {time} (write it so)"] if (time := _time_in_digits(x)) else []
    for unit, meaning in MEANING.items():
        if unit in _PER_SECOND and abs(x) / _PER_SECOND[unit] < SECONDS_PER_DAY:
            continue  # a moment of the first day of 1970 is never intended
        try:
            seconds = seconds_from_number(x, unit)
        except ValueError:
            continue
        day = date(1970, 1, 1) + timedelta(days=seconds // SECONDS_PER_DAY)
        found.append(f"{meaning} ({day}: {key}={unit})")
    return found


def written(x: float) -> str:
    """Return a number as it would be written in a file.

    Examples
    --------
    >>> written(2009.0), written(1.2e18), written(0.5)
    ('2009', '1200000000000000000', '0.5')
    """
    return str(int(x)) if x == floor(x) and abs(x) < 2**63 else f"{x:.15g}"


def seconds_from_number(x: float, unit: str) -> int:
    """Return a number in some unit as whole seconds.

    Parameters
    ----------
    x : float
        Finite; nanoseconds are as exact as a float, 256 of them. Fractions of a second are cut off
        (towards the past).
    unit : str
        Of `MEANING`. A year is taken as its first of January.

    Raises
    ------
    ValueError
        A fraction of a day or a year, digits that are no date, or a date before 1900 or after 2200.

    Examples
    --------
    >>> seconds_from_number(1.5, "s"), seconds_from_number(-1, "ms"), seconds_from_number(2, "days")
    (1, -1, 172800)
    >>> seconds_from_number(1971, "year"), seconds_from_number(19710101, "yyyymmdd")
    (31536000, 31536000)
    >>> seconds_from_number(25570.25, "excel")
    108000
    """
    shown = f"{written(x)} ({MEANING[unit]})"
    if unit in _WHOLE and x != floor(x):
        what = {"year": "year", "yyyymmdd": "date written as yyyymmdd"}.get(
            unit, f"number of {MEANING[unit]}"
        )
        raise ValueError(f"{x:.15g} is not a whole {what}")
    if unit in _PER_SECOND:
        return in_range(floor(x / _PER_SECOND[unit]), shown)
    if unit == "excel":
        if not _FIRST_EXCEL <= x < SIZES["days"][1]:
            raise out_of_range(shown)
        return in_range(floor((x + _EXCEL_EPOCH) * SECONDS_PER_DAY + _EXCEL_ERROR), shown)
    if unit == "days":
        return in_range(int(x) * SECONDS_PER_DAY, shown)
    if unit == "year":
        if not 1900 <= x <= 2200:
            raise out_of_range(shown)
        day = date(int(x), 1, 1)
    else:
        try:
            day = datetime.strptime(f"{int(x):08d}", "%Y%m%d").date()
        except ValueError:
            raise ValueError(
                f"{written(x)} is not a date written as yyyymmdd; expected one such as 20050906"
            ) from None
    return in_range((day - date(1970, 1, 1)).days * SECONDS_PER_DAY, shown)


def has_fraction(x: NDArray[np.float64] | float, unit: str) -> bool:
    """Return whether some numbers have a fraction of a second, which is cut off.

    Examples
    --------
    >>> has_fraction(1500.0, "ms"), has_fraction(np.array([1e12, 2e12]), "ms")
    (True, False)
    >>> has_fraction(3.0, "days")
    False
    """
    per_second = _PER_SECOND.get(unit)
    return per_second is not None and bool(np.any(np.mod(x, per_second)))


def seconds_from_numbers(x: NDArray[np.float64], unit: str) -> NDArray[np.int64] | None:
    """Return numbers as `seconds_from_number` does, or None where it would refuse one.

    Parameters
    ----------
    x : float64 array, shape (n,)
        Finite.

    Examples
    --------
    >>> seconds_from_numbers(np.array([1970.0, 1971.0]), "year")
    array([       0, 31536000])
    >>> seconds_from_numbers(np.array([20050229.0]), "yyyymmdd")
    """
    if not x.size:
        return np.empty(0, np.int64)
    if unit in _WHOLE and (x != np.floor(x)).any():
        return None
    if unit == "excel":
        if x.min() < _FIRST_EXCEL or x.max() >= SIZES["days"][1]:
            return None
        exact = np.floor((x + _EXCEL_EPOCH) * SECONDS_PER_DAY + _EXCEL_ERROR)
    elif unit in _PER_SECOND:
        exact = np.floor(x / _PER_SECOND[unit])
    else:
        exact = x * SECONDS_PER_DAY if unit == "days" else x
    if np.abs(exact).max() >= 2.0 * END_SECOND:
        return None
    seconds = exact.astype(np.int64)
    if unit in ("year", "yyyymmdd"):
        days = _days_of_calendar(seconds if unit == "yyyymmdd" else seconds * 10_000 + 101)
        if days is None:
            return None
        seconds = days * SECONDS_PER_DAY
    return seconds if plausible(seconds) else None


def _days_of_calendar(digits: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Days since 1970 of numbers written as yyyymmdd, or None where one is no date."""
    if digits.min() < 19_000_101 or digits.max() > 22_001_231:
        return None
    year, month, day = digits // 10_000, digits // 100 % 100, digits % 100
    if month.min() < 1 or month.max() > 12 or day.min() < 1 or day.max() > 31:
        return None
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    if (days.astype("datetime64[M]") != months).any():  # 30 February is a day of March
        return None
    return np.asarray(days.astype(np.int64))


def _time_in_digits(x: float) -> str:
    """Return the month, or the hour, minute and second, that a number spells; else nothing."""
    if x != floor(x) or not 0 < x < 1e18:
        return ""
    digits = str(int(x))
    form = _IN_DIGITS.get(len(digits)) or (_IN_DIGITS[14] if len(digits) > 14 else None)
    if form is None:
        return ""
    try:
        moment = datetime.strptime(digits[:14], form)
    except ValueError:
        return ""
    if not 1900 <= moment.year <= 2200:
        return ""
    return moment.strftime("%Y-%m") if len(digits) == 6 else moment.isoformat()
