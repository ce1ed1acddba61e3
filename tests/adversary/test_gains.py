"""Missing values, record lengths and removed targets: what they change, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from drawing import columns
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows
from scipy.stats import binomtest, kstest

from sim.adversary.aux import ANY_LENGTH, Drawn
from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.knowledge import Knowledge
from sim.errors import GridError
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

SHARES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])
BOUNDS = st.none() | st.sampled_from([0.0, 0.01, 0.3, 0.5, 0.999])


def everyone(store: Store, knowledge: Knowledge, seed: int) -> Drawn:
    targets = np.flatnonzero(Sampling(knowledge).eligible(store, seed))
    return draw_aux(store, knowledge, 0, targets, seed)


def differing(one: Drawn, other: Drawn) -> set[str]:
    """Fields in which two batches differ."""
    return {
        name
        for name, column in columns(one).items()
        if not np.array_equal(column, columns(other)[name], equal_nan=name == "value")
    }


@settings(max_examples=examples(60))
@given(
    release=st.integers(0, 1000),
    size=st.integers(1, 4),
    wrong=st.sampled_from([None, "value", "item"]),
    missing=SHARES,
    more=SHARES,
    length=BOUNDS,
    present=st.booleans(),
    seed=st.integers(0, 2**64 - 1),
)
def test_each_changes_its_own_part_alone(
    make_store: MakeStore, release: int, size: int, wrong: str | None, missing: float,
    more: float, length: float | None, present: bool, seed: int,
) -> None:  # fmt: skip
    store = make_store(random_rows(release, missing=0.0 if wrong == "value" else 0.2))
    plain = Knowledge(size - (wrong is not None), size, 1, 3, wrong=wrong or "value")  # type: ignore[arg-type]
    base = everyone(store, plain, seed)

    withheld = everyone(store, replace(plain, missing=missing), seed)
    assert differing(base, withheld) <= {"value"}
    gone = np.isnan(withheld.aux.value)
    assert gone[np.isnan(base.aux.value)].all()
    np.testing.assert_array_equal(withheld.aux.value[~gone], base.aux.value[~gone])
    if missing in (0, 1):
        assert (gone == (np.isnan(base.aux.value) | (missing == 1))).all()
    if more >= missing:  # what is missing stays missing when more is
        assert np.isnan(everyone(store, replace(plain, missing=more), seed).aux.value)[gone].all()

    bounded = everyone(store, replace(plain, record_length=length), seed)
    assert differing(base, bounded) <= {"shortest", "longest"}
    true = store.length[bounded.truth.target]
    assert (bounded.candidates.shortest <= true).all()
    assert (true <= bounded.candidates.longest).all()
    if length is None:
        assert (bounded.candidates.shortest == 0).all()
        assert (bounded.candidates.longest == ANY_LENGTH).all()
    elif length == 0:
        assert (bounded.candidates.shortest == true).all()
        assert (bounded.candidates.longest == true).all()
    else:
        # A noisy length there is that all admitted lengths could have given.
        low = np.maximum(bounded.candidates.longest, true) * (1 - length)
        high = bounded.candidates.shortest * (1 + length)
        assert (low <= high + 1e-6).all()
        assert (low <= true * (1 + length) + 1e-6).all()
        assert (high >= true * (1 - length) - 1e-6).all()

    removed = everyone(store, replace(plain, present=present), seed)
    assert differing(base, removed) <= {"absent"}
    assert (removed.truth.absent == (not present)).all()


def test_values_are_missing_as_often_as_asked(make_store: MakeStore) -> None:
    store = make_store(random_rows(1, records=400, items=60, cells=6000))
    drawn = everyone(store, Knowledge(5, 5, 0, None, missing=0.3), 1)
    gone = np.isnan(drawn.aux.value).reshape(-1, 5)
    assert gone.shape[0] > 300
    assert binomtest(int(gone.sum()), gone.size, 0.3).pvalue > 1e-4
    # Facts of one target lose their values independently.
    both = int((gone[:, 0] & gone[:, 1]).sum())
    assert binomtest(both, gone.shape[0], 0.09).pvalue > 1e-4


def test_the_noisy_length_is_uniform(make_store: MakeStore) -> None:
    """A record of 1,000 items within ±20%: the bounds give the noise back."""
    rows = [(1, item, None, None) for item in range(1000)]
    store = make_store([*rows, (2, 1, None, None)])
    several = [everyone(store, Knowledge(2, 2, record_length=0.2), seed) for seed in range(400)]
    noisy = np.array([drawn.candidates.shortest[0] * 1.2 for drawn in several])
    assert kstest(noisy, "uniform", (800, 400)).pvalue > 1e-4
    for drawn, guess in zip(several, noisy.tolist(), strict=True):
        assert abs(drawn.candidates.longest[0] - guess / 0.8) <= 2.5


@pytest.mark.parametrize(
    ("true", "p", "shortest", "longest"),
    [(10, 0.5, (4, 10), (10, 30)), (1, 0.5, (1, 1), (1, 3)), (7, 0.0, (7, 7), (7, 7))],
)
def test_lengths_by_hand(
    make_store: MakeStore,
    true: int,
    p: float,
    shortest: tuple[int, int],
    longest: tuple[int, int],
) -> None:
    """L is from len·(1 − p) to len·(1 + p); ⌈L/(1 + p)⌉ and ⌊L/(1 − p)⌋ follow."""
    store = make_store([(1, item, None, None) for item in range(true)] + [(2, 1, None, None)])
    for seed in range(50):
        drawn = draw_aux(store, Knowledge(1, 1, record_length=p), 0, np.array([0]), seed)
        assert shortest[0] <= drawn.candidates.shortest[0] <= shortest[1]
        assert longest[0] <= drawn.candidates.longest[0] <= longest[1]
        assert drawn.candidates.shortest[0] >= math.ceil(true * (1 - p) / (1 + p))


def test_the_only_record_cannot_be_removed(make_store: MakeStore) -> None:
    store = make_store([(1, 1, 3.0, 5), (1, 2, 3.0, 5)])
    gone = Knowledge(1, 1, present=False)
    for ask in (
        lambda: Sampling(gone).eligible(store, 1),
        lambda: draw_aux(store, gone, 0, np.array([0]), 1),
    ):
        with pytest.raises(GridError, match="leaves no record"):
            ask()
    assert draw_aux(store, Knowledge(1, 1), 0, np.array([0]), 1).truth.absent.tolist() == [False]
