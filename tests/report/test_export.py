"""A run in a local store of MLflow: what is aggregate, once, with the ends of intervals."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from auditing import RECORDS, audited, table_of

from sim.cli.export import export_command, metrics_of, parameters_of
from sim.errors import ConfigError
from sim.record.digests import check_unchanged

pytestmark = pytest.mark.usefixtures("no_drawings")

NEEDED = ("mlflow", "sqlalchemy", "alembic")
LACKING = [name for name in NEEDED if importlib.util.find_spec(name) is None]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "run"
    return audited(table_of(RECORDS), folder, attackers=["insider"], max_risk=0.5).folder


def summary(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    return found


def test_numbers_have_the_ends_of_their_intervals(run: Path) -> None:
    metrics, (row,) = metrics_of(summary(run)), summary(run)["results"]
    assert metrics["risk.estimate"] == summary(run)["risk"]["estimate"]
    (name,) = (name for name in metrics if name.endswith("/mean"))
    for end in ("low", "high"):
        assert metrics[f"{name}.{end}"] == row["measures"]["mean"][end]
    parameters, cut = parameters_of(summary(run))
    assert parameters["audit.max_risk"] == "0.5"
    assert parameters["seed"] == "1"
    assert not cut


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "expected a run folder, and what it is written to"),
        (["mlflow=http://elsewhere:5000"], "expected a file on this machine"),
        (["mlflow=sqlite:///a.db", "mlflow=sqlite:///b.db"], "mlflow is given twice"),
        (
            ["mlflw=sqlite:///a.db"],
            r"a.db: did you mean mlflow\?; expected some of mlflow, experiment;",
        ),
        (["elsewhere"], "elsewhere: a second run folder"),
    ],
)
def test_what_is_asked_wrong(run: Path, more: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        export_command([str(run), *more])


def test_without_mlflow_it_is_said_what_to_install(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ConfigError, match="needs MLflow, which is not installed"):
        export_command([str(run), f"mlflow=sqlite:///{tmp_path}/a.db"])


def test_tables_are_exported_as_csv(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_command([str(run), "--csv"])
    assert capsys.readouterr().out.startswith(f"tables   {run / 'csv'} (")
    written = {path.stem: pd.read_csv(path) for path in (run / "csv").iterdir()}
    assert written.keys() == {path.stem for path in run.glob("*.parquet")}
    table = pd.read_parquet(run / "assessment.parquet")
    assert written["assessment"]["mean"].tolist() == table["mean"].tolist()
    check_unchanged(run)


@pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)} (extra mlflow)")
def test_a_run_is_exported_once(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import mlflow

    store = f"sqlite:///{tmp_path}/a.db"
    export_command([str(run), f"mlflow={store}"])
    export_command([str(run), f"mlflow={store}"])
    assert "there already: run " in capsys.readouterr().out
    client = mlflow.MlflowClient(tracking_uri=store)
    experiment = client.get_experiment_by_name("standout")
    (made,) = client.search_runs([experiment.experiment_id])
    assert made.info.status == "FINISHED"
    assert made.data.metrics == pytest.approx(metrics_of(summary(run)))
    assert made.data.params == parameters_of(summary(run))[0]
    files = {one.path for one in client.list_artifacts(made.info.run_id)}
    assert {"report.html", "summary.json", "assessment.md"} <= files
    assert not [name for name in files if name.endswith((".parquet", ".csv"))]
    assert Path(tmp_path / "a-artifacts").is_dir()
