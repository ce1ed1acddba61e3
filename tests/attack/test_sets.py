"""Attacks whose answer is a set, worked by hand on `worked.FILMS`."""

from __future__ import annotations

import math

import pytest
from attacking import decide
from making import MakeStore
from worked import FILMS, KNOWN_AC, A, B, E, stored

from sim.attack.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.similarity import Exponential, Presence, Threshold


def test_scoreboard_by_hand(make_store: MakeStore) -> None:
    """Values 0, days ±3. 0: min(1, 1). 3 lacks A; 1 and 2 lack C; 4 lacks both: 1, 0, 0, 0, 0.

    The set {0} is a match: no bits. Mean 0.2, σ² = 0.2 − 0.04, e = 1/0.4.
    """
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC)
    found = decide(store, aux, Scoreboard(similarity=Threshold(0, 3)))
    assert (found.best[0], found.best_score[0], found.second_score[0]) == (0, 1, 0)
    assert (found.listed[0], found.rank[0], found.ties[0], found.candidates[0]) == (1, 1, 1, 5)
    assert found.sigma[0] == pytest.approx(0.4)
    assert found.eccentricity[0] == pytest.approx(2.5)
    assert found.matched[0]
    assert found.correct[0]
    assert (found.entropy_bits[0], found.entropy_all_bits[0]) == (0, 0)


@pytest.mark.parametrize(("alpha", "size"), [(0.0, 2), (1.0, 2), (1.5, 1), (2.0, 0)])
def test_scoreboard_alpha_by_hand(make_store: MakeStore, alpha: float, size: int) -> None:
    """Exponential, A (5 d10), B (3 d12). 0: min(2, 2). 1: A e^(−1/1.5) + e^(−1/30) = 1.48063,
    B 1 + e^(−28/30) = 1.39324, so 1.39324. The rest lack one: 2, 1.39324, 0, 0, 0.

    Above α 0 and 1: {0, 1}, 1 bit; 1.5: {0}; 2: nobody, log2 5 bits.
    """
    store, aux = stored(make_store, FILMS, 0, (A, 5, 10), (B, 3, 12))
    found = decide(store, aux, Scoreboard(similarity=Exponential(), alpha=alpha))
    assert found.best_score[0] == 2
    assert found.second_score[0] == pytest.approx(1.39324, abs=1e-5)
    assert found.listed[0] == size
    assert found.matched[0] == (size == 1)
    assert found.best[0] == (0 if size else -1)
    assert found.entropy_bits[0] == pytest.approx(math.log2(size or 5))
    assert found.entropy_all_bits[0] == found.entropy_bits[0]


@pytest.mark.parametrize("attack", [Scoreboard(similarity=Presence()), SetIntersection()])
def test_an_item_that_nobody_holds_shuts_everyone_out(make_store: MakeStore, attack) -> None:  # type: ignore[no-untyped-def]
    """All score 0: no likely list, no best guess, five tied, log2 5 bits."""
    store, aux = stored(make_store, FILMS, 0, (A, None, None), (-1, None, None))
    found = decide(store, aux, attack)
    assert (found.best[0], found.listed[0], found.ties[0], found.rank[0]) == (-1, 0, 5, 5)
    assert not found.matched[0]
    assert (found.sigma[0], found.eccentricity[0]) == (0, 0)
    assert found.entropy_bits[0] == pytest.approx(math.log2(5))


def test_scoreboard_without_the_target_by_hand(make_store: MakeStore) -> None:
    """Record 0 removed: nobody else holds A and C; four are left, and no rank."""
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC, absent=True)
    found = decide(store, aux, Scoreboard(similarity=Threshold(0, 3)))
    assert (found.candidates[0], found.listed[0], found.best[0]) == (4, 0, -1)
    assert (found.rank[0], found.above[0]) == (0, 0)
    assert math.isnan(found.target_score[0])
    assert math.isnan(found.entropy_bits[0])
    assert found.entropy_all_bits[0] == 2
    assert not found.correct[0]


def test_set_intersection_by_hand(make_store: MakeStore) -> None:
    """A and B: 0 and 1; 1 bit for either. Target 3 is not in the set: rank 5, log2 5 bits."""
    for target, rank, bits in ((0, 2, 1.0), (1, 2, 1.0), (3, 5, math.log2(5))):
        store, aux = stored(make_store, FILMS, target, (A, None, None), (B, None, None))
        found = decide(store, aux, SetIntersection())
        assert (found.listed[0], found.ties[0], found.best[0]) == (2, 2, -1)
        assert (found.rank[0], found.above[0]) == (rank, 0 if rank == 2 else 2)
        assert found.entropy_bits[0] == pytest.approx(bits)
        assert found.entropy_all_bits[0] == 1
        assert not found.matched[0]


@pytest.mark.parametrize(
    ("delta_value", "delta_day", "size"), [(0, 0, 1), (0.5, 0.5, 2), (1, 0.5, 4), (1, 1, 5)]
)
def test_neighbourhood_by_hand(
    make_store: MakeStore, delta_value: float, delta_day: float, size: int
) -> None:
    """A (5 d10), C (4 d29), values 0, days ±3. All of it right: record 0 only.

    One of two (δ = 1/2). Values right: 0 both, 3 C; days right: 0 both, 1 A (d11), 2 A, 3 C.
    Both: 0 and 3. Values not looked at (δ_r = 1): 0 to 3. Nothing looked at: 4 too.
    """
    store, aux = stored(make_store, FILMS, 0, *KNOWN_AC)
    attack = Neighbourhood(delta_value=delta_value, delta_day=delta_day)
    found = decide(store, aux, attack)
    assert (found.listed[0], found.rank[0], found.ties[0]) == (size, size, size)
    assert found.matched[0] == (size == 1)
    assert found.entropy_bits[0] == pytest.approx(math.log2(size))


def test_values_and_days_may_fail_on_different_items(make_store: MakeStore) -> None:
    """Item 0 right by value only, item 1 by day only: one value and one day of two."""
    rows = [(0, 0, 5.0, 90), (0, 1, 1.0, 10), (1, 1, 5.0, 10)]
    store, aux = stored(make_store, rows, 0, (0, 5, 10), (1, 5, 10))
    found = decide(store, aux, Neighbourhood(delta_value=0.5, delta_day=0.5))
    assert found.listed[0] == 2
    assert decide(store, aux, Neighbourhood()).listed[0] == 0


@pytest.mark.parametrize(("m", "right"), [(3, 1), (6, 5), (8, 6), (10, 3), (10, 7)])
def test_m_of_m_prime_is_reached_exactly(make_store: MakeStore, m: int, right: int) -> None:
    """(1 − δ)·m′ must not ask for one more by rounding: δ = (m′ − m)/m′."""
    rows = [(0, i, 5.0 if i < right else 1.0, None) for i in range(m)]
    rows += [(1, i, 5.0 if i < right - 1 else 1.0, None) for i in range(m)]
    store, aux = stored(make_store, rows, 0, *((i, 5, None) for i in range(m)))
    delta = (m - right) / m
    found = decide(store, aux, Neighbourhood(delta_value=delta, delta_day=delta))
    assert (found.listed[0], found.best[0]) == (1, 0)


def test_missing_parts_pass_where_the_item_is_held(make_store: MakeStore) -> None:
    """E is held by 3 and 4; A and B by 0 and 1. Nothing is known of values or days."""
    store, aux = stored(make_store, FILMS, 4, (E, None, None))
    assert decide(store, aux, Neighbourhood(eps_value=0, eps_day=0)).listed[0] == 2
    assert decide(store, aux, Scoreboard(similarity=Threshold(0, 0))).listed[0] == 2
