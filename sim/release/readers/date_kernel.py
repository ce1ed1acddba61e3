"""Parses columns of dates in a stated format, in one compiled pass over their bytes.

Invariant: a cell fits, and means the same second, exactly where `DateFormat.seconds` says so.

pyarrow's and pandas' parsers are not used: the C library's strptime takes 31 February for a day of
March and reads month names by the locale, and pandas' makes a Python object of each cell.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.release.readers.date_units import END_SECOND, FIRST_SECOND

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
"""Names of months; their first three letters will do."""

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""Names of weekdays; their first three letters will do."""

FIELDS = "YymdHIMSfbapzZ"
"""The directives of `strptime` that a format may hold, in the order of their codes."""

LITERAL = len(FIELDS)
"""The code of a letter that stands for itself; a blank stands for any number of them."""

MOST_DIGITS = (4, 2, 2, 2, 2, 2, 2, 2, 9)
"""Digits that the fields that are numbers have at most; these fields come first."""

(
    _Y,
    _YY,
    _MONTH,
    _DAY,
    _HOUR,
    _HOUR12,
    _MINUTE,
    _SECOND,
    _FRACTION,
    _NAME,
    _WEEKDAY,
    _HALF,
    _ZONE,
    _UTC,
) = range(LITERAL)
_MOST = np.array(MOST_DIGITS, np.int64)
_BLANK = ord(" ")


def _table(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Names as rows of bytes, filled up with zeros."""
    padded = [name.encode().ljust(max(map(len, names)) + 1, b"\0") for name in names]
    return np.array([list(name) for name in padded], np.uint8)


_MONTH_NAMES, _WEEKDAY_NAMES = _table(MONTHS), _table(WEEKDAYS)
_HALVES, _ZONES = _table(("am", "pm")), _table(("utc", "gmt", "z"))


def parse(
    cells: pa.Array, codes: NDArray[np.uint8], extra: NDArray[np.uint8]
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return a column as seconds since 1970, and the place of the first cell that does not fit.

    Parameters
    ----------
    cells : pyarrow string array, shape (n,)
        Without nulls.
    codes : uint8 array, shape (f,)
        What the format consists of: places in `FIELDS`, or `LITERAL`.
    extra : uint8 array, shape (f,)
        The byte of a literal; the least number of digits of a number.

    Returns
    -------
    seconds : int64 array, shape (n,)
        Of the cells before the first that does not fit.
    east : int32 array, shape (n,)
        How many seconds their time zones are east of UTC; 0 where the format has none.
    misfit : int
        −1 where all fit.
    """
    _, offsets, data = cells.buffers()
    seconds, east = np.empty(len(cells), np.int64), np.empty(len(cells), np.int32)
    if not len(cells):
        return seconds, east, -1
    bounds = np.frombuffer(offsets, np.int32)[cells.offset : cells.offset + len(cells) + 1]
    text = np.frombuffer(data or b"\0", np.uint8)
    return seconds, east, int(_parse(text, bounds, codes, extra, seconds, east))


@njit
def _parse(text, bounds, codes, extra, out, east):  # type: ignore[no-untyped-def]
    field = np.zeros(_FRACTION + 1, np.int64)
    for row in range(out.size):
        at, end = bounds[row], bounds[row + 1]
        while at < end and text[at] == _BLANK:
            at += 1
        while at < end and text[end - 1] == _BLANK:
            end -= 1
        field[:] = 0
        field[_Y], field[_MONTH], field[_DAY] = 1970, 1, 1
        half, shift = -1, 0
        for k in range(codes.size):
            code = codes[k]
            if code == LITERAL:
                if at >= end or text[at] != extra[k]:
                    return row
                at += 1
                while extra[k] == _BLANK and at < end and text[at] == _BLANK:
                    at += 1
            elif code <= _FRACTION:
                first = at
                number = 0
                while at < end and at - first < _MOST[code] and 48 <= text[at] <= 57:
                    number = number * 10 + (text[at] - 48)
                    at += 1
                if at - first < extra[k]:
                    return row
                field[code] = number
            elif code == _ZONE:
                shift, at = _zone(text, at, end)
                if at < 0:
                    return row
            else:
                first = at
                while at < end and 97 <= (text[at] | 32) <= 122:
                    at += 1
                if code == _NAME:
                    field[_MONTH] = 1 + _place(text, first, at, _MONTH_NAMES, True)
                    if field[_MONTH] == 0:
                        return row
                elif code == _WEEKDAY:
                    if _place(text, first, at, _WEEKDAY_NAMES, True) < 0:
                        return row
                elif code == _HALF:
                    half = _place(text, first, at, _HALVES, False)
                    if half < 0:
                        return row
                elif _place(text, first, at, _ZONES, False) < 0:
                    return row
            if code == _YY:  # as POSIX has it
                field[_Y] = field[_YY] + (1900 if field[_YY] >= 69 else 2000)
            elif code == _HOUR12 and not 1 <= field[_HOUR12] <= 12:
                return row
        if at != end:
            return row
        if half >= 0:
            field[_HOUR] = field[_HOUR12] % 12 + 12 * half
        year, month, day = field[_Y], field[_MONTH], field[_DAY]
        if not 1 <= month <= 12 or not 1 <= day <= _days_in(year, month):
            return row
        if field[_HOUR] > 23 or field[_MINUTE] > 59 or field[_SECOND] > 59:
            return row
        seconds = _days_since_1970(year, month, day) * 86_400 - shift
        seconds += field[_HOUR] * 3600 + field[_MINUTE] * 60 + field[_SECOND]
        if not FIRST_SECOND <= seconds < END_SECOND:
            return row
        out[row], east[row] = seconds, shift
    return -1


@njit
def _place(text, first, end, names, short):  # type: ignore[no-untyped-def]
    """The place of a name among some, or of its first three letters; −1 if it is none."""
    size = end - first
    for k in range(names.shape[0]):
        if size < names.shape[1] and size and (names[k, size] == 0 or (short and size == 3)):
            same = True
            for letter in range(size):
                if text[first + letter] | 32 != names[k, letter]:
                    same = False
                    break
            if same:
                return k
    return -1


@njit
def _zone(text, at, end):  # type: ignore[no-untyped-def]
    """Seconds east of UTC and where the zone ends; −1 there if it is none."""
    if at < end and text[at] == ord("Z"):
        return 0, at + 1
    if at >= end or (text[at] != ord("+") and text[at] != ord("-")):
        return 0, -1
    sign = 1 if text[at] == ord("+") else -1
    hours, minutes = _two_digits(text, at + 1, end), 0
    if hours < 0 or hours > 23:
        return 0, -1
    at += 3
    skip = 1 if at < end and text[at] == ord(":") else 0
    if _two_digits(text, at + skip, end) >= 0:
        minutes = _two_digits(text, at + skip, end)
        at += skip + 2
    if minutes > 59:
        return 0, -1
    return sign * (hours * 3600 + minutes * 60), at


@njit
def _two_digits(text, at, end):  # type: ignore[no-untyped-def]
    if at + 2 > end or not 48 <= text[at] <= 57 or not 48 <= text[at + 1] <= 57:
        return -1
    return (text[at] - 48) * 10 + text[at + 1] - 48


@njit
def _days_in(year, month):  # type: ignore[no-untyped-def]
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


@njit
def _days_since_1970(year, month, day):  # type: ignore[no-untyped-def]
    """Days of the Gregorian calendar, in years from 1 March on: leap days come last."""
    y = year - 1 if month <= 2 else year
    in_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return y * 365 + y // 4 - y // 100 + y // 400 + in_year - 719_468
