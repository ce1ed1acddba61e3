"""A manifest is a seal: nothing in it, nor the store that it describes, can be changed unseen."""

from __future__ import annotations

import copy
import dataclasses
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import RowSource, examples, random_rows, write_sealed

from sim.errors import InputError, StoreError
from sim.release.store.cache import open_or_build
from sim.release.store.manifest import NAME, Manifest, checksums
from sim.release.store.store import Store

SOURCE = RowSource(random_rows(1, records=30, items=10, cells=120), name="one")
OTHER = RowSource(random_rows(2, records=30, items=10, cells=120), name="other")
FIELDS = [field.name for field in dataclasses.fields(Manifest)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A store in a cache, as the first run leaves it."""
    return open_or_build(SOURCE, tmp_path / "cache", block_records=10).folder


def again(folder: Path) -> Store:
    return open_or_build(SOURCE, folder.parent, block_records=10)


def fields_of(folder: Path) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
    return fields


def refused(folder: Path, *more: str) -> None:
    """One line that names the manifest and says what to do; deleting the folder does help."""
    with pytest.raises(StoreError) as caught:
        again(folder)
    said = str(caught.value)
    assert said.startswith(f"{folder / NAME}: ")
    assert said.endswith("; delete the folder of the store, and it is built again")
    assert all(part in said for part in more)
    shutil.rmtree(folder)
    assert again(folder).manifest.source == "one"


def changed(value: Any) -> Any:
    """Another value of the same type, that a release could have."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str():
            return value[:-1] + ("0" if value[-1:] != "0" else "1")
        case list():
            return [*value[:-1], changed(value[-1])] if value else [1.0]
        case dict():
            return {}
        case _:
            return value * 2 + 1


@pytest.mark.parametrize("name", ["identity", *FIELDS])
def test_no_field_can_be_changed(folder: Path, name: str) -> None:
    fields = fields_of(folder)
    value = changed(fields[name]) if fields[name] != {} else {"dropped": 1}
    (folder / NAME).write_text(json.dumps({**fields, name: value}), encoding="utf-8")
    refused(folder, "does not match the digest in it")


@pytest.mark.parametrize("name", FIELDS)
def test_not_even_with_the_digest(folder: Path, name: str) -> None:
    """By somebody who knows how it is made: the folder is named after it."""
    fields = fields_of(folder)
    value = changed(fields[name]) if fields[name] != {} else {"dropped": 1}
    write_sealed(folder / NAME, {**fields, name: value})
    refused(folder)


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place of a tree, the root aside."""
    found = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in found:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**6) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A store for many tests, and the manifest that it should have."""
    folder = open_or_build(SOURCE, tmp_path_factory.mktemp("kept"), block_records=10).folder
    return folder, (folder / NAME).read_text(encoding="utf-8")


@settings(max_examples=examples(300))
@given(data=st.data())
def test_nothing_in_it_can_be_changed(kept: tuple[Path, str], data: st.DataObject) -> None:
    """Any one value at any depth, replaced, taken away or added to."""
    folder, text = kept
    before = json.loads(text)
    after = copy.deepcopy(before)
    *above, key = data.draw(st.sampled_from(list(places(before))))
    node = after
    for step in above:
        node = node[step]
    match data.draw(st.sampled_from(["replace", "remove", "add"])):
        case "replace":
            node[key] = data.draw(ANYTHING)
        case "remove":
            del node[key]
        case _ if isinstance(node, dict):
            node[data.draw(st.text())] = data.draw(ANYTHING)
        case _:
            node.append(data.draw(ANYTHING))
    (folder / NAME).write_text(json.dumps(after), encoding="utf-8")
    if json.dumps(after, sort_keys=True) == json.dumps(before, sort_keys=True):
        assert again(folder).folder == folder
    else:
        with pytest.raises(StoreError, match="does not match the digest in it"):
            again(folder)


def test_the_manifest_of_another_store(folder: Path) -> None:
    other = open_or_build(OTHER, folder.parent, block_records=10).folder
    shutil.copy(other / NAME, folder / NAME)
    refused(folder)


def test_the_manifest_of_the_same_release_in_other_blocks(folder: Path) -> None:
    other = open_or_build(SOURCE, folder.parent, block_records=15).folder
    shutil.copy(other / NAME, folder / NAME)
    refused(folder)


def test_another_store_in_its_place(folder: Path) -> None:
    """Under the name that is asked for, or under as much of it as is known before it is opened."""
    other = open_or_build(OTHER, folder.parent, block_records=10).folder
    for name in (folder.name, folder.name[:-32] + other.name[-32:]):
        shutil.rmtree(folder)
        shutil.copytree(other, folder.with_name(name))
        refused(folder.with_name(name), "another input")


def test_two_stores_of_one_input(folder: Path) -> None:
    second = folder.with_name(folder.name[:-32] + "0" * 32)
    shutil.copytree(folder, second)
    with pytest.raises(StoreError, match="two stores of the same input; delete both folders"):
        again(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "5", "{}", "null", "[" * 100_000, "\ud800"])
def test_what_is_no_manifest(folder: Path, content: str) -> None:
    (folder / NAME).write_bytes(content.encode("utf-8", "surrogatepass"))
    refused(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda fields: fields.update(files={}), "files: not those of a store of 3 blocks"),
        (lambda fields: fields["files"].popitem(), "files: not those of a store"),
        (lambda fields: fields["files"].update({"../x": [0, ""]}), "files: not those of a store"),
        (lambda fields: fields.update(n_records=10**15), "files: not those of a store"),
        (lambda fields: fields.update(block_records=0), "not the sizes of a release"),
        (lambda fields: fields.update(n_records="30"), "not the sizes of a release"),
        (lambda fields: fields.update(more=1), "not what a manifest holds (more)"),
        (lambda fields: fields.pop("scale"), "not what a manifest holds (scale)"),
    ],
)
def test_a_sealed_manifest_must_be_of_a_store(
    folder: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any], said: str
) -> None:
    """Whatever is read is listed, and so verified; nothing else is; wherever the store lies."""
    lone = shutil.copytree(folder, tmp_path / "lone")
    fields = fields_of(lone)
    change(fields)
    write_sealed(lone / NAME, fields)
    with pytest.raises(StoreError) as caught:
        Store(lone)
    assert said in str(caught.value)


def test_the_identity_can_be_computed_from_what_lies_there(folder: Path) -> None:
    store = Store(folder)
    assert fields_of(folder)["identity"] == store.manifest.identity
    assert folder.name.endswith(store.manifest.identity[:32])
    inside = [path for path in folder.rglob("*") if path.is_file() and path.name != NAME]
    found = checksums(folder, [str(path.relative_to(folder)) for path in inside])
    again = dataclasses.replace(store.manifest, files=found)
    assert again.identity == store.manifest.identity
    assert Store(folder, identity=store.manifest.identity).manifest == store.manifest
    with pytest.raises(StoreError, match=r"manifest\.json: is that of another store"):
        Store(folder, identity="0" * 64)


def test_an_input_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its store is of neither input: it is not kept."""
    prints = iter(["a" * 64, "b" * 64])
    monkeypatch.setattr(RowSource, "fingerprint", lambda _: next(prints))
    with pytest.raises(InputError, match="one: was changed while it was read; run it again"):
        open_or_build(SOURCE, tmp_path / "cache")
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".lock"]


def test_a_build_that_is_killed_before_its_store_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            open_or_build(SOURCE, cache)
    assert open_or_build(SOURCE, cache).manifest.source == "one"
    assert len([path for path in cache.iterdir() if path.is_dir()]) == 1
