"""Counts how the cells and lines of delimited text are written, beside what they say.

Invariant: a cell is compared with those of its column that hold the same kinds of characters, as a
program decides by these whether it puts quotes around a cell. One that needs its quotes, as it
holds a delimiter, a quote or a line end, is compared with none. The counts depend on no block.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit

_QUOTE, _FEED, _RETURN = ord('"'), ord("\n"), ord("\r")
_DIGIT, _LETTER, _BLANK, _APOSTROPHE, _SIGN, _BEYOND, _NEEDS = (1 << bit for bit in range(7))
_KINDS = _NEEDS << 1


def _kinds_of_bytes() -> NDArray[np.uint8]:
    kinds = np.full(256, _BEYOND, np.uint8)
    kinds[:128] = _SIGN
    kinds[:33] = kinds[127] = _BLANK
    kinds[[*string.digits.encode()]] = _DIGIT
    kinds[[*string.ascii_letters.encode()]] = _LETTER
    kinds[ord("'")] = _APOSTROPHE
    kinds[[_QUOTE, _FEED, _RETURN]] = _NEEDS
    return kinds


_OF_BYTES = _kinds_of_bytes()


@dataclass(slots=True)
class CellForms:
    r"""Numbers of cells in quotes and without, of line ends, and of empty lines.

    Parameters
    ----------
    cells : dict of str to numpy.ndarray
        By the name of a column: shape (kinds of characters, 2); the second are in quotes.
    ends : numpy.ndarray, shape (3,)
        Lines that end with a line feed alone, and with a carriage return before it; empty lines.
    last : int
        Empty lines after the last row.

    Examples
    --------
    >>> forms = CellForms()
    >>> forms.see(b'ann,"a b"\r\n"bob",x\n"c,d",x\n', ",", ["who", "what"])
    array([5, 5])
    >>> list(forms.mixed())
    ['cells of who in quotes: 1, alike and without: 1', 'lines that end with CR LF: 1, with LF: 2']
    """

    cells: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    ends: NDArray[np.int64] = field(default_factory=lambda: np.zeros(3, np.int64))
    last: int = 0

    def see(self, data: bytes, delimiter: str, names: Sequence[str]) -> NDArray[np.int64]:
        """Count whole rows, whose cells are those of the columns named.

        Returns
        -------
        numpy.ndarray, shape (columns,)
            How many bytes the longest cell of each column has in these rows.
        """
        kinds = _OF_BYTES.copy()
        kinds[ord(delimiter)] = _NEEDS
        counts = np.zeros((len(names), _KINDS, 2), np.int64)
        longest = np.zeros(len(names), np.int64)
        before = int(self.ends[2])
        _count(np.frombuffer(data, np.uint8), ord(delimiter), kinds, counts, longest, self.ends)
        after_rows = data[len(data.rstrip(b"\r\n")) :].replace(b"\r\n", b"\n")
        if counts.any():
            self.last = max(0, len(after_rows) - 1)
        else:
            self.last += int(self.ends[2]) - before
        for name, of_column in zip(names, counts, strict=True):
            self.cells[name] = self.cells.get(name, 0) + of_column
        return longest

    @property
    def rows(self) -> int:
        """Rows that were seen."""
        return max((int(counts.sum()) for counts in self.cells.values()), default=0)

    def mixed(self) -> Iterator[str]:
        """Yield each way in which some cells or lines are written and others, alike, are not."""
        for name, counts in self.cells.items():
            differ = counts[:_NEEDS][(counts[:_NEEDS] > 0).all(axis=1)]
            if differ.size:
                bare, quoted = differ.sum(axis=0)
                column = name or "(no name)"
                yield f"cells of {column} in quotes: {quoted:,}, alike and without: {bare:,}"
        feeds, returns, empty = self.ends
        if feeds and returns:
            yield f"lines that end with CR LF: {returns:,}, with LF: {feeds:,}"
        # One after each row is how some programs end a line; those at the end tell nothing.
        if empty > self.last and empty != self.rows:
            yield f"empty lines: {empty:,}"


@njit
def _count(text, delimiter, kinds, counts, longest, ends):  # type: ignore[no-untyped-def]
    """Add a text's cells to `counts` and `longest`, its line ends to `ends`.

    It is split as by `quotes`.
    """
    at, place = 0, 0
    while at < text.size:
        kind, begin = 0, at
        quoted = int(text[at] == _QUOTE)
        if quoted:
            at += 1
            while at < text.size:
                if text[at] != _QUOTE:
                    kind |= kinds[text[at]]
                    at += 1
                elif at + 1 < text.size and text[at + 1] == _QUOTE:  # two stand for one
                    kind |= _NEEDS
                    at += 2
                else:
                    at += 1
                    break
        while (
            at < text.size and text[at] != delimiter and text[at] != _FEED and text[at] != _RETURN
        ):
            kind |= kinds[text[at]]
            at += 1
        ended = at < text.size and text[at] != delimiter
        empty_line = place == 0 and at == begin and ended
        if empty_line:
            ends[2] += 1
        elif place < counts.shape[0]:
            counts[place, kind, quoted] += 1
            longest[place] = max(longest[place], at - begin)
        if at == text.size:
            break
        place = 0 if ended else place + 1
        if text[at] == _RETURN and at + 1 < text.size and text[at + 1] == _FEED:
            ends[1] += 1
            at += 1
        elif text[at] == _FEED:
            ends[0] += 1
        at += 1
