"""What an audit found, as data, and on one screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from auditing import RECORDS, audited, table_of, without_pictures

import sim
from sim.findings.assessment import assess
from sim.findings.attacker_row import MEASURES
from sim.findings.finding import Finding, Severity
from sim.findings.risk_rows import COUNTING, risk_rows
from sim.record.run_folder import open_folder
from sim.report.screens.audit import audit_table
from sim.report.screens.of_run import screen_of
from sim.report.terminal import screen_text
from sim.session.result import Result

GUIDE = Path(sim.__file__).parent / "guide"


def schema(name: str) -> Any:
    return json.loads((GUIDE / f"{name}.schema.json").read_text(encoding="utf-8"))


def of_kind(run: Result, kind: str) -> list[Finding]:
    return [one for one in run.findings if one.kind == kind]


@pytest.fixture(scope="module", autouse=True)
def no_pictures() -> Iterator[None]:
    with without_pictures():
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("findings")


@pytest.fixture(scope="module")
def alike(place: Path) -> Result:
    """Twelve people with one record between them: the risk of each is 1/12."""
    return audited(
        table_of([(1, 2, 3, 4)] * 12),
        place / "alike",
        attackers=["insider", "public_profile"],
        max_risk=0.09,
    )


@pytest.fixture(scope="module")
def apart(place: Path) -> Result:
    """People of whom most have a record of their own, with dates."""
    frame = table_of(RECORDS * 4, date=lambda who, item: who + item)
    return audited(frame, place / "apart", max_risk=0.1)


@pytest.fixture(scope="module")
def repeated(place: Path) -> Result:
    rows = [(who, item, day) for who in range(12) for item in (1, 2, 3) for day in (1, 2)]
    import pandas as pd

    frame = pd.DataFrame(rows, columns=["who", "what", "date"])
    return audited(frame, place / "repeated", attackers=["insider"], max_risk=1.0)


@pytest.fixture(scope="module")
def unbounded(place: Path) -> Result:
    return audited(table_of(RECORDS), place / "unbounded", attackers=["insider"])


def test_the_first_finding_is_the_verdict(alike: Result, apart: Result, unbounded: Result) -> None:
    first = alike.findings[0]
    assert first.kind == "bound_not_tested"  # nobody has a model of what people mention
    assert (first.numbers["within"], first.numbers["open"], first.numbers["rows"]) == (1, 1, 2)
    first = apart.findings[0]
    assert first.kind == "bound_exceeded"
    assert first.numbers["exceed"] == sum(
        row.verdict == "exceeds" for row in risk_rows(assess(open_folder(apart.folder)))
    )
    first = unbounded.findings[0]
    assert first.kind == "most_found"
    assert first.numbers["rate"] == max(
        row.rate or 0 for row in risk_rows(assess(open_folder(unbounded.folder)))
    )


def test_rows_are_those_of_the_assessment(alike: Result) -> None:
    found = assess(open_folder(alike.folder))
    insider, public, *criteria = risk_rows(found)
    row = found.rows[0]
    assert (insider.rate, insider.low, insider.high) == (
        row.succeeds.estimate, row.succeeds.low, row.succeeds.high
    )  # fmt: skip
    assert insider.highest == pytest.approx(1 / 12)
    assert insider.counted == row.counted("highest")
    assert insider.known["aux"] == "4/4"
    assert (insider.n, insider.eligible, insider.records) == (12, 12, 12)
    assert (public.rate, public.counted, public.verdict) == (None, None, "not tested")
    (not_run,) = of_kind(alike, "attacker_not_run")
    assert public.reason == replace(not_run, subject="")
    assert [(one.criterion, one.verdict) for one in criteria] == [
        ("linkability", "not tested"), ("inference", "not tested")
    ]  # fmt: skip


def test_excess_is_beyond_the_control(apart: Result) -> None:
    measured = [
        row
        for row in risk_rows(assess(open_folder(apart.folder)))
        if row.rate is not None and row.control not in (None, 1)
    ]
    assert measured
    for row in measured:
        assert row.rate is not None
        assert row.control is not None
        assert row.excess == pytest.approx((row.rate - row.control) / (1 - row.control))


def test_who_counts_repetitions_was_not_tested(repeated: Result) -> None:
    """Even a bound of 1 is not kept: the release shows how often, and nobody knew it."""
    (found,) = of_kind(repeated, "counts_published")
    assert (found.numbers["count"], found.denominator) == (36, 72)
    assert found.severity == Severity.SERIOUS
    assert found.remedy == "data.repeats=count"
    assert repeated.findings[0].kind == "bound_not_tested"
    rows = [*risk_rows(assess(open_folder(repeated.folder)))]
    assert [row.verdict for row in rows if row.attacker == COUNTING] == ["not tested"]


def test_the_facts_that_find_half_are_those_of_the_table(apart: Result) -> None:
    table = apart.tables["facts_until_found"].dropna(subset="facts")
    (found,) = of_kind(apart, "facts_found")
    enough = table[table["at_most"] >= 0.5]
    row = enough.iloc[0] if len(enough) else table.iloc[-1]
    assert found.numbers["facts"] == row["facts"]
    assert found.numbers["rate"] == row["at_most"]


def test_attackers_that_were_not_asked_for_are_findings(alike: Result) -> None:
    left = {one.name for one in of_kind(alike, "attacker_left_out")}
    assert left == {"well_informed", "acquaintance", "other_service"}


def test_files_are_as_their_schemas_say(
    alike: Result, apart: Result, repeated: Result, unbounded: Result
) -> None:
    for run in (alike, apart, repeated, unbounded):
        for name in ("findings", "assessment"):
            found = json.loads((run.folder / f"{name}.json").read_text(encoding="utf-8"))
            jsonschema.validate(found, schema(name))
        assert [one["kind"] for one in json.loads(
            (run.folder / "findings.json").read_text(encoding="utf-8")
        )["findings"]] == [one.kind for one in run.findings]  # fmt: skip
        checked = sim.check(run, max_risk=0.5)
        jsonschema.validate(json.loads(checked.to_json()), schema("check"))


def test_a_screen_is_short(
    alike: Result, apart: Result, repeated: Result, unbounded: Result
) -> None:
    for run in (alike, apart, repeated, unbounded):
        lines = screen_text(screen_of(open_folder(run.folder)), folder="outputs/run").splitlines()
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 100
        assert sum(line.startswith("Mind:") for line in lines) <= 3


def test_the_assessment_is_short_and_names_the_bound(apart: Result) -> None:
    text = (apart.folder / "assessment.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 500
    assert "10%" in text


@pytest.mark.parametrize("measure", MEASURES)
def test_each_measure_can_be_judged_and_shown(alike: Result, measure: str) -> None:
    found = assess(open_folder(Path(alike.folder)), 0.09, measure)
    insider = next(risk_rows(found))
    shown = insider.rate if measure == "succeeds" else getattr(insider, measure)
    assert shown == getattr(found.rows[0], measure).estimate
    table = audit_table(found)
    assert {len(row) for row in table.rows} == {len(table.heads)}
