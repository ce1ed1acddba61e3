"""Verbs stand for overrides, which --explain prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from sim.cli import open as opening
from sim.cli.main import main
from sim.cli.verbs import spelled_out
from sim.errors import ConfigError, StandoutError
from sim.report.commands import verb_line

RUN = [
    *("data=synthetic", "data.preset=tiny", "targets=5", "cluster=inline", "grid.aux=[1/1]"),
    *("bayes_targets=0", "hydra.run.dir=run"),
]


def standout(*words: str) -> int:
    sys.argv = ["standout", *words]
    try:
        main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)
    rows = "".join(f"a{n % 9},x{n % 7}\n" for n in range(60))
    (tmp_path / "my visits.csv").write_text(f"who,what\n{rows}")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (
            ["audit", "my visits.csv", "--max-risk", "0.1", "data.user=who", "data.item=what"],
            "standout experiment=audit data=table \"data.path='my visits.csv'\" data.user=who "
            "data.item=what audit.max_risk=0.1",
        ),
        (
            ["plan", "my visits.csv", "--max-risk=0.1", "hydra.run.dir=out"],
            "standout experiment=plan data=table \"data.path='my visits.csv'\" data.user=who "
            "data.item=what hydra.run.dir=out plan.max_risk=0.1",
        ),
        (["figure", "ns08_fig4", "seed=2"], "standout experiment=ns08_fig4 seed=2"),
        (["audit", "data=movielens"], "standout experiment=audit data=movielens"),
    ],
)
def test_explained_a_verb_is_the_overrides_that_it_stands_for(
    words: list[str], printed: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert standout(*words, "--explain") == 0
    assert capsys.readouterr().out == printed + "\n"
    assert [each.name for each in folder.iterdir()] == ["my visits.csv"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["audit"], "audit: expected standout audit FILE"),
        (["audit", "my visit.csv"], "did you mean my visits.csv?"),
        (["audit", "my visits.csv", "--max-risk"], "--max-risk: expected standout audit"),
        (["audit", "my visits.csv", "--maxrisk", "0.1"], "did you mean --max-risk?"),
        (["figure", "ns08_fig44"], "did you mean ns08_fig4?"),
        (["figure"], "figure: no name: not an experiment; they are all, "),
        (["figure", "ns08_fig4", "--max-risk", "0.1"], "figure: --max-risk: expected"),
        (["repeat", "my visits.csv"], "repeat: expected standout repeat RUN_FOLDER"),
        (["open", "my visits.csv"], "open: my visits.csv: has no report.html"),
        (["audi", "my visits.csv"], "did you mean audit?"),
    ],
)
def test_what_a_verb_lacks_is_said_in_one_line(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert standout(*words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert [each.name for each in folder.iterdir()] == ["my visits.csv"]


def test_a_run_is_repeated_opened_and_asked_for_a_plan(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert standout(*RUN) == 0
    before = (folder / "run" / "decisions.parquet").read_bytes()
    opened: list[str] = []
    monkeypatch.setattr(opening.webbrowser, "open", opened.append)
    assert standout("open", "run") == 0
    assert opened == [(folder / "run" / "report.html").as_uri()]
    assert standout("repeat", "run", "hydra.run.dir=again") == 0
    assert (folder / "again" / "decisions.parquet").read_bytes() == before
    assert standout("repeat", "run", "--explain") == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("standout data=synthetic ")
    overrides, start = spelled_out("plan", ["run", "--max-risk", "0.2"])
    assert overrides[0] == "experiment=plan"
    assert {"data.preset=tiny", "plan.max_risk=0.2"} < {*overrides}
    assert start == folder
    with pytest.raises(ConfigError, match="was asked for no bound; add --max-risk"):
        spelled_out("plan", ["run"])
    with pytest.raises(ConfigError, match="expected a number from 0 to 1"):
        spelled_out("plan", ["run", "--max-risk", "x"])


def test_a_command_by_its_verb_stands_for_the_overrides_that_it_was_made_of(folder: Path) -> None:
    path = "data.path='my visits.csv'"
    for overrides in (
        ["data=table", path, "data.user=who", "data.item=what", "plan.max_risk=0.1"],
        ["data=synthetic", "seed=2", "plan.max_risk=0.1"],
    ):
        _, verb, *words = shlex.split(verb_line("plan", overrides))
        again, _ = spelled_out(verb, words)
        assert sorted(again) == sorted(["experiment=plan", *overrides])


def test_a_folder_that_was_sent_can_set_nothing_but_keys(folder: Path) -> None:
    assert standout(*RUN) == 0
    record = folder / "run" / "run.json"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace('"targets=5"', '"hydra.job.chdir=true"'), encoding="utf-8")
    with pytest.raises(StandoutError, match=r"hydra\.job\.chdir"):
        spelled_out("repeat", ["run"])
