"""``dry_run=true`` says what a job would take, begins none of it, and leaves nothing behind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

MADE = ("data.preset=tiny", "targets=10", "dry_run=true")


@pytest.fixture
def estimated(
    standout: Any, store_cache: Path, monkeypatch: pytest.MonkeyPatch, no_figures: None
) -> Any:
    def refused(*_: object, **__: object) -> None:
        pytest.fail("a runner was made")

    monkeypatch.setattr("sim.session.session.make_runner", refused)

    def run(*arguments: str) -> Any:
        return standout(*MADE, f"data.cache={store_cache}", *arguments)

    return run


def test_nothing_is_begun_and_nothing_left(estimated: Any, place: Path) -> None:
    had_ray = "ray" in sys.modules
    found = estimated("experiment=ns08_fig4", "bayes_targets=0", "cluster=local")
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == "ns08_fig4: scoreboard_rh on synthetic release 'tiny', seed 1"
    assert any("with 2 workers" in line for line in lines)
    assert list(place.iterdir()) == []
    assert ("ray" in sys.modules) == had_ray


def test_the_bayes_attacker_is_counted(estimated: Any) -> None:
    found = estimated("cluster=inline", "bayes_targets=5", "grid.aux=[2/2]")
    assert "study, Bayes-optimal attacker: bayes" in found.out
    assert "total: about" in found.out


def test_a_folder_that_holds_more_stays(estimated: Any, place: Path) -> None:
    (place / "run").mkdir()
    (place / "run" / "mine").write_text("")
    assert estimated("hydra.run.dir=run", "bayes_targets=0", "grid.aux=[2/2]").code == 0
    assert (place / "run" / "mine").is_file()
    assert not (place / "run" / "run.json").exists()


def test_what_would_stop_the_run_is_said(estimated: Any, place: Path) -> None:
    found = estimated("grid.aux=[5000/5000]", "bayes_targets=0")
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1
    assert "no eligible target" in found.err
    assert list(place.iterdir()) == []


def test_a_suite_is_estimated_part_by_part(estimated: Any) -> None:
    few, many, lengths = "['grid.aux=[2/2]']", "['grid.aux=[5000/5000]']", "['study=lengths']"
    found = estimated("bayes_targets=0", f"parts={{few: {few}, many: {many}, lengths: {lengths}}}")
    assert found.code == 0, found.err
    assert "study, few: scoreboard_rh" in found.out
    assert "study, many: not possible: " in found.out
    assert "study, lengths: measurement lengths of the release; not estimated" in found.out
    assert found.out.splitlines()[-1].endswith("without 2 runs that are not estimated")


def test_a_chain_that_cannot_be_applied_lacks_something(estimated: Any) -> None:
    """A plan or a frontier takes no defence in its place."""
    chains = ["plan.defences=['drop_time jitter_time']", "audit.attackers=[insider]"]
    found = estimated("experiment=frontier", *chains, "bayes_targets=0")
    assert found.code == 0, found.err
    said = "frontier, insider: not possible: defence=[jitter_time]: needs dates, which the release"
    assert f"{said} lacks\n" in found.out
