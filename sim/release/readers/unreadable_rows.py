"""Refuses rows that cannot be read, or leaves them out and counts them.

Invariant: a row is left out whole or not at all, and only for a wrong number of cells, or for a
value or a date that cannot be read. The first place is noted without the content of its cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sim.errors import ConfigError, InputError
from sim.numeric.text import expected_among, quantity

UNREADABLE = ("error", "drop")
"""What may be asked for."""

IS_DECIMAL_POINT = "is the decimal point, set"
"""In a problem: another setting reads the cell, which is likelier than a row to be left out."""

IF_ALL = "if all dates are like this one,"
"""In a problem: another setting reads them all."""

IF_SOME = "if many dates are like this one,"
"""In a problem: another setting reads these too."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row that cannot be read stands.

    Parameters
    ----------
    label : str
        What messages call the file.
    number : int
        Of the line, or of the row; from 1.
    column : str
        The column of the cell; empty where the whole row is meant.
    is_line : bool
        Whether lines of text are counted, rather than rows.

    Examples
    --------
    >>> str(Place("a.csv", 3, "stars")), str(Place("a.parquet", 3, "stars", is_line=False))
    ('a.csv:3: column stars', 'a.parquet: row 3: column stars')
    """

    label: str
    number: int
    column: str = ""
    is_line: bool = True

    def __str__(self) -> str:
        at = f"{self.label}:{self.number}" if self.is_line else f"{self.label}: row {self.number}"
        return f"{at}: column {self.column}" if self.column else at

    def within(self, table: Path) -> str:
        """Describe the place for whoever knows the table; a file is named within a folder alone.

        Examples
        --------
        >>> Place("t/2009/a.csv", 3, "stars").within(Path("t"))
        '2009/a.csv, line 3, column stars'
        >>> Place("a.csv", 3).within(Path("a.csv"))
        'line 3'
        """
        file = self.label.removeprefix(str(table)).lstrip("/\\: ")
        row = f"{'line' if self.is_line else 'row'} {self.number}"
        return ", ".join(
            part for part in (file, row, self.column and f"column {self.column}") if part
        )


class UnreadableRows:
    """The treatment of rows that cannot be read.

    Parameters
    ----------
    asked : str
        ``error``: refuse them. ``drop``: leave them out and count them.
    key : str
        The setting, as messages call it; empty where there is none, as for files of an adversary.

    Attributes
    ----------
    count : int
        Rows left out so far.
    first : Place or None
        Where the first of them is.
    reason : str
        Why it cannot be read; it may quote the cell.

    Raises
    ------
    ConfigError
        Something else was asked for.

    Examples
    --------
    >>> rows = UnreadableRows("drop")
    >>> rows.leave_out(Place("a.csv", 3, "stars"), "'x' is not a number")
    >>> rows.count, rows.first.number
    (1, 3)
    >>> UnreadableRows("error").leave_out(Place("a.csv", 3), "2 cells; expected 3")
    Traceback (most recent call last):
    sim.errors.InputError: a.csv:3: 2 cells; expected 3; set data.unreadable=drop to leave out \
rows that cannot be read, and count them
    """

    def __init__(self, asked: str, key: str = "data.unreadable") -> None:
        if asked not in UNREADABLE:
            raise ConfigError(f"{key}: {asked!r}: {expected_among(asked, UNREADABLE)}")
        self.drops = asked == "drop"
        self._key = key
        self.count = 0
        self.first: Place | None = None
        self.reason = ""

    def advice(self, problem: str) -> str:
        """Return what else can be done about a row that cannot be read, as the end of a message.

        Examples
        --------
        >>> UnreadableRows("error").advice(f"'3,5' is no number; if ',' {IS_DECIMAL_POINT} it")
        '; or, if only a few rows are so, set data.unreadable=drop to leave them out and count them'
        """
        if not self._key:
            return ""
        if IF_ALL in problem or IF_SOME in problem:
            return (
                f"; if only a few rows are so, put them right, or set {self._key}=drop to leave "
                "them out and count them"
            )
        if IS_DECIMAL_POINT in problem:
            return (
                f"; or, if only a few rows are so, set {self._key}=drop to leave them out and "
                "count them"
            )
        return f"; set {self._key}=drop to leave out rows that cannot be read, and count them"

    @property
    def words(self) -> str:
        """How many rows were left out, and the first; empty if there are none.

        Examples
        --------
        >>> rows = UnreadableRows("drop")
        >>> rows.leave_out(Place("a.csv", 3, "stars"), "'1,5' is not a number")
        >>> rows.words
        "1 row before it cannot be read either (a.csv:3: column stars: '1,5' is not a number)"
        """
        if self.first is None:
            return ""
        before = f"{quantity(self.count, 'row')} before it cannot be read either"
        return f"{before} ({'' if self.count == 1 else 'first '}{self.first}: {self.reason})"

    def leave_out(self, place: Place, problem: str) -> None:
        """Count a row that cannot be read.

        Raises
        ------
        InputError
            Such rows are refused.
        """
        if not self.drops:
            raise InputError(f"{place}: {problem}{self.advice(problem)}")
        if self.first is None:
            self.first, self.reason = place, problem
        self.count += 1
