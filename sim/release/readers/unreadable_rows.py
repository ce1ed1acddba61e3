"""Leaves out rows that cannot be read, and lists them, or refuses a table with too many.

Invariant: a row is left out whole or not at all, and only for a wrong number of cells, or for a
value or a date that cannot be read. The first place is noted without the content of its cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sim.errors import ConfigError, InputError
from sim.numeric.text import quantity, share_meant

USUAL = 0.01
"""The share of all rows that may be left out, unless another is set."""


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
    """Rows that cannot be read: left out and listed, up to a share of all rows.

    Parameters
    ----------
    most : float
        The share of all rows that may be left out; 0: none.
    key : str
        The setting, as messages call it; empty where there is none, as for files of an adversary.

    Attributes
    ----------
    left_out : list of (Place, str)
        Where each row that was left out stands, and why it cannot be read, which may quote a cell.

    Raises
    ------
    ConfigError
        Not a share.

    Examples
    --------
    >>> rows = UnreadableRows(0.5)
    >>> rows.leave_out(Place("a.csv", 3, "stars"), "'x' is not a number")
    >>> rows.count, rows.first.number
    (1, 3)
    >>> rows.check(2)
    >>> UnreadableRows(0).leave_out(Place("a.csv", 3), "2 cells; expected 3")
    Traceback (most recent call last):
    sim.errors.InputError: a.csv:3: 2 cells; expected 3; to leave out such rows, set \
data.max_unread=0.01, for up to 1% of all
    """

    def __init__(self, most: float, key: str = "data.max_unread") -> None:
        if isinstance(most, bool) or not isinstance(most, (int, float)) or not 0 <= most <= 1:
            example = share_meant(most, "0.01 for 1%")
            raise ConfigError(f"{key}: {most!r}: expected a number from 0 to 1, such as {example}")
        self.most = most
        self._key = key
        self.left_out: list[tuple[Place, str]] = []

    @property
    def count(self) -> int:
        """Rows left out so far."""
        return len(self.left_out)

    @property
    def first(self) -> Place | None:
        """Where the first of them is."""
        return self.left_out[0][0] if self.left_out else None

    @property
    def advice(self) -> str:
        """What else can be done about a row that cannot be read, as the end of a message."""
        if not self._key:
            return ""
        return f"; to leave out such rows, set {self._key}={USUAL}, for up to {USUAL:.0%} of all"

    @property
    def words(self) -> str:
        """How many rows were left out, and the first; empty if there are none.

        Examples
        --------
        >>> rows = UnreadableRows(1)
        >>> rows.leave_out(Place("a.csv", 3, "stars"), "'1,5' is not a number")
        >>> rows.words
        "1 row before it cannot be read either (a.csv:3: column stars: '1,5' is not a number)"
        """
        if not self.left_out:
            return ""
        place, reason = self.left_out[0]
        before = f"{quantity(self.count, 'row')} before it cannot be read either"
        return f"{before} ({'' if self.count == 1 else 'first '}{place}: {reason})"

    def leave_out(self, place: Place, problem: str) -> None:
        """List a row that cannot be read.

        Raises
        ------
        InputError
            None may be left out.
        """
        if not self.most:
            raise InputError(f"{place}: {problem}{self.advice}")
        self.left_out.append((place, problem))

    def check(self, rows: int) -> None:
        """Refuse a table of which more rows were left out than may be.

        Parameters
        ----------
        rows : int
            All that there are.

        Raises
        ------
        InputError
            It names the first of them.
        """
        if self.count > self.most * rows:
            place, reason = self.left_out[0]
            raise InputError(
                f"{place}: {reason}; {self.count:,} of {quantity(rows, 'row')} cannot be read, "
                f"more than {self._key}={self.most:g} allows"
            )
