"""Reads the chosen columns of some rows into a chunk, whatever file they come from.

Invariant: each row comes out, in order, or is counted as left out, or an error names the first cell
that cannot be read, by row and then by column.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.date_reader import DateReader
from sim.release.readers.joined import joined_dates, joined_ids
from sim.release.readers.parquet_cells import (
    CellError,
    ColumnError,
    date_texts,
    dates_of,
    ids,
    readable,
    rounded_values,
    values,
    whole_numbers,
)
from sim.release.readers.read_end import ReadEnd
from sim.release.readers.second_headers import OTHER, SecondHeaders
from sim.release.readers.table_options import TableOptions
from sim.release.store.cells import CellChunk

Cells = dict[tuple[str, str], Any]
"""Columns, by what they are chosen as and by name."""


class BadRow(NamedTuple):
    """A row that cannot be read.

    Parameters
    ----------
    at : int
        Its place among the rows, from 0.
    column : str
        Of the cell; empty: the whole row.
    may_drop : bool
        Whether it may be left out.
    """

    at: int
    column: str
    problem: str
    may_drop: bool = False


class BadRowError(Exception):
    """A row that cannot be read and is not left out."""

    def __init__(self, row: BadRow) -> None:
        super().__init__(row.problem)
        self.row = row


class CellReader:
    """Reads columns batch by batch.

    Parameters
    ----------
    end : ReadEnd
        Takes the counts of rows dropped and of values rounded.

    Attributes
    ----------
    left_out : list of BadRow
        Of the last batch that was read, in order.
    """

    def __init__(self, choice: ColumnChoice, options: TableOptions, end: ReadEnd) -> None:
        self._choice, self._end = choice, end
        self._empty, self._decimal = options.empty_ids(), options.decimal
        self._point = options.decimal, f"{options.group}.decimal"
        self.left_out: list[BadRow] = []

    def read(
        self,
        found: Mapping[str, Any],
        rows: int,
        given: Mapping[str, str | None],
        dates: DateReader,
        headers: SecondHeaders | None = None,
    ) -> CellChunk:
        """Return some rows as a chunk.

        Parameters
        ----------
        found : mapping of str to pyarrow array
            Columns of the file.
        rows : int
        given : mapping of str to str or None
            The one cell of the columns that are not in the file.
        headers : SecondHeaders, optional
            Of text, to find where its header is repeated.

        Raises
        ------
        BadRowError
            The first row that is not left out.
        """
        self.left_out = []
        cells: Cells = {
            (role, name): found[name]
            if name in found
            else pa.array([given[name]] * rows, pa.string())
            for role, names in self._choice.chosen().items()
            for name in names
        }
        kept = np.arange(rows)
        if headers is not None:
            kept = self._without_headers(cells, found, headers, kept)
        kept = self._identified(cells, kept)
        read: dict[str, Any] = {}
        if self._end.unreadable.most:
            read, kept = self._without_unreadable(cells, kept, dates)
        read |= self._read(cells, kept, dates, read)
        for name in self._choice.chosen().get("value", ()):
            self._end.rounded += rounded_values(cells["value", name], self._decimal)
        self.left_out.sort()
        return CellChunk(read["user"], read["item"], read.get("value"), read.get("date"))

    def _without_headers(
        self,
        cells: Cells,
        found: Mapping[str, Any],
        headers: SecondHeaders,
        kept: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Leave out rows that repeat the header; which are left."""
        likely = headers.likely_among(found)
        problems = {}
        for at in np.flatnonzero(likely).tolist():
            row = {name: column[at].as_py() for name, column in found.items()}
            if problem := headers.problem(row):
                problems[at] = problem
        for at, problem in problems.items():
            row_of_it = BadRow(at, "", problem, may_drop=problem != OTHER)
            if problem == OTHER or not self._end.unreadable.most:
                raise BadRowError(row_of_it)
            self.left_out.append(row_of_it)
        if problems:
            good = np.ones(kept.size, bool)
            good[[*problems]] = False
            _filter(cells, good)
            kept = kept[good]
        return kept

    def _identified(self, cells: Cells, kept: NDArray[np.int64]) -> NDArray[np.int64]:
        """Read identifiers, without the rows that have none; which are left."""
        bad: list[BadRow] = []
        of_ids = [key for key in cells if key[0] in ("user", "item")]
        for key in of_ids:
            try:
                cells[key] = ids(cells[key])
            except CellError as error:
                bad.append(BadRow(error.row, key[1], str(error)))
        if bad:
            raise BadRowError(_first_of(bad, kept))
        none = self._empty.any_of(*(cells[key] for key in of_ids))
        if none is None:
            return kept
        if self._empty.drops:
            self._end.dropped += int(np.count_nonzero(none))
            _filter(cells, ~none)
            return kept[~none]
        for key in of_ids:
            mask = self._empty.mask(cells[key])
            if mask is None:
                continue
            at = int(mask.argmax())
            bad.append(BadRow(at, key[1], str(self._empty.problem(cells[key][at].as_py()))))
        raise BadRowError(_first_of(bad, kept))

    def _read(
        self, cells: Cells, kept: NDArray[np.int64], dates: DateReader, done: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Read the columns that are not done yet."""
        bad, read = list[BadRow](), dict[str, Any]()

        def tried(name: str, reader: Any, *given: Any) -> Any:
            try:
                return reader(*given)
            except CellError as error:
                may_drop = reader in _READERS and not isinstance(error, ColumnError)
                bad.append(BadRow(error.row, name, str(error), may_drop))

        for role, names in self._choice.chosen().items():
            if role in done:
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
            raise BadRowError(_first_of(bad, kept))
        return read

    def _without_unreadable(
        self, cells: Cells, kept: NDArray[np.int64], dates: DateReader
    ) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
        """Leave out rows whose value or date cannot be read; the others', and which are left."""
        read = dict[str, NDArray[Any]]()
        for role in ("value", "date"):
            names = self._choice.chosen().get(role, ())
            own = [cells[role, name] for name in names]
            if not own or not kept.size:
                continue
            name = "+".join(names)
            try:
                numbers_of = partial(_numbers, role, own, dates, self._point)
                parts, errors = readable(numbers_of, 0, kept.size)
            except ColumnError as error:
                raise BadRowError(BadRow(int(kept[error.row]), name, str(error))) from error
            if errors:
                self.left_out += (
                    BadRow(int(kept[one.row]), name, str(one), may_drop=True) for one in errors
                )
                good = np.ones(kept.size, bool)
                good[[one.row for one in errors]] = False
                kept = kept[good]
                _filter(cells, good)
                read = {earlier: numbers[good] for earlier, numbers in read.items()}
            if kept.size:
                read[role] = np.concatenate(parts)
        return read, kept


def _filter(cells: Cells, good: NDArray[np.bool_]) -> None:
    for key, column in cells.items():
        cells[key] = column.filter(pa.array(good))


def _first_of(bad: list[BadRow], kept: NDArray[np.int64]) -> BadRow:
    """Return the first of some rows, whose places are among those that are left."""
    first = min(bad, key=lambda row: row.at)
    return first._replace(at=int(kept[first.at]))


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
