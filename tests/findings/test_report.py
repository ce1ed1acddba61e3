"""The figure and the files of an audit, and the same audit from Python and a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from making import random_rows
from reporting import run_at

import sim
from sim.session.result import Result

SETTINGS = {"audit.max_risk": 0.3, "audit.measure": "mean", "audit.context": "recipients"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = random_rows(5, 40, 20, 300)
    frame = pd.DataFrame(rows, columns=["who", "what", "stars", "day"])
    path = tmp_path_factory.mktemp("data") / "a <b> | table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def result(table: Path) -> Result:
    return run_at(
        table.parent / "run", "experiment=audit", "cluster=inline", "data=table",
        f"data.path='{table}'", f"data.cache={table.parent / 'cache'}", "data.user=who",
        "data.item=what", "data.value=stars", "data.date=day", "data.date_unit=days",
        "audit.attackers=[insider,acquaintance]",
        *(f"{key}={value}" for key, value in SETTINGS.items()),
    )  # fmt: skip


def test_the_same_audit_from_python(result: Result, table: Path) -> None:
    release = sim.table(
        str(table), user="who", item="what", value="stars", date="day", date_unit="days",
        cache=str(table.parent / "cache"),
    )  # fmt: skip
    ours = sim.audit(
        release, attackers=["insider", "acquaintance"], max_risk=0.3, measure="mean",
        context="recipients", folder=table.parent / "python",
    )  # fmt: skip
    one, other = dict(ours.assessment), dict(result.assessment)
    for found in (one, other):
        found.pop("overrides")
    assert one == other
    for name in ("assessment.parquet", "facts_until_found.parquet"):
        assert (ours.folder / name).read_bytes() == (result.folder / name).read_bytes()


def test_the_picture_has_a_line_for_each_attacker(result: Result) -> None:
    (name, figure), *others = result.figures().items()
    assert (name, others) == ("found_by_facts", [])
    named = [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]
    assert named == [
        "exact facts",
        "insider",
        "acquaintance",
        "your bound 30%, on the mean risk of a person",
    ]


def test_the_files_are_the_assessment(result: Result) -> None:
    written = json.loads((result.folder / "assessment.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(result.assessment))
    text = (result.folder / "assessment.md").read_text(encoding="utf-8")
    assert "a \\<b> \\| table.csv" in text


def test_an_audit_that_is_complete_stays_as_it_is(result: Result) -> None:
    before = {path.name: path.read_bytes() for path in result.folder.glob("*.*") if path.is_file()}
    overrides = json.loads((result.folder / "run.json").read_text(encoding="utf-8"))["overrides"]
    run_at(result.folder, *overrides)
    for name, content in before.items():
        if not name.endswith(".html"):
            assert (result.folder / name).read_bytes() == content, name
