"""People with too few facts against a bound: by hand, and as the intervals count them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from auditing import table_of
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim.assessment.few_facts import Cure, FewFacts, cure
from sim.assessment.rows import MEASURES, risks_of
from sim.record.run_folder import open_folder
from sim.report.words.few_facts import few_facts_of_plan, few_facts_words, shortage_of_plan
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import NEXT


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
    ("dropped", "advice"),
    [
        ([], "Leave them out, by plan.min_length=4, or"),
        ([1, 3], "Leave them out, by plan.min_length=4, or"),
        ([4, 9], "drop records of fewer than 4 entries, and that is not enough: set "
         "drop_records.min_length above 9, as the last defence of each chain, or"),
    ],
)  # fmt: skip
def test_what_the_chains_drop_already_is_not_advised_again(dropped: list[int], advice: str) -> None:
    said = few_facts_words(FewFacts(4, 3, 9), Cure(length=4, facts=2), 0.1, dropped)
    assert advice in said
    assert said.endswith("such as grid.aux=[2/2], if there is a reason why nobody knows more.")
    after = few_facts_words(FewFacts(4, 3, 9), Cure(4, 2), 0.1, dropped, after="drop_time")
    assert after == f"After drop_time, {said}"


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


def test_who_is_left_exceeds_the_bound_too(tmp_path: Path) -> None:
    """Leaving out three people with two facts does not help twelve whose items nobody else has."""
    own = [tuple(range(6 * who, 6 * who + 6)) for who in range(12)]
    frame = table_of([*own, *[(0, 1)] * 3])
    release = sim.table(frame, user="who", item="what", cache=str(tmp_path / "cache"))
    sim.plan(
        release, 0.5, ["hide_items"], attackers=["insider"], measure="highest",
        folder=tmp_path / "run", options={"utility": ["cells"], "plan.utility": "cells"},
    )  # fmt: skip
    run = open_folder(tmp_path / "run")
    found = shortage_of_plan(run)
    assert found is not None
    assert found.is_everywhere
    assert found.n_left_within == 0
    assert "Leaving them out would not be enough: after every chain" in few_facts_of_plan(run)
    page = first_page(run)
    assert page is not None
    assert not any("plan.min_length" in one for one in page.answer)
    (following,) = (one for one in page.chapters if one.title == NEXT)
    assert "with audit.measure=mean it is one on the mean risk" in following.sentences[0]
    (command,) = (one for one in following.commands if "experiment=plan" in one)
    assert "grid.aux=[1/1]" in command
    assert "min_length" not in command


def test_where_chains_leave_nobody_it_is_not_known_who_exceeds_the_bound(tmp_path: Path) -> None:
    """Everybody else's records are alike, so that it is enough to leave out who has one item."""
    frame = table_of([*[(0, 1)] * 25, *[(0,)] * 20, (5, 6)], date=lambda who, _: who)
    release = sim.table(
        frame,
        user="who",
        item="what",
        date="date",
        repeats="latest",
        date_unit="days",
        cache=str(tmp_path / "cache"),
    )
    options = {"utility": ["cells"], "plan.utility": "cells", "plan.min_length": 8}
    sim.plan(
        release, 0.4, ["drop_time"], attackers=["insider"], measure="mean",
        folder=tmp_path / "run", options=options,
    )  # fmt: skip
    run = open_folder(tmp_path / "run")
    found = shortage_of_plan(run)
    assert found is not None
    assert (found.n_tested, found.n_left_within, found.may_be_enough) == (1, 0, True)
    page = first_page(run)
    assert page is not None
    told = " ".join(page.answer)
    assert "plan.min_length=8 leaves nobody: nobody has 8 entries; ask for fewer." in told
    assert "Leave them out, by plan.min_length=2, or try" in told
    (following,) = (one for one in page.chapters if one.title == NEXT)
    assert "plan.min_length=2" in following.commands[0]
