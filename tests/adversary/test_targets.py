"""Targets: uniform, nested, and eligible by the very rule that draws their items."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows
from scipy.stats import chisquare

from sim.adversary.knowledge import Window
from sim.adversary.targets import draw_targets, items_in_window

pytestmark = pytest.mark.fast

MASKS = st.lists(st.booleans(), min_size=1, max_size=60).map(lambda m: np.array(m, bool))


@given(able=MASKS, n=st.integers(1, 70), seed=st.integers(0, 2**64 - 1))
def test_are_eligible_ascending_and_as_many_as_asked(able: np.ndarray, n: int, seed: int) -> None:
    chosen = draw_targets(able, n, seed)
    assert chosen.size == min(n, able.sum())
    assert able[chosen].all()
    assert (np.diff(chosen) > 0).all()
    assert draw_targets(able, None, seed).tolist() == np.flatnonzero(able).tolist()


@given(able=MASKS, n=st.integers(1, 60), more=st.integers(0, 20), seed=st.integers(0, 2**32))
def test_fewer_are_among_more(able: np.ndarray, n: int, more: int, seed: int) -> None:
    assert set(draw_targets(able, n, seed)) <= set(draw_targets(able, n + more, seed))


@given(able=MASKS, n=st.integers(1, 60), seed=st.integers(0, 2**32), data=st.data())
def test_cells_share_their_targets(
    able: np.ndarray, n: int, seed: int, data: st.DataObject
) -> None:
    """A target of an easy cell that is eligible in a hard one is a target there."""
    hard = (
        able
        & np.array(data.draw(st.lists(st.booleans(), min_size=able.size, max_size=60)))[: able.size]
    )
    shared = [t for t in draw_targets(able, n, seed).tolist() if hard[t]]
    assert set(shared) <= set(draw_targets(hard, n, seed).tolist())


def test_every_set_is_as_likely_as_another() -> None:
    able = np.array([True, False, True, True, True, False, True])
    counts = Counter(tuple(draw_targets(able, 2, seed).tolist()) for seed in range(5_000))
    assert set(counts) == set(itertools.combinations((0, 2, 3, 4, 6), 2))
    assert chisquare(list(counts.values())).pvalue > 1e-4


@settings(max_examples=examples(50))
@given(
    seed=st.integers(0, 10_000),
    block=st.integers(2, 30),
    low=st.integers(0, 20),
    width=st.none() | st.integers(1, 30),
)
def test_items_in_window(
    make_store: MakeStore, seed: int, block: int, low: int, width: int | None
) -> None:
    store = make_store(random_rows(seed, 20, 12, 90), block_records=block)
    window = Window(low, None if width is None else low + width)
    held = plain(store).held
    support = held.sum(axis=0)
    order = sorted(range(support.size), key=lambda i: (-support[i], i))
    inside = order[low : window.high]
    assert items_in_window(store, window).tolist() == held[:, inside].sum(axis=1).tolist()
