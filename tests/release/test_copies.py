"""Copies of parts of a store: whole files or none, checked each time, fetched once by all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from making import MakeStore, random_rows

from sim.errors import StoreError
from sim.release.store.copies import PartialCopy
from sim.release.store.store import ITEM_COLUMNS, RECORD_COLUMNS, Store, files_to_score


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    made = make_store(random_rows(5, records=60, items=20, cells=500), block_records=20)
    assert made.manifest.n_blocks == 3
    return made


class Lender:
    """Gives files in pieces of seven bytes, some of them damaged or not at all."""

    def __init__(self, store: Store) -> None:
        self.folder = store.folder
        self.asked: list[str] = []
        self.damaged = 0
        self.breaks = False

    def __call__(self, name: str) -> Iterator[bytes]:
        self.asked.append(name)
        content = (self.folder / name).read_bytes()
        if self.damaged:
            self.damaged -= 1
            content = content[:-1] + bytes([content[-1] ^ 1])
        for begin in range(0, len(content), 7):
            if self.breaks and begin > 20:
                raise KeyboardInterrupt
            yield content[begin : begin + 7]


@pytest.fixture
def lender(store: Store) -> Lender:
    return Lender(store)


def opened(copy: PartialCopy, store: Store) -> Store:
    return Store(copy.folder, part_of=store.manifest, obtain=copy.obtain)


def test_a_copy_is_the_store(store: Store, lender: Lender, tmp_path: Path) -> None:
    copied = opened(PartialCopy(tmp_path / "cache", store.manifest, lender), store)
    assert lender.asked == []
    for name in ("length", "support", "rank", "scale"):
        np.testing.assert_array_equal(getattr(copied, name), getattr(store, name))
    assert copied.records.equals(store.records)
    assert copied.items.equals(store.items)
    for index in range(store.manifest.n_blocks):
        one, other = copied.block(index), store.block(index)
        assert (one.first, one.n_records, one.n_cells) == (
            other.first, other.n_records, other.n_cells,
        )  # fmt: skip
        for name in (*RECORD_COLUMNS, *ITEM_COLUMNS):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert sorted(lender.asked) == sorted(store.manifest.files)


def test_only_what_is_read_comes(store: Store, lender: Lender, tmp_path: Path) -> None:
    copied = opened(PartialCopy(tmp_path / "cache", store.manifest, lender), store)
    _ = copied.block(1).item_row
    assert copied.block(2).first == 40
    assert lender.asked == ["block-00001/item_row.npy"]


def test_files_to_score_are_of_the_store(store: Store) -> None:
    names = files_to_score([0, 2])
    assert set(names) <= set(store.manifest.files)
    assert {name.partition("/")[0] for name in names if "/" in name} == {
        "block-00000", "block-00002",
    }  # fmt: skip


def test_nothing_comes_twice(store: Store, lender: Lender, tmp_path: Path) -> None:
    brought: list[str] = []
    names = files_to_score([1])
    for _ in range(2):
        copy = PartialCopy(tmp_path / "cache", store.manifest, lender, brought.append)
        for name in (*names, *names):
            copy.obtain(name)
    assert lender.asked == names == brought


@pytest.mark.parametrize("how", ["a bit", "the end", "all", "the file"])
def test_what_was_damaged_comes_again(
    store: Store, lender: Lender, tmp_path: Path, how: str
) -> None:
    names = files_to_score([1])
    copy = PartialCopy(tmp_path / "cache", store.manifest, lender)
    for name in names:
        copy.obtain(name)
    path = copy.folder / names[-1]
    content = path.read_bytes()
    match how:
        case "a bit":
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 16]))
        case "the end":
            path.write_bytes(content[:-1])
        case "all":
            path.write_bytes(b"")
        case _:
            path.unlink()
    lender.asked.clear()
    again = PartialCopy(tmp_path / "cache", store.manifest, lender)
    for name in names:
        again.obtain(name)
    assert lender.asked == [names[-1]]
    assert path.read_bytes() == content


def test_what_arrives_damaged_is_fetched_once_more(
    store: Store, lender: Lender, tmp_path: Path
) -> None:
    copy = PartialCopy(tmp_path / "cache", store.manifest, lender)
    lender.damaged = 1
    copy.obtain("items.arrow")
    assert lender.asked == ["items.arrow"] * 2
    lender.damaged = 2
    with pytest.raises(StoreError, match=r"records\.arrow: what was copied does not match") as said:
        copy.obtain("records.arrow")
    assert "\n" not in str(said.value)
    assert {path.name for path in copy.folder.iterdir()} == {".lock", "items.arrow"}


def test_a_broken_transfer_leaves_nothing_and_is_taken_up(
    store: Store, lender: Lender, tmp_path: Path
) -> None:
    copy = PartialCopy(tmp_path / "cache", store.manifest, lender)
    copy.obtain("items.arrow")
    lender.breaks = True
    with pytest.raises(KeyboardInterrupt):
        copy.obtain("records.arrow")
    assert {path.name for path in copy.folder.iterdir()} == {".lock", "items.arrow"}
    lender.breaks = False
    # As a process leaves it that was killed without a chance to clean up.
    (copy.folder / ".records.arrow.partial").write_bytes(b"half")
    PartialCopy(tmp_path / "cache", store.manifest, lender).obtain("records.arrow")
    assert lender.asked == ["items.arrow", "records.arrow", "records.arrow"]
    assert {p.name for p in copy.folder.iterdir()} == {".lock", "items.arrow", "records.arrow"}


def test_neighbours_fetch_once(store: Store, lender: Lender, tmp_path: Path) -> None:
    """Several scorers of one node at once."""
    names = files_to_score([0, 1, 2])
    meet = threading.Barrier(4)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            copy = PartialCopy(tmp_path / "cache", store.manifest, lender)
            meet.wait()
            for name in names:
                copy.obtain(name)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert sorted(lender.asked) == sorted(names)


def test_other_releases_lie_apart(make_store: MakeStore, tmp_path: Path) -> None:
    rows = random_rows(5, records=60, items=20, cells=500)
    one, same, cut, other = (
        make_store(rows, block_records=20),
        make_store(rows, block_records=20),
        make_store(rows, block_records=30),
        make_store(rows[:-1], block_records=20),
    )
    folders = [PartialCopy(tmp_path, s.manifest, Lender(s)).folder for s in (one, same, cut, other)]
    assert folders[0] == folders[1]
    assert len(set(folders)) == 3


def test_a_copy_is_never_taken_for_a_store(store: Store, lender: Lender, tmp_path: Path) -> None:
    copy = PartialCopy(tmp_path / "cache", store.manifest, lender)
    for name in store.manifest.files:
        copy.obtain(name)
    with pytest.raises(StoreError, match="not a store"):
        Store(copy.folder)


def test_a_cache_that_cannot_be(store: Store, lender: Lender, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    copy = PartialCopy(tmp_path / "file" / "cache", store.manifest, lender)
    with pytest.raises(StoreError, match=r"cache: cannot be used as a cache \(Not a directory\)"):
        copy.obtain("items.arrow")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(store: Store, lender: Lender, tmp_path: Path) -> None:
    copy = PartialCopy(tmp_path / "cache", store.manifest, lender)
    copy.obtain("items.arrow")
    partial = copy.folder / ".records.arrow.partial"
    partial.symlink_to("/dev/full")
    with pytest.raises(StoreError, match="cache: the disk is full; free some space or set cluster"):
        copy.obtain("records.arrow")
    assert not (copy.folder / "records.arrow").exists()
    assert not partial.is_symlink()
    copy.obtain("records.arrow")
    assert (copy.folder / "records.arrow").is_file()
