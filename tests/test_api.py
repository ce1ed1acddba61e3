"""The API: small, and the same study as the command line's."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sim
from sim import reference
from sim.config.compose import composed, configured
from sim.defence.jitter_time import JitterTime
from sim.errors import ConfigError, GridError, InputError
from sim.extend.overrides import override
from sim.record.run_folder import open_folder
from sim.report.words.bayes_comparison import compare_bayes


@pytest.fixture(scope="module")
def visits() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"who": rng.integers(1, 61, 900), "where": rng.integers(1, 41, 900)})
    frame["stars"] = rng.integers(1, 6, 900) * 1.0
    frame["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, 900), "D")
    return frame


@pytest.fixture(scope="module")
def release(visits: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> sim.Release:
    cache = str(tmp_path_factory.mktemp("cache"))
    return sim.table(visits, user="who", item="where", value="stars", date="when", cache=cache)


GRID = {"aux": ["2/2", "3/4"], "date_noise": [3, None]}


def test_describes_itself(release: sim.Release, visits: pd.DataFrame) -> None:
    facts = release.describe()
    distinct = len(visits.drop_duplicates(["who", "where"]))
    assert (facts.cells, facts.merged) == (distinct, 900 - distinct)
    assert facts.lengths["mean"] == pytest.approx(distinct / visits["who"].nunique())
    assert "60 records × 40 items" in repr(release)


def test_a_study_is_read_back(release: sim.Release, tmp_path: Path) -> None:
    result = sim.run(release, grid=GRID, targets=20, seed=3, folder=tmp_path)
    assert len(result.curves) == 4
    assert len(result.decisions) == 80
    assert set(result.aux["kind"]) == {"true", "wrong_value"}
    assert "best guess right" in str(result)
    assert "best_guess" in result.figures()
    assert sim.Result(tmp_path).curves.equals(result.curves)


def test_ray_makes_no_difference(release: sim.Release, ray_cluster: None, tmp_path: Path) -> None:
    one = sim.run(release, grid=GRID, targets=20, folder=tmp_path / "inline")
    two = sim.run(release, grid=GRID, targets=20, workers=2, folder=tmp_path / "ray")
    assert two.decisions.equals(one.decisions)
    assert two.record["cluster"]["workers"] == 2


@pytest.mark.parametrize(
    ("attack", "options"),
    [("bayes", {}), ("scoreboard_rh", {"attack.phi": 3.0, "attack.entropy": True})],
)
def test_any_attack_and_key(
    release: sim.Release, tmp_path: Path, attack: str, options: dict[str, object]
) -> None:
    result = sim.run(release, attack, grid=GRID, targets=10, folder=tmp_path, options=options)
    assert result.record["config"]["attack"]["name"] == attack
    for key, value in options.items():
        assert result.record["config"]["attack"][key.removeprefix("attack.")] == value


def test_what_is_wrong_is_said(release: sim.Release, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="attack"):
        sim.run(release, "no_such_attack", folder=tmp_path)
    with pytest.raises(ConfigError, match=r"grid\.colour|colour"):
        sim.run(release, grid={"colour": ["red"]}, folder=tmp_path)
    with pytest.raises(GridError, match="no eligible"):
        sim.run(release, grid={"aux": ["400/400"]}, folder=tmp_path)
    with pytest.raises(InputError, match="not a run folder"):
        sim.Result(tmp_path / "nothing")
    with pytest.raises(AttributeError, match="no attribute"):
        sim.nothing  # noqa: B018


def test_nearest_matches_the_reference(release: sim.Release) -> None:
    from making import plain

    found = sim.nearest(release, "values", value=1.0)
    best, _ = reference.nearest_neighbour(plain(release.store), reference.Threshold(value=1.0))
    assert found["similarity"].tolist() == best.tolist()
    assert len(sim.nearest(release, sample=7)) == 7
    with pytest.raises(ConfigError, match="metric"):
        sim.nearest(release, "colour")


def test_the_typed_marker_is_shipped() -> None:
    for package in ("sim", "actors"):
        assert (Path(os.fspath(sim.__file__)).parents[1] / package / "py.typed").is_file()


def test_an_experiment_runs_on_an_open_release(release: sim.Release, tmp_path: Path) -> None:
    """All parts attack the release at hand, and the run says how it was made."""
    options = {"parts": {"near": ["grid.date_noise=[3]"], "far": ["grid.date_noise=[14]"]}}
    result = sim.experiment(
        release, "ns08_fig4", targets=5, folder=tmp_path, options={**options, "bayes_targets": 0}
    )
    print_name = release.store.manifest.fingerprint
    assert [part.record["release"]["fingerprint"] for part in result.parts.values()] == [
        print_name,
        print_name,
    ]
    assert "experiment=ns08_fig4" in result.record["overrides"]


def test_the_commands_of_a_report_open_the_same_release(
    release: sim.Release, tmp_path: Path
) -> None:
    """Without the data among its overrides, the same command attacks the default release."""
    result = sim.run(
        release, targets=5, folder=tmp_path, options={"bayes_targets": 0, "grid.date_noise": [3]}
    )
    assert configured(composed(result.record["overrides"])).data == release.config
    found = compare_bayes(open_folder(tmp_path))
    assert found is not None
    assert f"data={release.config.kind}" in shlex.split(found.command)


@pytest.mark.parametrize(
    "value", [None, True, 3, 0.5, "it's", "a\\b", "${x}", "", ["2/2", None], {"a": [1, "b c"]}]
)
def test_what_is_written_as_an_override_is_read_back(value: Any) -> None:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from omegaconf import OmegaConf

    (parsed,) = OverridesParser.create().parse_overrides([override("key", value)])
    read: Any = OmegaConf.to_container(OmegaConf.create({"key": parsed.value()}), resolve=True)
    assert read == {"key": value}


def test_the_bayes_attacker_knows_how_the_release_was_made(
    release: sim.Release, tmp_path: Path
) -> None:
    """Dates moved by up to 90 days are no protection from four facts within 3 days."""
    grid = {"aux": ["4/4"], "date_noise": [3], "value_noise": [None]}
    moved = [JitterTime(date_noise=90)]
    asked = {"grid": grid, "targets": 60, "options": {"bayes_targets": 60}}
    result = sim.run(release, defence=moved, folder=tmp_path, **asked)
    bayes = sim.Result(tmp_path / "bayes").curves
    assert (bayes["rank1"] >= result.curves["rank1"]).all()
    assert (bayes["rank1_low"] > 0.5).all()


def test_the_bayes_attacker_runs_on_times_in_hours(tmp_path: Path) -> None:
    """Errors of two hours are no whole number of days, in which times are by default."""
    rows = [
        (f"u{n % 20}", f"p{n // 20}", f"2020-03-{n % 9 + 1:02} {n % 24:02}:00") for n in range(200)
    ]
    visits = pd.DataFrame(rows, columns=["who", "where", "when"])
    columns = {"user": "who", "item": "where", "date": "when", "cache": str(tmp_path / "cache")}
    days, hours = sim.table(visits, **columns), sim.table(visits, time_bin="hour", **columns)
    assert hours.store.manifest.source == "a data frame"
    grid = {"aux": ["4/4"], "date_noise": ["2h"], "value_noise": [None]}
    with pytest.raises(GridError, match=r"set data\.time_bin=hour, since the data"):
        sim.run(days, grid=grid, targets=10, folder=tmp_path / "days")
    result = sim.run(hours, grid=grid, targets=10, folder=tmp_path / "run")
    assert result.curves["date_noise"].tolist() == ["2h"]
    assert sim.Result(tmp_path / "run" / "bayes").curves["date_noise"].tolist() == ["2h"]
