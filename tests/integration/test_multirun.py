"""Several seeds in one call: a run folder for each, on the same release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from studying import results

from sim.errors import StandoutError

JOB = ("data.preset=tiny", "targets=30", "grid.aux=[2/2]", "bayes_targets=0", "cluster=inline")


def test_seeds(no_figures: None, standout: Any, place: Path, store_cache: Path) -> None:
    job = ("data.preset=tiny", "targets=30", "grid.aux=[2/2]", f"data.cache={store_cache}")
    found = standout("--multirun", "seed=1,2", *job, "cluster=inline", "hydra.sweep.dir=runs")
    assert found.code == 0, found.err
    assert sorted(p.name for p in (place / "runs").iterdir() if p.is_dir()) == ["0", "1"]
    records = [json.loads((place / "runs" / run / "run.json").read_text()) for run in ("0", "1")]
    assert [record["seed"] for record in records] == [1, 2]
    assert [record["status"] for record in records] == ["complete", "complete"]
    assert len({record["release_fingerprint"] for record in records}) == 1
    one, two = (results(place / "runs" / run) for run in ("0", "1"))
    assert one["aux.parquet"] != two["aux.parquet"]
    assert one["decisions.parquet"] != two["decisions.parquet"]
    # The same as a run of its own; and it can be taken up like one.
    assert standout("seed=2", *job, "cluster=inline", "hydra.run.dir=alone").code == 0
    assert results(place / "alone") == two
    again = standout("resume", "runs/1")
    assert again.code == 0
    assert "already complete" in again.err


def test_runs_of_one_call_share_a_cluster(
    ray_cluster: None, no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    job = [word for word in JOB if not word.startswith("cluster")]
    job.append(f"data.cache={store_cache}")
    found = standout("--multirun", "seed=1,2", *job, "cluster.workers=2", "hydra.sweep.dir=runs")
    assert found.code == 0, found.err
    assert standout("seed=2", *job, "cluster=inline", "hydra.run.dir=alone").code == 0
    assert results(place / "runs" / "1") == results(place / "alone")
    record = json.loads((place / "runs" / "1" / "run.json").read_text())
    assert record["cluster"]["workers"] == 2


def test_a_sweep_ends_in_a_comparison(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    """The table of ``standout compare``, and its files in the folder of the sweep."""
    found = standout(
        "--multirun", "attack.phi=1,3", *JOB, f"data.cache={store_cache}", "hydra.sweep.dir=runs"
    )
    assert found.code == 0, found.err
    compared = standout("compare", "runs").out
    caption, heads, *_ = compared.splitlines()
    assert caption == "% [95% interval]; n: people attacked"
    assert heads.split()[:2] == ["run", "attack.phi"]
    assert compared in found.out
    assert found.out.splitlines()[-2:] == [
        "table    runs/comparison.parquet",
        "figure   runs/comparison.png",
    ]
    table = pd.read_parquet(place / "runs" / "comparison.parquet")
    assert table["run"].tolist() == ["0", "0", "1", "1"]  # two tolerances of dates
    assert table["attack.phi"].tolist() == ["1.0", "1.0", "3.0", "3.0"]
    for job in ("0", "1"):
        curves = pd.read_parquet(place / "runs" / job / "curves.parquet")
        assert table[table["run"] == job]["rank1"].tolist() == curves["rank1"].tolist()
    assert (place / "runs" / "comparison.png").is_file()


def test_jobs_of_all_names_are_in_one_folder_and_what_attacks_nobody_is_left_out(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    found = standout(
        *("--multirun", "study=attack,lengths", *JOB, f"data.cache={store_cache}"),
    )
    assert found.code == 0, found.err
    (folder,) = (place / "outputs" / "multirun").glob("*/*")
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"0", "1"}
    assert "/1: has no attack and no audit, so it is not compared" in found.err
    assert pd.read_parquet(folder / "comparison.parquet")["run"].unique().tolist() == ["0"]


def test_a_sweep_goes_on_in_its_folder(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    """As `sim/guide/resume.md` says: after an interruption, the same command in the same folder."""
    job = (*JOB, f"data.cache={store_cache}", "hydra.sweep.dir=runs")
    assert standout("--multirun", "seed=1", *job).code == 0
    (place / "runs" / "sweep.json").unlink()  # as if interrupted before the second job
    unfinished = standout("check", "runs", "max_risk=1")
    assert unfinished.code == 2
    assert "runs: the sweep did not end; give the command of the sweep again" in unfinished.err
    assert "the folder of a sweep (--multirun), not of a run" in standout("resume", "runs").err
    before = results(place / "runs" / "0")
    again = standout("--multirun", "seed=1,2", *job)
    assert again.code == 0, again.err
    assert "runs/0: already complete" in again.err
    assert results(place / "runs" / "0") == before
    table = pd.read_parquet(place / "runs" / "comparison.parquet")
    assert table["run"].unique().tolist() == ["0", "1"]
    other = standout("--multirun", "seed=2,1", *job)
    assert other.code == 2
    assert "cannot be resumed: seed was 1 and is 2" in other.err
    assert results(place / "runs" / "0") == before


def test_an_estimate_is_compared_with_none(standout: Any, place: Path, store_cache: Path) -> None:
    found = standout("--multirun", "seed=1,2", *JOB, f"data.cache={store_cache}", "dry_run=true")
    assert (found.code, found.err) == (0, "")
    assert not list(place.rglob("comparison.*"))


def test_a_job_that_fails_does_not_keep_the_others_from_being_compared(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    typed = ("grid.aux=[2/2],[900/900]", f"data.cache={store_cache}", "hydra.sweep.dir=runs")
    job = [word for word in JOB if not word.startswith("grid.")]
    found = standout("--multirun", *job, *typed)
    assert found.code == 2
    assert "900/900" in found.err
    heading, line = found.out.splitlines()[-2:]
    assert heading == "1 of 2 jobs did not finish:"
    error = found.err.splitlines()[-1].removeprefix("standout: error: ")
    assert line == f"1  grid.aux=[900/900]: {error}"
    assert pd.read_parquet(place / "runs" / "comparison.parquet")["run"].unique().tolist() == ["0"]
    checked = standout("check", "runs", "max_risk=1")
    assert checked.code == 2
    assert "runs: 1 of its 2 jobs is not complete (1)" in checked.err
    compared = standout("compare", "runs")
    assert compared.code == 0
    assert "runs: 1 of its 2 jobs is not complete (1), so not compared" in compared.err


def test_jobs_of_other_processes_are_counted(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    """A launcher may run jobs elsewhere: what they made is found in the folder of the sweep."""
    from sim.cli import sweep

    typed = ("seed=1,2", *JOB, f"data.cache={store_cache}", "hydra.sweep.dir=runs")
    assert standout("--multirun", *typed).code == 0
    (place / "runs" / "comparison.parquet").unlink()
    sweep._swept[:] = [Path("runs")]
    sweep.conclude([], failed=False)
    assert len(pd.read_parquet(place / "runs" / "comparison.parquet")) == 4
    (place / "runs" / "1" / "run.json").unlink()
    sweep._swept[:] = [Path("runs")]
    with pytest.raises(
        StandoutError, match=r"^1 job of 2 did not finish: runs/1; what was printed"
    ):
        sweep.conclude([], failed=False)


MIN = "defence.drop_items.min_support"
OPTUNA = (
    *("hydra/sweeper=optuna", "hydra.sweeper.n_trials=4", "hydra.sweeper.n_jobs=1"),
    *("defence=[drop_items]", f"{MIN}=choice(1,150,250,300)"),
)


def test_optuna_lowers_the_upper_end_of_the_risk(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    """By the sweeper of Hydra's own plug-in; its grid tries every value once."""
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    job = (*JOB, f"data.cache={store_cache}", "hydra.sweep.dir=runs")
    found = standout("--multirun", *OPTUNA, "hydra/sweeper/sampler=grid", *job)
    assert found.code == 0, found.err
    tried = {}
    for folder in (place / "runs").glob("[0-9]"):
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        support = summary["asked"]["config"]["defence"]["drop_items"]["min_support"]
        tried[support] = summary["risk"]["objective"]
    assert set(tried) <= {1, 150, 250, 300}
    assert len(tried) > 1
    result = yaml.safe_load((place / "runs" / "optimization_results.yaml").read_text())
    assert result["best_value"] == min(tried.values())
    assert tried[result["best_params"][MIN]] == min(tried.values())
    assert len(pd.read_parquet(place / "runs" / "comparison.parquet")["run"].unique()) == 4


def test_a_sweeper_is_told_of_a_run_without_a_risk(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper")
    typed = ("study=lengths", "data.preset=tiny", f"data.cache={store_cache}", "cluster=inline")
    found = standout("--multirun", *OPTUNA, *typed, "hydra.sweep.dir=runs")
    assert found.code == 2
    assert "has no risk for the sweeper to lower" in found.err


@pytest.mark.deep
def test_a_launcher_that_starts_processes_ends_in_the_same(
    standout: Any, place: Path, starting: Any, waiting: Any, store_cache: Path
) -> None:
    """Also where some of its jobs fail, which only the processes know."""
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher")
    typed = ("attack.phi=1,3", "grid.aux=[2/2],[900/900]", f"data.cache={store_cache}")
    job = [word for word in JOB if not word.startswith("grid.")]
    spread = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "hydra.sweep.dir=runs")
    found = waiting(starting("--multirun", *spread, *job, *typed, cwd=place))
    assert found.code == 2, found.err
    logs = [(place / "runs" / n / "standout.log").read_text(encoding="utf-8") for n in "13"]
    assert all("grid cell 0 (aux=900/900" in log for log in logs)
    last = found.err.splitlines()[-1]
    assert last.startswith("standout: error: 2 jobs of 4 did not finish: runs/1, runs/3; ")
    heading, *lines = found.out.splitlines()[-3:]
    assert heading == "2 of 4 jobs did not finish:"
    for number, phi, line in zip("13", "13", lines, strict=True):
        assert line.startswith(f"{number}  attack.phi={phi} grid.aux=[900/900]: grid cell 0 (aux=")
    table = pd.read_parquet(place / "runs" / "comparison.parquet")
    assert table["run"].unique().tolist() == ["0", "2"]
    assert standout(*job, "attack.phi=3", "grid.aux=[2/2]", typed[2], "hydra.run.dir=one").code == 0
    assert results(place / "runs" / "2") == results(place / "one")


def test_a_run_and_a_sweep_have_folders_of_their_own(
    no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    """In one folder, nobody could check either: the jobs of the sweep were passed by."""
    job = (*JOB, f"data.cache={store_cache}")
    sweep = ("--multirun", "seed=1,2", *job)
    assert standout(*sweep, "hydra.sweep.dir=runs").code == 0
    refused = standout(*job, "hydra.run.dir=runs")
    assert refused.code == 2
    assert refused.err.strip().endswith(
        "runs: is the folder of a --multirun; choose another for this run"
    )
    assert not (place / "runs" / "run.json").exists()
    assert standout("check", "runs", "max_risk=1").code == 0
    assert standout(*job, "hydra.run.dir=alone").code == 0
    refused = standout(*sweep, "hydra.sweep.dir=alone")
    assert refused.code == 2
    assert "hydra.sweep.dir: alone: is the folder of a run; choose another" in refused.err
    assert standout("check", "alone", "max_risk=1").code == 0
    (place / "runs" / "run.json").write_bytes((place / "alone" / "run.json").read_bytes())
    both = standout("check", "runs", "max_risk=1")
    assert both.code == 2
    assert "a --multirun and of a run at once" in both.err


@pytest.mark.parametrize("sweep", [(), ("--multirun",)])
def test_a_key_that_is_typed_twice_is_told(
    no_figures: None, standout: Any, place: Path, store_cache: Path, sweep: tuple[str, ...]
) -> None:
    """Hydra takes the last; what a resumed run replaces was typed once."""
    folder = "hydra.sweep.dir=r" if sweep else "hydra.run.dir=r"
    found = standout(*sweep, "seed=1", *JOB, f"data.cache={store_cache}", "seed=2", folder)
    assert found.code == 0
    assert found.err.count("seed: given twice; the last counts.") == 1
    run = place / "r" / "0" if sweep else place / "r"
    assert json.loads((run / "run.json").read_text())["seed"] == 2
    assert "given twice" not in standout("resume", str(run), "cluster.workers=2").err
