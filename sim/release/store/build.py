"""Builds a store from a source's rows, in bounded memory.

Rows are first spilled as numbers in file order. Once all identifiers are known, they are
partitioned by block, and each block is sorted and written separately. Memory never holds more than
one chunk and one block for each thread, and a block takes less than 32 bytes a row. The store does
not depend on the number of threads.
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
from sim.files.disk import is_full
from sim.files.private import private
from sim.release.store.accounts import BINS, CUT, DISTINCT, RANGE, ROWS, TIMED
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY, Source
from sim.release.store.doubtful_ids import doubts
from sim.release.store.item_index import DENSE_AT_MOST, distinct, is_sparse, sparse_index
from sim.release.store.manifest import Manifest, checksums
from sim.release.store.narrow import narrow
from sim.release.store.number_codes import NumberCodes
from sim.release.store.odd_values import odd
from sim.release.store.repeats import Repeats, add_up, in_order_of_cells, take_all, take_one
from sim.release.store.sorting import by_item, partition, sorted_rows
from sim.release.store.store import (
    BLOCK_RECORDS,
    DENSE_INDEX,
    POSTING_COLUMNS,
    RECORD_COLUMNS,
    SPARSE_INDEX,
    block_folder,
)
from sim.release.store.threads import in_order, usable
from sim.release.store.time_bins import DAY, MAX_BINS, TimeBin
from sim.release.store.value_bins import MAX_LEVELS, ValueBins, usual
from sim.release.store.vocabulary import Vocabulary

SPILLED = np.dtype([("record", "<i4"), ("item", "<i4"), ("level", "<u4"), ("time", "<i8")])
"""A row in file order, with provisional codes; those of levels begin at 1, and 0 is no value."""

_ROWS_AT_A_TIME = 1 << 19
_MOST_LEVELS = 65_534
_MOST_DISTINCT = 1 << 22
"""Distinct values that are put into bins; four million take about 1 GB."""

Progress = Callable[[int], None]


@private()
def build_store(
    source: Source,
    folder: Path,
    *,
    block_records: int = BLOCK_RECORDS,
    dense_at_most: int = DENSE_AT_MOST,
    progress: Progress | None = None,
) -> Manifest:
    """Read a source into a new store.

    The store is written next to `folder` under a temporary name and renamed when complete.

    Parameters
    ----------
    folder : Path
        Where the store shall lie; must not exist.
    block_records : int
        Most records in a block; blocks are made as equal as can be.
    dense_at_most : int
        See `sim.release.store.item_index.is_sparse`.
    progress : callable, optional
        Called with `source.position()` after each chunk.

    Raises
    ------
    InputError
        The source cannot be read, holds no rows, has more than 65,534 distinct values (four million
        if they are put into bins) or one below the first edge of its bins, or its times span more
        than 65,535 bins of time.
    StoreError
        The store cannot be written (no space, no permission).
    """
    work = folder.with_name(f".{folder.name}.building-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        limits = block_records, dense_at_most
        manifest = _Builder(source, work, limits, progress or (lambda _: None)).run()
        work.rename(folder)
    except OSError as error:
        if is_full(error):
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
    """Facts about all rows that the first pass collects."""

    time_bin: TimeBin
    rows: int = 0
    first_time: int = np.iinfo(np.int64).max
    last_time: int = np.iinfo(np.int64).min
    timed: int = 0  # rows at another time than midnight
    cut: int = 0  # rows at another time than where their bin begins

    def take(self, time: NDArray[np.int64]) -> None:
        known = time if time.min(initial=0) != NO_TIME else time[time != NO_TIME]
        if known.size:
            self.first_time = min(self.first_time, int(known.min()))
            self.last_time = max(self.last_time, int(known.max()))
            timed = int(np.count_nonzero(known % SECONDS_PER_DAY))
            self.timed += timed
            is_day = self.time_bin == DAY
            self.cut += timed if is_day else int(np.count_nonzero(known != self._begin_of(known)))

    def _begin_of(self, time: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.time_bin.start(self.time_bin.of(time))

    @property
    def unit(self) -> int:
        """Seconds in the steps that all times are apart."""
        return 1 if self.timed else SECONDS_PER_DAY

    @property
    def first_day(self) -> int:
        return self._bin_of(self.first_time) if self.last_time >= self.first_time else 0

    @property
    def n_days(self) -> int:
        if self.last_time < self.first_time:
            return 0
        return self._bin_of(self.last_time) - self.first_day + 1

    def _bin_of(self, time: int) -> int:
        return int(self.time_bin.of(np.array([time]))[0])


@dataclass(slots=True)
class _Totals:
    """Totals over all blocks."""

    cells: int = 0
    repeats: int = 0
    missing_values: int = 0
    missing_days: int = 0


@dataclass(frozen=True, slots=True)
class _Written:
    """The columns of a written block that are still to be counted and hashed."""

    length: NDArray[np.int32]
    held: NDArray[np.int32]  # the items that have cells, and their supports and cells
    support: NDArray[np.int64]
    cells: NDArray[np.int64]
    item: NDArray[np.int32]
    level: NDArray[Any]
    day: NDArray[np.uint16]


class _Builder:
    def __init__(
        self, source: Source, work: Path, limits: tuple[int, int], progress: Progress
    ) -> None:
        block_records, self.dense_at_most = limits
        if not 1 <= block_records <= BLOCK_RECORDS:
            raise ValueError(f"block_records must be in [1, {BLOCK_RECORDS}]")
        self.source, self.work, self.progress = source, work, progress
        self.max_records = block_records
        self.records, self.items, self.values = Vocabulary(), Vocabulary(), NumberCodes()
        self.extent = _Extent(source.time_bin)
        self.repeats, self.bins = source.repeats, source.value_bins
        self.rows_of_level = np.zeros(0, np.int64)
        self.notes: dict[str, str | int] = {}
        self.any_sparse = False

    def run(self) -> Manifest:
        spill = self.work / "rows.spill"
        self._spill(spill)
        self._check_extent()
        self.record_ids, record_of = self.records.finish()
        self.item_ids, item_of = self.items.finish()
        self.scale, level_of = self._scale()
        self.row_dtype = self._row_dtype()
        n_blocks = math.ceil(len(record_of) / self.max_records)
        self.block_records = math.ceil(len(record_of) / n_blocks)
        self.n_blocks = math.ceil(len(record_of) / self.block_records)
        levels = np.append(len(self.scale), level_of).astype(_least_type(len(self.scale)))
        self._partition_rows(spill, record_of, item_of, levels)
        spill.unlink()
        if self.repeats.adds_up:
            self.scale = self._add_up()
        return self._write_blocks()

    def _spill(self, path: Path) -> None:
        with path.open("wb", buffering=1 << 20) as out:
            for chunk in self.source.chunks():
                if self.extent.rows == 0:
                    self.records, self.items = _codes(chunk.record), _codes(chunk.item)
                rows = np.empty(len(chunk), SPILLED)
                rows["record"] = self.records.encode(chunk.record)
                rows["item"] = self.items.encode(chunk.item)
                rows["level"] = 0 if chunk.value is None else self._levels(chunk.value)
                rows["time"] = NO_TIME if chunk.time is None else chunk.time
                self.extent.rows += len(chunk)
                if chunk.time is not None:
                    self.extent.take(chunk.time)
                out.write(rows.view(np.uint8))
                self.progress(self.source.position())

    def _levels(self, value: NDArray[np.float64]) -> NDArray[np.int32]:
        """Provisional codes from 1 on; 0 is no value."""
        if self.bins.is_pointwise and not self.repeats.adds_up:  # sums are binned, not their parts
            value = self.bins.of(value, self.source.name)
        levels = self.values.encode(value)
        most = _MOST_LEVELS if self.bins.kind == "none" else _MOST_DISTINCT
        if len(self.values) > most:
            raise _too_many_values(self.source, most)
        rows = np.bincount(levels[levels >= 0], minlength=self.rows_of_level.size)
        rows[: self.rows_of_level.size] += self.rows_of_level
        self.rows_of_level = rows
        return levels + 1

    def _scale(self) -> tuple[list[float], NDArray[Any]]:
        """The levels of values, ascending, and the final code of each provisional one."""
        found, level_of = self.values.finish()
        scale = np.array(found.to_pylist(), np.float64)
        if self.repeats.adds_up or not scale.size:
            return scale.tolist(), level_of
        bins = self.bins if self.bins.kind != "auto" else usual(scale.size, in_log2=False)
        rows = np.zeros(scale.size, np.int64)
        rows[level_of[: self.rows_of_level.size]] = self.rows_of_level
        self._note(bins, scale, rows)
        if bins.kind == "quantiles":
            low, place = np.unique(bins.of_distinct(scale, rows), return_inverse=True)
            return low.tolist(), place[level_of]
        return scale.tolist(), level_of

    def _note(
        self, bins: ValueBins, values: NDArray[np.float64], number: NDArray[np.int64]
    ) -> None:
        """Note the bins, and what is odd about values as they are before bins by quantiles."""
        if bins.kind != "none":
            self.notes[BINS] = str(bins)
        if bins.kind == "quantiles":
            self.notes[DISTINCT] = values.size
            self.notes[RANGE] = f"{values.min():g} to {values.max():g}"
        self.notes |= odd(values, number)

    def _add_up(self) -> list[float]:
        """Add up the rows of every record and item; return the levels of the results.

        The rows are replaced, and what they add up to is written next to them.
        """
        scale = np.append(self.scale, np.nan)
        is_whole = self.repeats is Repeats.COUNT or not np.mod(self.scale, 1.0).any()
        amounts, bins = np.empty(0), self.bins
        n_rows: NDArray[np.int64] = np.empty(0, np.int64)
        for index in range(self.n_blocks):
            amount = self._add_up_block(index, scale)
            if bins.is_pointwise:
                amount = bins.of(amount, self.source.name)
            known = amount[~np.isnan(amount)]
            amounts, place = np.unique(np.concatenate([amounts, known]), return_inverse=True)
            earlier = np.concatenate([n_rows, np.ones(known.size, np.int64)])
            n_rows = np.bincount(place, earlier, amounts.size).astype(np.int64)
            if bins.kind == "none" and amounts.size > _MOST_LEVELS:
                raise _too_many_values(self.source, _MOST_LEVELS)
            if bins.kind == "auto" and is_whole and amounts.size > MAX_LEVELS:
                bins = usual(amounts.size, in_log2=True)
                low, place = np.unique(bins.of(amounts), return_inverse=True)
                amounts, n_rows = low, np.bincount(place, n_rows, low.size).astype(np.int64)
        if self.repeats is Repeats.COUNT and amounts.size == 1 and amounts[0] == 1.0:
            return []  # nothing repeats, so there is nothing that a count says
        if bins.kind == "auto":
            bins = usual(amounts.size, in_log2=is_whole)
        if amounts.size:
            self._note(bins, amounts, n_rows)
        if bins.kind == "quantiles":
            amounts = np.unique(bins.of_distinct(amounts, n_rows))
        return [float(amount) for amount in amounts]

    def _add_up_block(self, index: int, scale: NDArray[np.float64]) -> NDArray[np.float64]:
        folder = self.work / block_folder(index)
        rows = np.fromfile(folder / "rows", self.row_dtype)
        order = sorted_rows(rows["row"], rows["item"], self._records_of(index), len(self.item_ids))
        is_count = self.repeats is Repeats.COUNT
        amount = np.ones(rows.size) if is_count else scale[rows["level"]]
        left, added = np.zeros(rows.size, self.row_dtype), np.empty(rows.size)
        n = add_up(
            order, (rows["row"], rows["item"], rows["when"]), amount,
            (left["row"], left["item"], left["when"], added),
        )  # fmt: skip
        left[:n].tofile(folder / "rows")
        added[:n].tofile(folder / "amounts")
        return added[:n]

    def _records_of(self, index: int) -> int:
        return min(self.block_records, len(self.record_ids) - index * self.block_records)

    def _check_extent(self) -> None:
        if self.extent.rows == 0:
            raise InputError(f"{self.source.name}: holds no rows; expected at least one")
        if self.extent.n_days > MAX_BINS:
            extent, width = self.extent, self.source.time_bin
            fitting = next(TimeBin.fitting(extent.first_time, extent.last_time), None)
            instead = "" if fitting is None else f", or set data.time_bin={fitting}, or wider"
            raise InputError(
                f"{self.source.name}: dates span {extent.n_days} {width.words}s, the most is "
                f"{MAX_BINS}; check the unit of the dates{instead}"
            )

    def _row_dtype(self) -> np.dtype[np.void]:
        """Type of a row in its block, with final codes; `when` counts units from 1, 0 for none."""
        span = (self.extent.last_time - self.extent.first_time) // self.extent.unit
        when = "<u4" if span < np.iinfo(np.uint32).max else "<u8"
        level = _least_type(len(self.scale))
        return np.dtype([("row", "<u2"), ("item", "<i4"), ("level", level), ("when", when)])

    def _partition_rows(
        self,
        spill: Path,
        record_of: NDArray[np.int32],
        item_of: NDArray[np.int32],
        level_of: NDArray[Any],
    ) -> None:
        """Append every row to its block's file, in file order."""
        dtype, extent = self.row_dtype, self.extent

        def partitioned(spilled: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
            rows = np.empty(spilled.size, dtype)
            start: NDArray[np.int64] = partition(
                tuple(spilled[name] for name in ("record", "item", "level", "time")),
                (record_of, item_of, level_of),
                self.block_records,
                self.n_blocks,
                extent.first_time,
                extent.unit,
                tuple(rows[name] for name in ("row", "item", "level", "when")),
            )
            return rows, start

        for index in range(self.n_blocks):
            (self.work / block_folder(index)).mkdir()
        for _, (rows, bounds) in in_order(partitioned, _read_rows(spill), usable()):
            for index in np.flatnonzero(np.diff(bounds)).tolist():
                with (self.work / block_folder(index) / "rows").open("ab", 0) as out:
                    out.write(rows[bounds[index] : bounds[index + 1]].view(np.uint8))

    def _write_blocks(self) -> Manifest:
        support = np.zeros(len(self.item_ids), np.int64)
        cells = np.zeros(len(self.item_ids), np.int64)
        length = np.empty(len(self.record_ids), np.int32)
        totals = _Totals()
        hashers = {name: hashlib.sha256() for name in ("length", "item", "level", "day")}
        blocks = in_order(self._write_block, range(self.n_blocks), usable(), ahead=0)
        for index, block in blocks:
            length[index * self.block_records :][: block.length.size] = block.length
            support[block.held] += block.support
            cells[block.held] += block.cells
            totals.cells += block.item.size
            totals.repeats += block.item.size - int(block.support.sum())
            totals.missing_values += int(np.count_nonzero(block.level == len(self.scale)))
            totals.missing_days += int(np.count_nonzero(block.day == self.extent.n_days))
            for name, hasher in hashers.items():
                hasher.update(np.ascontiguousarray(getattr(block, name)))
            del block
        records = {"id": self.record_ids, "length": pa.array(length)}
        items = {"id": self.item_ids, "support": pa.array(support), "cells": pa.array(cells)}
        if self.any_sparse:  # records and items are many beside the cells
            records, items = ({name: narrow(c) for name, c in t.items()} for t in (records, items))
            if not totals.repeats:
                del items["cells"]  # they are the supports
        _write_arrow(self.work / "records.arrow", **records)
        _write_arrow(self.work / "items.arrow", **items)
        return self._write_manifest(totals, self._fingerprint(hashers))

    def _write_block(self, index: int) -> _Written:
        folder = self.work / block_folder(index)
        n_items = len(self.item_ids)
        start, item, level, day = self._by_record(folder, self._records_of(index), n_items)
        by_record = start, item, level, day
        columns: dict[str, NDArray[Any]] = dict(zip(RECORD_COLUMNS, by_record, strict=True))
        posting_item, *postings = by_item(*by_record, n_items)
        columns |= zip(POSTING_COLUMNS, postings, strict=True)
        held, begin = distinct(posting_item)
        if is_sparse(n_items, item.size, self.dense_at_most):
            self.any_sparse = True
            columns |= zip(SPARSE_INDEX, sparse_index(posting_item, n_items), strict=True)
            columns[RECORD_COLUMNS[0]] = start.astype(np.uint32)  # fewer cells than 2 · items
        else:
            number = np.bincount(posting_item, minlength=n_items)
            columns[DENSE_INDEX[0]] = np.concatenate([[0], np.cumsum(number)])
        for name, column in columns.items():
            np.save(folder / f"{name}.npy", column, allow_pickle=False)
        length = np.diff(start).astype("<i4")
        cells = support = np.diff(begin)
        if self.repeats.keeps_all:
            support = _holders(begin, columns["item_row"])
        return _Written(length, held, support, cells, item, level, day)

    def _by_record(
        self, folder: Path, n_records: int, n_items: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any], NDArray[np.uint16]]:
        """Starts, items, level and day codes of a block's cells, sorted by record, then item."""
        rows = np.fromfile(folder / "rows", self.row_dtype)
        (folder / "rows").unlink()
        if self.repeats.adds_up:
            rows["level"] = self._levels_of_amounts(folder / "amounts")
        first = None
        if self.repeats.keeps_all:
            first = in_order_of_cells(self._day_codes(rows["when"]), rows["level"], rows["when"])
        order = sorted_rows(rows["row"], rows["item"], n_records, n_items, first)
        start = np.empty(n_records + 1, np.int64)
        item = np.empty(rows.size, np.int32)
        level = np.empty(rows.size, np.uint8 if len(self.scale) < 256 else np.uint16)
        when = np.empty(rows.size, rows["when"].dtype)
        given = rows["row"], rows["item"], rows["level"], rows["when"]
        out = start, item, level, when
        if self.repeats.keeps_all:
            n = take_all(order, given, self.repeats is Repeats.ALL, out)
        else:
            n = take_one(order, given, self.repeats is Repeats.FIRST, out)
        del rows, given, order, first
        if n < item.size:
            item, level, when = item[:n].copy(), level[:n].copy(), when[:n]
        return start, item, level, self._day_codes(when)

    def _levels_of_amounts(self, path: Path) -> NDArray[np.int64]:
        amount = np.fromfile(path)
        path.unlink()
        scale = np.array(self.scale)
        if not scale.size:
            return np.zeros(amount.size, np.int64)  # no value
        place = np.searchsorted(scale, amount, side="right") - 1  # in a bin: its lower end
        return np.where(np.isnan(amount), scale.size, place)

    def _day_codes(self, when: NDArray[Any]) -> NDArray[np.uint16]:
        extent = self.extent
        days = np.empty(when.size, np.uint16)
        for begin in range(0, when.size, _ROWS_AT_A_TIME):  # so that what is in between is small
            part = when[begin : begin + _ROWS_AT_A_TIME].astype(np.int64)
            time = extent.first_time + (part - 1) * extent.unit
            number = extent.time_bin.of(time) - extent.first_day
            code = np.where(part == 0, extent.n_days, number)
            days[begin : begin + part.size] = code
        return days

    def _fingerprint(self, hashers: dict[str, Any]) -> str:
        whole = hashlib.sha256()
        for ids in (self.record_ids, self.item_ids):
            part = hashlib.sha256()
            for begin in range(0, len(ids), _ROWS_AT_A_TIME):
                some = ids.slice(begin, _ROWS_AT_A_TIME).to_pylist()
                part.update("".join(f"{identifier}\n" for identifier in some).encode())
            whole.update(part.digest())
        extent = self.extent
        width = () if extent.time_bin == DAY else (str(extent.time_bin),)
        whole.update(repr((self.scale, extent.first_day, extent.n_days, *width)).encode())
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
            repeats=str(self.repeats),
            n_repeats=totals.repeats,
            block_records=self.block_records,
            scale=self.scale,
            time_bin=str(self.extent.time_bin),
            first_day=self.extent.first_day,
            n_days=self.extent.n_days,
            missing_values=totals.missing_values,
            missing_days=totals.missing_days,
            notes={
                ROWS: self.extent.rows,
                **self.source.notes(),
                **self.notes,
                **(self._cut_off() if self.extent.n_days else {}),
                **doubts("people", self.record_ids),
                **doubts("items", self.item_ids),
            },
            files=checksums(self.work, files),
        )
        manifest.write(self.work)
        return manifest

    def _cut_off(self) -> dict[str, int]:
        return {TIMED: self.extent.timed, CUT: self.extent.cut}


def _codes(ids: Any) -> Vocabulary:
    """Return a new vocabulary for identifiers of this type."""
    return NumberCodes() if isinstance(ids, np.ndarray) else Vocabulary()


def _least_type(most: int) -> np.dtype[Any]:
    """Return the type of codes up to a number."""
    return np.dtype("<u2" if most <= np.iinfo(np.uint16).max else "<u4")


def _too_many_values(source: Source, most: int) -> InputError:
    return InputError(
        f"{source.name}: more than {most} distinct values; round them, or set data.value_bins=log2"
    )


def _holders(item_start: NDArray[np.int64], item_row: NDArray[Any]) -> NDArray[np.int64]:
    """Records that hold each item, from its cells by ascending row."""
    is_new = np.diff(item_row.astype(np.int32), prepend=-1) != 0
    is_new[item_start[:-1]] = True
    reach = np.concatenate([[0], np.cumsum(is_new)])
    return np.diff(reach[item_start])


def _read_rows(path: Path) -> Iterator[NDArray[Any]]:
    with path.open("rb") as stream:
        while (rows := np.fromfile(stream, SPILLED, _ROWS_AT_A_TIME)).size:
            yield rows


def _write_arrow(path: Path, **columns: Any) -> None:
    table = pa.table(columns)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
