"""Whether the quotes of delimited text can be right: what a stray or a missing one does to rows.

A stray opening quote swallows everything up to the next quote, rows and all. Either text follows
that next quote, or the cell ends there and its first and last line are what is left of two rows
torn apart: each has, by itself, as many delimiters as a row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np

_QUOTE, _FEED, _RETURN = ord('"'), ord("\n"), ord("\r")


def tears_rows(cells: Sequence[str], delimiter: str, fields: int) -> bool:
    r"""Whether a cell runs from the middle of one row to the middle of another, as it seems.

    Parameters
    ----------
    cells : sequence of str
        Of a row, split under the quotes as they are.
    delimiter : str
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


def quotes_are_plain(data: bytes, delimiter: str, fields: int) -> bool:
    r"""Whether no text follows a closing quote, and no cell `tears_rows`.

    Parameters
    ----------
    data : bytes
        Whole rows.
    delimiter : str
        One ASCII character.
    fields : int

    Examples
    --------
    >>> quotes_are_plain(b'a,"b"\n"c\nd",5" e\n', ",", 2)
    True
    >>> quotes_are_plain(b'a,"b"c\n', ",", 2), quotes_are_plain(b'a,"b\nc,d"\n', ",", 2)
    (False, False)
    """
    if b'"' not in data:
        return True
    return bool(_are_plain(np.frombuffer(data, np.uint8), ord(delimiter), fields))


@numba.njit(cache=True, nogil=True)
def _are_plain(text, delimiter, fields):  # type: ignore[no-untyped-def]
    """Go through the cells as the csv module splits them, counting delimiters in quoted ones."""
    at, place = 0, 0
    while at < text.size:
        if text[at] == _QUOTE:
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
                at += 1
                if at >= text.size or text[at] != _QUOTE:  # two quotes stand for one
                    break
            if at < text.size and text[at] not in (delimiter, _FEED, _RETURN):
                return False
            if feeds > 0 and place + first == fields - 1 and last == place:
                return False
        else:
            while at < text.size and text[at] not in (delimiter, _FEED, _RETURN):
                at += 1
        place = place + 1 if at < text.size and text[at] == delimiter else 0
        at += 1
    return True
