"""Interrupted anywhere, in any way, and taken up again: the bytes of an uninterrupted run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from making import MakeStore, random_rows
from studying import RESULTS, results, small_plan, study

from sim.record.parts import FOLDER
from sim.record.run_record import UNFINISHED, read_record

pytestmark = pytest.mark.usefixtures("no_figures")

SMALL = ("data.preset=tiny", "targets=40", "cluster=inline", "grid.aux=[2/2,3/4]")


@pytest.fixture
def small(store_cache: Path) -> tuple[str, ...]:
    return (*SMALL, f"data.cache={store_cache}")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs that several tests start from, each made once."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def whole(
    standout: Any, small: tuple[str, ...], place: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, bytes]:
    """What the small job gives when nothing happens to it: the folder ``whole``."""
    if not (kept / "whole").exists():
        monkeypatch.chdir(kept)
        assert standout(*small, "hydra.run.dir=whole").code == 0
    shutil.copytree(kept / "whole", place / "whole")
    return results(place / "whole")


@pytest.fixture
def broken_off(
    standout: Any, small: tuple[str, ...], place: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The folder ``run`` of the small job, interrupted when it wrote its third batch."""
    sync, synced = os.fsync, 0

    def counted(file: int) -> None:
        nonlocal synced
        synced += 1
        if synced == 1 + 2 * 3 + 1:  # the header, three for each batch, a part of the next
            raise KeyboardInterrupt
        sync(file)

    if not (kept / "run").exists():
        monkeypatch.chdir(kept)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", counted)
            found = standout(*small, "hydra.run.dir=run")
        assert found.code == 130
        assert "interrupted; resume with: standout resume run\n" in found.err
        assert (kept / "run" / UNFINISHED / "ledger.jsonl").read_text().count('"batch"') == 2
    shutil.copytree(kept / "run", place / "run")
    return place / "run"


def test_asked_to_end_it_ends_as_if_interrupted(
    standout: Any, small: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As batch systems ask: with SIGTERM; here before anything is written, so nothing is left."""
    import sim.session.session

    monkeypatch.setattr(
        sim.session.session, "git_revision", lambda: os.kill(os.getpid(), signal.SIGTERM)
    )
    found = standout(*small, "hydra.run.dir=run")
    assert (found.code, found.err) == (143, "\nstandout: interrupted\n")
    assert not (place / "run" / "run.json").exists()


def files(folder: Path) -> dict[str, bytes]:
    """Everything in a run folder but its log."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".log"
    }


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_signal_in_the_middle(
    place: Path,
    standout: Any,
    long_job: tuple[str, ...],
    long_results: dict[str, bytes],
    starting: Callable[..., subprocess.Popen[str]],
    waiting: Callable[..., Any],
    reaching: Callable[..., None],
    number: signal.Signals,
) -> None:
    process = starting(*long_job, "cluster=inline", "hydra.run.dir=run", cwd=place, held=True)
    run = place / "run"
    ledger = run / UNFINISHED / "ledger.jsonl"
    reaching(ledger, process)
    process.send_signal(number)
    found = waiting(process)
    if number == signal.SIGKILL:
        assert found.code == -signal.SIGKILL
    else:
        assert found.code == 130
        assert "interrupted; resume with: standout resume run\n" in found.err
        assert "Traceback" not in found.err
        assert "resume with" in (run / "standout.log").read_text()
    assert read_record(run)["status"] == "running"
    assert not any((one / name).exists() for name in RESULTS for one in (run, run / UNFINISHED))
    assert "finished" not in ledger.read_text()
    again = standout("resume", "run")
    assert again.code == 0, again.err
    assert "batches are done" in again.err
    assert results(run) == long_results
    assert json.loads((run / "run.json").read_text())["status"] == "complete"
    assert not (run / UNFINISHED).exists()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ("seed=2", "seed was 1 and is 2"),
        ("targets=41", "targets was 40 and is 41"),
        ("grid.aux=[2/2,6/8]", "grid.aux was ['2/2', '3/4'] and is ['2/2', '6/8']"),
        ("attack.phi=2", "attack.phi was 1.5 and is 2.0"),
        ("adversary.wrong=item", "adversary.wrong was 'auto' and is 'item'"),
        ("data.seed=2", "release_fingerprint was "),
    ],
)
def test_another_configuration_is_refused(
    standout: Any, broken_off: Path, change: str, named: str
) -> None:
    """It names what differs, and leaves the folder as it was."""
    before = files(broken_off)
    refused = standout("resume", "run", change)
    assert refused.code == 2
    assert refused.err.startswith(
        f"standout: error: {broken_off}/unfinished/ledger.jsonl: cannot be resumed: "
    )
    assert f": {named}" in refused.err
    assert refused.err.count("\n") == 1
    assert files(broken_off) == before


def test_changed_code_is_refused(
    standout: Any, broken_off: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sim.session.session

    monkeypatch.setattr(sim.session.session, "code_digest", lambda: "other")
    refused = standout("resume", "run")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "cannot be resumed: code was '" in refused.err


def test_what_does_not_change_results_may_change(
    standout: Any, broken_off: Path, whole: dict[str, bytes]
) -> None:
    more = ("cluster=local", "cluster.workers=2", "cluster.wait=60")
    assert standout("resume", "run", *more).code == 0
    assert results(broken_off) == whole
    record = json.loads((broken_off / "run.json").read_text())
    assert record["config"]["cluster"]["wait"] == 60


def test_from_another_folder(
    standout: Any, broken_off: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Relative paths of the run mean what they meant when it was begun."""
    elsewhere = broken_off.parent / "else" / "where"
    elsewhere.mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    assert standout("resume", "../../run").code == 0
    assert results(broken_off) == whole


def test_a_folder_with_an_odd_name(
    standout: Any, broken_off: Path, whole: dict[str, bytes]
) -> None:
    odd = broken_off.rename(broken_off.with_name("it's a \\ {run}, (1) [of] a=b: ü"))
    found = standout("resume", str(odd))
    assert found.code == 0, found.err
    assert results(odd) == whole


def test_a_complete_run_is_left_alone(
    standout: Any, whole: dict[str, bytes], small: tuple[str, ...], place: Path
) -> None:
    table, *_ = standout(*small, "hydra.run.dir=whole").out.partition("\nreport")
    before = files(place / "whole")
    again = standout("resume", "whole")
    assert again.code == 0
    assert again.err == f"{place / 'whole'}: already complete\n"
    assert again.out.startswith(table)
    assert "\n3 of 4 right" in table
    assert files(place / "whole") == before
    refused = standout("resume", "whole", "seed=2")
    assert refused.code == 2
    assert files(place / "whole") == before


def test_results_that_are_gone_are_named(
    standout: Any, whole: dict[str, bytes], place: Path
) -> None:
    gone = RESULTS[0]
    (place / "whole" / gone).unlink()
    found = standout("resume", "whole")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert f"{gone}: removed since the run; run the study again" in found.err
    ledger = place / "whole" / "ledger.jsonl"
    assert f", or delete {ledger}, then standout resume {place / 'whole'}" in found.err


@pytest.mark.parametrize("changed", ["curves.parquet", "summary.json"])
def test_what_is_advised_of_a_changed_file_mends_it(
    standout: Any, whole: dict[str, bytes], place: Path, changed: str
) -> None:
    """The ledger that vouches for the file is named, and the file."""
    run = place / "whole"
    file = run / changed
    before = file.read_bytes()
    file.write_bytes(before[:-2] + b" ")
    found = standout("resume", "whole")
    assert found.code == 2
    names, again = found.err.partition(", or delete ")[2].strip().split(", then ")
    assert names == " and ".join(str(run / one) for one in ("ledger.jsonl", changed))
    for one in ("ledger.jsonl", changed):
        (run / one).unlink()
    assert standout(*again.split()[1:]).code == 0
    assert results(run) == whole
    assert file.read_bytes() == before


def test_a_changed_record_cannot_be_mended(
    standout: Any, whole: dict[str, bytes], place: Path
) -> None:
    """Nothing else says what was asked, and when."""
    assert whole
    file = place / "whole" / "run.json"
    file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    said = standout("resume", "whole").err
    assert said.strip().endswith("changed since the run; run the study again in a new folder")


def test_a_run_without_its_ledger_is_done_again(
    standout: Any, whole: dict[str, bytes], place: Path
) -> None:
    (place / "whole" / "ledger.jsonl").unlink()
    (place / "whole" / "aux.parquet").unlink()
    assert standout("resume", "whole").code == 0
    assert results(place / "whole") == whole


def test_parts_that_a_crash_left_are_cleared(
    standout: Any, whole: dict[str, bytes], place: Path
) -> None:
    """Killed after the ledger was written, before what the run had at work was removed."""
    left = place / "whole" / UNFINISHED / FOLDER
    left.mkdir(parents=True)
    (left / "aux-000000.arrow").write_bytes(b"x")
    assert standout("resume", "whole").code == 0
    assert not (place / "whole" / UNFINISHED).exists()
    assert results(place / "whole") == whole


@pytest.mark.parametrize(
    ("kind", "how"), [("aux", "deleted"), ("decisions", "cut"), ("aux", "changed")]
)
def test_a_lost_part_is_done_again(
    standout: Any, broken_off: Path, whole: dict[str, bytes], kind: str, how: str
) -> None:
    part = broken_off / UNFINISHED / FOLDER / f"{kind}-000001.arrow"
    content = part.read_bytes()
    part.unlink()
    if how != "deleted":
        damaged = content[:-100] if how == "cut" else content[:200] + b"!" + content[201:]
        part.write_bytes(damaged)
    found = standout("resume", "run")
    assert found.code == 0
    assert "resuming: 1 of " in found.err
    assert results(broken_off) == whole


def record_of(run: Path) -> Path:
    """The record of a run at work."""
    return run / UNFINISHED / "run.json"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda run: record_of(run).unlink(),
            "{run}: not a run folder: it has no run.json",
        ),
        (lambda run: shutil.rmtree(run), "{run}: no such folder; expected the folder of a run"),
        (
            lambda run: record_of(run).write_text("{"),
            "{work}/run.json: cannot be read (",
        ),
        (
            lambda run: record_of(run).write_text("[]"),
            "{work}/run.json: not the record of a",
        ),
        (
            lambda run: record_of(run).write_text("{}"),
            "{work}/run.json: not the record of a",
        ),
        (
            lambda run: record_of(run).write_text('{"status": "running", "config": {}}'),
            "{run}/run.json: lacks the overrides or the working directory; start a new run",
        ),
        (
            lambda run: record_of(run).write_bytes(b"\xff"),
            "{work}/run.json: cannot be read (",
        ),
        (
            lambda run: record_of(run).write_text(
                json.dumps(
                    {
                        "status": "running",
                        "config": {},
                        "overrides": [],
                        "working_directory": "/no/such/place",
                    }
                )
            ),
            "{run}: was run in /no/such/place, which does not exist",
        ),
        (
            lambda run: record_of(run).with_name("ledger.jsonl").write_text("mine\n"),
            "{work}/ledger.jsonl:1: not the first line of a ledger",
        ),
    ],
)
def test_what_cannot_be_resumed_is_an_error(
    standout: Any, broken_off: Path, spoil: Callable[[Path], None], message: str
) -> None:
    spoil(broken_off)
    found = standout("resume", "run")
    assert found.code == 2
    assert found.err.startswith(
        "standout: error: " + message.format(run=broken_off, work=broken_off / UNFINISHED)
    )
    assert found.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["seed=1"]])
def test_resume_needs_a_folder(standout: Any, arguments: list[str]) -> None:
    found = standout("resume", *arguments)
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert found.err.startswith("standout: error: resume: expected a run folder")


class Crash(BaseException):
    """The end of the process."""


def test_a_crash_at_every_step(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before every flush to the disk and every renaming, of a run and of what takes it up."""
    store = make_store(random_rows(3, records=30, cells=200))
    plan = small_plan(store, aux=["2/2"], date_noise=[3], value_noise=[0])
    assert plan.n_batches == 2
    study(store, plan, tmp_path / "whole")
    expected = results(tmp_path / "whole")
    sync, rename = os.fsync, Path.replace
    left = 0

    def step() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Crash

    monkeypatch.setattr(os, "fsync", lambda file: (step(), sync(file))[1])
    monkeypatch.setattr(Path, "replace", lambda self, target: (step(), rename(self, target))[1])
    for steps in range(1, 1000):
        run = tmp_path / f"run-{steps}"
        for again in range(3):
            # Broken off once, then once more two steps on, then run to the end.
            left = (steps, steps + 2, 10**9)[again]
            try:
                study(store, plan, run)
            except Crash:
                assert again < 2
            else:
                break
        assert results(run) == expected
        if again == 0:
            break
    assert 15 < steps < 100
