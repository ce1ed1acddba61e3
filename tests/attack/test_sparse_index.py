"""The index of a block: whichever it has, the same cells are found, and the same is decided."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from attacking import decide
from both_scans import RELEASES
from every_attack import EVERY, mixed
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows

from sim.attack.engine import census
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.measurements.item_bits import item_bits
from sim.measurements.neighbours.metric import RecordSimilarity
from sim.measurements.neighbours.nearest import nearest
from sim.measurements.points import BlockPoints, Coding
from sim.release.store import item_index
from sim.release.store.item_index import find, is_sparse, runs, sparse_index
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store, files_of

SPARSE = {"dense_at_most": -1}


def both(make_store: MakeStore, monkeypatch: Any, *args: Any, **given: Any) -> list[Store]:
    """The same release with a dense index, and with a sparse one, however many cells it has."""
    dense = make_store(*args, **given)
    monkeypatch.setattr(item_index, "_BYTES_A_CELL", 0)
    sparse = make_store(*args, **given, **SPARSE)
    monkeypatch.undo()
    assert dense.block(0).item_start is not None
    assert sparse.block(0).item_start is None
    assert dense.manifest.fingerprint == sparse.manifest.fingerprint
    assert dense.support.tolist() == sparse.support.tolist()
    assert dense.cells.tolist() == sparse.cells.tolist()
    return [dense, sparse]


@given(
    st.lists(st.integers(0, 70_000), max_size=80),
    st.lists(st.integers(-1, 70_000), max_size=20),
    st.sampled_from([70_001, 16_800_000, 2_000_000_000]),
)
def test_cells_are_found_by_item(held: list[int], asked: list[int], n_items: int) -> None:
    item = np.sort(np.array(held, np.int32))
    bucket, low = sparse_index(item, n_items)
    wanted = np.array([*asked, *held], np.int32)
    for i, begin, end in zip(wanted.tolist(), *find(bucket, low, wanted), strict=True):
        assert item[begin:end].tolist() == [i] * held.count(i)
    items, start = runs(bucket, low)
    assert np.repeat(items, np.diff(start)).tolist() == item.tolist()
    assert bucket.nbytes + low.nbytes <= 4 * item.size + 8


@pytest.mark.parametrize(("times", "kind"), [(1, np.uint32), (40, np.uint16), (40_000, np.uint8)])
def test_as_many_low_bits_as_take_the_fewest_bytes(times: int, kind: type) -> None:
    item = np.repeat(np.array([5, 255, 256, 4_000_000], np.int32), times)
    bucket, low = sparse_index(item, 4_000_001)
    assert low.dtype == kind
    begin, end = find(bucket, low, np.array([256, 255, 257, 4_000_000, 0]))
    assert begin.tolist() == [2 * times, times, 0, 3 * times, 0]
    assert end.tolist() == [3 * times, 2 * times, 0, 4 * times, 0]


def test_a_block_is_sparse_by_its_cells_and_the_items() -> None:
    assert not is_sparse(131_071, 1)  # a mebibyte
    assert is_sparse(131_072, 1)
    assert is_sparse(1_000_000, 2_000_001)
    assert not is_sparse(1_000_000, 2_000_002)  # 4 bytes a cell


def test_a_block_by_hand(make_store: MakeStore, monkeypatch: Any) -> None:
    rows = [("ann", "x", 1.0, 3), ("bob", "x", 2.0, 3), ("bob", "z", 1.0, 4), ("eve", "y", 1.0, 5)]
    _, store = both(make_store, monkeypatch, rows, block_records=2)
    first, second = store.block(0), store.block(1)  # ann and bob; eve
    assert [first.item_bucket.tolist(), first.item_low.tolist()] == [[0, 3], [0, 0, 2]]
    assert [second.item_bucket.tolist(), second.item_low.tolist()] == [[0, 1], [1]]
    x_y_z_none = np.array([0, 1, 2, -1])
    assert [a.tolist() for a in first.postings_of(x_y_z_none)] == [[0, 0, 2, 0], [2, 0, 3, 0]]
    assert [a.tolist() for a in second.postings_of(x_y_z_none)] == [[0, 0, 0, 0], [0, 1, 0, 0]]
    assert [a.tolist() for a in first.items()] == [[0, 2], [0, 2, 3]]
    assert first.item_row.tolist() == [0, 1, 1]
    listed = store.manifest.files
    assert set(listed) == set(files_of(2, listed))
    assert "block-00000/item_start.npy" not in listed


def written(store: Store) -> dict[str, str]:
    """The types of some columns on the disk."""
    found = {"record_start": str(np.load(store.folder / "block-00000/record_start.npy").dtype)}
    for name in ("records", "items"):
        table = pa.ipc.open_file(str(store.folder / f"{name}.arrow")).read_all()
        found |= {f"{name} {column.name}": str(column.type) for column in table.schema}
    return found


@pytest.mark.parametrize("rule", [Repeats.LATEST, Repeats.ALL])
@pytest.mark.parametrize(("far", "ids"), [(2**31 - 1, "int32"), (2**31, "int64")])
def test_numbers_take_32_bits_on_the_disk_where_they_fit(
    make_store: MakeStore, monkeypatch: Any, rule: Repeats, far: int, ids: str
) -> None:
    given = [(far, -(2**31), 1.0, 3), *random_rows(3, repeats=rule is Repeats.ALL)]
    dense, sparse = both(make_store, monkeypatch, given, block_records=7, repeats=rule)
    cells = {"items cells": "int32"} if rule is Repeats.ALL else {}  # else they are the supports
    assert written(sparse) == cells | {
        "record_start": "uint32", "records id": ids, "records length": "int32",
        "items id": "int32", "items support": "int32",
    }  # fmt: skip
    assert written(dense) == {
        "record_start": "int64", "records id": "int64", "records length": "int32",
        "items id": "int64", "items support": "int64", "items cells": "int64",
    }  # fmt: skip
    for store in (dense, sparse):
        block = store.block(1)
        assert store.records.type == store.items.type == pa.int64()
        assert store.records[-1].as_py() == far
        assert store.support.dtype == store.cells.dtype == block.record_start.dtype == np.int64
        assert not block.record_start.flags.writeable
        assert block.n_cells == block.record_start[-1] > 0
    assert sparse.records.equals(dense.records)
    assert sparse.items.equals(dense.items)
    assert sparse.block(1).record_start.tolist() == dense.block(1).record_start.tolist()


@pytest.mark.parametrize("attack", EVERY, ids=lambda attack: attack.name)
@pytest.mark.parametrize("rule", [Repeats.LATEST, Repeats.ALL])
def test_every_attack_decides_alike(
    make_store: MakeStore, monkeypatch: Any, attack: Algorithm, rule: Repeats
) -> None:
    given = random_rows(3, cells=700, missing=0.1, repeats=rule is Repeats.ALL)
    stores = both(make_store, monkeypatch, given, block_records=7, repeats=rule)
    found = [decide(store, mixed(store, attack), attack) for store in stores]
    for name in Decisions.__slots__:
        one, other = (np.asarray(getattr(each, name)) for each in found)
        assert one.tobytes() == other.tobytes(), name


@settings(max_examples=examples(10))
@given(release=RELEASES, block=st.sampled_from([7, 60]))
def test_all_that_reads_cells_by_item_finds_the_same(
    make_store: MakeStore, monkeypatch: Any, release: Any, block: int
) -> None:
    release = {**release, "records": max(release["records"], 2)}
    given = random_rows(cells=release["records"] * 4, **release)
    rule = Repeats.ALL if release["repeats"] else Repeats.LATEST
    stores = both(make_store, monkeypatch, given, block_records=block, repeats=rule)
    item = np.arange(stores[0].manifest.n_items)
    found: list[dict[str, Any]] = []
    for store in stores:
        m = store.manifest
        coding = Coding(np.zeros(m.n_days + 1, np.int64), 1)
        has_repeats = release["repeats"]  # then neighbours and bits are not asked for
        near = None
        if not has_repeats:
            one = nearest(store, np.arange(m.n_records), RecordSimilarity(0.0, 1))
            near = np.stack([one.record, one.agree, one.union])
        found.append(
            {
                "levels": census.levels_of_items(store).of(item),
                "bits": None if has_repeats else item_bits(store, 0.0, 1),
                "points": BlockPoints.of(store.block(0), coding).point,
                "rank": store.rank,
                "near": near,
            }
        )
    for name, value in found[0].items():
        if value is not None:
            assert np.array_equal(value, found[1][name], equal_nan=name == "bits"), name
