"""Plans and frontiers of data of which the utility that they are to keep cannot be measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from making import deep

import sim
from sim.record.run_folder import open_folder
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import PASTE
from sim.session.result import Result

WEAK, STRONG = "drop_time drop_items.min_support=12", "drop_time drop_items.min_support=100"
HOLDERS = (120, 60, 40, 20, 13, 6, 3, 1)
"""Of eight places. Each guest was at one, so nobody has both earlier and later entries."""

GIVEN: dict[str, Any] = {"attackers": ["insider"], "aux": ["1/1"]}
REASON = (
    "as nDCG@10 of an item-item recommender cannot be measured (nobody has both earlier and later "
    "cells)"
)


def release_of(folder: Path) -> sim.Release:
    places = [place for place, n in enumerate(HOLDERS) for _ in range(n)]
    guests = pd.DataFrame({"who": range(len(places)), "what": places})
    guests["day"] = 5 + guests["who"] % 40
    return sim.table(
        guests, user="who", item="what", date="day", date_unit="days", repeats="cells",
        shape="rows", cache=str(folder / "cache"),
    )  # fmt: skip


def planned(folder: Path, chains: list[str], **options: Any) -> Result:
    return sim.plan(
        release_of(folder), 0.09, chains, folder=folder / "plan", **GIVEN,
        options={"audit.measure": "highest", **options},
    )  # fmt: skip


def told(result: Result) -> tuple[str, str, str]:
    """The first page, the paragraph to paste, and all that is said in detail."""
    page = first_page(open_folder(result.folder))
    assert page is not None
    (paste,) = (one for one in page.chapters if one.title == PASTE)
    detail = (result.folder / "assessment.md").read_text(encoding="utf-8")
    return " ".join(page.answer), " ".join(paste.sentences), " ".join(detail.split())


@pytest.mark.parametrize("chains", [[STRONG, WEAK], *deep([WEAK, STRONG])])
def test_a_plan_keeps_entries_where_what_it_was_to_keep_cannot_be_measured(
    tmp_path: Path, chains: list[str]
) -> None:
    plan = planned(tmp_path, chains)
    trials = plan.tables["trials"]
    assert trials["utility"].eq("entries kept").all()
    kept = {chain: rows["kept"].iloc[0] for chain, rows in trials.groupby("chain")}
    assert kept == {
        "unchanged": 1.0,
        WEAK: sum(n for n in HOLDERS if n >= 12) / sum(HOLDERS),
        STRONG: HOLDERS[0] / sum(HOLDERS),
    }
    assert trials["chain"].iloc[-1] == WEAK
    share = f"{100 * kept[WEAK]:.1f}% is left"
    for said in told(plan):
        assert f"one number, entries kept, {REASON}: of that, {share}" in said
    assert "and loses least of 3 ways" in told(plan)[0]


@pytest.mark.parametrize("chains", [[WEAK, STRONG], *deep([STRONG, WEAK])])
@pytest.mark.parametrize("measures", [["ndcg"], []])
def test_a_plan_that_measured_no_loss_does_not_say_that_it_loses_least(
    tmp_path: Path, chains: list[str], measures: list[str]
) -> None:
    """Of those that keep the bound, it takes the one with the lowest upper end, and says so."""
    plan = planned(tmp_path, chains, utility=measures)
    trials = plan.tables["trials"]
    assert trials["kept"].isna().all()
    last = trials.drop_duplicates("chain", keep="last").set_index("chain")["counted"]
    assert trials["chain"].iloc[-1] == last.idxmin() == STRONG
    answer, paste, detail = told(plan)
    how = f"is not known, {REASON}" if measures else "was not measured"
    for said in (answer, paste):
        assert f"those that keep the bound lose {how}, so the one with the lowest upper" in said
    assert f"lowest upper end was taken, since what they lose {how}." in detail
    for said in (answer, paste, detail):
        assert "least" not in said.replace("at least", "")


def test_a_frontier_says_by_what_it_compares(tmp_path: Path) -> None:
    def page(folder: str, **options: Any) -> tuple[str, str]:
        found = sim.frontier(
            release_of(tmp_path), [WEAK, STRONG], folder=tmp_path / folder, **GIVEN,
            options={"plan.max_risk": 0.09, "audit.measure": "highest", **options},
        )  # fmt: skip
        answer = first_page(open_folder(found.folder))
        assert answer is not None
        return " ".join(answer.answer), " ".join(str(found).split())

    kept = page("cells")
    for said in kept:
        assert f"The chains of defences are compared by entries kept, {REASON}." in said
    assert f"The one that loses least is {WEAK} " in kept[0]
    answer, detail = page("nothing", utility=["ndcg"])
    for said in (answer, detail):
        assert f"What the chains of defences lose is not known, {REASON}." in said
    assert f"The one that has the lowest upper end is {STRONG} " in answer
    assert f"The one with the lowest upper end is {STRONG} " in detail
    assert "loses least" not in f"{answer} {detail}"
