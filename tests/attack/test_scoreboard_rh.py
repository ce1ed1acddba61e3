"""Scoreboard-RH, block by block, against the reference implementation on the dense release."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from attacking import aux_of, decide, of_release
from hypothesis import given
from hypothesis import strategies as st
from making import MakeStore, Row, plain, plain_aux, random_rows

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.similarity import (
    Base2,
    Exponential,
    Presence,
    Similarity,
    Steps,
    Threshold,
)
from sim.attack.kernels.partials import total
from sim.errors import GridError
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

SIMILARITIES: list[tuple[Similarity, object]] = [
    (Exponential(1.5, 30), reference.Exponential(1.5, 30)),
    (Exponential(0.5, 3), reference.Exponential(0.5, 3)),
    (Threshold(1, 3), reference.Threshold(1, 3)),
]


@pytest.mark.parametrize("similarity", [Exponential(), Base2(), Base2(alpha=1.0), Steps()])
def test_an_item_alone_is_scored_by_presence(make_store: MakeStore, similarity: Similarity) -> None:
    """With neither values nor dates known, all decisions are those of similarity=presence."""
    store = make_store(random_rows(4))
    drawn = draw_aux(store, Knowledge(2, 3, None, None, wrong="item"), 0, np.arange(20), 1)
    one, other = (
        decide(store, drawn, ScoreboardRH(similarity=kind, entropy=True))
        for kind in (similarity, Presence())
    )
    for name in Decisions.__slots__:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.sigma > 0).all()


def check(store: Store, drawn: Drawn, attack: ScoreboardRH, oracle: object) -> None:
    """Every decision is the reference's: to the bit, but for the rounding of σ."""
    found = decide(store, drawn, attack)
    release = plain(store)
    for unit in range(len(drawn)):
        one = plain_aux(drawn, unit)
        scores = reference.scoreboard_rh(release, one, oracle, attack.weight)
        among = None if attack.sigma == "all" else reference.overlaps(release, one)
        expected = reference.eccentricity(scores, among=among)
        target = int(drawn.truth.target[unit])
        ordered = np.sort(scores)[::-1]
        assert found.best_score[unit] == ordered[0]
        assert found.target_score[unit] == scores[target]
        assert found.rank[unit] == (scores >= scores[target]).sum()
        assert found.ties[unit] == expected.ties
        if scores.size > 1:
            assert found.second_score[unit] == ordered[1]
            assert found.sigma[unit] == pytest.approx(expected.sigma, rel=1e-9, abs=1e-12)
        else:
            assert np.isnan(found.second_score[unit])
        # Where σ is all but zero its rounding shows in the quotient.
        if not expected.sigma < 1e-6:
            assert found.eccentricity[unit] == pytest.approx(
                expected.value, rel=1e-6, abs=1e-12, nan_ok=True
            )
            if abs(expected.value - attack.phi) > 1e-6 or math.isnan(expected.value):
                assert found.matched[unit] == reference.is_match(expected, attack.phi)
        assert (expected.sigma == 0) == (found.sigma[unit] == 0) or scores.size == 1
        shares = reference.overlaps(release, one).any()
        unique = expected.ties == 1 and shares
        assert found.best[unit] == (expected.best if unique else -1)
        assert found.correct[unit] == (unique and expected.best == target)


@given(
    seed=st.integers(0, 10_000),
    records=st.integers(1, 30),
    items=st.integers(1, 12),
    block=st.integers(1, 30),
    values=st.booleans(),
    days=st.booleans(),
    missing=st.sampled_from([0.0, 0.3]),
    similar=st.sampled_from(SIMILARITIES),
    sigma=st.sampled_from(["all", "nonzero"]),
    weight=st.sampled_from(["log", "log1p"]),
    noise=st.sampled_from([(0, 0), (1, 3), (1, None), (None, 14), (None, None)]),
    correct=st.integers(0, 3),
    wrong=st.sampled_from(["value", "item"]),
    low=st.sampled_from([0, 2]),
)
def test_matches_the_reference(
    make_store: MakeStore, seed: int, records: int, items: int, block: int, values: bool,
    days: bool, missing: float, similar: tuple[Similarity, object], sigma: str, weight: str,
    noise: tuple[float | None, int | None], correct: int, wrong: str, low: int,
) -> None:  # fmt: skip
    rows = random_rows(seed, records, items, 3 * records, values, days, missing)
    store = make_store(rows, block_records=block)
    knowledge = Knowledge(
        min(correct, 3), 3,
        noise[0] if values else None, noise[1] if days else None, Window(low), wrong,
    )  # fmt: skip
    held = np.zeros(store.manifest.n_records, bool)
    for index in range(store.manifest.n_blocks):
        b = store.block(index)
        for row in range(b.n_records):
            own = b.record_item[b.record_start[row] : b.record_start[row + 1]]
            held[b.first + row] = (store.rank[own] >= low).sum() >= 3
    try:
        drawn = draw_aux(store, knowledge, 0, np.flatnonzero(held), seed)
    except GridError:
        return  # nothing can be wrong in this release; tests of the adversary look at that
    check(store, drawn, ScoreboardRH(similarity=similar[0], sigma=sigma, weight=weight), similar[1])


WORKED: list[Row] = [
    (1, 1, 5.0, 0),
    (1, 2, 3.0, 30),
    (2, 1, 5.0, 30),
    (3, 2, 3.0, 60),
    (4, 3, 1.0, 9),
]


def test_worked_example(make_store: MakeStore) -> None:
    """Aux of record 1: item 1, value 5, day 0; item 2, value 3, day 30. ρ0 = 1.5, d0 = 30.

    Both items have support 2, so both weigh 1/ln 2 = 1.4427.
    Record 1: 1.4427·(1 + 1) twice           = 5.7708
    Record 2: 1.4427·(1 + e^(−30/30))        = 1.9734
    Record 3: 1.4427·(1 + e^(−30/30))        = 1.9734
    Record 4: holds neither                  = 0
    mean 2.4294, σ = 2.0906 over all four; e = (5.7708 − 1.9734)/2.0906 = 1.8164 > 1.5.
    Over the three that share an item, σ = 1.7901 and e = 2.1213 = 3/√2.
    """
    store = make_store(WORKED)
    drawn = aux_of(store, 0, (0, 5.0, 0), (1, 3.0, 30))
    found = decide(store, drawn, ScoreboardRH(similarity=Exponential()))
    assert found.best_score[0] == pytest.approx(5.7708, abs=1e-4)
    assert found.second_score[0] == pytest.approx(1.9734, abs=1e-4)
    assert found.sigma[0] == pytest.approx(2.0906, abs=1e-4)
    assert found.eccentricity[0] == pytest.approx(1.8164, abs=1e-4)
    assert (found.best[0], found.rank[0], found.ties[0]) == (0, 1, 1)
    assert found.matched[0]
    assert found.correct[0]
    nonzero = decide(store, drawn, ScoreboardRH(similarity=Exponential(), sigma="nonzero"))
    assert nonzero.eccentricity[0] == pytest.approx(3 / math.sqrt(2))


@pytest.mark.parametrize("sigma", ["all", "nonzero"])
@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ([(1, 1, 5.0, 0)], [(0, 5.0, 0)]),  # one candidate
        ([(1, 1, 5.0, 0), (2, 1, 5.0, 0)], [(0, 5.0, 0)]),  # all equal: σ = 0
        ([(1, 1, 5.0, 0), (2, 2, 5.0, 0)], [(0, 5.0, 0)]),  # one overlapping record
        ([(1, 1, 5.0, 0), (2, 2, 5.0, 0), (3, 3, 1.0, 9)], [(-1, 5.0, 0)]),  # unknown item only
        (WORKED, [(1, None, None), (0, 1.0, 900)]),
        (WORKED, [(2, 1.0, -900)]),
        ([(r, 1, 4.0, 0) for r in range(9)] + [(9, 2, 1.0, 5)], [(0, 4.0, 0)]),  # nine tied
    ],
)
def test_edges(
    make_store: MakeStore, rows: list[Row], facts: list[tuple[int, float, int]], sigma: str
) -> None:
    for block_records in (1, 2, 100):
        store = make_store(rows)
        drawn = aux_of(store, 0, *facts)
        split = make_store(rows, block_records=block_records)
        for similarity, oracle in SIMILARITIES:
            check(split, drawn, ScoreboardRH(similarity=similarity, sigma=sigma), oracle)


def test_blocks_merge_in_any_order(make_store: MakeStore) -> None:
    store = make_store(random_rows(5, records=60, cells=500), block_records=8)
    targets = np.flatnonzero(store.length >= 4)
    drawn = draw_aux(store, Knowledge(3, 4, 1, 3), 0, targets, 9)
    attack = ScoreboardRH(similarity=Exponential())
    whole = of_release(store, drawn, attack)
    rng = np.random.default_rng(0)
    for _ in range(5):
        order = rng.permutation(store.manifest.n_blocks).tolist()
        halves = [attack.partials(store, part, drawn, 0, None) for part in (order[:3], order[3:])]
        parts = {first: part for (first, _), part in (halves[1] | halves[0]).items()}
        assert total(parts).tobytes() == whole.tobytes()
