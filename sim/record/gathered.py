"""One folder from the runs of a suite: a table of each kind, in which the run is a column.

Invariant: what a run wrote is read again exactly, whatever others stand in the same file: the
schema of each is kept beside the rows.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sim.errors import InputError
from sim.files.disk import atomic_write
from sim.record.run_record import INNER, read_record, write_record

RUN = "run"
"""Column of the run that a row is of: ``insider``, ``insider/bayes``; empty: the folder's own."""

_KEY = b"standout"
_ABOVE = "as_above"
"""Keys of the record of a run within another that are as in the record of that one."""
_ROWS_A_GROUP = 1 << 20


def gather(work: Path, folder: Path) -> None:
    """Write the tables and the record of a run, and of all runs within it, into one folder.

    Parameters
    ----------
    work : Path
        Folder of a complete run, in which those within it have folders of their own.
    """
    sources: dict[str, list[tuple[str, Path]]] = {}
    for key, each in _runs(work, ""):
        for path in sorted(each.glob("*.parquet")):
            sources.setdefault(path.name, []).append((key, path))
    for name, found in sources.items():
        with atomic_write(folder / name, flush=False) as partial:
            if [key for key, _ in found] == [""]:
                shutil.copyfile(found[0][1], partial)
            else:
                _write_rows(partial, found)
    write_record(folder, _record(work))


def _runs(folder: Path, key: str) -> Iterator[tuple[str, Path]]:
    """Yield a run and those within it, each after the one that it is within."""
    yield key, folder
    for name in _within(read_record(folder)):
        yield from _runs(folder / name, f"{key}/{name}" if key else name)


def _within(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the folders of the runs directly within a run."""
    for entry in [*(record.get("parts") or ()), *(record.get(name) or {} for name in INNER)]:
        if entry.get("folder") is not None and entry.get("status", "complete") == "complete":
            yield entry["folder"]


def _record(folder: Path) -> dict[str, Any]:
    """Return the record of a run, with those of all runs within it."""
    record = read_record(folder)
    whole = dict(record)

    def with_run(entry: Mapping[str, Any]) -> dict[str, Any]:
        if entry.get("folder") not in within:
            return dict(entry)
        inner = _record(folder / entry["folder"])
        same = [key for key, value in inner.items() if key in record and record[key] == value]
        own = {key: value for key, value in inner.items() if key not in same}
        return {**entry, RUN: {_ABOVE: same, **own}}

    within = [*_within(record)]
    if record.get("parts"):
        whole["parts"] = [with_run(entry) for entry in record["parts"]]
    return whole | {name: with_run(record[name]) for name in INNER if record.get(name)}


def record_within(entry: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the record of a run within another; None: it has a folder of its own.

    Examples
    --------
    >>> record_within({"run": {"as_above": ["seed"], "status": "complete"}}, {"seed": 2})
    {'seed': 2, 'status': 'complete'}
    """
    own = entry.get(RUN)
    if not isinstance(own, dict):
        return None
    same = own.get(_ABOVE) or []
    return {key: above[key] for key in same} | {k: v for k, v in own.items() if k != _ABOVE}


def _write_rows(path: Path, sources: Sequence[tuple[str, Path]]) -> None:
    """Write the rows of several runs into one file, with the schema of each."""
    schemas = {key: pq.read_schema(source) for key, source in sources}
    distinct = list[bytes]()
    at = dict[str, int]()
    for key, schema in schemas.items():
        content = schema.serialize().to_pybytes()
        if content not in distinct:
            distinct.append(content)
        at[key] = distinct.index(content)
    schema = _common([*schemas.values()])
    kept = {"runs": at, "schemas": [base64.b64encode(one).decode("ascii") for one in distinct]}
    schema = schema.with_metadata({**(schema.metadata or {}), _KEY: json.dumps(kept).encode()})
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        held, rows = list[pa.Table](), 0
        for key, source in sources:
            with pq.ParquetFile(source) as file:
                for group in range(file.num_row_groups):
                    held.append(_widened(file.read_row_group(group), key, schema))
                    rows += len(held[-1])
                    if rows >= _ROWS_A_GROUP:
                        writer.write_table(pa.concat_tables(held))
                        held, rows = [], 0
        if rows:
            writer.write_table(pa.concat_tables(held))


def _widened(table: pa.Table, key: str, schema: pa.Schema) -> pa.Table:
    """Return the rows of a run with the columns of all runs."""
    columns = {
        field.name: table[field.name].cast(field.type)
        if field.name in table.column_names
        else pa.nulls(len(table), field.type)
        for field in schema
        if field.name != RUN
    }
    return pa.table({RUN: pa.repeat(key, len(table)).cast(pa.string()), **columns}, schema=schema)


def _common(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """Return a schema that holds the rows of all, for pandas too, after the column of the run."""
    types: dict[str, pa.DataType] = {}
    words: dict[str, dict[str, Any]] = {}
    for schema in schemas:
        for field in schema:
            types[field.name] = _wider(types.get(field.name, field.type), field.type)
        for one in (schema.pandas_metadata or {}).get("columns", ()):
            words.setdefault(one["name"], one)
    of_pandas = {"index_columns": [], "column_indexes": [], "columns": [*words.values()]}
    alike = {
        name: all(one.field(name).type == kind for one in schemas if name in one.names)
        for name, kind in types.items()
    }
    of_pandas["columns"] = [one for name, one in words.items() if alike.get(name)]
    fields = [pa.field(RUN, pa.string()), *(pa.field(*one) for one in types.items())]
    return pa.schema(fields, metadata={b"pandas": json.dumps(of_pandas).encode()})


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """Return a type that holds the values of both; at worst, as text.

    Examples
    --------
    >>> _wider(pa.int32(), pa.float64()), _wider(pa.int64(), pa.string())
    (DataType(double), DataType(string))
    """
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    numbers = [pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in (one, other)]
    if not all(numbers):
        return pa.string()
    both_whole = pa.types.is_integer(one) and pa.types.is_integer(other)
    return pa.int64() if both_whole else pa.float64()


class TableFiles:
    """The parquet files of a folder, by the names of their tables, and whose rows they hold."""

    def __init__(self, folder: Path) -> None:
        self.paths = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
        self._kept: dict[str, Mapping[str, Any] | None] = {}

    def has(self, name: str, run: str) -> bool:
        """Whether a file has a table of a run."""
        kept = self._of(name) if name in self.paths else {"runs": {}}
        return run == "" if kept is None else run in kept["runs"]

    def read(
        self,
        name: str,
        run: str,
        columns: Sequence[str] | None = None,
        cell: int | None = None,
    ) -> pa.Table:
        """Read a table of a run as it was written.

        Parameters
        ----------
        columns : sequence of str, optional
            Only these.
        cell : int, optional
            Only the rows of this grid cell.

        Raises
        ------
        InputError
            The file cannot be read.
        """
        path, kept = self.paths[name], self._of(name)
        filters: list[tuple[str, str, Any]] = [] if cell is None else [("cell", "=", cell)]
        try:
            if kept is None:
                return pq.read_table(path, columns=columns, filters=filters or None)
            schema = pa.ipc.read_schema(
                pa.py_buffer(base64.b64decode(kept["schemas"][kept["runs"][run]]))
            )
            wanted = schema.names if columns is None else columns
            rows = pq.read_table(path, columns=wanted, filters=[(RUN, "=", run), *filters])
            own = pa.schema([schema.field(one) for one in wanted], metadata=schema.metadata)
            columns_of = [
                pa.nulls(len(rows)) if pa.types.is_null(one.type) else rows[one.name].cast(one.type)
                for one in own
            ]
            return pa.table(columns_of, schema=own)
        except (OSError, ValueError, NotImplementedError, KeyError, IndexError, TypeError) as error:
            raise InputError(f"{path}: cannot be read ({error}); run the study again") from None

    def _of(self, name: str) -> Mapping[str, Any] | None:
        """Return which runs a file has rows of, and their schemas; None: only of the folder's."""
        if name not in self._kept:
            path = self.paths[name]
            try:
                content = (pq.read_schema(path).metadata or {}).get(_KEY)
                kept = None if content is None else dict(json.loads(content))
                if kept is not None:
                    kept["runs"] = dict(kept["runs"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path}: cannot be read ({error}); run the study again") from None
            self._kept[name] = kept
        return self._kept[name]
