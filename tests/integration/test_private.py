"""What is written is its owner's alone, whatever the umask; what was there stays as it was."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from making import RowSource, deep, random_rows

import sim
from sim.errors import StoreError
from sim.files.private import private
from sim.release.store.cache import open_or_build

JOB = ("data.preset=tiny", "targets=10", "cluster=inline", "grid.aux=[2/2]", "data.cache=cache")
PARTS = "parts={near: ['grid.date_noise=[3]'], far: ['grid.date_noise=[14]']}"
SOURCE = RowSource(random_rows(1))

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX")


@pytest.fixture(params=[0o000, *deep(0o022)], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    assert os.umask(before) == request.param  # nobody else is kept from their files


def check_private(*folders: Path) -> None:
    """Folders are for their owner, and so is all that lies in them."""
    for folder in folders:
        assert folder.is_dir()
        for path in (folder, *folder.rglob("*")):
            expected = 0o700 if path.is_dir() else 0o600
            assert path.stat().st_mode & 0o777 == expected, path


def test_a_run(standout: Any, place: Path, umask: int) -> None:
    assert standout(*JOB, "hydra.run.dir=outputs/a/run", "bayes_targets=5").code == 0
    check_private(place / "cache", place / "outputs")
    drawn = {path.name for path in (place / "outputs/a/run").iterdir()}
    assert {"report.html", "figures", "standout.log"} <= drawn
    assert standout("report", "outputs/a/run").code == 0
    (place / "outputs/a/run/ledger.jsonl").unlink()
    assert standout("resume", "outputs/a/run").code == 0
    check_private(place / "outputs")


def test_several_runs_of_several_parts(
    standout: Any, place: Path, no_figures: None, umask: int
) -> None:
    job = (*JOB, "bayes_targets=0", PARTS, "defence=[perturb_values]")
    assert standout("--multirun", "seed=1,2", *job, "hydra.sweep.dir=runs").code == 0
    check_private(place / "cache", place / "runs")
    assert (place / "runs/1/curves.parquet").is_file()


def test_what_is_there_keeps_its_mode(
    standout: Any, place: Path, no_figures: None, umask: int
) -> None:
    """A folder that a user shares stays shared; what comes into it is not."""
    for name in ("outputs", "outputs/run", "cache"):
        (place / name).mkdir()
        (place / name).chmod(0o755)
    (place / "outputs/run/notes.txt").touch()
    (place / "outputs/run/notes.txt").chmod(0o644)
    assert standout(*JOB, "bayes_targets=0", "hydra.run.dir=outputs/run").code == 0
    for name, mode in (
        ("outputs", 0o755),
        ("outputs/run", 0o755),
        ("outputs/run/notes.txt", 0o644),
    ):
        assert (place / name).stat().st_mode & 0o777 == mode
    assert (place / "cache").stat().st_mode & 0o777 == 0o755
    check_private(*(path for path in (place / "cache").iterdir() if path.is_dir()))
    for path in (place / "outputs/run").rglob("*"):
        assert path.name == "notes.txt" or not path.stat().st_mode & 0o077, path


def test_from_python(tmp_path: Path, umask: int) -> None:
    frame = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    release = sim.table(frame, user="who", item="where", cache=str(tmp_path / "cache"))
    grid: dict[str, Any] = {"aux": ["2/2"], "date_noise": [None], "value_noise": [None]}
    for folder in (tmp_path / "new" / "run", None):
        result = sim.run(release, "set_intersection", grid=grid, folder=folder)
        (result.folder / "report.html").unlink(missing_ok=True)
        result.report()
        check_private(tmp_path / "cache", result.folder)
    check_private(tmp_path / "new")


def test_threads_do_not_undo_one_another(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        first, second = threading.Event(), threading.Event()

        def other() -> None:
            with private():
                first.set()
                second.wait(60)
                (tmp_path / "later").touch()

        thread = threading.Thread(target=other)
        with private():
            thread.start()
            first.wait(60)
        second.set()
        thread.join()
        (tmp_path / "after").touch()
    finally:
        assert os.umask(before) == 0o022
    assert (tmp_path / "later").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "after").stat().st_mode & 0o777 == 0o644


def test_a_cache_that_everybody_may_write_to(tmp_path: Path) -> None:
    cache = tmp_path / "it's mine"
    cache.mkdir()
    cache.chmod(0o777)
    said = (
        r"everybody may write to it.*; chmod o-w '.*', or set data\.cache to a folder of your own"
    )
    with pytest.raises(StoreError, match=said):
        open_or_build(SOURCE, cache)
    cache.chmod(0o1777)  # as /tmp is
    open_or_build(SOURCE, cache)
    (made,) = (path for path in cache.iterdir() if path.is_dir() and path.name != ".lock")
    made.chmod(0o770)
    with pytest.raises(StoreError, match=r"others may write to it; delete it, or set data\.cache"):
        open_or_build(SOURCE, cache)


def test_what_belongs_to_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = tmp_path / "cache"
    folder = open_or_build(SOURCE, cache).folder
    with monkeypatch.context() as patch:
        patch.setattr("sim.files.private._ADMINISTRATOR", -1)
        patch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
        with pytest.raises(StoreError, match=r"cache: belongs to another user.*set data\.cache"):
            open_or_build(SOURCE, cache)
        # The administrator's cache, say, in which somebody put a store for us to find.
        patch.setattr("sim.files.private.check_cache", lambda *_: None)
        patch.setattr("sim.release.store.cache.check_cache", lambda *_: None)
        with pytest.raises(StoreError, match=r"was made by another user.*; delete it, or set data"):
            open_or_build(SOURCE, cache)
    assert open_or_build(SOURCE, cache).folder == folder
