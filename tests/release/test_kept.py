"""What a cache keeps: listed, and removed only where it is ours and nobody uses it."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from sim.cli.cache import cache_command
from sim.errors import ConfigError, StoreError
from sim.release.store.cache import LOCK, open_or_build
from sim.release.store.kept import kept_in, remove
from sim.release.store.manifest import SCHEMA
from sim.release.synthetic import named_source

Command = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cache = tmp_path_factory.mktemp("cache")
    open_or_build(named_source("tiny", 1), cache)
    return cache


@pytest.fixture
def cache(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "cache"))


@pytest.fixture
def command(cache: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*words: str) -> tuple[int, str]:
        code = cache_command([*words, f"data.cache={cache}"])
        return code, capsys.readouterr().out

    return run


def test_a_store_is_listed_with_its_release_size_and_age(cache: Path, command: Command) -> None:
    (one,) = kept_in(cache)
    size = sum(path.stat().st_size for path in one.path.rglob("*") if path.is_file())
    assert (one.kind, one.records, one.size) == ("store", 600, size)
    code, out = command("list")
    first, _, line, last = out.splitlines()
    assert (code, first) == (0, str(cache))
    assert re.match(rf"{one.name[:12]} +[\d.]+ kB  \d{{4}}-\d\d-\d\d \d\d:\d\d UTC", line)
    assert line.endswith(f"synthetic release 'tiny', seed 1: 600 records, {one.cells:,} cells")
    assert last.startswith("1 folder, ")


def test_opening_a_store_makes_it_the_last_used(cache: Path) -> None:
    (before,) = kept_in(cache)
    for path in (*cache.rglob("*"), cache):
        os.utime(path, (1e9, 1e9))
    assert kept_in(cache)[0].used == 1e9
    open_or_build(named_source("tiny", 1), cache)
    (after,) = kept_in(cache)
    assert after.used > time.time() - 100
    assert after.path == before.path


@pytest.mark.parametrize("how", ["name", "all", "older_than=1h"])
def test_a_store_is_removed(cache: Path, command: Command, how: str) -> None:
    (one,) = kept_in(cache)
    for path in cache.rglob("*"):
        os.utime(path, (1e9, 1e9))
    code, out = command("clear", one.name[:8] if how == "name" else how)
    assert code == 0
    assert out.startswith(f"removed  {one.path} (synthetic release 'tiny', seed 1")
    assert not one.path.exists()
    assert [path.suffix for path in cache.iterdir()] == [LOCK]
    store = open_or_build(named_source("tiny", 1), cache)  # and built again
    assert store.folder == one.path


def test_what_was_used_since_is_kept(cache: Path, command: Command) -> None:
    for of in ([], ["all"], [kept_in(cache)[0].name[:8]]):
        code, out = command("clear", *of, "older_than=1h")
        assert (code, out.splitlines()[0][:3]) == (0, "0 B")
        assert kept_in(cache)


def test_a_store_in_use_is_kept(cache: Path, command: Command) -> None:
    store = open_or_build(named_source("tiny", 1), cache)
    code, out = command("clear", "all")
    assert code == 1
    assert "a process uses it" in out
    store.verify()
    del store
    assert command("clear", "all")[0] == 0
    assert not kept_in(cache)


def test_a_store_that_is_being_built_is_kept(cache: Path, command: Command) -> None:
    (one,) = kept_in(cache)
    partial = cache / f"..{one.key}.building-1"
    partial.mkdir()
    with FileLock(cache / f"{one.key}{LOCK}"):
        assert not any(map(remove, kept_in(cache)))
    assert one.path.is_dir()
    assert partial.is_dir()
    assert all(map(remove, kept_in(cache)))
    assert [path.suffix for path in cache.iterdir()] == [LOCK]


def test_nothing_else_is_removed(cache: Path, command: Command, tmp_path: Path) -> None:
    """Not what a link leads to, nor a file or folder that only has a name of ours or another."""
    (one,) = kept_in(cache)
    mine = tmp_path / "mine"
    shutil.copytree(one.path, mine)
    name = "0" * 32 + f"-{SCHEMA}-65536-" + "1" * 32
    (cache / name).symlink_to(mine)
    (cache / name.replace("0", "2")).mkdir()  # without a manifest
    (cache / name.replace("0", "3")).write_text("a file")
    (cache / "photos").mkdir()
    (one.path / "link").symlink_to(mine)
    assert [each.path for each in kept_in(cache)] == [one.path]
    code, _ = command("clear", "all")
    assert code == 0
    assert not one.path.exists()
    assert (mine / "manifest.json").is_file()
    assert len([path for path in cache.iterdir() if path.suffix != LOCK]) == 4


def test_a_store_of_another_version_is_listed_and_removed(cache: Path, command: Command) -> None:
    (one,) = kept_in(cache)
    path = one.path / "manifest.json"
    path.write_text(path.read_text().replace(f'"schema": {SCHEMA}', '"schema": 1'))
    assert "synthetic release 'tiny'" in command("list")[1]
    assert command("clear", "all")[0] == 0
    assert not kept_in(cache)


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may do anything")
def test_a_store_that_others_may_write_to_is_refused(cache: Path, command: Command) -> None:
    kept_in(cache)[0].path.chmod(0o777)
    with pytest.raises(StoreError, match="others may write to it"):
        command("clear", "all")


def test_stores_of_one_file_have_names_of_their_own(cache: Path, command: Command) -> None:
    """The name that is shown is enough to clear one; what is common to both, not."""
    (one,) = kept_in(cache)
    other = one.path.with_name(f"{one.name[:-32]}{'0' * 32}")
    shutil.copytree(one.path, other)
    lines = command("list")[1].splitlines()[2:4]
    names = [line.split()[0] for line in lines]
    assert len(set(names)) == 2
    with pytest.raises(ConfigError, match="begins the names of 2 folders"):
        command("clear", one.name[:12])
    assert command("clear", f"{one.name[:12]}-000000")[0] == 0
    assert [left.path for left in kept_in(cache)] == [one.path]


def test_an_empty_cache_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cache_command(["list", f"data.cache={tmp_path / 'none'}"]) == 0
    assert capsys.readouterr().out.endswith("nothing is kept here\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "cache: expected standout cache list, or standout cache clear"),
        (["lsit"], "did you mean list?"),
        (["clear"], "cache: clear: expected what to remove"),
        (["clear", "zzzz"], "cache: zzzz: not the name of a folder here"),
        (["clear", "older_than=soon"], "older_than=soon: expected hours, days or weeks"),
        (["list", "data.cache="], "cache: expected one folder"),
    ],
)
def test_what_is_asked_wrong(cache: Path, words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        cache_command([*words, *([] if "data.cache=" in words else [f"data.cache={cache}"])])
    assert kept_in(cache)
