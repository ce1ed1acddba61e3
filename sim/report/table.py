"""A table of a result, which every medium renders: texts under heads.

Invariant: nothing shown is about a single person.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.numeric.text import is_null

NONE = "–"
"""Text of a cell without a value."""

_NUMBER = re.compile(r"[≥≤<>~=±≈-]? ?\d[\d,.]*%?( \[.*\])?")


@dataclass(frozen=True, slots=True)
class Table:
    """Texts in rows under heads.

    Parameters
    ----------
    heads : sequence of str
        One for each column, of one or several lines.
    rows : sequence of sequence of str
        The first cell names the row.
    caption, note : str
        A title, and what the numbers are.
    shares : sequence of (float or None)
        For each row, from 0 to 1, what a bar beside it shows; empty: no bars.
    rank : sequence of int
        Rows by importance, where not all fit; empty: as they stand.
    n_others : int
        Rows that there are besides.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    note: str = ""
    shares: Sequence[float | None] = ()
    rank: Sequence[int] = ()
    n_others: int = 0

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers alone, which are aligned to the right."""
        return [bool(some) and all(map(_is_number, some)) for some in map(self._column, self._all)]

    @property
    def bars_at(self) -> int:
        """The column before which bars stand: the first one of numbers."""
        return self.numeric.index(True) if True in self.numeric else len(self.heads)

    @property
    def _all(self) -> range:
        return range(len(self.heads))

    def _column(self, place: int) -> list[str]:
        return [row[place] for row in self.rows if row[place] not in ("", NONE)]


def _is_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text))


@dataclass(frozen=True, slots=True)
class Chapter:
    """Paragraphs, a list of items, a table and commands under a title, in this order."""

    title: str
    sentences: Sequence[str] = ()
    items: Sequence[str] = ()
    table: Table | None = None
    commands: Sequence[str] = ()


def whole_percent(share: Any) -> str:
    """Return a share in whole percent; only 0 is 0%, and only 1 is 100%.

    Examples
    --------
    >>> [whole_percent(share) for share in (0.0, 0.002, 0.314, 0.998, 1.0, None)]
    ['0%', '<1%', '31%', '>99%', '100%', '–']
    """
    if is_null(share):
        return "–"
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def with_ends(row: Mapping[Any, Any], name: str) -> str:
    """Return a measure with its 95% interval.

    Examples
    --------
    >>> with_ends({"p": 0.31, "p_low": 0.29, "p_high": 0.33}, "p")
    '31% [29,33]'
    """
    low, high = (whole_percent(row[f"{name}{end}"]) for end in ("_low", "_high"))
    text = whole_percent(row[name])
    return text if low == "–" else f"{text} [{low[:-1]},{high[:-1]}]"
