"""Facts about items that are drawn first, and then one cell of each (spec §8)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, random_rows
from scipy.stats import chisquare

from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.filters import RecordCells
from sim.adversary.knowledge import Knowledge, Window
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

UNLIKELY = 1e-4
KNOWN = Knowledge(2, 2, 0, 0, draw="items")

VISITS: list[Row] = [
    *((1, 7, None, day) for day in range(6)), (1, 8, None, 3), (1, 9, None, 1), (1, 9, None, 2),
    *((2, 7, None, day) for day in range(9)),
]  # fmt: skip


@dataclass(frozen=True)
class EvenDays:
    def keep(self, store: Store, cells: RecordCells) -> np.ndarray:
        return cells.day % 2 == 0


def facts_of(store: Store, known: Knowledge, seed: int) -> list[tuple[int, int, int]]:
    """Target, item and day of each fact, in the order drawn."""
    targets = np.flatnonzero(Sampling(known).eligible(store, seed))
    drawn = draw_aux(store, known, 0, targets, seed)
    target = np.repeat(drawn.truth.target, drawn.aux.size).tolist()
    return list(zip(target, drawn.aux.item.tolist(), drawn.aux.day.tolist(), strict=True))


def test_items_are_uniform_and_so_are_the_cells_of_each(make_store: MakeStore) -> None:
    """The first person has three places; the second, with nine visits of one, is no target of 2."""
    store = make_store(VISITS, repeats=Repeats.ALL)
    assert Sampling(KNOWN).eligible(store, 1).tolist() == [True, False]
    assert Sampling(replace(KNOWN, draw="cells")).eligible(store, 1).tolist() == [True, True]
    drawn = [facts_of(store, KNOWN, seed) for seed in range(3000)]
    pairs = {(a, b): 0 for a in range(3) for b in range(3) if a != b}
    days = np.zeros(6)
    for first, second in drawn:
        pairs[first[1], second[1]] += 1
        for _, item, day in (first, second):
            days[day] += item == 0
    assert chisquare(list(pairs.values())).pvalue > UNLIKELY
    assert chisquare(days).pvalue > UNLIKELY


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 10_000), block=st.sampled_from([1, 7, 100]), size=st.integers(1, 4))
def test_fewer_facts_are_the_first_and_filters_only_take_out(
    make_store: MakeStore, seed: int, block: int, size: int
) -> None:
    rows = random_rows(seed, 12, 6, 90, repeats=True)
    store = make_store(rows, repeats=Repeats.ALL, block_records=block)
    known = Knowledge(size, size, 0, 0, draw="items")
    facts = facts_of(store, known, seed)
    targets = {target for target, _, _ in facts}
    whole = make_store(rows, repeats=Repeats.ALL)
    assert facts == facts_of(whole, known, seed)
    for other in (replace(known, correct=1, size=1), replace(known, popularity=Window(2))):
        for target in targets & {t for t, _, _ in facts_of(store, other, seed)}:
            mine = [fact for fact in facts if fact[0] == target]
            found = [fact for fact in facts_of(store, other, seed) if fact[0] == target]
            if other.popularity == known.popularity:
                assert found == mine[:1]
            else:
                allowed = [fact for fact in mine if store.rank[fact[1]] >= 2]
                assert found[: len(allowed)] == allowed
    filtered = replace(known, filters=(EvenDays(),))
    for target, item, day in facts_of(store, filtered, seed):
        assert day % 2 == 0
        # What is known without the filter is known with it, if it passes.
        mine = [fact for fact in facts if fact[:2] == (target, item)]
        assert all(fact[2] == day for fact in mine if fact[2] % 2 == 0)
    for target in targets:
        items = [item for t, item, _ in facts if t == target]
        assert len(set(items)) == size


@given(seed=st.integers(0, 10_000))
def test_without_repeats_it_is_the_draw_of_cells(make_store: MakeStore, seed: int) -> None:
    store = make_store(random_rows(seed))
    cells = replace(KNOWN, draw="cells")
    assert facts_of(store, KNOWN, seed) == facts_of(store, cells, seed)


def test_wrong_items_are_wanted_of_records_with_many_cells_of_few_items(
    make_store: MakeStore,
) -> None:
    """Nine visits of one place leave two others to be wrong about."""
    store = make_store(VISITS, repeats=Repeats.ALL)
    known = Knowledge(0, 1, None, 0, wrong="item")
    assert Sampling(known).eligible(store, 1).tolist() == [False, True]
