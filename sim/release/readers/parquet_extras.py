"""Finds what parquet files hold beside their rows: unused entries of dictionaries, and metadata.

Invariant: an entry is counted where no row of the table has it, in whichever file or row group.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sim.release.readers.parquet_cells import is_text, plain
from sim.release.readers.parquet_file import next_batch, open_parquet

_BATCH_ROWS = 1 << 18
_SHOWN = 60  # letters of a key

_SCHEMA, _PANDAS, _FIELD_ID = b"ARROW:schema", b"pandas", b"PARQUET:field_id"
_BY_WRITERS = (_SCHEMA, _PANDAS)
_OF_PANDAS = (
    *("index_columns", "column_indexes", "columns", "partition_columns"),
    *("creator", "pandas_version"),
)
"""Within what pandas writes: what describes the table, and nothing that users set."""


def unused_entries(paths: Sequence[Path], name: str) -> int:
    """Count the distinct entries in the dictionaries of a column that no row has.

    Such are left where categories of a data frame outlive the rows that had them.

    Parameters
    ----------
    paths : sequence of Path
        All files of the table; some may lack the column.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    left = _unused_somewhere(paths, name)
    for dictionary, used in _dictionaries(paths, name):
        if not len(left):
            break
        left = left.filter(pc.invert(pc.is_in(left, value_set=dictionary.filter(pa.array(used)))))
    return len(left)


def _unused_somewhere(paths: Sequence[Path], name: str) -> Any:
    """Return the entries that some batch of rows has none of, each once."""
    found: list[Any] = []
    last, used = None, np.empty(0, bool)

    def close() -> None:
        if last is not None and not used.all():
            found.append(last.filter(pa.array(~used)).cast(pa.large_string()))

    for dictionary, of_batch in _dictionaries(paths, name):
        if last is not None and dictionary.equals(last):
            used |= of_batch
            continue
        close()
        last, used = dictionary, of_batch
    close()
    every = pa.concat_arrays(found) if found else pa.array([], pa.large_string())
    return pc.unique(every.drop_null())


def _dictionaries(paths: Sequence[Path], name: str) -> Iterator[tuple[Any, Any]]:
    """Yield the dictionary of each batch of rows, and which of its entries the rows have."""
    for path in paths:
        with open_parquet(path) as file:
            if not _has_dictionary(file, name):
                continue
        with open_parquet(path, [name]) as file:
            batches = file.iter_batches(batch_size=_BATCH_ROWS, columns=[name])
            while (batch := next_batch(path, batches)) is not None:
                cells = batch.column(0)
                used = np.zeros(len(cells.dictionary), bool)
                used[cells.indices.drop_null().to_numpy()] = True
                yield cells.dictionary.cast(pa.large_string()), used


def _has_dictionary(file: Any, name: str) -> bool:
    """Whether a column is there, and is text that is coded by dictionaries in the file.

    Arrow writes the categories of other types as plain cells, without those that no row has.
    """
    schema, metadata = file.schema_arrow, file.metadata
    if name not in schema.names or not is_text(plain(schema.field(name).type)):
        return False
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    columns = (group.column(place) for group in groups for place in range(group.num_columns))
    return any(
        column.path_in_schema == name and any("DICTIONARY" in one for one in column.encodings)
        for column in columns
    )


def metadata_keys(path: Path) -> tuple[str, ...]:
    """Return the keys of metadata that neither Arrow nor pandas writes by itself.

    Those of a column are named after it, as ``column.key``.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    with open_parquet(path) as file:
        own, schemas = file.metadata.metadata or {}, [file.schema_arrow]
    found = [key for key in own if key not in _BY_WRITERS]
    if _SCHEMA in own:
        schema = _decoded(own[_SCHEMA])
        if schema is None:
            found.append(_SCHEMA)
        else:
            schemas.append(schema)
            found += (key for key in schema.metadata or {} if key not in _BY_WRITERS)
    keys = [*map(_text, found), *_of_pandas(own.get(_PANDAS))]
    for field in (field for schema in schemas for field in schema):
        own_keys = (key for key in field.metadata or {} if key != _FIELD_ID)
        keys += (f"{field.name}.{_text(key)}" for key in own_keys)
    return tuple(dict.fromkeys(key[:_SHOWN] for key in keys))


def _decoded(value: bytes) -> Any:
    """Return the Arrow schema that a file keeps; None where the value holds something else."""
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(value)))
    except (pa.ArrowException, ValueError, OSError):
        return None


def _of_pandas(value: bytes | None) -> Iterator[str]:
    """Yield what users set within the metadata of pandas, such as the attributes of a frame."""
    if value is None:
        return
    try:
        found = json.loads(value)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        yield _text(_PANDAS)
        return
    yield from (f"pandas.{key}" for key in found if found[key] and key not in _OF_PANDAS)


def _text(key: bytes) -> str:
    return key.decode(errors="replace")
