"""Reads parquet tables, a file or a folder, by the names of their columns.

Invariant: whole numbers come back as int64 and text as text, of one kind per column in all files;
the row an error names is counted from 1 in its file.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from sim.errors import InputError
from sim.release.readers.cell_reader import BadRow, BadRowError, CellReader
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.date_reader import DateReader
from sim.release.readers.joined import joined_dates
from sim.release.readers.parquet_cells import (
    CellError,
    date_texts,
    is_moment,
    is_number,
    is_text,
    is_time_of_day,
    is_whole,
    parts_of,
    plain,
    plain_cells,
    rounds,
    to_ids,
)
from sim.release.readers.parquet_file import next_batch, open_parquet, size_of
from sim.release.readers.read_end import ReadEnd
from sim.release.readers.table_files import TableFile, TableFiles, listed
from sim.release.readers.table_options import TableOptions
from sim.release.readers.unreadable_rows import Place
from sim.release.store.accounts import OTHER_FILES, UNREAD
from sim.release.store.cells import CellChunk

_BYTES_PER_ROW = 32
_LOOK_ROWS = 1 << 17  # are looked at to recognise the format of dates that are text


class ParquetTable:
    """A parquet file, or the parquet files of a folder and its sub-folders in order of their names.

    A folder named ``key=value`` gives the rows below it a column, where their files have none of
    that name.

    Parameters
    ----------
    options : TableOptions
        What is done with rows whose user or item is empty, and with those that cannot be read.
    block_bytes : int
        Bytes of columns handled at once, roughly; never changes the rows.

    Raises
    ------
    InputError
        A file cannot be read, lacks a chosen column, or holds another type in it than it may.
    """

    kind = "parquet"
    layout = "parquet"

    def __init__(
        self, found: TableFiles, choice: ColumnChoice, options: TableOptions, block_bytes: int
    ) -> None:
        self._files = found.files
        self._choice = choice
        self._options = options
        self._batch_rows = max(1, block_bytes // _BYTES_PER_ROW)
        self._position = 0
        self._end = ReadEnd(options.unreadable_rows())
        self._noted: dict[str, str | int] = {"files": len(self._files)}
        if found.others:
            self._noted[OTHER_FILES] = listed(found.others)
        self._sizes = [size_of(file.path) for file in self._files]
        self.size = sum(self._sizes)
        self._kinds = dict.fromkeys(("user", "item", "value", "date"), ("", ""))
        unread = choice.unread(self._check_types())
        if unread:
            self._noted[UNREAD] = listed(unread, len(unread))

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The files on disk."""
        return tuple((file.name, file.path) for file in self._files)

    @property
    def options(self) -> dict[str, str]:
        """Values of chosen columns that are in the names of folders, not in files."""
        chosen = self._choice.columns()
        keys = [{k: v for k, v in file.keys.items() if k in chosen} for file in self._files]
        return {"folders": json.dumps(keys)} if any(keys) else {}

    def position(self) -> int:
        """Bytes read so far, roughly."""
        return self._position

    def chunks(self, dates: DateReader) -> Iterator[CellChunk]:
        """Yield all rows in file order; `dates` reads dates that are numbers or text.

        Raises
        ------
        InputError
            A file cannot be read or holds a cell that may not be.
        """
        self._end = ReadEnd(self._options.unreadable_rows())
        done = self._position = 0
        for part, size in zip(self._files, self._sizes, strict=True):
            with open_parquet(part.path) as file:
                total, row = file.metadata.num_rows, 0
                held = file.schema_arrow.names
                names = [name for name in self._choice.columns() if name in held]
                batches = file.iter_batches(batch_size=self._batch_rows, columns=names or held[:1])
                while (batch := next_batch(part.path, batches)) is not None:
                    if batch.num_rows:
                        yield self._read(part, row, batch, dates)
                    row += batch.num_rows
                    self._position = done + size * row // max(1, total)
            done += size

    def end(self) -> ReadEnd:
        """Return what was left out; complete after `chunks`."""
        return self._end

    def notes(self, end: ReadEnd) -> dict[str, str | int]:  # noqa: ARG002
        """Return what was recognised in all files, given the end of all."""
        return dict(self._noted)

    def look(self, dates: DateReader) -> None:
        """Let the reader of dates see the first dates of the files, if they are text."""
        if "date" not in self._choice.chosen():
            return
        for part in self._files:
            if dates.settled:
                return
            with open_parquet(part.path) as file:
                names = [name for name in self._choice.chosen()["date"] if name not in part.keys]
                kinds = [plain(file.schema_arrow.field(name).type) for name in names]
                if len(names) < len(self._choice.chosen()["date"]):
                    continue
                if len(names) == 1 and not is_text(kinds[0]):
                    continue
                batch = next_batch(
                    part.path, file.iter_batches(batch_size=_LOOK_ROWS, columns=names)
                )
            if batch is not None:
                with contextlib.suppress(CellError):  # an error that is found where it is read
                    texts = [date_texts(plain_cells(batch.column(name))) for name in names]
                    dates.look(joined_dates(texts))

    def _check_types(self) -> list[str]:
        """Check the types of the chosen columns in all files, and return the names of all.

        Raises
        ------
        InputError
            It names each column that holds what it may not, in the first file where it does.
        """
        names_in_files, wrong = list[str](), dict[str, str]()
        for part in self._files:
            with open_parquet(part.path) as file:
                schema, holds_rows = file.schema_arrow, file.metadata.num_rows > 0
            by_folder = [name for name in part.keys if name not in schema.names]
            self._choice.check(str(part.path), [*schema.names, *by_folder], parts_of(schema))
            for role, names in self._choice.chosen().items():
                for name in names:
                    kind = None if name in by_folder else schema.field(name).type
                    try:
                        self._check_type(role, name, kind, part, holds_rows=holds_rows)
                    except InputError as error:
                        wrong.setdefault(name, str(error))
            names_in_files += [*schema.names, *by_folder]
        if wrong:
            raise InputError("; and ".join(wrong.values()))
        return names_in_files

    def _check_type(
        self, role: str, name: str, found: Any, part: TableFile, *, holds_rows: bool
    ) -> None:
        """Check the type of one column of a file; of what a folder's name holds it is None."""
        kind, what = (pa.string(), "text") if found is None else (plain(found), found)
        at = f"{part.path}: column {name}: holds {what}"
        alone = len(self._choice.chosen()[role]) == 1
        if role in ("user", "item"):
            self._check_ids(role, kind, part, at, alone=alone)
        elif role == "value" and not is_text(kind):
            if not is_number(kind):
                way = "; pandas makes 0 and 1 of it by .astype(int)"
                way = way if pa.types.is_boolean(kind) else ""
                raise InputError(f"{at}; expected numbers, or text of numbers{way}")
            # 4.1 is another number in 32 bits than in 64.
            self._check_alike(role, rounds(kind), part, at)
        elif role == "date" and not (
            is_number(kind)
            or is_text(kind)
            or pa.types.is_date(kind)
            or (is_moment(kind) if alone else is_time_of_day(kind))
        ):
            way = "; pandas makes times of it by .dt.to_timestamp()"
            way = way if "period" in str(what) else ""
            raise InputError(f"{at}; expected dates, timestamps, numbers or text{way}")
        elif role == "date" and alone and holds_rows:
            self._check_zone(kind, part, at)

    def _check_alike(self, role: str, found: str, part: TableFile, at: str) -> None:
        """Check that a column is of the same type in all files; one of "" is of any."""
        if self._kinds[role] == ("", "") and found:
            self._kinds[role] = found, part.path.name
        first, where = self._kinds[role]
        if found and found != first:
            how = "" if role == "value" else ", such as by astype(str) of pandas"
            raise InputError(
                f"{at}, but {where} holds {first}; write the column alike in all files{how}"
            )

    def _check_zone(self, kind: Any, part: TableFile, at: str) -> None:
        """Check that the dates have a time zone by type in all files, or in none."""
        if not (pa.types.is_date(kind) or is_moment(kind)):
            return
        if self._kinds["date"] == ("", ""):
            self._kinds["date"] = str(kind), part.path.name
        first, where = self._kinds["date"]
        if ("tz=" in first) != ("tz=" in str(kind)):
            raise InputError(
                f"{at}, but {where} holds {first}; write the column alike in all files, such as by "
                ".dt.tz_localize('UTC') of pandas, where times without a zone are of UTC"
            )

    def _check_ids(self, role: str, kind: Any, part: TableFile, at: str, *, alone: bool) -> None:
        found = "int" if is_whole(kind) else "text" if is_text(kind) else ""
        if not found:
            raise InputError(f"{at}; expected whole numbers or text as identifiers{to_ids(kind)}")
        if alone:
            self._check_alike(role, found, part, at)

    def _read(self, part: TableFile, row: int, batch: Any, dates: DateReader) -> CellChunk:
        """Return one batch; an error names the first bad cell."""
        found = {name: plain_cells(batch.column(name)) for name in batch.schema.names}
        reader = CellReader(self._choice, self._options, self._end)

        def place_of(bad: BadRow) -> Place:
            return Place(str(part.path), row + bad.at + 1, bad.column, is_line=False)

        try:
            chunk = reader.read(found, batch.num_rows, part.keys, dates)
        except BadRowError as error:
            bad = error.row
            advice = self._end.unreadable.advice if bad.may_drop else ""
            raise InputError(f"{place_of(bad)}: {bad.problem}{advice}") from error
        for one in reader.left_out:
            self._end.unreadable.leave_out(place_of(one), one.problem)
        return chunk
