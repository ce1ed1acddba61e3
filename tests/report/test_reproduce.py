"""The commands that a report prints: they can be typed as they are, and do what is said of them."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from omegaconf import OmegaConf
from printed import words_of
from reporting import ODD, odd_table

import sim
from sim.config.compose import composed, configured
from sim.extend.overrides import command_line, override
from sim.record.run_record import FRAME
from sim.session.jobs import plan_job
from sim.session.result import Result
from sim.session.suite import run_planned
from sim.study.results import RESULTS

CONF = Path(__file__).parents[2] / "conf"
EXPERIMENTS = sorted(path.stem for path in (CONF / "experiment").glob("*.yaml"))

CHARACTERS = "ab é漢,[](){}='\"\\$~#&;|<>*?!`:@+-./%^ "
WORDS = st.from_regex(r"\A(null|true|False|nan|INF|inf|infinity|[aeu_/])[a-z0-9_./-]{0,4}\Z")
TEXTS = st.text(CHARACTERS, max_size=12) | WORDS
SINGLE = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SINGLE,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from("abc"), x),
    max_leaves=4,
)


def typed(line: str, shell: str) -> list[str]:
    """What a program gets of a command line."""
    script = f"standout() {{ printf '%s\\0' \"$@\"; }}\n{line}"
    done = subprocess.run([shell, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


@settings(max_examples=examples(25))
@given(st.lists(VALUES, min_size=10, max_size=20), st.lists(TEXTS, min_size=3))
def test_a_command_goes_through_shell_and_hydra(values: list[Any], words: list[str]) -> None:
    overrides = [override("a.b_c", value) for value in values]
    line = command_line(["standout", *overrides, *words])
    for shell in ("bash", "sh"):
        assert typed(line, shell) == [*overrides, *words]
    read = OverridesParser.create().parse_overrides(overrides)
    made = OmegaConf.create({"all": [one.value() for one in read]})
    assert OmegaConf.to_container(made, resolve=True) == {"all": values}


@pytest.mark.parametrize("text", ["a\tb", "\x03", "it's\x1b[2J", "\\'\x07"])
def test_a_control_character_is_pasted_as_text(text: str) -> None:
    """In quotes that bash, zsh and ksh know; nothing that a terminal acts upon is pasted."""
    line = command_line(["standout", override("data.path", text)])
    assert line.isprintable()
    assert typed(line, "bash") == [override("data.path", text)]


TABLE = ["data=table", "data.path=x", "data.user=a", "data.item=b"]


@pytest.mark.parametrize("path", ["a b.csv", "it's, [1] {x}=ü.csv", "$HOME/${x}.csv", "a\\'\\"])
def test_a_path_is_the_same_in_the_configuration(path: str) -> None:
    config = configured(composed(TABLE)).data
    config.path = path  # type: ignore[attr-defined]
    release = sim.Release(None, config)  # type: ignore[arg-type]
    assert configured(composed(release.overrides())).data == config


def ran(folder: Path, *overrides: str) -> Result:
    folder.mkdir()
    return run_planned(plan_job(configured(composed(overrides)), overrides), folder)


def again(result: Result, folder: Path) -> Result:
    """What the last command of a report makes."""
    page = result.report().read_text(encoding="utf-8")
    commands = [html.unescape(x) for x in re.findall(r"<code>(standout .*?)</code>", page)]
    return ran(folder, *words_of(commands[-1])[1:])


def same(one: Result, other: Result) -> bool:
    names = [Path(name).stem for name in RESULTS]
    return all(one.tables[name].equals(other.tables[name]) for name in names)


@pytest.fixture(autouse=True)
def _no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim.session.suite.draw_run", lambda folder: [])
    monkeypatch.setattr("sim.session.suite.write_report", lambda folder: folder)
    monkeypatch.setattr("sim.report.page.html.drawings_of", lambda run: [])


GRID = ("grid.aux=[2/2]", "grid.date_noise=[3]", "grid.value_noise=[0]")


def test_a_run_is_made_again_by_its_command(tmp_path: Path) -> None:
    """On a file with an odd name, with the Bayes-optimal attacker, which has its own command."""
    table = odd_table(tmp_path)
    first = ran(tmp_path / "first", *table, *GRID, "bayes_targets=5", "attack.entropy=true")
    assert same(again(first, tmp_path / "second"), first)
    assert first.bayes is not None
    overrides = first.bayes.record["overrides"]
    assert same(ran(tmp_path / "bayes", *overrides), first.bayes)


def test_the_bayes_run_of_an_experiment_with_an_attack_of_its_own(tmp_path: Path) -> None:
    """It cannot be had by itself; the command makes the run that it belongs to."""
    asked = ["experiment=theory", "parts=null", *odd_table(tmp_path), *GRID, "bayes_targets=5"]
    first = ran(tmp_path / "first", *asked)
    assert first.bayes is not None
    assert same(again(first.bayes, tmp_path / "second"), first)


def test_a_census_says_how_to_run_the_bayes_attacker(tmp_path: Path) -> None:
    facts = ["grid.aux=[3/4]", "grid.first=[1,4]", "bayes_targets=0"]
    asked = ["experiment=census", *odd_table(tmp_path), *facts]
    first = ran(tmp_path / "first", *asked)
    (found,) = (one for one in first.findings if one.kind == "strongest_not_run")
    second = ran(tmp_path / "second", *asked, found.remedy)
    assert second.bayes is not None
    assert len(second.bayes.decisions) > 0


def test_a_run_from_python_is_made_again_by_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the same data; a data frame must be saved first, as the report says."""
    monkeypatch.chdir(tmp_path)
    odd_table(tmp_path)
    shutil.move(ODD, "a table.csv")
    columns = {"user": "who", "item": "what", "value": "stars", "date": "day"}
    frame = pd.read_csv("a table.csv")
    for number, data in enumerate(("a table.csv", frame)):
        release = sim.table(data, **columns, date_unit="days", cache=str(tmp_path / "cache"))
        first = sim.run(
            release, grid={"aux": ["2/2"], "date_noise": [3]}, targets=9,
            folder=tmp_path / f"first-{number}", options={"bayes_targets": 0},
        )  # fmt: skip
        if number:
            assert FRAME in first.report().read_text(encoding="utf-8")
            frame.to_parquet(FRAME, index=False)
        assert same(again(first, tmp_path / f"second-{number}"), first)
