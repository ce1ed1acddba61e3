"""Synthetic events as a user runs them: the default grid, unicity, the description."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from studying import configured

import sim
from sim.session.jobs import plan_job
from sim.session.suite import run_planned

pytestmark = pytest.mark.usefixtures("no_drawings")

PRESETS = ("tiny_visits", "tiny_purchases")


def run(folder: Path, *asked: str) -> pd.DataFrame:
    given = (*asked, "cluster=inline", f"data.cache={folder / 'cache'}")
    (folder / "run").mkdir()
    run_planned(plan_job(configured(*given), given), folder / "run")
    [table] = [p for p in (folder / "run").glob("*.parquet") if p.stem in ("curves", "facts")]
    return pd.read_parquet(table)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_default_grid_runs(preset: str, tmp_path: Path) -> None:
    curves = run(
        tmp_path, "experiment=ns08_fig4", f"data.preset={preset}", "targets=20", "bayes_targets=5"
    )
    assert len(curves) >= 3
    assert (curves["n_targets"] > 0).all()
    assert curves["rank1"].max() > 0.2


@pytest.mark.parametrize("preset", PRESETS)
def test_unicity_rises_with_the_points(preset: str, tmp_path: Path) -> None:
    facts = run(tmp_path, "experiment=unicity", f"data.preset={preset}", "study.points=4")
    finest = facts[facts["times"] == facts["times"].iloc[0]]
    assert finest["unique"].is_monotonic_increasing
    assert finest["unique"].iloc[-1] > 0.9
    alone = facts[facts["times"] == "none"]
    assert alone["unique"].iloc[-1] < finest["unique"].iloc[-1]


def test_the_description_counts_repeats(tmp_path: Path) -> None:
    said = str(sim.synthetic("tiny_purchases", cache=str(tmp_path)).describe())
    assert "entries that repeat a person's item" in said
