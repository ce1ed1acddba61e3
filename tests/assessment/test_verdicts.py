"""Verdicts: never within by chance, by a gap, or by an attacker whose assumptions fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.assessment.rows import MEASURES, Estimate, Row, risks_of
from sim.assessment.verdicts import EXCEEDS, NO_BOUND, NOT_TESTED, WITHIN, judge

UNIT = st.floats(0, 1)


def estimates(low: float = 0.0) -> st.SearchStrategy[Estimate]:
    return st.lists(st.floats(low, 1), min_size=4, max_size=4).map(
        lambda ends: Estimate(*[sorted(ends)[place] for place in (1, 0, 2, 3)])
    )


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
        control=None,
        absent=0,
        published="scoreboard_rh",
        rarest=draw(st.none() | st.integers(1, 40)),
        published_finds=draw(st.none() | estimates()),
        claims=draw(st.none() | estimates()),
        problem=draw(st.sampled_from(["", "", "no model"])),
        draws=2,
        highest_draw=draw(st.none() | UNIT),
    )


@given(rows(), st.sampled_from(MEASURES), UNIT)
def test_within_is_never_due_to_a_gap(row: Row, measure: str, bound: float) -> None:
    verdict = judge(row, measure, bound).verdict
    measured = getattr(row, measure)
    assert verdict in (WITHIN, EXCEEDS, NOT_TESTED)
    if verdict == WITHIN:
        assert measured.high_of_all <= bound
        assert measured.high <= bound
        assert not row.problem
        assert row.is_census or measure != "highest"
        assert measure != "highest" or row.highest_draw is None or row.highest_draw <= bound
        assert row.succeeds.low <= bound
        assert row.published_finds is None or row.published_finds.low <= bound
        assert measure != "highest" or row.claims is None or row.claims.low <= bound
    if row.problem or measured is None:
        assert verdict != WITHIN
    if verdict == EXCEEDS:
        found = [row.succeeds, row.published_finds, measured]
        found += [row.claims] if measure == "highest" else []
        in_a_draw = measure == "highest" and (row.highest_draw or 0) > bound
        assert in_a_draw or any(one is not None and one.high > bound for one in found)


@given(rows(), st.sampled_from(MEASURES), UNIT, UNIT)
def test_a_looser_bound_is_never_worse(row: Row, measure: str, one: float, other: float) -> None:
    tight, loose = sorted([one, other])
    if judge(row, measure, tight).verdict == WITHIN:
        assert judge(row, measure, loose).verdict == WITHIN
    assert judge(row, measure, None).verdict == NO_BOUND


def test_each_verdict_by_hand() -> None:
    low = Estimate(0.01, 0.0, 0.05, 0.05)
    row = Row(
        attacker="insider", cell=0, axes={}, attack="bayes", records=100, eligible=100,
        attacked=100, succeeds=low, wrong=low, control=None, absent=0, mean=low,
        percentile_99=low, highest=low,
    )  # fmt: skip
    assert judge(row, "mean", 0.09).verdict == WITHIN
    assert judge(row, "mean", 0.05).verdict == WITHIN
    upper = judge(row, "mean", 0.04)
    assert (upper.verdict, upper.reason) == (EXCEEDS, "the upper end of the interval counts")
    sample = replace(row, eligible=200, records=200)
    assert judge(sample, "highest", 0.09).verdict == NOT_TESTED
    assert judge(sample, "highest", 0.001).verdict == EXCEEDS
    short = replace(row, records=120, mean=Estimate(0.01, 0.0, 0.05, 0.2))
    assert judge(short, "mean", 0.09) == judge(short, "mean", 0.1)
    assert judge(short, "mean", 0.09).verdict == NOT_TESTED
    assert "20 of 120 records" in judge(short, "mean", 0.09).reason
    assert judge(replace(row, rarest=12), "highest", 0.09).verdict == WITHIN
    rare = judge(replace(row, rarest=1, highest=Estimate(0.05, 0.05, 1, 1)), "highest", 0.09)
    assert rare.verdict == NOT_TESTED
    assert "held by only 1 record;" in rare.reason
    once = judge(replace(row, draws=3, highest_draw=0.4), "highest", 0.09)
    assert once.verdict == EXCEEDS
    assert once.reason == "a person's risk is 40.0% in one of 3 draws of facts"
    assert judge(replace(row, draws=3, highest_draw=0.4), "highest", 0.4).verdict == WITHIN
    sure = replace(row, claims=Estimate(1.0, 0.57, 1.0, 1.0))
    assert judge(sure, "highest", 0.5).verdict == EXCEEDS
    assert "right about at least 57.0%" in judge(sure, "highest", 0.5).reason
    assert judge(sure, "highest", 0.57).verdict == judge(sure, "mean", 0.09).verdict == WITHIN
    weaker = replace(row, problem="its assumptions do not hold")
    assert judge(weaker, "mean", 0.09).verdict == NOT_TESTED
    found = replace(weaker, published_finds=Estimate(0.5, 0.4, 0.6, 0.6))
    assert judge(found, "mean", 0.09).verdict == EXCEEDS


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
    rare = risks_of(values[None], counts, rarest=2)
    assert rare["highest"].high == (1.0 if more else max(values[-1], 0.5))
    assert rare["mean"].high >= found["mean"].high
    if more == 0:
        worst = np.sort(np.append(values, np.ones(short)))
        assert found["mean"].high_of_all >= worst.mean() - 1e-12
        assert found["highest"].high_of_all >= worst[-1]
        place = float(np.quantile(worst, 0.99, method="inverted_cdf"))
        assert found["percentile_99"].high_of_all >= place - 1e-12
