"""People who hold so many items that none is left for a wrong fact: counted, and never short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditing import audited, table_of

import sim
from sim.record.run_folder import open_folder
from sim.report.words.few_facts import shortage_of_plan
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import NEXT, UNTESTED

ALL = (1, 2, 3, 4, 5)
LACKING = [tuple(item for item in ALL if item != gone) for gone in ALL] * 3
"""Fifteen people lack one item each; nobody else is in the data but those who hold all."""
HOLD = "hold nearly every item, so that too few others are left for wrong facts"
GIVEN: dict[str, Any] = {"attackers": ["well_informed"], "max_risk": 0.2, "measure": "mean"}


def test_those_with_every_item_do_not_have_too_few_facts(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    result = audited(table_of([*[ALL] * 7, *LACKING]), folder, **GIVEN)
    (row,) = result.tables["assessment"].to_dict("records")
    assert (row["aux"], row["records"], row["eligible"], row["no_wrong_item"]) == ("3/4", 22, 15, 7)
    assert row["reason"] == f"7 of 22 records {HOLD}, and count as found"
    page = first_page(open_folder(folder))
    assert page is not None
    chapters = {one.title: one for one in page.chapters}
    (said,) = (one for one in chapters[UNTESTED].items if "count as found" in one)
    assert said.startswith(f"People who {HOLD}: 7 of 22 (31.8%) for “well informed” with 4 facts")
    sure = (folder / "assessment.md").read_text(encoding="utf-8")
    assert "the 15 records with 4 or more facts and 1 item or more that they lack" in sure
    assert "too few facts" not in " ".join([sure, *page.answer])
    checked = str(sim.check(folder))
    assert row["reason"] in checked
    assert "too few facts" not in checked
    following = chapters[NEXT]
    assert any(f"7 of 22 people {HOLD}. The command with" in one for one in following.sentences)
    assert any("'grid.aux=[4/4]'" in one for one in following.commands)
    again = audited(
        table_of([*[ALL] * 7, *LACKING]), tmp_path / "right", **GIVEN,
        options={"grid.aux": ["4/4"]},
    )  # fmt: skip
    assert again.tables["assessment"]["eligible"].tolist() == [22]
    assert "no_wrong_item" not in again.tables["assessment"]


def test_a_plan_does_not_ask_for_longer_records(tmp_path: Path) -> None:
    """One person of 23 has too few facts, who alone exceeds no bound."""
    frame = table_of([*[ALL] * 7, *LACKING, (1, 2)])
    release = sim.table(frame, user="who", item="what", cache=str(tmp_path / "cache"))
    options = {"utility": ["cells"], "plan.utility": "cells"}
    result = sim.plan(
        release, 0.3, ["drop_records.min_length=4"], attackers=["well_informed"],
        folder=tmp_path / "run", options=options,
    )  # fmt: skip
    as_it_is, longer = result.tables["trials"].to_dict("records")
    assert "1 of 23 records have too few facts to be attacked, and 7 hold" in as_it_is["reason"]
    assert longer["reason"] == f"7 of 22 records {HOLD}, and count as found"
    run = open_folder(tmp_path / "run")
    assert shortage_of_plan(run) is None
    page = first_page(run)
    assert page is not None
    (said,) = (one for one in page.answer if "have nearly every item" in one)
    assert said.startswith("7 of 23 people (30.4%) have nearly every item")
    assert "(grid.aux=[4/4]) can be tried on these people" in said
    text = " ".join([*page.answer, *(one for each in page.chapters for one in each.commands)])
    assert "where 31.8% of the people cannot be attacked by some attacker" in text
    assert "too few facts" not in text
    assert "plan.min_length" not in text
