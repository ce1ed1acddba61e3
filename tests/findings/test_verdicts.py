"""Verdicts: never within by chance, by a gap, or by an attacker whose assumptions fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.findings.attacker_row import MEASURES, Row, WorstCase
from sim.findings.finding import kind_name
from sim.findings.strongest import NOT_RUN
from sim.findings.verdicts import EXCEEDS, NO_BOUND, NOT_TESTED, WITHIN, Verdict, judge
from sim.metrics.risk_estimates import Estimate, is_above, risks_of
from sim.report.sentences import sentence

UNIT = st.floats(0, 1)
ROUNDED = 1 + 1e-9
"""What a bound is multiplied by, so that rounding exceeds none."""


def numbers_of(verdict: Verdict) -> Mapping[str, object]:
    """The numbers of the reason of a verdict."""
    assert verdict.reason is not None
    assert sentence(verdict.reason)
    return verdict.reason.numbers


def modelled(each: Estimate, **more: Any) -> Row:
    """An attacker of whom every measure is the same, of a hundred people."""
    measures = dict.fromkeys(("succeeds", "wrong", "mean", "percentile_99", "highest"), each)
    counts = dict.fromkeys(("records", "eligible", "attacked"), 100)
    given: dict[str, Any] = {**counts, **measures, "control": None, "absent": 0, **more}
    return Row(attacker="insider", cell=0, axes={}, attack="bayes", **given)


def estimates(low: float = 0.0) -> st.SearchStrategy[Estimate]:
    return st.lists(st.floats(low, 1), min_size=4, max_size=4).map(
        lambda ends: Estimate(*[sorted(ends)[place] for place in (1, 0, 2, 3)])
    )


@st.composite
def worst_cases(draw: st.DrawFn) -> WorstCase:
    single, pair = (draw(st.none() | st.floats(0.01, 1)) for _ in range(2))
    return WorstCase(single, pair, n_single=draw(st.integers(7, 9)), of_single=9)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    attacked = draw(st.integers(1, 50))
    eligible = attacked + draw(st.sampled_from([0, 0, 7]))
    return Row(
        attacker="insider",
        cell=0,
        axes={},
        attack="bayes",
        records=eligible + draw(st.sampled_from([0, 0, 3])),
        eligible=eligible,
        attacked=attacked,
        **{name: draw(estimates()) for name in ("succeeds", "wrong", "mean")},
        **{name: draw(st.none() | estimates()) for name in ("percentile_99", "highest")},
        best_guess=draw(st.none() | estimates()),
        named_right=draw(st.none() | estimates()),
        control=None,
        absent=0,
        published="scoreboard_rh",
        worst_case=draw(st.none() | worst_cases()),
        published_finds=draw(st.none() | estimates()),
        claims=draw(st.none() | estimates()),
        problem=draw(st.sampled_from([None, None, NOT_RUN.found()])),
        draws=2,
        highest_draw=draw(st.none() | UNIT),
    )


@given(rows(), st.sampled_from(MEASURES), UNIT)
def test_within_is_never_due_to_a_gap(row: Row, measure: str, bound: float) -> None:
    verdict = judge(row, measure, bound).verdict
    measured = getattr(row, measure)
    assert verdict in (WITHIN, EXCEEDS, NOT_TESTED)
    kept = bound * ROUNDED
    if verdict == WITHIN:
        assert measured.high_of_all <= kept
        assert row.counted(measure) <= kept
        assert all(share.high <= kept for share in row.shares)
        assert measured.high <= kept
        assert not row.problem
        assert row.is_census or measure != "highest"
        assert measure != "highest" or row.highest_draw is None or row.highest_draw <= kept
        assert row.succeeds.low <= kept
        assert row.published_finds is None or row.published_finds.low <= kept
        assert measure != "highest" or row.claims is None or row.claims.low <= kept
        assert measure != "highest" or bound == 1 or _looked_at(row, kept)
    if row.problem or measured is None:
        assert verdict != WITHIN
    if verdict == EXCEEDS:
        found = [row.succeeds, row.published_finds, measured]
        found += [row.claims] if measure == "highest" else []
        found += row.shares
        in_a_draw = measure == "highest" and (row.highest_draw or 0) > bound
        assert in_a_draw or any(one is not None and one.high > bound for one in found)


def _looked_at(row: Row, bound: float) -> bool:
    worst = row.worst_case
    if worst is None:
        return True
    scored = worst.single is not None and worst.n_single == 9
    return scored and not any(
        risk is not None and is_above(risk, bound) for risk in (worst.single, worst.pair)
    )


@given(rows(), st.sampled_from(MEASURES))
def test_the_largest_part_counts(row: Row, measure: str) -> None:
    counted, own = row.counted(measure), getattr(row, measure)
    assert (counted is None) == (own is None)
    for part in (own, *row.shares) if own is not None else ():
        assert part.estimate <= part.high_of_all <= counted


@given(rows(), st.sampled_from(MEASURES), UNIT, UNIT)
def test_a_looser_bound_is_never_worse(row: Row, measure: str, one: float, other: float) -> None:
    tight, loose = sorted([one, other])
    if judge(row, measure, tight).verdict == WITHIN:
        assert judge(row, measure, loose).verdict == WITHIN
    assert judge(row, measure, None).verdict == NO_BOUND


def test_each_verdict_by_hand() -> None:
    low = Estimate(0.01, 0.0, 0.05, 0.05)
    row = modelled(low)
    assert judge(row, "mean", 0.09).verdict == WITHIN
    assert judge(row, "mean", 0.05).verdict == WITHIN
    upper = judge(row, "mean", 0.04)
    assert (upper.verdict, kind_name(upper.reason)) == (EXCEEDS, "upper_end_exceeds")
    sample = replace(row, eligible=200, records=200)
    assert judge(sample, "highest", 0.09).verdict == NOT_TESTED
    assert judge(sample, "highest", 0.001).verdict == EXCEEDS
    wrong = replace(row, axes={"aux": "0/4"})
    for measure in MEASURES:
        verdict = judge(wrong, measure, 0.09)
        assert (verdict.verdict, kind_name(verdict.reason)) == (NOT_TESTED, "no_right_fact")
        assert judge(replace(row, axes={"aux": "1/4"}), measure, 0.09).verdict == WITHIN
    assert judge(wrong, "mean", 0.001).verdict == EXCEEDS
    short = replace(row, records=120, mean=Estimate(0.01, 0.0, 0.05, 0.2))
    assert judge(short, "mean", 0.09) == judge(short, "mean", 0.1)
    assert judge(short, "mean", 0.09).verdict == NOT_TESTED
    assert numbers_of(judge(short, "mean", 0.09)) == {"short": 20, "full": 0}
    assert judge(replace(row, worst_case=WorstCase(1 / 12)), "highest", 0.09).verdict == WITHIN
    unsure = replace(row, highest=Estimate(0.05, 0.05, 1, 1))
    rare = judge(replace(unsure, worst_case=WorstCase(1)), "highest", 0.09)
    assert rare.verdict == NOT_TESTED
    assert numbers_of(rare) == {"fact": "single", "risk": 1}
    once = judge(replace(row, draws=3, highest_draw=0.4), "highest", 0.09)
    assert once.verdict == EXCEEDS
    assert numbers_of(once) == {"risk": 0.4, "draws": 3}
    assert judge(replace(row, draws=3, highest_draw=0.4), "highest", 0.4).verdict == WITHIN
    sure = replace(row, claims=Estimate(1.0, 0.57, 1.0, 1.0))
    assert judge(sure, "highest", 0.5).verdict == EXCEEDS
    assert numbers_of(judge(sure, "highest", 0.5)) == {"rate": 0.57}
    assert judge(sure, "highest", 0.57).verdict == judge(sure, "mean", 0.09).verdict == WITHIN
    weaker = replace(row, problem=NOT_RUN.found())
    assert judge(weaker, "mean", 0.09).verdict == NOT_TESTED
    found = replace(weaker, published_finds=Estimate(0.5, 0.4, 0.6, 0.6))
    assert judge(found, "mean", 0.09).verdict == EXCEEDS


@pytest.mark.parametrize("measure", MEASURES)
def test_rounding_exceeds_no_bound(measure: str) -> None:
    """The mean of 18 risks of 4% is computed as a little more than that; 4.00001% is more."""
    for risk, verdict in ((0.04000000000000001, WITHIN), (0.0400001, EXCEEDS)):
        some = Estimate(risk, risk, risk, risk)
        row = modelled(some, claims=some, draws=2, highest_draw=risk)
        assert judge(row, measure, 0.04).verdict == verdict


def test_each_number_that_decides_is_in_the_row_of_a_check() -> None:
    """So that a program need not read the reason."""
    some = Estimate(0.05, 0.05, 0.05, 0.05)
    row = modelled(some, worst_case=WorstCase(0.01, 0.011), draws=3)
    decided = {
        "found": replace(row, published_finds=Estimate(0.5, 0.4, 0.6, 0.6)),
        "claims_right": replace(row, claims=Estimate(0.9, 0.632, 1.0, 1.0)),
        "highest_draw": replace(row, highest_draw=0.4),
        "worst_case": replace(row, worst_case=WorstCase(0.01, 0.33)),
    }
    for name, one in decided.items():
        verdict = judge(one, "highest", 0.09)
        assert verdict.decided_by == name
        assert verdict.verdict != WITHIN
    plain = judge(row, "highest", 0.09)
    assert (plain.verdict, plain.decided_by) == (WITHIN, "counted")


def test_a_bound_holds_for_who_always_names_the_likeliest_record() -> None:
    """Who is 5% sure of everybody on average may be right about 8% by always naming somebody."""
    some, guess = Estimate(0.05, 0.04, 0.06, 0.06), Estimate(0.08, 0.07, 0.1, 0.1)
    row = modelled(some, succeeds=Estimate(0, 0, 0.03, 0.03), best_guess=guess)
    assert judge(row, "mean", 0.1).verdict == WITHIN
    verdict = judge(row, "mean", 0.09)
    assert verdict.verdict == EXCEEDS
    assert numbers_of(verdict) == {"rate": 0.08, "high": 0.1}
    assert (row.counted("mean"), verdict.decided_by) == (0.1, "counted")
    assert row.highest_share == guess
    assert all(judge(row, measure, 0.09).verdict == EXCEEDS for measure in MEASURES)
    assert judge(replace(row, best_guess=None), "mean", 0.09).verdict == WITHIN


@pytest.mark.parametrize(
    ("found", "numbers"),
    [
        (WorstCase(0.5, 1), {"fact": "single", "risk": 0.5}),
        (WorstCase(0.08, 1), {"fact": "pair", "risk": 1}),
        (WorstCase(), {"entries": 0}),
        (WorstCase(0.08, 0.08, n_single=7, of_single=9), {"entries": 7}),
    ],
)
def test_which_fact_leaves_more_and_how_much(found: WorstCase, numbers: dict[str, object]) -> None:
    some = Estimate(0.05, 0.05, 0.05, 0.05)
    row = modelled(some, worst_case=found)
    verdict = judge(row, "highest", 0.09)
    assert verdict.verdict == NOT_TESTED
    assert numbers_of(verdict) == numbers
    assert judge(row, "highest", 1).verdict == judge(row, "mean", 0.09).verdict == WITHIN


@pytest.mark.parametrize(
    ("found", "numbers"),
    [
        (WorstCase(0.08), {"looked_at": "single"}),
        (WorstCase(0.08, 0.08, 9, 9, 8, 8), {"looked_at": "one_or_two"}),
        (WorstCase(0.08, 0.08, 9, 9, 7, 8), {"looked_at": "single", "pairs": 7}),
    ],
)
def test_a_verdict_within_says_of_which_facts(found: WorstCase, numbers: dict[str, object]) -> None:
    some = Estimate(0.05, 0.05, 0.05, 0.05)
    row = modelled(some, worst_case=found)
    numbers = numbers | {"known": ""}
    assert numbers_of(judge(row, "highest", 0.09)) == numbers
    known = judge(replace(row, axes={"popularity": "1-100"}), "highest", 0.09)
    assert numbers_of(known) == numbers | {"known": "popularity=1-100"}


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_measures_of_risk_are_consistent(risk: list[float], more: int, short: int) -> None:
    """The upper end for all holds for whatever risks the records not attacked have."""
    values = np.sort(np.array(risk))
    eligible = values.size + more
    counts = {"records": eligible + short, "eligible": eligible, "attacked": values.size}
    found = risks_of(values[None], counts)
    assert found["mean"].estimate == pytest.approx(values.mean())
    assert found["highest"].estimate == values[-1]
    assert found["highest"].high == (values[-1] if more == 0 else 1.0)
    for each in found.values():
        assert each.low <= each.estimate <= each.high <= each.high_of_all <= 1
    rare = risks_of(values[None], counts, by_facts=0.5)
    assert rare["highest"].high == (1.0 if more else max(values[-1], 0.5))
    pair = risks_of(values[None], counts, by_facts=1)
    assert pair["highest"].high == 1.0
    assert pair["mean"] == found["mean"]
    if more == 0:
        worst = np.sort(np.append(values, np.ones(short)))
        assert found["mean"].high_of_all >= worst.mean() - 1e-12
        assert found["highest"].high_of_all >= worst[-1]
        place = float(np.quantile(worst, 0.99, method="inverted_cdf"))
        assert found["percentile_99"].high_of_all >= place - 1e-12


@pytest.mark.parametrize("n", [5, 35, 300])
@pytest.mark.parametrize("share", [0.02, 0.08, 0.3])
def test_the_mean_is_not_cut_off_at_the_highest_risk_that_was_drawn(share: float, n: int) -> None:
    """Few are found for sure, all others hardly; whether one of the few was drawn is by chance."""
    rng, counts = np.random.default_rng(1), {"attacked": n, "eligible": n, "records": n}
    truth, times = share + (1 - share) * 0.01, 400
    held = 0
    for _ in range(times):
        drawn = np.where(rng.random(n) < share, 1.0, 0.01)
        found = risks_of(drawn[None], counts)["mean"]
        held += found.low <= truth <= found.high
    assert held >= 0.95 * times
