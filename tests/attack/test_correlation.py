"""Correlation, worked by hand."""

from __future__ import annotations

import math

import pytest
from attacking import decide
from making import MakeStore, Row
from worked import FILMS, A, B, C, D, E, stored

from sim.attack.algorithms.correlation import Correlation
from sim.attack.engine.similarity import Base2

pytestmark = pytest.mark.fast

CDE = [(C, 4.0, 28), (D, 2.0, 5), (E, 3.0, 7)]


@pytest.mark.parametrize(("lam", "matched"), [(1.5, True), (4.7, True), (4.8, False)])
def test_stands_out_from_all_shorter_by_hand(
    make_store: MakeStore, lam: float, matched: bool
) -> None:
    """Aux of record 3: C (4 d28), D (2 d5), E (3 d7). Δ = 2.81145, 0, 3, 9, 3; lengths 3 2 2 4 1.

    0: C 1 + 2·2^(−2/14). 2: D; 4: E; 3: all three. 4 has none shorter; of length 2, 1 is below
    it and 2 only equals it; 0 is below both. For 3 the shorter are 2.81145, 0, 3, 3: mean
    2.20286, σ² = (7.90425 + 18)/4 − 4.85260 = 1.62346, σ = 1.27415. 3 + 4.7σ = 8.9885; 3 + 4.8σ
    = 9.1159.
    """
    store, aux = stored(make_store, FILMS, 3, *CDE)
    found = decide(store, aux, Correlation(similarity=Base2(), lam=lam))
    assert (found.best_score[0], found.second_score[0], found.target_score[0]) == (9, 3, 9)
    assert found.matched[0] == matched
    assert found.matching[0] == matched
    assert (found.best[0], found.rank[0], found.ties[0]) == (3, 1, 1)
    assert found.correct[0]


def test_several_that_stand_out_by_hand(make_store: MakeStore) -> None:
    """Aux A (4 d11), B (3 d26). 2·2^(−1/14) = 1.90339.

    0: A 0.5 + 1.90339, B 1 + 2·2^(−14/14) = 2; 4.40339. 1: A 1 + 2, B 1 + 1; 5.
    2: A 2^(−3) + 1.90339 = 2.02839. 3: B 2^(−2) + 1 = 1.25. 4: 0. Lengths 3, 2, 2, 4, 1.
    Both 1 and 2 are above 4, the only shorter one: two match, so no match; the best guess is 1.
    """
    store, aux = stored(make_store, FILMS, 0, (A, 4, 11), (B, 3, 26))
    found = decide(store, aux, Correlation(similarity=Base2()))
    assert found.best_score[0] == 5
    assert found.second_score[0] == found.target_score[0] == pytest.approx(4.40339, abs=1e-5)
    assert (found.best[0], found.matching[0], found.rank[0]) == (1, 2, 2)
    assert not found.matched[0]
    assert not found.correct[0]


LONGER: list[Row] = [
    (0, 3, 1.0, None),
    (1, 0, 5.0, None), (1, 3, 1.0, None),
    (2, 0, 5.0, None), (2, 1, 4.0, None), (2, 2, 1.0, None),
]  # fmt: skip


def test_a_longer_record_may_score_more_and_not_match(make_store: MakeStore) -> None:
    """Aux items 0 and 1 known as 5, 5. Δ = 0, 1, 1 + 2^(−1) = 1.5; lengths 1, 2, 3.

    1: shorter 0; 1 > 0. 2: shorter 0, 1; 1 + 1.5·0.5 = 1.75 > 1.5. The one match is record 1,
    though record 2 scores best.
    """
    store, aux = stored(make_store, LONGER, 1, (0, 5, None), (1, 5, None))
    found = decide(store, aux, Correlation(similarity=Base2()))
    assert (found.best[0], found.best_score[0], found.matching[0]) == (1, 1.5, 1)
    assert found.matched[0]
    assert found.correct[0]
    assert found.rank[0] == 2


def test_an_absent_record_is_no_bar_to_the_others(make_store: MakeStore) -> None:
    """Without record 1, 2 has only 0 below it: 1.5 > 0, σ = 0: the one match, and wrong."""
    store, aux = stored(make_store, LONGER, 1, (0, 5, None), (1, 5, None), absent=True)
    found = decide(store, aux, Correlation(similarity=Base2()))
    assert (found.best[0], found.matching[0], found.candidates[0]) == (2, 1, 2)
    assert found.matched[0]
    assert not found.correct[0]


def test_entropy_by_hand(make_store: MakeStore) -> None:
    """Δ = 0, 1, 1.5: mean 5/6, σ² = 3.25/3 − 25/36 = 7/18. H(1) = log2 Σ e^(s/σ) − 1/(σ ln 2).

    Over the two that share an item σ = 0.25.
    """
    store, aux = stored(make_store, LONGER, 1, (0, 5, None), (1, 5, None))
    found = decide(store, aux, Correlation(similarity=Base2(), entropy=True, both_sigmas=True))
    assert found.sigma[0] == pytest.approx(math.sqrt(7 / 18))
    for bits, sigma in (
        (found.entropy_bits[0], math.sqrt(7 / 18)),
        (found.entropy_bits_other[0], 0.25),
    ):
        mass = sum(math.exp(s / sigma) for s in (0, 1, 1.5))
        assert bits == pytest.approx(math.log2(mass) - 1 / sigma / math.log(2))


def test_all_equal_is_no_match(make_store: MakeStore) -> None:
    """Every record holds item 0 alike, records grow: each merely equals the shorter ones."""
    rows: list[Row] = [(r, i, 0.3, None) for r in range(6) for i in range(r + 1)]
    store, aux = stored(make_store, rows, 0, (0, 1.1, None))
    for lam in (0.0, 1.5):
        found = decide(store, aux, Correlation(similarity=Base2(), lam=lam))
        assert (found.matching[0], found.ties[0], found.best[0]) == (0, 6, -1)
        assert not found.matched[0]


@pytest.mark.parametrize("n", [6, 7, 8, 11])
def test_equal_scores_have_no_spread(make_store: MakeStore, n: int) -> None:
    """n records score 2^(−0.1) each, whose σ is 0: sums of squares would make it 1.5e−8.

    A longer one adds 2·2^(−420/14) = 1.9e−9, for a date 420 days off: it stands out.
    """
    rows: list[Row] = [(r, 0, 5.0, 420) for r in range(n + 1)] + [(n, 1, 5.0, 420)]
    store, aux = stored(make_store, rows, n, (0, 5.1, None), (1, None, 0))
    found = decide(store, aux, Correlation(similarity=Base2(), lam=1.5))
    assert found.best_score[0] - found.second_score[0] == pytest.approx(2**-29, rel=1e-6)
    assert (found.matching[0], found.best[0]) == (1, n)
    assert found.matched[0]
