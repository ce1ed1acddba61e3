"""The Bayes-optimal attacker: compared on the same targets or not at all, and never a comfort."""

from __future__ import annotations

import math
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from reporting import Page, folder_of, odd_table, run_at

from sim.config.compose import composed, configured
from sim.numeric.intervals import wilson
from sim.record.run_folder import open_folder
from sim.report.page.html import page_of
from sim.report.words.bayes_comparison import TARGETS, compare_bayes
from sim.session.open_release import open_release
from sim.session.result import Result
from sim.session.session import run_session

pytestmark = pytest.mark.usefixtures("no_drawings")

GRID = ("grid.aux=[2/2,3/4]", "grid.date_noise=[null]", "grid.value_noise=[1]")
COMFORT = ("finds no more", "at least as many", "calibrated")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return odd_table(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def folder(table: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 targets, of which 30 by the Bayes-optimal attacker too."""
    given = (*table[:-1], "targets=40", *GRID, "bayes_targets=30")
    return run_at(tmp_path_factory.mktemp("run"), *given).folder


def quickly(folder: Path, *overrides: str) -> Path:
    """A run without figures and report."""
    folder.mkdir(parents=True, exist_ok=True)
    config = configured(composed(overrides))
    run_session(config, open_release(config.data), folder, overrides, pictures=False)
    return folder


@pytest.fixture
def changed(folder: Path, tmp_path: Path) -> Path:
    """The same run, to be changed."""
    shutil.copytree(folder, tmp_path / "run")
    return tmp_path / "run"


def miss(folder: Path, cell: int, right: bool = False) -> None:
    """Let an attack name no target of a cell, or all of them."""
    path = folder / "decisions.parquet"
    decided = pd.read_parquet(path)
    here = decided["cell"] == cell
    decided.loc[here, "ties"] = 1
    decided.loc[here, ["true_rank", "above"]] = [1, 0] if right else [2, 1]
    decided.loc[here, "correct"] = right
    decided.loc[here, "candidates"] = decided.loc[here, "candidates"].clip(lower=2)
    decided.to_parquet(path)


def said_of(folder: Path) -> tuple[str, str]:
    """What the terminal and the report say of it."""
    terminal = re.sub(r"\s+", " ", str(Result(folder)))
    return terminal, Page(page_of(open_folder(folder))).said()


def by_hand(decisions: pd.DataFrame) -> float:
    """Right best guesses, ties by their chance."""
    return math.fsum(
        1 / ties if rank == ties else 0.0
        for rank, ties in zip(decisions["true_rank"], decisions["ties"], strict=True)
    )


@pytest.mark.parametrize(
    "more",
    [
        ("grid.popularity=[0,5,12]", "grid.aux=[2/2,4/4]"),
        (
            *("defence=[drop_items,perturb_values,jitter_time]",),
            *("defence.drop_items.min_support=20", "defence.jitter_time.date_noise=9"),
        ),
        ("adversary.wrong=item", "grid.aux=[1/2]", "grid.present=[true,false]"),
    ],
)
def test_the_targets_are_the_same_and_so_are_their_facts(
    table: list[str], tmp_path: Path, more: tuple[str, ...]
) -> None:
    """Cells with other eligible records, and people whom the publisher left out, included."""
    keys = {override.split("=")[0] for override in more}
    grid = [override for override in GRID if override.split("=")[0] not in keys]
    run = quickly(tmp_path, *table, *grid, *more, "bayes_targets=7")
    names = ["cell", "target", "person"]
    ours, theirs = (pd.read_parquet(run / p / "decisions.parquet") for p in ("", "bayes"))
    n = ours.groupby("cell").size()
    assert theirs.groupby("cell").size().eq(n.clip(upper=7)).all()
    shared = theirs[names].merge(ours[names], on=names)
    assert len(shared) == len(theirs)
    known, theirs_known = (pd.read_parquet(run / p / "aux.parquet") for p in ("", "bayes"))
    order = [*names, "item", "value", "day"]
    mine = known.merge(shared, on=names)
    pd.testing.assert_frame_equal(
        *(frame.sort_values(order, ignore_index=True)[order] for frame in (mine, theirs_known))
    )
    found = compare_bayes(open_folder(run))
    assert found is not None
    assert found.table is not None
    present = theirs[theirs["present"].fillna(False).astype(bool)]
    counts = [int(row[-1].text) for row in found.table.rows]
    assert counts == present.groupby("cell").size().tolist()


def test_both_shares_are_of_the_targets_that_both_attacked(folder: Path) -> None:
    found = compare_bayes(open_folder(folder))
    assert found is not None
    assert found.table is not None
    ours, theirs = (pd.read_parquet(folder / p / "decisions.parquet") for p in ("", "bayes"))
    curves = pd.read_parquet(folder / "curves.parquet")
    assert len(found.table.rows) == len(curves)
    for cell, row in enumerate(found.table.rows):
        mine, best = (frame[frame["cell"] == cell] for frame in (ours, theirs))
        shared = mine[mine["target"].isin(best["target"])]
        assert (len(mine), len(shared), len(best)) == (40, 30, 30)
        _, whole, n, same, other, claims, n_shared = (entry.text for entry in row)
        assert (n, n_shared) == ("40", "30")
        assert float(row[1].sort) == curves["rank1"][cell] == pytest.approx(by_hand(mine) / 40)
        for entry, text, some in ((row[3], same, shared), (row[4], other, best)):
            right = by_hand(some)
            ends = wilson(right, 30)
            assert float(entry.sort) == pytest.approx(right / 30)
            assert text.endswith(f"[{ends.low:.1%}–{ends.high:.1%}]")
        assert float(row[5].sort) == pytest.approx(best["posterior"].mean())
        assert re.fullmatch(r"\d+\.\d%", claims)
        ends = wilson(by_hand(mine), 40)
        assert whole.endswith(f" [{ends.low:.1%}–{ends.high:.1%}]")
    assert not np.array_equal(
        [row[1].sort for row in found.table.rows], [row[3].sort for row in found.table.rows]
    )
    for said in said_of(folder):
        assert "the 30 targets that both attacked" in said


def test_an_attacker_whose_assumptions_fail_is_no_comfort(changed: Path) -> None:
    miss(changed, 1, right=True)
    miss(changed / "bayes", 1)
    for said in said_of(changed):
        assert "assumptions of the Bayes-optimal attacker do not hold" in said
        assert "In 1 of 2 grid cells it identifies fewer" in said
        assert "with 3 of 4 facts right, values within 1 and no dates, 0.0% [0.0%–11.4%]" in said
        assert "100.0% [88.6%–100.0%] for scoreboard_rh" in said
        assert "no conclusion" in said
        assert "lower bound on the risk" in said
        assert not any(word in said for word in COMFORT)


def test_an_attacker_who_finds_more_shows_that_the_risk_is_understated(changed: Path) -> None:
    miss(changed, 0)
    miss(changed / "bayes", 0, right=True)
    for run in (changed, changed / "bayes"):
        miss(run, 1)
    for said in said_of(changed):
        assert "The published attack understates the risk: in 1 of 2 grid cells" in said
        assert "identifies 100.0% [88.6%–100.0%] of the 30 targets that both attacked, " in said
        assert "scoreboard_rh 0.0% [0.0%–11.4%]" in said
        assert "In 1 of 2 grid cells the 95% intervals of both attacks overlap" in said
        assert "identifies fewer" not in said


def test_overlapping_intervals_are_no_comfort(changed: Path) -> None:
    for run in (changed, changed / "bayes"):
        for cell in (0, 1):
            miss(run, cell, right=True)
    for said in said_of(changed):
        assert "In both grid cells the 95% intervals of both attacks overlap" in said
        # They attack the same targets, so that overlapping intervals say nothing of the difference.
        assert "margin of error" not in said
        assert said.count("100.0% [88.6%–100.0%]") >= 2
        assert "does not show that" in said
        assert not any(word in said for word in COMFORT)


def test_a_posterior_above_what_comes_true_is_said(changed: Path) -> None:
    for run in (changed, changed / "bayes"):
        miss(run, 0)
    path = changed / "bayes" / "decisions.parquet"
    pd.read_parquet(path).assign(posterior=0.99).to_parquet(path)
    for said in said_of(changed):
        assert "In 1 of 2 grid cells the Bayes-optimal attacker is overconfident" in said
        assert re.search(r"99\.0%, but 0\.0% \[0\.0%–11\.4%\] of its guesses are right", said)


def test_nothing_is_promised_of_what_was_not_run_and_its_command_runs(
    table: list[str], tmp_path: Path
) -> None:
    run = quickly(tmp_path / "run", *table, *GRID, "bayes_targets=0")
    found = compare_bayes(open_folder(run))
    assert found is not None
    said = str(Result(run))
    assert "The Bayes-optimal attacker was not run" in said
    assert found.command in said
    assert not any(word in said for word in COMFORT)
    name, *overrides = shlex.split(found.command)
    assert (name, overrides[-1]) == ("standout", f"bayes_targets={TARGETS}")
    assert composed([]).bayes_targets == TARGETS
    again = quickly(tmp_path / "again", *overrides)
    assert "20 targets that both attacked" in str(Result(again))
    first, second = (pd.read_parquet(one / "decisions.parquet") for one in (run, again))
    pd.testing.assert_frame_equal(first, second)


def test_facts_that_come_one_by_one_are_compared(table: list[str], tmp_path: Path) -> None:
    run = quickly(tmp_path, *table, *GRID[1:], "grid.aux=[3/4]", "grid.first=[1,4]")
    found = compare_bayes(open_folder(run))
    assert found is not None
    assert found.table is not None
    assert [row[-1].text for row in found.table.rows] == ["20", "20"]
    assert not any("at most" in sentence for sentence in found.sentences)


def test_facts_that_rule_nobody_out_are_for_fewer_targets(
    table: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the first two facts may be about wrong items: every record is possible, and scored."""
    monkeypatch.setattr("sim.session.bayes_companion.WHERE_ALL_ARE_POSSIBLE", 7)
    wrong = ("adversary.wrong=item", "grid.aux=[2/4]", "grid.first=[2,4]")
    found = compare_bayes(open_folder(quickly(tmp_path / "some", *table, *GRID[1:], *wrong)))
    assert found is not None
    assert found.table is not None
    assert [row[-1].text for row in found.table.rows] == ["7", "7"]
    assert any("attacked at most 7 targets" in sentence for sentence in found.sentences)


def test_without_decisions_nothing_is_compared(changed: Path) -> None:
    (changed / "decisions.parquet").unlink()
    for said in said_of(changed):
        assert "so they are not compared" in said
        assert "understates" not in said


def test_decisions_that_cannot_be_read_are_one_line(changed: Path) -> None:
    (changed / "bayes" / "decisions.parquet").write_bytes(b"no parquet")
    with pytest.raises(Exception, match=r"bayes.*run the study again") as caught:
        compare_bayes(open_folder(changed))
    assert type(caught.value).__name__ == "InputError"


def test_parts_of_a_suite_are_compared_on_what_they_share(table: list[str], tmp_path: Path) -> None:
    parts = {
        "plain": ["targets=20"],
        "few": ["attack=bayes", "targets=5"],
        "many": ["attack=bayes", "targets=12"],
        "other": ["attack=bayes", "targets=20", "seed=9"],
        "rough": ["attack=bayes", "targets=20", "attack.count=independent"],
    }
    given = [*table[:-1], *GRID[1:], "grid.aux=[2/2]", "bayes_targets=0"]
    runs = {name: quickly(tmp_path / name, *given, *own) for name, own in parts.items()}
    entries = [{"name": name, "folder": name, "status": "complete"} for name in parts]
    config = {"name": "suite", "parts": parts}
    release = {"source": "a table", "n_records": 60, "n_items": 25, "n_cells": 500}
    folder_of(tmp_path, config, {}, release=release, parts=entries)
    plain, *others = (open_folder(run) for run in runs.values())
    found = compare_bayes(plain, others)
    assert found is not None
    assert found.table is not None
    # The one that shares most, of those with the same seed and the exact posterior.
    assert [row[-1].text for row in found.table.rows] == ["12"]
    assert found.brief in re.sub(r"\s+", " ", str(Result(tmp_path)))
    alone = compare_bayes(plain, others[2:])
    assert alone is not None
    assert alone.table is None
