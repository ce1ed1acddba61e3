"""The published attacks on tables small enough to work by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference as ref
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from worked import FILMS, KNOWN_AC, A, B, C, E, F, dense, only

from sim.numeric import exp


@pytest.fixture
def films() -> ref.PlainRelease:
    """The five records of `worked.FILMS`, and F, which nobody holds: support 0."""
    return dense(FILMS, 6)


AC = ref.PlainAux.of(KNOWN_AC)


def test_supports_and_lengths(films: ref.PlainRelease) -> None:
    assert films.support().tolist() == [3, 3, 2, 2, 2, 0]
    assert films.length().tolist() == [3, 2, 2, 4, 1]


def test_without_a_record_its_cells_leave_the_supports(films: ref.PlainRelease) -> None:
    """Record 2 held A and D: 3 → 2 and 2 → 1. Record 3 is now row 2."""
    rest = ref.without(films, 2)
    assert rest.support().tolist() == [2, 3, 2, 1, 2, 0]
    assert rest.length().tolist() == [3, 2, 4, 1]


def test_a_release_that_contradicts_itself_is_refused() -> None:
    held = np.zeros((1, 2), dtype=bool)
    with pytest.raises(ValueError, match="not held"):
        ref.PlainRelease(held, np.ones((1, 2)), np.full((1, 2), np.nan))
    with pytest.raises(ValueError, match="one N x M shape"):
        ref.PlainRelease(held, np.full((2, 2), np.nan), np.full((1, 2), np.nan))


@pytest.mark.parametrize("items", [[], [-2]])
def test_aux_that_is_none_is_refused(items: list[int]) -> None:
    with pytest.raises(ValueError, match=r"aux|without a single item"):
        only(*items)


class TestSimilarity:
    def test_cells_by_hand(self) -> None:
        """|Δvalue| = 1, |Δday| = 14.

        Exponential: e^(−1/1.5) + e^(−14/30) = 0.51342 + 0.62709. Base 2: 0 + 1·2^(−1) + 2·2^(−1)
        = 1.5. Threshold (1, 14): both just pass; (0.5, 14) and (1, 13): one fails.
        """
        gap = np.array([1.0]), np.array([14.0])
        assert ref.Exponential().weighted(1.0, *gap)[0] == pytest.approx(1.14051, abs=1e-5)
        assert ref.Base2().weighted(1.0, *gap)[0] == 1.5
        assert ref.Threshold(1, 14).weighted(2.0, *gap)[0] == 2.0
        assert ref.Threshold(0.5, 14).weighted(2.0, *gap)[0] == 0.0
        assert ref.Threshold(1, 13).weighted(2.0, *gap)[0] == 0.0
        assert ref.Presence().weighted(2.0, *gap)[0] == 2.0

    def test_missing_parts(self) -> None:
        """A missing part passes a threshold, and takes its term out of a sum.

        α goes with the value: Base2(α=0.5) without a value is γ·1 = 2; without a day 0.5 + 1.
        """
        none, zero = np.array([np.nan]), np.array([0.0])
        assert ref.Threshold(0, 0).weighted(1.0, none, none)[0] == 1.0
        assert ref.Exponential().weighted(1.0, none, zero)[0] == 1.0
        assert ref.Exponential().weighted(1.0, none, none)[0] == 0.0
        assert ref.Base2(alpha=0.5).weighted(1.0, none, zero)[0] == 2.0
        assert ref.Base2(alpha=0.5).weighted(1.0, zero, none)[0] == 1.5

    def test_records_by_hand(self, films: ref.PlainRelease) -> None:
        """Records 0 {A, B, C} and 1 {A, B}: union 3. Both hold A (5 d10, 4 d11), B (3 d12, 3 d40).

        Presence 2/3. Values ±1: 2/3; ±0: B, 1/3. Dates ±14: A, 1/3. Both ±1 and ±14: A, 1/3.
        Over |supp(1)| = 2, presence is 2/2.
        """
        sim = ref.record_similarity
        assert sim(films, 0, 1, ref.Presence()) == pytest.approx(2 / 3)
        assert sim(films, 0, 1, ref.Threshold(value=1)) == pytest.approx(2 / 3)
        assert sim(films, 0, 1, ref.Threshold(value=0)) == pytest.approx(1 / 3)
        assert sim(films, 0, 1, ref.Threshold(day=14)) == pytest.approx(1 / 3)
        assert sim(films, 0, 1, ref.Threshold(1, 14)) == pytest.approx(1 / 3)
        assert sim(films, 1, 0, ref.Presence(), over="first") == 1.0

    def test_nearest_neighbours_by_hand(self, films: ref.PlainRelease) -> None:
        """Presence. 0–1 2/3, 0–2 1/4, 0–3 2/5, 1–2 1/3, 1–3 1/5, 2–3 1/5, 3–4 1/4, others 0.

        With exact values: 0–1 B 1/3, 0–3 C 1/5, 2–3 D 1/5, 3–4 E 1/4, all others 0.
        """
        similarity, nearest = ref.nearest_neighbour(films, ref.Presence())
        assert similarity == pytest.approx([2 / 3, 2 / 3, 1 / 3, 2 / 5, 1 / 4])
        assert nearest.tolist() == [1, 0, 1, 0, 3]
        similarity, nearest = ref.nearest_neighbour(films, ref.Threshold(value=0))
        assert similarity == pytest.approx([1 / 3, 1 / 3, 1 / 5, 1 / 4, 1 / 4])
        assert nearest.tolist() == [1, 0, 3, 4, 3]

    def test_hamming_by_hand(self, films: ref.PlainRelease) -> None:
        """0: to 1 differs in C, 1/3. 1: 1/2. 2: to 1 in B, D, 2/2. 3: to 0 in A, D, E and to 4 in
        B, C, D, 3/4. 4: to 2 or 1 or 3 in three items, 3/1: more than its whole weight.
        """
        assert ref.hamming_to_nearest(films) == pytest.approx([1 / 3, 1 / 2, 1, 3 / 4, 3])

    def test_alone_or_empty(self) -> None:
        alone = ref.PlainRelease.of(1, 1, [(0, 0, 1, 1)])
        with pytest.raises(ValueError, match="two records"):
            ref.nearest_neighbour(alone, ref.Presence())
        empty = ref.PlainRelease.of(2, 1, [(0, 0, 1, 1)])
        assert ref.record_similarity(empty, 1, 1, ref.Presence()) == 0.0
        with pytest.raises(ValueError, match="none empty"):
            ref.hamming_to_nearest(empty)


class TestScoreboard:
    def test_by_hand(self, films: ref.PlainRelease) -> None:
        """AC, values 0, days ±3. 0: min(1, 1). 3: lacks A. 1 and 2: lack C. 4: lacks both."""
        scores = ref.scoreboard(films, AC, ref.Threshold(0, 3))
        assert scores.tolist() == [1, 0, 0, 0, 0]
        assert ref.matching_set(scores, 0.9).tolist() == [True, False, False, False, False]
        nobody = ref.matching_set(scores, 0.9, np.array([False, True, True, True, True]))
        assert not nobody.any()

    def test_the_least_similar_attribute_decides(self, films: ref.PlainRelease) -> None:
        """Exponential, A(5 d10), B(3 d12). 0: min(2, 2). 1: A e^(−1/1.5) + e^(−1/30) = 1.48063,
        B 1 + e^(−28/30) = 1.39324, so 1.39324. The rest lack one.
        """
        aux = ref.PlainAux.of([(A, 5, 10), (B, 3, 12)])
        scores = ref.scoreboard(films, aux, ref.Exponential())
        assert scores == pytest.approx([2, 1.39324, 0, 0, 0], abs=1e-5)

    def test_one_wrong_or_absent_item_shuts_everyone_out(self, films: ref.PlainRelease) -> None:
        """The robustness that Scoreboard lacks (NS08, section 4): F and unknown items score 0."""
        for wrong in (F, -1):
            aux = ref.PlainAux.of([(A, 5, 10), (wrong, 4, 29)])
            assert not ref.scoreboard(films, aux, ref.Threshold(0, 3)).any()


class TestScoreboardRH:
    def test_weights_by_hand(self, films: ref.PlainRelease) -> None:
        """Supports 3 and 2: 1/ln 3 = 0.91024, 1/ln 2 = 1.44270; log1p 1/ln 4, 1/ln 3. F: 0."""
        assert ref.item_weights(films) == pytest.approx(
            [0.91024, 0.91024, 1.4427, 1.4427, 1.4427, 0], abs=1e-5
        )
        assert ref.item_weights(films, "log1p") == pytest.approx(
            [0.72135, 0.72135, 0.91024, 0.91024, 0.91024, 0], abs=1e-5
        )

    def test_a_support_of_1_weighs_as_one_of_2(self) -> None:
        """ln 1 = 0 would be infinite: 1/ln(max(1, 2)); with log1p, 1/ln(1 + 1), the same."""
        release = ref.PlainRelease.of(3, 2, [(0, 0, 5, 1), (0, 1, 5, 1), (1, 1, 5, 1)])
        for kind in ("log", "log1p"):
            assert ref.item_weights(release, kind)[0] == 1 / math.log(2)
        assert ref.item_weights(release)[1] == 1 / math.log(2)

    def test_thresholds_by_hand(self, films: ref.PlainRelease) -> None:
        """Values 0, days ±3. 0: 0.91024 + 1.44270 = 2.35293. 1, 2: A differs. 3: C alone."""
        scores = ref.scoreboard_rh(films, AC, ref.Threshold(0, 3))
        assert scores == pytest.approx([2.35293, 0, 0, 1.4427, 0], abs=1e-5)

    def test_exponential_by_hand(self, films: ref.PlainRelease) -> None:
        """0: A 0.91024·(1 + 1) = 1.82048; C 1.44270·(1 + e^(−1/30)) = 2.83809; 4.65857.

        1: A 0.91024·(e^(−1/1.5) + e^(−1/30)) = 0.91024·1.48063 = 1.34773.
        2: A 0.91024·(e^(−4/1.5) + 1) = 0.91024·1.06948 = 0.97349. 3: C as 0: 2.83809. 4: 0.
        """
        scores = ref.scoreboard_rh(films, AC)
        assert scores == pytest.approx([4.65857, 1.34773, 0.97349, 2.83809, 0], abs=1e-5)

    def test_items_that_the_release_lacks_add_nothing(self, films: ref.PlainRelease) -> None:
        more = ref.PlainAux.of([(-1, 3, 3), (A, 5, 10), (F, 1, 1), (C, 4, 29)])
        assert ref.scoreboard_rh(films, more).tolist() == ref.scoreboard_rh(films, AC).tolist()

    def test_no_overlap_scores_0(self, films: ref.PlainRelease) -> None:
        assert ref.scoreboard_rh(films, only(F, -1)).tolist() == [0.0] * 5

    def test_missing_values_dropped_or_averaged(self, films: ref.PlainRelease) -> None:
        """E without a value, C known as 4 and B as 2: dropped, E adds 1.4427·e^0 to 3 and 4.

        Averaged, E is taken as 3, which both gave it: 1.4427·(1 + 1).
        """
        aux = ref.PlainAux.of([(E, None, 7), (C, 4, None), (B, 2, None)])
        assert ref.scoreboard_rh(films, aux)[4] == pytest.approx(1.4427, abs=1e-5)
        filled = ref.with_mean_values(aux)
        assert filled.value.tolist() == [3, 4, 2]
        assert ref.scoreboard_rh(films, filled)[4] == pytest.approx(2.8854, abs=1e-5)

    def test_nothing_to_average(self) -> None:
        assert np.isnan(ref.with_mean_values(only(A, B)).value).all()


class TestNeighbourhood:
    def test_by_hand(self, films: ref.PlainRelease) -> None:
        """AC, values 0, days ±3. All of it right: record 0 only.

        One of two (δ = 1/2). Values right: 0 both, 3 C; days right: 0 both, 1 A (d11), 2 A, 3 C.
        Both: 0 and 3. Values not known (δ_r = 1): 0, 1, 2, 3.
        """
        assert ref.neighbourhood(films, AC, 0, 3).tolist() == [True, *[False] * 4]
        half = ref.neighbourhood(films, AC, 0, 3, 0.5, 0.5)
        assert half.tolist() == [True, False, False, True, False]
        assert ref.neighbourhood(films, AC, 0, 3, 1.0, 0.5).sum() == 4
        assert ref.neighbourhood(films, AC, 0, 3, 1.0, 1.0).all()

    def test_values_and_days_may_fail_on_different_items(self) -> None:
        """Item 0 right by value only, item 1 by day only: one value and one day of two."""
        release = ref.PlainRelease.of(1, 2, [(0, 0, 5, 90), (0, 1, 1, 10)])
        aux = ref.PlainAux.of([(0, 5, 10), (1, 5, 10)])
        assert ref.neighbourhood(release, aux, 0, 3, 0.5, 0.5).all()
        assert not ref.scoreboard_rh(release, aux, ref.Threshold(0, 3)).any()

    @pytest.mark.parametrize(("m", "right"), [(3, 1), (6, 5), (8, 6), (10, 3), (10, 7)])
    def test_m_of_m_prime_is_reached_exactly(self, m: int, right: int) -> None:
        """(1 − δ)·m′ must not ask for one more by rounding: δ = (m′ − m)/m′."""
        cells = [(0, i, 5 if i < right else 1, None) for i in range(m)]
        cells += [(1, i, 5 if i < right - 1 else 1, None) for i in range(m)]
        release = ref.PlainRelease.of(2, m, cells)
        aux = ref.PlainAux.of([(i, 5, None) for i in range(m)])
        delta = (m - right) / m
        assert ref.neighbourhood(release, aux, 0, 3, delta, delta).tolist() == [True, False]

    def test_a_missing_part_passes_where_the_item_is_held(self, films: ref.PlainRelease) -> None:
        assert ref.neighbourhood(films, only(A, B), 0, 0).tolist() == [True, True, *[False] * 3]


class TestCorrelation:
    def test_by_hand(self, films: ref.PlainRelease) -> None:
        """Aux A(4 d11), B(3 d26); 2·2^(−1/14) = 1.90339.

        0: A 0.5 + 1.90339, B 1 + 2·2^(−14/14) = 2; 4.40339. 1: A 1 + 2, B 1 + 1; 5.
        2: A 2^(−3) + 1.90339 = 2.02839. 3: B 2^(−2) + 1 = 1.25. 4: 0.
        """
        aux = ref.PlainAux.of([(A, 4, 11), (B, 3, 26)])
        scores = ref.correlation(films, aux)
        assert scores == pytest.approx([4.40339, 5, 2.02839, 1.25, 0], abs=1e-5)

    def test_shorter_records_by_hand(self) -> None:
        """Δ = 0, 1, 1, 8; lengths 1, 2, 3, 4.

        3: shorter 0, 1, 1: best 1, σ = √(2/9) = 0.47140; (8 − 1)/σ = 14.85. 2: its Δ equals the
        best shorter one, no match. 1: shorter 0 alone, σ = 0, and 1 > 0. 0: none is shorter.
        """
        scores, lengths = np.array([0.0, 1.0, 1.0, 8.0]), np.array([1, 2, 3, 4])
        at_14 = ref.correlation_matches(scores, lengths, 14)
        assert at_14.tolist() == [False, True, False, True]
        at_15 = ref.correlation_matches(scores, lengths, 15)
        assert at_15.tolist() == [False, True, False, False]

    def test_longer_records_do_not_count_against(self) -> None:
        """Record 1 is better but longer than 0 < 2: both may match."""
        matches = ref.correlation_matches(np.array([5.0, 9.0, 0.0]), np.array([2, 3, 1]), 1.0)
        assert matches.tolist() == [True, True, False]

    def test_candidates_restrict_both_sides(self) -> None:
        """Without record 2 nothing is shorter than 0; 1 has 0 alone below it: 9 > 5, σ = 0."""
        matches = ref.correlation_matches(
            np.array([5.0, 9.0, 0.0]), np.array([2, 3, 1]), 1.0, np.array([True, True, False])
        )
        assert matches.tolist() == [False, True, False]

    def test_all_equal_is_no_match(self) -> None:
        assert not ref.correlation_matches(np.zeros(3), np.array([1, 2, 3]), 1.0).any()


class TestMentions:
    def test_set_intersection_by_hand(self, films: ref.PlainRelease) -> None:
        """A and B: records 0 and 1. A and E: nobody. F or an unknown item: nobody."""
        assert np.flatnonzero(ref.set_intersection(films, only(A, B))).tolist() == [0, 1]
        for aux in (only(A, E), only(A, F), only(A, -1)):
            assert not ref.set_intersection(films, aux).any()

    def test_tf_idf_by_hand(self, films: ref.PlainRelease) -> None:
        """log2(5/3) = 0.73697 for A, B; log2(5/2) = 1.32193 for C, D, E. Squares 0.54312, 1.74749.

        Aux {A, C}: √2.29061 = 1.51348. 0: 2.29061/(1.51348·√2.83373) = 0.89908.
        1: 0.54312/(1.51348·√1.08624) = 0.34432. 2 {A, D}: 0.54312/2.29061 = 0.23711.
        3 {B, C, D, E}: 1.74749/(1.51348·√5.78559) = 0.48003. 4: 0.
        """
        scores = ref.tf_idf(films, only(A, C))
        assert scores == pytest.approx([0.89908, 0.34432, 0.23711, 0.48003, 0], abs=1e-5)
        assert ref.tf_idf(films, only(A, -1, C, F)).tolist() == scores.tolist()

    def test_tf_idf_of_what_everybody_holds(self) -> None:
        """log2(2/2) = 0: a null vector has no angle, and scores 0."""
        release = ref.PlainRelease.of(2, 2, [(0, 0, 5, 1), (1, 0, 5, 1), (1, 1, 5, 1)])
        assert ref.tf_idf(release, only(0)).tolist() == [0.0, 0.0]
        assert ref.tf_idf(release, only(0, 1)).tolist() == [0.0, 1.0]

    def test_scoring_by_hand(self, films: ref.PlainRelease) -> None:
        """A: 1 − 2/5 = 0.6; C: 1 − 1/5 = 0.8. 0: 0.48. 1, 2: 0.6·0.05. 3: 0.05·0.8. 4: 0.05²."""
        scores = ref.scoring(films, AC)
        assert scores == pytest.approx([0.48, 0.03, 0.03, 0.04, 0.0025])
        assert ref.scoring(films, AC, log=True) == pytest.approx(np.log(scores))
        assert ref.scoring(films, only(A, F, C, -1)).tolist() == scores.tolist()

    def test_scoring_rated_by_hand(self, films: ref.PlainRelease) -> None:
        """A known as 4. Exact: record 1. Fuzzy: 0 (5) and 1. Unknown: 0, 1 and 2, as in Scoring."""
        aux = ref.PlainAux.of([(A, 4, None)])
        assert ref.scoring(films, aux, delta=0) == pytest.approx([0.05, 0.6, 0.05, 0.05, 0.05])
        assert ref.scoring(films, aux, delta=1) == pytest.approx([0.6, 0.6, 0.05, 0.05, 0.05])
        unknown = ref.scoring(films, only(A), delta=0)
        assert unknown.tolist() == ref.scoring(films, only(A)).tolist()

    def test_the_worked_example_of_f06(self) -> None:
        """Section 4.3: 10,000 users; A, B, C rated 20, 500 and 1,000 times.

        u1 rated A: 0.9981·0.05·0.05 = 0.0025; u2 rated B and C: 0.05·0.9501·0.9001 = 0.043.
        """
        held = np.zeros((10_000, 3), dtype=bool)
        held[0, 0] = held[1, 1] = held[1, 2] = True
        for item, count in enumerate([20, 500, 1000]):
            held[2 : 2 + count - 1, item] = True
        nothing = np.full(held.shape, np.nan)
        release = ref.PlainRelease(held, nothing, nothing)
        assert release.support().tolist() == [20, 500, 1000]
        u1, u2 = ref.scoring(release, only(0, 1, 2))[:2]
        assert u1 == pytest.approx(0.9981 * 0.05 * 0.05)
        assert u2 == pytest.approx(0.05 * 0.9501 * 0.9001)
        assert (round(u1, 4), round(u2, 3)) == (0.0025, 0.043)

    def test_hundreds_of_mentions_need_the_logarithm(self) -> None:
        """0.05^300 is below the least float; 300·ln 0.05 is −898.7."""
        release = ref.PlainRelease.of(2, 300, [(0, i, None, None) for i in range(300)])
        aux = only(*range(300))
        assert ref.scoring(release, aux)[1] == 0.0
        assert ref.scoring(release, aux, log=True)[1] == pytest.approx(300 * math.log(0.05))

    def test_long_records_are_left_out(self, films: ref.PlainRelease) -> None:
        """M/3 = 2: records 0 (3 items) and 3 (4) go."""
        assert ref.not_overlong(films).tolist() == [False, True, True, False, True]

    def test_baselines(self, films: ref.PlainRelease) -> None:
        assert ref.longest_record(films).tolist() == [3, 2, 2, 4, 1]
        scores = ref.random_guess(films)
        assert [ref.success_at_one(scores, t) for t in range(5)] == [1 / 5] * 5


@st.composite
def tables(draw: st.DrawFn) -> tuple[ref.PlainRelease, ref.PlainAux]:
    """Small releases with missing parts, and aux that may miss the release."""
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    value = st.none() | st.sampled_from([0.5, 1.0, 2.5, 4.0, 5.0])
    day = st.none() | st.integers(0, 60)
    cells = [
        (r, i, draw(value), draw(day))
        for r in range(n)
        for i in draw(st.sets(st.integers(0, m - 1)))
    ]
    items = draw(st.lists(st.integers(-1, m - 1), min_size=1, max_size=m + 1))
    distinct = [i for at, i in enumerate(items) if i == -1 or i not in items[:at]]
    aux = [(i, draw(value), draw(day)) for i in distinct]
    return ref.PlainRelease.of(n, m, cells), ref.PlainAux.of(aux)


def one_cell_at_a_time(release: ref.PlainRelease, aux: ref.PlainAux, record: int) -> float:
    """Scoreboard-RH of one record, in scalars and in the order that fixes its rounding."""
    score = 0.0
    for item, value, day in aux:
        if item < 0 or not release.held[record, item]:
            continue
        weight = 1 / np.log(max(float(release.held[:, item].sum()), 2.0))
        gap_value = abs(release.value[record, item] - value)
        gap_day = abs(release.day[record, item] - day)
        part_value = 0.0 if math.isnan(gap_value) else exp(-gap_value / 1.5)
        part_day = 0.0 if math.isnan(gap_day) else exp(-gap_day / 30.0)
        if math.isnan(value) and math.isnan(day):  # an item alone
            part_value = 1.0
        score = score + (weight * part_value + weight * part_day)
    return float(score)


@given(tables())
@settings(max_examples=examples(80))
def test_scoreboard_rh_is_bit_for_bit_the_scalar_sum(
    table: tuple[ref.PlainRelease, ref.PlainAux],
) -> None:
    release, aux = table
    expected = [one_cell_at_a_time(release, aux, r) for r in range(release.n_records)]
    assert ref.scoreboard_rh(release, aux).tolist() == expected


@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=examples(60))
def test_no_score_depends_on_the_order_of_the_records(
    table: tuple[ref.PlainRelease, ref.PlainAux], random
) -> None:  # type: ignore[no-untyped-def]
    release, aux = table
    order = np.array(random.sample(range(release.n_records), release.n_records))
    shuffled = ref.PlainRelease(release.held[order], release.value[order], release.day[order])
    for attack in (
        ref.scoreboard_rh,
        ref.correlation,
        ref.tf_idf,
        ref.scoring,
        ref.set_intersection,
        lambda r, a: ref.scoreboard(r, a, ref.Threshold(1, 3)),
        lambda r, a: ref.neighbourhood(r, a, 1, 3, 0.5, 0.5),
        lambda r, a: ref.scoring(r, a, delta=1),
    ):
        assert attack(shuffled, aux).tolist() == attack(release, aux)[order].tolist()


@given(tables())
@settings(max_examples=examples(60))
def test_attacks_agree_where_they_must(table: tuple[ref.PlainRelease, ref.PlainAux]) -> None:
    release, aux = table
    presence = ref.scoreboard(release, aux, ref.Presence())
    assert (presence == 1).tolist() == ref.set_intersection(release, aux).tolist()
    inside = ref.neighbourhood(release, aux, 1, 3)
    assert inside.tolist() == (ref.scoreboard(release, aux, ref.Threshold(1, 3)) == 1).tolist()
    counts = ref.scoreboard_rh(release, aux, ref.Presence(), weight="none")
    assert (counts > 0).tolist() == ref.overlaps(release, aux).tolist()
    infinite = ref.Threshold()
    assert ref.scoreboard(release, aux, infinite).tolist() == presence.tolist()


@given(tables())
@settings(max_examples=examples(60))
def test_record_similarity_is_symmetric_and_a_share(
    table: tuple[ref.PlainRelease, ref.PlainAux],
) -> None:
    release, _ = table
    for measure in (ref.Presence(), ref.Threshold(value=1), ref.Threshold(day=14)):
        matrix = ref.similarity_matrix(release, measure)
        assert (matrix == matrix.T).all()
        assert ((matrix >= 0) & (matrix <= 1)).all()
        assert (np.diag(matrix)[release.length() > 0] == 1).all()
