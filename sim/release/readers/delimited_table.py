"""Reads any delimited text with a header, by the names of its columns.

Invariant: identifiers are returned exactly as written ("007" is not "7"); a value or a date
may be missing. A row without an identifier is an error, or left out and counted where the user says
so; so is a row that cannot be read.
"""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, TextInput, ZipInput
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.date_reader import DateReader
from sim.release.readers.delimited import number_column, read_fast
from sim.release.readers.encodings import GUESSED, Decoding
from sim.release.readers.joined import joined_date, joined_dates, joined_id, joined_ids
from sim.release.readers.locate import first_block, kind_of_file
from sim.release.readers.quotes import QuoteError, quotes_are_plain
from sim.release.readers.read_end import ReadEnd
from sim.release.readers.rounding import count_rounded, is_rounded, may_be_rounded
from sim.release.readers.second_headers import OTHER, SecondHeaders, second_headers
from sim.release.readers.strict_parser import (
    MISSING,
    Column,
    Rows,
    identifier,
    number_or_missing,
    read_strictly,
)
from sim.release.readers.table_files import TableFiles, listed
from sim.release.readers.table_options import TableOptions
from sim.release.readers.text_layout import TextLayout, layout_of
from sim.release.readers.textfile import LineBlock, line_blocks, reading
from sim.release.readers.unreadable_rows import Place
from sim.release.store.accounts import ENCODING_GUESSED, OTHER_FILES, UNREAD
from sim.release.store.cells import CellChunk

LOOK_BYTES = 4 * 2**20
"""Text of a file that is looked at to recognise the format of dates."""


class DelimitedTable:
    """Files of delimited text: plain, compressed, or alone in a zip.

    Parameters
    ----------
    options : TableOptions
        How cells are written, and what is done with rows whose user or item is empty, and with
        those that cannot be read.
    block_bytes : int
        Bytes of text handled at once; never changes the rows.

    Raises
    ------
    InputError
        A file cannot be read or its header lacks a chosen column.
    """

    kind = "delimited text"

    def __init__(
        self, found: TableFiles, choice: ColumnChoice, options: TableOptions, block_bytes: int
    ) -> None:
        self._choice, self._options = choice, options
        self._empty = options.empty_ids()
        self._block_bytes = block_bytes
        self._position = 0
        self._end = ReadEnd(options.unreadable_rows())
        self._noted: dict[str, str | int] = {"files": len(found.files)} if found.folder else {}
        if found.others:
            self._noted[OTHER_FILES] = listed(found.others)
        decoding = options.decoding()
        self._texts = [
            _Text(text := text_input(file.path, decoding), self._layout(text, file.keys))
            for file in found.files
        ]
        self._unread = choice.unread(
            name for text in self._texts for name in (*text.layout.names, *text.layout.keys)
        )
        self._names = [file.name for file in found.files]
        self.size = sum(text.source.size for text in self._texts)

    def _layout(self, text: TextInput, keys: dict[str, str | None]) -> TextLayout:
        head = first_block(text, "a header and rows")
        with self._settings_of_quotes():
            return layout_of(head, self._choice, self._options, keys)

    @contextmanager
    def _settings_of_quotes(self) -> Iterator[None]:
        """Add to an error about quotes the key that reads them as text."""
        try:
            yield
        except QuoteError as error:
            key = "; if quotes are text in this file, set data.quotes=none"
            more = key if self._options.group == "data" else ""
            raise InputError(f"{error}{more}") from error

    def _headers(self, layout: TextLayout) -> SecondHeaders:
        ids = (name for name in self._choice.identifying if name in layout.names)
        return second_headers(tuple(layout.names), tuple(ids))

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The files on disk."""
        paths = [path for text in self._texts for _, path in text.source.files]
        return tuple(zip(self._names, paths, strict=True))

    @property
    def options(self) -> dict[str, str]:
        """Values of chosen columns that are in the names of folders, not in files."""
        chosen = self._choice.columns()
        keys = [{k: v for k, v in text.layout.keys.items() if k in chosen} for text in self._texts]
        return {"folders": json.dumps(keys)} if any(keys) else {}

    @property
    def layout(self) -> str:
        """What was recognised, in words."""
        words = dict.fromkeys(text.layout.words for text in self._texts)
        return f"text delimited by {' or '.join(words)}"

    def position(self) -> int:
        """Bytes read so far."""
        return self._position

    def end(self) -> ReadEnd:
        """Return what was left out and found out; complete after `chunks`."""
        return self._end

    def notes(self, end: ReadEnd) -> dict[str, str | int]:
        """Return what was recognised in all files, given the end of all."""
        encodings = dict.fromkeys(one.words for one in end.encodings.values())
        cut_off = {"last line": "has no line end; taken as whole"} if end.cut_off else {}
        ends = all("" not in text.layout.names[:-1] for text in self._texts)
        unread = self._unread
        if ends and not end.unnamed_holds:  # a delimiter at the end of each line is no column
            unread = tuple(name for name in unread if name)
        left = {UNREAD: listed(unread, len(unread))} if unread else {}
        guessed = {ENCODING_GUESSED: "Windows-1252"} if GUESSED in encodings else {}
        read_as = {"encoding": " or ".join(encodings), **guessed}
        return {**self._noted, **left, **cut_off, **read_as}

    def look(self, dates: DateReader) -> None:
        """Let the reader of dates see the first dates of the files, until it recognises them."""
        if "date" not in self._choice.chosen():
            return
        for text in self._texts:
            if dates.settled:
                return
            parts = text.layout.parts(self._choice.chosen()["date"])
            for opened in text.source.texts():
                for block in line_blocks(opened, LOOK_BYTES, text.layout.quoted_by):
                    body = block.after_line(text.layout.header_line)
                    dates.look(self._first_dates(body, text.layout, parts))
                    break
                break

    def _first_dates(self, block: LineBlock, layout: TextLayout, parts: list[int | str]) -> Any:
        """The dates of some rows, up to one that cannot be split; an error there is found later."""
        places = [place for place in parts if isinstance(place, int)]
        names, delimiter, quoted = layout.names, layout.delimiter, layout.quoted
        columns = [Column(names[place], place, pa.string(), str) for place in places]
        fast = None
        if not quoted or block.plain or quotes_are_plain(block.data, delimiter, len(names)):
            fast = read_fast(block.data, columns, len(names), delimiter, quoted=quoted)
        if fast is None:
            rows = []
            try:
                for _, row in layout.rows(block):
                    if len(row) == len(names):
                        rows.append([row[place] for place in places])
            except InputError:
                pass
            fast = [pa.array([row[k] for row in rows], pa.string()) for k in range(len(places))]
        if not fast:
            return pa.array([joined_date([str(part) for part in parts])])
        return joined_dates(_filled(parts, fast))

    def chunks(self, dates: DateReader) -> Iterator[CellChunk]:
        """Yield all rows in file order; `dates` reads the column of dates.

        Raises
        ------
        InputError
            A file cannot be read, or holds a row or a cell that cannot be read.
        """
        with self._settings_of_quotes():
            yield from self._chunks(dates)

    def _chunks(self, dates: DateReader) -> Iterator[CellChunk]:
        end = self._end = ReadEnd(self._options.unreadable_rows())
        done = self._position = 0
        for text in self._texts:
            columns = self._columns(text.layout, dates)
            for opened in text.source.texts():
                for block in line_blocks(opened, self._block_bytes, text.layout.quoted_by):
                    body = block.after_line(text.layout.header_line)
                    if body.data:
                        end.unnamed_holds |= not text.layout.names[-1] and not _all_end_with(
                            body.data, text.layout.delimiter
                        )
                        yield self._read(body, text.layout, columns, dates)
                        end.cut_off |= body.cut_off
                    self._position = done + opened.position()
                end.encodings[opened.label] = opened.encoding()
            done += text.source.size

    def _columns(self, layout: TextLayout, dates: DateReader) -> list[Column]:
        decimal, key = self._options.decimal, f"{self._options.group}.decimal"

        def value(cells: Sequence[str]) -> tuple[float, bool]:
            """The number in a cell, and whether another is written."""
            return number_or_missing(cells[0], decimal, key), is_rounded(cells[0], decimal)

        readers: dict[str, tuple[Any, Callable[[Sequence[str]], Any]]] = {
            "user": (pa.string(), self._identifier),
            "item": (pa.string(), self._identifier),
            "value": (pa.float64(), value),
            "date": (pa.string(), lambda cells: dates.cell(joined_date(cells))),
        }
        may_drop = {"value": lambda: True, "date": lambda: dates.decided}
        columns = []
        for role, names in self._choice.chosen().items():
            kind, read = readers[role]
            parts = layout.parts(names)
            places = [place for place in parts if isinstance(place, int)]
            columns.append(
                Column(
                    "+".join(names),
                    places[0] if places else 0,
                    kind,
                    _taking(parts, read),
                    tuple(places[1:]),
                    may_drop.get(role, lambda: False),
                )
            )
        return columns

    def _identifier(self, cells: Sequence[str]) -> str:
        for cell in cells:
            problem = self._empty.problem(cell)
            if problem is not None:
                raise ValueError(problem)
            identifier(cell, f"set {self._options.group}.encoding to its encoding")
        return joined_id(cells)

    def _read(
        self,
        block: LineBlock,
        layout: TextLayout,
        columns: Sequence[Column],
        dates: DateReader,
    ) -> CellChunk:
        chunk = None
        plain = not layout.quoted or block.plain
        if plain or quotes_are_plain(block.data, layout.delimiter, len(layout.names)):
            chunk = self._read_fast(block, layout, dates)
        if chunk is not None:
            return chunk
        rows = self._rows(block, layout)
        read = dict(
            zip(
                self._choice.chosen(),
                read_strictly(block, rows, columns, layout.names, self._end.unreadable),
                strict=True,
            )
        )
        numbers = [number for number, _ in read.get("value", [])]
        self._end.rounded += sum(rounded for _, rounded in read.get("value", []))
        return CellChunk(
            pa.array(read["user"], pa.string()),
            pa.array(read["item"], pa.string()),
            np.array(numbers, np.float64) if "value" in read else None,
            np.array(read["date"], np.int64) if "date" in read else None,
        )

    def _rows(self, block: LineBlock, layout: TextLayout) -> Rows:
        """Yield the rows that are not left out; one that repeats the header cannot be read."""
        chosen, headers = self._choice.chosen(), self._headers(layout)
        ids = [part for role in ("user", "item") for part in layout.parts(chosen[role])]
        for line, row in layout.rows(block):
            if len(row) == len(layout.names):
                if problem := headers.problem(row):
                    place = Place(block.label, line)
                    if problem == OTHER:
                        raise InputError(f"{place}: {problem}")
                    self._end.unreadable.leave_out(place, problem)
                    continue
                cells = [part if isinstance(part, str) else row[part] for part in ids]
                if self._empty.drops and any(self._empty.problem(cell) for cell in cells):
                    self._end.dropped += 1
                    continue
            yield line, row

    def _read_fast(
        self, block: LineBlock, layout: TextLayout, dates: DateReader
    ) -> CellChunk | None:
        """Return the columns as a chunk, or None where they must be read slowly."""
        chosen = {role: layout.parts(names) for role, names in self._choice.chosen().items()}
        kinds = {"value": pa.float64()}
        columns = [
            Column(layout.names[place], place, kinds.get(role, pa.string()), str)
            for role, parts in chosen.items()
            for place in parts
            if isinstance(place, int)
        ]
        fast = read_fast(
            block.data,
            columns,
            len(layout.names),
            layout.delimiter,
            quoted=layout.quoted,
            missing=MISSING,
            decimal=self._options.decimal,
        )
        if not fast:
            return None
        read: dict[str, list[Any]] = {}
        for role, parts in chosen.items():
            own = [fast.pop(0) for place in parts if isinstance(place, int)]
            size = len(own[0]) if own else len(next(iter(read.values()))[0]) if read else -1
            if size < 0:
                return None
            read[role] = _filled(parts, own, size)
        heads = (
            cells
            for role in ("user", "item")
            for part, cells in zip(chosen[role], read[role], strict=True)
            if isinstance(part, int)
        )
        if self._headers(layout).may_be_among(heads):
            return None  # not always in the same row, which is seen when they are read slowly
        [place] = chosen.get("value", [""])
        if isinstance(place, int) and may_be_rounded(block.data, self._options.decimal):
            written = Column(layout.names[place], place, pa.string(), str)
            read["written"] = read_fast(
                block.data, [written], len(layout.names), layout.delimiter, quoted=True
            ) or [pa.nulls(len(read["user"][0]), pa.string())]
        return self._checked(read, dates)

    def _checked(self, read: dict[str, list[Any]], dates: DateReader) -> CellChunk | None:
        """Return the columns as a chunk, or None where they must be read slowly."""
        none = self._empty.any_of(*read["user"], *read["item"])
        dropped = 0
        if none is not None:
            if not self._empty.drops:
                return None
            dropped = int(np.count_nonzero(none))
            kept = pa.array(~none)
            read = {role: [part.filter(kept) for part in parts] for role, parts in read.items()}
        value = time = None
        if "value" in read:
            [cells] = read["value"]
            value = number_column(cells) if pa.types.is_floating(cells.type) else None
            if value is None:  # and a row that may be left out recognises no date
                return None
        if "date" in read:
            time = dates.column(joined_dates(read["date"]))
            if time is None:
                return None
        self._end.dropped += dropped
        if "written" in read:
            self._end.rounded += count_rounded(read["written"][0], self._options.decimal)
        return CellChunk(joined_ids(read["user"]), joined_ids(read["item"]), value, time)


@dataclass(frozen=True, slots=True)
class _Text:
    """A file and its layout."""

    source: TextInput
    layout: TextLayout


def _taking(parts: Sequence[int | str], read: Callable[[Sequence[str]], Any]) -> Callable[..., Any]:
    """Make a reader of the cells in a row of one that takes those of folders' names too."""
    if len(parts) == 1 and isinstance(parts[0], int):
        return lambda cell: read((cell,))

    def taking(*cells: str) -> Any:
        rest = iter(cells)
        return read([part if isinstance(part, str) else next(rest) for part in parts])

    return taking


def _filled(parts: Sequence[int | str], own: Sequence[Any], size: int | None = None) -> list[Any]:
    """The columns read from a file, and between them those of folders' names."""
    rest = iter(own)
    rows = len(own[0]) if size is None else size
    return [
        pa.repeat(pa.scalar(part, pa.string()), rows) if isinstance(part, str) else next(rest)
        for part in parts
    ]


def text_input(path: Path, decoding: Decoding) -> TextInput:
    """Return the text at a path, as UTF-8.

    Raises
    ------
    InputError
        It is an archive of several files, or a database.
    """
    kind = kind_of_file(path)
    if kind == "tar":
        raise InputError(f"{path}: is a tar; unpack it and name the file of rows")
    if kind == "sqlite":
        raise InputError(
            f"{path}: is an SQLite database; write a table of it as csv, such as by sqlite3 "
            f"-header -csv {shlex.quote(str(path))} 'select * from TABLE' > rows.csv"
        )
    if kind != "zip":
        return FilesInput((path,), decoding)
    with reading(str(path)), zipfile.ZipFile(path) as archive:
        members = sorted(
            info.filename
            for info in archive.infolist()
            if not info.is_dir() and not info.filename.startswith("__MACOSX/")
        )
    if "xl/workbook.xml" in members:
        raise InputError(f"{path}: is an Excel workbook; save the sheet of rows as a csv file")
    if len(members) != 1:
        shown = ", ".join(members[:5]) + (", ..." if len(members) > 5 else "")
        raise InputError(
            f"{path}: holds {len(members)} files ({shown}); expected one, so unpack it first"
        )
    return ZipInput(path, (members[0],), decoding)


def _all_end_with(data: bytes, delimiter: str) -> bool:
    r"""Whether every line ends with the delimiter, so that the last cell of every row is empty.

    That of a row with line ends in quotes is on its last line.

    Examples
    --------
    >>> _all_end_with(b"1,2,\n3,4,\r\n5,6,", ","), _all_end_with(b"1,2,\n3,4,x\n", ",")
    (True, False)
    """
    sign = delimiter.encode()
    ends = data.count(sign + b"\n") + data.count(sign + b"\r\n") + data.endswith(sign)
    return ends == data.count(b"\n") + (not data.endswith(b"\n"))
