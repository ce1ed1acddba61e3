"""A run folder that somebody changed: the right answer, or one line that says what is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from studying import results
from tampering import Change, copies, of_file, of_ledger, of_record, of_table, some, written

from sim.errors import InputError
from sim.record.digests import check_sealed
from sim.record.run_record import UNFINISHED

JOB = ("data.preset=tiny", "targets=20", "cluster=inline", "grid.aux=[2/2,3/4]", "bayes_targets=5")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def finished(
    standout: Any, kept: Path, place: Path, store_cache: Path, no_figures: None, monkeypatch: Any
) -> Path:
    """A finished run with its Bayes-optimal companion."""
    monkeypatch.setattr("sim.cli.report.draw_run", lambda folder: [])
    if not (kept / "run").exists():
        found = standout(*JOB, f"data.cache={store_cache}", f"hydra.run.dir={kept / 'run'}")
        assert found.code == 0, found.err
    return kept / "run"


@pytest.fixture
def broken_off(finished: Path, kept: Path, standout: Any, store_cache: Path) -> Path:
    """The same run, interrupted before its results were written."""
    if not (kept / "half").exists():
        sync, synced = os.fsync, 0

        def counted(file: int) -> None:
            nonlocal synced
            synced += 1
            if synced > 4:  # the header and three for the batch
                raise KeyboardInterrupt
            sync(file)

        job = (*JOB, f"data.cache={store_cache}", f"hydra.run.dir={kept / 'half'}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fsync", counted)
            assert standout(*job).code == 130
        assert (kept / "half" / UNFINISHED / "ledger.jsonl").read_text().count('"batch"') == 1
        assert list((kept / "half" / UNFINISHED / "parts").iterdir())
    return kept / "half"


def one_line(found: Any) -> bool:
    """Whether a command ended as all must that are given something wrong."""
    said = found.err.removeprefix("standout: error: ")
    whole = said != found.err and said.endswith("\n") and said[:-1].isprintable()
    return bool(found.code == 2 and whole)


def test_a_finished_run(
    standout: Any, finished: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is changed is found; without the last line of its ledger it is done again."""
    monkeypatch.setattr("sim.cli.report.write_report", lambda folder: folder)
    before = results(finished)
    names = ["run.json", "ledger.jsonl", "curves.parquet", "aux.parquet", "decisions.parquet"]
    changes = [
        *some(of_record(finished), 8, seed=1),
        *some(of_ledger(finished), 12, seed=2),
        *(change for name in names for change in some(of_file(name), 2, seed=3)),
    ]
    refused = 0
    untouched = standout("check", str(finished), "max_risk=0.5")
    for words in copies(finished, place, changes):
        # What the ledger says of the run is not what its results are told from.
        spared = words.startswith("ledger")
        reported = standout("report", "copy")
        assert one_line(reported) or reported.code == 0, (words, reported)
        checked = standout("check", "copy", "max_risk=0.5")
        assert one_line(checked) or (spared and checked == untouched), (words, checked)
        if words.startswith("ledger"):
            continue
        refused += 1
        with pytest.raises(InputError, match="copy"):
            check_sealed(Path("copy"))
    assert refused > 15
    for words in copies(finished, place, some(iter(changes), 5, seed=4)):
        found = standout("resume", "copy")
        assert one_line(found) or (found.code == 0 and results(place / "copy") == before), words


def at_work(changes: list[Change]) -> Iterator[Change]:
    """The same changes, in the folder in which a run is at work."""
    for words, change in changes:
        yield words, lambda folder, change=change: change(folder / UNFINISHED)


def test_a_run_that_was_broken_off(standout: Any, broken_off: Path, place: Path) -> None:
    """What was changed is done again, or the whole is refused."""
    assert standout("resume", "copy").code == 2
    for words in copies(broken_off, place, [("as it was", lambda folder: None)]):
        assert standout("resume", "copy").code == 0, words
    whole = results(place / "copy")
    work = broken_off / UNFINISHED
    parts = [str(path.relative_to(broken_off)) for path in sorted((work / "parts").iterdir())]
    changes = [
        *at_work(some(of_record(work), 4, seed=1)),
        *at_work(some(of_ledger(work), 4, seed=2)),
        *(change for name in parts[:2] for change in some(of_file(name), 3, seed=3)),
    ]
    for words in copies(broken_off, place, changes):
        found = standout("resume", "copy")
        assert one_line(found) or (found.code == 0 and results(place / "copy") == whole), (
            words,
            found,
        )


def test_digests_that_were_replaced_too(standout: Any, finished: Path, place: Path) -> None:
    """No digest helps then; what the tables say is wrong, but nothing is raised at the user."""
    changes = [
        change
        for name in ("curves.parquet", "phi.parquet", "reliability.parquet")
        for change in some(of_table(name, pq.read_table(finished / name)), 2, seed=5)
    ]
    changes += some(of_record(finished), 2, seed=6)
    codes = set()
    for words in copies(finished, place, changes, forge=True):
        found = standout("report", "copy")
        assert found.code == 0 or one_line(found), (words, found)
        codes.add(found.code)
    assert 2 in codes


def test_a_table_that_was_added(standout: Any, finished: Path, place: Path) -> None:
    added = "more.parquet"
    for _ in copies(finished, place, [("added", lambda folder: (folder / added).touch())]):
        for command in ("resume", "report"):
            found = standout(command, "copy")
            assert one_line(found)
            assert f"{added}: added since the run; move it to another folder" in found.err


def test_what_else_lies_there_is_left_alone(standout: Any, finished: Path, place: Path) -> None:
    for _ in copies(finished, place, [("a note", written("note.md", b"x"))]):
        assert standout("resume", "copy").code == 0


def test_a_measurement_that_was_changed(
    standout: Any, place: Path, store_cache: Path, no_figures: None
) -> None:
    job = ("data.preset=tiny", "study=lengths", "cluster=inline", f"data.cache={store_cache}")
    assert standout(*job, "hydra.run.dir=run").code == 0
    facts = pq.read_table(place / "run" / "facts.parquet")
    (place / "run" / "facts.parquet").write_text("length_mean\n3\n")
    found = standout("resume", "run")
    assert one_line(found)
    assert "run/facts.parquet: changed since the run; run the study again" in found.err
    lines = (place / "run" / "ledger.jsonl").read_text().splitlines(keepends=True)
    assert set(json.loads(lines[-1])["finished"]) == {"tables", "results", "files"}
    (place / "run" / "ledger.jsonl").write_text("".join(lines[:-1]) + '{"finished": {"fi')
    assert standout("resume", "run").code == 0  # done again
    assert pq.read_table(place / "run" / "facts.parquet").equals(facts)
