"""The command line for other programs: pipes, version, silence, completion; and typing errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from making import deep
from printed import NONE_CALLED

ROOT = Path(__file__).parents[2]
JOB = ("data.preset=tiny", "targets=9", "grid.aux=[2/2]", "bayes_targets=0", "cluster=inline")


def test_the_version_is_standout_s(standout: Any) -> None:
    found = standout("--version")
    assert (found.code, found.out, found.err) == (0, f"standout {version('standout')}\n", "")


@pytest.mark.parametrize(
    "words", ["--help", "--cfg job", *deep("help all", "guide spec", "--hydra-help")]
)
def test_a_reader_that_has_seen_enough_is_no_error(words: str) -> None:
    """The exit code is that of a program that SIGPIPE ends; nothing is said."""
    assert unread(words) == (141, "")


def unread(words: str) -> tuple[int, str]:
    """Exit code and errors of a command whose output nobody reads."""
    script = f"{sys.executable} -m sim {words} | true; exit ${{PIPESTATUS[0]}}"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_a_run_whose_output_nobody_reads_is_whole(place: Path, store_cache: Path) -> None:
    """Nor is it called corrupt by a command whose output nobody reads."""
    job = " ".join(f"'{word}'" for word in (*JOB, f"data.cache={store_cache}", "hydra.run.dir=run"))
    assert unread(f"--quiet {job}") == (141, "")
    assert unread("check run max_risk=1") == (141, "")


def test_quiet_leaves_results_and_errors(
    standout: Any, no_figures: None, place: Path, store_cache: Path
) -> None:
    job = (*JOB, f"data.cache={store_cache}", "grid.popularity=[250]", "targets=500")
    loud = standout(*job, "hydra.run.dir=loud")
    assert "fewer than 500 records" in loud.err
    quiet = standout(*job, "--quiet", "hydra.run.dir=quiet")
    assert quiet.code == 0
    assert "fewer than 500 records" in quiet.err  # a warning, and nothing else
    assert quiet.err.count("\n") <= 2
    folder, _, verdict = quiet.out.partition("  ")
    assert (folder, quiet.out.count("\n")) == ("quiet", 1)
    assert " ".join(verdict.split()) in " ".join(loud.out.split())
    assert "fewer than 500 records" in (place / "quiet" / "standout.log").read_text()
    swept = standout("--multirun", "--quiet", *job, "seed=1,2", "hydra.sweep.dir=sweep")
    assert swept.code == 0
    jobs, compared = swept.out.split("\n% [95% interval]; n: people attacked\n")
    assert jobs.count("\n") <= 20, "each job prints what a run does"
    assert compared.startswith("run ")
    wrong = standout("--quiet", "sed=1")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert "did you mean seed?" in wrong.err


def test_no_colours_are_printed(
    standout: Any, no_figures: None, place: Path, store_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("NO_COLOR", "1"), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
        found = standout(*JOB, f"data.cache={store_cache}", f"hydra.run.dir={name}")
        assert found.code == 0
        assert "\x1b" not in found.out + found.err
        monkeypatch.delenv(name)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["comprae", "a"], "comprae: neither key=value nor a command; did you mean compare?"),
        (["help", "plna"], "help: no topic 'plna'; did you mean plan?"),
        (["atack=bayes"], "atack: not a key of the configuration; did you mean attack?"),
        (["describe", "date_format=%Y"], "key of the data; did you mean data.date_format?"),
        (["data=movielans"], "did you mean movielens?"),
        (["audit.measure=maen", "experiment=audit"], "did you mean mean?"),
        (["parts={a: ['target=1']}"], "did you mean targets?"),
        (["guide", "plna"], "guide: no page 'plna'; did you mean plan?; list the pages with: s"),
        (["seed=1", "--quite"], "--quite: unknown option; did you mean --quiet?; see standout --h"),
        (["check", ".", "--quite"], "--quite: unknown option; did you mean --quiet?; see standout"),
        (
            ["+defence.drop_item.min_support=2"],
            f"defence: 'drop_item': {NONE_CALLED}did you mean drop_items?;",
        ),
        (
            ["experiment=plan", "plan.max_risk=1", "plan.defences=['drop_item.min_support=2']"],
            "plan.defences: 'drop_item.min_support=2': defence: 'drop_item': "
            f"{NONE_CALLED}did you mean drop_it",
        ),
    ],
)  # fmt: skip
def test_what_is_misspelt_is_answered_with_what_is_like_it(
    standout: Any, typed: list[str], said: str
) -> None:
    found = standout(*typed)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert said in found.err


def test_a_file_alone_is_no_command(standout: Any, place: Path) -> None:
    (place / "loans.csv").write_text("who;what\n", encoding="utf-8")
    found = standout("loans.csv")
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert "loans.csv: is a file, and no command; expected a command before it" in found.err


def completed(standout: Any, monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    """What a shell is told that may follow."""
    monkeypatch.setenv("COMP_LINE", f"standout {line}")
    found = standout("--shell-completion", "query=bash")
    assert (found.code, found.err) == (0, "")
    return found.out.split()


def test_a_shell_completes_choices_without_their_types(
    standout: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert completed(standout, monkeypatch, "data=") == [
        *("data=movielens", "data=netflix", "data=synthetic", "data=table")
    ]
    assert "attack=scoreboard_rh" in completed(standout, monkeypatch, "seed=2 attack=sc")
    assert "plan.max_risk=" in completed(standout, monkeypatch, "plan.")
    assert {"data=", "describe"} <= {*completed(standout, monkeypatch, "d")}
    assert "describe" not in completed(standout, monkeypatch, "seed=1 d")
    assert completed(standout, monkeypatch, "data=nonsense grid.") == []


def test_completion_is_installed_as_the_guide_says(standout: Any) -> None:
    installed = standout("--shell-completion", "install=bash")
    assert installed.code == 0
    done = subprocess.run(["bash", "-n"], input=installed.out, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"complete .*hydra_bash_completion ", installed.out)
    assert "function" in standout("--shell-completion", "install=fish").out
