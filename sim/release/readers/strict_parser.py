"""Parses rows strictly, cell by cell, and reports which cell is wrong, on which line, and why.

Invariant: these functions define what a cell means, and a fast reader returns the same values.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sim.errors import InputError
from sim.release.readers.textfile import LineBlock
from sim.release.readers.unreadable_rows import Place

MISSING = ("", "NA", "N/A", "NaN", "nan", "NaT", "null", "NULL", "None", "\\N")
"""How tables write that a value or a date is missing."""

_WHOLE = re.compile(r"-?[0-9]{1,19}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SWAPPED = str.maketrans(",.", ".,")
_SHOWN, _LISTED = 60, 12

Rows = Iterator[tuple[int, list[str]]]
"""Line numbers (1-based) and the cells that begin there."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of text to parse.

    Parameters
    ----------
    name : str
        Its name in messages.
    index : int
        Its place among the cells of a row.
    arrow_type : pyarrow.DataType
        The type the fast reader gives it.
    cell : callable
        Parses one cell; raises ValueError with the reason.
    """

    name: str
    index: int
    arrow_type: Any
    cell: Callable[..., Any]


def shown(cell: str) -> str:
    """Return a cell as messages show it.

    Examples
    --------
    >>> shown("abc"), len(shown("x" * 1000))
    ("'abc'", 65)
    """
    return repr(cell) if len(cell) <= _SHOWN else repr(cell[:_SHOWN]) + "..."


def whole_number(cell: str) -> int:
    """Return the whole number in a cell.

    Raises
    ------
    ValueError
        The reason.

    Examples
    --------
    >>> whole_number(" 42")
    42
    """
    text = cell.strip(" \t")
    if not text:
        raise ValueError("is empty; expected a whole number")
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{shown(cell)} is not a whole number; expected one such as 123")
    value = int(text)
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{shown(cell)} is too large; expected a number of 64 bits")
    return value


def number(cell: str, decimal: str = ".", key: str = "") -> float:
    """Return the number in a cell, which must be finite.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal point.
    key : str
        The setting of the decimal point, for the message of an error; empty if it has none.

    Raises
    ------
    ValueError
        The reason.

    Examples
    --------
    >>> number("4.5"), number("1e3"), number("4,5", ",")
    (4.5, 1000.0, 4.5)
    """
    text = cell.strip(" \t")
    if not text:
        raise ValueError("is empty; expected a number")
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        raise ValueError(f"{shown(cell)} is not finite; expected a finite number")
    pointed = text if decimal == "." else text.translate(_SWAPPED)
    if not _NUMBER.fullmatch(pointed):
        raise ValueError(
            f"{shown(cell)} is not a number; expected one such as 4 or 3{decimal}5"
            f"{_remedy(text, decimal, key)}"
        )
    value = float(pointed)
    if not isfinite(value):
        raise ValueError(f"{shown(cell)} is not finite; expected a finite number")
    return value


_WITH_UNIT = re.compile(
    r"(?:([^\W\d_]{1,4}\.?|[€$£¥%])\s*(?=[+-]?[0-9]))?([+-]?[0-9][0-9.,]*)"
    r"(?:(?<=[0-9])\s*([^\W\d_]{1,4}\.?|[€$£¥%]))?"
)
"""A number between what may be a unit or a currency."""


def _remedy(text: str, decimal: str, key: str) -> str:
    r"""Return what to do about a number with another decimal point, or with thousands apart.

    Examples
    --------
    >>> _remedy("170,8", ".", "data.decimal")
    '; if the comma is the decimal point, set "data.decimal=\',\'"'
    >>> _remedy("1.280,6", ",", "data.decimal"), _remedy("many", ".", "data.decimal")
    ('; remove the marks between thousands', '')
    >>> _remedy("€ 4.50", ".", ""), _remedy("3,00 EUR", ",", "")
    ("; write numbers alone, without '€'", "; write numbers alone, without 'EUR'")
    """
    other = "," if decimal == "." else "."
    override = f"\"{key}='{other}'\""  # as a shell takes it
    apart = "remove the marks between thousands"
    if _grouped(text, decimal, other):
        if key and text.count(other) == 1 and decimal not in text:
            return f"; {apart}, or, if {other!r} is the decimal point, set {override}"
        return f"; {apart}"
    if key and (_NUMBER.fullmatch(text.replace(other, ".")) or _grouped(text, other, decimal)):
        also = f", and {apart}" if decimal in text else ""
        name = "comma" if other == "," else "point"
        return f"; if the {name} is the decimal point, set {override}{also}"
    with_unit = _WITH_UNIT.fullmatch(text)
    if with_unit is not None:
        before, alone, after = with_unit.groups()
        if not (before or after):
            return ""
        rest = _remedy(alone, decimal, key) if not _NUMBER.fullmatch(alone) else ""
        return f"; write numbers alone, without {(before or after)!r}{rest}"
    return ""


def _grouped(text: str, decimal: str, mark: str) -> bool:
    """Whether a text is a number with marks between thousands; a blank or ' is one too."""
    marks = f"[{re.escape(mark)} '’\u00a0\u202f]"
    groups = rf"[+-]?[0-9]{{1,3}}(?:{marks}[0-9]{{3}})+(?:{re.escape(decimal)}[0-9]*)?"
    return re.fullmatch(groups, text) is not None


def number_or_missing(cell: str, decimal: str = ".", key: str = "") -> float:
    """Return the number in a cell, or NaN where it is one of `MISSING`; see `number`.

    Examples
    --------
    >>> number_or_missing("NA")
    nan
    """
    return float("nan") if cell.strip(" \t") in MISSING else number(cell, decimal, key)


def split_rows(block: LineBlock, separator: str) -> Rows:
    r"""Yield the rows of a text without quoting; empty lines are skipped.

    Examples
    --------
    >>> list(split_rows(LineBlock("a", 7, b"1::2\r\n\n3::4"), "::"))
    [(7, ['1', '2']), (9, ['3', '4'])]
    """
    for line, text in enumerate(io.BytesIO(block.data), block.first_line):
        row = text.removesuffix(b"\n").removesuffix(b"\r")
        if row:
            yield line, row.decode("utf-8", "surrogateescape").split(separator)


def read_strictly(
    block: LineBlock,
    rows: Iterable[tuple[int, list[str]]],
    columns: Sequence[Column],
    names: Sequence[str],
) -> list[list[Any]]:
    r"""Parse the cells of each column, one by one.

    Parameters
    ----------
    block : LineBlock
        The block of the rows; only its label and its end matter.
    names : sequence of str
        Names of the cells of a row, as many as every row must have.

    Raises
    ------
    InputError
        The first row with the wrong number of cells, or the first bad cell.

    Examples
    --------
    >>> block = LineBlock("a.csv", 1, b"1,2\n3,x\n")
    >>> column = Column("stars", 1, None, number)
    >>> read_strictly(block, split_rows(block, ","), [column], ["user", "stars"])
    Traceback (most recent call last):
    sim.errors.InputError: a.csv:2: column stars: 'x' is not a number; expected one such as 4 or 3.5
    """
    found: list[list[Any]] = [[] for _ in columns]
    last = block.last_line if block.cut_off else None
    for line, row in rows:
        if len(row) != len(names):
            if line == last and len(row) < len(names):
                raise InputError(
                    f"{block.label}:{line}: the file ends in the middle of a row "
                    f"({_cells(len(row))} of {len(names)}); fetch or export it again"
                )
            listed = ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
            raise InputError(
                f"{block.label}:{line}: {_cells(len(row))}; expected {len(names)} ({listed})"
            )
        for cells, column in zip(found, columns, strict=True):
            try:
                cells.append(column.cell(row[column.index]))
            except ValueError as error:
                end = "; the file ends in the middle of this row" if line == last else ""
                place = Place(block.label, line, column.name)
                raise InputError(f"{place}: {error}{end}") from error
    return found


def _cells(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"
