"""Reads parquet tables, a file or a folder, by the names of their columns.

Invariant: whole numbers come back as int64 and text as text, of one kind per column in all files;
the row an error names is counted from 1 in its file.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.date_reader import DateReader
from sim.release.readers.joined import joined_dates, joined_ids
from sim.release.readers.parquet_cells import (
    CellError,
    ColumnError,
    date_texts,
    dates_of,
    ids,
    is_moment,
    is_number,
    is_text,
    is_time_of_day,
    is_whole,
    parts_of,
    plain,
    plain_cells,
    readable,
    rounded_values,
    rounds,
    to_ids,
    values,
    whole_numbers,
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
        self._options, self._empty = options, options.empty_ids()
        self._point = options.decimal, f"{options.group}.decimal"
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
        """Return one batch; an error names the first bad cell, by row and then by column."""
        cells = {
            (role, name): plain_cells(batch.column(name))
            if name in batch.schema.names
            else pa.array([part.keys[name]] * batch.num_rows, pa.string())
            for role, names in self._choice.chosen().items()
            for name in names
        }
        bad: list[_Bad] = []
        kept: NDArray[np.int64] | None = None

        def tried(name: str, reader: Any, *given: Any) -> Any:
            try:
                return reader(*given)
            except CellError as error:
                at = error.row if kept is None else int(kept[error.row])
                may_drop = reader in _READERS and not isinstance(error, ColumnError)
                bad.append(_Bad(at, name, str(error), may_drop))

        for role, name in cells:
            if role in ("user", "item"):
                cells[role, name] = tried(name, ids, cells[role, name])
        read: dict[str, Any] = {}
        if not bad:
            kept = self._without_empty(cells, bad)
        if not bad and self._end.unreadable.most:
            start = Place(str(part.path), row + 1, is_line=False)
            read, kept = self._without_unreadable(cells, kept, start, dates)
        if not bad:
            for role, names in self._choice.chosen().items():
                if role in read:
                    continue
                own = [cells[role, name] for name in names]
                whole = "+".join(names)
                if role == "value":
                    read[role] = tried(whole, values, own[0], *self._point)
                elif role != "date":
                    read[role] = tried(whole, whole_numbers, joined_ids(own))
                elif len(own) == 1:
                    read[role] = tried(whole, dates_of, own[0], dates)
                else:
                    own = [tried(*part) for part in zip(names, repeat(date_texts), own)]
                    if not bad:
                        read[role] = tried(whole, dates_of, joined_dates(own), dates)
        if bad:
            first = min(bad, key=lambda found: found.at)
            place = Place(str(part.path), row + first.at + 1, first.name, is_line=False)
            advice = self._end.unreadable.advice if first.may_drop else ""
            raise InputError(f"{place}: {first.problem}{advice}")
        for name in self._choice.chosen().get("value", ()):
            self._end.rounded += rounded_values(cells["value", name], self._options.decimal)
        return CellChunk(read["user"], read["item"], read.get("value"), read.get("date"))

    def _without_empty(
        self, cells: dict[tuple[str, str], Any], bad: list[_Bad]
    ) -> NDArray[np.int64] | None:
        """Leave out rows with an empty user or item, or note them as bad; which are left."""
        of_ids = [key for key in cells if key[0] in ("user", "item")]
        none = self._empty.any_of(*(cells[key] for key in of_ids))
        if none is None:
            return None
        if self._empty.drops:
            self._end.dropped += int(np.count_nonzero(none))
            for key, column in cells.items():
                cells[key] = column.filter(pa.array(~none))
            return np.flatnonzero(~none)
        for key in of_ids:
            mask = self._empty.mask(cells[key])
            if mask is None:
                continue
            at = int(mask.argmax())
            bad.append(_Bad(at, key[1], str(self._empty.problem(cells[key][at].as_py()))))
            if is_whole(cells[key].type):
                cells[key] = cells[key].fill_null(0)  # so that the other cells can be read
        return None

    def _without_unreadable(
        self,
        cells: dict[tuple[str, str], Any],
        kept: NDArray[np.int64] | None,
        start: Place,
        dates: DateReader,
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Leave out rows whose value or date cannot be read; the others', and which are left."""
        left = np.arange(len(next(iter(cells.values())))) if kept is None else kept
        found, read = list[_Bad](), dict[str, NDArray[Any]]()
        for role in ("value", "date"):
            names = self._choice.chosen().get(role, ())
            own = [cells[role, name] for name in names]
            if not own or not left.size:
                continue
            name = "+".join(names)
            try:
                numbers_of = partial(_numbers, role, own, dates, self._point)
                parts, errors = readable(numbers_of, 0, left.size)
            except ColumnError as error:
                number = start.number + int(left[error.row])
                raise InputError(
                    f"{replace(start, number=number, column=name)}: {error}"
                ) from error
            if errors:
                found += (_Bad(int(left[one.row]), name, str(one)) for one in errors)
                good = np.ones(left.size, bool)
                good[[one.row for one in errors]] = False
                left = left[good]
                for key, column in cells.items():
                    cells[key] = column.filter(pa.array(good))
                read = {earlier: numbers[good] for earlier, numbers in read.items()}
            if left.size:
                read[role] = np.concatenate(parts)
        for one in sorted(found, key=lambda one: one.at):
            place = replace(start, number=start.number + one.at, column=one.name)
            self._end.unreadable.leave_out(place, one.problem)
        return read, left


class _Bad(NamedTuple):
    """A cell that cannot be read: its row in a batch, its column, why, and whether it may go."""

    at: int
    name: str
    problem: str
    may_drop: bool = False


def _numbers(
    role: str, own: list[Any], dates: DateReader, point: tuple[str, str], begin: int, end: int
) -> NDArray[Any]:
    """Read the values, with their decimal point, or the dates of some rows."""
    part = [column[begin:end] for column in own]
    if role == "value":
        return values(part[0], *point)
    return dates_of(joined_dates([*map(date_texts, part)]) if part[1:] else part[0], dates)


_READERS = (values, date_texts, dates_of)
"""Readers of cells whose rows may be left out."""
