"""Builds a store from a source's rows, in bounded memory.

Rows are first spilled as numbers in file order. Once all identifiers are known, they are
partitioned by block, and each block is sorted and written separately. Memory never holds more than
one chunk and one block for each thread, and a block takes less than 32 bytes a row. The store does
not depend on the number of threads.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError, StoreError
from sim.files.disk import is_full
from sim.files.private import private
from sim.release.store.assembly import Assembly, make_block_folders
from sim.release.store.block_rows import BlockCounts, added_up, block_of, write
from sim.release.store.cells import Source
from sim.release.store.extent import Extent
from sim.release.store.first_pass import SPILLED, FirstPass, Treatment
from sim.release.store.item_index import DENSE_AT_MOST
from sim.release.store.layout import Final, Layout, layout_of, least_type
from sim.release.store.levels import Amounts, Levels, distinct, levels_of
from sim.release.store.manifest import Manifest
from sim.release.store.placeholders import DATES
from sim.release.store.store import BLOCK_RECORDS, RECORD_COLUMNS, block_folder
from sim.release.store.threads import in_order, threads_for
from sim.release.store.time_bins import MAX_BINS, TimeBin
from sim.release.store.unread_rows import write_unread

_ROWS_AT_A_TIME = 1 << 19

Progress = Callable[[int], None]

Limits = tuple[int, int]
"""Most records in a block; bytes up to which an index is dense."""


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
    if not 1 <= block_records <= BLOCK_RECORDS:
        raise ValueError(f"block_records must be in [1, {BLOCK_RECORDS}]")
    work = folder.with_name(f".{folder.name}.building-{os.getpid()}")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        limits = block_records, dense_at_most
        manifest = _build(source, work, limits, progress or (lambda _: None))
        write_unread(source, work)
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


def _build(source: Source, work: Path, limits: Limits, progress: Progress) -> Manifest:
    """Write the files of a store below `work`, an empty folder; see `build_store`."""
    first, spill = FirstPass(_treatment(source)), work / "rows.spill"
    with spill.open("wb", buffering=1 << 20) as out:
        for chunk in source.chunks():
            out.write(first.take(chunk).view(np.uint8))
            progress(source.position())
    layout, final, ids, levels = _planned(first, limits)
    extent = first.extent
    del first
    make_block_folders(work, layout.n_blocks)
    threads = threads_for(extent.rows)
    _partition_rows(spill, work, layout, final, threads)
    del final
    spill.unlink()
    if layout.repeats.adds_up:
        levels = _add_up(work, layout, _treatment(source))
        layout = replace(layout, scale=levels.scale)
    assembly = Assembly(work, ids, layout)

    def written(index: int) -> tuple[BlockCounts, list[Any]]:
        folder, amount = work / block_folder(index), None
        if layout.repeats.adds_up:
            amount = np.fromfile(folder / "amounts")
            (folder / "amounts").unlink()
        rows = np.fromfile(folder / "rows", layout.row_dtype)
        (folder / "rows").unlink()
        columns, counts = block_of(rows, amount, layout.records_of(index), layout)
        write(columns, folder)
        return counts, [columns[name] for name in RECORD_COLUMNS[1:]]

    for _, block in in_order(written, range(layout.n_blocks), threads, ahead=0):
        assembly.take(*block)
        del block
    return assembly.finish(source, extent, levels.notes)


def _treatment(source: Source) -> Treatment:
    """Return what is done with the rows of a source."""
    return Treatment(source.name, source.repeats, source.value_bins, source.time_bin)


def _planned(first: FirstPass, limits: Limits) -> tuple[Layout, Final, tuple[Any, Any], Levels]:
    """Return what the second pass goes by, and the identifiers of records and items.

    Nothing can be taken by the first pass any more.

    Raises
    ------
    InputError
        There are no rows, or their times span too many bins.
    """
    treatment, extent = first.treatment, first.extent
    _check(extent, treatment.name)
    record_ids, record_of = first.records.finish()
    item_ids, item_of = first.items.finish()
    levels = levels_of(first.values, first.rows_of_level, treatment)
    counts = len(record_ids), len(item_ids)
    layout = layout_of(counts, limits, levels.scale, treatment.repeats, extent)
    none = len(levels.scale)
    level_of = np.append(none, levels.of_code).astype(least_type(none))
    return layout, Final(record_of, item_of, level_of), (record_ids, item_ids), levels


def _check(extent: Extent, name: str) -> None:
    if extent.rows == 0:
        raise InputError(f"{name}: holds no rows; expected at least one")
    if extent.n_days > MAX_BINS:
        width = extent.time_bin
        fitting = next(TimeBin.fitting(extent.first_time, extent.last_time), None)
        instead = "" if fitting is None else f", or set data.time_bin={fitting}, or wider"
        ends = (str(np.datetime64(t, "s"))[:10] for t in (extent.first_time, extent.last_time))
        if unset := [day for day in ends if day in DATES]:
            instead += f", or data.placeholders=[{','.join(unset)}] if that stands for none"
        raise InputError(
            f"{name}: dates span {extent.n_days} {width.words}s, the most is {MAX_BINS}; check the "
            f"unit of the dates{instead}"
        )


def _partition_rows(spill: Path, work: Path, layout: Layout, final: Final, threads: int) -> None:
    """Append every row to its block's file, in file order."""

    def partitioned(spilled: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        return layout.partitioned(spilled, final)

    for _, (rows, bounds) in in_order(partitioned, _read_rows(spill), threads):
        for index in np.flatnonzero(np.diff(bounds)).tolist():
            with (work / block_folder(index) / "rows").open("ab", 0) as out:
                out.write(rows[bounds[index] : bounds[index + 1]].view(np.uint8))


def _add_up(work: Path, layout: Layout, treatment: Treatment) -> Levels:
    """Add up the rows of every record and item; return the levels of the results.

    The rows are replaced, and what they add up to is written next to them.
    """
    amounts = Amounts(layout.scale, treatment)
    for index in range(layout.n_blocks):
        folder = work / block_folder(index)
        rows = np.fromfile(folder / "rows", layout.row_dtype)
        left, added = added_up(rows, layout.records_of(index), layout.scale, layout)
        left.tofile(folder / "rows")
        added.tofile(folder / "amounts")
        amounts.take(*distinct(added))
    return amounts.levels()


def _read_rows(path: Path) -> Iterator[NDArray[Any]]:
    with path.open("rb") as stream:
        while (rows := np.fromfile(stream, SPILLED, _ROWS_AT_A_TIME)).size:
            yield rows
