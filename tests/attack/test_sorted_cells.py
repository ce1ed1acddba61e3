"""Cells counted by looking up, against counting them one by one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows

from sim.attack.kernels import sorted_cells
from sim.attack.kernels.sorted_cells import Cells, SortedCells, cells_within
from sim.release.store.repeats import Repeats


@settings(max_examples=examples(60))
@given(
    seed=st.integers(0, 1000),
    values=st.booleans(),
    days=st.booleans(),
    repeats=st.booleans(),
    block=st.sampled_from([2, 5, 100]),
    batches=st.integers(1, 3),
)
def test_the_cells_of_an_item_by_level_on_some_days(
    make_store: MakeStore, seed: int, values: bool, days: bool, repeats: bool, block: int,
    batches: int,
) -> None:  # fmt: skip
    """Chances are halves and quarters, so that sums are exact in any order."""
    rows: Any = random_rows(
        seed, records=12, items=5, cells=50, values=values, days=days, missing=0.3, repeats=repeats
    )
    rule = Repeats.ALL if repeats else Repeats.LATEST
    store = make_store(rows, block_records=block, repeats=rule)
    cells = SortedCells(store)
    rng = np.random.default_rng(seed)
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    for _ in range(batches):
        n = 7
        item = rng.integers(0, store.manifest.n_items, n).astype(np.int32)
        chance = rng.integers(0, 4, (n, store.scale.size + 1)) / 4
        low = rng.integers(0, store.manifest.n_days + 1, n)
        high = np.minimum(low + rng.integers(-1, 10, n), store.manifest.n_days)
        again = rng.integers(0, n, 2 * n)  # the same questions, and one that differs a little
        item, chance, low, high = item[again], chance[again], low[again], high[again]
        chance[0] = chance[0][::-1]
        wanted = np.zeros(again.size)
        for a in range(again.size):
            for b in blocks:
                own = slice(*(int(bound[0]) for bound in b.postings_of(item[a : a + 1])))
                day, level = b.item_day[own].astype(int), b.item_level[own]
                wanted[a] += chance[a][level[(low[a] <= day) & (day <= high[a])]].sum()
        assert cells.sum_of(item, chance, low, high).tolist() == wanted.tolist()


@given(data=st.data(), codes=st.lists(st.lists(st.integers(0, 9), max_size=400), min_size=1))
def test_cells_are_counted_with_the_guide_as_without(
    data: st.DataObject, codes: list[list[int]]
) -> None:
    """Wherever an item's cells begin and end among the codes that the guide has."""
    start = np.cumsum([0, *map(len, codes)])
    code = np.array([c for each in codes for c in sorted(each)], np.uint16)
    cells = Cells(start, code, code[:: sorted_cells._EVERY].copy(), 10)
    item = data.draw(st.integers(0, len(codes) - 1))
    low = data.draw(st.integers(0, 10))
    high = data.draw(st.integers(low, 10))
    found = cells_within(cells, start[item], start[item + 1], low, high)
    assert found == sum(low <= c < high for c in codes[item])


@settings(max_examples=examples(60))
@given(
    seed=st.integers(0, 1000),
    days=st.booleans(),
    block=st.sampled_from([2, 5, 100]),
    at_a_time=st.sampled_from([1, 12, 1000]),
)
def test_days_of_items_and_cells_that_are_not_kept(
    make_store: MakeStore, seed: int, days: bool, block: int, at_a_time: int
) -> None:
    """Whatever the number of cells at a time; loose ones are in any order."""
    rows: Any = random_rows(seed, records=12, items=6, cells=50, days=days, missing=0.5)
    store = make_store(rows, block_records=block)
    rng = np.random.default_rng(seed)
    item = rng.permutation(store.manifest.n_items)[:4].astype(np.int32)
    is_loose = rng.random(item.size) < 0.5
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_cells, "_APART", at_a_time)
        apart = list(SortedCells(store).apart(item, is_loose))
    start, code, _, width = SortedCells(store).of(item)
    wanted = [code[start[i] : start[i + 1]].tolist() for i in item]
    found = [
        each.code[begin:end].tolist()
        for _, each in apart
        for begin, end in itertools.pairwise(each.start.tolist())
    ]
    pairs = zip(found, is_loose, strict=True)
    assert [sorted(each) if loose else each for each, loose in pairs] == wanted
    assert [i for some, _ in apart for i in item[some]] == item.tolist()
    assert {each.width for _, each in apart} == {width}
    cells, asked = SortedCells(store), rng.choice(item, 9)
    for _ in range(2):
        for i, first, last, undated in zip(asked, *cells.days_of(asked), strict=True):
            day = code[start[i] : start[i + 1]] % width
            dated = day[day < width - 1]
            assert undated == (day == width - 1).sum()
            assert first == dated.min(initial=width - 1)
            assert last == (dated.max() if dated.size else -1)
