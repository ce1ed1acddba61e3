"""Single dates as users write them, as whole seconds since 1970-01-01 UTC.

Invariant: a date comes back only if it lies within 1900 to 2200; nothing is rounded up.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from math import floor

from sim.release.cells import SECONDS_PER_DAY

DATE_UNITS = ("auto", "iso", "s", "ms", "days")
"""What may be asked for."""

FIRST_SECOND = int(datetime(1900, 1, 1, tzinfo=UTC).timestamp())
"""The earliest date taken for one: 1900-01-01."""

END_SECOND = int(datetime(2201, 1, 1, tzinfo=UTC).timestamp())
"""The first date too late: 2201-01-01."""

ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T][0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)?"
    r"(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
"""What an ISO date or timestamp looks like."""

LARGEST_DAY, LARGEST_SECOND = 200_000.0, 2e10
"""Where ``auto`` draws the lines between days, seconds and milliseconds."""

MEANING = {
    "s": "seconds since 1970-01-01",
    "ms": "milliseconds since 1970-01-01",
    "days": "days since 1970-01-01",
}
"""The units of numbers, in words."""


def unit_by_size(x: float) -> str:
    """Return the unit a number since 1970 is taken to have under ``auto``.

    Examples
    --------
    >>> unit_by_size(12_345), unit_by_size(1.2e9), unit_by_size(1.2e12)
    ('days', 's', 'ms')
    """
    if abs(x) < LARGEST_DAY:
        return "days"
    return "s" if abs(x) < LARGEST_SECOND else "ms"


def seconds_from_number(x: float, unit: str) -> int:
    """Return a number of seconds, milliseconds or days since 1970 as whole seconds.

    Parameters
    ----------
    x : float
        Fractions of a second are cut off (towards the past).
    unit : str
        ``s``, ``ms`` or ``days``.

    Raises
    ------
    ValueError
        A fraction of a day, or a date before 1900 or after 2200.

    Examples
    --------
    >>> seconds_from_number(1.5, "s"), seconds_from_number(-1, "ms"), seconds_from_number(2, "days")
    (1, -1, 172800)
    """
    if unit == "days" and x != floor(x):
        raise ValueError(f"{x:g} is not a whole number of days since 1970-01-01")
    seconds = floor(x / 1000) if unit == "ms" else floor(x)
    if unit == "days":
        seconds *= SECONDS_PER_DAY
    return _in_range(seconds, f"{x:.15g} ({MEANING[unit]})")


def seconds_from_iso(text: str) -> int:
    """Return an ISO date or timestamp as whole seconds; UTC where it names no zone.

    Raises
    ------
    ValueError
        Not a date of the calendar, or one before 1900 or after 2200.

    Examples
    --------
    >>> seconds_from_iso("1970-01-02"), seconds_from_iso("1970-01-01T01:00:09.5+01:00")
    (86400, 9)
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return _in_range(since.days * SECONDS_PER_DAY + since.seconds, repr(text))


def _in_range(seconds: int, shown: str) -> int:
    if not FIRST_SECOND <= seconds < END_SECOND:
        raise ValueError(f"{shown} is out of range; expected a date from 1900 to 2200")
    return seconds
