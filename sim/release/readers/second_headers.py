"""Recognises a header that stands below the first one, as where files were joined.

Invariant: a fast reader that sees only some columns misses no line that `SecondHeaders.problem`
finds among whole rows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_REPEATED = "repeats the header; was it made of several files? Remove this line and the like"
OTHER = (
    "a second header, which names other columns than the first, or in another order; was it made "
    "of several files? Write the columns of all in the same order"
)
"""What is wrong with a header whose rows would be read by the wrong names."""

_MARK = "\ufeff"  # of byte order: where files were joined, it stands before the second header
_BETWEEN_WORDS = re.compile(r"[_\-. ]+|(?<=[a-z0-9])(?=[A-Z])")
_JOINS = ("", "_", "-", " ", ".")
_BEFORE, _AFTER = ("", " ", ' "', "'"), ("", " ", ":", "_", '"', "'")
"""What may stand around a name: blanks next to a delimiter, or quotes that are none of a cell."""

_MANY = 200  # columns, of which the other names are found only as they are written


class SecondHeaders:
    """The lines of a text that look like its header, whatever the order and the writing of names.

    Parameters
    ----------
    names : sequence of str
        Of the columns of the text.
    ids : sequence of str
        Those of them that identify people and items.

    Examples
    --------
    >>> headers = SecondHeaders(["userId", "movieId", "stars"], ["userId", "movieId"])
    >>> headers.problem(["user_id", "movie_id", "Stars"])[:18]
    'repeats the header'
    >>> headers.problem(["movieId", "userId", "stars"])[:15]
    'a second header'
    >>> headers.problem(["userId", "17", "5"])
    ''
    """

    def __init__(self, names: Sequence[str], ids: Sequence[str]) -> None:
        self._names, self._ids = [*names], frozenset(ids)
        self._places = [self._names.index(name) for name in ids]
        varied = names if len(names) <= _MANY else ids
        self._meant = {one: name for name in varied for one in _writings(name)}
        self._meant |= {one + name: name for name in names for one in ("", _MARK)}
        self._texts = pa.array(self._meant, pa.string())

    def may_be_among(self, columns: Iterable[Any]) -> bool:
        """Whether each of some columns of the text, those of people and items, has such a cell."""
        return all(pc.any(pc.is_in(cells, self._texts)).as_py() for cells in columns)

    def problem(self, row: Sequence[str]) -> str:
        """Return what is wrong with a row that looks like a header; empty if it does not.

        Where people and items are read, it has names; among all its cells are those of these
        columns, or, if that is but one, no cell is anything else.
        """
        found = [self._meant.get(cell) for cell in row]
        named = self._ids.issubset(found) if len(self._ids) > 1 else None not in found
        if not named or any(found[place] is None for place in self._places):
            return ""
        return _REPEATED if found == self._names else OTHER


@functools.lru_cache(maxsize=64)
def second_headers(names: tuple[str, ...], ids: tuple[str, ...]) -> SecondHeaders:
    """Return `SecondHeaders` of a header, made once for all the files that have it."""
    return SecondHeaders(names, ids)


def _writings(name: str) -> Iterator[str]:
    """Yield how other programs write a name: its words in other cases, and joined otherwise."""
    words = _BETWEEN_WORDS.split(name.strip())
    lower = [word.lower() for word in words]
    title = [word.title() for word in words]
    cases = [lower, [word.upper() for word in words], title]
    cases += [[*lower[:1], *title[1:]], [*title[:1], *lower[1:]]]
    for join in _JOINS:
        for case in cases:
            written = join.join(case)
            yield from (first + written + last for first in _BEFORE for last in _AFTER)
