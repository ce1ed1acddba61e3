"""What is drawn for a target obeys spec §2, whatever the release."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawing import columns
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, plain, random_rows
from numpy.typing import NDArray
from scipy.stats import chisquare

from sim.adversary.aux import NO_DAY, Aux, Drawn, FactKind, GroundTruth
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.targets import items_in_window
from sim.errors import GridError
from sim.release.store.store import Store

UNLIKELY = 1e-4
"""A fair draw fails a test at this level once in 10,000 seeds; all seeds here are fixed."""

SCALES = [(1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 1.0, 1.5, 2.0), (3.0,), (0.0, 1.0, 10.0, 11.5, 100.0)]

RELEASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "records": st.integers(1, 30),
        "items": st.integers(3, 15),
        "cells": st.integers(20, 200),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
        "scale": st.sampled_from(SCALES),
    }
)
KNOWLEDGE = st.builds(
    lambda size, wrong, k, d, window, kind: Knowledge(
        max(size - wrong, 0), size, k, d, window, kind
    ),
    st.integers(1, 5),
    st.integers(0, 5),
    st.sampled_from([0, 0.5, 1, 2, None]),
    st.sampled_from([0, 3, 14, None]),
    st.sampled_from([Window(), Window(2), Window(1, 8)]),
    st.sampled_from(["value", "item"]),
)


def eligible(store: Store, knowledge: Knowledge) -> NDArray[np.int64]:
    return np.flatnonzero(items_in_window(store, knowledge.popularity) >= knowledge.size)


def drawn_of(store: Store, knowledge: Knowledge, seed: int = 1) -> Drawn | None:
    """Aux of every eligible record; None where nothing can be wrong."""
    try:
        return draw_aux(store, knowledge, 0, eligible(store, knowledge), seed)
    except GridError:
        assert knowledge.correct < knowledge.size
        return None


def facts_of(drawn: Drawn) -> dict[int, list[tuple[object, ...]]]:
    """Facts by target, comparable: no day and no value are None."""
    values = [None if np.isnan(v) else v for v in drawn.aux.value.tolist()]
    days = [None if d == NO_DAY else d for d in drawn.aux.day.tolist()]
    truth = drawn.truth
    rows = list(
        zip(
            drawn.aux.item.tolist(), values, days, truth.kind.tolist(), truth.own_held.tolist(),
            truth.own_level.tolist(), truth.own_day.tolist(), strict=True,
        )
    )  # fmt: skip
    return {
        int(t): rows[a:b]
        for t, (a, b) in zip(
            drawn.truth.target, itertools.pairwise(drawn.aux.start.tolist()), strict=True
        )
    }


@given(release=RELEASES, knowledge=KNOWLEDGE, seed=st.integers(0, 2**64 - 1))
def test_facts_are_what_the_spec_says(
    make_store: MakeStore, release: dict[str, object], knowledge: Knowledge, seed: int
) -> None:
    store = make_store(random_rows(**release))
    dense, scale = plain(store), store.scale
    drawn = drawn_of(store, knowledge, seed)
    if drawn is None:
        return
    k, d = knowledge.value_noise, knowledge.date_noise
    high = knowledge.popularity.high or store.manifest.n_items
    for target, facts in facts_of(drawn).items():
        assert len(facts) == knowledge.size
        assert len({item for item, *_ in facts}) == len(facts)
        wrong = [kind for _, _, _, kind, *_ in facts if kind != FactKind.TRUE]
        assert len(wrong) == knowledge.size - knowledge.correct
        for item, value, day, kind, held, level, own_day in facts:
            assert held == dense.held[target, item] == (kind != FactKind.WRONG_ITEM)
            if kind == FactKind.WRONG_ITEM:
                assert knowledge.wrong == "item"
                assert (level, own_day) == (0, 0)
                continue
            assert knowledge.popularity.low <= store.rank[item] < high
            true_value, true_day = dense.value[target, item], dense.day[target, item]
            assert np.append(scale, np.nan)[level] == true_value or np.isnan(true_value)
            assert own_day == true_day or np.isnan(true_day)
            if kind == FactKind.WRONG_VALUE:
                assert knowledge.wrong == "value"
                continue
            assert (value is None) == (k is None or bool(np.isnan(true_value)))
            assert (day is None) == (d is None or bool(np.isnan(true_day)))
            if value is not None:
                assert value in scale
                assert abs(value - true_value) <= k
            if day is not None:
                assert abs(day - true_day) <= d


@settings(max_examples=examples(60))
@given(
    release=RELEASES,
    knowledge=KNOWLEDGE,
    block=st.integers(1, 30),
    some=st.integers(1, 5),
    seed=st.integers(0, 2**32),
)
def test_a_draw_depends_on_seed_and_target_alone(
    make_store: MakeStore,
    release: dict[str, object],
    knowledge: Knowledge,
    block: int,
    some: int,
    seed: int,
) -> None:
    """Not on the other targets, the number of the cell, or the blocks of the store."""
    rows = random_rows(**release)
    store = make_store(rows)
    drawn = drawn_of(store, knowledge, seed)
    if drawn is None:
        return
    whole = facts_of(drawn)
    split = make_store(rows, block_records=block)
    targets = eligible(store, knowledge)
    parts = [
        draw_aux(split, knowledge, cell, targets[cell::some], seed)
        for cell in reversed(range(some))
    ]
    again = Drawn.concatenate(parts)
    assert facts_of(again) == whole
    assert again.aux.cell.tolist() == sorted(again.aux.cell.tolist(), reverse=True)


@settings(max_examples=examples(50))
@given(release=RELEASES, knowledge=KNOWLEDGE, seed=st.integers(0, 2**32))
def test_a_small_aux_is_a_prefix_of_a_large_one(
    make_store: MakeStore, release: dict[str, object], knowledge: Knowledge, seed: int
) -> None:
    store = make_store(random_rows(**release))

    def all_right(size: int) -> Knowledge:
        return Knowledge(
            size, size, knowledge.value_noise, knowledge.date_noise, knowledge.popularity
        )

    large = all_right(knowledge.size)
    targets = eligible(store, large)
    longest = facts_of(draw_aux(store, large, 0, targets, seed))
    for size in range(1, knowledge.size):
        shorter = facts_of(draw_aux(store, all_right(size), 0, targets, seed))
        assert shorter == {t: facts[:size] for t, facts in longest.items()}


@settings(max_examples=examples(50))
@given(release=RELEASES, low=st.integers(0, 4), width=st.integers(2, 9), seed=st.integers(0, 2**32))
def test_a_popularity_filter_only_takes_items_out(
    make_store: MakeStore, release: dict[str, object], low: int, width: int, seed: int
) -> None:
    """What is known within a window is known in the same order, with the same noise, without."""
    store = make_store(random_rows(**release))
    k, d = (1 if release["values"] else None), (3 if release["days"] else None)
    inside = Window(low, low + width)
    for target in eligible(store, Knowledge(1, 1, popularity=inside)).tolist():
        length = int(store.length[target])
        free = draw_aux(store, Knowledge(length, length, k, d), 0, np.array([target]), seed)
        kept = [f for f in facts_of(free)[target] if low <= store.rank[f[0]] < low + width]
        known = Knowledge(len(kept), len(kept), k, d, inside)
        assert facts_of(draw_aux(store, known, 0, np.array([target]), seed))[target] == kept


@settings(max_examples=examples(50))
@given(release=RELEASES, knowledge=KNOWLEDGE, seed=st.integers(0, 2**32))
def test_cells_of_a_grid_share_their_random_numbers(
    make_store: MakeStore, release: dict[str, object], knowledge: Knowledge, seed: int
) -> None:
    """The same items are known whatever the noise, and values are the same whatever the dates."""
    store = make_store(random_rows(**release))
    size, window = knowledge.size, knowledge.popularity
    targets = eligible(store, knowledge)
    one = draw_aux(store, Knowledge(size, size, 1, 3, window), 0, targets, seed)
    for k, d in itertools.product((0, 1, None), (0, 3, None)):
        other = draw_aux(store, Knowledge(size, size, k, d, window), 1, targets, seed)
        assert other.aux.item.tolist() == one.aux.item.tolist()
        if k == 1:
            np.testing.assert_array_equal(other.aux.value, one.aux.value)
        if d == 3:
            np.testing.assert_array_equal(other.aux.day, one.aux.day)


def test_no_target_no_fact(make_store: MakeStore) -> None:
    store = make_store(random_rows(1))
    for wrong in ("value", "item"):
        drawn = draw_aux(store, Knowledge(1, 3, 1, 3, wrong=wrong), 0, np.empty(0, np.int64), 1)
        assert (len(drawn), drawn.aux.start.tolist(), drawn.aux.item.size) == (0, [0], 0)


def test_a_target_with_too_few_items_is_named(make_store: MakeStore) -> None:
    store = make_store([(1, 1, 1.0, 0), (1, 2, 1.0, 0), (2, 1, 1.0, 0)])
    with pytest.raises(GridError, match=r"aux=2/2.*fewer than 2 items"):
        draw_aux(store, Knowledge(2, 2), 0, np.array([0, 1]), 1)


# One record of 4 items among others, all of value 3 on day 100, and a scale with uneven steps.
LADDER = [1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 9.0]
FOUR: list[Row] = [
    *((1, item, 3.0, 10_100) for item in range(1, 5)),
    *((2 + n, 9, level, 10_000 + 50 * n) for n, level in enumerate(LADDER)),
]


def many(store: Store, knowledge: Knowledge, seeds: int) -> Drawn:
    """Aux of record 0 under many seeds."""
    target = np.array([0])
    return Drawn.concatenate([draw_aux(store, knowledge, 0, target, s) for s in range(seeds)])


def test_items_and_wrong_positions_are_uniform(make_store: MakeStore) -> None:
    """Each of the 24 orders of the items, with each of the 6 pairs of wrong positions, alike."""
    drawn = many(make_store(FOUR), Knowledge(2, 4, 0, 3), 3_000)
    orders = [tuple(row) for row in drawn.aux.item.reshape(-1, 4).tolist()]
    wrong = [tuple(row) for row in (drawn.truth.kind.reshape(-1, 4) != FactKind.TRUE).tolist()]
    for seen, kinds in ((orders, 24), (wrong, 6), (list(zip(orders, wrong, strict=True)), 144)):
        counts = Counter(seen)
        assert len(counts) == kinds
        assert chisquare(list(counts.values())).pvalue > UNLIKELY


def test_noise_is_uniform(make_store: MakeStore) -> None:
    """Values over the levels within k, days over the days within D, both together, every place."""
    store = make_store(FOUR)
    drawn = many(store, Knowledge(4, 4, 1, 3), 3_000)
    truth = int(plain(store).day[0, 0])
    pairs = Counter(zip(drawn.aux.value.tolist(), (drawn.aux.day - truth).tolist(), strict=True))
    assert set(pairs) == set(itertools.product((2.0, 2.5, 3.0, 4.0), range(-3, 4)))
    assert chisquare(list(pairs.values())).pvalue > UNLIKELY
    by_item = Counter(zip(drawn.aux.item.tolist(), drawn.aux.value.tolist(), strict=True))
    assert chisquare(list(by_item.values())).pvalue > UNLIKELY
    # Two facts of the same target move independently.
    days = drawn.aux.day.reshape(-1, 4)[:, :2]
    assert chisquare(list(Counter(map(tuple, days.tolist())).values())).pvalue > UNLIKELY


@pytest.mark.parametrize(
    ("level", "k", "possible"),
    [
        (1.0, 1, [1.0, 2.0]),
        (1.0, 1.5, [1.0, 2.0, 2.5]),
        (9.0, 3, [9.0]),
        (9.0, 4, [5.0, 9.0]),
        (2.5, 0.5, [2.0, 2.5, 3.0]),
        (5.0, 100, LADDER),
    ],
)
def test_levels_beyond_the_ends_of_the_scale_do_not_exist(
    make_store: MakeStore, level: float, k: float, possible: list[float]
) -> None:
    store = make_store([(1, 1, level, 0), *FOUR[4:]])
    counts = Counter(many(store, Knowledge(1, 1, k, 0), 1_000).aux.value.tolist())
    assert sorted(counts) == possible
    assert len(possible) == 1 or chisquare(list(counts.values())).pvalue > UNLIKELY


def test_decimals_are_within_what_they_look_like(make_store: MakeStore) -> None:
    """4.2 − 4.1 and 0.3 − 0.2 are not 0.1 in binary, one more and one less."""
    scale = [round(0.1 * n, 1) for n in range(1, 60)]
    store = make_store([(n, 1, value, 0) for n, value in enumerate(scale)])
    targets = np.arange(len(scale))
    seen = np.array(
        [draw_aux(store, Knowledge(1, 1, 0.1, 0), 0, targets, s).aux.value for s in range(60)]
    )
    steps = np.round((seen - np.array(scale)) * 10, 6)
    assert set(steps.ravel().tolist()) == {-1.0, 0.0, 1.0}
    assert (np.ptp(steps[:, 1:-1], axis=0) == 2).all()


@settings(max_examples=examples(100))
@given(release=RELEASES, knowledge=KNOWLEDGE, first=st.integers(1, 5))
def test_first_facts_are_those_of_the_whole(
    make_store: MakeStore, release: dict[str, Any], knowledge: Knowledge, first: int
) -> None:
    """Who knows the first k facts knows what one who knows all of them knows, and no more."""
    store = make_store(random_rows(**release))
    whole = drawn_of(store, knowledge)
    if whole is None or first > knowledge.size:
        return
    fewer = drawn_of(store, replace(knowledge, first=first))
    assert fewer is not None
    assert fewer.truth.target.tolist() == whole.truth.target.tolist()
    assert (fewer.aux.size == first).all()
    for name in (*Aux.PER_FACT, *GroundTruth.PER_FACT):
        every = columns(whole)[name].reshape(-1, knowledge.size)
        np.testing.assert_array_equal(columns(fewer)[name].reshape(-1, first), every[:, :first])
