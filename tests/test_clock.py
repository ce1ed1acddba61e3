"""No result, deadline or decision hangs on the time of day: a clock may be wrong, or go back."""

from __future__ import annotations

import ast
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest
from studying import configured

from sim.record.run_record import read_record
from sim.session.jobs import plan_job
from sim.session.suite import run_planned

ROOT = Path(__file__).parents[1]
OF_DAY = {
    "time": {"time", "time_ns", "localtime", "gmtime"},
    "datetime": {"now", "today", "utcnow"},
}
ASKED = {"sim/session/session.py": 1, "sim/cli/cache.py": 1, "sim/cli/export.py": 1}
"""Where the time of day is asked: when a run was begun, for people to read; and how old stores are
that somebody wants to remove."""


def asked(path: Path) -> int:
    """Calls in a file that ask for the time of day."""
    n = 0
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                n += attribute in OF_DAY.get(name, ())
            case ast.ImportFrom(module="time", names=names):
                n += sum(alias.name in OF_DAY["time"] for alias in names)
    return n


def test_the_time_of_day_is_asked_nowhere_else() -> None:
    files = [*(ROOT / "sim").rglob("*.py"), *(ROOT / "actors").rglob("*.py")]
    found = {str(path.relative_to(ROOT)): asked(path) for path in files}
    assert {name: n for name, n in found.items() if n} == ASKED


def test_a_clock_that_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was begun in the future and interrupted is carried to the same bytes."""
    typed = ["data.preset=tiny", f"data.cache={tmp_path}/cache", "targets=5", "bayes_targets=0"]
    typed += ["cluster=inline", "grid.aux=[2/2]"]
    job = replace(plan_job(configured(*typed), typed), pictures=False)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
    run_planned(job, whole)
    with monkeypatch.context() as patch:
        patch.setattr("sim.session.session.datetime", Far)
        patch.setattr("sim.study.run.write_results", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_planned(job, broken)
    assert read_record(broken)["begun"].startswith("2999")
    run_planned(job, broken)
    assert read_record(broken)["status"] == "complete"
    one, other = ((folder / "decisions.parquet").read_bytes() for folder in (whole, broken))
    assert one == other


class Far:
    """A clock that is far ahead."""

    @staticmethod
    def now(zone: timezone) -> datetime:
        return datetime(2999, 1, 1, tzinfo=zone)


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt
