"""The curve over φ and the equal-error φ*, against their reference implementations."""

import numpy as np
import pandas as pd
import pytest
import reference
from deciding import PROPERTIES, decided, random_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.metrics.curves import curve_row
from sim.metrics.decision_arrays import decision_arrays
from sim.metrics.phi import eccentricities, equal_error, pairs, phi_frame, phi_grid

pytestmark = pytest.mark.fast


def rows(seed, n, **options):
    return decision_arrays(decided(random_cases(seed, n, **options)), "a cell", PROPERTIES)


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**20), n=st.integers(1, 40), phi=st.floats(0, 4))
def test_the_curve_matches_the_reference(seed, n, phi):
    found = rows(seed, n)
    frame = phi_frame(3, eccentricities(found), phi)
    expected = reference.phi_curve(found.eccentricity, found.correct, frame["phi"].to_numpy())
    assert frame["matched_right"].to_numpy() == pytest.approx(expected.right)
    assert frame["matched_wrong"].to_numpy() == pytest.approx(expected.wrong)
    assert frame["no_match"].to_numpy() == pytest.approx(expected.no_match)
    assert (frame["cell"] == 3).all()
    assert str(frame["cell"].dtype) == "int32"


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**20), n=st.integers(1, 40))
def test_the_curve_goes_through_the_runs_own_row(seed, n):
    frame = decided(random_cases(seed, n))
    row = curve_row(frame, PROPERTIES)
    over = phi_frame(
        0, eccentricities(decision_arrays(frame, "a cell", PROPERTIES)), PROPERTIES.phi
    )
    here = over[over["phi"] == PROPERTIES.phi].iloc[0]
    for name in ("matched_right", "matched_wrong", "no_match"):
        assert here[name] == pytest.approx(row[name])


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**20), n=st.integers(1, 30), m=st.integers(1, 30))
def test_equal_error_matches_the_reference(seed, n, m):
    there, gone = rows(seed, n, absent=0.0), rows(seed + 1, m, absent=1.0)
    found = equal_error(eccentricities(there), eccentricities(gone))
    expected = reference.equal_error(there.eccentricity, there.correct, gone.eccentricity)
    both = (expected.false_positive + expected.false_negative) / 2
    if found.phi_star != expected.phi:  # a gap that only rounding made smaller
        assert found.phi_star < expected.phi
        at = np.array([found.phi_star])
        false_positive = (gone.eccentricity > at).mean()
        false_negative = 1 - ((there.eccentricity > at) & there.correct).mean()
        gap = abs(expected.false_positive - expected.false_negative)
        assert abs(false_positive - false_negative) == pytest.approx(gap, abs=1e-12)
        both = (false_positive + false_negative) / 2
    assert found.equal_error == pytest.approx(both)


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**20), power=st.integers(0, 5))
def test_equal_error_is_exactly_the_reference_where_nothing_is_rounded(seed, power):
    there, gone = rows(seed, 2**power, absent=0.0), rows(seed + 1, 2**power, absent=1.0)
    found = equal_error(eccentricities(there), eccentricities(gone))
    expected = reference.equal_error(there.eccentricity, there.correct, gone.eccentricity)
    assert found.phi_star == expected.phi
    assert found.equal_error == (expected.false_positive + expected.false_negative) / 2


def test_a_perfect_attacker_makes_no_error_at_phi_star():
    frame = pd.DataFrame(decided(random_cases(1, 4, absent=0.0))).assign(
        best_score=9.0, second_score=1.0, sigma=1.0, eccentricity=8.0, correct=True, ties=1,
        true_rank=1, above=0, candidates=12, target_score=9.0,
    )  # fmt: skip
    there = eccentricities(decision_arrays(frame, "a cell", PROPERTIES))
    frame["eccentricity"] = 0.5
    gone = eccentricities(decision_arrays(frame.assign(correct=False), "a cell", PROPERTIES))
    found = equal_error(there, gone)
    assert (found.phi_star, found.equal_error) == (0.5, 0.0)


def test_the_grid_is_ascending_and_holds_the_runs_phi():
    for phi in (0.0, 1.5, 1.51, 28.0):
        grid = phi_grid(phi)
        assert (np.diff(grid) > 0).all()
        assert {0.0, 10.0, phi} <= set(grid.tolist())


def test_pairs_agree_in_all_other_axes():
    axes = [("a", None, True), ("a", None, False), ("a", 3, False), ("b", 3, True), ("b", 3, False)]
    cells = [
        {"cell": 10 + i, "aux": a, "date_noise": d, "present": p}
        for i, (a, d, p) in enumerate(axes)
    ]
    assert pairs(cells) == [(0, 1), (3, 4)]
    assert pairs([{"cell": 0, "aux": "a"}, {"cell": 1, "aux": "a"}]) == []
