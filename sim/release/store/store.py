"""A release on disk: memory-mapped blocks of records.

A store is a folder that is complete or absent. Each block holds its cells twice: record-major, to
draw auxiliary information and compare records; item-major, to score. The orders are (record, item)
and (item, record), the cells of one record and item by day, then level, so a store is a function of
the release alone. An index says where an item's cells begin (`sim.release.store.item_index`). It is
dense, or sparse where a block lacks most items. A store with a sparse index has the numbers of its
records and items in 32 bits on the disk where they fit, and in 64 for all that read them. A *day*
is a bin of time, of whatever width the release has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import StoreError
from sim.files.in_use import Hold
from sim.release.store.item_index import find, runs
from sim.release.store.manifest import NAME, REBUILD, Manifest, checksums
from sim.release.store.narrow import wide
from sim.release.store.sorting import descending

Content = NDArray[np.uint8]
"""The bytes of a file."""

Read = Callable[[str], Content]
"""Returns the content of a file of the store, by its path in it."""

BLOCK_RECORDS = 65_536
"""Most records in a block: a record's place in its block fits in 16 bits."""

RECORD_COLUMNS = ("record_start", "record_item", "record_level", "record_day")
DENSE_INDEX, SPARSE_INDEX = ("item_start",), ("item_bucket", "item_low")
"""Columns of the two kinds of index; see `sim.release.store.item_index`."""

POSTING_COLUMNS = ("item_row", "item_level", "item_day")
ITEM_COLUMNS = (*DENSE_INDEX, *POSTING_COLUMNS)
_SPARSE_ITEM_COLUMNS = (*SPARSE_INDEX, *POSTING_COLUMNS)
_COLUMNS = frozenset((*RECORD_COLUMNS, *ITEM_COLUMNS, *_SPARSE_ITEM_COLUMNS))
_RECORDS, _ITEMS = "records.arrow", "items.arrow"


@dataclass(frozen=True, slots=True)
class Block:
    """The cells of consecutive records, in two orders. All arrays are read-only.

    Parameters
    ----------
    first, n_records : int
        The records [first, first + n_records).
    record_start : int64 array, shape (n_records + 1,)
        Where each record's cells begin in the record-major columns.
    record_item, record_level, record_day : arrays, shape (n_cells,)
        Sorted by record, then item.
    item_start : int64 array, shape (n_items + 1,), or None
        Where each item's cells begin in the item-major columns; None where the index is sparse.
    item_row : uint16 array, shape (n_cells,)
        Record minus `first`; ascending within an item, strictly unless the release has repeats.
    item_level, item_day : arrays, shape (n_cells,)
    item_bucket, item_low : arrays, or None
        The index if it is sparse; see `sim.release.store.item_index`.
    """

    first: int
    n_records: int
    record_start: NDArray[np.int64]
    record_item: NDArray[np.int32]
    record_level: NDArray[Any]
    record_day: NDArray[np.uint16]
    item_start: NDArray[np.int64] | None
    item_row: NDArray[np.uint16]
    item_level: NDArray[Any]
    item_day: NDArray[np.uint16]
    item_bucket: NDArray[np.uint32] | None = None
    item_low: NDArray[Any] | None = None

    def postings_of(self, item: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the cells of some items begin and end in the item-major columns.

        Parameters
        ----------
        item : integer array, shape (A,)
            −1 has no cells.

        Returns
        -------
        begin, end : int64 array, shape (A,)
        """
        if self.item_start is None:
            assert self.item_bucket is not None
            assert self.item_low is not None
            return find(self.item_bucket, self.item_low, item)
        begin, end = self.item_start[item], self.item_start[item + 1]
        return (
            (begin, end) if item.min(initial=0) >= 0 else (begin * (item >= 0), end * (item >= 0))
        )

    def items(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Items, ascending, and where the cells of each begin in the item-major columns.

        All that have cells here; where the index is dense also those that have none.

        Returns
        -------
        item : integer array, shape (d,)
        start : int64 array, shape (d + 1,)
            With the end appended.
        """
        if self.item_start is None:
            assert self.item_bucket is not None
            assert self.item_low is not None
            return runs(self.item_bucket, self.item_low)
        return np.arange(self.item_start.size - 1, dtype=np.int32), self.item_start

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.record_item.size)

    @property
    def first_of_item(self) -> NDArray[np.bool_]:
        """Whether each cell is its record's first of its item, by record, shape (n_cells,)."""
        first: NDArray[np.bool_] = np.diff(self.record_item, prepend=-1) != 0
        first[self.record_start[:-1]] = True
        return first


class _Mapped(Block):
    """A block whose columns are mapped on first use."""

    def __init__(
        self, first: int, n_records: int, is_sparse: bool, column: Callable[[str], NDArray[Any]]
    ) -> None:
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "n_records", n_records)
        for name in DENSE_INDEX if is_sparse else SPARSE_INDEX:
            object.__setattr__(self, name, None)
        self.__dict__["_column"] = column

    def __getattr__(self, name: str) -> NDArray[Any]:
        # Reached only for what is not set yet; a set one costs no more than in any other block.
        if name not in _COLUMNS:
            raise AttributeError(name)
        column: NDArray[Any] = self.__dict__["_column"](name)
        object.__setattr__(self, name, column)
        return column


def block_folder(index: int) -> str:
    """Name of a block's folder in the store."""
    return f"block-{index:05d}"


def is_sparse(files: Collection[str], index: int) -> bool:
    """Whether a block's index is sparse, by the files of its store.

    Examples
    --------
    >>> is_sparse(["block-00001/item_low.npy"], 1)
    True
    """
    return f"{block_folder(index)}/{SPARSE_INDEX[-1]}.npy" in files


def _files_by_item(files: Collection[str], index: int) -> list[str]:
    names = _SPARSE_ITEM_COLUMNS if is_sparse(files, index) else ITEM_COLUMNS
    return [f"{block_folder(index)}/{name}.npy" for name in names]


def files_of(n_blocks: int, files: Collection[str] = ()) -> list[str]:
    """Return the names of all files that a store has but its manifest.

    Parameters
    ----------
    files : collection of str
        Those that there are, for which blocks have a sparse index.

    Examples
    --------
    >>> len(files_of(3)), len(files_of(3, {"block-00001/item_low.npy"}))
    (26, 27)
    """
    by_record = [
        f"{block_folder(b)}/{name}.npy" for b in range(n_blocks) for name in RECORD_COLUMNS
    ]
    by_item = [name for b in range(n_blocks) for name in _files_by_item(files, b)]
    return [_RECORDS, _ITEMS, *by_record, *by_item]


def part_of(file: str) -> str:
    """Name of the part of a store that a file belongs to: what is read together.

    Examples
    --------
    >>> part_of("block-00007/item_row.npy"), part_of("items.arrow")
    ('block-00007/item', 'items.arrow')
    """
    return file.partition("_")[0]


def parts_to_score(blocks: list[int]) -> list[str]:
    """Names of the parts that scoring some blocks reads: theirs by item, and the release's lists.

    Examples
    --------
    >>> parts_to_score([7])
    ['records.arrow', 'items.arrow', 'block-00007/item']
    """
    return [_RECORDS, _ITEMS, *(f"{block_folder(b)}/item" for b in blocks)]


class Store:
    """An open store.

    Level codes 0 … L−1 stand for `scale`, code L for no value; day codes 0 … n_days−1 count bins of
    time (`manifest.time_bin`) from `manifest.first_day`, code n_days means no time.

    Parameters
    ----------
    folder : Path
        A store that was written whole.
    manifest : Manifest, optional
        Of a store that lies elsewhere, in that folder; `read` returns its files.
    read : callable, optional
        Given with `manifest`.
    identity : str, optional
        `Manifest.identity` of the store that is asked for.
    source : str, optional
        What the input is called now, in words; else what it was called when the store was built.

    Raises
    ------
    StoreError
        The folder is no store, not the one asked for, was changed after it was written, is of
        another schema, or a file has not the size it was written with.
    """

    def __init__(
        self,
        folder: Path,
        *,
        manifest: Manifest | None = None,
        read: Read | None = None,
        identity: str | None = None,
        source: str | None = None,
    ) -> None:
        self.folder = folder
        self._held = Hold(folder)
        self._blocks: dict[int, Block] = {}
        self._read = read or functools.partial(mapped, folder)
        self.manifest = Manifest.read(folder) if manifest is None else manifest
        self.source = self.manifest.source if source is None else source
        if identity not in (None, self.manifest.identity):
            raise StoreError(f"{folder / NAME}: is that of another store; {REBUILD}")
        self._check_names()
        if read is None:
            self._check_sizes()

    def _check_names(self) -> None:
        """Check that exactly the readable files are listed, and so verified."""
        manifest = self.manifest
        sizes = (manifest.n_records, manifest.n_items, manifest.block_records)
        if not all(isinstance(size, int) and size >= 1 for size in sizes):
            raise StoreError(f"{self.folder / NAME}: not the sizes of a release; {REBUILD}")
        listed = manifest.files.keys()
        least = 2 + manifest.n_blocks * (len(RECORD_COLUMNS) + len(ITEM_COLUMNS))
        # Count first: an arbitrary number of blocks must not become a list of their files.
        if len(listed) < least or listed != set(files_of(manifest.n_blocks, listed)):
            raise StoreError(
                f"{self.folder / NAME}: files: not those of a store of {manifest.n_blocks} "
                f"blocks; {REBUILD}"
            )

    def _check_sizes(self) -> None:
        for name, (size, _) in self.manifest.files.items():
            path = self.folder / name
            if not path.is_file() or path.stat().st_size != size:
                raise StoreError(
                    f"{path}: missing, or not the {size} bytes it was written with; {REBUILD}"
                )

    def __repr__(self) -> str:
        m = self.manifest
        return f"Store({m.n_records} records, {m.n_items} items, {m.n_cells} cells)"

    def verify(self) -> None:
        """Compare every file with its checksum.

        Raises
        ------
        StoreError
            A file has changed since it was written.
        """
        found = checksums(self.folder, self.manifest.files)
        for name, expected in self.manifest.files.items():
            if found[name] != expected:
                raise StoreError(f"{self.folder / name}: does not match its checksum; {REBUILD}")

    @functools.cached_property
    def scale(self) -> NDArray[np.float64]:
        """The distinct values, ascending, shape (L,)."""
        return np.array(self.manifest.scale, np.float64)

    @functools.cached_property
    def records(self) -> pa.Array:
        """The user's own record identifiers, shape (n_records,)."""
        return wide(self._column(_RECORDS, "id"))

    @functools.cached_property
    def items(self) -> pa.Array:
        """The user's own item identifiers, shape (n_items,)."""
        return wide(self._column(_ITEMS, "id"))

    @functools.cached_property
    def length(self) -> NDArray[np.int32]:
        """Number of cells of each record, shape (n_records,)."""
        return np.asarray(self._column(_RECORDS, "length").to_numpy())

    @functools.cached_property
    def support(self) -> NDArray[np.int64]:
        """Number of records that hold each item, shape (n_items,)."""
        return np.asarray(wide(self._column(_ITEMS, "support")).to_numpy())

    @functools.cached_property
    def cells(self) -> NDArray[np.int64]:
        """Number of cells of each item, shape (n_items,): `support`, unless some repeat."""
        cells = self._column(_ITEMS, "cells")
        return self.support if cells is None else np.asarray(wide(cells).to_numpy())

    @functools.cached_property
    def items_held(self) -> NDArray[np.int32]:
        """Number of items of each record, shape (n_records,): `length`, unless some repeat."""
        if not self.manifest.has_repeats:
            return self.length
        held = np.empty(self.manifest.n_records, np.int32)
        for index in range(self.manifest.n_blocks):
            block = self.block(index)
            held[block.first :][: block.n_records] = np.add.reduceat(
                block.first_of_item, block.record_start[:-1]
            )
        return held

    @functools.cached_property
    def block_cell_starts(self) -> NDArray[np.int64]:
        """Number of cells before each block, and of all, shape (n_blocks + 1,)."""
        sizes = [self.block(index).n_cells for index in range(self.manifest.n_blocks)]
        return np.cumsum([0, *sizes])

    @functools.cached_property
    def rank(self) -> NDArray[np.int32]:
        """Place of each item by decreasing support, ties by identifier, shape (n_items,)."""
        return descending(self.support)

    def block(self, index: int) -> Block:
        """Map one block, once.

        Parameters
        ----------
        index : int
            In [0, manifest.n_blocks).
        """
        if index not in self._blocks:
            first = index * self.manifest.block_records
            n_records = min(self.manifest.block_records, self.manifest.n_records - first)
            column = functools.partial(_array, self._read, block_folder(index))
            sparse = is_sparse(self.manifest.files, index)
            self._blocks[index] = _Mapped(first, n_records, sparse, column)
        return self._blocks[index]

    def _column(self, file: str, name: str) -> Any:
        """A column of one of the lists; None if the list lacks it."""
        table = pa.ipc.open_file(pa.py_buffer(self._read(file))).read_all()
        if name not in table.column_names:
            return None
        column = table.column(name)
        if not isinstance(column, pa.ChunkedArray):
            return column
        # To combine chunks copies them, even one.
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _array(read: Read, block: str, name: str) -> NDArray[Any]:
    content = read(f"{block}/{name}.npy")
    with pa.BufferReader(content) as stream:
        np.lib.format.read_magic(stream)
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        column = np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape)
    if name != RECORD_COLUMNS[0] or column.dtype == np.int64:
        return column
    # Compiled loops take one type of it, and that one read-only.
    column = column.astype(np.int64)
    column.flags.writeable = False
    return column


def mapped(folder: Path, file: str) -> Content:
    """Map a file without keeping it open: a large store has thousands.

    `np.load` would keep a descriptor for each, and most systems allow a process 1,024.
    """
    with pa.memory_map(str(folder / file)) as source:
        return np.frombuffer(source.read_buffer(), np.uint8)
