"""Whom a share is of, after defences that leave people out: by hand, and by pandas."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from auditing import RECORDS, audited, table_of
from defending import publish
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows
from studying import an_attack, cells, small_plan, study

from sim.defence.cut_pseudonyms import CutPseudonyms
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.study.plan import Released, make_plan

SIZES = (2, 3, 4)
AXES: dict[str, list[Any]] = {
    "aux": [f"{size}/{size}" for size in SIZES],
    "date_noise": [None],
    "value_noise": [0],
}


@settings(max_examples=examples(25))
@given(
    seed=st.integers(0, 10_000),
    records=st.integers(8, 50),
    support=st.integers(1, 9),
    targets=st.none() | st.integers(1, 8),
    cut=st.booleans(),
)
def test_a_plan_counts_the_people_in_the_release(
    make_store: MakeStore, seed: int, records: int, support: int, targets: int | None, cut: bool
) -> None:
    rows = random_rows(seed, records, 20, 4 * records)
    frame = pd.DataFrame(rows, columns=["who", "what", "value", "day"])
    holders = frame.groupby("what")["who"].transform("nunique")
    kept = set(frame["who"][holders >= support])
    length = frame.groupby("who")["what"].nunique()
    assume(kept and length.max() >= max(SIZES))
    defences: list[Defence] = [DropItems(min_support=support)]
    defences += [CutPseudonyms(window="10d")] if cut else []  # several records of one person
    truth = make_store(rows)
    with tempfile.TemporaryDirectory() as folder:
        release = publish(truth, Path(folder) / "release", *defences)
        plan = make_plan(release, cells(**AXES), an_attack(), targets, 1, truth=truth)
    able = [int((length[sorted(kept)] >= size).sum()) for size in SIZES]
    assert plan.released == [Released(len(kept), n) for n in able]
    assert plan.eligible == [int((length >= size).sum()) for size in SIZES]


def test_curves_have_further_columns_only_after_defences(
    make_store: MakeStore, tmp_path: Path
) -> None:
    truth = make_store(random_rows(3, 40, 20, 160))
    assert "n_released" not in study(truth, small_plan(truth, 10), tmp_path / "plain").columns
    release = publish(truth, tmp_path / "release", DropItems(min_support=9))
    plan = make_plan(release, cells(**AXES), an_attack(), 10, 1, truth=truth)
    curves = study(release, plan, tmp_path / "defended")
    assert list(curves.columns[-2:]) == ["n_released", "n_eligible_released"]
    assert curves["n_released"].tolist() == [release.manifest.n_records] * len(SIZES)


@pytest.mark.parametrize("targets", [None, 6])
def test_by_hand(tmp_path: Path, targets: int | None) -> None:
    """Items held by fewer than four are left out: 4, 5, 6, 7, 8 and 9.

    Of 13 people, those with (6, 7), (6, 7, 8) and (9,) have no record left. Of the other ten, the
    one with (1,) has fewer than two facts; the one with (1, 6, 7) has enough in the original.
    """
    options: dict[str, Any] = {
        "defence": ["drop_items"], "defence.drop_items.min_support": 4, "grid.aux": ["2/2"],
        "audit.known_facts": "original",
    }  # fmt: skip
    drawn = {} if targets is None else {"targets": targets}
    result = audited(
        table_of([*RECORDS, (1,)]), tmp_path / "run", attackers=["insider", "acquaintance"],
        max_risk=0.95, measure="succeeds", options=options, **drawn,
    )  # fmt: skip
    rows = result.tables["assessment"]
    assert set(rows["attacker"]) == {"insider", "acquaintance"}
    assert (rows["records"] == 10).all()
    assert (rows["eligible"] == 9).all()
    assert ((rows["attacked"] == 9) if targets is None else (rows["attacked"] <= 6)).all()
    facts = result.tables["facts_until_found"]
    assert targets is not None or facts["n"].sum() == 9
    (found,) = (one for one in result.findings if one.kind == "facts_found")
    assert (found.numbers["n"], found.numbers["records"]) == (facts["n"].sum(), 10)
    short = [one for one in result.findings if one.kind == "too_few_facts"]
    assert {(one.numbers["count"], one.denominator) for one in short} == {(1, 10)}
    both = audited(
        table_of([*RECORDS, (1,)]), tmp_path / "both", attackers=["insider"], max_risk=0.95,
        measure="succeeds", options=options | {"audit.known_facts": "both"}, **drawn,
    )  # fmt: skip
    (row,) = both.tables["assessment"].to_dict("records")
    assert (row["facts"], row["eligible"], row["records"]) == ("file", 8, 10)
