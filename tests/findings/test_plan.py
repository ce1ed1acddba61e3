"""What plans and frontiers found: of folders that are written by hand, and of small runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import audited, table_of
from hypothesis import given
from hypothesis import strategies as st
from making import deep
from planning import BOUND, RECORDS, A, B, C, D, E, by_kind, offer, part_of, point, run_of

import sim
from sim.findings.attacker_row import MEASURES
from sim.findings.chains import ALL, DROPPED, NOT_APPLIED, RESERVE, TOO_SHORT
from sim.findings.finding import Finding, Severity
from sim.findings.plan import (
    ONCE,
    few_facts_finding,
    frontier_findings,
    plan_findings,
)
from sim.findings.shortage import shortage_of_plan
from sim.findings.strongest import NOT_RUN
from sim.findings.verdicts import EXCEEDS, NO_BOUND, NOT_TESTED, Verdict
from sim.metrics.few_facts import Cure, FewFacts, cure
from sim.metrics.risk_estimates import Estimate, risks_of
from sim.record.run_folder import RunFolder, open_folder
from sim.report.sentences import sentence
from sim.session.chain_points import untested
from sim.session.chain_search import Trial

Found = Mapping[str, list[Finding]]


@pytest.fixture(autouse=True, scope="module")
def without_pages(no_drawings: None) -> Iterator[None]:
    """Runs without pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.session.suite.write_report", lambda folder: folder)
        yield


def found_of(run: RunFolder) -> Found:
    """The findings of a plan by kind, each of which can be said."""
    findings = [*plan_findings(run)]
    assert all(sentence(one) for one in findings)
    return by_kind(findings)


# Of trials that are written by hand.


def test_an_offer_has_its_numbers(tmp_path: Path) -> None:
    chosen = point(A, 0.1, 0.2, kept=0.8, people=900, highest=0.7)
    lossy = Trial("round 1", 250, point(B, 0.1, 1.0, kept=0.5), RESERVE)
    alike = Trial("round 1", 250, point(C, 0.1, 1.0, kept=0.8), RESERVE)
    unchanged = point("unchanged", 0.9)
    dropped = Trial("round 1", 250, unchanged, DROPPED, EXCEEDS)
    written = {"path": "out.csv", "sha256": "ab" * 32, "records": 900, "items": 9, "cells": 4000}
    run = run_of(
        tmp_path, offer(chosen, dropped, lossy, alike), same_releases={D: A},
        plan={"offered": None, "written": written},
    )  # fmt: skip
    found = found_of(run)
    (first,) = found["plan_offers"]
    assert (first.subject, first.kind) == (f"chain:{A}", next(plan_findings(run)).kind)
    numbers = {"bound": BOUND, "risk": 0.1, "counted": 0.2, "kept": 0.8, "people": 900}
    assert numbers.items() <= first.numbers.items()
    assert (first.numbers["tried"], first.numbers["tested"]) == (4, 4)
    assert found["file_written"][0].numbers["sha256"] == written["sha256"]
    (same,) = found["equally_lossy"]
    assert (same.numbers["count"], same.numbers["names"]) == (1, C)  # b loses more
    assert found["single_people_exceed"][0].numbers["highest"] == 0.7
    assert found["same_releases"][0].numbers["count"] == 1
    as_read = found_of(run_of(tmp_path / "as_read", offer(point("unchanged", 0.1))))
    assert set(as_read) == {"plan_offers_unchanged"}
    highest = run_of(tmp_path / "highest", offer(chosen, dropped), measure="highest")
    assert "single_people_exceed" not in found_of(highest)


def test_repetitions_that_an_offer_shows_are_serious(tmp_path: Path) -> None:
    run = run_of(tmp_path, offer(point("unchanged", 0.1)))
    run.record["release"]["n_repeats"] = 70
    (found,) = found_of(run)["offer_shows_counts"]
    assert (found.numbers["count"], found.denominator, found.remedy) == (70, 5000, ONCE)
    assert found.severity == Severity.SERIOUS


def test_what_a_plan_could_not_test_has_its_reason_once(tmp_path: Path) -> None:
    def dropped(chain: str, **given: Any) -> Trial:
        lost = replace(
            untested(part_of(chain), chain, ""), problem=NOT_RUN.found(), people=7, **given
        )
        return Trial("round 1", 250, lost, DROPPED, NOT_TESTED)

    exceeds = Trial("round 1", 250, point("unchanged", 0.9), DROPPED, EXCEEDS)
    found_more = dropped(D, verdict=Verdict(EXCEEDS))
    gone = Trial("round 1", 250, untested("e", E, "is empty"), DROPPED, NOT_APPLIED.name)
    lost = [dropped(chain) for chain in (A, B, C)]
    run = run_of(tmp_path, [exceeds, *lost, found_more, gone])
    found = found_of(run)
    (nothing,) = found["plan_offers_nothing"]
    # What exceeds the bound by an attack that was run is tested, whatever the model says.
    assert (nothing.numbers["count"], nothing.denominator) == (2, 5)
    assert nothing.numbers["untested"] == 3
    (untested_,) = found["chains_not_tested"]
    assert (untested_.numbers["count"], untested_.denominator) == (3, 6)
    assert untested_.numbers["names"] == f"{A}, {B}, 1 more"
    assert (untested_.numbers["reason"], untested_.severity) == (NOT_RUN.name, Severity.MIND)
    (left_out,) = found["chains_not_applied"]
    assert (left_out.numbers["count"], left_out.severity) == (1, Severity.NOTE)
    assert "events_not_modelled" not in found
    run.record["release"]["n_repeats"] = 70
    assert found_of(run)["events_not_modelled"][0].numbers["count"] == 3
    # Beside an offer, it is no warning.
    offered = found_of(run_of(tmp_path / "offer", offer(point("unchanged", 0.1), *lost)))
    assert offered["chains_not_tested"][0].severity == Severity.NOTE


NOBODY = Estimate(0.0, 0.0, 0.004, 0.004)
TWO_OF_THREE = Estimate(0.667, 0.094, 0.992, 0.992)


def nearest(folder: Path, *points: Any) -> list[Finding]:
    trials = [Trial(ALL, None, one, DROPPED, EXCEEDS) for one in points]
    return by_kind(plan_findings(run_of(folder, trials, bound=0.01)))["nearest_chain"]


@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize(("few", "others"), [(1.0, 1.0), (0.05, 0.08)])
def test_a_low_risk_is_not_the_nearest_where_an_attack_finds_more(
    few: float, others: float, step: int, tmp_path: Path
) -> None:
    points = [
        point(A, 0.041, few, found=TWO_OF_THREE, people=3),
        point(B, 0.06, others, found=NOBODY, people=900),
    ]
    first, second = nearest(tmp_path, *points[::step])
    assert [first.name, second.name] == [B, A]
    assert [one.numbers["counted"] for one in (first, second)] == [others, few]
    assert first.numbers["people"] is None  # more than one in ten
    assert second.numbers["people"] == 3
    assert second.denominator == RECORDS
    assert first.numbers["found"] is None
    assert second.numbers["found"] == (0.667 if few < 0.094 else None)


def test_people_are_counted_where_fewer_than_one_in_ten_are_left(tmp_path: Path) -> None:
    for people, said in ((1, 1), (121, 121), (122, None)):
        (one,) = nearest(tmp_path, point(A, 0.041, 1.0, people=people))
        assert one.numbers["people"] == said


def frontier_of(folder: Path, *points: Any, **given: Any) -> Found:
    findings = [*frontier_findings(run_of(folder, points=points, **given))]
    assert all(sentence(one) for one in findings)
    return by_kind(findings)


def test_a_frontier_answers_for_its_sample(tmp_path: Path) -> None:
    chains = point("unchanged", 0.8), point(A, 0.2, kept=0.7), point(B, 0.05, kept=0.4)
    worse = point(C, 0.3, kept=0.3, dominated_by=A)
    lost = untested("d", D, "needs dates")
    found = frontier_of(tmp_path, *chains, worse, lost)
    (keeps,) = found["frontier_keeps"]
    assert (keeps.subject, keeps.numbers["count"], keeps.denominator) == (f"chain:{A}", 3, 5)
    (dominated,) = found["chains_dominated"]
    assert (dominated.numbers["count"], dominated.denominator) == (1, 3)
    assert found["chains_not_applied"][0].numbers["reason"] == NOT_APPLIED.name
    # NS08 §6: half the risk keeps 70%, a tenth of it 40%.
    assert [
        (one.subject, one.numbers["factor"], one.numbers["kept"]) for one in found["risk_reduced"]
    ] == [(f"chain:{A}", 0.5, 0.7), (f"chain:{B}", 0.1, 0.4)]
    found = frontier_of(tmp_path, *chains[:2])
    assert found["risk_not_reduced"][0].numbers["factor"] == 0.1
    found = frontier_of(tmp_path, point("unchanged", 0.8), lost)
    assert found["frontier_keeps_none"][0].numbers == {"count": 1, "bound": BOUND}
    assert found["nearest_chain"][0].name == "unchanged"
    low, high = point(A, 0.1, kept=None), point(B, 0.2, kept=None)
    found = frontier_of(tmp_path, point("unchanged", 0.8, kept=None), high, low)
    assert found["frontier_keeps"][0].name == A  # the lowest upper end, as no loss is known
    free = [replace(one, verdict=Verdict(NO_BOUND)) for one in chains]
    found = frontier_of(tmp_path, *free, bound=None)
    assert found["frontier_without_bound"][0].numbers["count"] == 3


def test_a_measure_that_rises_hides_a_loss(tmp_path: Path) -> None:
    found = found_of(run_of(tmp_path, offer(point(A, 0.1, kept=4.1, utility="nDCG@10"))))
    (rose,) = found["utility_rose"]
    assert (rose.numbers["label"], rose.numbers["kept"]) == ("nDCG@10", 4.1)


# People who exceed a bound whatever is done.


def test_ten_records() -> None:
    """Lengths 1, 1, 2, 3, 9 …: an attacker with 4 facts misses four in ten, with 2 two in ten."""
    length = np.array([1, 1, 2, 3, 9, 9, 9, 9, 9, 9], np.int32)
    tried = [FewFacts.of_records(length, facts) for facts in (2, 4)]
    assert [(few.short, few.records) for few in tried] == [(2, 10), (4, 10)]
    assert cure(tried, "mean", 0.3) == Cure(length=4, facts=2)
    assert cure(tried, "mean", 0.1) == Cure(length=4, facts=1)
    assert cure(tried, "mean", 0.4) is None
    assert cure(tried, "highest", 0.9) == Cure(length=4, facts=1)


@pytest.mark.parametrize(
    ("dropped", "is_enough", "remedy"),
    [
        ([], True, "plan.min_length=4"),
        ([1, 3], True, "plan.min_length=4"),
        ([4, 9], True, "plan.min_length=10"),  # as the last defence of each chain
        ([1, 3], False, "grid.aux=[2/2]"),
    ],
)
def test_what_the_chains_drop_already_is_not_advised_again(
    dropped: Sequence[int], is_enough: bool, remedy: str
) -> None:
    few = FewFacts(facts=4, short=3, records=9)
    found = few_facts_finding(few, Cure(4, 2), 0.1, dropped, after="a", is_enough=is_enough)
    assert (found.kind == "few_facts_exceed") == is_enough
    assert (found.subject, found.remedy) == ("chain:a", remedy)
    assert (found.numbers["count"], found.denominator, found.numbers["facts"]) == (3, 9, 4)


@pytest.mark.parametrize("measure", [name for name in MEASURES if name != "succeeds"])
@given(
    few=st.integers(1, 200).flatmap(
        lambda n: st.builds(
            FewFacts, facts=st.just(2), short=st.integers(0, n - 1), records=st.just(n)
        )
    ),
    bound=st.floats(0.001, 0.999),
)
def test_who_alone_exceeds_a_bound_does_so_after_every_attack(
    measure: str, few: FewFacts, bound: float
) -> None:
    """Even one that learns nothing of anybody else: the upper end exceeds the bound."""
    eligible = few.records - few.short
    counts = {"records": few.records, "eligible": eligible, "attacked": eligible}
    found = risks_of(np.zeros((1, eligible)), counts)[measure]
    if few.exceeds(measure, bound):
        assert found.high_of_all > bound
    elif measure == "highest":
        assert found.high_of_all <= bound * (1 + 1e-9)


CELLS: dict[str, Any] = {"utility": ["cells"], "plan.utility": "cells"}


def plan_of(
    folder: Path, frame: pd.DataFrame, bound: float, chains: list[str], **given: Any
) -> RunFolder:
    columns: dict[str, Any] = {"date": "date", "date_unit": "days"} if "date" in frame else {}
    release = sim.table(
        frame, user="who", item="what", cache=str(folder / "cache"), repeats="latest", **columns
    )
    options = CELLS | given.pop("options", {})
    sim.plan(release, bound, chains, folder=folder / "run", options=options, **given)
    return open_folder(folder / "run")


def test_who_is_left_exceeds_the_bound_too(tmp_path: Path) -> None:
    """Leaving out three people with two facts does not help twelve whose items nobody else has."""
    own = [tuple(range(6 * who, 6 * who + 6)) for who in range(12)]
    run = plan_of(
        tmp_path, table_of([*own, *[(0, 1)] * 3]), 0.5, ["hide_items"],
        attackers=["insider"], measure="highest",
    )  # fmt: skip
    found = shortage_of_plan(run)
    assert found is not None
    assert found.is_everywhere
    assert found.n_left_within == 0
    (few,) = found_of(run)["few_facts_not_enough"]
    assert few.remedy == "grid.aux=[1/1]"
    assert (few.numbers["count"], few.denominator) == (3, 15)
    assert few.severity == Severity.SERIOUS
    assert not any("min_length" in one.remedy for one in plan_findings(run))


def test_where_chains_leave_nobody_it_is_not_known_who_exceeds_the_bound(tmp_path: Path) -> None:
    """Everybody else's records are alike, so that it is enough to leave out who has one item."""
    frame = table_of([*[(0, 1)] * 25, *[(0,)] * 20, (5, 6)], date=lambda who, _: who)
    run = plan_of(
        tmp_path, frame, 0.4, ["drop_time"], attackers=["insider"], measure="mean",
        options={"plan.min_length": 8},
    )  # fmt: skip
    assert set(run.tables["trials"]["because"]) == {EXCEEDS, TOO_SHORT.name}
    found = shortage_of_plan(run)
    assert found is not None
    assert (found.n_tested, found.n_left_within, found.may_be_enough) == (1, 0, True)
    kinds = found_of(run)
    (nobody,) = kinds["nobody_long_enough"]
    assert (nobody.numbers["length"], nobody.remedy) == (8, "plan.min_length=2")
    (few,) = kinds["few_facts_exceed"]
    assert (few.remedy, few.numbers["count"], few.denominator) == ("plan.min_length=2", 20, 46)


ITEMS = (1, 2, 3, 4, 5)
LACKING = [tuple(item for item in ITEMS if item != gone) for gone in ITEMS] * 3
"""Fifteen people lack one item each; nobody else is in the data but those who hold all."""


def test_those_with_every_item_do_not_have_too_few_facts(tmp_path: Path) -> None:
    given: dict[str, Any] = {"attackers": ["well_informed"], "max_risk": 0.2, "measure": "mean"}
    result = audited(table_of([*[ITEMS] * 7, *LACKING]), tmp_path / "run", **given)
    (row,) = result.tables["assessment"].to_dict("records")
    assert (row["aux"], row["records"], row["eligible"], row["no_wrong_item"]) == ("3/4", 22, 15, 7)
    assert row["verdict"] == NOT_TESTED
    again = audited(
        table_of([*[ITEMS] * 7, *LACKING]), tmp_path / "right", **given,
        options={"grid.aux": ["4/4"]},
    )  # fmt: skip
    assert again.tables["assessment"]["eligible"].tolist() == [22]
    assert "no_wrong_item" not in again.tables["assessment"]


def test_a_plan_does_not_ask_for_longer_records(tmp_path: Path) -> None:
    """One person of 23 has too few facts, who alone exceeds no bound."""
    frame = table_of([*[ITEMS] * 7, *LACKING, (1, 2)])
    chains = ["drop_records.min_length=4"]
    run = plan_of(tmp_path, frame, 0.3, chains, attackers=["well_informed"])
    assert shortage_of_plan(run) is None
    found = found_of(run)
    (many,) = found["many_items_exceed"]
    assert (many.numbers["count"], many.denominator, many.numbers["facts"]) == (7, 23, 4)
    assert (many.remedy, many.numbers["instead"]) == ("plan.max_length=4", "grid.aux=[4/4]")
    assert many.numbers["left_out"] == 7
    assert found["nearest_chain"][0].numbers["short"] == pytest.approx(7 / 22)
    assert not any("min_length" in one.remedy for one in plan_findings(run))


# Of data of which the utility that is to be kept cannot be measured.

WEAK, STRONG = "drop_time drop_items.min_support=12", "drop_time drop_items.min_support=100"
HOLDERS = (120, 60, 40, 20, 13, 6, 3, 1)
"""Of eight places. Each guest was at one, so nobody has both earlier and later entries."""


def guests(folder: Path) -> sim.Release:
    places = [place for place, n in enumerate(HOLDERS) for _ in range(n)]
    table = pd.DataFrame({"who": range(len(places)), "what": places})
    table["day"] = 5 + table["who"] % 40
    return sim.table(
        table, user="who", item="what", date="day", date_unit="days", repeats="cells",
        shape="rows", cache=str(folder / "cache"),
    )  # fmt: skip


def compared(folder: Path, chains: list[str], **options: Any) -> RunFolder:
    """A plan, and the frontier of its first round."""
    sim.plan(
        guests(folder), 0.09, chains, folder=folder / "plan", attackers=["insider"], aux=["1/1"],
        options={"audit.measure": "highest", **options},
    )  # fmt: skip
    return open_folder(folder / "plan")


@pytest.mark.parametrize("chains", [[STRONG, WEAK], *deep([WEAK, STRONG])])
def test_a_plan_keeps_entries_where_what_it_was_to_keep_cannot_be_measured(
    tmp_path: Path, chains: list[str]
) -> None:
    run = compared(tmp_path, chains, utility=["ndcg", "cells", "monthly_volume"])
    trials = run.tables["trials"]
    assert trials["utility"].eq("entries kept").all()
    kept = {chain: rows["kept"].iloc[0] for chain, rows in trials.groupby("chain")}
    assert kept == {
        "unchanged": 1.0,
        WEAK: sum(n for n in HOLDERS if n >= 12) / sum(HOLDERS),
        STRONG: HOLDERS[0] / sum(HOLDERS),
    }
    assert trials["chain"].iloc[-1] == WEAK
    found = found_of(run)
    assert found["plan_offers"][0].numbers["kept"] == kept[WEAK]
    (replaced,) = found["utility_replaced"]
    assert replaced.numbers["label"] == "entries kept"
    assert replaced.numbers["wanted"] == "nDCG@10 of an item-item recommender"
    assert replaced.numbers["note"]
    assert [one.subject for one in found["use_lost"]] == ["utility:monthly_volume"]
    of_frontier = by_kind(frontier_findings(run))
    assert of_frontier["utility_replaced"] == [replaced]


@pytest.mark.parametrize("chains", [[WEAK, STRONG], *deep([STRONG, WEAK])])
@pytest.mark.parametrize("measures", [["ndcg"], *deep([])])
def test_where_no_loss_is_known_the_lowest_upper_end_is_offered(
    tmp_path: Path, chains: list[str], measures: list[str]
) -> None:
    run = compared(tmp_path, chains, utility=measures)
    trials = run.tables["trials"]
    assert trials["kept"].isna().all()
    last = trials.drop_duplicates("chain", keep="last").set_index("chain")["counted"]
    assert trials["chain"].iloc[-1] == last.idxmin() == STRONG
    found = found_of(run)
    assert found["plan_offers"][0].numbers["kept"] is None
    (unknown,) = found["utility_unknown"]
    assert bool(unknown.numbers["wanted"]) == bool(measures)
    assert unknown.severity == Severity.MIND
    assert "utility_replaced" not in found
    assert by_kind(frontier_findings(run))["utility_unknown"] == [unknown]
