"""How far a stage is: a bar on a terminal, a line every so often elsewhere."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from sim.study import bar
from sim.study.bar import LOG_SECONDS, stage


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(bar, "monotonic", lambda: now[0])
    monkeypatch.setattr(bar, "_named", {"attacking", "reading"})
    monkeypatch.delenv("STANDOUT_PROGRESS", raising=False)
    return now


def test_the_first_stage_of_a_kind_is_named_after_two_seconds(
    clock: list[float], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    for _ in range(2):
        with stage("compiling", 10) as compiling:
            for done in range(1, 5):
                clock[0] += 1.1
                compiling.reach(done)
    assert caplog.messages == ["compiling: 20.0%, about 8.8 s left"]


def test_off_a_terminal_a_line_says_it_every_so_often(
    clock: list[float], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with stage("attacking", 10, before=2) as attacking:
        for done in range(3, 11):
            clock[0] += LOG_SECONDS * 0.6
            attacking.reach(done)
    # Each takes 18 s: a line every second time, none at the end.
    assert caplog.messages == [
        "attacking: 40.0%, about 1.8 min left",
        "attacking: 60.0%, about 1.2 min left",
        "attacking: 80.0%, about 36 s left",
    ]
    assert sys.stderr.getvalue() == ""  # type: ignore[attr-defined]


def test_what_is_quick_says_nothing(
    clock: list[float], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with stage("reading", 1000) as reading:
        for done in range(0, 1001, 100):
            clock[0] += LOG_SECONDS / 20
            reading.reach(done)
    assert caplog.messages == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("level", "shown"), [(logging.INFO, True), (logging.ERROR, False)])
def test_the_bar_of_a_terminal_follows_its_log(
    level: int, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    console = logging.StreamHandler(Terminal())
    console.setLevel(level)
    monkeypatch.setattr(logging.getLogger(), "handlers", [console])
    monkeypatch.setattr(sys, "stderr", Terminal())
    with stage("attacking", 4, before=1, unit="batch") as attacking:
        attacking.reach(4)
    written = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert ("attacking" in written) == shown
    assert ("4/4" in written) == shown
