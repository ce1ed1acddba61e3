"""Reads any delimited text with a header, by the names of its columns.

Invariant: identifiers are returned exactly as written ("007" is not "7"); a value or a date
may be missing. A row without an identifier is an error, or left out and counted where the user says
so; so is a row that cannot be read.
"""

from __future__ import annotations

import json
import shlex
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, TextInput, ZipInput
from sim.release.readers.cell_reader import BadRow, BadRowError, CellReader
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.date_reader import DateReader
from sim.release.readers.duck_rows import DuckRows, RefusedRow
from sim.release.readers.encodings import GUESSED, Decoding
from sim.release.readers.entries import Entries
from sim.release.readers.joined import joined_dates
from sim.release.readers.json_rows import JsonSample, json_blocks, json_head
from sim.release.readers.locate import first_block, kind_of_file
from sim.release.readers.quotes import QuoteError
from sim.release.readers.read_end import ReadEnd
from sim.release.readers.second_headers import second_headers
from sim.release.readers.table_files import TableFiles, listed
from sim.release.readers.table_options import LISTS, TableOptions
from sim.release.readers.text_layout import TextLayout, layout_of
from sim.release.readers.textfile import LineBlock, OpenText, line_blocks, reading
from sim.release.readers.unreadable_rows import Place
from sim.release.store.accounts import ENCODING_GUESSED, OTHER_FILES, UNREAD
from sim.release.store.cells import CellChunk

_LISTED = 12
NO_OBJECT = "is no JSON object; expected one a row"
KEY_TWICE = "holds a key twice; expected each once"
NESTED = "holds a list or an object; expected text or a number"


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
        if (beginning := json_head(text, self._options)) is not None:
            return self._layout_of_json(beginning, keys)
        head = first_block(text, "a header and rows")
        with self._settings_of_quotes():
            return layout_of(head, self._choice, self._options, keys)

    def _layout_of_json(self, head: LineBlock, keys: dict[str, str | None]) -> TextLayout:
        layout = JsonSample(head).layout(keys)
        self._choice.check(f"{head.label}:1", [*dict.fromkeys([*layout.names, *layout.keys])])
        return layout

    @contextmanager
    def _settings_of_quotes(self) -> Iterator[None]:
        """Add to an error about quotes the keys that read them otherwise."""
        try:
            yield
        except QuoteError as error:
            ways = "; if quotes are text in this file, set data.quotes=none"
            ways += ", and if cells hold line ends, data.multiline=true" if error.lines else ""
            raise InputError(f"{error}{ways if self._options.group == 'data' else ''}") from error

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
        return " or ".join(words).replace(" or text delimited by ", " or ")

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
        names = self._choice.chosen().get("date", ())
        for text in self._texts if names else ():
            if dates.settled:
                return
            for opened in text.source.texts():
                rows = self._rows(text, opened, names)
                with closing(rows.batches()) as batches:
                    batch, _ = next(batches, (None, None))
                if batch is not None:
                    dates.look(joined_dates([_column(text.layout, batch, name) for name in names]))

    def chunks(self, dates: DateReader) -> Iterator[CellChunk]:
        """Yield all rows in file order; `dates` reads the column of dates.

        Raises
        ------
        InputError
            A file cannot be read, or holds a row or a cell that cannot be read.
        """
        end = self._end = ReadEnd(self._options.unreadable_rows())
        done = self._position = 0
        with self._settings_of_quotes():
            for text in self._texts:
                for opened in text.source.texts():
                    for chunk in self._chunks(text, opened, dates):
                        self._position = done + opened.position()
                        yield chunk
                    end.encodings[opened.label] = opened.encoding()
                done += text.source.size
                self._position = done

    def _rows(self, text: _Text, opened: OpenText, names: Iterable[str]) -> DuckRows:
        """Return the rows of a text, of which some columns are read."""
        layout, first = text.layout, [opened]
        places = [layout.names.index(name) for name in names if name in layout.names]

        def blocks() -> Iterator[LineBlock]:
            """Yield the text that is open, and then, if it is read again, the same."""
            for one in [first.pop()] if first else text.source.texts():
                split = line_blocks if layout.in_lines else json_blocks
                yield from split(one, self._block_bytes)

        multiline = self._options.multiline and layout.quoted
        lists = self._choice.chosen()["item"][0] if self._options.shape == LISTS else None
        return DuckRows(
            opened.label, layout, blocks, places or [0], multiline=multiline, lists=lists
        )

    def _chunks(self, text: _Text, opened: OpenText, dates: DateReader) -> Iterator[CellChunk]:
        layout, end = text.layout, self._end
        names = [name for name in self._choice.columns() if name in layout.names]
        headers = second_headers(
            tuple(layout.names), tuple(n for n in self._choice.identifying if n in names)
        )
        unnamed = [""] if not layout.names[-1] and not layout.is_json else []
        rows = self._rows(text, opened, [*names, *unnamed])
        several = self._options.has_several
        entries = Entries(self._choice, str(self._options.shape), opened.label) if several else None
        choice = self._choice if entries is None else entries.choice
        reader = CellReader(choice, self._options, end)
        left: list[tuple[int, BadRow]] = []
        stop: BadRow | None = None
        for batch, before in rows.batches():
            if stop is not None:
                continue  # what was refused before it is known at the end
            if layout.is_json:
                batch, before = _objects(batch, before, rows.columns, left)
            if unnamed:
                end.unnamed_holds |= pc.any(pc.not_equal(_column(layout, batch, ""), "")).as_py()
            found = {name: _column(layout, batch, name) for name in names}
            if entries is not None:
                found, row = entries.of(found)
                end.split_rows += batch.num_rows
                before = before[row]
            try:
                second = None if layout.is_json else headers
                chunk = reader.read(found, len(before), layout.keys, dates, second)
            except BadRowError as error:
                stop = error.row
                left.append((int(before[stop.at]), stop))
                continue
            left += {int(before[bad.at]): bad for bad in reversed(reader.left_out)}.items()
            yield chunk
        self._account(rows, left, stop)

    def _account(self, rows: DuckRows, left: list[tuple[int, BadRow]], stop: BadRow | None) -> None:
        """Leave out the rows that cannot be read, in order.

        Raises
        ------
        InputError
            One may not be left out.
        """
        unreadable = self._end.unreadable
        self._end.cut_off |= rows.cut_off
        if not left and not rows.refused:
            return
        in_lines = rows.layout.in_lines
        lines, of_refused = rows.lines_of([rank for rank, _ in left], rows.refused)
        bad: list[tuple[int, BadRow | RefusedRow]] = [
            *zip(lines, (row for _, row in left), strict=True),
            *zip(of_refused, rows.refused, strict=True),
        ]
        for line, row in sorted(bad, key=lambda one: one[0]):
            is_last = rows.cut_off and line == rows.last_line
            if isinstance(row, RefusedRow):
                no_text = row.kind == "INVALID ENCODING"
                column = rows.names[row.cells - 1] if no_text and not rows.layout.is_json else ""
                place = Place(rows.label, line, column, is_line=in_lines)
                problem = self._refusal(rows, row)
                if row.is_torn:
                    raise QuoteError(f"{place}: {problem}")
                if is_last and row.cells < len(rows.names):
                    raise InputError(
                        f"{place}: the file ends in the middle of a row ({_cells(row.cells)} of "
                        f"{len(rows.names)}); fetch or export it again"
                    )
            else:
                place = Place(rows.label, line, row.column, is_line=in_lines)
                problem = row.problem
                if is_last and (row.column or problem == NO_OBJECT):
                    others = unreadable.words
                    end = f"has no line end, and {others}" if others else "ends in the middle of it"
                    raise InputError(f"{place}: {problem}; the file {end}")
                if row is stop and not row.may_drop:
                    raise InputError(f"{place}: {problem}")
            unreadable.leave_out(place, problem)

    def _refusal(self, rows: DuckRows, row: RefusedRow) -> str:
        """Say why a row was refused."""
        if rows.layout.is_json and row.kind == "TOO MANY COLUMNS":
            return NO_OBJECT
        if row.kind in ("MISSING COLUMNS", "TOO MANY COLUMNS"):
            shown = ", ".join(rows.names[:_LISTED]) + (", ..." if rows.names[_LISTED:] else "")
            spread = f" on {row.lines} lines" if row.is_torn else ""
            return f"{_cells(row.cells)}{spread}; expected {len(rows.names)} ({shown})"
        if row.is_torn:
            return (
                "a quote is never closed, or text follows one that closes; expected "
                f"{rows.delimiter!r} or the end of the line (a quote within a quoted cell is "
                "written twice)"
            )
        if row.kind == "INVALID ENCODING":
            return f"is not UTF-8 text; set {self._options.group}.encoding to its encoding"
        return "is longer than 2,000,000 bytes; expected a row of a table"


def _objects(
    batch: Any,
    before: NDArray[np.int64],
    columns: Sequence[str],
    left: list[tuple[int, BadRow]],
) -> tuple[Any, NDArray[np.int64]]:
    """Leave out the rows of JSON that are none; return the others."""
    problems = batch.column("problem").to_numpy()
    for at in np.flatnonzero(problems).tolist():
        found = int(problems[at])
        bad = BadRow(at, "", NO_OBJECT if found == -1 else KEY_TWICE, may_drop=True)
        if found > 0:
            bad = bad._replace(column=columns[found - 1], problem=NESTED)
        left.append((int(before[at]), bad))
    good = problems == 0
    return batch.filter(pa.array(good)), before[good]


def _column(layout: TextLayout, batch: Any, name: str) -> Any:
    """Return a column of a file, or the one that the names of folders give it."""
    if name in layout.names:
        return batch.column(f"c{layout.names.index(name)}")
    return pa.repeat(pa.scalar(layout.keys[name], pa.string()), batch.num_rows)


def _cells(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"


@dataclass(frozen=True, slots=True)
class _Text:
    """A file and its layout."""

    source: TextInput
    layout: TextLayout


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
