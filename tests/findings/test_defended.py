"""Audits of releases that were changed first: what attackers do not know is not tested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from auditing import audited, judged, table_of

import sim
from sim.cli.check import check_command
from sim.session.result import Result

RECORDS = [[(r * 7 + k * k) % 23 for k in range(6)] for r in range(40)]


LATEST = {"defence.cap_length.keep": "latest"}


@pytest.mark.parametrize(
    ("chain", "verdict"),
    [
        ({"defence": ["jitter_time", "coarsen_time"]}, "not tested"),
        ({"defence": ["cap_length"], "defence.cap_length.n": 3, **LATEST}, None),
        ({"defence": ["hide_items"]}, None),
    ],
)
def test_what_attackers_do_not_know_is_not_tested(
    tmp_path: Path, chain: dict[str, Any], verdict: str | None
) -> None:
    frame = table_of(RECORDS, date=lambda who, item: 18_000 + 3 * who + item)
    result = audited(
        frame, tmp_path / "audit", attackers=["acquaintance"], max_risk=1.0, options=chain
    )
    assert result.assessment is not None
    rows = judged(result)
    assert rows
    for row in rows:
        if verdict is not None:
            assert row["verdict"] == verdict
        else:
            assert "does not know" not in json.dumps(row)


@pytest.fixture(scope="module")
def external(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """An audit of a release in which all dates are two days late, as nobody knows."""
    folder = tmp_path_factory.mktemp("external")
    frame = table_of(RECORDS, date=lambda who, item: 18_000 + 3 * who + item)
    frame.assign(date=frame["date"] + 2).to_csv(folder / "late.csv", index=False)
    return audited(
        frame, folder / "audit", attackers=["insider"], max_risk=0.2, measure="mean",
        options={
            "defence": ["external"], "defence.external.path": str(folder / "late.csv"),
            "grid.aux": ["3/3"], "audit.known_facts": "original",
        },
    )  # fmt: skip


def test_what_is_found_at_least_stands_for_a_model_that_does_not_hold(external: Result) -> None:
    assert external.assessment is not None
    (row,) = judged(external)
    decided = external.parts["insider"].decisions
    here = decided[decided["present"]]
    right = int((here["matched"] & here["correct"]).sum())
    assert right > len(here) / 2
    assert row["attack"] == "scoreboard_rh"
    assert row["succeeds"]["estimate"] == pytest.approx(right / len(here))
    assert row["wrong"]["estimate"] == pytest.approx(
        (here["matched"] & ~here["correct"].astype(bool)).mean()
    )
    assert row["mean"] is row["percentile_99"] is row["highest"] is row["highest_draw"] is None
    assert row["problem"]["numbers"] == {"defences": "external"}
    assert row["verdict"] == "exceeds"
    table = external.tables["assessment"]
    assert table["mean"].isna().all()
    assert table["succeeds"].tolist() == [row["succeeds"]["estimate"]]


def test_what_is_found_at_least_is_marked(external: Result) -> None:
    kinds = {one.kind for one in external.findings}
    assert {"strongest_unaware", "defence_unknown"} <= kinds
    assert external.findings[0].kind == "bound_exceeded"
    assert "≥ " in str(external)


def test_facts_until_found_are_not_tested_where_changes_are_unknown(external: Result) -> None:
    assert external.assessment is not None
    assert external.assessment["facts_until_found"] is None
    assert "facts_until_found" not in external.tables
    assert not any(one.kind == "facts_found" for one in external.findings)


def test_check_says_what_was_found_at_least(
    external: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_command([str(external.folder), "max_risk=0.2", "measure=succeeds"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("exceeds: 1 of 1 (insider); ")
    (row,) = sim.check(external, max_risk=0.2, measure="succeeds").runs[0].rows
    assert row.is_least
    assert row.known["facts"] == "original"
