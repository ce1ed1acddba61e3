"""k-identification, neighbourhoods, entropy, θ-success and reliability against the references."""

import dataclasses
import math

import numpy as np
import pytest
import reference
from deciding import A_SET, PROPERTIES, decided, random_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.metrics import entropies, neighbourhoods, theta
from sim.metrics.baselines import baselines
from sim.metrics.decision_arrays import decision_arrays
from sim.metrics.identification import DEPTHS, REASONS, failures, identification, identified
from sim.metrics.neighbourhoods import SIZES
from sim.metrics.reliability import claimed, reliability_frame

pytestmark = pytest.mark.fast

BY_SEED = {"seed": st.integers(0, 2**20), "n": st.integers(1, 30)}


def measured_rows(cases, properties, **columns):
    return decision_arrays(decided(cases).assign(**columns), "a cell", properties)


@settings(max_examples=examples(40))
@given(**BY_SEED, a_set=st.booleans(), k=st.sampled_from([1, 2, 3, 5, 10, 100]))
def test_identification_matches_the_reference(seed, n, a_set, k):
    cases = random_cases(seed, n, a_set=a_set, absent=0.0)
    rows = measured_rows(cases, A_SET)
    reasons = failures(rows, k, A_SET)
    good = identified(rows, k, A_SET)
    for i, case in enumerate(cases):
        expected = reference.identification(
            case.scores, case.target, k, case.candidates, case.matching
        )
        found = ["identified"] if good[i] else []
        found += [name.replace("_", " ") for name in REASONS if reasons[name][i]]
        assert found == [expected.value]


@settings(max_examples=examples(40))
@given(**BY_SEED)
def test_the_shares_are_of_the_targets_present(seed, n):
    cases = random_cases(seed, n)
    here = [case for case in cases if case.present]
    row = identification(measured_rows(cases, PROPERTIES), PROPERTIES)
    ranks = np.array(
        [
            reference.rank(c.scores, c.target, c.candidates) if c.candidates[c.target] else 0
            for c in here
        ]
    )
    for k in DEPTHS:
        expected = reference.identification_rate(ranks, k) if here else math.nan
        assert row[f"k{k}"] == pytest.approx(expected, nan_ok=True)


def test_an_attack_whose_list_is_no_top_stretch_is_judged_among_all_candidates():
    cases = random_cases(1, 20, absent=0.0)
    listing_none = measured_rows(cases, PROPERTIES, matching_set=0)
    properties = dataclasses.replace(PROPERTIES, list_is_top=False)
    every = identification(measured_rows(cases, PROPERTIES), PROPERTIES)
    assert identification(listing_none, properties) == every
    assert identification(listing_none, PROPERTIES)["no_one_possible"] == 1.0


@settings(max_examples=examples(40))
@given(**BY_SEED)
def test_mu_matches_the_reference(seed, n):
    cases = random_cases(seed, n, records=30, a_set=True)
    row = neighbourhoods.neighbourhoods(measured_rows(cases, A_SET), A_SET)
    sizes = [int((c.candidates & c.matching).sum()) for c in cases if c.present]
    if sizes:
        expected = reference.mu(np.array(sizes), np.array(SIZES))
        assert [row[f"mu_{n}"] for n in SIZES] == pytest.approx(expected)
    assert np.isnan(
        list(neighbourhoods.neighbourhoods(measured_rows(cases, A_SET), PROPERTIES).values())
    ).all()


@settings(max_examples=examples(40))
@given(**BY_SEED)
def test_entropy_is_about_the_targets_present(seed, n):
    cases = random_cases(seed, n)
    frame = decided(cases)
    row = entropies.entropies(decision_arrays(frame, "a cell", PROPERTIES), PROPERTIES)
    here = frame[frame["present"]]
    assert set(row) == set(entropies.COLUMNS)
    if not len(here):
        assert np.isnan(list(row.values())).all()
        return
    assert row["bits"] == pytest.approx(here["entropy_bits"].mean())
    assert row["bits_median"] == pytest.approx(here["entropy_bits"].median())
    assert row["bits_all"] == 1.0
    unresolved = here[~here["correct"].astype(bool)]["entropy_bits"]
    assert row["bits_unresolved"] == pytest.approx(unresolved.mean(), nan_ok=True)
    assert row["bits_gained"] + row["bits"] == pytest.approx(row["bits_prior"])
    assert np.isnan(row["bits_low"]) == (len(here) == 1)


def test_nothing_is_said_of_an_entropy_that_was_not_measured():
    rows = decision_arrays(decided(random_cases(1, 9), entropy=False), "a cell", PROPERTIES)
    without = dataclasses.replace(PROPERTIES, entropy=False)
    assert np.isnan(list(entropies.entropies(rows, without).values())).all()


@settings(max_examples=examples(40))
@given(**BY_SEED, level=st.sampled_from([0.3, 0.5, 0.75]))
def test_theta_success_matches_the_reference_where_one_record_is_best(seed, n, level):
    cases = random_cases(seed, n, absent=0.0)
    rows = measured_rows(cases, PROPERTIES)
    found = theta.theta_success(rows, level)
    for i, case in enumerate(cases):
        if rows.ties[i] == 1:
            expected = reference.theta_success(
                case.scores, case.target, case.similarity, level, case.candidates
            )
        else:
            expected = reference.success_at_one(case.scores, case.target, case.candidates)
        assert found[i] == pytest.approx(expected)
    row = theta.thetas(rows)
    assert row["theta_75"] <= row["theta_50"]


def test_baselines_by_hand():
    cases = random_cases(4, 6, absent=0.0)
    frame = decided(cases).assign(
        candidates=[10, 10, 20, 20, 20, 20], true_rank=1, ties=1, above=0, target_score=1.0,
        longest_ties=[0, 1, 2, 0, 0, 4],
    )  # fmt: skip
    row = baselines(decision_arrays(frame, "a cell", PROPERTIES))
    assert row["baseline_random"] == pytest.approx((0.1 + 0.1 + 4 * 0.05) / 6)
    assert row["baseline_longest"] == pytest.approx((1 + 0.5 + 0.25) / 6)
    frame.loc[1, ["true_rank", "above", "target_score", "longest_ties"]] = None
    row = baselines(decision_arrays(frame, "a cell", PROPERTIES))
    assert row["baseline_random"] == pytest.approx((0.1 + 4 * 0.05) / 6)
    assert row["baseline_longest"] == pytest.approx((0.5 + 0.25) / 6)


def test_reliability_by_hand():
    frame = decided(random_cases(4, 6, absent=0.0)).assign(
        posterior=[0.07, 0.95, 0.99, 1.0, 0.5, np.nan], true_rank=[1, 1, 2, 4, 2, 1],
        ties=[1, 1, 1, 1, 2, 1], above=[0, 0, 1, 3, 0, 0], candidates=12, target_score=1.0,
    )  # fmt: skip
    rows = decision_arrays(frame, "a cell", PROPERTIES)
    found = reliability_frame(7, rows)
    assert found["n"].tolist() == [1, 0, 0, 0, 0, 1, 0, 0, 0, 3]
    assert found["right"].iloc[[0, 5, 9]].tolist() == pytest.approx([1.0, 0.5, 1 / 3])
    assert found["claimed"].iloc[9] == pytest.approx((0.95 + 0.99 + 1) / 3)
    assert found["right"].isna().sum() == 7
    assert found["low"].tolist() == [i / 10 for i in range(10)]
    assert (found["cell"] == 7).all()
    assert claimed(rows)["claimed"] == pytest.approx((0.07 + 0.95 + 0.99 + 1 + 0.5) / 5)


def test_no_probabilities_no_reliability():
    rows = measured_rows(random_cases(1, 5), PROPERTIES)
    assert reliability_frame(0, rows) is None
    assert math.isnan(claimed(rows)["claimed"])
