"""Decisions, entropies and curves, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference as ref
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from reference import Identification, Outcome, Top

pytestmark = pytest.mark.fast

SCORES = np.array([4.0, 1.0, 1.0, 0.0, 0.0, 0.0])
"""Mean 1, squares 18, σ² = 18/6 − 1 = 2."""

SHARING = np.array([True, True, True, False, False, False])
"""Of 4, 1, 1: mean 2, σ² = 18/3 − 4 = 2."""


def mask(*records: int, of: int = 6) -> np.ndarray:
    return np.isin(np.arange(of), records)


class TestEccentricity:
    def test_by_hand(self) -> None:
        """(4 − 1)/√2 = 2.12132: a match at 1.5 and 2.1, none at 2.2."""
        found = ref.eccentricity(SCORES)
        assert found.value == pytest.approx(3 / math.sqrt(2))
        assert (found.best, found.ties, found.top) == (0, 1, Top.CLEAR)
        assert [ref.is_match(found, phi) for phi in (1.5, 2.1, 2.2)] == [True, True, False]

    def test_exactly_phi_is_no_match(self) -> None:
        """Scores 4, 0: mean 2, σ = 2, e = 4/2 = 2 exactly: a match below 2, none at 2."""
        found = ref.eccentricity(np.array([4.0, 0.0]))
        assert found.value == 2.0
        assert not ref.is_match(found, 2.0)
        assert ref.is_match(found, 1.999)

    def test_sigma_over_those_that_share_an_item(self) -> None:
        """σ over all: √2; over the three overlapping: √2 too. Over 4 and 1 alone: 1.5, e = 2."""
        assert ref.sigma_of(SCORES) == pytest.approx(math.sqrt(2))
        assert ref.sigma_of(SCORES, among=SHARING) == pytest.approx(math.sqrt(2))
        assert ref.eccentricity(SCORES, among=mask(0, 1)).value == 2.0

    def test_candidates(self) -> None:
        """Without record 0 the top is a tie of 1 and 2; among 0 and 3 it is (4 − 0)/2 = 2."""
        tie = ref.eccentricity(SCORES, ~mask(0))
        assert (tie.value, tie.best, tie.ties, tie.top) == (0.0, 1, 2, Top.TIE)
        assert ref.eccentricity(SCORES, mask(0, 3)).value == 2.0

    def test_a_tie_never_matches(self) -> None:
        found = ref.eccentricity(np.array([2.0, 2.0, 0.0]))
        assert found.value == 0.0
        assert not ref.is_match(found, 0.0)

    def test_sigma_0_never_matches(self) -> None:
        """0.1 thrice has a mean of 0.10000000000000002 in floats: σ must be 0 all the same."""
        found = ref.eccentricity(np.full(3, 0.1))
        assert (found.value, found.sigma, found.ties, found.top) == (0.0, 0.0, 3, Top.FLAT)
        assert not ref.is_match(found, 0.0)

    def test_one_record_alone_shares_an_item(self) -> None:
        """Over that one record σ is 0, though max > max2: undefined, not infinite, no match."""
        found = ref.eccentricity(np.array([3.0, 0.0, 0.0]), among=mask(0, of=3))
        assert math.isnan(found.value)
        assert found.top is Top.FLAT
        assert not ref.is_match(found, 0.0)

    def test_one_candidate_never_matches(self) -> None:
        found = ref.eccentricity(SCORES, mask(0))
        assert math.isnan(found.value)
        assert (found.best, found.top) == (0, Top.SINGLE)
        assert not ref.is_match(found, 0.0)

    def test_no_candidate_and_no_number_are_errors(self) -> None:
        with pytest.raises(ValueError, match="no candidate"):
            ref.eccentricity(SCORES, mask())
        for bad in (np.nan, np.inf, -np.inf):
            with pytest.raises(ValueError, match="not finite"):
                ref.eccentricity(np.array([1.0, bad]))
        assert ref.eccentricity(np.array([1.0, 0.0, np.nan]), mask(0, 1, of=3)).value == 2.0

    def test_outcomes(self) -> None:
        """e = 2.12: right for target 0, wrong for 1 and for an absent one; at φ = 3 no match."""
        found = ref.eccentricity(SCORES)
        assert ref.outcome(found, 0) is Outcome.RIGHT
        assert ref.outcome(found, 1) is Outcome.WRONG
        assert ref.outcome(found, None) is Outcome.WRONG
        assert ref.outcome(found, 0, phi=3) is Outcome.NO_MATCH


class TestRank:
    def test_by_hand(self) -> None:
        """4 | 1 1 | 0 0 0: ranks 1, 3, 3, 6, 6, 6. Without record 0, those of 1 and 2 are 2."""
        assert [ref.rank(SCORES, t) for t in range(6)] == [1, 3, 3, 6, 6, 6]
        assert ref.rank(SCORES, 1, ~mask(0)) == 2
        with pytest.raises(ValueError, match="record 0 is no candidate"):
            ref.rank(SCORES, 0, ~mask(0))

    def test_expected_success(self) -> None:
        """1 for the top, 1/2 each where two tie, 0 below and for who is no candidate."""
        assert [ref.success_at_one(SCORES, t) for t in (0, 1, 3)] == [1, 0, 0]
        assert [ref.success_at_one(SCORES, t, ~mask(0)) for t in (0, 1, 2, 3)] == [0, 0.5, 0.5, 0]

    def test_theta_similar_success(self) -> None:
        """Target 1, Sim to 0 … 5 as given; the best guess is 0, with Sim 0.7.

        θ = 0.7 counts, 0.71 does not. Without 0 the guess is 1 or 2 (0.3): 1/2, at θ = 0.3 both.
        At θ = 1 only the very record counts, not its twin of Sim 1.
        """
        similarity = np.array([0.7, 1.0, 0.3, 0.0, 0.0, 0.0])
        assert ref.theta_success(SCORES, 1, similarity, 0.7) == 1.0
        assert ref.theta_success(SCORES, 1, similarity, 0.71) == 0.0
        assert ref.theta_success(SCORES, 1, similarity, 0.71, ~mask(0)) == 0.5
        assert ref.theta_success(SCORES, 1, similarity, 0.3, ~mask(0)) == 1.0
        assert ref.theta_success(SCORES, 1, np.ones(6), 1.0) == 0.0


class TestIdentification:
    def test_of_scores(self) -> None:
        """4 | 1 1 | 0 0 0. Target 1 (j = 3, one above): k = 1 misdirected, 2 not narrow, 3 yes."""
        reasons = [ref.identification(SCORES, 1, k) for k in (1, 2, 3)]
        assert reasons == [
            Identification.MISDIRECTED,
            Identification.NOT_NARROW,
            Identification.IDENTIFIED,
        ]

    def test_of_a_set(self) -> None:
        """Set Intersection finds 0, 1, 2. Target 1: too many for k = 1, 2; named for 3.

        Target 4 is not among them: misdirected even for k = 5. The empty set: no one possible.
        """
        members = mask(0, 1, 2)
        found = [ref.identification(members * 1.0, 1, k, matching=members) for k in (1, 2, 3)]
        assert found == [Identification.NOT_NARROW] * 2 + [Identification.IDENTIFIED]
        outside = ref.identification(members * 1.0, 4, 5, matching=members)
        assert outside is Identification.MISDIRECTED
        nobody = ref.identification(np.zeros(6), 4, 5, matching=mask())
        assert nobody is Identification.NO_ONE_POSSIBLE

    def test_of_log_posteriors(self) -> None:
        """−∞ is off the list: nobody, or someone else."""
        minus = -np.inf
        nobody = ref.identification(np.full(3, minus), 0, 1)
        assert nobody is Identification.NO_ONE_POSSIBLE
        other = ref.identification(np.array([minus, -1.0, minus]), 0, 2)
        assert other is Identification.MISDIRECTED
        itself = ref.identification(np.array([minus, -1.0, minus]), 1, 1)
        assert itself is Identification.IDENTIFIED

    def test_a_target_left_out_is_misdirected(self) -> None:
        """F06, section 4: if t is not in the list it is not k-identified for any k."""
        found = ref.identification(SCORES, 0, 5, candidates=~mask(0))
        assert found is Identification.MISDIRECTED

    def test_rates(self) -> None:
        """Ranks 1, 1, 4, 60 and one not matching: 2, 3, 3, 4 of five at k = 1, 5, 10, 100."""
        ranks = np.array([1, 1, 4, 60, 0])
        rates = [ref.identification_rate(ranks, k) for k in (1, 5, 10, 100)]
        assert rates == [0.4, 0.6, 0.6, 0.8]


class TestEntropy:
    def test_entropic_by_hand(self) -> None:
        """Scores 2 ln 4, 0, 0, 0 with σ = 2: weights 4, 1, 1, 1 of 7.

        Target 0 needs log2(7/4) = 0.80735 bits, the others log2 7 = 2.80735; the entropy of Π is
        4/7·0.80735 + 3/7·2.80735 = 1.66450.
        """
        logs = ref.entropic(np.array([2 * math.log(4), 0, 0, 0]), 2.0)
        assert np.exp(logs) == pytest.approx([4 / 7, 1 / 7, 1 / 7, 1 / 7])
        assert ref.target_bits(logs, mask(0, of=4)) == pytest.approx(0.80735, abs=1e-5)
        assert ref.target_bits(logs, mask(2, of=4)) == pytest.approx(2.80735, abs=1e-5)
        assert ref.distribution_bits(logs) == pytest.approx(1.66450, abs=1e-5)

    def test_the_two_sigmas(self) -> None:
        """6, 2, 0, 0, 0, 0, two overlapping: mean 4/3, σ² = 40/6 − 16/9 = 44/9; and σ = 2.

        By the second: weights e³, e¹ and four of 1; Π(0) = 20.0855/26.8038 = 0.74935.
        """
        scores = np.array([6.0, 2.0, 0, 0, 0, 0])
        sigma = ref.sigma_of(scores)
        assert sigma == pytest.approx(math.sqrt(44) / 3)
        shared = ref.sigma_of(scores, among=mask(0, 1))
        assert shared == 2.0
        assert np.exp(ref.entropic(scores, shared))[0] == pytest.approx(0.74935, abs=1e-5)
        weaker = ref.entropic(scores, sigma)
        assert ref.target_bits(weaker, mask(0)) > ref.target_bits(
            ref.entropic(scores, shared), mask(0)
        )

    def test_sigma_0(self) -> None:
        """All equal: log2 6 bits. One above the rest (σ over it alone): the limit, no bits."""
        flat = ref.entropic(np.full(6, 0.3), 0.0)
        assert ref.target_bits(flat, mask(3)) == pytest.approx(math.log2(6))
        assert ref.distribution_bits(flat) == pytest.approx(math.log2(6))
        peak = ref.entropic(SCORES, 0.0)
        assert (ref.target_bits(peak, mask(0)), ref.distribution_bits(peak)) == (0.0, 0.0)

    def test_a_score_far_below_the_best_is_no_infinity(self) -> None:
        """e^(−2000) is 0 in floats; its bits are 2000/ln 2 = 2885.4 all the same."""
        logs = ref.entropic(np.array([2000.0, 0.0]), 1.0)
        assert ref.target_bits(logs, mask(1, of=2)) == pytest.approx(2885.39, abs=0.01)

    def test_matching_sets_by_hand(self) -> None:
        """{0, 1, 2} of six: log2 3 bits for a member; for another, or with none, log2 6."""
        logs = ref.uniform_over(mask(0, 1, 2))
        assert ref.target_bits(logs, mask(1)) == pytest.approx(math.log2(3))
        assert ref.distribution_bits(logs) == pytest.approx(math.log2(3))
        assert ref.target_bits(logs, mask(5)) == math.log2(6)
        empty = ref.uniform_over(mask())
        assert ref.target_bits(empty, mask(1)) == math.log2(6)
        assert ref.distribution_bits(empty) == math.log2(6)
        assert ref.target_bits(ref.uniform_over(mask(0, 1, 2), ~mask(2)), mask(1)) == 1.0

    def test_the_most_likely_similar_record_counts(self) -> None:
        """Definition 4 takes the minimum over r′ with Sim ≥ θ: 0.5 is 1 bit; with none, log2 4."""
        logs = np.log([0.125, 0.5, 0.25, 0.125])
        assert ref.target_bits(logs, mask(0, 1, of=4)) == 1.0
        assert ref.target_bits(logs, mask(of=4)) == 2.0

    def test_candidates_take_all_the_probability(self) -> None:
        logs = ref.entropic(np.array([5.0, 1.0, 1.0]), 1.0, mask(1, 2, of=3))
        assert np.exp(logs) == pytest.approx([0, 0.5, 0.5])


class TestCurves:
    def test_phi_by_hand(self) -> None:
        """e = 3 right, 1.6 wrong, 0.2 right, undefined. φ = 0: 2 right, 1 wrong, 1 none of four;
        1.5: 1, 1, 2; 3: 0, 0, 4, as e = φ is no match.
        """
        curve = ref.phi_curve(
            np.array([3, 1.6, 0.2, np.nan]),
            np.array([True, False, True, False]),
            np.array([0.0, 1.5, 3.0]),
        )
        assert curve.right.tolist() == [0.5, 0.25, 0.0]
        assert curve.wrong.tolist() == [0.25, 0.25, 0.0]
        assert curve.no_match.tolist() == [0.25, 0.5, 1.0]

    def test_equal_error_by_hand(self) -> None:
        """Present e = 5, 4, 3, 2, all right but the 3. Absent 0.5, 1, 2.5, 4.5.

        φ = 0: FP 4/4, FN 1/4. 0.5: 3/4, 1/4. 1: 2/4, 1/4. 2: 2/4, 2/4: equal, the lowest such φ.
        """
        found = ref.equal_error(
            np.array([5.0, 4, 3, 2]),
            np.array([True, True, False, True]),
            np.array([0.5, 1, 2.5, 4.5]),
        )
        assert found == ref.EqualError(2.0, 0.5, 0.5)

    def test_equal_error_where_nothing_absent_is_matched(self) -> None:
        """Undefined on all absent targets: FP is 0 from the start, and so is φ*."""
        found = ref.equal_error(np.array([2.0]), np.array([True]), np.array([np.nan]))
        assert found == ref.EqualError(0.0, 0.0, 0.0)

    def test_mu_by_hand(self) -> None:
        """Neighbourhoods of 1, 1, 3, 8, 500: 2, 2, 4 and 5 of five at n = 1, 2, 8, 1000."""
        sizes = np.array([1, 1, 3, 8, 500])
        assert ref.mu(sizes, np.array([1, 2, 8, 1000])).tolist() == [0.4, 0.4, 0.8, 1.0]


class TestSmallReleases:
    def test_records_of_one_item(self) -> None:
        """Three people with one item each; 0 and 1 the same. Aux of 0: a tie; of 2: alone.

        Supports 2 and 1, both weigh 1/ln 2. For 2: scores 0, 0, w: e = w/(w·√2/3) = 3/√2.
        """
        release = ref.PlainRelease.of(3, 2, [(0, 0, 5, 1), (1, 0, 5, 1), (2, 1, 5, 1)])
        tied = ref.scoreboard_rh(release, ref.PlainAux.of([(0, 5, 1)]))
        assert ref.eccentricity(tied).top is Top.TIE
        assert ref.success_at_one(tied, 0) == 0.5
        alone = ref.scoreboard_rh(release, ref.PlainAux.of([(1, 5, 1)]))
        assert ref.eccentricity(alone).value == pytest.approx(3 / math.sqrt(2))

    def test_an_absent_target_whose_item_no_other_record_holds(self) -> None:
        """Record 2 removed, its item is unknown: all score 0, σ = 0, and that is no match."""
        release = ref.PlainRelease.of(3, 2, [(0, 0, 5, 1), (1, 0, 4, 1), (2, 1, 5, 1)])
        scores = ref.scoreboard_rh(ref.without(release, 2), ref.PlainAux.of([(1, 5, 1)]))
        found = ref.eccentricity(scores)
        assert found.top is Top.FLAT
        assert ref.outcome(found, None) is Outcome.NO_MATCH

    def test_a_release_of_one_record(self) -> None:
        release = ref.PlainRelease.of(1, 1, [(0, 0, 5, 1)])
        scores = ref.scoreboard_rh(release, ref.PlainAux.of([(0, 5, 1)]))
        assert ref.eccentricity(scores).top is Top.SINGLE
        assert (ref.rank(scores, 0), ref.success_at_one(scores, 0)) == (1, 1.0)


some_scores = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 7.0]), min_size=1, max_size=8)


@given(some_scores, st.data())
@settings(max_examples=examples(100))
def test_ranks_ties_and_reasons_fit_together(scores: list[float], data: st.DataObject) -> None:
    s = np.array(scores)
    candidates = np.array(data.draw(st.lists(st.booleans(), min_size=s.size, max_size=s.size)))
    target = data.draw(st.integers(0, s.size - 1))
    candidates[target] = True
    j = ref.rank(s, target, candidates)
    for k in range(1, s.size + 1):
        identified = ref.identification(s, target, k, candidates) is Identification.IDENTIFIED
        assert identified == (j <= k)
    found = ref.eccentricity(s, candidates)
    success = ref.success_at_one(s, target, candidates)
    assert success == (1 / found.ties if j == found.ties and s[target] == s[found.best] else 0)
    if found.top is Top.CLEAR:
        assert found.value > 0
        assert found.ties == 1
    total = sum(ref.success_at_one(s, int(t), candidates) for t in np.flatnonzero(candidates))
    assert total == pytest.approx(1)


@given(some_scores, st.floats(0.1, 10))
@settings(max_examples=examples(100))
def test_entropies_are_bounded_and_follow_the_scores(scores: list[float], sigma: float) -> None:
    s = np.array(scores)
    logs = ref.entropic(s, sigma)
    assert np.exp(logs).sum() == pytest.approx(1)
    assert -1e-12 <= ref.distribution_bits(logs) <= math.log2(s.size) + 1e-9
    bits = [ref.target_bits(logs, mask(t, of=s.size)) for t in range(s.size)]
    assert np.average(bits, weights=np.exp(logs)) == pytest.approx(ref.distribution_bits(logs))
    for a in range(s.size):
        for b in range(s.size):
            assert (bits[a] < bits[b]) == (s[a] > s[b]) or bits[a] == pytest.approx(bits[b])
