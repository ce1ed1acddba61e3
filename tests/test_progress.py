"""What a suite says while it runs."""

from __future__ import annotations

import logging

import pytest

from sim.session import progress
from sim.session.progress import Progress, told_once
from sim.study import bar
from sim.study.bar import Stage

log = logging.getLogger("standout")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def test_an_estimate_leaves_out_the_first_parts(
    clock: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    said = Progress(6, 2)
    for seconds in (100.0, 100.0, 4.0, 8.0):
        said.begin("a", complete=False)
        clock[0] += seconds
    said.begin("a", complete=False)
    assert caplog.messages == [
        "[1/6] a",
        "[2/6] a",
        "[3/6] a",
        "[4/6] a",
        "[5/6] a; about 12 s left",
    ]
    clock[0] += 6
    said.begin("a", complete=False)
    clock[0] += 2
    assert said.seconds_per_run() == 5.0


def test_a_stage_is_estimated_without_its_first_step(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Which compiles: 300 s for the first of 16 batches, and 10 s for each other."""
    now = [0.0]
    monkeypatch.setattr(bar, "monotonic", lambda: now[0])
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(bar, "_named", {"attacking"})
    monkeypatch.delenv("STANDOUT_PROGRESS", raising=False)
    attacking = Stage("attacking", 16)
    for done, seconds in enumerate((300.0, 10.0, 10.0, 10.0), 1):
        now[0] += seconds
        attacking.reach(done)
    assert caplog.messages == ["attacking: 6.2%", "attacking: 25.0%, about 2.0 min left"]


def test_parts_that_were_complete_are_counted_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    said = Progress(4, 1)
    for complete in (True, True, False, True):
        said.begin("a", complete=complete)
    said.tell_complete()
    said.tell_complete()
    assert caplog.messages == [
        "already complete: a; a",
        "[3/4] a",
        "already complete: a",
    ]


def test_a_remark_is_made_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with told_once():
        for folder in "ab":
            log.info("wrong facts")
            log.info("%s: already complete", folder)
            log.info("%s", folder)
    log.info("wrong facts")
    assert caplog.messages == ["wrong facts", "a", "b", "wrong facts"]
