"""Reads any delimited text with a header, by the names of its columns.

Invariant: identifiers are returned exactly as written ("007" is not "7"); a value or a date
may be missing. A row without an identifier is an error, or left out and counted where the user says
so.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, TextInput, ZipInput
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.date_reader import DateReader
from sim.release.readers.delimited import number_column, read_fast
from sim.release.readers.empty_ids import EmptyIds
from sim.release.readers.locate import first_block, kind_of_file
from sim.release.readers.quotes import quotes_are_plain
from sim.release.readers.strict_parser import (
    MISSING,
    Column,
    Rows,
    csv_rows,
    identifier,
    number_or_missing,
    read_strictly,
)
from sim.release.readers.textfile import LineBlock, line_blocks, reading
from sim.release.store.cells import CellChunk

_MARK = "\ufeff"  # of byte order: where files were joined, it stands before the second header
_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}


class DelimitedTable:
    """One file of delimited text: plain, compressed, or alone in a zip.

    Parameters
    ----------
    delimiter : str or None
        One character; None takes that of comma, tab, semicolon and bar under which the header
        holds the chosen columns.
    empty : EmptyIds
        What is done with rows whose user or item is empty.
    block_bytes : int
        Bytes of text handled at once; never changes the rows.

    Attributes
    ----------
    dropped : int
        Rows left out for an empty user or item; complete after `chunks`.

    Raises
    ------
    InputError
        The file cannot be read or its header lacks a chosen column.
    """

    kind = "delimited text"

    def __init__(
        self,
        path: Path,
        choice: ColumnChoice,
        delimiter: str | None,
        empty: EmptyIds,
        block_bytes: int,
    ) -> None:
        self._input = _find(path)
        self._choice = choice
        self._empty = empty
        self._block_bytes = block_bytes
        self._position = self.dropped = 0
        self.notes: dict[str, str | int] = {}
        self.size = self._input.size
        head = first_block(self._input, "a header and rows")
        self._delimiter, self._header, self._header_line = _read_header(head, choice, delimiter)

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The file on disk."""
        return self._input.files

    @property
    def options(self) -> dict[str, str]:
        """Further facts that change the rows: none."""
        return {}

    @property
    def layout(self) -> str:
        """What was recognised, in words."""
        return f"text delimited by {_DELIMITERS.get(self._delimiter, repr(self._delimiter))}"

    def position(self) -> int:
        """Bytes read so far."""
        return self._position

    def chunks(self, dates: DateReader) -> Iterator[CellChunk]:
        """Yield all rows in file order; `dates` reads the column of dates.

        Raises
        ------
        InputError
            The file cannot be read, or holds a row or a cell that cannot be read.
        """
        self._position, self.dropped, self.notes = 0, 0, {}
        columns = self._columns(dates)
        for text in self._input.texts():
            for block in line_blocks(text, self._block_bytes, self._delimiter):
                body = block.after_line(self._header_line)
                if body.data:
                    yield self._read(body, columns, dates)
                    if body.cut_off:
                        self.notes["last line"] = "has no line end; taken as whole"
                self._position = text.position()

    def _columns(self, dates: DateReader) -> list[Column]:
        readers: dict[str, tuple[Any, Any]] = {
            "user": (pa.string(), self._identifier),
            "item": (pa.string(), self._identifier),
            "value": (pa.float64(), number_or_missing),
            "date": (pa.string(), dates.cell),
        }
        return [
            Column(name, self._header.index(name), *readers[role])
            for role, name in self._choice.chosen().items()
        ]

    def _identifier(self, cell: str) -> str:
        problem = self._empty.problem(cell)
        if problem is not None:
            raise ValueError(problem)
        return identifier(cell)

    def _read(self, block: LineBlock, columns: Sequence[Column], dates: DateReader) -> CellChunk:
        fast = None
        if block.plain or quotes_are_plain(block.data, self._delimiter, len(self._header)):
            fast = read_fast(
                block.data,
                columns,
                len(self._header),
                self._delimiter,
                quoted=True,
                missing=MISSING,
            )
        chunk = None if fast is None else self._checked(fast, dates)
        if chunk is not None:
            return chunk
        rows = self._rows(block, columns)
        read = dict(
            zip(
                self._choice.chosen(),
                read_strictly(block, rows, columns, self._header),
                strict=True,
            )
        )
        return CellChunk(
            pa.array(read["user"], pa.string()),
            pa.array(read["item"], pa.string()),
            np.array(read["value"], np.float64) if "value" in read else None,
            np.array(read["date"], np.int64) if "date" in read else None,
        )

    def _rows(self, block: LineBlock, columns: Sequence[Column]) -> Rows:
        """Yield the rows that are not left out; one that repeats the header is no row."""
        user, item = columns[0], columns[1]
        for line, row in csv_rows(block, self._delimiter, len(self._header)):
            if len(row) == len(self._header):
                if _heads(user, row) and _heads(item, row):
                    raise InputError(
                        f"{block.label}:{line}: repeats the header; was it made of several files? "
                        "Remove this line and the like"
                    )
                ids = (row[user.index], row[item.index])
                if self._empty.drops and any(self._empty.problem(cell) for cell in ids):
                    self.dropped += 1
                    continue
            yield line, row

    def _checked(self, fast: list[Any], dates: DateReader) -> CellChunk | None:
        """Return the columns as a chunk, or None where they must be read slowly."""
        read = dict(zip(self._choice.chosen(), fast, strict=True))
        if _are_heads(read["user"], self._choice.user) and _are_heads(
            read["item"], self._choice.item
        ):
            return None  # not always in the same row, which is seen when they are read slowly
        none = self._empty.either(read["user"], read["item"])
        dropped = 0
        if none is not None:
            if not self._empty.drops:
                return None
            dropped = int(np.count_nonzero(none))
            kept = pa.array(~none)
            read = {role: column.filter(kept) for role, column in read.items()}
        value = number_column(read["value"]) if "value" in read else None
        time = dates.column(read["date"]) if "date" in read else None
        if (value is None and "value" in read) or (time is None and "date" in read):
            return None
        self.dropped += dropped
        return CellChunk(read["user"], read["item"], value, time)


def _are_heads(cells: Any, name: str) -> bool:
    """Whether any cell of a column is the name of the column."""
    return any(pc.any(pc.equal(cells, head)).as_py() for head in (name, _MARK + name))


def _heads(column: Column, row: Sequence[str]) -> bool:
    """Whether a row has the name of a column for its cell."""
    return row[column.index].removeprefix(_MARK) == column.name


def _find(path: Path) -> TextInput:
    """Return the text at `path`."""
    kind = kind_of_file(path)
    if kind == "tar":
        raise InputError(f"{path}: is a tar; unpack it and name the file of rows")
    if kind != "zip":
        return FilesInput((path,))
    with reading(str(path)), zipfile.ZipFile(path) as archive:
        members = sorted(
            info.filename
            for info in archive.infolist()
            if not info.is_dir() and not info.filename.startswith("__MACOSX/")
        )
    if len(members) != 1:
        listed = ", ".join(members[:5]) + (", ..." if len(members) > 5 else "")
        raise InputError(
            f"{path}: holds {len(members)} files ({listed}); expected one, so unpack it first"
        )
    return ZipInput(path, (members[0],))


def _read_header(
    head: LineBlock, choice: ColumnChoice, delimiter: str | None
) -> tuple[str, list[str], int]:
    """Return the delimiter, the names of the columns and the line on which the header ends."""
    candidates = [delimiter] if delimiter else list(_DELIMITERS)
    headers = {candidate: _header(head, candidate) for candidate in candidates}
    for candidate, (names, line) in headers.items():
        if all(name in names for name in choice.chosen().values()):
            choice.check(f"{head.label}:{line}", names)
            next(csv_rows(head, candidate, len(names)))  # quotes that cannot be right are an error
            return candidate, names, line
    names, line = max(headers.values(), key=lambda header: len(header[0]))
    choice.check(f"{head.label}:{line}", names)
    raise AssertionError("a missing column is an error")


def _header(head: LineBlock, delimiter: str) -> tuple[list[str], int]:
    text = io.StringIO(head.data.decode("utf-8", "surrogateescape"), newline="\n")
    rows = csv.reader(text, delimiter=delimiter)
    try:
        names = next(row for row in rows if row)
    except (StopIteration, csv.Error) as error:
        raise InputError(f"{head.label}:1: expected a header with the columns' names") from error
    if any("\ud800" <= letter <= "\udfff" for name in names for letter in name):
        raise InputError(
            f"{head.label}:{rows.line_num}: the header is not UTF-8 text; save the file as UTF-8"
        )
    return names, rows.line_num
