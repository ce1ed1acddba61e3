"""Writes a release as a table of cells, csv or parquet, in bounded memory.

Invariant: read again with the bins of time of the release, and every row a cell, the table is the
same release.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.files.disk import atomic_write
from sim.release.store.store import Store

_CELLS_AT_A_TIME = 1 << 20

KINDS = (".csv", ".parquet")
"""Endings of the files that can be written."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of the columns of a table of cells."""

    user: str = "user"
    item: str = "item"
    value: str = "value"
    time: str = "time"


DEFAULT = Columns()


def check_kind(path: Path, key: str) -> None:
    """Check that a path says whether csv or parquet is written.

    Raises
    ------
    ConfigError
        It says neither; the message begins with `key`.

    Examples
    --------
    >>> check_kind(Path("release.xlsx"), "out")
    Traceback (most recent call last):
    sim.errors.ConfigError: out: release.xlsx: expected a name that ends in .csv or .parquet
    """
    if path.suffix not in KINDS:
        raise ConfigError(f"{key}: {path}: expected a name that ends in {' or '.join(KINDS)}")


def write_release(
    store: Store, path: Path, columns: Columns = DEFAULT, identifiers: Any = None
) -> None:
    """Write a release as a table with a row for each cell, by record and item.

    Values and times are left out where the release has none. A time is where its bin begins: a date
    where bins are whole days, else a date and a time of UTC.

    Parameters
    ----------
    path : Path
        A file that ends in ``.csv`` or ``.parquet``; replaced once all is written.
    columns : Columns
        Names of the columns.
    identifiers : pyarrow array, shape (n_records,), optional
        What to write in the place of the records' identifiers; rows are in their order.

    Raises
    ------
    ConfigError
        The path ends in something else.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> from sim.release.store.export import DEFAULT
    >>> DEFAULT.time
    'time'
    """
    check_kind(path, "path")
    ids = store.records if identifiers is None else identifiers
    pieces = _tables(store, columns, ids)
    first = next(pieces)
    with atomic_write(path) as partial:
        make = pa.csv.CSVWriter if path.suffix == ".csv" else pa.parquet.ParquetWriter
        with make(str(partial), first.schema) as writer:
            writer.write_table(first)
            for table in pieces:
                writer.write_table(table)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table as csv or parquet, by the ending of its file; replaced once all is written."""
    with atomic_write(path) as partial:
        write = pa.csv.write_csv if path.suffix == ".csv" else pa.parquet.write_table
        write(table, str(partial))


def same_release(store: Store, identifiers: Any, other: Store) -> bool:
    """Whether two stores hold the same cells, whatever the order of their records and items.

    Parameters
    ----------
    identifiers : pyarrow array, shape (n_records,)
        Names of the records of `store` in `other`.
    """
    if store.manifest.n_cells != other.manifest.n_cells:
        return False
    ids = (each.cast(pa.large_string()) for each in (identifiers, other.records))
    pieces = (_tables(one, DEFAULT, names) for one, names in zip((store, other), ids, strict=True))
    return all(_sorted(a).equals(_sorted(b)) for a, b in zip(*pieces, strict=True))


def _sorted(table: pa.Table) -> pa.Table:
    item = table[DEFAULT.item].cast(pa.large_string())
    known = table.set_column(table.schema.get_field_index(DEFAULT.item), DEFAULT.item, item)
    return known.sort_by([(name, "ascending") for name in known.column_names])


def _tables(store: Store, columns: Columns, ids: Any) -> Iterator[pa.Table]:
    """The cells of some records at a time, in the order of their identifiers."""
    order = np.asarray(pa.compute.sort_indices(ids).to_numpy(), np.int64)
    ends = np.cumsum(store.length[order].astype(np.int64))
    begin = 0
    while begin < order.size:
        before = int(ends[begin - 1]) if begin else 0
        end = int(np.searchsorted(ends, before + _CELLS_AT_A_TIME, side="right"))
        end = max(end, begin + 1)
        yield _table(store, columns, ids, order[begin:end])
        begin = end


def _table(store: Store, columns: Columns, ids: Any, records: NDArray[np.int64]) -> pa.Table:
    manifest = store.manifest
    length = store.length[records].astype(np.int64)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(length)])
    item, level, day = (np.empty(start[-1], np.int64) for _ in range(3))
    blocks = records // manifest.block_records
    for index in np.unique(blocks).tolist():
        some, block = np.flatnonzero(blocks == index), store.block(index)
        number = length[some]
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        to = np.repeat(start[some], number) + within
        at = np.repeat(block.record_start[records[some] - block.first], number) + within
        item[to], level[to], day[to] = (
            block.record_item[at], block.record_level[at], block.record_day[at],
        )  # fmt: skip
    found = {
        columns.user: ids.take(pa.array(np.repeat(records, length))),
        columns.item: store.items.take(pa.array(item)),
    }
    if manifest.has_values:
        value = np.append(store.scale, np.nan)[level]
        found[columns.value] = pa.array(value, from_pandas=True)
    if manifest.has_days:
        seconds = manifest.bins.start(manifest.first_day + day)
        times = pa.array(seconds, pa.timestamp("s"), mask=day == manifest.n_days)
        found[columns.time] = times.cast(pa.date32()) if manifest.bins.is_whole_days else times
    return pa.table(found)
