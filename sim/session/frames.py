"""Saves tables that Python hands over, as the parquet file that is read like any other.

Invariant: rows keep their order, and no more than one batch is held at a time, so an iterator or
the result of a query may be larger than the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
        It cannot be written, or lacks a column.
    """
    if isinstance(data, pd.DataFrame) and data.columns.nlevels > 1:
        raise ConfigError(
            f"{NAME}: its columns have names of {data.columns.nlevels} levels; expected one: "
            "df.columns = ['_'.join(map(str, name)) for name in df.columns]"
        )
    try:
        if isinstance(data, pd.DataFrame):
            _dense(data).to_parquet(path, index=False)
        else:
            _save_batches(_batches(data), path, choice)
    except (pa.ArrowException, ValueError) as error:
        mixed = [*_mixed(data)] if isinstance(data, pd.DataFrame) else []
        if mixed:
            raise InputError(
                f"{NAME}: column {mixed[0]}: holds cells of several kinds, such as numbers and "
                f"text; make them text, by df[{mixed[0]!r}].astype(str), or numbers, by "
                f"pd.to_numeric(df[{mixed[0]!r}], errors='coerce')"
            ) from error
        why = " ".join(str(error).split())
        raise InputError(
            f"{NAME}: cannot be taken as a table ({why}); give each column one kind of cells and a "
            "name of its own"
        ) from error


def _mixed(data: pd.DataFrame) -> Iterator[object]:
    """Yield the names of the columns that have cells of several kinds."""
    for name, column in data.items():
        try:
            pa.array(column, from_pandas=True)
        except (pa.ArrowException, ValueError):
            yield name


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
        f"data: {what}of type {type(given).__name__}: expected a path, a data frame (anything with "
        "__arrow_c_stream__) or an iterable of record batches"
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
