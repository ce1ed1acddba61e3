"""From a source's rows to a store, in bounded memory.

Rows are first spilled as numbers in file order; when all identifiers are known, they are dealt to
the blocks their records belong to, and each block is sorted and written by itself. At no time are
more than one chunk and one block in memory.
"""

from __future__ import annotations

import errno
import hashlib
import math
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError, StoreError
from sim.release.cells import NO_TIME, SECONDS_PER_DAY, Source
from sim.release.codebook import Codebook
from sim.release.manifest import Manifest, checksums
from sim.release.sorting import counting_order, index_of_sorted, latest_of_duplicates
from sim.release.store import BLOCK_RECORDS, ITEM_COLUMNS, RECORD_COLUMNS, block_folder

ROW = np.dtype([("record", "<i4"), ("item", "<i4"), ("level", "<i4"), ("time", "<i8")])
_ROWS_AT_A_TIME = 1 << 21
_MOST_LEVELS = 65_534
_MOST_DAYS = 65_535

Progress = Callable[[int], None]


def build_store(
    source: Source,
    folder: Path,
    *,
    block_records: int = BLOCK_RECORDS,
    progress: Progress | None = None,
) -> Manifest:
    """Read a source into a new store.

    The store is written beside `folder` under a temporary name and renamed when it is whole.

    Parameters
    ----------
    source : Source
    folder : Path
        Where the store shall lie; must not exist.
    block_records : int
        Most records in a block; blocks are made as equal as can be.
    progress : callable, optional
        Called with `source.position()` after each chunk.

    Returns
    -------
    Manifest

    Raises
    ------
    InputError
        The source cannot be read, holds no rows, has more than 65,534 distinct values, or its
        dates span more than 65,535 days.
    StoreError
        The store cannot be written (no space, no permission).
    """
    work = folder.with_name(f".{folder.name}.building-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        manifest = _Builder(source, work, block_records, progress or (lambda _: None)).run()
        work.rename(folder)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError(
                f"{folder.parent}: the disk is full; free some space or set data.cache elsewhere"
            ) from None
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM, errno.ENOTDIR, errno.EEXIST):
            raise StoreError(
                f"{folder.parent}: cannot be written ({error.strerror}); set data.cache elsewhere"
            ) from None
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return manifest


@dataclass(slots=True)
class _Extent:
    """What the first pass learns about the whole."""

    rows: int = 0
    first_time: int = np.iinfo(np.int64).max
    last_time: int = np.iinfo(np.int64).min

    def take(self, time: NDArray[np.int64]) -> None:
        known = time[time != NO_TIME]
        if known.size:
            self.first_time = min(self.first_time, int(known.min()))
            self.last_time = max(self.last_time, int(known.max()))

    @property
    def first_day(self) -> int:
        return self.first_time // SECONDS_PER_DAY if self.last_time >= self.first_time else 0

    @property
    def n_days(self) -> int:
        if self.last_time < self.first_time:
            return 0
        return self.last_time // SECONDS_PER_DAY - self.first_day + 1


@dataclass(slots=True)
class _Totals:
    """What the blocks add up to."""

    cells: int = 0
    missing_values: int = 0
    missing_days: int = 0


class _Builder:
    def __init__(self, source: Source, work: Path, block_records: int, progress: Progress) -> None:
        if not 1 <= block_records <= BLOCK_RECORDS:
            raise ValueError(f"block_records must be in [1, {BLOCK_RECORDS}]")
        self.source, self.work, self.progress = source, work, progress
        self.most_records = block_records
        self.records, self.items, self.values = Codebook(), Codebook(), Codebook()
        self.extent = _Extent()

    def run(self) -> Manifest:
        spill = self.work / "rows.spill"
        self._spill(spill)
        self._check_extent()
        self.record_ids, record_of = self.records.finish()
        self.item_ids, item_of = self.items.finish()
        scale, level_of = self.values.finish()
        self.scale = [float(v) for v in scale.to_pylist()]
        n_blocks = math.ceil(len(record_of) / self.most_records)
        self.block_records = math.ceil(len(record_of) / n_blocks)
        # The last place of `level_of` is reached by code −1: no value.
        level_of = np.append(level_of, np.int32(len(self.scale)))
        self._deal(spill, record_of, item_of, level_of)
        spill.unlink()
        return self._write_blocks(math.ceil(len(record_of) / self.block_records))

    def _spill(self, path: Path) -> None:
        with path.open("wb", buffering=1 << 20) as out:
            for chunk in self.source.chunks():
                rows = np.empty(len(chunk), ROW)
                rows["record"] = self.records.encode(chunk.record)
                rows["item"] = self.items.encode(chunk.item)
                rows["level"] = -1 if chunk.value is None else self.values.encode(chunk.value)
                rows["time"] = NO_TIME if chunk.time is None else chunk.time
                self.extent.rows += len(chunk)
                self.extent.take(rows["time"])
                out.write(rows.tobytes())
                self._check_levels()
                self.progress(self.source.position())

    def _check_levels(self) -> None:
        if len(self.values) > _MOST_LEVELS:
            raise InputError(
                f"{self.source.name}: more than {_MOST_LEVELS} distinct values; round them first"
            )

    def _check_extent(self) -> None:
        if self.extent.rows == 0:
            raise InputError(f"{self.source.name}: holds no rows; expected at least one")
        if self.extent.n_days > _MOST_DAYS:
            raise InputError(
                f"{self.source.name}: dates span {self.extent.n_days} days, the most is "
                f"{_MOST_DAYS}; check the unit of the dates"
            )

    def _deal(
        self,
        spill: Path,
        record_of: NDArray[np.int32],
        item_of: NDArray[np.int32],
        level_of: NDArray[np.int32],
    ) -> None:
        """Append every row to its block's file, in file order."""
        for rows in _read_rows(spill):
            rows["record"] = record_of[rows["record"]]
            rows["item"] = item_of[rows["item"]]
            rows["level"] = level_of[rows["level"]]
            block = rows["record"] // self.block_records
            rows = rows[counting_order(block, int(block.max()) + 1)]
            bounds = index_of_sorted(np.sort(block), int(block.max()) + 1)
            for index in np.flatnonzero(np.diff(bounds)):
                folder = self.work / block_folder(int(index))
                folder.mkdir(exist_ok=True)
                with (folder / "rows").open("ab") as out:
                    out.write(rows[bounds[index] : bounds[index + 1]].tobytes())

    def _write_blocks(self, n_blocks: int) -> Manifest:
        n_items = len(self.item_ids)
        support = np.zeros(n_items, np.int64)
        length = np.empty(len(self.record_ids), np.int32)
        totals = _Totals()
        hashers = {name: hashlib.sha256() for name in ("length", "item", "level", "day")}
        for index in range(n_blocks):
            folder = self.work / block_folder(index)
            columns = self._write_block(folder, index * self.block_records, n_items)
            lengths = np.diff(columns["record_start"]).astype("<i4")
            length[index * self.block_records :][: lengths.size] = lengths
            support += np.diff(columns["item_start"])
            totals.cells += int(lengths.sum())
            totals.missing_values += int(
                np.count_nonzero(columns["record_level"] == len(self.scale))
            )
            totals.missing_days += int(
                np.count_nonzero(columns["record_day"] == self.extent.n_days)
            )
            hashers["length"].update(lengths.tobytes())
            for name in ("item", "level", "day"):
                hashers[name].update(columns[f"record_{name}"].tobytes())
        _write_arrow(self.work / "records.arrow", id=self.record_ids, length=pa.array(length))
        _write_arrow(self.work / "items.arrow", id=self.item_ids, support=pa.array(support))
        return self._write_manifest(totals, self._fingerprint(hashers))

    def _write_block(self, folder: Path, first: int, n_items: int) -> dict[str, NDArray[Any]]:
        path = folder / "rows"
        rows = np.fromfile(path, ROW)
        path.unlink()
        rows["record"] -= first
        n_records = min(self.block_records, len(self.record_ids) - first)
        order = counting_order(rows["item"], n_items)
        order = order[counting_order(rows["record"][order], n_records)]
        rows = rows[order]
        rows = rows[latest_of_duplicates(rows["record"], rows["item"], rows["time"])]
        level_type = np.uint8 if len(self.scale) < 256 else np.uint16
        level = rows["level"].astype(level_type)
        day = self._day_codes(rows["time"])
        by_item = counting_order(rows["item"], n_items)
        columns: dict[str, NDArray[Any]] = {
            "record_start": index_of_sorted(rows["record"], n_records),
            "record_item": rows["item"].astype(np.int32),
            "record_level": level,
            "record_day": day,
            "item_start": index_of_sorted(rows["item"], n_items),
            "item_row": rows["record"][by_item].astype(np.uint16),
            "item_level": level[by_item],
            "item_day": day[by_item],
        }
        for name in (*RECORD_COLUMNS, *ITEM_COLUMNS):
            np.save(folder / f"{name}.npy", columns[name], allow_pickle=False)
        return columns

    def _day_codes(self, time: NDArray[np.int64]) -> NDArray[np.uint16]:
        day = time // SECONDS_PER_DAY - self.extent.first_day
        return np.where(time == NO_TIME, self.extent.n_days, day).astype(np.uint16)

    def _fingerprint(self, hashers: dict[str, Any]) -> str:
        whole = hashlib.sha256()
        for ids in (self.record_ids, self.item_ids):
            part = hashlib.sha256()
            for identifier in ids.to_pylist():
                part.update(f"{identifier}\n".encode())
            whole.update(part.digest())
        whole.update(repr((self.scale, self.extent.first_day, self.extent.n_days)).encode())
        for name in sorted(hashers):
            whole.update(hashers[name].digest())
        return whole.hexdigest()

    def _write_manifest(self, totals: _Totals, fingerprint: str) -> Manifest:
        files = [str(p.relative_to(self.work)) for p in self.work.rglob("*") if p.is_file()]
        manifest = Manifest(
            source=self.source.name,
            input_fingerprint=self.source.fingerprint(),
            fingerprint=fingerprint,
            n_records=len(self.record_ids),
            n_items=len(self.item_ids),
            n_cells=totals.cells,
            n_duplicates=self.extent.rows - totals.cells,
            block_records=self.block_records,
            scale=self.scale,
            first_day=self.extent.first_day,
            n_days=self.extent.n_days,
            missing_values=totals.missing_values,
            missing_days=totals.missing_days,
            notes=dict(self.source.notes()),
            files=checksums(self.work, files),
        )
        manifest.write(self.work)
        return manifest


def _read_rows(path: Path) -> Iterator[NDArray[Any]]:
    with path.open("rb") as stream:
        while (rows := np.fromfile(stream, ROW, _ROWS_AT_A_TIME)).size:
            yield rows


def _write_arrow(path: Path, **columns: Any) -> None:
    table = pa.table(columns)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
