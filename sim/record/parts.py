"""Stores finished batches, and assembles the result files from them.

A part holds the rows of one batch as one Arrow record batch per grid cell, so that the result
files, which go cell by cell, can be written without holding more than one cell's rows.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sim.files.digest import sha256
from sim.files.disk import atomic_write

FOLDER = "parts"
KINDS = ("decisions", "aux")
TOP = "top_candidates"
"""A kind that only attacks have that are asked for it."""

_ROWS_A_GROUP = 1 << 20


def part_path(run: Path, kind: str, batch: int) -> Path:
    """Path of a part of a run."""
    return run / FOLDER / f"{kind}-{batch:06d}.arrow"


def write_part(run: Path, kind: str, batch: int, table: pa.Table, n_cells: int) -> str:
    """Write one batch, one record batch per cell, and return its SHA-256.

    Parameters
    ----------
    kind : str
        One of `KINDS`, or `TOP`.
    table : pyarrow.Table
        Sorted by its column ``cell``.
    """
    bounds = np.searchsorted(table["cell"].to_numpy(), np.arange(n_cells + 1))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        for begin, end in itertools.pairwise(bounds):
            writer.write_batch(_one_batch(table.slice(begin, end - begin)))
    content = sink.getvalue()
    path = part_path(run, kind, batch)
    path.parent.mkdir(exist_ok=True)
    with atomic_write(path) as partial:
        partial.write_bytes(content)
    return hashlib.sha256(content).hexdigest()


def is_whole(run: Path, kind: str, batch: int, digest: object) -> bool:
    """Whether a part exists with the digest that the ledger states."""
    path = part_path(run, kind, batch)
    return path.is_file() and sha256(path) == digest


def rows_of_cell(run: Path, kind: str, n_batches: int, cell: int) -> Iterator[pa.RecordBatch]:
    """The rows of one cell, batch by batch."""
    for batch in range(n_batches):
        with pa.memory_map(str(part_path(run, kind, batch))) as source:
            yield pa.ipc.open_file(source).get_batch(cell)


def write_result(run: Path, kind: str, n_batches: int, n_cells: int) -> Iterator[pa.Table]:
    """Write a result file of a kind from the parts, yielding the rows.

    The file appears under its name only once all rows have been yielded.

    Parameters
    ----------
    kind : str
        One of `KINDS`, or `TOP`.

    Yields
    ------
    pyarrow.Table
        Rows of one cell, one or more, in the order of the file.
    """
    path = run / f"{kind}.parquet"
    with pa.memory_map(str(part_path(run, kind, 0))) as source:
        schema = pa.ipc.open_file(source).schema
    with (
        atomic_write(path, flush=False) as partial,
        pq.ParquetWriter(partial, schema, compression="zstd") as writer,
        ThreadPoolExecutor(1) as beside,
    ):
        writing: Future[None] | None = None
        for cell in range(n_cells):
            for held in _groups(rows_of_cell(run, kind, n_batches, cell)):
                rows = pa.Table.from_batches(held, schema)
                if writing is not None:
                    writing.result()
                # Most of the time is taken by compression, while the rows are looked at.
                writing = beside.submit(writer.write_table, rows)
                yield rows
        if writing is not None:
            writing.result()


def _groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Batches together as long as they are not too many rows; none without any."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += len(batch)
        if rows >= _ROWS_A_GROUP:
            yield held
            held, rows = [], 0
    if rows:
        yield held


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    whole = table.combine_chunks().to_batches()
    if whole:
        return whole[0]
    return pa.RecordBatch.from_pylist([], schema=table.schema)
