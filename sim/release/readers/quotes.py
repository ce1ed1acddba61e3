"""Checks the quotes of delimited text for stray or missing ones.

A stray opening quote swallows everything up to the next quote, rows and all. Either text follows
that next quote, or the cell ends there and its first and last line are what is left of two rows
torn apart: each has, by itself, as many delimiters as a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sim.errors import InputError
from sim.numeric.compiled import njit

_QUOTE, _FEED, _RETURN = ord('"'), ord("\n"), ord("\r")


class QuoteError(InputError):
    """The quotes of a text cannot be right, unless they are text."""


def quotes_are_text(data: bytes, delimiter: str) -> bool:
    r"""Whether quotes enclose no cells, by the lines of a text.

    Every line has as many cells as the first without them, and most cells that begin with a quote
    do not end with it.

    Examples
    --------
    >>> quotes_are_text(b'a\tb\n1\t"So" (live)\n', "\t"), quotes_are_text(b'a\tb\n1\t"So"\n', "\t")
    (True, False)
    """
    if b'"' not in data:
        return False
    lines = [line for line in data.rstrip(b"\n").split(b"\n") if line.strip()]
    rows = [line.rstrip(b"\r").split(delimiter.encode()) for line in lines]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        return False
    quoted = [cell for row in rows for cell in row if cell.startswith(b'"')]
    closed = [cell for cell in quoted if len(cell) > 1 and cell.endswith(b'"')]
    whole = sum(b'"' not in cell[1:-1].replace(b'""', b"") for cell in closed)
    return 2 * whole < len(quoted)


def tears_rows(cells: Sequence[str], delimiter: str, fields: int) -> bool:
    r"""Whether a cell runs from the middle of one row to the middle of another, as it seems.

    Parameters
    ----------
    cells : sequence of str
        Of a row, split under the quotes as they are.
    fields : int
        How many cells a row has.

    Examples
    --------
    >>> tears_rows(["ann", "zoo\nbob,spa", "9"], ",", 3)  # ann,"zoo / bob,spa",9
    False
    >>> tears_rows(["ann", "zoo,7\nbob,spa", "9"], ",", 3)  # ann,"zoo,7 / bob,spa",9
    True
    """
    for place, cell in enumerate(cells):
        if "\n" not in cell:
            continue
        first, last = cell.partition("\n")[0], cell.rpartition("\n")[2]
        if place + first.count(delimiter) == fields - 1 and last.count(delimiter) == place:
            return True
    return False


class Scan(NamedTuple):
    """The effect of a text's quotes on its rows.

    Parameters
    ----------
    end : int
        Where the last whole row ends; 0 if there is none.
    plain : bool
        Whether up to there no text follows a closing quote, and no quoted cell holds a line feed.
    opened : int
        Where a quoted cell begins that does not end in the text; -1 if there is none.
    """

    end: int
    plain: bool
    opened: int


def scan(data: bytes, delimiter: str) -> Scan:
    r"""Scan a text whose cells may be quoted and contain line feeds.

    A quote opens a cell only where the cell begins; inside, two quotes stand for one.

    Parameters
    ----------
    data : bytes
        From the beginning of a row on.
    delimiter : str
        One ASCII character.

    Examples
    --------
    >>> scan(b'1,"a\nb"\n2,"c\n', ",")
    Scan(end=8, plain=False, opened=10)
    """
    if b'"' not in data:
        return Scan(data.rfind(b"\n") + 1, plain=True, opened=-1)
    end, plain, _, opened = _scan(np.frombuffer(data, np.uint8), ord(delimiter), 0)
    return Scan(end, plain, opened)


def quotes_are_plain(data: bytes, delimiter: str, fields: int) -> bool:
    r"""Whether no text follows a closing quote, and no cell `tears_rows`.

    Parameters
    ----------
    data : bytes
        Whole rows.
    delimiter : str
        One ASCII character.

    Examples
    --------
    >>> quotes_are_plain(b'a,"b"\n"c\nd",5" e\n', ",", 2)
    True
    >>> quotes_are_plain(b'a,"b"c\n', ",", 2), quotes_are_plain(b'a,"b\nc,d"\n', ",", 2)
    (False, False)
    """
    if b'"' not in data:
        return True
    _, _, plain, _ = _scan(np.frombuffer(data, np.uint8), ord(delimiter), fields)
    return bool(plain)


@njit
def _scan(text, delimiter, fields):  # type: ignore[no-untyped-def]
    """Split a text as the csv module does.

    Returns the end of the last whole row, whether all is plain up to there, and in the whole text,
    and where a quote is left open. With a number of `fields`, cells that tear rows are not plain;
    without, no cell of several lines is.
    """
    at, place, end, opened = 0, 0, 0, -1
    plain = plain_to_end = True
    while at < text.size:
        if text[at] == _QUOTE:
            opened = at
            feeds, first, last = 0, 0, 0
            while True:
                at += 1
                while at < text.size and text[at] != _QUOTE:
                    if text[at] == _FEED:
                        feeds, last = feeds + 1, 0
                    elif text[at] == delimiter:
                        last += 1
                        first += feeds == 0
                    at += 1
                if at >= text.size:
                    return end, plain_to_end, plain, opened
                at += 1
                if at >= text.size or text[at] != _QUOTE:  # two quotes stand for one
                    break
            opened = -1
            if feeds > 0 and (fields == 0 or (place + first == fields - 1 and last == place)):
                plain = False
            if at < text.size and text[at] not in (delimiter, _FEED, _RETURN):
                plain = False
        while at < text.size and text[at] not in (delimiter, _FEED, _RETURN):
            at += 1
        if at >= text.size:
            break
        place = place + 1 if text[at] == delimiter else 0
        at += 1
        if text[at - 1] == _FEED:
            end, plain_to_end = at, plain
    return end, plain_to_end, plain, opened
