"""Accounts for the rows of a source: kept as cells, merged into others, or dropped.

Invariant: rows = cells + merged + dropped + unreadable + zeros, for every release that was read
from rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ROWS = "rows"
DROPPED = "rows dropped for an empty user or item"
UNREADABLE = "rows dropped as a cell could not be read"
TIMED = "rows with a time of day"
CUT = "rows whose time was rounded down to its bin"
NO_VALUE = "rows without a value"
NO_DATE = "rows without a date"
"""Names of counts among the notes of a release; where there is none, it is 0."""

ZEROS = "rows left out as their value is 0"
PLACEHOLDER_DATES, WHICH_DATES = "dates that stand for none", "which dates stand for none"
PLACEHOLDER_VALUES, WHICH_VALUES = "values that stand for none", "which values stand for none"
"""Names of counts of rows, and of lists of what they hold; left out where there are none."""

FIRST_UNREADABLE = "first row dropped as a cell could not be read"
"""Name of the note of its place; left out where there is none."""

DATES_AS = "dates are written as"
"""Name of the note of their format, or of what else they are."""

FORMAT_RECOGNISED = "format of dates that was recognised"
OTHER_ZONE = "dates have a time zone, and days are those of UTC"
ENCODING_GUESSED = "encoding that was taken, as text is not UTF-8"
"""Names of notes that are left out where they do not hold."""

NOT_UTF8 = "first letter that is not UTF-8"
"""Name of the note of its place; left out where the encoding is known otherwise."""

BINS = "bins of values"
"""Name of the note of how values were put into bins; left out where they were not."""

DISTINCT = "distinct values before they were put into bins"
"""Name of their count, for bins that depend on the number of rows with each value."""

NEGATIVE = "negative values"
FAR = "values far from all others"
VALUES = "values in all, odd or not"
"""Names of the counts of odd values, and of all values; left out if none is odd."""

RANGE = "range of the values before they were put into bins"
"""Name of the note of the least and the greatest value, for bins as of `DISTINCT`."""

DATE_COLUMNS = "columns that the dates are joined from"
"""Name of the note of these; left out where it is one."""

EPOCH = "rows dated 1970-01-01, as a 0 is"
"""Name of the count of dates that may stand for none; left out where there is no such row."""

MIDNIGHT = "times of day"
"""Name of the note on times that are all midnight; left out where one is not."""

TWINS = (
    "{} with the identifier of another but for blanks, quotes, capitals, zeros in front, or a .0"
)
ROUNDED = "{} with a rounded number for an identifier, such as 1.23457E+15"
EMAILS, PHONES = "{} that look like e-mail addresses", "{} that look like phone numbers"
NAMES, TOTALS = "{} that look like names", "{} that look like a total of rows"
"""Names of the counts of doubtful identifiers, of ``people`` or ``items``; left out if 0."""

MANY_LEFT_OUT = 0.05
"""Share of all rows, left out for one reason, above which a choice or the file may be wrong."""

SPLIT_ROWS = "rows of lists, or of several columns of items"
"""Name of their count, where a row may be several entries, which are counted as rows."""

OTHER_FILES = "files of the folder that were not read"
UNREAD = "columns that were not read"
"""Names of the notes that list them; left out where there are none."""

ZONES = "time zones of the dates, of which there are several"
"""Name of the note that lists them; left out where all dates have the same, or none."""

SOME_TIMES = "whether all dates have a time of day"
"""Name of the note that says that some have one and others none; left out where all are alike."""

FRACTIONS = "fractions of a second in the dates"
"""Name of the note that they were cut off; left out where there are none."""

MORE_DIGITS = "values that have more digits than are read"
"""Name of the count of their rows; left out where there are none."""

JOINED = "columns that tell people apart together"
"""Name of the note that lists them; left out where one column alone does."""

IN_ROWS = ("rows", "cells", "merged", "dropped", "unreadable", "zeros")
"""Fields of `Accounts`: all rows, and the parts that add up to them."""


@dataclass(frozen=True, slots=True)
class Accounts:
    """Rows of a release, by what became of them.

    Parameters
    ----------
    rows : int
        Read from the input.
    cells : int
        Kept.
    merged : int
        Left out as another row has the same person and item.
    dropped : int
        Left out as their user or item is empty.
    unreadable : int
        Left out as a value or a date, or the whole row, could not be read.
    timed : int
        Of those not left out: with a time of day other than midnight.
    cut : int
        Of those not left out: with a time that is kept as the bin it lies in only.
    no_date, no_value : int
        Of those not left out: without a date or a value, where there is a column of them.
    zeros : int
        Left out as their value is 0, where the user asks for it.
    """

    rows: int
    cells: int
    merged: int
    dropped: int
    unreadable: int
    timed: int
    cut: int
    no_date: int
    no_value: int
    zeros: int = 0

    @classmethod
    def of(cls, release: Mapping[str, Any]) -> Accounts:
        """Read the accounts of a release from its manifest, as a mapping.

        Examples
        --------
        >>> release = {"n_cells": 5, "n_duplicates": 2, "notes": {"rows": 8, DROPPED: 1}}
        >>> Accounts.of(release)
        Accounts(rows=8, cells=5, merged=2, dropped=1, unreadable=0, timed=0, cut=0, no_date=0, \
no_value=0, zeros=0)
        """
        notes = release.get("notes") or {}
        cells, merged = (int(release.get(key) or 0) for key in ("n_cells", "n_duplicates"))
        left_out = [int(notes.get(key) or 0) for key in (DROPPED, UNREADABLE)]
        others = (int(notes.get(key) or 0) for key in (TIMED, CUT, NO_DATE, NO_VALUE, ZEROS))
        rows = int(notes.get(ROWS) or cells + merged + sum(left_out))
        return cls(rows, cells, merged, *left_out, *others)
