"""Likelihoods are those of the reference, and totals of the original are as counted."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from attacking import decide
from hypothesis import given, settings
from hypothesis import strategies as st
from making import Row, RowSource, examples
from reference import posterior as plain

from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.length_model import LengthModel, People, length_class, likelier, of_records
from sim.adversary.on_release import on_release
from sim.adversary.original_totals import Drawn, State
from sim.adversary.time_channel import (
    TimedCells,
    Windows,
    chance_of_hidden,
    chance_of_visible,
    fit,
    sharpen,
    sum_up_weights,
    usual_times,
)
from sim.attack.algorithms.bayes import Bayes
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.posterior import (
    NEAR_BEST,
    NO_TIME,
    NOT_KNOWN,
    FactTable,
    Placement,
    Posterior,
    RecordCells,
    TimeTables,
    score_records,
)
from sim.attack.kernels.types import read_only
from sim.defence.apply import defended
from sim.defence.cap_length import CapLength
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.jitter_time import JitterTime
from sim.defence.original_totals import activity
from sim.defence.sample_cells import SampleCells
from sim.defence.sample_records import SampleRecords
from sim.release.store.build import build_store
from sim.release.store.store import Store

ITEMS, LEVELS, DAYS, CLASSES = 6, 2, 12, 2


class World:
    """Some records, and some units with facts about them, at random."""

    def __init__(self, seed: int, reach: int, kind: str) -> None:
        rng = np.random.default_rng(seed)
        self.repeats, self.once = kind == "repeats", kind == "once"
        self.by_item = bool(rng.random() < 0.4)
        self.held = [
            np.sort(rng.choice(ITEMS, rng.integers(1, ITEMS), replace=self.repeats or self.once))
            for _ in range(5)
        ]
        self.level = [rng.integers(0, LEVELS + 1, one.size) for one in self.held]
        self.day = [rng.integers(0, DAYS + 1, one.size) for one in self.held]
        self.usual = usual_times(rng.integers(0, 9, DAYS))
        days = np.arange(DAYS)
        self.low, self.high = np.maximum(days - reach, 0), np.minimum(days + reach + 1, DAYS)
        self.prior, self.blur = float(rng.uniform(0.1, 9)), float(rng.choice([0.0, 0.1]))
        self.concentration, self.rounds = float(rng.uniform(0.1, 9)), int(rng.choice([1, 7]))
        self.saturation = float(rng.choice([0.5, 4.0, 1e9]))
        self.strength = float(rng.uniform(0.1, 5)) if self.repeats else 0.0
        self.share = rng.uniform(0, 1, 6) * (rng.random(6) < 0.8)
        self.weight, self.room = rng.uniform(0, 3, 6), rng.uniform(0, 0.9, 6)
        self.mean_hidden = rng.uniform(0, 3, 6) * (rng.random(6) < 0.8)
        n_classes = 1 if self.repeats else CLASSES
        self.of_record = rng.uniform(0.1, 2, (6, n_classes))
        self.of_item = rng.uniform(0.1, 2, (ITEMS + 1, n_classes))
        if self.repeats:
            self.of_item[:] = 1.0
        self.sizes = rng.integers(1, 4, 6)
        self.least = np.minimum(rng.integers(0, 2, 6), self.sizes)
        self.most = np.minimum(self.least + rng.integers(0, 2, 6), self.sizes)
        self.table = rng.uniform(0, 1, (1, 6, 4, 3, n_classes))
        n = int(self.sizes.sum())
        again = self.repeats
        item = [rng.choice(ITEMS + 1, k, replace=again) - 1 for k in self.sizes]  # −1: nobody's
        start = np.concatenate([[0], np.cumsum(self.sizes)])
        leader = np.arange(n)
        for u, one in enumerate(item):
            for i, x in enumerate(one.tolist()):
                if x >= 0:
                    leader[start[u] + i] = start[u] + one.tolist().index(x)
        every = np.concatenate(item)
        popular, odds = rng.uniform(0, 0.5, ITEMS + 1), rng.uniform(0, 2, ITEMS + 1)
        odds *= rng.random(ITEMS + 1) < 0.7
        shape = n, LEVELS + 1
        wrong = rng.uniform(0, 0.2, shape) * (rng.random(shape) < 0.8)
        self.facts = FactTable(
            item=every,
            leader=leader,
            time=rng.integers(-1, DAYS + 1, n),
            reach=rng.choice([NO_TIME, NOT_KNOWN, 0, 0, 1, 3], n),
            right=rng.uniform(0, 1, shape) * (rng.random(shape) < 0.9),
            wrong=wrong,
            close=wrong * rng.choice([0.0, 0.5, 1.0], shape),
            hidden=rng.uniform(0, 0.5, n) * (rng.random(n) < 0.8),
            hidden_wrong=rng.uniform(0, 0.2, n),
            popular=popular[every],
            odds=odds[every],
        )

    def scores(self, removed: int = -1) -> np.ndarray:
        start = np.concatenate([[0], np.cumsum([one.size for one in self.held])])
        cells = RecordCells(
            0, start, np.concatenate(self.held).astype(np.int32), np.concatenate(self.level),
            np.concatenate(self.day).astype(np.uint16), ITEMS,
        )  # fmt: skip
        times = TimeTables(
            self.low, self.high, self.usual, np.concatenate([[0], np.cumsum(self.usual)]),
            (self.prior, self.blur, self.concentration, self.saturation), self.rounds,
        )  # fmt: skip
        placement = Placement(
            self.table, np.zeros(6, np.int64), np.zeros(6, np.int64), self.least, self.most,
            np.full(6, self.by_item), np.full(6, self.once), np.arange(6)[np.newaxis],
            self.share[np.newaxis], self.weight[np.newaxis], self.mean_hidden[np.newaxis],
            self.room[np.newaxis], np.array([self.strength]), self.of_record[np.newaxis],
            self.of_item[np.newaxis],
        )  # fmt: skip
        begin = np.concatenate([[0], np.cumsum(self.sizes)])
        given = Posterior(begin, self.facts, placement, times)
        out = np.empty((6, 5))
        gone = np.full(6, removed)
        score_records(read_only(cells), read_only(given), read_only(gone), out)
        return out

    def expected(self, u: int, r: int, *, place: bool) -> float:
        """The same by the reference."""
        cells: dict[int, list[tuple[int, tuple[int, int] | None]]] = {}
        for i, v, d in zip(self.held[r], self.level[r], self.day[r], strict=True):
            window = None if d == DAYS else (int(self.low[d]), int(self.high[d]))
            cells.setdefault(int(i), []).append((int(v), window))
        record = plain.Record(
            cells, self.share[r], self.weight[r], self.mean_hidden[r], self.room[r],
            self.of_record[r],
        )  # fmt: skip
        begin = int(self.sizes[:u].sum())
        facts, given = [], self.facts
        for a in range(begin, begin + int(self.sizes[u])):
            reach = int(given.reach[a])
            tables = [dict(enumerate(t[a])) for t in (given.right, given.wrong, given.close)]
            item = int(given.item[a])
            facts.append(
                plain.Fact(
                    item, int(given.time[a]) if reach >= 0 else None, max(reach, 0), *tables,
                    given.hidden[a], given.hidden_wrong[a], given.popular[a], given.odds[a],
                    undated=reach == NO_TIME,
                )
            )  # fmt: skip
        dated = [one for every in cells.values() for _, one in every if one is not None]
        times = plain.Times.of(dated, self.usual, (self.prior, self.blur, self.rounds))
        of_item = {i: self.of_item[i] for i in range(-1, ITEMS)}

        def placement(hidden: int, wrong: int) -> list[float]:
            inside = self.least[u] <= wrong <= self.most[u]
            zeros: list[float] = [0.0] * self.table.shape[-1]
            return self.table[0, r, hidden, wrong].tolist() if inside else zeros

        return plain.likelihood(
            record, facts, times, (self.concentration, self.saturation), placement, of_item,
            strength=self.strength, by_item=self.by_item, once=self.once, place=place,
        )  # fmt: skip


@settings(max_examples=examples(200))
@given(
    st.integers(0, 2**31),
    st.sampled_from([0, 2, 5]),
    st.sampled_from(["single", "repeats", "once"]),
)
def test_scores_are_those_of_the_reference(seed: int, reach: int, kind: str) -> None:
    """Those near the best with each fact placed, the others as if facts were independent."""
    world = World(seed, reach, kind)
    found = world.scores()
    for u in range(6):
        alone = [world.expected(u, r, place=False) for r in range(5)]
        for r in range(5):
            near = alone[r] > 0 and alone[r] >= max(alone) * NEAR_BEST
            expected = world.expected(u, r, place=True) if near else alone[r]
            if expected == 0:
                assert found[u, r] == -np.inf
            else:
                assert found[u, r] == pytest.approx(np.log(expected), abs=1e-7)


def test_a_removed_record_is_no_candidate_and_changes_no_other() -> None:
    for seed in range(40):
        world = World(seed, 2, "single")
        whole, without = world.scores(), world.scores(removed=1)
        assert np.isinf(without[:, 1]).all()
        others = [0, 2, 3, 4]
        near = whole[:, others] > whole.max(axis=1)[:, None] - 5
        assert np.array_equal(whole[:, others][near], without[:, others][near])


@given(st.integers(0, 2**31), st.integers(0, 4), st.integers(1, DAYS))
@settings(max_examples=examples(100))
def test_the_chances_of_all_times_sum_to_one(seed: int, cell: int, cut: int) -> None:
    rng = np.random.default_rng(seed)
    usual = usual_times(rng.integers(0, 9, DAYS))
    low = rng.integers(0, DAYS - 1, 5)
    high = np.minimum(low + rng.integers(1, 6, 5), DAYS)
    up_to, w, scratch = (
        np.concatenate([[0], np.cumsum(usual)]),
        usual.copy(),
        np.zeros((3, DAYS + 1)),
    )
    span, prior = (int(low.min()), int(high.max())), float(rng.uniform(0.1, 5))
    sharpen((low, high, np.ones(5)), 5, (usual, up_to), span, (prior, 0.1), 6, w, scratch)
    args = (int(low[cell]), int(high[cell]), 5.0, scratch[0], up_to, prior, 0.1)
    whole = chance_of_visible(0, cut, *args) + chance_of_visible(cut, DAYS, *args)
    assert whole == pytest.approx(1)
    weights = np.zeros(DAYS + 1)
    sum_up_weights(5.0, span, w, usual, prior, 2.0, weights)
    of_hidden = span, weights, up_to, 2.0
    whole = chance_of_hidden(0, cut, *of_hidden) + chance_of_hidden(cut, DAYS, *of_hidden)
    assert whole == pytest.approx(1)


def sessions(seed: int, days: int | None, people: int = 200, items: int = 60) -> list[Row]:
    """People with so many days each; None: every cell on a day of its own."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, items + 1) ** 0.7
    rows: list[Row] = []
    for person in range(people):
        n = int(rng.integers(6, min(30, items)))
        held = np.sort(rng.choice(items, n, replace=False, p=popularity / popularity.sum()))
        day = rng.integers(0, 200, n)
        if days:
            day = rng.integers(0, 200, days)[rng.integers(0, days, n)]
        value = rng.integers(1, 6, n)
        rows += [
            (person, int(i), float(v), int(d)) for i, v, d in zip(held, value, day, strict=True)
        ]
    return rows


def test_strengths_follow_how_people_keep_to_days() -> None:
    """One day each: the record says nearly all. Any day: what all records have says it."""
    found = {}
    for days in (1, 3, None):
        rows = np.array([(p, d) for p, _, _, d in sessions(5, days)])
        day = rows[:, 1].astype(np.int64)
        moved = day + np.random.default_rng(1).integers(-14, 15, day.size) + 14
        codes = np.arange(228)
        windows = Windows(np.clip(codes - 28, 0, 200), np.clip(codes + 1, 0, 200), -14)
        cells = TimedCells(rows[:, 0].astype(np.int64), day, moved)
        found[days] = fit(cells, windows, usual_times(np.bincount(day, minlength=200)))
    assert found[1].concentration < 1 < found[None].concentration / 30
    assert found[3].concentration < 10
    assert found[None].hidden == found[1].hidden  # nothing is hidden that would tell


@given(st.integers(0, 2**31))
@settings(max_examples=examples(60))
def test_placements_are_those_of_the_reference(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = rng.integers(1, 9, 7)
    shown = np.array([rng.integers(1, n + 1) for n in before])
    pairs, people = np.unique(np.column_stack([shown, before]), axis=0, return_counts=True)
    kind = np.append(shown, shown.max() + 1)
    columns = pairs[:, 0], pairs[:, 1], pairs[:, 1] - pairs[:, 0], pairs[:, 1], people
    lengths = LengthModel(kind, 0, People(*columns), np.ones((8, 6)), *np.ones((2, 3, 6)))
    size, k = sorted(rng.integers(1, 5, 2).tolist(), reverse=True)
    table = lengths.placements(size, k)
    for n in np.unique(shown).tolist():
        each = list(zip(shown.tolist(), before.tolist(), strict=True))
        expected = plain.placements(each, n, size, k)
        assert table[n].sum(axis=1) == pytest.approx(expected)
    survivors = lengths.of_survivors().placements(size, k)
    assert not survivors[:, 1:].any()


def built(folder: Path, rows: list[Row], chain: tuple[Defence, ...]) -> tuple[Store, Store]:
    build_store(RowSource(rows), folder / "truth", block_records=64)
    truth = Store(folder / "truth")
    return truth, defended(truth, chain).build(folder / "released")


@pytest.mark.parametrize(
    "chain",
    [
        (CapLength(n=5),), (SampleCells(share=0.5),), (DropItems(min_support=40),),
        (SampleRecords(share=0.5), CapLength(n=5)),
    ],
    ids=str,
)  # fmt: skip
def test_totals_count_what_is_hidden(tmp_path: Path, chain: tuple[Defence, ...]) -> None:
    rows = sessions(2, 3, people=90)
    truth, store = built(tmp_path, rows, chain)
    totals = defended(truth, chain).with_totals(store).originals
    assert totals is not None
    shown = {str(p): set[str]() for p, *_ in rows}
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        for r in range(block.n_records):
            a, b = block.record_start[r], block.record_start[r + 1]
            ids = store.items.take(block.record_item[a:b]).to_pylist()
            shown[str(store.records[block.first + r].as_py())] = {str(i) for i in ids}
    names = [str(i) for i in store.items.to_pylist()]
    values = np.zeros((3, len(names) + 1, 6), np.int64)
    together: Counter[tuple[int, int, int, int]] = Counter()
    there = set(store.records.to_pylist())
    for person, item, value, day in rows:
        state = State.HIDDEN if person in there else State.ABSENT
        state = State.VISIBLE if str(item) in shown[str(person)] else state
        place = names.index(str(item)) if str(item) in names else len(names)
        values[state, place, int(value) - 1] += 1
        together[state, place, int(value) - 1, int(day or 0) - truth.manifest.first_day] += 1
    assert np.array_equal(totals.item_values, values.sum(axis=0))
    assert np.array_equal(totals.hidden_values, values[State.HIDDEN])
    assert np.array_equal(totals.absent_values, values[State.ABSENT])
    assert np.array_equal(totals.kept_values, values[State.VISIBLE])
    joint = totals.joint
    assert joint is not None
    assert joint.cells.sum() == len(rows)
    for (state, *place), number in together.items():
        (here,) = np.flatnonzero(joint.key == np.ravel_multi_index(place, joint.axes))
        assert joint.cells[state, here] == number
    assert totals.hides_cells
    assert not totals.moves_times
    # Σ over the items that a record does not show is one; over records, the hidden cells.
    order = [str(one) for one in store.records.to_pylist()]
    behind = totals.behind[Drawn()]
    share, of_item = behind.share, behind.items
    for r, person in enumerate(order):
        lacks = [x for x, name in enumerate(names) if name not in shown[person]] + [len(names)]
        if share[r]:
            assert share[r] * of_item[lacks].sum() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("noise", [0, 2])
@pytest.mark.parametrize("value", [0, None])
def test_a_fact_is_about_any_cell_of_the_original_that_fits(
    tmp_path: Path, noise: int, value: int | None
) -> None:
    """All people have as many cells, and most are not released: each cell is as likely."""
    rng = np.random.default_rng(6)
    rows: list[Row] = [
        (person, int(item), float(rng.integers(1, 4)), int(rng.integers(0, 12)))
        for person in range(80)
        for item in rng.choice(7, 4, replace=False)
    ]
    truth, store = built(tmp_path, rows, chain := (SampleRecords(share=0.4),))
    known = Knowledge(1, 1, value, noise)
    drawn = on_release(draw_aux(truth, known, 0, np.arange(80), 3), truth, store)
    publisher = defended(truth, chain).with_totals(store, [known])
    found = decide(store, drawn, Bayes(knowledge=(known,), publisher=publisher))
    ids, first = store.items.to_pylist(), store.manifest.first_day
    there = set(store.records.to_pylist())
    for u, (item, level, day) in enumerate(
        zip(drawn.aux.item.tolist(), drawn.aux.value.tolist(), drawn.aux.day.tolist(), strict=True)
    ):
        fitting = [
            person
            for person, i, v, d in rows
            if i == ids[item] and abs((d or 0) - first - day) <= noise
            and (value is None or v == level)
        ]  # fmt: skip
        seen = [person for person in fitting if person in there]
        assert found.posterior[u] == pytest.approx(1 / len(fitting) if seen else 0)


def test_a_wrong_item_is_any_cell_of_the_original(tmp_path: Path) -> None:
    rows = sessions(5, 3, people=60, items=12)
    truth, store = built(tmp_path, rows, chain := (SampleRecords(share=0.5),))
    known = Knowledge(1, 2, 0, 0, wrong="item")
    drawn = on_release(draw_aux(truth, known, 0, np.arange(60), 3), truth, store)
    publisher = defended(truth, chain).with_totals(store, [known])
    attack = Bayes(knowledge=(known,), publisher=publisher)
    drawn = attack.annotated(store, drawn)
    given = attack.scan(ReleaseView(store, drawn), drawn.aux, drawn.candidates).posterior
    assert given is not None
    cells = Counter((str(i), v, (d or 0) - store.manifest.first_day) for _, i, v, d in rows)
    names = [str(i) for i in store.items.to_pylist()]
    facts = zip(drawn.aux.item, drawn.aux.value, drawn.aux.day, strict=True)
    expected = [cells[names[i], v, d] / len(rows) for i, v, d in facts]
    assert given.facts.hidden_wrong == pytest.approx(expected)


def test_activity_is_that_of_the_reference(tmp_path: Path) -> None:
    rows = sessions(8, 1, people=12, items=9)
    _, store = built(tmp_path, rows, (SampleCells(share=0.6),))
    rng = np.random.default_rng(3)
    mean_hidden, hidden = (
        rng.uniform(0, 3, store.manifest.n_records),
        rng.uniform(0, 5, store.manifest.n_items + 1),
    )
    block = store.block(0)
    parts = np.split(block.record_item, block.record_start[1:-1])
    shows = [set(one.tolist()) for one in parts]
    share, of_item = activity(store, hidden, mean_hidden)
    expected = plain.activity(shows, mean_hidden, hidden, 30)
    assert share == pytest.approx(expected[0])
    assert of_item == pytest.approx(expected[1])


def test_windows_hold_the_original_times(tmp_path: Path) -> None:
    """Of moved times, of coarser ones, and of coarser ones that were moved; not of the reverse."""
    rows = sessions(4, 3, people=60)
    chains: list[tuple[Defence, ...]] = [
        (JitterTime(date_noise=7),), (CoarsenTime(bin="week"),), (CoarsenTime(bin="month"),),
        (CoarsenTime(bin="month"), JitterTime(date_noise=5)),
    ]  # fmt: skip
    for number, chain in enumerate(chains):
        folder = tmp_path / str(number)
        folder.mkdir()
        truth, store = built(folder, rows, chain)
        totals = defended(truth, chain).with_totals(store).originals
        assert totals is not None
        assert totals.moves_times
        low, high, _ = totals.times.windows
        for r in range(min(store.block(0).n_records, 20)):
            a, b = store.block(0).record_start[r : r + 2]
            days = truth.block(0).record_day[a:b]
            released = store.block(0).record_day[a:b]
            assert ((low[released] <= days) & (days < high[released])).all()
    (tmp_path / "reverse").mkdir()
    chain = JitterTime(date_noise=5), CoarsenTime(bin="week")
    truth, store = built(tmp_path / "reverse", rows, chain)
    known = defended(truth, chain).with_totals(store)
    assert known.originals is None
    assert known.unmodelled


def test_lengths_follow_from_items_that_only_long_records_hold() -> None:
    """Half of the people hold 40 items, of which one item in two is held by nobody else."""
    assert length_class(np.array([1, 2, 3, 4, 1000])).tolist() == [0, 1, 2, 3, 18]
    cells = np.array([[10.0, 10.0], [0.0, 10.0]])
    says = likelier(cells)
    assert says[1, 1] > 1.3
    assert says[1, 0] < 0.5
    assert (says * (cells.sum(axis=0) / cells.sum())).sum(axis=1) == pytest.approx(1)
    before = np.array([1, 1, 2, 2])
    found = of_records(np.log(says)[[0, 0, 1, 1]], np.zeros(4), before, np.ones(4, np.int64))
    assert found[2, 1] > 1 > found[2, 0]
    assert (found * 0.5).sum(axis=1) == pytest.approx(1)
    unsure = of_records(np.log(says)[[1, 0, 0, 1]], np.zeros(4), before, np.ones(4, np.int64))
    assert unsure == pytest.approx(1)  # says nothing that is true
