"""Parses the Netflix Prize files: film lines (``123:``) with rows ``user,rating,date`` below.

Invariant: `read_batch` gives each row the film of the last film line above it in the same file,
however the files are cut into blocks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.numeric.compiled import njit
from sim.release.readers.date_units import END_SECOND, FIRST_SECOND
from sim.release.readers.strict_parser import (
    Column,
    Rows,
    read_strictly,
    shown,
    split_rows,
    whole_number,
)
from sim.release.readers.textfile import LineBlock
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk

_NAMES = ("user", "rating", "date")
_FILM_LINE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:[ \t]*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EPOCH = date(1970, 1, 1).toordinal()
_YEARS = 301  # from 1900; `FIRST_SECOND` and `END_SECOND` bound them
_NO_DAY = -(1 << 62)
_SAME, _NONE = -1, -2  # in place of a film: that of the block before; none yet in this file
_LEAST_ROW_BYTES = len("1,1,2005-09-06\n")
_ZERO, _NINE, _COLON, _COMMA, _DASH, _FEED, _RETURN = b"09:,-\n\r"


def _rating(cell: str) -> int:
    if not cell.strip(" \t"):
        raise ValueError("is empty; expected 1 to 5 stars")
    problem = f"{shown(cell)} is not a rating; expected 1, 2, 3, 4 or 5"
    try:
        stars = whole_number(cell)
    except ValueError as error:
        raise ValueError(problem) from error
    if not 1 <= stars <= 5:
        raise ValueError(problem)
    return stars


def _day(cell: str) -> int:
    text = cell.strip(" \t")
    if not text:
        raise ValueError("is empty; expected a date such as 2005-09-06")
    problem = f"{shown(cell)} is not a date; expected one such as 2005-09-06"
    if not _DAY.fullmatch(text):
        raise ValueError(problem)
    try:
        day = date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError as error:
        raise ValueError(problem) from error
    if not FIRST_SECOND <= day * SECONDS_PER_DAY < END_SECOND:
        raise ValueError(f"{shown(cell)} is out of range; expected a date from 1900 to 2200")
    return day


_COLUMNS = (
    Column("user", 0, pa.int64(), whole_number),
    Column("rating", 1, pa.int64(), _rating),
    Column("date", 2, pa.date32(), _day),
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of some consecutive blocks, as far as they are known without the previous blocks.

    Parameters
    ----------
    record, item, time : int64 arrays, shape (n,)
        `item` is `_SAME` for the first rows, if their film is that of the block before.
    value : float64 array, shape (n,)
    last : int
        The film the next block begins with; `_SAME`, or `_NONE` if there is none yet in its file.
    """

    record: NDArray[np.int64]
    item: NDArray[np.int64]
    value: NDArray[np.float64]
    time: NDArray[np.int64]
    last: int


def read_batch(batch: Sequence[LineBlock], item: int | None) -> tuple[CellChunk, int | None]:
    r"""Return the rows of some blocks, and the film the next block begins with.

    Parameters
    ----------
    batch : sequence of LineBlock
        Consecutive blocks; one whose first line is 1 begins a file.
    item : int or None
        The film the first block begins with; None at the start of a file.

    Raises
    ------
    InputError
        The first line that is neither a film nor a row.

    Examples
    --------
    >>> chunk, item = read_batch([LineBlock("a", 1, b"8:\n7,3,2005-09-06\n9:\n")], None)
    >>> chunk.record, chunk.item, item
    (array([7]), array([8]), 9)
    """
    return settle(batch, parse(batch), item)


def parse(batch: Sequence[LineBlock]) -> Parsed | None:
    """Read text in the published format; None for any other, which must be parsed strictly.

    Parameters
    ----------
    batch : sequence of LineBlock
        See `read_batch`.

    Returns
    -------
    Parsed or None
        None as well where a file begins with a row, which is an error.
    """
    most = sum(len(block.data) // _LEAST_ROW_BYTES + 1 for block in batch)
    record, item, time = (np.empty(most, np.int64) for _ in range(3))
    value = np.empty(most, np.float64)
    n, film, days = 0, _SAME, _days()
    for block in batch:
        if block.first_line == 1:
            film = _NONE
        text = np.frombuffer(block.data, np.uint8)
        n, film = _parse(text, film, days, n, record, item, value, time)
        if n < 0:
            return None
    return Parsed(record[:n], item[:n], value[:n], time[:n], film)


def settle(
    batch: Sequence[LineBlock], parsed: Parsed | None, item: int | None
) -> tuple[CellChunk, int | None]:
    """Give the rows of a parsed batch the film they begin with, or parse the batch strictly.

    Parameters
    ----------
    parsed : Parsed or None
        What `parse` made of it.
    item : int or None
        See `read_batch`.

    Returns
    -------
    item : int or None
        See `read_batch`.

    Raises
    ------
    InputError
        See `read_batch`.
    """
    if parsed is None:
        return _read_slowly(batch, item)
    items = parsed.item
    if items.size and items[0] == _SAME:
        if item is None:
            return _read_slowly(batch, item)
        items[: int(np.argmax(np.append(items, 0) != _SAME))] = item
    film = {_SAME: item, _NONE: None}.get(parsed.last, parsed.last)
    return CellChunk(parsed.record, items, parsed.value, parsed.time), film


@functools.cache
def _days() -> NDArray[np.int64]:
    """Seconds since 1970 by ((year − 1900)·12 + month − 1)·31 + day − 1, or `_NO_DAY`."""
    table = np.full((_YEARS, 12, 31), _NO_DAY, np.int64)
    days = np.arange(FIRST_SECOND // SECONDS_PER_DAY, END_SECOND // SECONDS_PER_DAY)
    months = days.astype("M8[D]").astype("M8[M]")
    in_month = days - months.astype("M8[D]").astype(np.int64)
    year, month = np.divmod(months.astype(np.int64) + 70 * 12, 12)
    table[year, month, in_month] = days * SECONDS_PER_DAY
    return table.ravel()


@njit
def _parse(data, film, days, n, record, item, value, time):  # type: ignore[no-untyped-def]
    """Read one block behind the first n rows; returns rows and last film, (−1, −1) if in doubt.

    A line is ``123:``, ``user,stars,date`` with at most 18 digits, or empty; a carriage return may
    stand before the line feed. Nothing else is taken, spaces and signs included.
    """
    k, end = 0, data.size
    while k < end:
        number, begin = np.int64(0), k
        while k < end and _ZERO <= data[k] <= _NINE:
            number = number * 10 + np.int64(data[k] - _ZERO)
            k += 1
        digits = k - begin
        if digits > 18:
            return -1, -1
        if digits > 0:
            if k == end:
                return -1, -1
            if data[k] == _COLON:
                film = number
                k += 1
            else:
                if film == _NONE or end - k < 13 or data[k] != _COMMA or data[k + 2] != _COMMA:
                    return -1, -1
                stars = np.int64(data[k + 1]) - _ZERO
                if stars < 1 or stars > 5 or data[k + 7] != _DASH or data[k + 10] != _DASH:
                    return -1, -1
                place = np.int64(0)
                for at in (3, 4, 5, 6, 8, 9, 11, 12):
                    digit = np.int64(data[k + at]) - _ZERO
                    if digit < 0 or digit > 9:
                        return -1, -1
                    place = place * 10 + digit
                year, month, day = place // 10_000 - 1900, place // 100 % 100 - 1, place % 100 - 1
                if not (0 <= year < _YEARS and 0 <= month < 12 and 0 <= day < 31):
                    return -1, -1
                second = days[(year * 12 + month) * 31 + day]
                if second == _NO_DAY:
                    return -1, -1
                record[n], item[n], value[n], time[n] = number, film, stars, second
                n += 1
                k += 13
        if k < end and data[k] == _RETURN:
            k += 1
            if k == end:
                return -1, -1
        if k < end:
            if data[k] != _FEED:
                return -1, -1
            k += 1
    return n, film


def _read_slowly(batch: Sequence[LineBlock], item: int | None) -> tuple[CellChunk, int | None]:
    """Read row by row; every bad row is found here."""
    users: list[int] = []
    items: list[int] = []
    stars: list[int] = []
    days: list[int] = []
    for block in batch:
        film = None if block.first_line == 1 else item

        def rows(block: LineBlock = block) -> Rows:
            nonlocal film
            for line, row in split_rows(block, ","):
                if ":" in row[0] and len(row) == 1:
                    film = _film(f"{block.label}:{line}", row[0])
                    continue
                if film is None:
                    raise InputError(
                        f"{block.label}:{line}: a row before the first film; expected a line "
                        "such as 123: first"
                    )
                items.append(film)
                yield line, row

        for found, cells in zip(
            (users, stars, days), read_strictly(block, rows(), _COLUMNS, _NAMES), strict=True
        ):
            found.extend(cells)
        item = film
    seconds = np.array(days, np.int64) * SECONDS_PER_DAY
    return (
        CellChunk(
            np.array(users, np.int64),
            np.array(items, np.int64),
            np.array(stars, np.float64),
            seconds,
        ),
        item,
    )


def _film(at: str, text: str) -> int:
    found = _FILM_LINE.fullmatch(text)
    if found is None:
        raise InputError(
            f"{at}: {shown(text)} is not a film line; expected a number and a colon, such as 123:"
        )
    return int(found[1])
