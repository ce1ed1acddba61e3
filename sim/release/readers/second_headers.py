"""Recognises a header that stands below the first one, as where files were joined.

Only the columns that are read are looked at.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

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
    """The rows of a text that look like its header, whatever the order and the writing of names.

    Parameters
    ----------
    names : sequence of str
        Of the columns of the text.
    ids : sequence of str
        Those of them that identify people and items.

    Examples
    --------
    >>> headers = SecondHeaders(["userId", "movieId", "stars"], ["userId", "movieId"])
    >>> headers.problem({"userId": "user_id", "movieId": "movie_id", "stars": "Stars"})[:18]
    'repeats the header'
    >>> headers.problem({"userId": "movieId", "movieId": "userId"})[:15]
    'a second header'
    >>> headers.problem({"userId": "userId", "movieId": "17"})
    ''
    """

    def __init__(self, names: Sequence[str], ids: Sequence[str]) -> None:
        self._ids = frozenset(ids)
        varied = names if len(names) <= _MANY else ids
        self._meant = {one: name for name in varied for one in _writings(name)}
        self._meant |= {one + name: name for name in names for one in ("", _MARK)}
        self._texts = pa.array(self._meant, pa.string())

    def likely_among(self, columns: Mapping[str, Any]) -> NDArray[np.bool_]:
        """Return in which rows the columns of people and items all hold names; shape (n,)."""
        rows = len(next(iter(columns.values())))
        likely = np.ones(rows, bool)
        for name in self._ids & columns.keys():
            if likely.any():
                named = pc.is_in(columns[name], self._texts)
                likely &= named.to_numpy(zero_copy_only=False)
        return likely

    def problem(self, row: Mapping[str, str]) -> str:
        """Return what is wrong with a row that looks like a header; empty if it does not.

        Where people and items are read, it has names; among the cells that are read are those of
        these columns, or all are names.
        """
        found = {name: self._meant.get(cell) for name, cell in row.items()}
        ids = self._ids & found.keys()
        if not ids or any(found[name] is None for name in ids):
            return ""
        if (len(ids) == 1 or not ids.issubset(found.values())) and None in found.values():
            return ""
        return _REPEATED if all(found[name] == name for name in found) else OTHER


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
