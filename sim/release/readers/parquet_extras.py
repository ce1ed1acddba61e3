"""Finds what parquet files hold beside their rows: unused entries of dictionaries, and bytes.

Invariant: an entry is counted where no row of the table has it, in whichever file or row group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sim.release.readers.locate import PARQUET_MAGIC
from sim.release.readers.parquet_cells import is_text, plain
from sim.release.readers.parquet_file import next_batch, open_parquet
from sim.release.readers.textfile import reading

_BATCH_ROWS = 1 << 18
_END_BYTES = 8
"""The size of the footer, and the last four bytes."""
_WRITES_FILTERS = "DuckDB"


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


def further_bytes(file: Any, path: Path) -> int:
    """Count the bytes between the columns of a file and its end, where there should be none.

    Where a file has indexes there, or is of DuckDB, which writes filters, none is found: their
    sizes cannot be asked for.

    Parameters
    ----------
    file : pyarrow.parquet.ParquetFile
    path : Path
        Where it lies.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    found = file.metadata
    groups = map(found.row_group, range(found.num_row_groups))
    columns = [group.column(k) for group in groups for k in range(group.num_columns)]
    if str(found.created_by).startswith(_WRITES_FILTERS):
        return 0
    if any(one.has_offset_index or one.has_column_index for one in columns):
        return 0
    of_columns: int = sum(one.total_compressed_size for one in columns)
    with reading(str(path)), path.open("rb") as stream:
        size = stream.seek(-_END_BYTES, 2) + _END_BYTES
        of_footer = int.from_bytes(stream.read(4), "little")
    return size - len(PARQUET_MAGIC) - of_columns - of_footer - _END_BYTES
