"""A release on disk: memory-mapped blocks of records.

A store is a folder that is complete or absent. Each block holds its cells twice: record-major, to
draw auxiliary information and compare records; item-major, to score. The orders are (record, item)
and (item, record), the cells of one record and item by day, then level, so a store is a function of
the release alone. A *day* is a bin of time, of whatever width the release has.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import StoreError
from sim.release.store.manifest import NAME, REBUILD, Manifest, checksums

Obtain = Callable[[str], None]
"""Sees to it that a file of the store, by its path in it, is there and whole."""

BLOCK_RECORDS = 65_536
"""Most records in a block: a record's place in its block fits in 16 bits."""

RECORD_COLUMNS = ("record_start", "record_item", "record_level", "record_day")
ITEM_COLUMNS = ("item_start", "item_row", "item_level", "item_day")
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
    item_start : int64 array, shape (n_items + 1,)
        Where each item's cells begin in the item-major columns.
    item_row : uint16 array, shape (n_cells,)
        Record minus `first`; ascending within an item, strictly unless the release has repeats.
    item_level, item_day : arrays, shape (n_cells,)
    """

    first: int
    n_records: int
    record_start: NDArray[np.int64]
    record_item: NDArray[np.int32]
    record_level: NDArray[Any]
    record_day: NDArray[np.uint16]
    item_start: NDArray[np.int64]
    item_row: NDArray[np.uint16]
    item_level: NDArray[Any]
    item_day: NDArray[np.uint16]

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.record_start[-1])

    @property
    def first_of_item(self) -> NDArray[np.bool_]:
        """Whether each cell is its record's first of its item, by record, shape (n_cells,)."""
        first: NDArray[np.bool_] = np.diff(self.record_item, prepend=-1) != 0
        first[self.record_start[:-1]] = True
        return first


class _Mapped(Block):
    """A block whose columns are mapped on first use."""

    def __init__(self, first: int, n_records: int, column: Callable[[str], NDArray[Any]]) -> None:
        object.__setattr__(self, "first", first)
        object.__setattr__(self, "n_records", n_records)
        self.__dict__["_column"] = column

    def __getattr__(self, name: str) -> NDArray[Any]:
        # Reached only for what is not set yet; a set one costs no more than in any other block.
        if name not in RECORD_COLUMNS and name not in ITEM_COLUMNS:
            raise AttributeError(name)
        column: NDArray[Any] = self.__dict__["_column"](name)
        object.__setattr__(self, name, column)
        return column


def block_folder(index: int) -> str:
    """Name of a block's folder in the store."""
    return f"block-{index:05d}"


def files_of(n_blocks: int) -> list[str]:
    """Return the names of all files of a store but its manifest.

    Examples
    --------
    >>> len(files_of(3))
    26
    """
    columns = (*RECORD_COLUMNS, *ITEM_COLUMNS)
    blocks = [f"{block_folder(b)}/{name}.npy" for b in range(n_blocks) for name in columns]
    return [_RECORDS, _ITEMS, *blocks]


def files_to_score(blocks: list[int]) -> list[str]:
    """Names of the files that scoring some blocks reads: theirs by item, and the release's lists.

    Examples
    --------
    >>> files_to_score([7])[:3]
    ['records.arrow', 'items.arrow', 'block-00007/item_start.npy']
    """
    columns = [f"{block_folder(b)}/{name}.npy" for b in blocks for name in ITEM_COLUMNS]
    return [_RECORDS, _ITEMS, *columns]


class Store:
    """An open store.

    Level codes 0 … L−1 stand for `scale`, code L for no value; day codes 0 … n_days−1 count bins of
    time (`manifest.time_bin`) from `manifest.first_day`, code n_days means no time.

    Parameters
    ----------
    folder : Path
        A store that was written whole.
    part_of : Manifest, optional
        The folder holds but some files of the store described here, and `obtain` brings others.
    obtain : callable, optional
        Called before a file is read.
    identity : str, optional
        `Manifest.identity` of the store that is asked for.

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
        part_of: Manifest | None = None,
        obtain: Obtain | None = None,
        identity: str | None = None,
    ) -> None:
        self.folder = folder
        self._blocks: dict[int, Block] = {}
        self._obtain = obtain
        self.manifest = Manifest.read(folder) if part_of is None else part_of
        if identity not in (None, self.manifest.identity):
            raise StoreError(f"{folder / NAME}: is that of another store; {REBUILD}")
        self._check_names()
        if part_of is None:
            self._check_sizes()

    def _check_names(self) -> None:
        """Check that exactly the readable files are listed, and so verified."""
        manifest = self.manifest
        sizes = (manifest.n_records, manifest.n_items, manifest.block_records)
        if not all(isinstance(size, int) and size >= 1 for size in sizes):
            raise StoreError(f"{self.folder / NAME}: not the sizes of a release; {REBUILD}")
        listed = manifest.files.keys()
        expected = 2 + manifest.n_blocks * (len(RECORD_COLUMNS) + len(ITEM_COLUMNS))
        # Count first: an arbitrary number of blocks must not become a list of their files.
        if len(listed) != expected or listed != set(files_of(manifest.n_blocks)):
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
        return self._column(_RECORDS, "id")

    @functools.cached_property
    def items(self) -> pa.Array:
        """The user's own item identifiers, shape (n_items,)."""
        return self._column(_ITEMS, "id")

    @functools.cached_property
    def length(self) -> NDArray[np.int32]:
        """Number of cells of each record, shape (n_records,)."""
        return np.asarray(self._column(_RECORDS, "length").to_numpy())

    @functools.cached_property
    def support(self) -> NDArray[np.int64]:
        """Number of records that hold each item, shape (n_items,)."""
        return np.asarray(self._column(_ITEMS, "support").to_numpy())

    @functools.cached_property
    def cells(self) -> NDArray[np.int64]:
        """Number of cells of each item, shape (n_items,): `support`, unless some repeat."""
        return np.asarray(self._column(_ITEMS, "cells").to_numpy())

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
    def rank(self) -> NDArray[np.int32]:
        """Place of each item by decreasing support, ties by identifier, shape (n_items,)."""
        order = np.argsort(-self.support, kind="stable")
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size, dtype=np.int32)
        return rank

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
            column = functools.partial(_column, self.folder, block_folder(index), self._obtain)
            self._blocks[index] = _Mapped(first, n_records, column)
        return self._blocks[index]

    def _column(self, file: str, name: str) -> pa.Array:
        if self._obtain is not None:
            self._obtain(file)
        with pa.memory_map(str(self.folder / file)) as source:
            column = pa.ipc.open_file(source).read_all().column(name)
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _column(store: Path, block: str, obtain: Obtain | None, name: str) -> NDArray[Any]:
    file = f"{block}/{name}.npy"
    if obtain is not None:
        obtain(file)
    return _mapped(store / file)


def _mapped(path: Path) -> NDArray[Any]:
    """Map an array without keeping its file open: a large store has thousands of files.

    `np.load` would keep a descriptor for each, and most systems allow a process 1,024.
    """
    with path.open("rb") as stream:
        np.lib.format.read_magic(stream)
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        begin = stream.tell()
    with pa.memory_map(str(path)) as source:
        return np.frombuffer(source.read_buffer(), dtype, offset=begin).reshape(shape)
