"""The attacks on mentions and the baselines, worked by hand."""

from __future__ import annotations

import math

import pytest
from attacking import aux_of, decide
from making import MakeStore, Row
from worked import FILMS, KNOWN_AC, A, C, stored

from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf

pytestmark = pytest.mark.fast

ANY_LENGTH = {"max_length_share": None}


def test_tf_idf_by_hand(make_store: MakeStore) -> None:
    """log2(5/3) = 0.73697 for A, B; log2(5/2) = 1.32193 for C, D, E. Squares 0.54312, 1.74749.

    Aux {A, C}: √2.29061 = 1.51348. 0: 2.29061/(1.51348·√2.83373) = 0.89908.
    1: 0.54312/(1.51348·√1.08624) = 0.34432. 2 {A, D}: 0.54312/2.29061 = 0.23711.
    3 {B, C, D, E}: 1.74749/(1.51348·√5.78559) = 0.48003. 4: 0. An item that nobody holds is left
    out. Mean 0.39211, squares 1.21355/5 − 0.15375, σ = 0.29826.
    """
    for more in ([], [(-1, None, None)]):
        store, aux = stored(make_store, FILMS, 1, *KNOWN_AC, *more)
        found = decide(store, aux, TfIdf())
        assert found.best_score[0] == pytest.approx(0.89908, abs=1e-5)
        assert found.second_score[0] == pytest.approx(0.48003, abs=1e-5)
        assert found.target_score[0] == pytest.approx(0.34432, abs=1e-5)
        assert (found.best[0], found.rank[0]) == (0, 3)
        assert found.sigma[0] == pytest.approx(0.29826, abs=1e-5)
        assert found.eccentricity[0] == pytest.approx((0.89908 - 0.48003) / 0.29826, abs=1e-4)
        assert not found.matched[0]  # 1.4050 is not above 1.5


def test_tf_idf_without_the_target_by_hand(make_store: MakeStore) -> None:
    """Record 0 removed: N = 4, supports A 2, B 2, C 1, D 2, E 2; idf 1, 1, 2, 1, 1.

    Aux √5. 1 {A, B}: 1/√10 = 0.31623, and 2 {A, D} too. 3 {B, C, D, E}: 4/√35 = 0.67612. 4: 0.
    """
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC, absent=True)
    found = decide(store, aux, TfIdf())
    assert found.best_score[0] == pytest.approx(4 / math.sqrt(35))
    assert found.second_score[0] == pytest.approx(1 / math.sqrt(10))
    assert (found.best[0], found.ties[0], found.candidates[0], found.rank[0]) == (3, 1, 4, 0)


def test_tf_idf_of_what_everybody_holds(make_store: MakeStore) -> None:
    """log2(2/2) = 0: a null vector has no angle, and scores 0."""
    rows: list[Row] = [(0, 0, None, None), (1, 0, None, None), (1, 1, None, None)]
    store, aux = stored(make_store, rows, 0, (0, None, None))
    found = decide(store, aux, TfIdf())
    assert (found.best_score[0], found.ties[0], found.eccentricity[0]) == (0, 2, 0)
    store, aux = stored(make_store, rows, 0, (0, None, None), (1, None, None))
    assert decide(store, aux, TfIdf()).best_score[0] == 1


def test_scoring_by_hand(make_store: MakeStore) -> None:
    """A: 1 − 2/5 = 0.6; C: 1 − 1/5 = 0.8. 0: 0.48. 1, 2: 0.6·0.05. 3: 0.05·0.8. 4: 0.05².

    Mean 0.1165, squares 0.23380625/5 − 0.01357225 = 0.033189, σ = 0.182178, e = 0.44/σ = 2.41522.
    The four that share an item: mean 0.145, 0.2338/4 − 0.021025 = 0.037425, σ = 0.193455.
    """
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC)
    found = decide(store, aux, Scoring(**ANY_LENGTH))
    assert found.best_score[0] == pytest.approx(0.48)
    assert found.second_score[0] == pytest.approx(0.04)
    assert found.sigma[0] == pytest.approx(0.182178, abs=1e-6)
    assert found.eccentricity[0] == pytest.approx(2.41522, abs=1e-5)
    assert found.matched[0]
    assert found.correct[0]
    nonzero = decide(store, aux, Scoring(sigma="nonzero", **ANY_LENGTH))
    assert nonzero.sigma[0] == pytest.approx(0.193455, abs=1e-6)


def test_scoring_without_the_target_by_hand(make_store: MakeStore) -> None:
    """Record 0 removed: N = 4. A: 1 − 1/4; C: 1 − 0. 1, 2: 0.75·0.05. 3: 0.05·1. 4: 0.05²."""
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC, absent=True)
    found = decide(store, aux, Scoring(**ANY_LENGTH))
    assert found.best_score[0] == pytest.approx(0.05)
    assert found.second_score[0] == pytest.approx(0.0375)
    assert (found.best[0], found.ties[0], found.rank[0]) == (3, 1, 0)


@pytest.mark.parametrize(("share", "candidates", "best"), [(0.6, 4, 0), (0.4, 3, -1), (0.2, 1, -1)])
def test_long_records_are_no_candidates(
    make_store: MakeStore, share: float, candidates: int, best: int
) -> None:
    """Lengths 3, 2, 2, 4, 1 of five items. 0.6: all but 3. 0.4: 1, 2, 4, of which 1 and 2 tie.

    0.2: 4 alone, which shares nothing. The target, 0, has a rank only if it is a candidate.
    """
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC)
    found = decide(store, aux, Scoring(max_length_share=share))
    assert (found.candidates[0], found.best[0]) == (candidates, best)
    assert found.rank[0] == (1 if share == 0.6 else 0)


@pytest.mark.parametrize(("delta", "ties", "rank"), [(0.0, 1, 5), (1.0, 2, 2)])
def test_scoring_rated_by_hand(make_store: MakeStore, delta: float, ties: int, rank: int) -> None:
    """A known as 4. Exact: only 1 holds it so, 0.6, and all others 0.05. Fuzzy: 0 (5) as well."""
    store, aux = stored(make_store, FILMS, 0, (A, 4, None))
    found = decide(store, aux, ScoringRated(delta=delta, **ANY_LENGTH))
    assert found.best_score[0] == pytest.approx(0.6)
    assert (found.ties[0], found.rank[0]) == (ties, rank)
    assert found.best[0] == (1 if ties == 1 else -1)


@pytest.mark.parametrize("k", [200, 1000])
def test_hundreds_of_mentions_by_hand(make_store: MakeStore, k: int) -> None:
    """3k mentions: record 0 holds 2k of them, record 1 the others, eight records hold none.

    Supports are 1, so a held item counts 1: 0.05^k, 0.05^(2k), and 0.05^(3k) eight times. Over the
    best that is 1 and nine times 0 to any digit: σ² = 1/10 − 1/100, e = 1/0.3, H(0) = log2(1 +
    9·e^(−1/0.3)). 0.05^200 has a square below the least float, 0.05^1000 is so itself.
    """
    rows: list[Row] = [(int(i >= 2 * k), i, None, None) for i in range(3 * k)]
    rows += [(2 + r, 3 * k + r, None, None) for r in range(8)]
    store = make_store(rows, block_records=4)
    for target, rank in ((0, 1), (1, 2), (2, 10)):
        aux = aux_of(store, target, *((i, None, None) for i in range(3 * k)))
        found = decide(store, aux, Scoring(entropy=True, **ANY_LENGTH))
        assert (found.best[0], found.ties[0], found.rank[0]) == (0, 1, rank)
        assert found.best_score[0] == pytest.approx(0.05**k)
        assert found.eccentricity[0] == pytest.approx(1 / 0.3)
        assert found.matched[0]
        if target == 0:
            bits = math.log2(1 + 9 * math.exp(-1 / 0.3))
            assert found.entropy_bits[0] == pytest.approx(bits)


def test_the_worked_example_of_f06(make_store: MakeStore) -> None:
    """Section 4.3: 10,000 users; A, B, C rated 20, 500 and 1,000 times.

    u1 rated A: 0.9981·0.05·0.05 = 0.0025; u2 rated B and C: 0.05·0.9501·0.9001 = 0.043. Everybody
    rated a fourth item, so that there are 10,000.
    """
    rows: list[Row] = [(0, 0, None, None), (1, 1, None, None), (1, 2, None, None)]
    for item, count in enumerate([20, 500, 1000]):
        rows += [(r, item, None, None) for r in range(2, 2 + count - 1)]
    rows += [(r, 3, None, None) for r in range(10_000)]
    store = make_store(sorted(rows), block_records=3000)
    assert store.support.tolist() == [20, 500, 1000, 10_000]
    for target, expected in ((0, 0.9981 * 0.05 * 0.05), (1, 0.05 * 0.9501 * 0.9001)):
        aux = aux_of(store, target, *((i, None, None) for i in range(3)))
        found = decide(store, aux, Scoring(**ANY_LENGTH))
        assert found.target_score[0] == pytest.approx(expected)


def test_baselines_by_hand(make_store: MakeStore) -> None:
    """Everyone ties for the random guess: rank 5, log2 5 bits. Lengths 3, 2, 2, 4, 1: 3 is longest.

    Lengths: mean 2.4, squares 34/5 − 5.76 = 1.04, e = 1/√1.04. Without 3: 0 is.
    """
    store, aux = stored(make_store, FILMS, 0, (C, 4, 29))
    guess = decide(store, aux, RandomGuess(entropy=True))
    assert (guess.ties[0], guess.rank[0], guess.best[0]) == (5, 5, -1)
    assert (guess.sigma[0], guess.eccentricity[0]) == (0, 0)
    assert guess.entropy_bits[0] == guess.entropy_all_bits[0] == pytest.approx(math.log2(5))
    longest = decide(store, aux, LongestRecord())
    assert (longest.best[0], longest.rank[0], longest.best_score[0]) == (3, 2, 4)
    assert longest.eccentricity[0] == pytest.approx(1 / math.sqrt(1.04))
    # C is held by 0 and 3 alone: lengths 3 and 4, σ = 0.5.
    nonzero = decide(store, aux, LongestRecord(sigma="nonzero"))
    assert nonzero.sigma[0] == 0.5
    store, aux = stored(make_store, FILMS, 3, (C, 4, 29), absent=True)
    without = decide(store, aux, LongestRecord())
    assert (without.best[0], without.best_score[0], without.second_score[0]) == (0, 3, 2)
