"""Own cells, identifiers of two data sets, and aux restated for another release."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from drawing import changed, columns
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows

from sim.adversary.aux import NO_DAY, Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.matching import match
from sim.adversary.on_release import on_release
from sim.adversary.target_cells import items_of, own_cells
from sim.release.store.store import Store

pytestmark = pytest.mark.fast


def same(one: Drawn, other: Drawn) -> None:
    for name, column in columns(one).items():
        np.testing.assert_array_equal(column, columns(other)[name], name)


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 1000), block=st.integers(1, 40), missing=st.sampled_from([0.0, 0.4]))
def test_own_cells_are_those_of_the_dense_table(
    make_store: MakeStore, seed: int, block: int, missing: float
) -> None:
    store = make_store(random_rows(seed, cells=150, missing=missing), block_records=block)
    dense, m = plain(store), store.manifest
    record, item = (a.ravel() for a in np.mgrid[-1 : m.n_records, -1 : m.n_items])
    order = np.random.default_rng(seed).permutation(record.size)
    held, level, day = own_cells(store, record[order], item[order].astype(np.int32))
    truth = np.zeros((m.n_records + 1, m.n_items + 1), bool)
    truth[:-1, :-1] = dense.held
    np.testing.assert_array_equal(held, truth[record, item][order])
    assert not level[~held].any()
    assert not day[~held].any()
    at = (record[order][held], item[order][held])
    np.testing.assert_array_equal(np.append(store.scale, np.nan)[level[held]], dense.value[at])
    np.testing.assert_array_equal(np.append(np.arange(m.n_days), np.nan)[day[held]], dense.day[at])
    for r in range(m.n_records):
        assert items_of(store, r).tolist() == np.flatnonzero(dense.held[r]).tolist()


@pytest.mark.parametrize(
    ("ids", "known", "places"),
    [
        ([3, 9, 5], [3, 5, 7], [0, -1, 1]),
        (["b", "a"], ["a", "b", "c"], [1, 0]),
        (["5", "05", " 5", "5.0"], [3, 5], [1, -1, -1, -1]),
        ([5, -1], ["-1", "05", "5"], [2, 0]),
        ([], [1], []),
    ],
)
def test_identifiers(ids: list[object], known: list[object], places: list[int]) -> None:
    kind = None if ids else pa.string()
    assert match(pa.array(ids, kind), pa.array(known)).tolist() == places


def test_large_and_small_strings_are_alike() -> None:
    assert match(pa.array(["x"], pa.large_string()), pa.array(["w", "x"])).tolist() == [1]


@settings(max_examples=examples(25))
@given(release=st.integers(0, 1000), seed=st.integers(0, 2**32), shift=st.integers(-40, 40))
def test_the_same_release_changes_nothing_and_a_later_one_the_days(
    make_store: MakeStore, release: int, seed: int, shift: int
) -> None:
    rows = random_rows(release, missing=0.2)
    store = make_store(rows)
    targets = np.flatnonzero(store.length >= 3)
    drawn = draw_aux(store, Knowledge(2, 3, 1, 3, wrong="item"), 0, targets, seed)
    same(on_release(drawn, store, make_store(rows, block_records=7)), drawn)
    later = make_store([(r, i, v, None if d is None else d + shift) for r, i, v, d in rows])
    moved = on_release(drawn, store, later)
    day = np.where(drawn.aux.day == NO_DAY, NO_DAY, drawn.aux.day - shift)
    same(moved, changed(drawn, day=day.astype(np.int32)))


def test_another_scale_is_looked_up_by_its_own_codes(make_store: MakeStore) -> None:
    truth = make_store([(1, 1, 4.0, 3), (1, 2, 2.0, 3), (2, 1, 5.0, 4)])
    other = make_store([(1, 1, 5.0, 7), (1, 2, 4.5, 8), (2, 1, 1.0, None)])
    drawn = draw_aux(truth, Knowledge(2, 2, 0, 0), 0, np.array([0]), 1)
    found = on_release(drawn, truth, other)
    np.testing.assert_array_equal(found.aux.value, drawn.aux.value)
    believed = dict(zip(drawn.aux.item.tolist(), drawn.aux.value.tolist(), strict=True))
    assert believed == {0: 4.0, 1: 2.0}
    own = {
        item: (other.scale[level], day)
        for item, level, day in zip(
            found.aux.item.tolist(),
            found.truth.own_level.tolist(),
            found.truth.own_day.tolist(),
            strict=True,
        )
    }
    assert own == {0: (5.0, 0), 1: (4.5, 1)}
    assert found.aux.day.tolist() == [-4, -4]  # day 3 counts from 7 now


def test_what_is_left_out_of_the_release_is_gone(make_store: MakeStore) -> None:
    """A publisher who drops an item, and with it the record that held nothing else."""
    rows = [("a", "x", 1.0, 1), ("b", "x", 1.0, 1), ("b", "y", 2.0, 1), ("c", "y", 3.0, 1)]
    truth = make_store(rows)
    release = make_store(rows[2:])
    drawn = draw_aux(truth, Knowledge(1, 1, present=False), 0, np.array([0]), 1)
    both = draw_aux(truth, Knowledge(2, 2, present=False), 0, np.array([1]), 1)
    drawn = Drawn.concatenate([drawn, both])
    found = on_release(drawn, truth, release)
    assert found.truth.target.tolist() == [-1, 0]  # a is gone; b is now the first
    assert found.truth.absent.tolist() == [False, True]  # who is not there cannot be removed
    names = ["x" if item == 0 else "y" for item in drawn.aux.item.tolist()]
    assert found.aux.item.tolist() == [{"x": -1, "y": 0}[name] for name in names]
    assert found.truth.own_held.tolist() == [item == 0 for item in found.aux.item.tolist()]


def test_no_target_no_fact(make_store: MakeStore) -> None:
    store: Store = make_store(random_rows(1))
    drawn = draw_aux(store, Knowledge(1, 1), 0, np.empty(0, np.int64), 1)
    assert len(on_release(drawn, store, store)) == 0
