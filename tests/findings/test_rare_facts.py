"""A fact that was not drawn, and that few records fit, is no reason to be at ease."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from auditing import audited, in_memory, judged, table_of

import sim
from sim.cli.check import check_command
from sim.findings.finding import Finding
from sim.findings.verdicts import WITHIN

PEOPLE, ITEMS = 40, 60
BOUND = 0.05
"""One in 20."""

Of = Callable[[int, int], int]


def alike(who: int, item: int) -> int:
    return item % 5


def but_one(other: int) -> Of:
    """Return the same for everybody, but for one item of one person."""
    return lambda who, item: other if (who, item) == (7, 33) else alike(who, item)


def checked(
    folder: Path, value: Of, date: Of, *more: str, **given: Any
) -> tuple[int, dict[str, Any]]:
    """Audit people who hold the same items; return the exit code of a check and its row."""
    frame = table_of([tuple(range(ITEMS))] * PEOPLE, value=value, date=date)
    run = audited(frame, folder, attackers=["insider"], **given)
    (row,) = judged(run)
    return check_command([str(folder), f"max_risk={BOUND}", "measure=highest", *more]), row


def reasons(folder: Path, bound: float = BOUND) -> list[Finding]:
    """Return the reasons for the verdicts on the highest risk."""
    found = sim.check(folder, max_risk=bound, measure="highest")
    return [row.reason for row in found.runs[0].rows if row.reason is not None]


def test_where_everybody_is_alike_the_highest_risk_keeps_the_bound(
    tmp_path: Path,
) -> None:
    code, row = checked(tmp_path / "run", alike, alike)
    assert code == 0
    worst = row["worst_case"]
    assert (worst["single"], worst["pair"]) == (pytest.approx(1 / 40), pytest.approx(1 / 40))
    assert worst["n_single"] == worst["of_single"] == PEOPLE * ITEMS
    assert worst["n_pair"] == worst["of_pair"] == PEOPLE * ITEMS * (ITEMS - 1) / 2
    assert row["highest"]["high"] == pytest.approx(1 / 40)
    (reason,) = reasons(tmp_path / "run")
    assert (reason.kind, reason.numbers["looked_at"]) == ("kept_for", "one_or_two")


@pytest.mark.parametrize(("value", "date"), [(but_one(9), alike), (alike, but_one(90))])
def test_a_rare_value_or_date_that_was_not_drawn_is_not_within(
    tmp_path: Path, value: Of, date: Of
) -> None:
    folder = tmp_path / "run"
    code, row = checked(folder, value, date)
    drawn = sim.load(folder).parts["insider"].aux
    assert not len(drawn[(drawn["target"] == 7) & (drawn["item"] == 33)])
    assert row["highest"]["estimate"] < BOUND
    assert (code, row["highest"]["high"]) == (1, 1)
    (rare,) = (
        one
        for one in sim.check(folder, max_risk=BOUND).runs[0].findings
        if one.kind == "fact_not_drawn"
    )
    assert (rare.numbers["risk"], rare.numbers["fact"]) == (1, "single")
    # Forty people may hide one in eleven who is sure to be found, but not one in five.
    for bound, code in ((BOUND, 1), (0.2, 0)):
        assert check_command([str(folder), f"max_risk={bound}", "measure=mean"]) == code
    assert check_command([str(folder), "max_risk=0.2"]) == 1


def rare_together(who: int, item: int) -> int:
    """Twenty people have another value of one item, twenty of another; one person has both."""
    other = (item == 33 and who < 21) or (item == 34 and who >= 20)
    return 9 if other else alike(who, item)


@pytest.mark.parametrize("changes", [[], ["drop_time"]], ids=["as it is", "changed"])
def test_two_facts_that_are_rare_together_are_not_within(
    tmp_path: Path, changes: list[str]
) -> None:
    frame = table_of([tuple(range(ITEMS))] * PEOPLE, value=rare_together, date=alike)
    run = audited(
        frame,
        tmp_path / "run",
        attackers=["insider"],
        options={"defence": changes} if changes else {},
    )
    (row,) = judged(run)
    assert row["worst_case"]["single"] == pytest.approx(1 / 19)
    assert row["worst_case"]["pair"] == 1
    if row["highest"]["estimate"] < 0.06:
        assert check_command([str(tmp_path / "run"), "max_risk=0.06", "measure=highest"]) == 1
        (reason,) = reasons(tmp_path / "run", 0.06)
        assert reason.numbers == {"fact": "pair", "risk": 1}


def test_a_change_of_the_data_that_takes_the_rare_fact_away_keeps_the_bound(
    tmp_path: Path,
) -> None:
    code, row = checked(tmp_path / "run", but_one(9), alike, options={"defence": ["drop_values"]})
    assert row["worst_case"]["single"] == pytest.approx(1 / 40)
    assert row["worst_case"]["pair"] == pytest.approx(1 / 40)
    assert code == 0


def test_a_plan_offers_nothing_in_which_two_facts_are_enough(tmp_path: Path) -> None:
    frame = table_of([tuple(range(ITEMS))] * PEOPLE, value=rare_together, date=alike)
    plan = sim.plan(
        in_memory(frame, tmp_path / "run"), 2 * BOUND, ["drop_time", "drop_values"],
        attackers=["insider"], measure="highest", folder=tmp_path / "run",
        options={"utility": ["cells"], "plan.utility": "cells"},
    )  # fmt: skip
    trials = plan.tables["trials"].groupby("chain")["verdict"].last()
    assert trials["drop_time"] != WITHIN == trials["drop_values"]


def test_values_that_were_changed_at_random_leave_more(tmp_path: Path) -> None:
    """All were alike, and are no more: two facts find somebody better than chance."""
    code, row = checked(tmp_path / "run", alike, alike, options={"defence": ["perturb_values"]})
    assert code == 1
    assert 1 / 40 < row["worst_case"]["single"] < BOUND < row["worst_case"]["pair"]
    (reason,) = reasons(tmp_path / "run")
    assert reason.numbers["fact"] == "pair"


def changed(records: list[list[int]], folder: Path, **options: Any) -> dict[str, Any]:
    """Audit changed data, by an attacker who has one fact; return its row."""
    run = sim.audit(
        in_memory(table_of(records), folder), attackers=["insider"], max_risk=0.2, folder=folder,
        measure="highest", options={"grid.aux": ["1/1"], **options},
    )  # fmt: skip
    (row,) = judged(run)
    return row


@pytest.mark.parametrize(
    ("known", "who_lost", "risk"),
    [("original", 1, 1), ("original", 10, 1 / 10), ("released", 1, 8 / (59 * 7 + 8))],
)
def test_a_fact_about_what_was_dropped(
    tmp_path: Path, known: str, who_lost: int, risk: float
) -> None:
    """All have eight entries. Some have lost one, and whoever knows of it knows it is of them."""
    records = [[*range(8)] for _ in range(60)]
    for n in range(who_lost):
        records[n][0] = 99 + n
    row = changed(
        records, tmp_path / "run", **{"defence": ["drop_items"], "audit.known_facts": known}
    )
    found = row["worst_case"]["single"]
    assert found == pytest.approx(risk, rel=1e-3)
    assert (row["verdict"] == WITHIN) == (risk < 1)


def test_a_fact_about_the_one_who_was_cut_down_is_not_within(tmp_path: Path) -> None:
    """One person had more than 20 entries, of which a rare one is gone: only theirs may lack it."""
    records = [[*range(5 * (n % 3), 5 * (n % 3) + 10)] for n in range(60)]
    records.append([*range(20), 99])
    options = {"defence": ["cap_length"], "defence.cap_length.n": 20}
    row = changed(records, tmp_path / "run", **options)
    assert row["highest"]["estimate"] < 0.2
    assert row["verdict"] == "not tested"
    assert row["reason"]["numbers"] == {"fact": "single", "risk": pytest.approx(1)}


@pytest.mark.parametrize("facts", [1, 2])
def test_no_draw_reveals_more_than_all_facts_about_what_was_dropped(
    tmp_path: Path, facts: int
) -> None:
    """Of 12 records with few entries, ten draws leave out next to nothing."""
    rng = np.random.default_rng(4)
    records = [sorted(rng.choice(7, rng.integers(2, 5), replace=False)) for _ in range(12)]
    for n in range(0, 12, 3):
        records[n][0] = 100 + n
    run = sim.audit(
        in_memory(table_of(records), tmp_path / "run"), attackers=["insider"], draws=10,
        folder=tmp_path / "run", measure="highest",
        options={"grid.aux": [f"{facts}/{facts}"], "defence": ["drop_items"]},
    )  # fmt: skip
    (row,) = judged(run)
    worst = row["worst_case"]
    assert row["highest_draw"] == pytest.approx(worst["pair" if facts == 2 else "single"])


def test_a_rare_value_that_a_change_of_the_data_leaves_is_not_within(tmp_path: Path) -> None:
    code, row = checked(tmp_path / "run", but_one(9), alike, options={"defence": ["drop_time"]})
    assert (code, row["worst_case"]["single"]) == (1, 1)
    assert row["verdict"] == "not tested against a bound"


def test_a_short_record_among_long_ones_is_not_within(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fourteen people have the pair, of whom thirteen have twelve times as much: spec §4.1.

    A draw of facts misses it, most likely, and each number of records that fit is above ten.
    """
    short = tuple(range(5))
    victim, long = (5, 6, *short[:3]), tuple(range(65))
    items = [victim, *[long] * 13, *[short] * 120]
    run = audited(table_of(items), tmp_path / "run", attackers=["insider"], options={
        "grid.aux": ["2/2"], "audit.draws": 1})  # fmt: skip
    (row,) = judged(run)
    own, other = 1 / (5 * 4), 1 / (65 * 64)
    assert row["worst_case"]["pair"] == pytest.approx(own / (own + 13 * other))
    assert check_command([str(tmp_path / "run"), "max_risk=0.9", "measure=highest"]) == 1
