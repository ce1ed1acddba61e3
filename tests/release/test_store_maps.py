"""Blocks are mapped, not read; and maps cost no file descriptor, of which a process has few."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest
from making import MakeStore, random_rows

from sim.release.store.store import ITEM_COLUMNS, RECORD_COLUMNS


def test_no_file_stays_open(make_store: MakeStore) -> None:
    opened = Path("/proc/self/fd")
    if not opened.is_dir():
        pytest.skip("this system does not list open files")
    store = make_store(random_rows(1, records=60), block_records=1)
    before = len(list(opened.iterdir()))
    blocks = [store.block(b) for b in range(store.manifest.n_blocks)]
    assert len(blocks) > 20
    assert len(list(opened.iterdir())) == before


def test_columns_are_what_was_written(make_store: MakeStore) -> None:
    store = make_store(random_rows(2), block_records=7)
    for index in range(store.manifest.n_blocks):
        for name in (*RECORD_COLUMNS, *ITEM_COLUMNS):
            column = getattr(store.block(index), name)
            written = np.load(store.folder / f"block-{index:05d}" / f"{name}.npy")
            assert column.dtype == written.dtype
            np.testing.assert_array_equal(column, written)
            assert not column.flags.writeable


def test_a_block_is_mapped_once_and_let_go_with_its_store(make_store: MakeStore) -> None:
    store = make_store(random_rows(3))
    block = store.block(0)
    assert store.block(0) is block
    gone = weakref.ref(block.record_item)
    del block, store
    gc.collect()
    assert gone() is None
