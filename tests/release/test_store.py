from __future__ import annotations

import errno
import multiprocessing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import MakeStore, Row, RowSource, random_rows, write_sealed

from sim.errors import InputError, StoreError
from sim.release.store import build
from sim.release.store.build import build_store
from sim.release.store.cache import open_or_build
from sim.release.store.manifest import SCHEMA, Manifest
from sim.release.store.store import Store
from sim.release.store.value_bins import UNBINNED

pytestmark = pytest.mark.fast

ROWS: list[Row] = [
    ("bob", "x", 3.0, 12),
    ("ann", "y", 4.5, 10),
    ("bob", "y", 4.5, 11),
    ("ann", "x", None, None),
]


def cells_of(store: Store) -> set[tuple[object, object, float | None, int | None]]:
    """All cells by the user's own identifiers, read back record-major."""
    found = set()
    m = store.manifest
    for index in range(m.n_blocks):
        block = store.block(index)
        for row in range(block.n_records):
            for k in range(block.record_start[row], block.record_start[row + 1]):
                level, day = int(block.record_level[k]), int(block.record_day[k])
                found.add(
                    (
                        store.records[block.first + row].as_py(),
                        store.items[int(block.record_item[k])].as_py(),
                        None if level == len(m.scale) else m.scale[level],
                        None if day == m.n_days else m.first_day + day,
                    )
                )
    return found


def test_holds_what_was_put_in(make_store: MakeStore) -> None:
    store = make_store(ROWS)
    assert cells_of(store) == set(ROWS)
    m = store.manifest
    assert (m.n_records, m.n_items, m.n_cells, m.n_duplicates) == (2, 2, 4, 0)
    assert m.scale == [3.0, 4.5]
    assert (m.first_day, m.n_days) == (10, 3)
    assert (m.missing_values, m.missing_days) == (1, 1)
    assert store.length.tolist() == [2, 2]
    assert store.support.tolist() == [2, 2]


def test_both_orders_hold_the_same_cells(make_store: MakeStore) -> None:
    store = make_store(random_rows(1, missing=0.2), block_records=7)
    for index in range(store.manifest.n_blocks):
        b = store.block(index)
        record = np.repeat(np.arange(b.n_records), np.diff(b.record_start))
        item = np.repeat(np.arange(store.manifest.n_items), np.diff(b.item_start))
        by_record = sorted(zip(record, b.record_item, b.record_level, b.record_day, strict=True))
        by_item = sorted(zip(b.item_row, item, b.item_level, b.item_day, strict=True))
        assert by_record == by_item
        for i in range(store.manifest.n_items):
            rows = b.item_row[b.item_start[i] : b.item_start[i + 1]]
            assert (np.diff(rows.astype(int)) > 0).all()


@given(
    seed=st.integers(0, 1000),
    chunk=st.integers(1, 50),
    block=st.integers(1, 50),
    shuffle=st.randoms(use_true_random=False),
)
def test_same_release_same_store(
    make_store: MakeStore, seed: int, chunk: int, block: int, shuffle: object
) -> None:
    rows = random_rows(seed, records=20, items=10, cells=60, missing=0.1)
    mixed = list(rows)
    shuffle.shuffle(mixed)
    a, b = make_store(rows), make_store(mixed, block_records=block, chunk=chunk)
    assert a.manifest.fingerprint == b.manifest.fingerprint
    assert cells_of(a) == cells_of(b) == set(rows)
    assert a.support.tolist() == b.support.tolist()


def test_another_release_another_fingerprint(make_store: MakeStore) -> None:
    for changed in (("bob", "x", 3.5, 12), ("bob", "x", 3.0, 13), ("bob", "z", 3.0, 12)):
        other = [changed, *ROWS[1:]]
        assert make_store(ROWS).manifest.fingerprint != make_store(other).manifest.fingerprint


def test_latest_of_duplicates_wins_and_the_greatest_value_where_dates_tie(
    make_store: MakeStore,
) -> None:
    rows: list[Row] = [
        (1, 1, 1.0, 20), (1, 1, 2.0, 10),  # the later date comes first in the file
        (1, 2, 4.0, 10), (1, 2, 3.0, 10), (1, 2, None, 10),  # same date
        (2, 1, 5.0, None), (2, 1, 1.0, None),  # no date
        (2, 2, 2.0, 9), (2, 2, 3.0, None),  # a date beats none
    ]  # fmt: skip
    store = make_store(rows, chunk=3)
    assert store.manifest.n_duplicates == 5
    assert cells_of(store) == {
        (1, 1, 1.0, 20), (1, 2, 4.0, 10), (2, 1, 5.0, None), (2, 2, 2.0, 9),
    }  # fmt: skip


def test_integers_are_sorted_as_numbers_and_strings_as_text(make_store: MakeStore) -> None:
    as_text = make_store([("10", "a", 1.0, 1), ("9", "b", 1.0, 1)])
    assert as_text.records.to_pylist() == [9, 10]
    kept = make_store([("10", "a", 1.0, 1), ("007", "b", 1.0, 1), ("7", "b", 1.0, 1)])
    assert kept.records.to_pylist() == ["007", "10", "7"]


def test_presence_only(make_store: MakeStore) -> None:
    store = make_store([(1, 1, None, None), (2, 1, None, None)])
    assert not store.manifest.has_values
    assert not store.manifest.has_days


def test_many_levels_take_two_bytes(make_store: MakeStore) -> None:
    rows: list[Row] = [(r, r % 7, float(r), 1) for r in range(300)]
    store = make_store(rows, value_bins=UNBINNED)
    assert store.block(0).item_level.dtype == np.uint16
    assert cells_of(store) == set(rows)


def test_rank_goes_by_support_then_identifier(make_store: MakeStore) -> None:
    rows: list[Row] = [(1, 5, 1.0, 1), (1, 4, 1.0, 1), (2, 4, 1.0, 1), (2, 3, 1.0, 1)]
    assert make_store(rows).rank.tolist() == [1, 0, 2]


def test_blocks_are_even(make_store: MakeStore) -> None:
    store = make_store([(r, 1, 1.0, 1) for r in range(10)], block_records=4)
    assert [store.block(b).n_records for b in range(store.manifest.n_blocks)] == [4, 4, 2]
    store = make_store([(r, 1, 1.0, 1) for r in range(9)], block_records=4)
    assert [store.block(b).n_records for b in range(store.manifest.n_blocks)] == [3, 3, 3]


def test_empty_and_overlong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no rows"):
        build_store(RowSource([]), tmp_path / "s")
    far: list[Row] = [(1, 1, 1.0, 0), (1, 2, 1.0, 70_000)]
    with pytest.raises(InputError, match="dates span 70001 days"):
        build_store(RowSource(far), tmp_path / "s")
    levels: list[Row] = [(1, i, i / 7, 0) for i in range(65_600)]
    with pytest.raises(InputError, match="more than 65534 distinct values"):
        build_store(RowSource(levels, value_bins=UNBINNED), tmp_path / "s")
    assert not list(tmp_path.iterdir()), "nothing half-written"


def test_a_full_disk_is_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(build.np, "save", full)
    with pytest.raises(StoreError, match="disk is full"):
        build_store(RowSource(ROWS), tmp_path / "s")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("damage", ["flip", "cut", "remove"])
def test_damage_is_found(make_store: MakeStore, damage: str) -> None:
    store = make_store(ROWS)
    path = store.folder / "block-00000" / "item_row.npy"
    content = bytearray(path.read_bytes())
    if damage == "flip":
        content[-1] ^= 1
        path.write_bytes(content)
        with pytest.raises(StoreError, match=r"item_row\.npy.*checksum"):
            Store(store.folder).verify()
        return
    if damage == "cut":
        path.write_bytes(content[:-1])
    else:
        path.unlink()
    with pytest.raises(StoreError, match=r"item_row\.npy"):
        Store(store.folder)


def test_not_a_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="not a store"):
        Store(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(StoreError, match="cannot be read"):
        Store(tmp_path)
    write_sealed(tmp_path / "manifest.json", {"schema": 999})
    with pytest.raises(StoreError, match="schema 999"):
        Store(tmp_path)


def _build(cache: Path, answers: multiprocessing.Queue[str]) -> None:
    store = open_or_build(RowSource(random_rows(3), name="same"), cache)
    answers.put(store.manifest.fingerprint)


def test_two_processes_build_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.Queue[str] = context.Queue()
    processes = [context.Process(target=_build, args=(tmp_path, answers)) for _ in range(3)]
    for process in processes:
        process.start()
    assert len({answers.get(timeout=60) for _ in processes}) == 1
    for process in processes:
        process.join()
    assert len([p for p in tmp_path.iterdir() if p.is_dir()]) == 1


def test_cache_is_used_and_leftovers_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = RowSource(ROWS)
    name = f"{source.fingerprint()[:32]}-{SCHEMA}-65536"
    left = [tmp_path / f".{name}", tmp_path / f"..{name}.building-99"]
    for folder in left:
        folder.mkdir()
    first = open_or_build(source, tmp_path)
    assert not any(folder.exists() for folder in left)
    monkeypatch.setattr(RowSource, "chunks", lambda _: pytest.fail("read again"))
    assert open_or_build(source, tmp_path).manifest == first.manifest


def test_two_versions_share_a_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each builds the store that it can read, and leaves the other's alone."""
    ours = open_or_build(RowSource(ROWS), tmp_path)
    with monkeypatch.context() as patch:
        for module in ("manifest", "cache"):
            patch.setattr(f"sim.release.store.{module}.SCHEMA", SCHEMA + 1)
        patch.setattr(Manifest.__init__, "__defaults__", (SCHEMA + 1,))  # its only one
        theirs = open_or_build(RowSource(ROWS), tmp_path)
        assert theirs.manifest.schema == SCHEMA + 1
        assert theirs.folder != ours.folder
        with pytest.raises(StoreError, match=rf"schema {SCHEMA}, this version reads {SCHEMA + 1}"):
            Store(ours.folder)
    monkeypatch.setattr(RowSource, "chunks", lambda _: pytest.fail("read again"))
    again = open_or_build(RowSource(ROWS), tmp_path)
    assert (again.folder, again.manifest) == (ours.folder, ours.manifest)
    with pytest.raises(StoreError, match=rf"schema {SCHEMA + 1}, this version reads {SCHEMA}"):
        Store(theirs.folder)


def test_cache_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"data\.cache"):
        open_or_build(RowSource(ROWS), tmp_path / "file" / "cache")
