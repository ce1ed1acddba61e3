"""The plan: every pair of cell and target in exactly one batch; shares of eligible records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from defending import all_three, publish
from drawing import columns
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows
from studying import an_attack, cells, knowledge_of, plan_of, small_plan

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.external import External
from sim.attack.algorithms.bayes import Bayes
from sim.errors import GridError
from sim.release.store.store import Store
from sim.study.grid import GridCell
from sim.study.plan import Plan, _facts_scanned, make_plan, postings_per_fact

GRID = {"aux": ["1/1", "2/3"], "popularity": [0, 2, "1-6"], "value_noise": [0]}


def batches(plan: Plan, store: Store) -> Counter[tuple[int, int]]:
    """How often each (cell, target) is drawn."""
    counts: Counter[tuple[int, int]] = Counter()
    for batch in range(plan.n_batches):
        drawn = plan.draw(store, batch)
        assert (np.diff(drawn.aux.cell) >= 0).all()
        counts.update(zip(drawn.aux.cell.tolist(), drawn.truth.target.tolist(), strict=True))
    return counts


@settings(max_examples=examples(40))
@given(
    seed=st.integers(0, 10_000),
    records=st.integers(8, 80),
    n_targets=st.none() | st.integers(1, 60),
    block=st.integers(5, 80),
)
def test_every_pair_is_in_one_batch(
    make_store: MakeStore, seed: int, records: int, n_targets: int | None, block: int
) -> None:
    rows = random_rows(seed, records, 12, 6 * records)
    store = make_store(rows)
    plan = small_plan(store, n_targets, seed, wrong="item", **GRID)
    pairs = {(c, t) for c, targets in enumerate(plan.targets) for t in targets.tolist()}
    assert batches(plan, store) == Counter(pairs)
    assert plan.n_units == len(pairs)
    assert plan.everyone.tolist() == sorted({t for _, t in pairs})
    held, order = plain(store).held, np.argsort(store.rank)
    for cell, targets, eligible in zip(plan.cells, plan.targets, plan.eligible, strict=True):
        known = knowledge_of(cell)
        inside = order[known.popularity.low : known.popularity.high]
        able = held[:, inside].sum(axis=1) >= known.size
        assert eligible == able.sum()
        assert able[targets].all()
        assert targets.size == (eligible if n_targets is None else min(n_targets, eligible))
    # Neither blocks nor who asks have a say in it.
    again = small_plan(make_store(rows, block_records=block), n_targets, seed, wrong="item", **GRID)
    assert again.batch_targets == plan.batch_targets
    assert [t.tolist() for t in again.targets] == [t.tolist() for t in plan.targets]


def test_a_batch_is_what_its_cells_draw_of_its_targets(make_store: MakeStore) -> None:
    """The batches of a plan, put together cell by cell, are the draw of the whole cell."""
    store = make_store(random_rows(3, records=200, cells=1500))
    plan = small_plan(store, 90, seed=4)
    assert plan.n_batches > 2
    batches = [plan.draw(store, batch) for batch in range(plan.n_batches)]
    for cell in plan.cells:
        whole = draw_aux(store, knowledge_of(cell), cell.index, plan.targets[cell.index], 4)
        for name in ("item", "value", "day", "kind"):
            parts = [
                columns(drawn)[name][np.repeat(drawn.aux.cell, drawn.aux.size) == cell.index]
                for drawn in batches
            ]
            np.testing.assert_array_equal(np.concatenate(parts), columns(whole)[name])


def test_the_seed_changes_targets_and_draws(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, records=200, cells=1500))
    one, other = small_plan(store, 40, seed=1), small_plan(store, 40, seed=2)
    assert one.targets[0].tolist() != other.targets[0].tolist()
    everyone = [small_plan(store, None, seed=s).draw(store, 0).aux.item.tolist() for s in (1, 2)]
    assert everyone[0] != everyone[1]


@pytest.mark.parametrize("n_targets", [1, 16, 17, 100, None])
def test_several_batches_where_there_is_work_for_several(
    make_store: MakeStore, n_targets: int | None
) -> None:
    """At least 16 targets a batch, and otherwise 16 batches or more: workers can share them."""
    store = make_store(random_rows(1, records=600, items=10, cells=6000))
    plan = small_plan(store, n_targets, aux=["1/1"], date_noise=[0], value_noise=[0])
    n = plan.everyone.size
    assert plan.batch_targets >= 16
    assert plan.n_batches == (1 if n <= 16 else -(-n // plan.batch_targets))
    assert plan.n_batches >= min(16, n // 16)


def test_a_batch_counts_the_partials_that_are_held_at_a_time(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of all blocks where they are few, and of a group, and the levels above, of many."""
    grid = cells(aux=["1/1"], date_noise=[3], value_noise=[0])
    of_block = an_attack().partial_bytes(make_store([(1, 1, 3.0, 5)])) * len(grid)
    for least in ("_LEAST_BATCHES", "_LEAST_OF_GROUPS"):
        monkeypatch.setattr(f"sim.study.plan.{least}", 1)
    monkeypatch.setattr("sim.study.plan._PARTIAL_BYTES_A_BATCH", 40 * 20 * of_block)
    found = {}
    for block in (200, 40, 20, 1):
        store = make_store(random_rows(1, records=800, items=10, cells=6000), block_records=block)
        found[store.manifest.n_blocks] = plan_of(store, grid, None, 1).batch_targets
    assert found == {4: 200, 20: 40, 40: 800 // 33, 799: 800 // 37}


def test_who_looks_at_candidates_first_gets_larger_batches(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch is to take as long, whoever attacks."""
    store = make_store(random_rows(1, records=800, items=10, cells=6000))
    grid = cells(aux=["1/1"], date_noise=[3], value_noise=[0])
    for least in ("_LEAST_BATCHES", "_LEAST_OF_GROUPS"):
        monkeypatch.setattr(f"sim.study.plan.{least}", 1)
    monkeypatch.setattr("sim.study.plan._POSTINGS_A_BATCH", 20 * postings_per_fact(store))
    full, candidates = (
        make_plan(store, grid, Bayes(knowledge=(knowledge_of(grid[0]),), full=full), None, 1)
        for full in (True, False)
    )
    assert (full.batch_targets, candidates.batch_targets) == (20, 80)
    assert candidates.everyone.tolist() == full.everyone.tolist()


def test_a_release_of_many_blocks_has_fewer_batches(make_store: MakeStore) -> None:
    """Each goes through all of them, and workers can share the blocks instead."""
    grid, found = cells(aux=["1/1"], date_noise=[3], value_noise=[0]), {}
    for block in (800, 25, 20, 10, 4):
        store = make_store(random_rows(2, records=800, items=10, cells=6000), block_records=block)
        found[store.manifest.n_blocks] = plan_of(store, grid, 640, 1).n_batches
    assert found == {1: 16, 32: 16, 40: 8, 80: 5, 200: 4}


def test_facts_that_are_scanned_once_count_once() -> None:
    """Cells that know more and more of the same facts share a scan, where scores only grow.

    Or where candidates come first: those of the first facts are those of more.
    """
    more = cells(aux=["6/6"], first=[1, 2, 3, 4, 5, 6], date_noise=[3], value_noise=[0])
    apart = cells(aux=["6/6", "5/5", "4/4", "3/3", "2/2", "1/1"], date_noise=[3], value_noise=[0])
    assert _facts_scanned(more, an_attack()) == 6
    assert _facts_scanned(more, an_attack("attack=tf_idf")) == 21
    assert _facts_scanned(more, an_attack("attack=bayes")) == 6
    assert _facts_scanned(more, an_attack("attack=bayes", "attack.full=true")) == 21
    assert _facts_scanned(apart, an_attack()) == 21
    twice = cells(aux=["6/6"], first=[1, 6], date_noise=[3, 14], value_noise=[0])
    assert _facts_scanned(twice, an_attack()) == 12


def test_no_eligible_record_names_the_cell(make_store: MakeStore) -> None:
    store = make_store(random_rows(1, records=20, items=6, cells=60))
    asked = cells(aux=["1/1", "7/7"], date_noise=[3], value_noise=[0])
    with pytest.raises(GridError) as caught:
        plan_of(store, asked, None, 1)
    said = str(caught.value)
    assert said.startswith("grid cell 1 (aux=7/7 ")
    assert said.endswith("such items; ask for fewer facts or a wider popularity")


def test_a_window_beyond_the_last_rank_holds_nothing(make_store: MakeStore) -> None:
    store = make_store(random_rows(1, items=6))
    with pytest.raises(GridError, match="no record has"):
        plan_of(store, cells(aux=["1/1"], popularity=[6]), None, 1)
    assert plan_of(store, cells(aux=["1/1"], popularity=["5-900"]), None, 1).eligible


def test_what_cannot_be_wrong_names_the_cell(make_store: MakeStore) -> None:
    store = make_store([(1, 1, 3.0, 5), (2, 1, 3.0, 5)])
    plan = small_plan(store, aux=["1/1", "0/1"], date_noise=[3], value_noise=[0])
    with pytest.raises(GridError, match=r"^grid cell 1.*no cell of the release differs enough"):
        plan.draw(store, 0)


def test_postings_per_fact(make_store: MakeStore) -> None:
    """Supports 3 and 1: a uniform cell is of the first item three times in four."""
    store = make_store([(r, 1, 1.0, 0) for r in range(3)] + [(9, 2, 1.0, 0)])
    assert postings_per_fact(store) == 3 / 4 * 3 + 1 / 4 * 1


def test_a_target_that_cannot_be_removed_names_the_cell(make_store: MakeStore) -> None:
    store = make_store([(1, 1, 3.0, 5), (1, 2, 3.0, 5)])
    with pytest.raises(GridError, match=r"^grid cell 1 .*leaves no record to attack"):
        small_plan(store, aux=["1/1"], date_noise=[3], value_noise=[0], present=[True, False])


def test_cells_that_differ_in_what_else_is_known_share_all_the_rest(make_store: MakeStore) -> None:
    store = make_store(random_rows(5, records=100, cells=900))
    plan = small_plan(
        store, 40, aux=["2/3"], date_noise=[3], value_noise=[1],
        missing=[0, 0.5], record_length=[None, 0.5], present=[True, False],
    )  # fmt: skip
    assert len(plan.cells) == 8
    assert len({tuple(targets.tolist()) for targets in plan.targets}) == 1
    drawn = Drawn.concatenate([plan.draw(store, batch) for batch in range(plan.n_batches)])
    cell = np.repeat(drawn.aux.cell, drawn.aux.size)
    for name in ("item", "day", "kind", "own_level"):
        column = columns(drawn)[name]
        assert len({column[cell == c].tobytes() for c in range(8)}) == 1


def test_people_of_a_list_are_planned_like_records(make_store: MakeStore) -> None:
    store = make_store(random_rows(5))
    other = make_store([(f"p{r}", i, v, d) for r, i, v, d in random_rows(6, records=90)])
    people = External(other, min_items=2)
    plan = plan_of(store, [GridCell(0, {}, people)], 30, 1)
    assert plan.n_subjects == other.manifest.n_records == people.eligible(store, 1).size
    assert plan.targets[0].size == 30
    assert plan.people.equals(other.records)
    batches = [plan.draw(store, batch) for batch in range(plan.n_batches)]
    assert (
        np.concatenate([drawn.truth.person for drawn in batches]).tolist()
        == plan.targets[0].tolist()
    )
    assert plan.n_batches > 1


def test_a_list_without_anyone_in_the_release(make_store: MakeStore) -> None:
    store, other = make_store(random_rows(5)), make_store([("ann", "x", 1.0, 1)])
    with pytest.raises(GridError) as caught:
        plan_of(store, [GridCell(0, {}, External(other))], None, 1)
    assert str(caught.value).startswith("grid cell 0: no one on the list")
    assert "their items not in the release: 1" in str(caught.value)


def test_aux_is_drawn_from_the_truth_and_restated_for_the_release(
    make_store: MakeStore, tmp_path: Path
) -> None:
    truth = make_store(random_rows(5, records=100, cells=900))
    release = publish(truth, tmp_path / "noisy", *all_three(truth, 1, 14, 3))
    plain_plan = small_plan(truth, 40)
    plan = make_plan(release, cells(), an_attack(), 40, 1, truth=truth)
    assert [t.tolist() for t in plan.targets] == [t.tolist() for t in plain_plan.targets]
    assert plan.people.equals(truth.records)
    for batch in range(plan.n_batches):
        one, other = plain_plan.draw(truth, batch), plan.draw(release, batch)
        assert one.aux.item.tolist() == other.aux.item.tolist()
        np.testing.assert_array_equal(one.aux.value, other.aux.value)
        assert (
            other.truth.person.tolist() == other.truth.target.tolist() == one.truth.target.tolist()
        )
    assert one.truth.own_day.tolist() != other.truth.own_day.tolist()
    # A publisher who leaves half the items out: some targets are gone, and still have a name.
    half = make_store([row for row in random_rows(5, records=100, cells=900) if row[1] % 2])
    gone = make_plan(half, cells(aux=["1/1"]), an_attack(), None, 1, truth=truth)
    drawn = Drawn.concatenate([gone.draw(half, batch) for batch in range(gone.n_batches)])
    missing = truth.manifest.n_records - half.manifest.n_records
    assert missing > 0
    assert np.count_nonzero(drawn.truth.target < 0) == missing * len(gone.cells)
    assert (drawn.aux.item < 0).any()
    names = truth.records.take(pa.array(drawn.truth.person))
    known = drawn.truth.target >= 0
    there = half.records.take(pa.array(drawn.truth.target[known]))
    assert names.filter(pa.array(known)).equals(there)


def test_cells_that_know_more_and_more_are_drawn_as_if_alone(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, 40, 12, 240))
    axes = {"aux": ["2/3", "1/1"], "popularity": [0, 2], "value_noise": [0]}
    together = small_plan(store, None, 1, first=[1, None], **axes)
    for batch in range(together.n_batches):
        drawn = together.draw(store, batch)
        for cell in together.cells:
            here = np.flatnonzero(drawn.aux.cell == cell.index)
            mine = drawn.part(int(here[0]), int(here[-1]) + 1)
            alone = draw_aux(
                store, knowledge_of(cell), cell.index, mine.truth.target, together.seed
            )
            for name, column in columns(mine).items():
                np.testing.assert_array_equal(column, columns(alone)[name])
