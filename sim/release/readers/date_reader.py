"""Reads a column of dates, as arrays or cell by cell, in one unit or format throughout.

Invariant: `DateReader.cell` (text) and `DateReader.value` (numbers) define what a cell means; the
column methods are the same rule over arrays, or return None where only cell by cell can tell. A
unit or a format once recognised is never changed. Dates are returned as instants, in seconds; what
becomes of the time of day is decided by the store alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.readers.date_advice import forms_of, instead, not_iso
from sim.release.readers.date_formats import DateFormat, as_override, common_formats
from sim.release.readers.date_units import (
    ISO,
    as_iso,
    iso_offsets,
    offset,
    plausible,
    seconds_east,
    seconds_from_iso,
)
from sim.release.readers.number_dates import (
    MEANING,
    SIZES,
    has_fraction,
    possible_readings,
    recognised,
    seconds_from_number,
    seconds_from_numbers,
    unit_by_size,
    written,
)
from sim.release.readers.strict_parser import MISSING, number, shown
from sim.release.store.accounts import DATES_AS, FORMAT_RECOGNISED, OTHER_ZONE
from sim.release.store.cells import NO_TIME

_DAY_LETTERS = len("2005-09-06")
_NANOSECONDS = 1_000_000_000
_FRACTION = re.compile(r"\.[0-9]*[1-9]")

BY_TYPE = " by type"
"""What follows the type of dates that have one."""

_OTHER_ZONE = ", days of UTC"
"""What follows the meaning of dates that have a time zone."""


class DateReader:
    """Reads the dates of one column, in one unit or format throughout.

    Parameters
    ----------
    asked : str
        One of `DATE_UNITS`. Under ``auto`` the first cell that is neither missing nor zero (zero
        is the same day in every unit since 1970) decides, if it can have only one unit or common
        format, and every later cell must agree with it.
    form : str, optional
        The format of all dates; see `DateFormat`. Only with ``auto``.
    group : str
        What the settings belong to, as messages call it.
    decimal : str
        The decimal point of numbers in text.

    Attributes
    ----------
    zones : set of str
        The different time zones of the dates that were read, as ``+01:00`` or by name.
    has_time : set of bool
        Whether ISO dates that were read have a time of day; both where some have one.
    fraction : bool
        Whether some date had a fraction of a second, which was cut off.

    Raises
    ------
    ConfigError
        A unit and a format are asked for, or the format cannot be one.

    Examples
    --------
    >>> dates = DateReader("auto")
    >>> dates.cell("978300760"), dates.unit
    (978300760, 's')
    >>> dates.cell("12000")
    Traceback (most recent call last):
    ValueError: '12000' would be days since 1970-01-01, but the first date was in seconds since \
1970-01-01; set data.date_unit, or put the column right
    >>> DateReader("auto").cell("2009")
    Traceback (most recent call last):
    ValueError: '2009' may be a year (2009-01-01: data.date_unit=year) or an Excel date \
(1905-07-01: data.date_unit=excel) or days since 1970-01-01 (1975-07-03: data.date_unit=days); \
set data.date_unit, or write dates as 2005-09-06
    >>> DateReader("auto").cell("01/02/2015")
    Traceback (most recent call last):
    ValueError: '01/02/2015' may be 2015-02-01 (data.date_format=%d/%m/%Y) or 2015-01-02 \
(data.date_format=%m/%d/%Y); set data.date_format
    """

    def __init__(
        self,
        asked: str = "auto",
        form: str | None = None,
        *,
        group: str = "data",
        decimal: str = ".",
        placeholders: Sequence[str] = (),
    ) -> None:
        self._missing = frozenset((*MISSING, *placeholders))
        self._key, self._form_key = f"{group}.date_unit", f"{group}.date_format"
        self._none_key = f"{group}.placeholders"
        self._decimal = decimal
        self._auto = asked == "auto" and form is None
        self.form: DateFormat | None = None
        if form is not None:
            if asked != "auto":
                raise ConfigError(
                    f"{self._form_key}: {form!r}: needs no unit; set {self._key}=auto"
                )
            try:
                self.form = DateFormat(form)
            except ConfigError as error:
                raise ConfigError(f"{self._form_key}: {error}") from None
        self.unit: str | None = "format" if form else None if self._auto else asked
        self.zoned: bool | None = None
        self.timed = False
        self.zones = set[str]()
        self.has_time = set[bool]()
        self.fraction = False
        self._typed = ""
        self._fitting: tuple[DateFormat, ...] | None = None
        self._looked = False

    @property
    def decided(self) -> bool:
        """Whether the meaning of dates is known, so that one that is refused is wrong by itself."""
        return self.unit is not None or bool(self._typed)

    @property
    def settled(self) -> bool:
        """Whether to `look` at more cells would change nothing."""
        return not self._auto or self.unit is not None or self._looked

    def look(self, cells: pa.Array) -> None:
        """Narrow down the common formats by the first cells of a column, all of which must fit.

        A cell that would leave none is passed over: it is an error once it is read.

        Parameters
        ----------
        cells : pyarrow string array, shape (n,)
        """
        if self.settled:
            return
        for cell in pc.unique(cells):
            text = (cell.as_py() or "").strip(" ")
            if self._is_missing(text):
                continue
            if self._fitting is None and (ISO.fullmatch(text) or self._is_number(text)):
                self._looked = True  # alone, the first cell decides
                return
            fitting = self._fitting or common_formats()
            self._fitting = tuple(form for form in fitting if form.fits(text)) or self._fitting
            if self._fitting is None or len(self._fitting) == 1:
                self._looked = True
                return

    def typed(self, kind: str) -> None:
        """Note that the column has a date type, so that there is no unit to recognise.

        Raises
        ------
        ValueError
            A unit was asked for that the type contradicts.
        """
        if self.unit == "format":
            raise ValueError(f"holds {kind}, which need no format; expected {self._form_key}=null")
        if self.unit not in (None, "iso"):
            raise ValueError(f"holds {kind}, which need no unit; expected {self._key}=auto")
        self._typed = kind
        self.timed = kind != "dates"

    def describe(self) -> str:
        """Describe what was recognised, for people."""
        zone = _OTHER_ZONE if self._in_other_zone else ""
        if self._typed:
            return f"{self._meaning}{zone}"
        text = self._meaning
        if self.form is not None:
            text = f"dates written as {text}"
            zone = zone or ", taken as UTC" * self.form.timed
        elif self.unit == "iso":
            zone = {None: "", True: f", with time zone{zone}", False: ", taken as UTC"}[self.zoned]
        return f"{text}{zone}{' (recognised)' * (self._auto and self.unit is not None)}"

    @property
    def _meaning(self) -> str:
        """How dates are written, without how this was found out."""
        if self._typed:
            return f"{self._typed}{BY_TYPE}"
        if self.unit is None:
            return "not recognised: no date but zero"
        if self.form is not None:
            return self.form.text
        return "ISO dates" if self.unit == "iso" else _DESCRIBED.get(self.unit, MEANING[self.unit])

    @property
    def _in_other_zone(self) -> bool:
        if self._typed:
            return "tz=" in self._typed
        zoned = self.zoned if self.form is None else self.form.timed and self.form.zoned
        return bool(zoned)

    def notes(self) -> dict[str, str | int]:
        """Return what was recognised, as notes of a release."""
        found: dict[str, str | int] = {"dates": self.describe(), DATES_AS: self._meaning}
        if self.form is not None and self._auto and not self._typed:
            found[FORMAT_RECOGNISED] = self.form.text
        return found | ({OTHER_ZONE: 1} if self._in_other_zone else {})

    def cell(self, cell: str) -> int:
        """Return one cell as seconds, or `NO_TIME` where it is missing.

        Raises
        ------
        ValueError
            What is wrong with it.
        """
        text = cell.strip(" ")
        if self._is_missing(text):
            return NO_TIME
        if self.form is not None:
            return self._formatted(cell, self.form)
        iso = ISO.fullmatch(text)
        if iso is None and self.unit is None and not self._is_number(text):
            return self._formatted(cell, self._recognise_format(text, cell))
        if iso is None and self.unit == "iso":
            raise ValueError(not_iso(cell, as_the_first=self._auto))
        if iso is None:
            return self._number(text, cell)
        if self.unit not in (None, "iso"):
            raise ValueError(
                f"{shown(cell)} is not a number; expected {MEANING[str(self.unit)]}"
                + (", as the first date was" if self._auto else "")
            )
        zoned = iso["zone"] is not None
        if self.zoned is not None and zoned != self.zoned:
            has, had = ("a", "none") if zoned else ("no", "one")
            raise ValueError(
                f"{shown(cell)} has {has} time zone but the first date had {had}; write all alike"
            )
        try:
            seconds = seconds_from_iso(text)
        except ValueError as error:
            if "out of range; expected" in str(error):
                raise
            raise ValueError(f"{shown(cell)} is not a date of the calendar ({error})") from error
        self.unit, self.zoned = "iso", zoned
        if zoned:
            self.zones.add(offset(seconds_east(iso["zone"])))
        self.timed |= len(text) > len("2005-09-06")
        self.fraction |= _FRACTION.search(text) is not None
        self.has_time.add(len(text) > len("2005-09-06"))
        return seconds

    def _is_missing(self, text: str) -> bool:
        return text in self._missing or text[:_DAY_LETTERS] in self._missing

    def _is_number(self, text: str) -> bool:
        try:
            number(text, self._decimal)
        except ValueError:
            return False
        return True

    def _recognise_format(self, text: str, cell: str) -> DateFormat:
        """Return the one common format that fits a cell, and those looked at before it."""
        fitting = [form for form in self._fitting or common_formats() if form.fits(text)]
        if not fitting:
            raise ValueError(
                f"{shown(cell)} is not a date; expected a date such as 2005-09-06, or seconds, "
                f"milliseconds or days since 1970, or a format set as {self._form_key}=%d-%m-%Y"
            )
        if len(fitting) > 1:
            meanings = " or ".join(
                f"{as_iso(form.seconds(text))} ({as_override(self._form_key, form.text)})"
                for form in fitting
            )
            raise ValueError(f"{shown(cell)} may be {meanings}; set {self._form_key}")
        self.unit, self.form, self.timed = "format", fitting[0], fitting[0].timed
        return fitting[0]

    def _formatted(self, cell: str, form: DateFormat) -> int:
        try:
            seconds = form.seconds(cell)
        except ValueError as error:
            if not self._auto:
                advice = instead(self._form_key, cell, form)
                raise ValueError(f"{error}; {self._form_key} is {form.text}: {advice}") from error
            others = forms_of(cell)
            if not others or "out of range" in str(error):
                raise ValueError(
                    f"{error}; dates before it are written as {form.text}: put it right, set "
                    f'"{self._none_key}=[{shown(cell)}]" if it stands for no date, or set '
                    f"{self._form_key}"
                ) from error
            raise ValueError(
                f"{error}; dates before it are written as {form.text}, this one as "
                f"{' or '.join(other.text for other in others)}: put it right, or set "
                f"{as_override(self._form_key, others[0].text)} if all are written so"
            ) from error
        if (zone := form.offset(cell)) is not None:
            self.zones.add(zone)
        if "%f" in form.text and not self.fraction:
            self.fraction = form.has_fraction(pa.array([cell]))
        return seconds

    def _number(self, text: str, cell: str) -> int:
        try:
            x = number(text, self._decimal)
        except ValueError as error:
            expected = "a date such as 2005-09-06, or seconds, milliseconds or days since 1970"
            if self.unit is not None:
                expected = MEANING[self.unit]
            raise ValueError(f"{shown(cell)} is not a date; expected {expected}") from error
        return self.value(x)

    def value(self, x: float) -> int:
        """Return one number as seconds.

        Raises
        ------
        ValueError
            What is wrong with it.
        """
        if not isfinite(x):
            raise ValueError(f"{x:g} is not a date; expected a finite number")
        if self.form is not None:
            return self._formatted(written(x), self.form)
        if self._auto and x == 0:
            return 0
        if self.unit == "iso":
            raise ValueError(f"{written(x)} is a number; expected an ISO date such as 2005-09-06")
        unit = self.unit or self._first_unit(x)
        if self._auto and unit != unit_by_size(x):
            raise ValueError(
                f"'{written(x)}' would be {MEANING[unit_by_size(x)]}, but the first date was in "
                f"{MEANING[unit]}; set {self._key}, or put the column right"
            )
        seconds = seconds_from_number(x, unit)
        self.unit = unit
        self.fraction |= has_fraction(x, unit)
        self.timed |= x != 0 and unit in _TIMED
        return seconds

    def _first_unit(self, x: float) -> str:
        unit = recognised(x)
        if unit is not None:
            return unit
        found = possible_readings(x, self._key)
        what = f"may be {' or '.join(found)}" if found else "is no date in any unit"
        raise ValueError(f"'{written(x)}' {what}; set {self._key}, or write dates as 2005-09-06")

    def column(self, cells: pa.Array) -> NDArray[np.int64] | None:
        """Return a column of text as seconds, or None where it must be read cell by cell.

        Parameters
        ----------
        cells : pyarrow string array, shape (n,)
        """
        missing_cells = pa.array(sorted(self._missing))
        absent = pc.or_(pc.is_null(cells), pc.is_in(cells, value_set=missing_cells))
        if len(self._missing) > len(MISSING):  # a placeholder may have a time of day
            days = pc.utf8_slice_codeunits(cells, 0, _DAY_LETTERS)
            absent = pc.or_(absent, pc.fill_null(pc.is_in(days, value_set=missing_cells), False))
        missing = absent.to_numpy(zero_copy_only=False)
        present = cells if not missing.any() else cells.filter(pc.invert(absent))
        out = np.full(len(cells), NO_TIME)
        for cell in present:
            if self.unit is not None and (self.unit != "iso" or self.zoned is not None):
                break
            try:
                self.cell(cell.as_py())
            except ValueError:
                return None
        if self.form is not None:
            read = self.form.column(present, self.zones)
            if read is None:
                return None
            self.fraction = self.fraction or self.form.has_fraction(present)
            out[~missing] = read
            return out
        if self.unit == "iso":
            zone = "UTC" if self.zoned else None
            try:
                moments = pc.cast(present, pa.timestamp("ns", tz=zone))
            except pa.ArrowInvalid:
                return None
            ticks = moments.cast(pa.int64()).to_numpy()
            seconds = ticks // _NANOSECONDS
            if seconds.size and not plausible(seconds):
                return None
            zones = iso_offsets(present) if self.zoned else set()
            if zones is None:
                return None
            self.zones |= zones
            self.fraction = self.fraction or bool((ticks % _NANOSECONDS).any())
            if seconds.size and len(self.has_time) < 2:  # else no later date tells more
                letters = pc.min_max(pc.binary_length(present)).as_py()
                self.has_time |= {n > len("2005-09-06") for n in letters.values()}
                self.timed |= True in self.has_time
            out[~missing] = seconds
            return out
        if self._decimal != ".":
            if pc.any(pc.match_substring(present, ".")).as_py():
                return None
            present = pc.replace_substring(present, self._decimal, ".", max_replacements=1)
        try:
            x = pc.cast(present, pa.float64()).to_numpy()
        except pa.ArrowInvalid:
            return None
        read = self.values(x)
        if read is None:
            return None
        out[~missing] = read
        return out

    def values(self, x: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """Return numbers as seconds, or None where they must be read one by one.

        Parameters
        ----------
        x : float64 array, shape (n,)
            No NaN among them.
        """
        if not np.isfinite(x).all() or self.unit == "iso":
            return None
        if self.form is not None:
            if (x != np.floor(x)).any() or (np.abs(x) >= 2.0**53).any():
                return None
            return self.form.column(pa.array(x.astype(np.int64)).cast(pa.string()))
        if self.unit is None:
            nonzero = np.flatnonzero(x)
            if not nonzero.size:
                return np.zeros(x.size, np.int64)
            try:
                self.value(float(x[nonzero[0]]))
            except ValueError:
                return None
        if self._auto:
            size = np.abs(x[x != 0])
            low, end = SIZES[str(self.unit)]
            if not ((size >= low) & (size < end)).all():
                return None
        seconds = seconds_from_numbers(x, str(self.unit))
        if seconds is not None:
            self.fraction = self.fraction or has_fraction(x, str(self.unit))
            self.timed |= bool(x.any()) and self.unit in _TIMED
        return seconds


_TIMED = ("s", "ms", "us", "ns")  # zero stands for a day, or for none


_DESCRIBED = {
    "year": "years, each taken as its 1 January",
    "yyyymmdd": "dates written as yyyymmdd",
    "excel": "Excel dates",
}
