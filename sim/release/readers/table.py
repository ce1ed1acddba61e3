"""Reads any table of rows (person, item, value, date): delimited text or parquet.

Invariant: every row of the input comes out, in file order, or is counted as dropped, or an error
names the one that cannot be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.content_hash import content_hash
from sim.release.readers.date_reader import DateReader
from sim.release.readers.date_units import DATE_UNITS
from sim.release.readers.delimited_table import DelimitedTable
from sim.release.readers.empty_ids import EmptyIds
from sim.release.readers.locate import is_folder, kind_of_file
from sim.release.readers.parquet_table import ParquetTable
from sim.release.readers.textfile import BLOCK_BYTES
from sim.release.store.accounts import DROPPED, EPOCH, NO_DATE, NO_VALUE, ROWS
from sim.release.store.cells import NO_TIME, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.value_bins import UNBINNED, ValueBins

_EXPECTED = "a file of delimited text with a header, a parquet file, or a folder of parquet files"


class TableSource:
    r"""The rows of a table, by the names of its columns.

    Parameters
    ----------
    path : Path
        Delimited text with a header (plain, gzip, bzip2, xz, or alone in a zip), a parquet file,
        or a folder of parquet files, those of its sub-folders included.
    user, item : str
        The columns that hold the person and the item. In text, identifiers are kept exactly as
        they are written.
    value, date : str, optional
        The columns that hold the value and the date. Cells may be missing.
    date_unit : str
        ``iso``, ``s``, ``ms``, ``us``, ``ns`` or ``days`` (since 1970-01-01), ``excel``, ``year``,
        ``yyyymmdd``; or ``auto``: the first date decides, and is an error if it is a number that
        may have several units.
    delimiter : str, optional
        One character; by default that of comma, tab, semicolon and bar that fits the header.
    empty : str
        What is done with rows whose user or item is empty; see `EmptyIds`.
    repeats : Repeats
        What becomes of rows that have the same user and item.
    value_bins : ValueBins
        How values are put into bins.
    group : str
        What the settings belong to, as messages call it: ``data`` or ``adversary``.
    block_bytes : int
        Bytes handled at once; never changes the rows.

    Raises
    ------
    ConfigError
        An unknown `date_unit` or `empty`, or a delimiter that cannot be one.
    InputError
        The table cannot be read or lacks a column.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "plays.csv"
    >>> _ = path.write_text("who,what,when\n007,x,1970-01-02\n7,x,\n")
    >>> [chunk] = TableSource(path, "who", "what", date="when").chunks()
    >>> chunk.record.to_pylist(), chunk.value, chunk.time[0]
    (['007', '7'], None, np.int64(86400))
    """

    def __init__(
        self,
        path: Path,
        user: str,
        item: str,
        value: str | None = None,
        date: str | None = None,
        date_unit: str = "auto",
        delimiter: str | None = None,
        *,
        empty: str = "error",
        repeats: Repeats = Repeats.LATEST,
        value_bins: ValueBins = UNBINNED,
        group: str = "data",
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self._unit_key = f"{group}.date_unit"
        if date_unit not in DATE_UNITS:
            raise ConfigError(
                f"{self._unit_key}: {date_unit!r}: expected one of {', '.join(DATE_UNITS)}"
            )
        if delimiter is not None and (
            len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'
        ):
            raise ConfigError(
                f"{group}.delimiter: {delimiter!r} cannot be one; expected a single character such "
                "as ','"
            )
        self.repeats, self.value_bins = repeats, value_bins
        self._path = Path(path)
        self._choice = ColumnChoice(user, item, value, date)
        self._choice.refuse_duplicates(str(path))
        self._date_unit, self._delimiter = date_unit, delimiter
        self._empty = EmptyIds(empty, f"{group}.empty")
        self._notes: dict[str, str | int] = {}
        self._table: DelimitedTable | ParquetTable
        if is_folder(self._path, _EXPECTED) or kind_of_file(self._path) == "parquet":
            self._table = ParquetTable(self._path, self._choice, self._empty, block_bytes)
        else:
            self._table = DelimitedTable(
                self._path, self._choice, delimiter, self._empty, block_bytes
            )

    @property
    def name(self) -> str:
        """Describe the source."""
        return f"table {self._path.name} ({self._table.layout})"

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
        """SHA-256 (hex) of the files and of the options that change the rows."""
        options = {
            **dict.fromkeys(("user", "item", "value", "date")),
            **self._choice.chosen(),
            "date_unit": self._date_unit,
            "delimiter": self._delimiter,
            "empty": self._empty.asked,
            "repeats": str(self.repeats),
            "value_bins": str(self.value_bins),
            **self._table.options,
        }
        return content_hash(f"table {self._table.kind}", options, self._table.files)

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows in file order.

        Raises
        ------
        InputError
            The table cannot be read, holds no rows, or holds a cell that cannot be read.
        """
        dates = DateReader(self._date_unit, self._unit_key)
        rows = no_value = no_date = epoch = 0
        for chunk in self._table.chunks(dates):
            rows += len(chunk)
            if chunk.value is not None:
                no_value += int(np.isnan(chunk.value).sum())
            if chunk.time is not None:
                no_date += int((chunk.time == NO_TIME).sum())
                epoch += int((chunk.time == 0).sum())
            if len(chunk):
                yield chunk
        dropped = self._table.dropped
        if not rows:
            but = f" but {dropped:,} without a user or an item" if dropped else ""
            raise InputError(f"{self._path}: holds no rows{but}; expected some below the header")
        self._notes = {"layout": self._table.layout, ROWS: rows + dropped, **self._table.notes}
        if self._empty.drops:
            self._notes[DROPPED] = dropped
        if self._choice.value is not None:
            self._notes[NO_VALUE] = no_value
        if self._choice.date is not None:
            self._notes |= {NO_DATE: no_date} | ({EPOCH: epoch} if epoch else {})
            self._notes["dates"] = dates.describe()
