"""Dates written in a stated format, and the formats that are recognised.

Invariant: `DateFormat.seconds` defines what a cell means; `DateFormat.column` is the same rule over
a column, or returns None. Every digit and letter of a cell is accounted for, whatever the locale.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property, lru_cache
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.readers.date_kernel import (
    FIELDS,
    LITERAL,
    MONTHS,
    MOST_DIGITS,
    WEEKDAYS,
    parse,
)
from sim.release.readers.date_units import in_range, offset, seconds_east
from sim.release.readers.strict_parser import shown
from sim.release.store.cells import SECONDS_PER_DAY

_SAME = {"B": "b", "A": "a"}
_SEVERAL = {"T": "%H:%M:%S", "R": "%H:%M", "D": "%m/%d/%y", "F": "%Y-%m-%d", "%": "%%"}
_FIXED = {"Y": 4, "y": 2}
_NUMBERS = FIELDS[: len(MOST_DIGITS)]
_LETTERS = {"b": "[A-Za-z]++", "a": "[A-Za-z]++", "p": "[A-Za-z]++", "Z": "[A-Za-z]++"}
_ZONE = r"(?>Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DateFormat:
    """A format of dates, as of `strptime`, in English.

    Parameters
    ----------
    text : str
        ``%Y`` (four digits), ``%y`` (1969 to 2068), ``%m`` and ``%d`` (one or two digits), ``%b``
        or ``%B`` (a month's name), ``%H`` or ``%I`` with ``%p``, ``%M``, ``%S``, ``%f``, ``%a`` or
        ``%A``, ``%z``, ``%Z`` (UTC or GMT); ``%T``, ``%R``, ``%D``, ``%F`` for several; ``%%``. A
        blank stands for one or more. Numbers that touch each other have all their digits.

    Raises
    ------
    ConfigError
        It cannot be one; the message begins with the format, not with the key that set it.

    Examples
    --------
    >>> DateFormat("%d-%m-%Y").seconds("2-1-1970"), DateFormat("%m/%d/%y %H:%M").timed
    (86400, True)
    >>> DateFormat("%d/%m")
    Traceback (most recent call last):
    sim.errors.ConfigError: '%d/%m': lacks a year; expected one such as %d-%m-%Y or ...
    """

    text: str

    def __post_init__(self) -> None:
        fields = [field for field, _ in self._parts if len(field) == 1 and field != "%"]
        problem = ""
        year, month = ({*"Yy"} & {*fields}, {*"mb"} & {*fields})
        if len(fields) != len(set(fields)) or len(year) > 1 or len(month) > 1:
            problem = "states something twice"
        elif not year:
            problem = "lacks a year"
        elif ("d" in fields) > bool(month):
            problem = "has a day but no month"
        elif ("I" in fields) != ("p" in fields) or {"H", "I"} <= {*fields}:
            problem = "needs %H, or %I with %p"
        if problem:
            raise ConfigError(
                f"{self.text!r}: {problem}; expected one such as %d-%m-%Y or %m/%d/%y %H:%M"
            )

    @cached_property
    def _parts(self) -> tuple[tuple[str, str], ...]:
        """Directives with nothing, and literals with their text: (field, "") or ("", letter)."""
        text = re.sub("%([TRDF%])", lambda found: _SEVERAL[found[1]], self.text)
        parts = []
        for found in re.finditer(r"%-?(.?)|( +)|(.)", text, re.DOTALL):
            code, blanks, letter = found.groups()
            if code is None:
                parts.append(("", " " if blanks else letter))
            elif code == "%":
                parts.append(("", "%"))
            elif (field := _SAME.get(code, code)) and field in FIELDS:
                parts.append((field, ""))
            else:
                raise ConfigError(
                    f"{self.text!r}: '%{code}' is not known here; expected directives among "
                    f"%Y %y %m %d %b %B %H %I %p %M %S %f %a %A %z %Z %%"
                )
        return tuple(parts)

    @property
    def timed(self) -> bool:
        """Whether it has a time of day."""
        return any(field in ("H", "I") for field, _ in self._parts)

    @property
    def zoned(self) -> bool:
        """Whether it has a time zone."""
        return any(field in ("z", "Z") for field, _ in self._parts)

    def _least_digits(self, place: int) -> int:
        """Digits that a number must have: all of them where another digit may follow it."""
        field, _ = self._parts[place]
        if field in _FIXED:
            return _FIXED[field]
        after, letter = self._parts[place + 1] if place + 1 < len(self._parts) else ("", "")
        touches = after in _NUMBERS if after else letter.isdigit()
        return MOST_DIGITS[FIELDS.index(field)] if touches else 1

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pattern = ""
        for place, (field, letter) in enumerate(self._parts):
            if not field:
                pattern += " ++" if letter == " " else re.escape(letter)
            elif field in _NUMBERS:
                most = MOST_DIGITS[FIELDS.index(field)]
                pattern += f"(?P<{field}>[0-9]{{{self._least_digits(place)},{most}}}+)"
            else:
                pattern += f"(?P<{field}>{_LETTERS.get(field, _ZONE)})"
        return re.compile(pattern)

    def fits(self, cell: str) -> bool:
        """Return whether a cell is a date in this format."""
        try:
            self.seconds(cell)
        except ValueError:
            return False
        return True

    def has_shape(self, cell: str) -> bool:
        """Return whether a cell is written in this format, whatever its digits are."""
        written = "".join(letter for _, letter in self._parts)
        # The marks come first: compiling the patterns of a thousand formats takes a quarter second.
        may_fit = self.zoned or _marks(cell) == _marks(written)
        return may_fit and self._pattern.fullmatch(cell.strip(" ")) is not None

    def seconds(self, cell: str) -> int:
        """Return a cell as whole seconds since 1970; UTC where it names no zone.

        Raises
        ------
        ValueError
            It does not fit, is no date of the calendar, or is before 1900 or after 2200.

        Examples
        --------
        >>> DateFormat("%d %b %Y %I:%M %p").seconds("1 Jan 1970 12:01 am")
        60
        """
        found = self._pattern.fullmatch(cell.strip(" "))
        if found is None:
            raise ValueError(f"{shown(cell)} is not written as {self.text}")
        given = found.groupdict()
        number = {field: int(digits) for field, digits in given.items() if field in _NUMBERS}
        try:
            month = number.get("m", 1)
            if "b" in given:
                month = 1 + _place(given["b"], MONTHS)
            if "a" in given:
                _place(given["a"], WEEKDAYS)
            hour = number.get("H", 0)
            if "p" in given:
                hour = number["I"] % 12 + 12 * ("am", "pm").index(given["p"].lower())
                if not 1 <= number["I"] <= 12:
                    raise ValueError("hour must be in 1..12")  # noqa: TRY301
            if given.get("Z", "UTC").upper() not in ("UTC", "GMT", "Z"):
                raise ValueError("the time zone is not UTC")  # noqa: TRY301
            year = number.get("Y", 0)
            if "y" in number:
                year = number["y"] + (1900 if number["y"] >= 69 else 2000)
            moment = datetime(
                *(year, month, number.get("d", 1)),
                *(hour, number.get("M", 0), number.get("S", 0)),
                tzinfo=UTC,
            )
            since = moment - _EPOCH - timedelta(seconds=seconds_east(given.get("z", "Z")))
        except ValueError as error:
            raise ValueError(f"{shown(cell)} is not a date of the calendar ({error})") from error
        return in_range(since.days * SECONDS_PER_DAY + since.seconds, shown(cell))

    def has_fraction(self, cells: pa.Array) -> bool:
        """Return whether some cells, all of which fit, have a fraction of a second.

        Examples
        --------
        >>> form = DateFormat("%d.%m.%Y %H:%M:%S.%f")
        >>> cells = pa.array(["01.02.2020 10:00:00.000", "01.02.2020 10:00:00.5"])
        >>> form.has_fraction(cells), form.has_fraction(cells[:1])
        (True, False)
        """
        if "%S.%f" in self.text:
            return bool(
                pc.any(pc.match_substring_regex(cells, r":[0-9]{1,2}\.[0-9]*[1-9]")).as_py()
            )
        if not any(field == "f" for field, _ in self._parts):
            return False
        found = (self._pattern.fullmatch(cell.strip(" ")) for cell in pc.unique(cells).to_pylist())
        return any(one is not None and one["f"].strip("0") for one in found)

    def offset(self, cell: str) -> str | None:
        """Return the offset from UTC in a cell that fits; None where the format has no ``%z``."""
        found = self._pattern.fullmatch(cell.strip(" "))
        zone = found and found.groupdict().get("z")
        return offset(seconds_east(zone)) if zone else None

    @cached_property
    def _compiled(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        codes, extra = [], []
        for place, (field, letter) in enumerate(self._parts):
            least = self._least_digits(place) if field in _NUMBERS and field else 0
            for byte in letter.encode() or [least]:
                codes.append(FIELDS.index(field) if field else LITERAL)
                extra.append(byte)
        return np.array(codes, np.uint8), np.array(extra, np.uint8)

    def column(self, cells: pa.Array, offsets: set[str] | None = None) -> NDArray[np.int64] | None:
        """Return a column as `seconds` does, or None where a cell would be an error.

        Parameters
        ----------
        cells : pyarrow string array, shape (n,)
            Without nulls.
        offsets : set of str, optional
            Takes the different ones of the cells, as of `offset`.

        Examples
        --------
        >>> DateFormat("%d.%m.%Y").column(pa.array(["02.01.1970"])).tolist()
        [86400]
        """
        seconds, east, misfit = parse(cells, *self._compiled)
        if misfit >= 0:
            return None
        if offsets is not None and any(field == "z" for field, _ in self._parts):
            offsets |= {offset(one) for one in pc.unique(pa.array(east)).to_pylist()}
        return seconds


def _marks(text: str) -> str:
    """The letters of a text that are no words, numbers or blanks."""
    return re.sub("[0-9A-Za-z ]+", "", text)


def _place(name: str, names: tuple[str, ...]) -> int:
    """The place of a name, or of its first three letters, among some."""
    small = name.lower()
    for place, full in enumerate(names):
        if small in (full, full[:3]):
            return place
    raise ValueError(f"{name} is no name of one")


@cache
def common_formats() -> tuple[DateFormat, ...]:
    """Return the formats that are recognised; ISO dates are read by themselves."""
    days = [
        order.replace("-", mark)
        for order in ("%d-%m-%Y", "%m-%d-%Y", "%Y-%m-%d", "%d-%m-%y", "%m-%d-%y", "%y-%m-%d")
        for mark in "-/."
    ]
    days += [f"%d{mark}%b{mark}{year}" for mark in "-/. " for year in ("%Y", "%y")]
    days += ["%b %d, %Y", "%b %d %Y", "%d. %b %Y", "%a, %d %b %Y", "%a, %b %d, %Y", "%Y-%b-%d"]
    days += ["%Y%m%d"]
    hours = ["%H:%M", "%H:%M:%S", "%H:%M:%S.%f", "%H:%M:%S%z", "%H:%M:%S %z"]
    halves = ["%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%I:%M:%S%p"]
    times = [mark + time for mark in (" ", "T", ", ") for time in [*hours, *halves]]
    # A word of digits alone is a number, and read as such.
    alone = [day for day in days if day != "%Y%m%d"]
    alone += ["%Y-%m", "%Y/%m", "%m/%Y", "%m-%Y", "%b %Y", "%b-%Y"]
    whole = [
        "%d/%b/%Y:%H:%M:%S %z",
        "%a %b %d %H:%M:%S %Y",
        "%a %b %d %H:%M:%S %z %Y",
        "%a %b %d %H:%M:%S %Z %Y",
        "%a, %d %b %Y %H:%M:%S %Z",
        "%Y%m%dT%H%M%S",
        "%Y%m%dT%H%M%S%z",
        "%Y%m%d %H%M%S",
        "%Y-%m-%d %H:%M:%S %Z",
        "%Y-%m-%d %H:%M:%S.%f %Z",
    ]
    joined = [f"%Y {month}{rest}" for month in ("%m", "%b") for rest in _AFTER_MONTH]
    both = [day + time for day, time in product(days, times)]
    return tuple(map(DateFormat, dict.fromkeys([*alone, *both, *whole, *joined])))


def formats_of(cell: str) -> list[DateFormat]:
    """Return the common formats that a cell fits.

    Examples
    --------
    >>> [form.text for form in formats_of("22.01.2023 06:02")]
    ['%d.%m.%Y %H:%M']
    """
    shape = re.sub("[0-9]", "0", cell.strip(" "))
    if "0" not in shape:
        return []
    # No format tells letters apart but T, which is written, and Z, a zone; nor how many there are.
    return [form for form in _of_shape(re.sub("[A-SU-Ya-z]+", "x", shape)) if form.fits(cell)]


@lru_cache(maxsize=1 << 10)
def _of_shape(shape: str) -> tuple[DateFormat, ...]:
    """Return the common formats that some cell fits with letters for x, and digits for zeros."""
    return tuple(form for form in common_formats() if form.has_shape(shape))


_AFTER_MONTH = ("", " %d", " %d %H", " %d %H %M", " %d %H %M %S")
"""What follows the month where year, month, day, … are columns of their own."""


def as_override(key: str, form: str) -> str:
    """Return the setting of a format as it is typed into a shell.

    Examples
    --------
    >>> print(as_override("data.date_format", "%d/%m/%Y"))
    data.date_format=%d/%m/%Y
    >>> print(as_override("data.date_format", "%b %d, %Y"))
    "data.date_format='%b %d, %Y'"
    """
    if re.fullmatch(r"[\w%/.:-]+", form, re.ASCII):
        return f"{key}={form}"
    return f"\"{key}='{form}'\""
