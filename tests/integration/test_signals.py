"""Asked to end at any moment, the command ends once, says how to resume, and loses nothing."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from studying import results

from sim.errors import ClusterError, ClusterLostError
from sim.record.run_record import is_begun
from sim.study.inline import InlineRunner

pytestmark = pytest.mark.usefixtures("no_drawings")

SMALL = (
    "data.preset=tiny", "targets=40", "cluster=inline", "grid.aux=[2/2,3/4]", "bayes_targets=0",
    "hydra.run.dir=run",
)  # fmt: skip
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}

AFTER_THE_RECORD = ("sim.study.run.write_results", "sim.session.suite.draw_run")
MOMENTS = (
    "sim.session.suite.open_release", "sim.session.session.make_runner", *AFTER_THE_RECORD,
    "sim.session.suite.write_report",
)  # fmt: skip
"""While the release is opened, before Ray, while results, figures and the report are written."""


@pytest.fixture
def small(store_cache: Path) -> tuple[str, ...]:
    return (*SMALL, f"data.cache={store_cache}")


@pytest.fixture(scope="module")
def expected(
    store_cache: Path, tmp_path_factory: pytest.TempPathFactory, starting: Any, waiting: Any
) -> dict[str, bytes]:
    """What the job gives when nothing happens to it."""
    where = tmp_path_factory.mktemp("whole")
    found = waiting(starting(*SMALL, f"data.cache={store_cache}", cwd=where))
    assert found.code == 0, found.err
    return results(where / "run")


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Let signals be heard that the tests' own process may ignore, as under ``nohup``."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP,)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def ask(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        *((moment, signal.SIGTERM) for moment in MOMENTS),
        (MOMENTS[2], signal.SIGINT),
        (MOMENTS[3], signal.SIGHUP),
    ],
)
def test_a_signal_at_any_moment(
    standout: Any, small: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch,
    expected: dict[str, bytes], moment: str, number: signal.Signals,
) -> None:  # fmt: skip
    with monkeypatch.context() as patch:
        patch.setattr(moment, lambda *_, **__: ask(number))
        found = standout(*small)
    assert found.code == ENDS[number]
    assert found.err.endswith("\nstandout: interrupted\n")
    assert "Traceback" not in found.err
    begun = is_begun(place / "run")
    assert begun == ("interrupted; resume with: standout resume run\n" in found.err)
    assert begun >= (moment in AFTER_THE_RECORD)
    again = standout("resume", "run") if begun else standout(*small)
    assert again.code == 0, again.err
    assert results(place / "run") == expected
    assert json.loads((place / "run" / "run.json").read_text())["status"] == "complete"
    assert (place / "run" / "report.html").is_file()


def test_a_second_signal_changes_nothing(
    standout: Any, small: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the workers are ended after the first one."""
    closed = []

    def close(runner: InlineRunner) -> None:
        ask(signal.SIGINT)
        ask(signal.SIGTERM)
        closed.append(runner)

    monkeypatch.setattr(InlineRunner, "close", close)
    monkeypatch.setattr("sim.study.run._tables", lambda *_: ask(signal.SIGTERM))
    found = standout(*small)
    assert (found.code, len(closed)) == (143, 1)


def test_what_the_first_began_is_finished_however_long_it_takes(
    standout: Any, small: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []

    def close(runner: InlineRunner) -> None:
        for _ in range(30):
            time.sleep(0.1)
        closed.append(runner)

    monkeypatch.setattr(InlineRunner, "close", close)
    monkeypatch.setattr("sim.study.run._tables", lambda *_: ask(signal.SIGTERM))
    found = standout(*small)
    assert (found.code, len(closed)) == (143, 1)


class Freed:
    """Asks while it is freed, where Python drops what is raised."""

    def __del__(self) -> None:
        ask(signal.SIGTERM)


def free_something(*_: Any) -> None:
    thing = Freed()
    del thing
    signal.pause()


def make_another_error(*_: Any) -> None:
    try:
        ask(signal.SIGTERM)
    except KeyboardInterrupt:
        raise ImportError("half of a module") from None


def go_on_as_if_nothing_were(*_: Any) -> None:
    """As a library does that catches everything."""
    with suppress(BaseException):
        ask(signal.SIGTERM)
    signal.pause()


@pytest.mark.parametrize("swallow", [free_something, make_another_error, go_on_as_if_nothing_were])
def test_a_signal_is_not_swallowed(
    standout: Any, small: tuple[str, ...], monkeypatch: pytest.MonkeyPatch,
    swallow: Callable[..., None],
) -> None:  # fmt: skip
    monkeypatch.setattr("sim.study.run.write_results", swallow)
    found = standout(*small)
    assert found.code == 143
    assert found.err.endswith("resume with: standout resume run\n\nstandout: interrupted\n")
    assert "ignored" not in found.err


def test_a_signal_that_is_ignored_stays_ignored(standout: Any, small: tuple[str, ...]) -> None:
    """As by nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.session.suite.write_report", lambda _: ask(signal.SIGHUP))
        assert standout(*small).code == 0


@pytest.mark.parametrize(("kind", "code"), [(ClusterLostError, 1), (ClusterError, 2)])
def test_a_lost_cluster_is_one_line_with_the_command(
    standout: Any, small: tuple[str, ...], place: Path, monkeypatch: pytest.MonkeyPatch,
    kind: type[ClusterError], code: int,
) -> None:  # fmt: skip
    def lose(*_: Any) -> None:
        raise kind("it broke; the run can be resumed")

    monkeypatch.setattr("sim.study.inline.decided", lose)
    found = standout(*small)
    said = "it broke; resume with: standout resume run"
    assert (found.code, found.err.splitlines()[-1]) == (code, f"standout: error: {said}")
    assert f"ERROR {said}\n" in (place / "run" / "standout.log").read_text()


def test_too_little_memory_is_one_line(
    standout: Any, small: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: Any) -> None:
        raise MemoryError("Unable to allocate 3 GiB")

    monkeypatch.setattr("sim.study.inline.decided", fill)
    found = standout(*small)
    assert found.code == 2
    assert "standout: error: memory ran out (Unable to allocate 3 GiB)" in found.err
    assert found.err.endswith("; then: standout resume run\n")
    assert "Traceback" not in found.err
