"""The fewest records that fit a fact, or two: by hand, and held to a count of everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, random_rows

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.publisher import Publisher, TimeStep
from sim.adversary.tolerance import Tolerance
from sim.metrics import fitting_pairs as pairs_module
from sim.metrics.fewest_fitting import fewest_fitting
from sim.metrics.fitting_pairs import fitting_pairs, steps_of_pairs
from sim.metrics.fitting_records import NONE, fitting_records, item_cells
from sim.numeric.rows import row_dicts
from sim.reference.fitting import Cell, Errors, fewest_fitting_two
from sim.reference.fitting import fewest_fitting as by_brute_force
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

PARTS = ("item", "value", "date")
SEVERAL = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
KNOWLEDGE = st.builds(
    Knowledge,
    correct=st.just(1),
    size=st.just(1),
    value_noise=st.sampled_from([None, 0, 1, 2]),
    date_noise=st.sampled_from([None, 0, 3, 20]),
    value_share=st.sampled_from([0.0, 0.3]),
    missing=st.sampled_from([0.0, 0.3]),
)


def cells_of(store: Store) -> list[Cell]:
    cells = list[Cell]()
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        whose = block.first + np.repeat(np.arange(block.n_records), np.diff(block.record_start))
        for who, item, level, day in zip(
            *(whose.tolist(), block.record_item.tolist()),
            *(block.record_level.tolist(), block.record_day.tolist()),
            strict=True,
        ):
            value = None if level == store.scale.size else float(store.scale[level])
            cells.append((who, item, value, None if day == store.manifest.n_days else day))
    return cells


def errors_of(known: Knowledge, blanks: bool = False) -> Errors:
    return Errors(known.value_noise, known.date_noise, known.value_share, known.missing > 0, blanks)


def everyone(store: Store) -> np.ndarray:
    return np.ones(store.manifest.n_records, np.bool_)


def counted(
    store: Store, known: Knowledge, publisher: Publisher | None = None
) -> dict[str, object]:
    found = fewest_fitting(store, {0: Sampling(known)}, seed=1, publisher=publisher)
    (row,) = row_dicts(found.table)
    return row


@pytest.mark.slow
@SEVERAL
@given(
    seed=st.integers(0, 10**6),
    known=KNOWLEDGE,
    missing=st.sampled_from([0.0, 0.3]),
    repeats=st.booleans(),
    values=st.booleans(),
    days=st.booleans(),
    blanks=st.booleans(),
)
def test_single_facts_by_brute_force(
    make_store: MakeStore,
    seed: int,
    known: Knowledge,
    missing: float,
    repeats: bool,
    values: bool,
    days: bool,
    blanks: bool,
) -> None:
    rows = random_rows(seed, 11, 5, 50, values, days, missing, repeats=repeats)
    store = make_store(
        rows, block_records=4, repeats=Repeats.ALL if repeats and days else Repeats.LATEST
    )
    tolerance = Tolerance.of(known, store, Publisher(blanks=blanks))
    found, errors = fitting_records(store, tolerance, everyone(store)), errors_of(known, blanks)
    for part in PARTS:
        wanted = by_brute_force(cells_of(store), store.scale.tolist(), errors, part)
        assert dict(enumerate(getattr(found, part).tolist())) == wanted, part


@pytest.mark.slow
@SEVERAL
@given(
    seed=st.integers(0, 10**6),
    known=KNOWLEDGE,
    missing=st.sampled_from([0.0, 0.3]),
    repeats=st.booleans(),
    blanks=st.booleans(),
)
def test_two_facts_by_brute_force(
    make_store: MakeStore, seed: int, known: Knowledge, missing: float, repeats: bool, blanks: bool
) -> None:
    rows = random_rows(seed, 70, 6, 220, missing=missing, repeats=repeats)
    store = make_store(rows, block_records=30, repeats=Repeats.ALL if repeats else Repeats.LATEST)
    tolerance = Tolerance.of(known, store, Publisher(blanks=blanks))
    found = fitting_pairs(store, tolerance, everyone(store))
    wanted = fewest_fitting_two(cells_of(store), errors_of(known, blanks))
    assert found is not None
    assert found.tolist() == [wanted.get(who, NONE) for who in range(store.manifest.n_records)]


def test_only_records_that_are_counted_count(make_store: MakeStore) -> None:
    store = make_store(random_rows(7, 30, 6, 120), block_records=8)
    some = np.arange(store.manifest.n_records) % 3 > 0
    known = Knowledge(1, 1, value_noise=1, date_noise=9)
    cells = [cell for cell in cells_of(store) if some[cell[0]]]
    found = fitting_records(store, Tolerance.of(known, store), some)
    wanted = by_brute_force(cells, store.scale.tolist(), errors_of(known), "date")
    assert found.date.tolist() == [wanted.get(r, NONE) for r in range(store.manifest.n_records)]
    two = fitting_pairs(store, Tolerance.of(known, store), some)
    wanted = fewest_fitting_two(cells, errors_of(known))
    assert two is not None
    assert two.tolist() == [wanted.get(r, NONE) for r in range(store.manifest.n_records)]


def test_items_are_read_in_parts(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, 40, 20, 300), block_records=7)
    items = np.arange(0, store.manifest.n_items, 2)
    (whole,) = item_cells(store, items, 10**6)
    parts = list(item_cells(store, items, 20))
    assert len(parts) > 3
    for name in ("item", "record", "level", "day"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert joined.tolist() == getattr(whole, name).tolist()


# Ten people hold three items, all rated 3 on day 100.
ALIKE: list[Row] = [(who, item, 3.0, 100) for who in range(10) for item in (1, 2, 3)]


def with_cell(who: int, item: int, value: float, day: int) -> list[Row]:
    return [row for row in ALIKE if row[:2] != (who, item)] + [(who, item, value, day)]


@pytest.mark.parametrize(
    ("rows", "known", "item", "value", "date"),
    [
        (ALIKE, Knowledge(1, 1, 0, 3), 10, 10, 10),
        (with_cell(4, 9, 3, 100), Knowledge(1, 1, 0, 3), 1, 1, 1),
        (with_cell(4, 2, 5, 100), Knowledge(1, 1, 0, 3), 10, 1, 1),
        # Known up to 1: the value may be known as 5, which fits 4 to 6 alone.
        (with_cell(4, 2, 4, 100), Knowledge(1, 1, 1, 3), 10, 10, 10),
        (with_cell(4, 2, 5, 100), Knowledge(1, 1, None, 3), 10, None, 10),
        (with_cell(4, 2, 3, 109), Knowledge(1, 1, 0, 3), 10, 10, 1),
        # The date may be known as 106 + 3, which fits 106 to 112 alone.
        (with_cell(4, 2, 3, 106), Knowledge(1, 1, 0, 3), 10, 10, 1),
        (with_cell(4, 2, 3, 106), Knowledge(1, 1, 0, None), 10, 10, None),
    ],
)
def test_single_facts_by_hand(
    make_store: MakeStore,
    rows: list[Row],
    known: Knowledge,
    item: int,
    value: int | None,
    date: int | None,
) -> None:
    found = counted(make_store(rows), known)
    assert [found[name] for name in PARTS] == [item, value, date]
    assert found["not_counted"] == ""


def test_facts_are_only_about_items_in_the_window(make_store: MakeStore) -> None:
    """Eleven people hold the most popular item, one of them at a value of their own."""
    store = make_store([*with_cell(4, 2, 5, 100), (10, 2, 3.0, 100)])
    assert counted(store, Knowledge(1, 1, 0, 3))["value"] == 1
    assert counted(store, Knowledge(1, 1, 0, 3, Window(1)))["value"] == 10
    assert counted(store, Knowledge(1, 1, 0, 3, Window(0, 1)))["value"] == 1


def test_two_facts_may_be_rare_where_each_alone_is_not(make_store: MakeStore) -> None:
    """Each of four values of two items has two holders or more, one pair of values has one."""
    pairs = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 2)]
    rows: list[Row] = [
        (who, item, value, None)
        for who, both in enumerate(pairs)
        for item, value in enumerate(both)
    ]
    store = make_store(rows)
    known = Knowledge(2, 2, 0, None)
    found = counted(store, known)
    assert [found[name] for name in ("item", "value", "pair")] == [5, 2, 1]
    assert found["not_counted"] == ""
    of_record = fewest_fitting(store, {0: Sampling(known)}, seed=1).of_record
    assert of_record.tolist() == [2, 2, 1, 2, 2]


@pytest.mark.parametrize(
    ("known", "publisher", "words"),
    [
        (Knowledge(1, 2), None, "some may be wrong"),
        (Knowledge(2, 2), Publisher(), "the data were changed"),
        (Knowledge(2, 2, record_length=0.5), None, "the length of a record"),
        (Knowledge(2, 2), Publisher().with_times(TimeStep("jitter", 3)), "the data were changed"),
    ],
)
def test_what_is_not_counted_is_said(
    make_store: MakeStore, known: Knowledge, publisher: Publisher | None, words: str
) -> None:
    found = counted(make_store(ALIKE), known, publisher)
    assert words in str(found["not_counted"])
    assert found["pair"] is None


def test_too_many_pairs_are_not_counted(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(ALIKE)
    # Three items of ten cells each, and ten records of six pairs, in one word of 64 records.
    assert steps_of_pairs(store) == 3 * 100 + 10 * 6
    monkeypatch.setattr(pairs_module, "MAX_STEPS", 359)
    assert "too many" in str(counted(store, Knowledge(2, 2))["not_counted"])
    monkeypatch.setattr(pairs_module, "MAX_STEPS", 360)
    assert counted(store, Knowledge(2, 2))["pair"] == 10


def test_absent_targets_have_no_row(make_store: MakeStore) -> None:
    cells = {n: Sampling(Knowledge(1, 1, present=n > 0)) for n in range(2)}
    assert fewest_fitting(make_store(ALIKE), cells, seed=1).table["cell"].tolist() == [1]


def test_the_noise_of_the_publisher_is_that_of_the_facts(make_store: MakeStore) -> None:
    """Of released cells, noise Z_S on them and Z_A on facts is the same as Z_S + Z_A on facts."""
    store = make_store(random_rows(11, 20, 5, 80))
    noisy = Publisher(date_noise=4, scale=tuple(store.scale.tolist()))
    for part in PARTS:
        assert (
            counted(store, Knowledge(1, 1, 0, 2), noisy)[part]
            == counted(store, Knowledge(1, 1, 0, 6), Publisher())[part]
        )


def test_a_coarser_value_hides_a_rare_one(make_store: MakeStore) -> None:
    """Two levels were made one: who knows a 5 knows no more than that the record has the level."""
    store = make_store(with_cell(4, 2, 5.0, 100))
    scale = np.array([3.0, 4.0, 5.0])
    assert counted(store, Knowledge(1, 1, 0, None), Publisher(scale=(3.0, 5.0)))["value"] == 1
    alike = make_store(ALIKE)
    coarse = Publisher(scale=tuple(scale.tolist())).with_channel(
        np.ones((3, 1)), scale, np.array([3.0])
    )
    assert counted(alike, Knowledge(1, 1, 0, None), coarse)["value"] == 10
