"""Parquet tables, a file or a folder of files, by the names of their columns.

Invariant: whole numbers come back as int64 and text as text, of one kind per column in all files;
the row an error names is counted from 1 in its file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.cells import NO_TIME, SECONDS_PER_DAY, CellChunk
from sim.release.column_choice import ColumnChoice
from sim.release.date_reader import DateReader
from sim.release.date_units import END_SECOND, FIRST_SECOND
from sim.release.textfile import reading

_SUFFIXES = (".parquet", ".parq", ".pq")
_BYTES_PER_ROW = 32
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class _CellError(Exception):
    """A cell, by its place in its column, and what is wrong with it."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(problem)
        self.row = row


class ParquetTable:
    """A parquet file, or the parquet files of a folder in order of their names.

    Parameters
    ----------
    path : Path
    choice : ColumnChoice
    block_bytes : int
        Bytes of columns handled at once, roughly; never changes the rows.

    Raises
    ------
    InputError
        A file cannot be read, lacks a chosen column, or holds another type in it than it may.
    """

    kind = "parquet"
    layout = "parquet"

    def __init__(self, path: Path, choice: ColumnChoice, block_bytes: int) -> None:
        self._paths = _find(path)
        self._choice = choice
        self._batch_rows = max(1, block_bytes // _BYTES_PER_ROW)
        self._position = 0
        self.notes: dict[str, str | int] = {"files": len(self._paths)}
        self._sizes = [_size(file) for file in self._paths]
        self.size = sum(self._sizes)
        self._kinds = {"user": "", "item": ""}
        for file in self._paths:
            self._check_types(file)

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The files on disk."""
        return tuple((path.name, path) for path in self._paths)

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
        done = self._position = 0
        for path, size in zip(self._paths, self._sizes, strict=True):
            with _open(path) as file:
                total, row = file.metadata.num_rows, 0
                names = list(dict.fromkeys(self._choice.chosen().values()))
                batches = file.iter_batches(batch_size=self._batch_rows, columns=names)
                while (batch := _next(path, batches)) is not None:
                    if batch.num_rows:
                        yield self._read(path, row, batch, dates)
                    row += batch.num_rows
                    self._position = done + size * row // max(1, total)
            done += size

    def _check_types(self, path: Path) -> None:
        with _open(path) as file:
            schema = file.schema_arrow
        self._choice.check(str(path), schema.names)
        for role, name in self._choice.chosen().items():
            kind = _plain(schema.field(name).type)
            at = f"{path}: column {name}: holds {schema.field(name).type}"
            if role in self._kinds:
                found = "int" if pa.types.is_integer(kind) else "text" if _is_text(kind) else ""
                if not found:
                    raise InputError(f"{at}; expected whole numbers or text as identifiers")
                first = self._kinds[role] = self._kinds[role] or found
                if found != first:
                    raise InputError(f"{at}, but an earlier file holds {first}; write all alike")
            elif role == "value" and not _is_number(kind):
                raise InputError(f"{at}; expected numbers")
            elif role == "date" and not (
                _is_number(kind) or _is_text(kind) or pa.types.is_date(kind) or _is_moment(kind)
            ):
                raise InputError(f"{at}; expected dates, timestamps, numbers or text")

    def _read(self, path: Path, row: int, batch: Any, dates: DateReader) -> CellChunk:
        """Return one batch; the first bad cell, by row and then by column, is the one reported."""
        readers = {"user": _ids, "item": _ids, "value": _values, "date": _dates}
        read: dict[str, Any] = {"value": None, "date": None}
        bad: list[tuple[int, str, str]] = []
        for role, name in self._choice.chosen().items():
            try:
                read[role] = readers[role](_plain_cells(batch.column(name)), dates)
            except _CellError as error:
                bad.append((error.row, name, str(error)))
        if bad:
            at, name, problem = min(bad, key=lambda found: found[0])
            raise InputError(f"{path}: row {row + at + 1}: column {name}: {problem}")
        return CellChunk(read["user"], read["item"], read["value"], read["date"])


def _ids(cells: Any, _: DateReader) -> Any:
    if cells.null_count:
        raise _CellError(_first(cells.is_null()), "is empty; expected an identifier")
    if not pa.types.is_integer(cells.type):
        text = cells.cast(pa.string())
        empty = pc.equal(pc.binary_length(text), 0)
        if pc.any(empty).as_py():
            raise _CellError(_first(empty), "is empty; expected an identifier")
        return text
    try:
        return cells.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        large = pc.greater(cells, pa.scalar(2**63 - 1, cells.type))
        raise _CellError(_first(large), "is too large; expected a number of 64 bits") from error


def _values(cells: Any, _: DateReader) -> NDArray[np.float64]:
    array: NDArray[np.float64] = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    endless = np.isinf(array)
    if endless.any():
        row = int(endless.argmax())
        raise _CellError(row, f"{array[row]:g} is not finite; expected a finite number")
    return array


def _dates(cells: Any, dates: DateReader) -> NDArray[np.int64]:
    if pa.types.is_date(cells.type) or _is_moment(cells.type):
        return _typed_dates(cells, dates)
    if _is_text(cells.type):
        text = cells.cast(pa.string())
        read = dates.column(text)
        if read is None:
            read = _one_by_one(
                text.to_pylist(), lambda cell: NO_TIME if cell is None else dates.cell(cell)
            )
        return read
    x = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    missing = np.isnan(x)
    out = np.full(x.size, NO_TIME)
    seconds = dates.values(x[~missing])
    if seconds is None:
        return _one_by_one(
            x.tolist(), lambda number: NO_TIME if np.isnan(number) else dates.value(number)
        )
    out[~missing] = seconds
    return out


def _typed_dates(cells: Any, dates: DateReader) -> NDArray[np.int64]:
    try:
        dates.typed("dates" if pa.types.is_date(cells.type) else str(cells.type))
    except ValueError as error:
        raise _CellError(0, str(error)) from error
    if pa.types.is_date(cells.type):
        ticks, per_second = cells.cast(pa.date32()).cast(pa.int32()), None
    else:
        ticks, per_second = cells.cast(pa.int64()), _TICKS[cells.type.unit]
    missing = cells.is_null().to_numpy(zero_copy_only=False)
    count: NDArray[np.int64] = ticks.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    seconds = count * SECONDS_PER_DAY if per_second is None else count // per_second
    wrong = ~missing & ((seconds < FIRST_SECOND) | (seconds >= END_SECOND))
    if wrong.any():
        row = int(wrong.argmax())
        raise _CellError(
            row,
            f"{cells[row].cast(pa.string()).as_py()} is out of range; expected a date from "
            "1900 to 2200",
        )
    seconds[missing] = NO_TIME
    return seconds


def _one_by_one(cells: list[Any], read: Any) -> NDArray[np.int64]:
    out = np.empty(len(cells), np.int64)
    for row, cell in enumerate(cells):
        try:
            out[row] = read(cell)
        except ValueError as error:
            raise _CellError(row, str(error)) from error
    return out


def _first(mask: Any) -> int:
    return int(pc.index(mask, True).as_py())


def _plain(kind: Any) -> Any:
    """Return the type of the cells themselves where they are coded by a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _plain_cells(cells: Any) -> Any:
    return cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: Any) -> bool:
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _is_moment(kind: Any) -> bool:
    return bool(pa.types.is_timestamp(kind))


def _find(path: Path) -> tuple[Path, ...]:
    """Return the parquet files at `path`."""
    if not path.is_dir():
        return (path,)
    with reading(str(path)):
        found = sorted(
            file
            for file in path.iterdir()
            if file.suffix in _SUFFIXES and not file.name.startswith(("_", "."))
        )
    if not found:
        raise InputError(
            f"{path}: holds no parquet file; expected *.parquet in it, or name one file"
        )
    return tuple(found)


def _size(path: Path) -> int:
    with reading(str(path)):
        return path.stat().st_size


def _open(path: Path) -> Any:
    with reading(str(path)):
        try:
            # A buffered read keeps the memory small where a row group is as large as the file.
            return pq.ParquetFile(path, buffer_size=1 << 20, pre_buffer=False)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(path, error) from error


def _next(path: Path, batches: Iterator[Any]) -> Any:
    with reading(str(path)):
        try:
            return next(batches, None)
        except (pa.ArrowException, OSError) as error:
            raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> Exception:
    """Return what to say where pyarrow cannot read a file."""
    if isinstance(error, OSError) and error.errno is not None:
        return error
    return InputError(f"{path}: is cut short, damaged or not parquet ({error}); fetch it again")
