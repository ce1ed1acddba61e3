"""Saves tables that Python hands over, as the parquet file that is read like any other.

Invariant: rows keep their order, and no more than one batch is held at a time, so an iterator or
the result of a query may be larger than the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import ColumnChoice

NAME = "data frame"
"""What messages call it."""


class ArrowStream(Protocol):
    """What hands over record batches: frames of polars and pyarrow, relations of DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule of an Arrow C stream."""


Frame = pd.DataFrame | ArrowStream | Iterable[pa.RecordBatch]
"""A table from Python."""


def save_frame(data: Frame, path: Path, choice: ColumnChoice | None) -> None:
    """Write a table from Python to a parquet file.

    Cells of several kinds in a column of values or dates, and times of several zones, are written
    as text, to be read as those of a text file are; a column of several kinds that is not read is
    written empty, and so is the index, unless it only counts the rows, so that it is known of.

    Parameters
    ----------
    choice : ColumnChoice or None
        Of a stream, only the cells of these columns are written, and the names of the others, so
        that what is not read is known of; None writes all columns of its first batch, to look at.

    Raises
    ------
    ConfigError
        It is no table, or its columns have names of several levels.
    InputError
        It cannot be written, or lacks a column; or cells of several kinds identify people or items,
        of which it is not known whether 1 and "1" are the same.
    """
    if isinstance(data, pd.DataFrame) and data.columns.nlevels > 1:
        raise ConfigError(
            f"{NAME}: its columns have names of {data.columns.nlevels} levels; expected one: "
            "df.columns = ['_'.join(map(str, name)) for name in df.columns]"
        )
    try:
        if isinstance(data, pd.DataFrame):
            _save_pandas(_dense(data), path, choice)
        else:
            _save_batches(_batches(data), path, choice)
    except (pa.ArrowException, ValueError) as error:
        why = " ".join(str(error).split())
        raise InputError(
            f"{NAME}: cannot be taken as a table ({why}); give each column one kind of cells and a "
            "name of its own"
        ) from error


def _save_pandas(data: pd.DataFrame, path: Path, choice: ColumnChoice | None) -> None:
    chosen = () if choice is None else choice.columns()
    as_index = [name for name in chosen if name not in data.columns and name in data.index.names]
    if as_index:
        raise InputError(
            f"{NAME}: {as_index[0]} is in the index, and no column; open df.reset_index()"
        )
    extra = [] if choice is None else [*_of_index(data.index)]
    several = [_has_several_zones(column) for _, column in data.items()]
    if extra or any(several):
        data = _joined(data, several, choice, extra)
    try:
        data.to_parquet(path, index=False)
    except (pa.ArrowException, ValueError, OverflowError):
        mixed = [_is_mixed(column) for _, column in data.items()]
        if not any(mixed):
            raise
        _joined(data, mixed, choice).to_parquet(path, index=False)


def _joined(
    data: pd.DataFrame,
    mixed: Sequence[bool],
    choice: ColumnChoice | None,
    extra: Sequence[str] = (),
) -> pd.DataFrame:
    """The same frame with some columns of one kind, and with further ones, in which nothing is."""
    columns = [
        _of_one_kind(column, choice) if is_mixed else column
        for (_, column), is_mixed in zip(data.items(), mixed, strict=True)
    ]
    columns += [pd.Series(pd.NA, data.index, "string", name) for name in extra]
    # By place: a name may be there twice, of which the error that follows tells.
    joined: pd.DataFrame = pd.concat(columns, axis=1)
    joined.attrs = data.attrs
    return joined


def _of_index(index: pd.Index) -> Iterator[str]:
    """Yield what is in an index as columns that are not read, unless it only counts the rows.

    Numbers that are not evenly spaced may be those of the rows of a longer frame, or of orders.
    """
    if isinstance(index, pd.RangeIndex) and index.name is None:
        return
    for level, name in enumerate(index.names, 1):
        number = f" {level}" if index.nlevels > 1 else ""
        unnamed = f"unnamed index{number} (reset_index(drop=True) drops it)"
        yield unnamed if name is None else f"{name} (index{number})"


def _has_several_zones(column: pd.Series) -> bool:
    """Whether a column has times of several zones, or times and days, which Arrow makes alike."""
    cells = column
    if isinstance(column.dtype, pd.CategoricalDtype):
        cells = column.cat.categories.to_series()
    if cells.dtype != object:
        return False
    known = cells[cells.notna()]
    if known.empty or not isinstance(known.iloc[0], date):
        return False
    return len({_zone(cell) for cell in known}) > 1


def _zone(cell: Any) -> str:
    """The time zone of a time, of which Arrow has one for a column; a day has none."""
    return str(cell.tzinfo) if isinstance(cell, datetime) else type(cell).__name__


def _is_mixed(column: pd.Series) -> bool:
    """Whether a column has cells of several kinds, or larger than Arrow takes."""
    try:
        pa.array(column, from_pandas=True)
    except (pa.ArrowException, ValueError, OverflowError):
        return True
    return False


def _of_one_kind(column: pd.Series, choice: ColumnChoice | None) -> pd.Series:
    """A column of several kinds of cells as text, where it is read or may be; else empty."""
    name = str(column.name)
    if choice is not None and name in choice.identifying:
        if all(isinstance(cell, int) for cell in column[column.notna()]):
            raise InputError(
                f"{NAME}: column {name}: holds whole numbers of more than 64 bits, and identifies "
                f"people or items; make them text, by df[{name!r}].astype(str)"
            )
        raise InputError(
            f"{NAME}: column {name}: holds cells of several kinds, such as numbers and text, and "
            f"identifies people or items; make them text, by df[{name!r}].astype(str), or numbers, "
            f"by pd.to_numeric(df[{name!r}], errors='coerce')"
        )
    if choice is not None and name not in choice.columns():
        return pd.Series(pd.NA, index=column.index, name=column.name, dtype="string")
    return column.map(str, na_action="ignore").astype("string")


def _dense(data: pd.DataFrame) -> pd.DataFrame:
    """The same frame without sparse columns, which pyarrow does not take."""
    columns: list[Any] = [column for _, column in data.items()]
    sparse = [isinstance(column.dtype, pd.SparseDtype) for column in columns]
    if not any(sparse):
        return data
    # By place: a name may be there twice, of which the error that follows tells.
    dense: pd.DataFrame = pd.concat(
        [one.sparse.to_dense() if thin else one for one, thin in zip(columns, sparse, strict=True)],
        axis=1,
    )
    return dense


def _batches(data: Any) -> Iterator[pa.RecordBatch]:
    """Yield the batches of anything that has some; an empty one where there is only a schema."""
    if isinstance(data, (pa.Array, pa.ChunkedArray)) or type(data).__name__ == "Series":
        raise _no_table(data, "")  # a column alone, of pandas, Polars or Arrow
    if hasattr(data, "__arrow_c_array__"):
        yield pa.record_batch(data)
    elif hasattr(data, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(data)
        some = False
        for batch in reader:
            some = True
            yield batch
        if not some:
            yield pa.RecordBatch.from_pylist([], schema=reader.schema)
    elif isinstance(data, Iterable) and not isinstance(data, (dict, bytes)):
        for batch in data:
            if not hasattr(batch, "__arrow_c_stream__") and not hasattr(batch, "__arrow_c_array__"):
                raise _no_table(batch, "batch ")
            yield from _batches(batch)
    else:
        raise _no_table(data, "")


def _no_table(given: object, what: str) -> ConfigError:
    return ConfigError(
        f"data: {what}of type {type(given).__name__}: expected a table: a path, a data frame "
        "(anything with __arrow_c_stream__) or an iterable of record batches"
    )


def _save_batches(
    batches: Iterator[pa.RecordBatch], path: Path, choice: ColumnChoice | None
) -> None:
    first = next(batches, None)
    if first is None:
        raise InputError(f"{NAME}: holds no batches; expected at least one")
    names: Sequence[str] = first.schema.names
    if choice is not None:
        choice.check(NAME, names)
        names = choice.columns()
    others = [name for name in dict.fromkeys(first.schema.names) if name not in names]
    table = _with_empty(_taken(first, names), others)
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(table)
        for number, batch in enumerate(batches, 2):
            part = _with_empty(_taken(batch, names, number), others)
            if part.schema != table.schema:
                raise InputError(
                    f"{NAME}: batch {number} has other columns than the first, or columns of other "
                    "types; make all alike"
                )
            writer.write_table(part)
            if choice is None and part.num_rows:
                return


def _taken(batch: pa.RecordBatch, names: Sequence[str], number: int = 1) -> pa.Table:
    """Some columns of a batch, of types that parquet has."""
    if lacking := [name for name in names if name not in batch.schema.names]:
        raise InputError(f"{NAME}: batch {number} has no column {lacking[0]!r}, but the first does")
    columns = []
    for name in names:
        column = batch.column(name)
        if pa.types.is_dictionary(column.type):
            column = _without_views(column.dictionary).take(column.indices)
        columns.append(_without_views(column))
    return pa.table(columns, names=list(names))


def _with_empty(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """The same table with further columns, in which nothing is."""
    for name in names:
        table = table.append_column(name, pa.nulls(table.num_rows))
    return table


def _without_views(column: pa.Array) -> pa.Array:
    """A column whose texts lie in one place, which is all that most of pyarrow can read."""
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column
