"""The rows of the Netflix Prize files: film lines (``123:``) with rows ``user,rating,date`` below.

Invariant: `read_batch` gives each row the film of the last film line above it in the same file,
however the files are cut into blocks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.bad_cell import Column, Rows, read_slowly, shown, split_rows, whole_number
from sim.release.cells import SECONDS_PER_DAY, CellChunk
from sim.release.date_units import END_SECOND, FIRST_SECOND
from sim.release.delimited import full_column, read_fast
from sim.release.textfile import LineBlock, line_feeds

_NAMES = ("user", "rating", "date")
_FILM_LINE = re.compile(r"[ \t]*([0-9]{1,18})[ \t]*:[ \t]*")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EPOCH = date(1970, 1, 1).toordinal()


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
    return _read_fast(batch, item) or _read_slowly(batch, item)


def _read_fast(batch: Sequence[LineBlock], item: int | None) -> tuple[CellChunk, int | None] | None:
    """Cut out the film lines, hand the rest to pyarrow, and count the rows between them."""
    rows: list[bytes | memoryview] = []
    films: list[int] = []
    counts: list[int] = []
    for block in batch:
        data = block.data
        view, feeds = memoryview(data), line_feeds(data)
        if block.first_line == 1:
            item = None
        start = 0
        while start < len(data):
            colon = data.find(b":", start)
            end = len(data) if colon < 0 else data.rfind(b"\n", start, colon) + 1 or start
            if end > start:
                if item is None:
                    return None
                rows.append(view[start:end])
                films.append(item)
                counts.append(int(np.count_nonzero(feeds[start:end])))
                if not feeds[end - 1]:
                    rows.append(b"\n")
                    counts[-1] += 1
            if colon < 0:
                break
            start = data.find(b"\n", colon) + 1 or len(data)
            if not data[end:colon].isdigit() or colon - end > 18 or data[colon + 1 : start].strip():
                return None
            item = int(data[end:colon])
    fast = read_fast(b"".join(rows), _COLUMNS, len(_NAMES), ",")
    if fast is None:
        return None
    users, stars = full_column(fast[0]), full_column(fast[1])
    days = full_column(fast[2].cast(pa.int32()))
    # A row more or less than there are lines (an empty one, a stray carriage return) would move
    # every later row to another film.
    if users is None or stars is None or days is None or users.size != sum(counts):
        return None
    return _chunk(users, np.repeat(np.array(films, np.int64), counts), stars, days, item)


def _chunk(
    users: NDArray[np.int64],
    items: NDArray[np.int64],
    stars: NDArray[np.int64],
    days: NDArray[np.int32],
    item: int | None,
) -> tuple[CellChunk, int | None] | None:
    seconds = days.astype(np.int64) * SECONDS_PER_DAY
    if users.size and not (
        stars.min() >= 1
        and stars.max() <= 5
        and seconds.min() >= FIRST_SECOND
        and seconds.max() < END_SECOND
    ):
        return None
    return CellChunk(users, items, stars.astype(np.float64), seconds), item


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
            (users, stars, days), read_slowly(block, rows(), _COLUMNS, _NAMES), strict=True
        ):
            found.extend(cells)
        item = film
    made = _chunk(
        np.array(users, np.int64),
        np.array(items, np.int64),
        np.array(stars, np.int64),
        np.array(days, np.int32),
        item,
    )
    assert made is not None  # each cell has been looked at
    return made


def _film(at: str, text: str) -> int:
    found = _FILM_LINE.fullmatch(text)
    if found is None:
        raise InputError(
            f"{at}: {shown(text)} is not a film line; expected a number and a colon, such as 123:"
        )
    return int(found[1])
