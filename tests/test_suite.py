"""Runs within a run: each is what it would be alone, and none is begun before all are checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from studying import configured

from sim.errors import ConfigError, GridError
from sim.record.run_record import UNFINISHED, is_begun, is_complete, read_record
from sim.session import suite
from sim.session.jobs import overrides_of, plan_job
from sim.session.result import Result
from sim.session.session import run_session
from sim.session.suite import run_planned
from sim.study.results import RESULTS

pytestmark = pytest.mark.usefixtures("no_drawings")

SMALL = (
    "data.preset=tiny",
    "cluster=inline",
    "targets=20",
    "grid.aux=[2/2,3/4]",
    "bayes_targets=5",
)
PARTS = "parts={near: ['grid.date_noise=[3]'], far: ['grid.date_noise=[14]']}"


def planned(*overrides: str) -> Any:
    return plan_job(configured(*overrides), overrides)


def ran(folder: Path, *overrides: str) -> Result:
    folder.mkdir(exist_ok=True)
    return run_planned(planned(*overrides), folder)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"data.cache={tmp_path_factory.mktemp('cache')}"


def check_same(one: Result, other: Result, name: str) -> None:
    """A table is the same, to its types."""
    assert one._run.tables.rows(name).equals(other._run.tables.rows(name), check_metadata=True)


def record(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return found


def test_a_part_is_the_run_of_its_overrides(tmp_path: Path, cache: str) -> None:
    inside = ran(tmp_path / "both", *SMALL, cache, PARTS).parts["near"]
    alone = ran(tmp_path / "alone", *inside.record["overrides"])
    for name in RESULTS:
        check_same(alone, inside, Path(name).stem)
    entries = record(tmp_path / "both")["parts"]
    assert [(e["name"], e["status"]) for e in entries] == [
        ("near", "complete"),
        ("far", "complete"),
    ]
    assert record(tmp_path / "both")["status"] == "complete"


def test_the_bayes_attacker_runs_too(tmp_path: Path, cache: str) -> None:
    run = ran(tmp_path / "run", *SMALL, cache)
    beside = run.bayes
    assert beside is not None
    assert beside.record["config"]["attack"]["name"] == "bayes"
    ours, theirs = beside.decisions, run.decisions
    assert len(ours) == 5 * theirs["cell"].nunique()
    mine = ours.merge(theirs, on=["cell", "target"])
    assert len(mine) == len(ours)  # the same targets, as far as they go
    check_same(ran(tmp_path / "again", *beside.record["overrides"]), beside, "curves")


def test_no_companion_where_none_can_run(tmp_path: Path, cache: str) -> None:
    assert ran(tmp_path / "bayes", *SMALL, cache, "attack=bayes").bayes is None
    assert ran(tmp_path / "none", *SMALL[:-1], cache, "bayes_targets=0").bayes is None


def test_what_the_release_does_not_allow_is_left_out(tmp_path: Path, cache: str) -> None:
    parts = "parts={all: ['grid.popularity=[0]'], rare: ['grid.popularity=[100000]']}"
    ran(tmp_path / "run", *SMALL, cache, parts)
    done, left = record(tmp_path / "run")["parts"]
    assert (done["status"], left["status"]) == ("complete", "impossible")
    assert "no eligible target" in left["error"]


def test_nothing_possible_is_an_error(tmp_path: Path, cache: str) -> None:
    with pytest.raises(GridError, match=r"no part can be run: rare: .*no eligible target"):
        ran(tmp_path / "run", *SMALL, cache, "parts={rare: ['grid.popularity=[100000]']}")


def test_a_suite_is_resumed(tmp_path: Path, cache: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ran(tmp_path / "whole", *SMALL, cache, PARTS)

    def broken(config: Any, store: Any, folder: Path, *more: Any, **others: Any) -> None:
        if folder.name == "far":
            raise KeyboardInterrupt
        run_session(config, store, folder, *more, **others)

    with monkeypatch.context() as patch:
        patch.setattr(suite, "run_session", broken)
        with pytest.raises(KeyboardInterrupt):
            ran(tmp_path / "run", *SMALL, cache, PARTS)
    assert not is_complete(tmp_path / "run")
    assert is_begun(tmp_path / "run")
    kept = read_record(tmp_path / "run" / UNFINISHED / "near")
    found = ran(tmp_path / "run", *SMALL, cache, PARTS)
    assert found.parts["near"].record["begun"] == kept["begun"]
    for part in ("near", "far"):
        for name in expected.parts[part].tables:
            check_same(expected.parts[part], found.parts[part], name)
    for path in (tmp_path / "whole").glob("*.parquet"):
        assert path.read_bytes() == (tmp_path / "run" / path.name).read_bytes()
    assert is_complete(tmp_path / "run")
    assert not (tmp_path / "run" / UNFINISHED).exists()


FILES_OF_A_RUN, FILES_OF_A_SUITE = 25, 60


@pytest.mark.parametrize(
    ("most", "overrides"),
    [
        (FILES_OF_A_RUN, ("experiment=ns08_fig4", "defence=[drop_values]", "utility=[ndcg]")),
        (FILES_OF_A_SUITE, ("experiment=audit", "defence=[drop_time]", "audit.max_risk=0.1")),
    ],
)
def test_a_folder_has_few_files(
    tmp_path: Path, cache: str, most: int, overrides: tuple[str, ...]
) -> None:
    ran(tmp_path / "run", "data.preset=tiny", "cluster=inline", "targets=20", cache, *overrides)
    found = [path.relative_to(tmp_path / "run") for path in (tmp_path / "run").rglob("*")]
    assert not [path for path in found if path.suffix in (".csv", ".svg", ".arrow", ".lock")]
    assert {str(path) for path in found if (tmp_path / "run" / path).is_dir()} <= {"figures"}
    drawn = 6  # at most, which these tests leave out
    assert len(found) + drawn + 1 <= most  # and the log
    assert pd.read_parquet(tmp_path / "run" / "decisions.parquet")["run"].nunique() > 1


def test_parts_may_have_parts() -> None:
    job = planned("experiment=all", "seed=3")
    assert job.n_runs > len(job.parts)
    nested = next(part for part in job.parts if part.name == "ns08_fig11")
    assert [part.name for part in nested.parts] == ["no_dates", "as_figure_6"]
    assert all(part.config.seed == 3 for part in (*job.parts, *nested.parts))


def test_a_suite_cannot_hold_itself() -> None:
    with pytest.raises(ConfigError, match="ns08_fig1 > again > ns08_fig1"):
        planned("experiment=all", "+parts.again=['experiment=all']")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("['grid.nothing=1']", "parts.a: grid.nothing: not a key of the configuration"),
        ("['experiment=nothing']", "part a: .*nothing"),
        ("['attack.phi=-1']", "part a: attack.phi: -1.0: expected"),
        ("['seed=8']", "part a: seed: the parts of this experiment set it"),
    ],
)
def test_bad_parts_are_refused_before_anything_is_done(part: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        planned("seed=7", f"parts={{b: [], a: {part}}}")


def test_names_of_parts_are_names_of_folders() -> None:
    with pytest.raises(ConfigError, match="letters, digits and _"):
        planned("parts={a/b: []}")


def test_groups_may_be_chosen_anew_by_parts() -> None:
    assert overrides_of(["experiment=a", "targets=5"], ["experiment=b"]) == (
        "targets=5",
        "experiment=b",
    )


def test_an_audit_tries_no_single_attacker() -> None:
    with pytest.raises(ConfigError, match=r"set 'audit.attackers=\[insider\]'"):
        planned("experiment=audit", "attacker=insider")
    assert planned("experiment=audit", "audit.attackers=[insider]").parts[0].name == "insider"


@pytest.mark.parametrize(
    ("length", "chains"),
    [
        (1, ["drop_time"]),
        (8, ["drop_records.min_length=8", "drop_time drop_records.min_length=8"]),
    ],
)
def test_a_plan_leaves_out_short_records(length: int, chains: list[str]) -> None:
    """At the end of each chain, and alone; every record has an entry, so 1 changes nothing."""
    given = ["experiment=plan", "plan.max_risk=0.5", "plan.defences=[drop_time]"]
    made = planned(*given, f"plan.min_length={length}")
    assert made.config.plan.defences == chains


def test_a_plan_leaves_out_long_records() -> None:
    """Before each chain, and alone; with short ones, never the one without the other."""
    given = ["experiment=plan", "plan.max_risk=0.5", "plan.defences=[drop_time]"]
    made = planned(*given, "plan.max_length=90")
    long = "drop_long.max_length=90"
    assert made.config.plan.defences == [long, f"{long} drop_time"]
    made = planned(*given, "plan.max_length=90", "plan.min_length=8")
    short = "drop_records.min_length=8"
    assert made.config.plan.defences == [f"{long} {short}", f"{long} drop_time {short}"]
    unchanged, *chains = made.parts
    assert "drop_long" not in unchanged.parts[0].config.defence
    lengths = [each.parts[0].config.defence["drop_long"].max_length for each in chains]
    assert lengths == [90, 90]
