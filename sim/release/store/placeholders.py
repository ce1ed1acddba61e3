"""Placeholders: dates, values and identifiers that stand for none.

Invariant: what is usual is counted, and only what the user lists is read as missing: dates among
the dates, numbers among the values, and words among people and items.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY, CellChunk

DATES = (
    *("0001-01-01", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01"),
    *("1901-01-01", "2099-12-31", "2999-12-31", "9999-12-31"),
)
"""Dates that programs write for none; 1970-01-01 is counted by itself."""

WORDS = (
    *("n/a", "na", "n.a.", "none", "null", "nil", "unknown", "unk", "undefined", "missing"),
    *("not available", "not known", "not applicable", "anonymous", "anon", "guest", "-", "--", "?"),
    *("unbekannt", "keine angabe", "k.a.", "keine", "anonym", "inconnu", "inconnue", "aucun"),
    *("non renseigné", "desconocido", "ninguno", "sconosciuto", "nessuno", "onbekend", "okänd"),
)
"""Words that stand for no person or no item, in small letters."""

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_DAYS = np.sort(np.array(DATES, "datetime64[D]").astype(np.int64))
_EARLY, _LATE = (
    int(np.datetime64(day, "s").astype(np.int64)) for day in ("1902-01-01", "2099-01-01")
)


@dataclass(frozen=True, slots=True)
class Placeholders:
    """What the user says stands for none.

    Parameters
    ----------
    days : tuple of int
        Since 1970-01-01.
    values : tuple of float
    words : tuple of str
        Identifiers, as they are written.
    """

    days: tuple[int, ...] = ()
    values: tuple[float, ...] = ()
    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, given: Any, key: str) -> Placeholders:
        """Return the placeholders in a list.

        Raises
        ------
        ConfigError
            It is no list of cells.

        Examples
        --------
        >>> Placeholders.parse([99, "1970-01-02", "n/a"], "data.placeholders")
        Placeholders(days=(1,), values=(99.0,), words=('n/a',))
        """
        if not isinstance(given, (list, tuple)) or not all(
            isinstance(cell, (str, int, float)) and not isinstance(cell, bool) for cell in given
        ):
            raise ConfigError(f"{key}: {given!r}: expected a list of cells: [99,1900-01-01]")
        days, values, words = list[int](), list[float](), list[str]()
        for text in map(str, given):
            if _ISO.fullmatch(text):
                try:
                    days.append(int(np.datetime64(text, "D").astype(np.int64)))
                except ValueError:
                    raise ConfigError(f"{key}: {text}: is no date") from None
                continue
            try:
                values.append(float(text))
            except ValueError:
                words.append(text)
        return cls(tuple(days), tuple(values), tuple(words))

    def without(self, chunk: CellChunk) -> tuple[CellChunk, int]:
        """Return some rows with placeholders missing, and how many have no person or item then."""
        if self.days and chunk.time is not None:
            stands = np.isin(chunk.time // SECONDS_PER_DAY, self.days) & (chunk.time != NO_TIME)
            chunk = replace(chunk, time=np.where(stands, NO_TIME, chunk.time))
        if self.values and chunk.value is not None:
            none = np.isin(chunk.value, self.values)
            chunk = replace(chunk, value=np.where(none, np.nan, chunk.value))
        if not self.words:
            return chunk, 0
        none = are_words(chunk.record, self.words) | are_words(chunk.item, self.words)
        return kept(chunk, ~none), int(none.sum())


def are_words(ids: Any, words: Sequence[str]) -> NDArray[np.bool_]:
    """Return which identifiers are among some words; numbers are none.

    Parameters
    ----------
    ids : int64 array, or pyarrow string or integer array, shape (n,)
    """
    kind = getattr(ids, "type", None)
    if kind is None or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return np.zeros(len(ids), bool)
    found = pc.is_in(ids, value_set=pa.array(words, kind))
    return np.asarray(found.to_numpy(zero_copy_only=False), bool)


def lower_case(ids: Any) -> Any:
    """Return identifiers in small letters without blanks around them; numbers as they are."""
    if pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type):
        return pc.utf8_lower(pc.utf8_trim_whitespace(ids))
    return ids


def kept(chunk: CellChunk, which: NDArray[np.bool_]) -> CellChunk:
    """Return some of the rows.

    Parameters
    ----------
    which : bool array, shape (n,)
    """
    if which.all():
        return chunk

    def of(column: Any) -> Any:
        if column is None or isinstance(column, np.ndarray):
            return None if column is None else column[which]
        return column.filter(pa.array(which))

    return CellChunk(of(chunk.record), of(chunk.item), of(chunk.value), of(chunk.time))


def count_dates(time: NDArray[np.int64]) -> Counter[str]:
    """Count the dates that programs write for none.

    Parameters
    ----------
    time : int64 array, shape (n,)
        Seconds since 1970-01-01, or `NO_TIME`.

    Examples
    --------
    >>> count_dates(np.array([-2208988800, 0, NO_TIME, -2208988800]))
    Counter({'1900-01-01': 2})
    """
    far = time[((time < _EARLY) & (time != NO_TIME)) | (time >= _LATE)]  # few: the rest is cheap
    days, number = np.unique(far // SECONDS_PER_DAY, return_counts=True)
    usual = np.isin(days, _DAYS)
    texts = np.datetime_as_string(days[usual].astype("datetime64[D]"))
    return Counter(dict(zip(map(str, texts), map(int, number[usual]), strict=True)))
