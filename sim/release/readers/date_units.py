"""Single dates as users write them, as whole seconds since 1970-01-01 UTC.

Invariant: a date comes back only if it lies within 1900 to 2200; nothing is rounded up.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.release.store.cells import SECONDS_PER_DAY

DATE_UNITS = ("auto", "iso", "s", "ms", "us", "ns", "days", "excel", "year", "yyyymmdd")
"""What may be asked for."""

FIRST_SECOND = int(datetime(1900, 1, 1, tzinfo=UTC).timestamp())
"""The earliest date accepted: 1900-01-01."""

END_SECOND = int(datetime(2201, 1, 1, tzinfo=UTC).timestamp())
"""The first date too late: 2201-01-01."""

ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[ T][0-9]{2}(?::[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)?"
    r"(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
"""What an ISO date or timestamp looks like."""


def plausible(seconds: NDArray[np.int64]) -> bool:
    """Whether some seconds all lie within 1900 to 2200; there must be one."""
    return bool(seconds.min() >= FIRST_SECOND and seconds.max() < END_SECOND)


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
    return in_range(since.days * SECONDS_PER_DAY + since.seconds, repr(text))


def seconds_east(zone: str) -> int:
    """Return how far a time zone is east of UTC.

    Parameters
    ----------
    zone : str
        ``Z``, ``+hh``, ``+hhmm`` or ``+hh:mm``; west of UTC with a minus.

    Raises
    ------
    ValueError
        There is no such zone.

    Examples
    --------
    >>> seconds_east("-0130"), seconds_east("Z")
    (-5400, 0)
    """
    if zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].removeprefix(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError("the time zone is none")
    return (1 if zone[0] == "+" else -1) * (hours * 3600 + minutes * 60)


def offset(east: int) -> str:
    """Return a time zone, given in seconds east of UTC, as it is written.

    Examples
    --------
    >>> offset(-5400), offset(0)
    ('-01:30', '+00:00')
    """
    hours, minutes = divmod(abs(east) // 60, 60)
    return f"{'-' if east < 0 else '+'}{hours:02}:{minutes:02}"


def iso_offsets(cells: pa.Array) -> set[str] | None:
    """Return the different time zones of ISO timestamps; None where a cell has none.

    Parameters
    ----------
    cells : pyarrow string array, shape (n,)
        Timestamps that `ISO` matches; without nulls.

    Examples
    --------
    >>> cells = pa.array(["2024-01-07T01:00Z", "2024-01-07T10:00+09", "2024-01-08T01:00+00:00"])
    >>> sorted(iso_offsets(cells))
    ['+00:00', '+09:00']
    """
    found = set()
    while len(cells):
        first = ISO.fullmatch(cells[0].as_py())
        if first is None or first["zone"] is None:
            return None
        found.add(offset(seconds_east(first["zone"])))
        # What ends so has this zone: a date ends in a minus and two digits, but never with a time.
        cells = cells.filter(pc.invert(pc.ends_with(cells, pattern=first["zone"])))
    return found


def as_iso(seconds: int) -> str:
    """Return a moment as ISO text, without a time of day that is midnight.

    Examples
    --------
    >>> as_iso(0), as_iso(86460)
    ('1970-01-01', '1970-01-02 00:01:00')
    """
    moment = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return moment.isoformat(" ").removesuffix(" 00:00:00")


def in_range(seconds: int, shown: str) -> int:
    """Return some seconds if they are a date from 1900 to 2200.

    Raises
    ------
    ValueError
        They are not; `shown` is what was read.
    """
    if not FIRST_SECOND <= seconds < END_SECOND:
        raise out_of_range(shown)
    return seconds


def out_of_range(shown: str) -> ValueError:
    """Return the error for a cell that is no date from 1900 to 2200."""
    return ValueError(
        f"{shown} is out of range; expected a date from 1900 to 2200, or its cell in "
        "data.placeholders if it stands for none"
    )
