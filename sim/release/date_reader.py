"""A column of dates, whole or cell by cell, under one unit from first to last.

Invariant: `DateReader.cell` (text) and `DateReader.value` (numbers) define what a cell means; the
column methods are the same rule over arrays, or return None where only cell by cell can tell. A
unit once recognised is never changed.
"""

from __future__ import annotations

from datetime import date
from math import floor, isfinite

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.release.bad_cell import MISSING, number, shown
from sim.release.cells import NO_TIME, SECONDS_PER_DAY
from sim.release.date_units import (
    END_SECOND,
    FIRST_SECOND,
    ISO,
    LARGEST_DAY,
    LARGEST_SECOND,
    MEANING,
    seconds_from_iso,
    seconds_from_number,
    unit_by_size,
)

_ARROW_MISSING = pa.array(MISSING)
_NANOSECONDS = 1_000_000_000


class DateReader:
    """The dates of one column, under one unit from first to last.

    Parameters
    ----------
    asked : str
        One of `DATE_UNITS`. Under ``auto`` the first cell that is neither missing nor zero (zero
        is the same day in every unit) decides, and every later cell must agree with it.

    Examples
    --------
    >>> dates = DateReader("auto")
    >>> dates.cell("978300760"), dates.unit
    (978300760, 's')
    >>> dates.cell("12000")
    Traceback (most recent call last):
    ValueError: '12000' would be days since 1970-01-01, but the first date was in seconds since \
1970-01-01; set date_unit, or put the column right
    """

    def __init__(self, asked: str) -> None:
        self._auto = asked == "auto"
        self.unit: str | None = None if self._auto else asked
        self.zoned: bool | None = None
        self._typed = ""

    def typed(self, kind: str) -> None:
        """Note that the column holds dates by type, so that there is nothing to recognise.

        Raises
        ------
        ValueError
            A unit was asked for that the type contradicts.
        """
        if self.unit not in (None, "iso"):
            raise ValueError(f"holds {kind}, which need no unit; set date_unit to auto")
        self._typed = kind

    def describe(self) -> str:
        """Return what was recognised, for people."""
        if self._typed:
            return f"{self._typed} by type"
        if self.unit is None:
            return "not recognised: no date but zero"
        if self.unit == "iso":
            how = {None: "", True: ", with time zone", False: ", taken as UTC"}[self.zoned]
            meaning = f"ISO dates{how}"
        else:
            meaning = MEANING[self.unit]
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
            raise ValueError(f"{x:.15g} is a number; expected an ISO date such as 2005-09-06")
        unit = self.unit or self._first_unit(x)
        if self._auto and unit != unit_by_size(x):
            raise ValueError(
                f"'{x:.15g}' would be {MEANING[unit_by_size(x)]}, but the first date was in "
                f"{MEANING[unit]}; set date_unit, or put the column right"
            )
        seconds = seconds_from_number(x, unit)
        self.unit = unit
        return seconds

    @staticmethod
    def _first_unit(x: float) -> str:
        if 19_000_101 <= x <= 22_001_231 and x == floor(x):
            digits = str(int(x))
            try:
                shown = date.fromisoformat(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")
            except ValueError:
                return unit_by_size(x)
            raise ValueError(
                f"{digits} looks like the calendar date {shown}; write dates as {shown}, or set "
                "date_unit to s if it is a number of seconds"
            )
        return unit_by_size(x)

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
            if seconds.size and not _plausible(seconds):
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
            told = np.flatnonzero(x)
            if not told.size:
                return np.zeros(x.size, np.int64)
            try:
                self.value(float(x[told[0]]))
            except ValueError:
                return None
        if self._auto:
            size = np.abs(x[x != 0])
            low, high = {
                "days": (0.0, LARGEST_DAY),
                "s": (LARGEST_DAY, LARGEST_SECOND),
                "ms": (LARGEST_SECOND, np.inf),
            }[str(self.unit)]
            if not ((size >= low) & (size < high)).all():
                return None
        if self.unit == "days" and (x != np.floor(x)).any():
            return None
        scale = {"s": 1.0, "ms": 0.001, "days": float(SECONDS_PER_DAY)}[str(self.unit)]
        if x.size and not (np.abs(x).max() * scale < 2.0 * END_SECOND):
            return None
        seconds = np.floor(x / 1000 if self.unit == "ms" else x).astype(np.int64)
        if self.unit == "days":
            seconds *= SECONDS_PER_DAY
        return seconds if not seconds.size or _plausible(seconds) else None


def _plausible(seconds: NDArray[np.int64]) -> bool:
    return bool(seconds.min() >= FIRST_SECOND and seconds.max() < END_SECOND)
