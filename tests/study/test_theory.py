"""The theorems: their formulas, and measurement on small releases that meet their assumptions.

Measurements are exact: every choice of m attributes is enumerated, so no bound needs slack.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
import reference as ref
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import examples

from sim import theory
from sim.theory import Guarantee

pytestmark = pytest.mark.fast

EXACT = ref.Threshold(value=0)


@dataclass(frozen=True)
class Run:
    """One target and one choice of m attributes: which records Scoreboard leaves."""

    target: int
    matching: np.ndarray


def scoreboard_runs(
    release: ref.PlainRelease, m: int, epsilon: float, targets: list[int] | None = None
) -> Iterator[list[Run]]:
    """For each target, the matching sets of all choices of min(m, length) exact attributes."""
    for target in range(release.n_records) if targets is None else targets:
        items = np.flatnonzero(release.held[target])
        runs = []
        for chosen in itertools.combinations(items.tolist(), min(m, items.size)):
            aux = ref.PlainAux.of([(i, release.value[target, i], None) for i in chosen])
            scores = ref.scoreboard(release, aux, EXACT)
            runs.append(Run(target, ref.matching_set(scores, 1 - epsilon)))
        yield runs


def mean_over(runs: list[list[Run]], measure) -> float:  # type: ignore[no-untyped-def]
    """Mean over targets of the mean over the choices of attributes, exact but for one rounding."""
    per_target = [sum(measure(run) for run in of_one) / len(of_one) for of_one in runs]
    return float(sum(per_target) / len(per_target))


def hits(run: Run, close: np.ndarray) -> Fraction:
    """Chance that a random record of the matching set is one of the target's `close` ones."""
    return Fraction(int((run.matching & close[run.target]).sum()), int(run.matching.sum()))


def dense(values: np.ndarray) -> ref.PlainRelease:
    """Every record holds every item, so that the union is the support."""
    held = np.ones(values.shape, dtype=bool)
    return ref.PlainRelease(held, values.astype(float), np.full(values.shape, np.nan))


def rounded_up(attributes: float) -> int:
    return math.ceil(attributes - 1e-9)


# Few levels and many near copies: what would beat the bound, if anything did.
@st.composite
def crowded(draw: st.DrawFn) -> ref.PlainRelease:
    n, length = draw(st.integers(2, 6)), draw(st.integers(3, 8))
    base = draw(st.lists(st.integers(1, 2), min_size=length, max_size=length))
    rows = [base]
    for _ in range(n - 1):
        row = list(draw(st.sampled_from(rows)))
        for change in draw(st.lists(st.integers(0, length - 1), max_size=length)):
            row[change] = draw(st.integers(1, 3))
        rows.append(row)
    return dense(np.array(rows))


@st.composite
def sparse(draw: st.DrawFn) -> ref.PlainRelease:
    n, m = draw(st.integers(2, 6)), draw(st.integers(4, 9))
    cells = [
        (r, i, draw(st.integers(1, 2)), None)
        for r in range(n)
        for i in draw(st.sets(st.integers(0, m - 1), min_size=1, max_size=7))
    ]
    return ref.PlainRelease.of(n, m, cells)


@st.composite
def apart(draw: st.DrawFn) -> ref.PlainRelease:
    """Records that are not much alike, so that sparsity can be assumed of them."""
    n, length = draw(st.integers(2, 6)), draw(st.integers(4, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return dense(rng.integers(1, draw(st.integers(3, 6)), (n, length)))


def no_twin_delta(nearest: float, epsilon: float) -> float:
    """The greatest δ, less a hair, for which a neighbour as near as this is a false match."""
    delta = 0.999 * (1 - epsilon - nearest)
    assume(delta > 0)
    return delta


epsilons, deltas = st.sampled_from([0.1, 0.25, 0.4]), st.sampled_from([0.2, 0.35, 0.5, 0.7])


@given(st.one_of(crowded(), sparse()), epsilons, deltas)
@settings(max_examples=examples(60))
def test_lemma_1_holds_for_the_directed_similarity(
    release: ref.PlainRelease, epsilon: float, delta: float
) -> None:
    for a, b in itertools.permutations(range(release.n_records), 2):
        if theory.is_false_match(
            ref.record_similarity(release, a, b, EXACT, over="first"), epsilon, delta
        ):
            items = np.flatnonzero(release.held[a])
            alike = [
                float(release.held[b, i] and release.value[a, i] == release.value[b, i])
                for i in items
            ]
            assert theory.agreement(alike, epsilon) < 1 - delta


def test_lemma_1_fails_for_the_union() -> None:
    """r = {A, B}, r′ = {A, B, C, D, E, F}, equal where both hold: Sim(r, r′) = 2/6 = 0.33.

    That is below 1 − ε − δ = 0.5, a false match; yet r′ agrees with r on 2 of 2 items, and every
    aux of r leaves r′ in the matching set. Over |supp(r)| alone Sim is 2/2: no false match.
    """
    release = ref.PlainRelease.of(
        2, 6, [(0, 0, 5, None), (0, 1, 5, None), *((1, i, 5, None) for i in range(6))]
    )
    union = ref.record_similarity(release, 0, 1, EXACT)
    assert union == pytest.approx(1 / 3)
    assert theory.is_false_match(union, 0.25, 0.25)
    assert theory.agreement([1.0, 1.0], 0.25) == 1.0
    (runs,) = scoreboard_runs(release, 2, 0.25, targets=[0])
    assert all(run.matching.all() for run in runs)
    assert ref.record_similarity(release, 0, 1, EXACT, over="first") == 1.0


@given(st.one_of(crowded(), sparse()), epsilons, deltas)
@settings(max_examples=examples(40))
def test_theorem_1_is_not_beaten(release: ref.PlainRelease, epsilon: float, delta: float) -> None:
    m = rounded_up(theory.theorem1_attributes(release.n_records, epsilon, delta))
    promised = theory.theorem1(epsilon, delta)
    close = ref.similarity_matrix(release, EXACT, over="first") > 1 - epsilon - delta
    runs = list(scoreboard_runs(release, m, epsilon))
    assert all(run.matching[run.target] for of_one in runs for run in of_one)
    assert mean_over(runs, lambda run: hits(run, close)) >= promised.omega


def false_match_counts(m: int) -> np.ndarray:
    """Matching false matches in 2,000 draws of m of 200 attributes, with 39 hard records about.

    Each of these agrees with the target on 90 attributes, its own: Sim = 0.45 = 1 − ε − δ for
    ε = 0.05, δ = 0.5, so they are as like the target as a false match can be.
    """
    rng = np.random.default_rng(20080518)
    agrees = np.array([rng.permutation(200) < 90 for _ in range(39)])
    draws = [rng.choice(200, m, replace=False) for _ in range(2000)]
    return np.array([agrees[:, chosen].all(axis=1).sum() for chosen in draws])


def test_theorem_1_on_hard_records() -> None:
    """N = 40, ε = 0.05, δ = 0.5: m = ln(800)/ln 2 = 9.6. Ten are enough; six are not.

    A random record of the matching set is right with probability 1/(1 + X). The bound is off by
    some three attributes, so a formula that asked for much less would be found out here.
    """
    m = rounded_up(theory.theorem1_attributes(40, 0.05, 0.5))
    assert m == 10
    assert (1 / (1 + false_match_counts(m))).mean() >= theory.theorem1(0.05, 0.5).omega
    assert (1 / (1 + false_match_counts(6))).mean() < theory.theorem1(0.05, 0.5).omega


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_expected_false_matches_on_hard_records(m: int) -> None:
    """X has mean about 39·0.45^m, the bound is 40·0.5^m: not beaten, and within a factor of two."""
    bound = float(theory.false_matches(40, 0.5, m))
    assert bound / 2 <= false_match_counts(m).mean() <= bound


@given(st.one_of(crowded(), sparse()), deltas, st.integers(1, 8))
@settings(max_examples=examples(40))
def test_no_m_leaves_more_false_matches_than_the_union_bound(
    release: ref.PlainRelease, delta: float, m: int
) -> None:
    epsilon = 0.1
    false = ref.similarity_matrix(release, EXACT, over="first") <= 1 - epsilon - delta
    runs = list(scoreboard_runs(release, m, epsilon))
    found = mean_over(runs, lambda run: int((run.matching & false[run.target]).sum()))
    assert found <= theory.false_matches(release.n_records, delta, m) + 1e-9
    none = mean_over(runs, lambda run: int(not (run.matching & false[run.target]).any()))
    assert none >= theory.theorem1_success(release.n_records, delta, m) - 1e-9


@given(st.one_of(apart(), apart(), sparse()), epsilons)
@settings(max_examples=examples(40))
def test_theorem_2_is_not_beaten_where_twins_are_counted(
    release: ref.PlainRelease, epsilon: float
) -> None:
    """δ is set so that as many records have a twin as (1−ε−δ, ε)-sparsity allows."""
    nearest = np.sort(ref.nearest_neighbour(release, EXACT, over="first")[0])
    twins = int(epsilon * nearest.size)
    delta = no_twin_delta(float(nearest[nearest.size - 1 - twins]), epsilon)
    assert theory.sparsity(nearest, 1 - epsilon - delta) <= epsilon
    m = rounded_up(theory.theorem1_attributes(release.n_records, epsilon, delta))
    itself = np.eye(release.n_records, dtype=bool)
    runs = list(scoreboard_runs(release, m, epsilon))
    assert (
        mean_over(runs, lambda run: hits(run, itself))
        >= theory.theorem2(epsilon, sound=True).omega - 1e-9
    )


@given(apart(), st.sampled_from([1.5, 2.0, 2.5]))
@settings(max_examples=examples(40))
def test_theorem_3_is_not_beaten_without_twins(release: ref.PlainRelease, k: float) -> None:
    epsilon = 0.1
    nearest, _ = ref.nearest_neighbour(release, EXACT, over="first")
    delta = no_twin_delta(float(nearest.max()), epsilon)
    assert theory.sparsity(nearest, 1 - epsilon - delta) == 0
    m = max(rounded_up(theory.theorem3_attributes(release.n_records, k, delta)), 1)
    runs = list(scoreboard_runs(release, m, epsilon))
    itself = np.eye(release.n_records, dtype=bool)
    assert mean_over(runs, lambda run: hits(run, itself)) >= theory.theorem3(k).omega - 1e-9
    bits = mean_over(runs, lambda run: math.log2(run.matching.sum()))
    assert bits <= math.log2(k) + 1e-9
    assert bits <= theory.theorem3_bits(release.n_records, delta, m) + 1e-9


@given(apart(), epsilons)
@settings(max_examples=examples(40))
def test_theorem_4_is_not_beaten_by_absent_targets_without_twins(
    release: ref.PlainRelease, epsilon: float
) -> None:
    """Aux is drawn from the whole D, whose size N sets m; the attack sees D without the target.

    δ is set so that half of the records, the targets here, have no twin.
    """
    nearest, _ = ref.nearest_neighbour(release, EXACT, over="first")
    delta = no_twin_delta(float(np.quantile(nearest, 0.5, method="lower")), epsilon)
    m = rounded_up(theory.theorem1_attributes(release.n_records, epsilon, delta))
    targets = np.flatnonzero(nearest <= 1 - epsilon - delta).tolist()
    no_match = []
    for of_one in scoreboard_runs(release, m, epsilon, targets):
        others = [np.delete(run.matching, run.target) for run in of_one]
        no_match.append(np.mean([not left.any() for left in others]))
    assert np.mean(no_match) >= theory.theorem4(epsilon, delta).omega - 1e-9


def test_theorem_4_needs_there_to_be_no_twin() -> None:
    """Two equal records, one of them absent: the other fits every aux, and is always named."""
    release = dense(np.array([[1, 2, 3], [1, 2, 3], [3, 1, 1]]))
    (runs,) = scoreboard_runs(release, 3, 0.1, targets=[0])
    absent = [not np.delete(run.matching, 0).any() for run in runs]
    assert theory.deanonymized_subset([1.0], absent, 1.0) == 0.0


def test_theorem_5_fails_as_printed() -> None:
    """One hub {A…F} and leaves {A, B}, {C, D}, {E, F}; presence only.

    Sim(hub, leaf) = 2/6 = 0.33, Sim(leaf, leaf) = 0. With ε = 0.3 every record has a neighbour:
    D is not (0.3, 0.9)-sparse. A half of D is 2 records of 4, six ways; the three with the hub have
    a neighbour each, the three without have none. So "not (0.3, δγ/λ)-sparse" has probability
    3/6, where the theorem promises 1 − γ = 0.8 at γ = 0.2. What follows from the mean: N = 4,
    n = 2, μ = 0.9·(1/3) = 0.3, δγ/λ = 0.09, so (0.3 − 0.09)/(1 − 0.09) = 0.2308 ≤ 0.5.
    """
    cells = [(0, i, None, None) for i in range(6)]
    cells += [(1 + i // 2, i, None, None) for i in range(6)]
    release = ref.PlainRelease.of(4, 6, cells)
    nearest, _ = ref.nearest_neighbour(release, ref.Presence())
    assert nearest == pytest.approx([1 / 3] * 4)
    assert theory.sparsity(nearest, 0.3) > 0.9

    least = theory.theorem5_sparsity(delta=0.9, gamma=0.2, lam=2)
    assert least == pytest.approx(0.09)
    assert not_sparse_share(release, 2, 0.3, least) == 0.5
    assert theory.theorem5_sound(4, 0.9, 0.2, 2) == pytest.approx(0.21 / 0.91)


def not_sparse_share(release: ref.PlainRelease, n: int, epsilon: float, delta: float) -> float:
    """Share of the n-subsets of a release that are not (ε, δ)-sparse."""
    matrix = ref.similarity_matrix(release, ref.Presence())
    np.fill_diagonal(matrix, 0.0)
    subsets = list(itertools.combinations(range(release.n_records), n))
    dense_ones = sum(
        theory.sparsity(matrix[np.ix_(chosen, chosen)].max(axis=1), epsilon) > delta
        for chosen in subsets
    )
    return dense_ones / len(subsets)


@given(sparse(), st.sampled_from([0.1, 0.3, 0.5]), st.sampled_from([0.3, 0.6]))
@settings(max_examples=examples(40))
def test_theorem_5_sound_form_is_not_beaten(
    release: ref.PlainRelease, epsilon: float, gamma: float
) -> None:
    n_records = release.n_records
    nearest, _ = ref.nearest_neighbour(release, ref.Presence())
    delta = 0.99 * theory.sparsity(nearest, epsilon)
    assume(delta > 0)
    for n in range(2, n_records + 1):
        least = theory.theorem5_sparsity(delta, gamma, n_records / n)
        bound = theory.theorem5_sound(n_records, delta, gamma, n_records / n)
        assert not_sparse_share(release, n, epsilon, least) >= bound - 1e-9


def test_theorem_1_by_hand() -> None:
    """N = 1024, ε = δ = 1/2: (ln 1024 + ln 2)/ln 2 = 10 + 1 = 11 attributes, for (0, 1/2)."""
    assert theory.theorem1_attributes(1024, 0.5, 0.5) == pytest.approx(11)
    assert theory.theorem1(0.5, 0.5) == Guarantee(0.0, 0.5)
    assert theory.theorem1_success(1024, 0.5, 11) == pytest.approx(0.5)


def test_theorem_1_is_linear_in_1_over_delta_when_delta_is_small() -> None:
    """The paper: for small δ, m = (ln N − ln ε)/δ."""
    exact = theory.theorem1_attributes(480_189, 0.05, 1e-6)
    assert exact == pytest.approx((math.log(480_189) - math.log(0.05)) / 1e-6, rel=1e-5)


def test_theorem_2_by_hand() -> None:
    assert theory.theorem2(0.05) == Guarantee(1.0, 0.95)
    assert theory.theorem2(0.05, sound=True).omega == pytest.approx(0.90)
    assert theory.theorem2(0.75, sound=True).omega == 0.0


def test_theorem_3_by_hand() -> None:
    """N = 1024, δ = 1/2, k = 5: m = ln(1024/4)/ln 2 = 8; a lineup of 5, 1 in 5, log2 5 bits."""
    assert theory.theorem3_attributes(1024, 5, 0.5) == pytest.approx(8)
    assert theory.theorem3(5) == Guarantee(1.0, 0.2)
    assert theory.theorem3_lineup(1024, 0.5, 8) == pytest.approx(5)
    assert theory.theorem3_bits(1024, 0.5, 8) == pytest.approx(math.log2(5))
    assert theory.theorem3_attributes(4, 9, 0.5) == 0.0
    assert theory.theorem3_lineup(1024, 0.5, 0) == 1024


def test_theorem_4_is_theorem_1_on_a_subset() -> None:
    assert theory.theorem4(0.1, 0.2) == theory.theorem1(0.1, 0.2)
    assert theory.theorem4(0.1, 0.2).theta == pytest.approx(0.7)


def test_theorem_5_by_hand() -> None:
    """δ = 0.4, γ = 0.5, λ = 10: δγ/λ = 0.02. As N grows μ → 0.04: 0.02/0.98 = 0.0204."""
    assert theory.theorem5_sparsity(0.4, 0.5, 10) == pytest.approx(0.02)
    assert theory.theorem5_sound(10**9, 0.4, 0.5, 10) == pytest.approx(0.02 / 0.98, rel=1e-6)


def test_the_definitions_by_hand() -> None:
    """Nearest 0.2, 0.5, 0.51: above 0.5 is one of three. Found 1, 0.6, 0: at least 0.6, two of
    three; "no match" said for one absent target of two, so the worse of 2/3 and 1/2.
    """
    assert theory.sparsity([0.2, 0.5, 0.51], 0.5) == pytest.approx(1 / 3)
    assert theory.deanonymized([1.0, 0.6, 0.0], 0.6) == pytest.approx(2 / 3)
    assert theory.deanonymized_subset([1.0, 0.6, 0.0], [True, False], 0.6) == 0.5
    assert theory.entropic_deanonymized([0.0, 3.0]) == 1.5


@given(st.integers(1, 10**6), epsilons, deltas, st.integers(0, 60))
def test_theorem_1_and_its_inverse_agree(n: int, epsilon: float, delta: float, m: int) -> None:
    enough = m >= theory.theorem1_attributes(n, epsilon, delta) + 1e-9
    if enough:
        assert theory.theorem1_success(n, delta, m) >= 1 - epsilon - 1e-9
    assert 0 <= theory.theorem1_success(n, delta, m) <= 1
    assert 1 <= theory.theorem3_lineup(n, delta, m) <= n


@pytest.mark.parametrize("bad", [0.0, 1.0, -0.1, math.nan])
def test_what_is_no_probability_is_refused(bad: float) -> None:
    for call in (
        lambda: theory.theorem1_attributes(10, bad, 0.5),
        lambda: theory.theorem1_attributes(10, 0.5, bad),
        lambda: theory.theorem2(bad),
        lambda: theory.theorem5_sparsity(bad, 0.5, 2),
        lambda: theory.is_false_match(0.5, bad, 0.5),
    ):
        with pytest.raises(ValueError, match="strictly between 0 and 1"):
            call()


def test_other_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        theory.theorem1_attributes(0, 0.5, 0.5)
    with pytest.raises(ValueError, match="more than 1"):
        theory.theorem3(1)
    with pytest.raises(ValueError, match="λ of at least 1"):
        theory.theorem5_sparsity(0.5, 0.5, 0.5)
    with pytest.raises(ValueError, match="at least 2"):
        theory.theorem5_sound(1, 0.5, 0.5, 1)
