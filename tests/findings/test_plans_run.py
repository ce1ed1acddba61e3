"""Frontiers and plans on small tables, from the command line's configuration to the files."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.csv
import pytest
from planning import CHAINS, GIVEN, NO_EFFECT, by_kind, planned, release_of

import sim
from sim.cli.check import check_command
from sim.config.compose import composed, configured
from sim.errors import ConfigError, InputError, StandoutError
from sim.findings.chains import TOO_SHORT
from sim.findings.check import OTHER_FILE
from sim.findings.plan import plan_findings
from sim.record.run_folder import open_folder
from sim.record.run_record import same_releases
from sim.session import suite
from sim.session.jobs import plan_job
from sim.session.result import Result


@pytest.fixture(scope="module")
def frontier(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("frontier")
    given = GIVEN | {"options": GIVEN["options"] | {"plan.max_risk": 0.9}}
    return sim.frontier(release_of(folder), CHAINS, folder=folder / "run", **given)


def test_a_frontier_has_a_row_for_each_chain(frontier: Result) -> None:
    rows = frontier.tables["frontier"]
    assert rows["chain"].tolist() == [
        "unchanged",
        "drop_items.min_support=3",
        "perturb_values.value_noise=1",
        "perturb_values.value_noise=2",
        "jitter_time.date_noise=1",
    ]
    assert rows["risk"].between(0, 1).all()
    assert (rows["risk_low"] <= rows["risk"]).all()
    assert (rows["risk"] <= rows["risk_high"]).all()
    assert rows["kept"].iloc[0] == 1.0
    assert rows["bound"].tolist() == [0.9] * 5
    assert same_releases(frontier.record) == {NO_EFFECT: "jitter_time.date_noise=1"}


def test_a_frontier_is_no_audit(frontier: Result) -> None:
    with pytest.raises(InputError, match="a frontier is no audit: it attacks samples"):
        check_command([str(frontier.folder), "max_risk=0.3"])


def test_what_is_done_to_values_lowers_the_risk(frontier: Result) -> None:
    risk = frontier.tables["frontier"].set_index("chain")["risk"]
    assert risk["perturb_values.value_noise=2"] < risk["unchanged"]


def test_a_dominated_chain_names_one_that_is_at_least_as_good(frontier: Result) -> None:
    rows = frontier.tables["frontier"].set_index("chain")
    best = rows[rows["dominated_by"] == ""]
    assert len(best)
    for _, row in rows[rows["dominated_by"] != ""].iterrows():
        better = rows.loc[row["dominated_by"]]
        assert row["dominated_by"] in best.index
        assert round(better["risk"], 3) <= round(row["risk"], 3)
        assert round(better["kept"], 3) >= round(row["kept"], 3)


def results_of(folder: Path) -> dict[str, bytes]:
    """All tables of a suite and its parts."""
    found = folder.rglob("*.parquet")
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found)}


def test_a_frontier_has_the_same_bytes_on_ray(
    ray_cluster: None, frontier: Result, tmp_path: Path
) -> None:
    """On three workers, stopped after a few parts, and taken up again in this process."""
    options = GIVEN["options"] | {"plan.max_risk": 0.9}
    given = GIVEN | {"options": options, "folder": tmp_path / "run"}
    attacked = []

    def stop_after_three(run: Any, *given: Any, **kwargs: Any) -> None:
        attacked.append(given[2])
        if len(attacked) > 3:
            raise KeyboardInterrupt
        run(*given, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "run_session", partial(stop_after_three, suite.run_session))
        with pytest.raises(KeyboardInterrupt):
            sim.frontier(release_of(tmp_path), CHAINS, workers=3, **given)
    assert len(list((tmp_path / "run").rglob("decisions.parquet"))) >= 3
    shapes = json.loads((attacked[0] / "run.json").read_text(encoding="utf-8"))["cluster"]
    assert shapes["workers"] == 3
    sim.frontier(release_of(tmp_path), CHAINS, **given)
    assert results_of(tmp_path / "run") == results_of(frontier.folder)


def test_a_chain_that_cannot_be_applied_is_told_before_any_attack(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "standout")
    given = GIVEN | {"options": {"utility": ["cells"], "plan.utility": "cells"}}
    chains = ["drop_time coarsen_time.bin=month", "drop_items.min_support=1"]
    found = sim.frontier(release_of(tmp_path), chains, folder=tmp_path / "run", **given)
    reason = "defence=[coarsen_time]: needs dates, which the release lacks"
    assert caplog.messages[1] == f"drop_time coarsen_time.bin=month: not possible: {reason}"
    assert caplog.messages[0] == "1 release to try: the data as they are"
    same = "drop_items.min_support=1: the same release as unchanged, so not tried again"
    assert caplog.messages[2] == same
    assert not any("; set 'defence=" in message for message in caplog.messages)
    assert found.tables["frontier"]["reason"].tolist() == ["", "not_applied"]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("plan")
    return planned(folder / "run", 1.0, folder / "release.csv")


def test_a_plan_writes_what_it_offers_and_is_checked(
    plan: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    out = plan.folder.parent / "release.csv"
    trials = plan.tables["trials"]
    assert trials["step"].tolist()[-2:] == ["all records", "new seed"]
    assert trials["decision"].iloc[-1] == "offered"
    assert trials["chain"].iloc[-1] == "unchanged"  # every chain keeps a bound of 1
    written = plan.record["plan"]["written"]
    assert written["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert len(pyarrow.csv.read_csv(out)) == written["cells"] == len(pd.read_csv(out))
    assert plan.assessment["plan"]["offered"] == "new_seed_unchanged"
    told = json.loads((plan.folder / "assessment.json").read_text(encoding="utf-8"))
    assert told == json.loads(json.dumps(plan.assessment))
    assert check_command([str(plan.folder), "max_risk=1"]) == 0
    assert "not compared" not in capsys.readouterr().out  # the file lies where it was written
    assert check_command([str(plan.folder), "max_risk=0.01"]) == 1
    assert check_command([str(plan.folder), "max_risk=1", f"data.path={out}"]) == 0
    moved = out.rename(plan.folder.parent / "moved.csv")
    capsys.readouterr()
    assert check_command([str(plan.folder), "max_risk=1"]) == 1
    said = capsys.readouterr().out
    assert f"{out}, which the plan wrote, is not there" in " ".join(said.split())
    assert "one who sees the release" in said.splitlines()[-1]
    assert check_command([str(plan.folder), "max_risk=1", f"data.path={moved}"]) == 0
    other = shutil.copy(moved, plan.folder.parent / "other.csv")
    with Path(other).open("a", encoding="utf-8") as file:
        file.write("\n")
    found = sim.check(plan.folder, max_risk=1, file=other)
    moved.rename(out)
    assert not found
    (of_other,) = [one for one in found.runs[0].findings if one.kind == OTHER_FILE.name]
    assert str(of_other.numbers["command"]).startswith(f"standout audit {other}")


def test_a_plan_that_finds_nothing_says_so_and_does_not_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.csv"
    plan = planned(tmp_path / "run", 0.001, out)
    assert set(plan.tables["trials"]["decision"]) == {"dropped"}
    assert NO_EFFECT not in set(plan.tables["trials"]["chain"])
    counts = plan.record["plan"]["counts"]
    assert plan.record["plan"] == {"offered": None, "written": None, "counts": counts}
    assert (counts["fewest"], counts["period"]) == (10, "month")
    assert not out.exists()
    found = by_kind(plan_findings(open_folder(plan.folder)))
    (nothing,), (instead,) = found["plan_offers_nothing"], found["counts_instead"]
    assert instead.numbers["kept"] == counts["kept"] > 0
    assert (nothing.numbers["count"], nothing.denominator) == (5, 5)
    assert nothing.numbers["bound"] == 0.001
    (few,) = found["few_facts_not_enough"]
    assert (few.numbers["count"], few.denominator, few.numbers["facts"]) == (25, 80, 4)
    assert found["same_releases"][0].numbers["count"] == 1
    assert found["nearest_chain"][0].numbers["counted"] == 1.0
    capsys.readouterr()
    # The file that it would have written is not there, which is no error of whoever names it.
    assert check_command([str(plan.folder), f"data.path={out}"]) == 1
    printed = capsys.readouterr().out
    assert str(plan.record["release_fingerprint"]) in printed
    assert check_command([str(plan.folder)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert "offers no release: none that was tried keeps 0.1% on " in last
    assert "new plan" not in last
    assert check_command([str(plan.folder), "max_risk=0.3"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("a new plan: plan.max_risk=0.3.")


def test_a_chain_that_leaves_nothing_is_not_called_untested(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No attacker is to be left out for it."""
    caplog.set_level("INFO", "standout")
    plan = sim.plan(
        release_of(tmp_path), 0.001, ["drop_records.min_length=900"], folder=tmp_path / "run",
        attackers=["insider"], aux=["1/1"], options=GIVEN["options"],
    )  # fmt: skip
    found = by_kind(plan_findings(open_folder(plan.folder)))
    (nothing,) = found["plan_offers_nothing"]
    assert (nothing.numbers["count"], nothing.denominator) == (1, 1)
    (gone,) = found["chains_not_applied"]
    assert (gone.numbers["count"], gone.denominator) == (1, 2)
    assert gone.numbers["reason"] == TOO_SHORT.name
    assert "chains_not_tested" not in found
    assert any("nothing is left" in message for message in caplog.messages)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "plan.max_risk: null: a plan needs the bound"),
        (["plan.max_risk=1.5"], "plan.max_risk: 1.5"),
        (["plan.max_risk=0"], "plan.max_risk: 0: nothing can keep it"),
        (["plan.max_risk=0.1", "plan.utility=rmse_bias"], "plan.utility: 'rmse_bias'"),
        (["plan.max_risk=0.1", "plan.write=a.xlsx"], "plan.write: a.xlsx"),
        (["plan.max_risk=0.1", "defence=[drop_items]"], "defence: a plan tries the chains"),
        (["plan.max_risk=0.1", "attacker=insider"], "attacker=insider: an audit tries"),
        (["plan.max_risk=0.1", "targets=9"], "targets: the parts of this experiment set it"),
        (["plan.max_risk=0.1", "plan.defences=[drop_all]"], "plan.defences: 'drop_all'"),
    ],
)
def test_a_wrong_setting_is_refused_before_any_work(given: list[str], said: str) -> None:
    overrides = ["experiment=plan", *given]
    with pytest.raises(ConfigError, match=re.escape(said)):
        plan_job(configured(composed(overrides)), overrides)


def test_keys_of_a_plan_are_refused_elsewhere() -> None:
    overrides = ["plan.max_risk=0.1"]
    with pytest.raises(
        ConfigError, match="only a plan and a frontier have it; add experiment=plan"
    ):
        plan_job(configured(composed(overrides)), overrides)


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "release.csv"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(StandoutError, match="is there already"):
        planned(tmp_path / "run", 1.0, out)
    assert out.read_text(encoding="utf-8") == "mine"


def test_a_plan_is_done_again_beside_its_own_file_and_is_the_same(plan: Result) -> None:
    """As is advised where a file of its folder was changed."""
    folder, out = plan.folder, plan.folder.parent / "release.csv"
    written, before = out.read_bytes(), plan.record["plan"]
    tables = {name: (folder / f"{name}.parquet").read_bytes() for name in ("trials", "frontier")}
    for name in ("ledger.jsonl", "assessment.json", *(f"{name}.parquet" for name in tables)):
        (folder / name).unlink()
    again = planned(folder, 1.0, out)
    assert out.read_bytes() == written
    assert again.record["plan"] == before
    assert all((folder / f"{name}.parquet").read_bytes() == of for name, of in tables.items())
    (folder / "ledger.jsonl").unlink()
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(StandoutError, match="is there already"):
        planned(folder, 1.0, out)
    assert out.read_text(encoding="utf-8") == "mine"
