"""An audit runs to the end on every kind of release, and says what it leaves out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import audited, judged, table_of
from making import deep, random_rows

from sim.findings.strongest import UNAWARE

TESTED = ("insider", "well_informed", "acquaintance")


def random_table(seed: int, records: int = 30, **given: Any) -> pd.DataFrame:
    rows = random_rows(seed, records, 15, records * 8, **given)
    frame = pd.DataFrame(rows, columns=["who", "what", "value", "date"])
    return frame.dropna(axis=1, how="all")


KINDS: dict[str, tuple[pd.DataFrame, set[str]]] = {
    "values and dates": (random_table(1), set(TESTED)),
    "neither": (random_table(2, values=False, days=False), set(TESTED)),
    "dates and repeats": (random_table(3, values=False, repeats=True), set(TESTED)),
    "values": (random_table(4, days=False), set(TESTED)),
    "one record": (table_of([(1, 2, 3)]), set(TESTED)),
    "two records": (table_of([(1, 2), (2, 3)], value=lambda w, i: w + i), set(TESTED)),
    "three records of one cell": (table_of([(1,), (2,), (1,)]), set(TESTED)),
    "one item": (table_of([(1,)] * 6, date=lambda w, i: w * i % 3), set(TESTED)),
    "all identical": (table_of([(1, 2, 3, 4)] * 12), set(TESTED)),
}


ALIKE = ("neither", "values", "two records", "all identical")
"""Kinds that have nothing that none of the others has."""


@pytest.mark.parametrize("kind", [*(each for each in KINDS if each not in ALIKE), *deep(*ALIKE)])
def test_an_audit_runs_to_the_end(kind: str, tmp_path: Path) -> None:
    frame, tested = KINDS[kind]
    result = audited(frame, tmp_path / "run", max_risk=0.09)
    found = result.assessment
    rows = judged(result)
    assert {row["attacker"] for row in rows if row.get("mean")} == tested
    assert {row["attacker"] for row in rows} == set(found_attackers(result))
    n = frame["who"].nunique()
    for row in rows:
        assert row["verdict"] in ("within", "exceeds", "not tested")
        if row.get("mean"):
            assert 0 < row["attacked"] <= row["eligible"] <= row["records"] == n
            assert 1 / n - 1e-12 <= row["highest"]["estimate"] <= 1
        if row["verdict"] == "within":
            assert row["highest"]["estimate"] <= 0.09
    written = json.loads((tmp_path / "run" / "assessment.json").read_text(encoding="utf-8"))
    assert written == json.loads(json.dumps(found))
    facts = result.tables["facts_until_found"]
    assert facts["n"].sum() == n  # all records, however short
    assert np.isclose(facts["share"].sum(), 1)


def found_attackers(result: Any) -> list[str]:
    return list(result.record["config"]["audit"]["attackers"])


def test_of_identical_records_each_has_the_same_risk(tmp_path: Path) -> None:
    result = audited(table_of([(1, 2, 3, 4)] * 12), tmp_path / "run", attackers=["insider"])
    (row,) = judged(result)
    assert row["highest"]["estimate"] == pytest.approx(1 / 12)
    assert row["succeeds"]["estimate"] == row["wrong"]["estimate"] == 0
    assert row["verdict"] == "not tested against a bound"


def test_one_rare_item_among_many_is_never_within(tmp_path: Path) -> None:
    """The one draw misses it, most likely; the person's risk is higher all the same."""
    records = [tuple(range(60))] * 11 + [tuple(range(61))]
    result = audited(table_of(records), tmp_path / "run", attackers=["insider"], max_risk=0.09)
    (row,) = judged(result)
    assert row["worst_case"]["single"] == 1
    assert row["highest"]["high"] == 1
    assert row["verdict"] != "within"


def test_a_defence_is_stated(tmp_path: Path) -> None:
    result = audited(
        random_table(6), tmp_path / "run", attackers=["insider"],
        options={"defence": ["drop_items"], "defence.drop_items.min_support": 15},
    )  # fmt: skip
    left = result.parts["facts_until_found"].record["release"]["n_records"]
    assert result.tables["facts_until_found"]["n"].sum() == left < 30
    (applied,) = (one for one in result.findings if one.kind == "defence_applied")
    assert applied.name == "drop_items"
    assert "after drop_items: " in str(result)


@pytest.mark.parametrize("keep", ["latest", "random"])
def test_attackers_know_how_records_were_cut_down(tmp_path: Path, keep: str) -> None:
    result = audited(
        table_of([(1, 2, 3, 4, 5, 6)] * 40, date=lambda who, item: 10 * item),
        tmp_path / "run", attackers=["insider"], max_risk=0.9,
        options={
            "defence": ["cap_length"], "defence.cap_length.n": 5, "defence.cap_length.keep": keep
        },
    )  # fmt: skip
    (row,) = judged(result)
    assert row["problem"] is None or row["problem"]["kind"] != UNAWARE.name
