"""Puts the blocks of a store together: its lists of records and items, and its manifest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sim.release.store.accounts import CUT, ROWS, TIMED
from sim.release.store.block_rows import BlockCounts
from sim.release.store.cells import Source
from sim.release.store.doubtful_ids import doubts
from sim.release.store.extent import Extent
from sim.release.store.layout import Layout
from sim.release.store.manifest import Manifest, checksums
from sim.release.store.narrow import narrow
from sim.release.store.store import block_folder
from sim.release.store.time_bins import DAY

_IDS_AT_A_TIME = 1 << 19


class Assembly:
    """Takes the blocks of a store in order, and completes it.

    Parameters
    ----------
    work : Path
        Folder of the store.
    ids : tuple of pyarrow array
        Identifiers of records and of items, sorted.
    """

    def __init__(self, work: Path, ids: tuple[Any, Any], layout: Layout) -> None:
        self._work, self._layout = work, layout
        self._record_ids, self._item_ids = ids
        self._length = np.empty(layout.n_records, np.int32)
        self._support = np.zeros(layout.n_items, np.int64)
        self._cells = np.zeros(layout.n_items, np.int64)
        self._n_cells = self._missing_values = self._missing_days = self._n_blocks = 0
        self._is_sparse = False
        self._hashers = {name: hashlib.sha256() for name in ("length", "item", "level", "day")}

    def take(self, counts: BlockCounts, cells: Sequence[Any]) -> None:
        """Take the next block, whose files are written.

        Parameters
        ----------
        cells : sequence of three arrays
            Items, levels and day codes of its cells, in the order of records.
        """
        first = self._n_blocks * self._layout.block_records
        self._length[first:][: counts.length.size] = counts.length
        self._support[counts.held] += counts.support
        self._cells[counts.held] += counts.cells
        self._n_cells += counts.n_cells
        self._missing_values += counts.missing_values
        self._missing_days += counts.missing_days
        self._is_sparse |= counts.is_sparse
        self._n_blocks += 1
        for hasher, column in zip(self._hashers.values(), (counts.length, *cells), strict=True):
            hasher.update(np.ascontiguousarray(column))

    def finish(self, source: Source, extent: Extent, notes: Mapping[str, Any]) -> Manifest:
        """Write the lists and the manifest.

        Parameters
        ----------
        notes : mapping
            On the values.
        """
        layout = self._layout
        n_repeats = self._n_cells - int(self._support.sum())
        records = {"id": self._record_ids, "length": pa.array(self._length)}
        items = {
            "id": self._item_ids,
            "support": pa.array(self._support),
            "cells": pa.array(self._cells),
        }
        if self._is_sparse:  # records and items are many beside the cells
            records, items = ({name: narrow(c) for name, c in t.items()} for t in (records, items))
            if not n_repeats:
                del items["cells"]  # they are the supports
        _write_arrow(self._work / "records.arrow", **records)
        _write_arrow(self._work / "items.arrow", **items)
        files = [str(p.relative_to(self._work)) for p in self._work.rglob("*") if p.is_file()]
        manifest = Manifest(
            source=source.name,
            input_fingerprint=source.fingerprint(),
            fingerprint=self._fingerprint(),
            n_records=layout.n_records,
            n_items=layout.n_items,
            n_cells=self._n_cells,
            n_duplicates=extent.rows - self._n_cells,
            repeats=str(layout.repeats),
            n_repeats=n_repeats,
            block_records=layout.block_records,
            scale=layout.scale,
            time_bin=str(layout.time_bin),
            first_day=layout.first_day,
            n_days=layout.n_days,
            missing_values=self._missing_values,
            missing_days=self._missing_days,
            notes={
                ROWS: extent.rows,
                **source.notes(),
                **notes,
                **({TIMED: extent.timed, CUT: extent.cut} if layout.n_days else {}),
                **doubts("people", self._record_ids),
                **doubts("items", self._item_ids),
            },
            files=checksums(self._work, files),
        )
        manifest.write(self._work)
        return manifest

    def _fingerprint(self) -> str:
        whole = hashlib.sha256()
        for ids in (self._record_ids, self._item_ids):
            part = hashlib.sha256()
            for begin in range(0, len(ids), _IDS_AT_A_TIME):
                some = ids.slice(begin, _IDS_AT_A_TIME).to_pylist()
                part.update("".join(f"{identifier}\n" for identifier in some).encode())
            whole.update(part.digest())
        layout = self._layout
        width = () if layout.time_bin == DAY else (str(layout.time_bin),)
        whole.update(repr((layout.scale, layout.first_day, layout.n_days, *width)).encode())
        for name in sorted(self._hashers):
            whole.update(self._hashers[name].digest())
        return whole.hexdigest()


def make_block_folders(work: Path, n_blocks: int) -> None:
    """Make the folders of all blocks."""
    for index in range(n_blocks):
        (work / block_folder(index)).mkdir()


def _write_arrow(path: Path, **columns: Any) -> None:
    table = pa.table(columns)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
