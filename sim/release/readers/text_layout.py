"""The layout of one file of delimited text: its delimiter, its header, and where columns stand."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sim.errors import InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.quotes import QuoteError, quotes_are_text
from sim.release.readers.table_options import TableOptions
from sim.release.readers.textfile import LineBlock

COMMON = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
"""The usual delimiters, by name; these are tried first."""

_TITLE_LINES = 50  # rows, at most, above a header
_FEWEST = 3
_RAGGED_LINES = 200  # rows that tell whether the header lacks the empty cells at their end


if TYPE_CHECKING:
    from _csv import Reader as CsvRows


@dataclass(frozen=True, slots=True)
class TextLayout:
    """The layout of one file.

    Parameters
    ----------
    names : sequence of str
        The header.
    header_line : int
        The line on which the header ends; 0 where there is none.
    quoted : bool
        Whether quotes enclose cells, rather than being text.
    keys : mapping of str to str
        Columns whose one cell the names of the folders give.
    pointers : sequence of str
        Of JSON, where each column stands in the object that is a row (RFC 6901); else empty.
    in_lines : bool
        Whether rows are lines of the file.
    """

    delimiter: str
    names: Sequence[str]
    header_line: int
    keys: Mapping[str, str] = field(default_factory=dict)
    quoted: bool = True
    pointers: Sequence[str] = ()
    in_lines: bool = True

    @property
    def is_json(self) -> bool:
        """Whether rows are objects of JSON."""
        return bool(self.pointers)

    @property
    def words(self) -> str:
        r"""Name the layout.

        Examples
        --------
        >>> TextLayout("\t", ["a"], 1).words, TextLayout("~", ["a"], 1).words
        ('text delimited by tab', "text delimited by '~'")
        """
        if self.is_json:
            return "JSON lines" if self.in_lines else "JSON"
        return "text delimited by " + COMMON.get(self.delimiter, repr(self.delimiter))

    def parts(self, columns: Sequence[str]) -> list[int | str]:
        """Return where columns stand: the place of each in a row, or the one cell it has."""
        return [
            self.names.index(name) if name in self.names else self.keys[name] for name in columns
        ]


def layout_of(
    head: LineBlock, choice: ColumnChoice, options: TableOptions, keys: Mapping[str, str | None]
) -> TextLayout:
    """Find the layout under which the header holds the columns chosen.

    Parameters
    ----------
    head : LineBlock
        The first lines.
    options : TableOptions
        Without a delimiter it is found out: the common ones first, then any sign in the header.
    keys : mapping of str to str or None
        Columns that the names of folders give; None is a null.

    Raises
    ------
    InputError
        A column is missing, or there is no header.
    """
    delimiter = options.delimiter
    found = list(_headers(head, [delimiter] if delimiter else delimiters(head), options))
    given = {name: value or "" for name, value in keys.items()}
    for candidate, names, line in found:
        if all(name in names or name in given for name in choice.columns()):
            choice.check(f"{head.label}:{line}", [*names, *(k for k in given if k not in names)])
            if not options.multiline and any("\n" in name for name in names):
                raise QuoteError(f"{head.label}:1: the header runs to line {line}", lines=True)
            return TextLayout(candidate, names, line, given, is_quoted(head, candidate, options))
    below = _line_with(head, choice.columns(), [delimiter] if delimiter else [*COMMON])
    if below is not None:
        raise InputError(
            f"{head.label}:1: is no header with the chosen columns, but line {below} is; delete "
            "the lines above it"
        )
    common = [header for header in found if header[0] in COMMON or delimiter]
    _, names, line = max(common, key=lambda header: len(header[1]))
    choice.check(f"{head.label}:{line}", [*names, *given])
    raise AssertionError("a missing column is an error")


def _line_with(head: LineBlock, names: Collection[str], candidates: Sequence[str]) -> int | None:
    """Return the first line on which all names stand: a title may be above the header."""
    text = head.data.decode("utf-8", "surrogateescape")
    for candidate in candidates:
        rows = csv.reader(io.StringIO(text, newline="\n"), delimiter=candidate)
        with contextlib.suppress(csv.Error):
            for row in itertools.islice(rows, _TITLE_LINES):
                if set(names) <= set(row):
                    return rows.line_num
    return None


def delimiters(head: LineBlock) -> list[str]:
    """Return what may be the delimiter: the common ones, then other signs of the first line."""
    first = next((line for line in head.data.splitlines() if line), b"")
    signs = (chr(byte) for byte in first if byte < 0x80 and chr(byte) not in '"\r\n\0')
    return list(dict.fromkeys([*COMMON, *(sign for sign in signs if not sign.isalnum())]))


def _headers(
    head: LineBlock, candidates: Sequence[str], options: TableOptions
) -> Iterator[tuple[str, list[str], int]]:
    for candidate in candidates:
        names, line = header(head, candidate, options)
        yield candidate, names, line


def is_quoted(head: LineBlock, delimiter: str, options: TableOptions) -> bool:
    """Whether quotes enclose cells: in a table with tabs they may be text, by the first lines."""
    if options.quotes is not None:
        return options.quotes == "double"
    return not (delimiter == "\t" and quotes_are_text(head.data, delimiter))


def rows_in(text: io.StringIO, delimiter: str, *, quoted: bool) -> CsvRows:
    """Return a reader of rows, with cells in quotes or without."""
    if quoted:
        return csv.reader(text, delimiter=delimiter)
    return csv.reader(text, delimiter=delimiter, quoting=csv.QUOTE_NONE)


def header(head: LineBlock, delimiter: str, options: TableOptions) -> tuple[list[str], int]:
    """Return the names of the columns under a delimiter, and the line on which they end.

    Where every row has the same number of empty cells more at its end, or fewer, so has the header.
    Without a header, the columns are numbered, and the line is 0.

    Raises
    ------
    InputError
        There is none, or it is not UTF-8.
    """
    text = io.StringIO(head.data.decode("utf-8", "surrogateescape"), newline="\n")
    rows = rows_in(text, delimiter, quoted=is_quoted(head, delimiter, options))
    try:
        names = next(row for row in rows if row)
    except (StopIteration, csv.Error) as error:
        raise InputError(f"{head.label}:1: expected a header with the columns' names") from error
    if any("\ud800" <= letter <= "\udfff" for name in names for letter in name):
        raise InputError(
            f"{head.label}:{rows.line_num}: the header is not UTF-8 text; save the file as UTF-8"
        )
    if options.header is False:
        return [f"column{place}" for place in range(1, len(names) + 1)], 0
    line = rows.line_num
    return _as_long_as_rows(names, rows), line


def _as_long_as_rows(names: list[str], rows: Iterator[list[str]]) -> list[str]:
    """Return a header with or without empty names at its end, as all rows have empty cells there.

    Examples
    --------
    >>> _as_long_as_rows(["a", "b"], iter([["1", "2", ""]] * 4))
    ['a', 'b', '']
    >>> _as_long_as_rows(["a", "b", ""], iter([["1", "2"]] * 4))
    ['a', 'b']
    >>> _as_long_as_rows(["a", "b"], iter([["1", "2", "3"]] * 4))
    ['a', 'b']
    """
    some: list[list[str]] = []
    with contextlib.suppress(csv.Error):  # the last may be cut off
        some.extend(row for row in itertools.islice(rows, _RAGGED_LINES) if row)
    some = some[:-1] if len(some) > 1 else some
    lengths = {len(row) for row in some}
    if len(lengths) != 1 or len(some) < _FEWEST:
        return names
    more = lengths.pop() - len(names)
    if more > 0 and not any(cell.strip() for row in some for cell in row[-more:]):
        return [*names, *[""] * more]
    return names[:more] if more < 0 and not any(names[more:]) else names
