"""Reads any table of rows (person, item, value, date): delimited text or parquet.

Invariant: every row of the input comes out, in file order, or is counted as dropped, or an error
names the one that cannot be read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from operator import add
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.content_hash import content_hash
from sim.release.readers.date_reader import DateReader
from sim.release.readers.delimited_table import DelimitedTable
from sim.release.readers.parquet_table import ParquetTable
from sim.release.readers.read_end import ReadEnd, put_together
from sim.release.readers.table_files import listed, table_files
from sim.release.readers.table_options import TableOptions
from sim.release.readers.textfile import BLOCK_BYTES
from sim.release.readers.unreadable_rows import UnreadableRows
from sim.release.store.accounts import (
    DATE_COLUMNS,
    DROPPED,
    EPOCH,
    FIRST_UNREADABLE,
    FORMS,
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
    UNREADABLE,
    WHICH_DATES,
    ZEROS,
    ZONES,
)
from sim.release.store.cells import NO_TIME, PART_BYTES, SECONDS_PER_DAY, CellChunk, part_size
from sim.release.store.placeholders import count_dates, kept
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY, TimeBin
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
        read = self._part(self._table)
        self._table.look(read.dates)
        yield from read.chunks()
        self.agree([read.end()])

    def parts(self, number: int) -> Sequence[TablePart]:
        """See `sim.release.store.cells.Divisible`; the first rows settle how dates are read."""
        first = self._part(self._table)
        self._table.look(first.dates)
        try:
            next(first.chunks(), None)
        except InputError:  # is found again where it is read
            return []
        size = part_size(self.size, number, PART_BYTES)
        return [self._part(table, first.dates) for table in self._table.parts(size)]

    def agree(self, ends: Sequence[TableEnd]) -> bool:
        """See `sim.release.store.cells.Divisible`."""
        dates = self._options.dates()
        if not all(dates.take(end.dates) for end in ends):
            return False
        read = put_together([end.read for end in ends])
        rows, no_value, no_date, epoch, zeros, unnamed = (
            sum(numbers) for numbers in zip(*(end.counts for end in ends), strict=True)
        )
        unset = sum((end.unset for end in ends), Counter[str]())
        later = any(end.later for end in ends)
        dropped, unreadable = read.dropped + unnamed, read.unreadable
        if not rows:
            raise InputError(f"{self._path}: {_nothing(dropped, unreadable, zeros)}")
        self._notes = {
            "layout": self._table.layout,
            ROWS: rows + dropped + unreadable.count + zeros,
            **self._table.notes(read),
        }
        if self._options.zeros == "drop":
            self._notes[ZEROS] = zeros
        if unset:
            self._notes[PLACEHOLDER_DATES] = unset.total()
            self._notes[WHICH_DATES] = ",".join(sorted(unset))
        if len(people := self._choice.chosen()["user"]) > 1:
            self._notes[JOINED] = listed(people)
        if self._options.empty_ids().drops or self._options.missing().words:
            self._notes[DROPPED] = dropped
        if unreadable.drops:
            self._notes[UNREADABLE] = unreadable.count
        if (letter := read.not_utf8()) is not None:
            self._notes[NOT_UTF8] = letter.within(self._path)
        if unreadable.first is not None:
            self._notes[FIRST_UNREADABLE] = unreadable.first.within(self._path)
        if self._choice.value is not None:
            self._notes[NO_VALUE] = no_value
        if read.rounded:
            self._notes[MORE_DIGITS] = read.rounded
        if self._choice.date is not None:
            self._notes |= {NO_DATE: no_date} | ({EPOCH: epoch} if epoch else {})
            self._notes["dates"] = dates.describe()
            if len(joined := self._choice.chosen()["date"]) > 1:
                self._notes[DATE_COLUMNS] = ", ".join(joined)
            if len(dates.zones) > 1:
                self._notes[ZONES] = listed(tuple(sorted(dates.zones)))
            if len(dates.forms) > 1:
                forms = f"dates as {' and as '.join(sorted(dates.forms))}"
                others = [str(self._notes[FORMS])] if FORMS in self._notes else []
                self._notes[FORMS] = "; ".join([*others, forms])
            if len(dates.has_time) > 1:
                self._notes[SOME_TIMES] = "some do, some do not"
            if no_date < rows and not (dates.timed or later or self.time_bin.is_whole_days):
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
        return True

    def _part(
        self, table: DelimitedTable | ParquetTable, dates: DateReader | None = None
    ) -> TablePart:
        own = self._options.dates() if dates is None else deepcopy(dates)
        return TablePart(table, own, self._options, whole_days=self.time_bin.is_whole_days)


class Counts(NamedTuple):
    """Counts of rows: all, without a value, without a date, of early 1970; and left out.

    Those left out have the value 0, or a placeholder for a person or an item.
    """

    rows: int = 0
    no_value: int = 0
    no_date: int = 0
    epoch: int = 0
    zeros: int = 0
    unnamed: int = 0


class TableEnd(NamedTuple):
    """What is known of some rows of a table, once they were read.

    Parameters
    ----------
    later : bool
        Whether a time was later than midnight, some time of day; not looked at if it cannot be.
    dates : DateReader
        As it is after the last row.
    unset : Counter of str
        Dates that may stand for none.
    """

    counts: Counts
    later: bool
    dates: DateReader
    read: ReadEnd
    unset: Counter[str]


class TablePart:
    """Some consecutive rows of a table; see `sim.release.store.cells.Part`.

    Parameters
    ----------
    dates : DateReader
        As it is before the first row.
    options : TableOptions
    whole_days : bool
        Whether times are put into bins of whole days.
    """

    def __init__(
        self,
        table: DelimitedTable | ParquetTable,
        dates: DateReader,
        options: TableOptions,
        *,
        whole_days: bool,
    ) -> None:
        self.dates = dates
        self._table, self._whole_days = table, whole_days
        self._missing, self._drops_zeros = options.missing(), options.zeros == "drop"
        self._counts, self._later, self._unset = Counts(), False, Counter[str]()

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self._table.size

    def chunks(self) -> Iterator[CellChunk]:
        """Yield the rows."""
        dates = self.dates
        for read in self._table.chunks(dates):
            no_value = no_date = epoch = zeros = 0
            chunk, unnamed = self._missing.without(read)
            if self._drops_zeros and chunk.value is not None:
                zeros = int((chunk.value == 0).sum())
                chunk = kept(chunk, chunk.value != 0)
            if chunk.value is not None:
                no_value = int(np.isnan(chunk.value).sum())
            if chunk.time is not None:
                no_date = int((chunk.time == NO_TIME).sum())
                epoch = int((chunk.time == 0).sum())
                self._unset += count_dates(chunk.time)
                if not self._later and (dates.timed or not self._whole_days):
                    known = chunk.time[chunk.time != NO_TIME]
                    self._later = bool((known % SECONDS_PER_DAY).any())
            found = Counts(len(chunk), no_value, no_date, epoch, zeros, unnamed)
            self._counts = Counts(*map(add, self._counts, found))
            if len(chunk):
                yield chunk

    def end(self) -> TableEnd:
        """Return what is known of the rows."""
        end = self._table.end()
        return TableEnd(self._counts, self._later, self.dates, end, self._unset)


def _nothing(dropped: int, unreadable: UnreadableRows, zeros: int) -> str:
    """Say that a table holds no rows, or why all of them were left out."""
    but = [f"{dropped:,} without a user or an item"] if dropped else []
    but += [f"{zeros:,} with the value 0 (data.zeros=drop)"] if zeros else []
    end = "expected some below the header"
    if unreadable.first is not None:
        but.append(f"{unreadable.count:,} that cannot be read")
        end = f"the first of these: {unreadable.first}: {unreadable.reason}"
    return f"holds no rows{' but ' if but else ''}{' and '.join(but)}; {end}"
