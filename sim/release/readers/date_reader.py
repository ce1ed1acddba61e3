"""Reads a column of dates, as arrays or cell by cell, in one unit throughout.

Invariant: `DateReader.cell` (text) and `DateReader.value` (numbers) define what a cell means; the
column methods are the same rule over arrays, or return None where only cell by cell can tell. A
unit once recognised is never changed.
"""

from __future__ import annotations

from math import isfinite

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.release.readers.date_units import ISO, plausible, seconds_from_iso
from sim.release.readers.number_dates import (
    MEANING,
    SIZES,
    possible_readings,
    recognised,
    seconds_from_number,
    seconds_from_numbers,
    unit_by_size,
    written,
)
from sim.release.readers.strict_parser import MISSING, number, shown
from sim.release.store.cells import NO_TIME

_ARROW_MISSING = pa.array(MISSING)
_NANOSECONDS = 1_000_000_000


class DateReader:
    """Reads the dates of one column, in one unit throughout.

    Parameters
    ----------
    asked : str
        One of `DATE_UNITS`. Under ``auto`` the first cell that is neither missing nor zero (zero
        is the same day in every unit since 1970) decides, if it can have only one unit, and every
        later cell must agree with it.
    key : str
        The setting of the unit, as messages call it.

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
    """

    def __init__(self, asked: str, key: str = "data.date_unit") -> None:
        self._key = key
        self._auto = asked == "auto"
        self.unit: str | None = None if self._auto else asked
        self.zoned: bool | None = None
        self._typed = ""

    def typed(self, kind: str) -> None:
        """Note that the column has a date type, so that there is no unit to recognise.

        Raises
        ------
        ValueError
            A unit was asked for that the type contradicts, or only some have a time zone.
        """
        if self.unit not in (None, "iso"):
            raise ValueError(f"holds {kind}, which need no unit; expected {self._key}=auto")
        if self._typed and ("tz=" in self._typed) != ("tz=" in kind):
            raise ValueError(f"holds {kind}, but an earlier file {self._typed}; write all alike")
        self._typed = kind

    def describe(self) -> str:
        """Describe what was recognised, for people."""
        if self._typed:
            return f"{self._typed} by type" + (", days of UTC" if "tz=" in self._typed else "")
        if self.unit is None:
            return "not recognised: no date but zero"
        if self.unit == "iso":
            how = {None: "", True: ", with time zone, days of UTC", False: ", taken as UTC"}
            meaning = f"ISO dates{how[self.zoned]}"
        else:
            meaning = _DESCRIBED.get(self.unit, MEANING[self.unit])
        return f"{meaning} (recognised)" if self._auto else meaning

    def cell(self, cell: str) -> int:
        """Return one cell as seconds, or `NO_TIME` where it is missing.

        Raises
        ------
        ValueError
            What is wrong with it.
        """
        text = cell.strip(" ")
        if text in MISSING:
            return NO_TIME
        iso = ISO.fullmatch(text)
        if iso is None and self.unit == "iso":
            raise ValueError(
                f"{shown(cell)} is not an ISO date; expected one such as 2005-09-06 or "
                "2005-09-06T12:30:00Z" + (", as the first date was" if self._auto else "")
            )
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
        return seconds

    def _number(self, text: str, cell: str) -> int:
        try:
            x = number(text)
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
        absent = pc.or_(pc.is_null(cells), pc.is_in(cells, value_set=_ARROW_MISSING))
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
        if self.unit == "iso":
            zone = "UTC" if self.zoned else None
            try:
                moments = pc.cast(present, pa.timestamp("ns", tz=zone))
            except pa.ArrowInvalid:
                return None
            seconds = moments.cast(pa.int64()).to_numpy() // _NANOSECONDS
            if seconds.size and not plausible(seconds):
                return None
            out[~missing] = seconds
            return out
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
        return seconds_from_numbers(x, str(self.unit))


_DESCRIBED = {
    "year": "years, each taken as its 1 January",
    "yyyymmdd": "dates written as yyyymmdd",
    "excel": "Excel dates",
}
