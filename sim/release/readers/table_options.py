"""How the cells of a table are written: what the user states, and what is to be found out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.errors import ConfigError
from sim.numeric.text import expected_among
from sim.release.readers.date_reader import DateReader
from sim.release.readers.date_units import DATE_UNITS
from sim.release.readers.empty_ids import EmptyIds
from sim.release.readers.encodings import Decoding
from sim.release.readers.unreadable_rows import UnreadableRows
from sim.release.store.placeholders import Placeholders

DECIMALS = (".", ",")
"""The decimal points."""

QUOTES = ("double", "none")
ZEROS = ("keep", "drop")
"""What may be asked for of quotes, and of rows whose value is 0."""

SHAPES = ROWS, LISTS, COLUMNS = "rows", "lists", "columns"
"""What a row may be: an event; or several, whose items are parts of a list, or columns."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How a table is read.

    Parameters
    ----------
    date_unit : str
        ``iso``, ``s``, ``ms``, ``us``, ``ns`` or ``days`` (since 1970-01-01), ``excel``, ``year``,
        ``yyyymmdd``; or ``auto``: found out, and an error where there are several possibilities.
    date_format : str, optional
        The format of dates; see `sim.release.readers.date_formats.DateFormat`.
    decimal : {".", ","}
        The decimal point of numbers in text.
    delimiter : str, optional
        One character of ASCII; found out by the header if not given.
    encoding : str, optional
        Of text, by a name that Python knows; found out if not given.
    empty : str
        What is done with rows whose user or item is empty; see `EmptyIds`.
    max_unread : float
        The share of rows that may be left out as they cannot be read; see `UnreadableRows`. Only of
        ``data``.
    header : bool, optional
        Whether the first line of a text names the columns; as if True if not given. False: they
        are ``column1``, ``column2``, …
    quotes : {"double", "none"}, optional
        ``none``: quotes are text like any other. Found out if not given.
    multiline : bool
        Whether cells of text may hold line ends; else they are an error.
    zeros : {"keep", "drop"}, optional
        ``drop``: rows with the value 0 are left out and counted.
    placeholders : sequence of str or float, optional
        Cells that stand for none; see `Placeholders`.
    shape : {"rows", "lists", "columns"}, optional
        What a row is, of text; see `sim.release.readers.entries`. As ``rows`` if not given.
    group : str
        What the settings belong to, as messages call it: ``data`` or ``adversary``.

    Raises
    ------
    ConfigError
        A value that cannot be one.

    Examples
    --------
    >>> TableOptions(delimiter="::")
    Traceback (most recent call last):
    sim.errors.ConfigError: data.delimiter: '::' cannot be one; expected a single character such ...
    """

    date_unit: str = "auto"
    date_format: str | None = None
    decimal: str = "."
    delimiter: str | None = None
    encoding: str | None = None
    empty: str = "error"
    max_unread: float = 0.0
    header: bool | None = None
    quotes: str | None = None
    multiline: bool = False
    zeros: str | None = None
    placeholders: Sequence[str | float] = ()
    shape: str | None = None
    group: str = "data"

    def __post_init__(self) -> None:
        if self.date_unit not in DATE_UNITS:
            raise ConfigError(
                f"{self.group}.date_unit: {self.date_unit!r}: "
                f"{expected_among(self.date_unit, DATE_UNITS)}"
            )
        if self.decimal not in DECIMALS:
            raise ConfigError(f"{self.group}.decimal: {self.decimal!r}: expected '.' or ','")
        mark = self.delimiter
        if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in '"\r\n\0'):
            raise ConfigError(
                f"{self.group}.delimiter: {mark!r} cannot be one; expected a single character such "
                "as ','"
            )
        if self.header is not None and not isinstance(self.header, bool):
            raise ConfigError(f"{self.group}.header: {self.header!r}: expected true or false")
        if not isinstance(self.multiline, bool):
            raise ConfigError(f"{self.group}.multiline: {self.multiline!r}: expected true or false")
        for key, given, known in (
            ("quotes", self.quotes, QUOTES),
            ("zeros", self.zeros, ZEROS),
            ("shape", self.shape, SHAPES),
        ):
            if given is not None and given not in known:
                raise ConfigError(f"{self.group}.{key}: {given!r}: {expected_among(given, known)}")
        self.missing()
        self.dates()
        self.empty_ids()
        self.unreadable_rows()
        self.decoding()

    def dates(self) -> DateReader:
        """Return a reader of the dates of one table."""
        return DateReader(
            self.date_unit, self.date_format, group=self.group, decimal=self.decimal,
            placeholders=[str(cell) for cell in self.placeholders],
        )  # fmt: skip

    def empty_ids(self) -> EmptyIds:
        """Return the treatment of empty identifiers."""
        return EmptyIds(self.empty, f"{self.group}.empty")

    def unreadable_rows(self) -> UnreadableRows:
        """Return the treatment of the rows that cannot be read, with none of them counted yet."""
        return UnreadableRows(self.max_unread, "data.max_unread" if self.group == "data" else "")

    def missing(self) -> Placeholders:
        """Return the cells that stand for none."""
        return Placeholders.parse(self.placeholders, f"{self.group}.placeholders")

    def decoding(self) -> Decoding:
        """Return how bytes become text."""
        return Decoding(self.encoding, f"{self.group}.encoding")

    @property
    def has_several(self) -> bool:
        """Whether a row may be several entries."""
        return self.shape in (LISTS, COLUMNS)

    def identity(self) -> dict[str, str | None]:
        """Return what changes the rows; what came later, only where it is asked for."""
        later = {
            "header": self.header is False,
            "quotes": self.quotes,
            "multiline": self.multiline,
            "zeros": self.zeros == "drop",
            "placeholders": self.placeholders,
            "shape": self.shape if self.has_several else None,
        }
        return {
            "date_unit": self.date_unit,
            "date_format": self.date_format,
            "decimal": self.decimal,
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "empty": self.empty,
            "max_unread": str(self.max_unread),
            **{key: str(given) for key, given in later.items() if given},
        }
