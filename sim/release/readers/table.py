"""Reads any table of rows (person, item, value, date): delimited text or parquet.

Invariant: every row of the input comes out, in file order, or is counted as dropped, or an error
names the one that cannot be read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.content_hash import content_hash
from sim.release.readers.date_reader import DateReader
from sim.release.readers.delimited_table import DelimitedTable
from sim.release.readers.parquet_table import ParquetTable
from sim.release.readers.table_files import listed, table_files
from sim.release.readers.table_options import TableOptions
from sim.release.readers.textfile import BLOCK_BYTES
from sim.release.readers.unreadable_rows import UnreadableRows
from sim.release.store.accounts import (
    DATE_COLUMNS,
    DROPPED,
    EPOCH,
    FIRST_UNREADABLE,
    FRACTIONS,
    JOINED,
    MIDNIGHT,
    MORE_DIGITS,
    NO_DATE,
    NO_VALUE,
    NOT_UTF8,
    PLACEHOLDER_DATES,
    ROWS,
    SOME_TIMES,
    SPLIT_ROWS,
    UNREADABLE,
    WHICH_DATES,
    ZEROS,
    ZONES,
)
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY, CellChunk
from sim.release.store.placeholders import count_dates, kept
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.unread_rows import UnreadRow
from sim.release.store.value_bins import AUTO, ValueBins


class TableSource:
    r"""The rows of a table, by the names of its columns.

    Parameters
    ----------
    path : Path
        Delimited text with a header (plain, gzip, bzip2, xz, zstd, or alone in a zip), a parquet
        file, or a folder of files of one of these kinds, those of its sub-folders included.
    choice : ColumnChoice
        The columns that hold the person, the item, the value and the date. In text, identifiers
        are kept exactly as they are written; values and dates may be missing.
    options : TableOptions
        How cells are written.
    repeats : Repeats, optional
        What becomes of rows that have the same user and item; by default
        `ColumnChoice.usual_repeats`.
    value_bins : ValueBins
        How values are put into bins.
    time_bin : TimeBin
        How times are put into bins.
    block_bytes : int
        Bytes handled at once; never changes the rows.
    title : str
        What messages and reports call the table, if not by the name of its file.

    Raises
    ------
    InputError
        The table cannot be read or lacks a column.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "plays.csv"
    >>> _ = path.write_text("who,what,when\n007,x,1970-01-02\n7,x,\n")
    >>> [chunk] = TableSource(path, ColumnChoice("who", "what", date="when")).chunks()
    >>> chunk.record.to_pylist(), chunk.value, chunk.time[0]
    (['007', '7'], None, np.int64(86400))
    """

    def __init__(
        self,
        path: Path,
        choice: ColumnChoice,
        options: TableOptions | None = None,
        *,
        repeats: Repeats | None = None,
        value_bins: ValueBins = AUTO,
        time_bin: TimeBin = DAY,
        block_bytes: int = BLOCK_BYTES,
        title: str = "",
    ) -> None:
        self.repeats, self.value_bins = repeats or choice.usual_repeats, value_bins
        self.time_bin = time_bin
        self._path, self._title = Path(path), title
        self._choice = choice
        self._choice.refuse_duplicates(str(path))
        self._options = TableOptions() if options is None else options
        if self._options.zeros == "drop" and choice.value is None:
            raise ConfigError("data.zeros=drop: needs a column of values; set data.value")
        self._notes: dict[str, str | int] = {}
        self._table: DelimitedTable | ParquetTable
        found = table_files(self._path)
        self._others = found.others
        if found.kind == "parquet":
            if self._options.has_several:
                raise InputError(
                    f"{self._path}: data.shape={self._options.shape}: only of csv and JSON; write "
                    "one row for each entry first, as explode or melt of pandas does"
                )
            self._table = ParquetTable(found, self._choice, self._options, block_bytes)
        else:
            self._table = DelimitedTable(found, self._choice, self._options, block_bytes)

    @property
    def name(self) -> str:
        """Describe the source."""
        return self._title or f"table {self._path.name} ({self._table.layout})"

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self._table.size

    def position(self) -> int:
        """Bytes read so far, roughly."""
        return min(self._table.position(), self.size)

    def notes(self) -> Mapping[str, str | int]:
        """What was recognised and what is missing; complete after `chunks`."""
        return dict(self._notes)

    def unread(self) -> Iterator[UnreadRow]:
        """Yield the rows that were left out as they cannot be read; complete after `chunks`."""
        for place, reason in self._table.end().unreadable.left_out:
            yield UnreadRow(Path(place.label).name, place.number, place.column, reason)

    def fingerprint(self) -> str:
        """SHA-256 (hex) of the files and of the options that change the rows.

        The names of files that are not read count too, since the notes of a store list them.
        """
        options = {
            **dict.fromkeys(("user", "item", "value", "date")),
            **{role: json.dumps(names) for role, names in self._choice.chosen().items()},
            **self._options.identity(),
            "repeats": str(self.repeats),
            "value_bins": str(self.value_bins),
            "time_bin": str(self.time_bin),
            **self._table.options,
            **({"others": json.dumps(self._others)} if self._others else {}),
        }
        return content_hash(f"table {self._table.kind}", options, self._table.files)

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows in file order.

        Raises
        ------
        InputError
            The table cannot be read, holds no rows, or holds a cell that cannot be read.
        """
        dates, seen = self._options.dates(), _Seen()
        self._table.look(dates)
        for read in self._table.chunks(dates):
            chunk = self._kept(read, dates, seen)
            if len(chunk):
                yield chunk
        self._note(dates, seen)

    def _kept(self, read: CellChunk, dates: DateReader, seen: _Seen) -> CellChunk:
        """Count the rows that were read, and return those that are not left out."""
        chunk, unnamed = self._options.missing().without(read)
        seen.unnamed += unnamed
        if self._options.zeros == "drop" and chunk.value is not None:
            seen.zeros += int((chunk.value == 0).sum())
            chunk = kept(chunk, chunk.value != 0)
        seen.rows += len(chunk)
        if chunk.value is not None:
            seen.no_value += int(np.isnan(chunk.value).sum())
        if chunk.time is not None:
            seen.no_date += int((chunk.time == NO_TIME).sum())
            seen.epoch += int((chunk.time == 0).sum())
            seen.unset += count_dates(chunk.time)
            if not seen.later and (dates.timed or not self.time_bin.is_whole_days):
                known = chunk.time[chunk.time != NO_TIME]
                seen.later = bool((known % SECONDS_PER_DAY).any())
        return chunk

    def _note(self, dates: DateReader, seen: _Seen) -> None:
        """Note what is known once all rows were read.

        Raises
        ------
        InputError
            There were none, or times that are wanted are not there.
        """
        read, rows, later = self._table.end(), seen.rows, seen.later
        dropped, unreadable = read.dropped + seen.unnamed, read.unreadable
        if not rows:
            raise InputError(f"{self._path}: {_nothing(dropped, unreadable, seen.zeros)}")
        every = rows + dropped + unreadable.count + seen.zeros
        unreadable.check(read.split_rows or every)
        self._notes = {
            "layout": self._table.layout,
            ROWS: every,
            **self._table.notes(read),
            **({SPLIT_ROWS: read.split_rows} if read.split_rows else {}),
        }
        if self._options.zeros == "drop":
            self._notes[ZEROS] = seen.zeros
        if seen.unset:
            self._notes[PLACEHOLDER_DATES] = seen.unset.total()
            self._notes[WHICH_DATES] = ",".join(sorted(seen.unset))
        if len(people := self._choice.chosen()["user"]) > 1:
            self._notes[JOINED] = listed(people)
        if self._options.empty_ids().drops or self._options.missing().words:
            self._notes[DROPPED] = dropped
        if unreadable.count:
            self._notes[UNREADABLE] = unreadable.count
        if (letter := read.not_utf8()) is not None:
            self._notes[NOT_UTF8] = letter.within(self._path)
        if unreadable.first is not None:
            self._notes[FIRST_UNREADABLE] = unreadable.first.within(self._path)
        if self._choice.value is not None:
            self._notes[NO_VALUE] = seen.no_value
        if read.rounded:
            self._notes[MORE_DIGITS] = read.rounded
        if self._choice.date is not None:
            self._notes |= {NO_DATE: seen.no_date} | ({EPOCH: seen.epoch} if seen.epoch else {})
            self._notes |= dates.notes()
            if len(joined := self._choice.chosen()["date"]) > 1:
                self._notes[DATE_COLUMNS] = ", ".join(joined)
            if len(dates.zones) > 1:
                self._notes[ZONES] = listed(tuple(sorted(dates.zones)))
            if len(dates.has_time) > 1:
                self._notes[SOME_TIMES] = "some do, some do not"
            if seen.no_date < rows and not (dates.timed or later or self.time_bin.is_whole_days):
                raise InputError(
                    f"{self._path}: the dates ({dates.describe()}) have no time of day, so that "
                    f"with data.time_bin={self.time_bin} all would be at midnight; set "
                    "data.time_bin=day, unless another column has the time: "
                    f"{self._options.group}.date takes a list of columns"
                )
            if dates.fraction:
                self._notes[FRACTIONS] = "cut off"
            elif dates.timed and not later:
                self._notes[MIDNIGHT] = "all midnight, though times are written"


@dataclass(slots=True)
class _Seen:
    """What was seen of the rows of a table.

    Parameters
    ----------
    rows, no_value, no_date, epoch : int
        Rows: all, without a value, without a date, of early 1970.
    zeros, unnamed : int
        Rows left out: with the value 0, or with a placeholder for a person or an item.
    later : bool
        Whether a time was later than midnight, some time of day; not looked at if it cannot be.
    unset : Counter of str
        Dates that may stand for none.
    """

    rows: int = 0
    no_value: int = 0
    no_date: int = 0
    epoch: int = 0
    zeros: int = 0
    unnamed: int = 0
    later: bool = False
    unset: Counter[str] = field(default_factory=Counter)


def _nothing(dropped: int, unreadable: UnreadableRows, zeros: int) -> str:
    """Say that a table holds no rows, or why all of them were left out."""
    but = [f"{dropped:,} without a user or an item"] if dropped else []
    but += [f"{zeros:,} with the value 0 (data.zeros=drop)"] if zeros else []
    end = "expected some below the header"
    if unreadable.left_out:
        but.append(f"{unreadable.count:,} that cannot be read")
        place, reason = unreadable.left_out[0]
        end = f"the first of these: {place}: {reason}"
    return f"holds no rows{' but ' if but else ''}{' and '.join(but)}; {end}"
