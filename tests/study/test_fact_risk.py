"""The highest risk by one fact or two: by hand, and held to a look at every fact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, random_rows
from reference.bayes import Adversary, bayes
from reference.fact_risk import (
    Cell,
    Errors,
    risk_with_lost_cells,
    single_fact_risk,
    two_fact_risk,
)
from reference.tables import PlainAux, PlainRelease

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Draw, Knowledge, Window
from sim.adversary.lost_cells import lost_cells
from sim.adversary.publisher import Publisher
from sim.adversary.tolerance import Tolerance
from sim.metrics import fact_pairs as pairs_module
from sim.metrics.fact_pairs import are_same_item, fact_pairs, share_of_pair, steps_of_pairs
from sim.metrics.fact_risk import fact_risk
from sim.metrics.single_facts import SingleFacts, item_cells, share_of_fact, single_facts
from sim.numeric.rows import row_dicts
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

PARTS = ("item", "value", "date")
CLOSE = 1e-9
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
    draw=st.sampled_from(["cells", "items"]),
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
    by_item = known.draw == "items"
    return Errors(
        known.value_noise, known.date_noise, known.value_share, known.missing, blanks, by_item
    )


def single_of(
    store: Store, tolerance: Tolerance, draw: Draw, counted: np.ndarray | None = None
) -> SingleFacts:
    chance = share_of_fact(store, tolerance, draw, everyone(store) if counted is None else counted)
    return single_facts(store, tolerance, draw, chance)


def pairs_of(
    store: Store, tolerance: Tolerance, draw: Draw, counted: np.ndarray | None = None
) -> np.ndarray:
    one = share_of_fact(store, tolerance, draw, everyone(store) if counted is None else counted)
    found = fact_pairs(store, tolerance, draw, share_of_pair(one))
    assert found is not None
    return found


def everyone(store: Store) -> np.ndarray:
    return np.ones(store.manifest.n_records, np.bool_)


def found_by(
    store: Store, known: Knowledge, publisher: Publisher | None = None
) -> dict[str, object]:
    found = fact_risk(store, {0: Sampling(known)}, seed=1, publisher=publisher)
    (row,) = row_dicts(found.table)
    return row


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
    found = single_of(store, tolerance, known.draw)
    errors = errors_of(known, blanks)
    for part in PARTS:
        wanted = single_fact_risk(cells_of(store), store.scale.tolist(), errors, part)
        risks = dict(enumerate(getattr(found, part).tolist()))
        assert risks == pytest.approx(wanted, rel=CLOSE), part


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
    found = pairs_of(store, tolerance, known.draw)
    same_item = are_same_item(tolerance, known.draw)
    wanted = two_fact_risk(
        cells_of(store), store.scale.tolist(), errors_of(known, blanks), same_item=same_item
    )
    risks = [wanted.get(who, 0.0) for who in range(store.manifest.n_records)]
    assert found.tolist() == pytest.approx(risks, rel=CLOSE)


@SEVERAL
@given(
    seed=st.integers(0, 10**6),
    value_noise=st.sampled_from([None, 0, 1, 2]),
    date_noise=st.sampled_from([None, 0, 3]),
    missing=st.sampled_from([0.0, 0.3]),
    facts=st.integers(1, 2),
)
def test_the_risk_is_the_posterior_of_the_bayes_optimal_attacker(
    make_store: MakeStore,
    seed: int,
    value_noise: float | None,
    date_noise: int | None,
    missing: float,
    facts: int,
) -> None:
    """Of facts without error none has a higher one; where there are no errors, one has it."""
    store = make_store(random_rows(seed, 9, 5, 30, missing=missing), block_records=4)
    known = Knowledge(facts, facts, value_noise, date_noise)
    cells = cells_of(store)
    adversary = Adversary(facts, store.scale, value_noise, date_noise)
    plain = PlainRelease.of(store.manifest.n_records, store.manifest.n_items, cells)
    counted = np.asarray(store.length >= facts)
    tolerance = Tolerance.of(known, store)
    if facts == 1:
        risks = single_of(store, tolerance, "cells", counted).date
    else:
        risks = pairs_of(store, tolerance, "cells", counted)
    highest = np.zeros(store.manifest.n_records)
    for who in np.flatnonzero(counted).tolist():
        own = [cell for cell in cells if cell[0] == who]
        for k, first in enumerate(own):
            for second in own[k + 1 :] if facts == 2 else [None]:
                aux = PlainAux.of(
                    [
                        (
                            cell[1],
                            None if value_noise is None else cell[2],
                            None if date_noise is None else cell[3],
                        )
                        for cell in (first, second)
                        if cell is not None
                    ]
                )
                score = np.exp(bayes(plain, aux, adversary))
                highest[who] = max(highest[who], score[who] / score.sum())
    assert (highest <= risks * (1 + CLOSE)).all()
    if facts == 2 or not (value_noise or date_noise):
        assert highest == pytest.approx(risks, rel=CLOSE)


def test_only_records_that_are_counted_count(make_store: MakeStore) -> None:
    store = make_store(random_rows(7, 30, 6, 120), block_records=8)
    some = np.arange(store.manifest.n_records) % 3 > 0
    known = Knowledge(1, 1, value_noise=1, date_noise=9)
    cells = [cell for cell in cells_of(store) if some[cell[0]]]
    found = single_of(store, Tolerance.of(known, store), known.draw, some)
    wanted = single_fact_risk(cells, store.scale.tolist(), errors_of(known), "date")
    every = range(store.manifest.n_records)
    assert found.date.tolist() == pytest.approx([wanted.get(r, 0.0) for r in every], rel=CLOSE)
    two = pairs_of(store, Tolerance.of(known, store), known.draw, some)
    wanted = two_fact_risk(cells, store.scale.tolist(), errors_of(known))
    assert two.tolist() == pytest.approx([wanted.get(r, 0.0) for r in every], rel=CLOSE)


def test_neither_blocks_nor_the_order_of_records_change_a_risk(make_store: MakeStore) -> None:
    """Bit for bit: single facts are sums of whole numbers."""
    rows = random_rows(3, 60, 8, 300, missing=0.1)
    known = Knowledge(1, 1, value_noise=1, date_noise=9)
    found = []
    for block_records in (7, 65_536):
        store = make_store(rows, block_records=block_records)
        single = single_of(store, Tolerance.of(known, store), "cells")
        pairs = pairs_of(store, Tolerance.of(known, store), "cells")
        found.append([single.item.tolist(), single.date.tolist(), pairs.tolist()])
    assert found[0] == found[1]


def test_items_are_read_in_parts(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, 40, 20, 300), block_records=7)
    items = np.arange(0, store.manifest.n_items, 2)
    (whole,) = item_cells(store, items, 10**6)
    parts = list(item_cells(store, items, 20))
    assert len(parts) > 3
    for name in ("item", "record", "level", "day"):
        joined = np.concatenate([getattr(part, name) for part in parts])
        assert joined.tolist() == getattr(whole, name).tolist()


def test_a_short_record_among_long_ones_is_found_by_what_many_have(make_store: MakeStore) -> None:
    """Four hold the pair, of whom three hold 101 items: 1/C(3, 2) against three of 1/C(101, 2)."""
    rows: list[Row] = [(0, item, None, None) for item in range(3)]
    rows += [(who, item, None, None) for who in (1, 2, 3) for item in range(101)]
    found = found_by(make_store(rows), Knowledge(2, 2, None, None))
    short, long = 1 / 3, 3 / (101 * 100 / 2)
    assert found["pair"] == pytest.approx(short / (short + long))
    assert found["item"] == pytest.approx((1 / 3) / (1 / 3 + 3 / 101))


# Ten people hold three items, all rated 3 on day 100.
ALIKE: list[Row] = [(who, item, 3.0, 100) for who in range(10) for item in (1, 2, 3)]


# Of these ten, as many had one item more, which was dropped.
LOST_ONE = Publisher(popular=1, lost=lost_cells(np.full(10, 3), np.full(10, 4)))

ONLY = [row for row in ALIKE if row[0] != 4 or row[1] == 2]


def with_cell(who: int, item: int, value: float, day: int) -> list[Row]:
    return [row for row in ALIKE if row[:2] != (who, item)] + [(who, item, value, day)]


@pytest.mark.parametrize(
    ("rows", "known", "item", "value", "date"),
    [
        (ALIKE, Knowledge(1, 1, 0, 3), 0.1, 0.1, 0.1),
        (with_cell(4, 9, 3, 100), Knowledge(1, 1, 0, 3), 1, 1, 1),
        (with_cell(4, 2, 5, 100), Knowledge(1, 1, 0, 3), 0.1, 1, 1),
        # Of a 3 and a 4, either may be known as 3 or as 4.
        (with_cell(4, 2, 4, 100), Knowledge(1, 1, 1, 3), 0.1, 0.1, 0.1),
        (with_cell(4, 2, 5, 100), Knowledge(1, 1, None, 3), 0.1, None, 0.1),
        (with_cell(4, 2, 3, 109), Knowledge(1, 1, 0, 3), 0.1, 0.1, 1),
        # The date may be known as 106 + 3, which fits 106 to 112 alone.
        (with_cell(4, 2, 3, 106), Knowledge(1, 1, 0, 3), 0.1, 0.1, 1),
        (with_cell(4, 2, 3, 106), Knowledge(1, 1, 0, None), 0.1, 0.1, None),
        # One of ten has no other item, and nine have it as one of three: 1 / (1 + 9/3).
        (ONLY, Knowledge(1, 1, 0, 3), 0.25, 0.25, 0.25),
    ],
)
def test_single_facts_by_hand(
    make_store: MakeStore,
    rows: list[Row],
    known: Knowledge,
    item: float,
    value: float | None,
    date: float | None,
) -> None:
    found = found_by(make_store(rows), known)
    assert [found[name] for name in PARTS] == [
        None if risk is None else pytest.approx(risk) for risk in (item, value, date)
    ]
    assert found["not_looked_at"] == ""


def test_facts_are_only_about_items_in_the_window(make_store: MakeStore) -> None:
    """Eleven people hold the most popular item, one of them at a value of their own."""
    store = make_store([*with_cell(4, 2, 5, 100), (10, 2, 3.0, 100)])
    assert found_by(store, Knowledge(1, 1, 0, 3))["value"] == 1
    assert found_by(store, Knowledge(1, 1, 0, 3, Window(1)))["value"] == 0.1
    assert found_by(store, Knowledge(1, 1, 0, 3, Window(0, 1)))["value"] == 1


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
    found = found_by(store, known)
    assert [found[name] for name in ("item", "value", "pair")] == [0.2, 0.5, 1]
    assert found["not_looked_at"] == ""
    of_record = fact_risk(store, {0: Sampling(known)}, seed=1).of_record
    assert of_record.tolist() == [0.5, 0.5, 1, 0.5, 0.5]


@pytest.mark.parametrize(
    ("known", "publisher", "why"),
    [
        (Knowledge(1, 2), None, "wrong_facts"),
        (Knowledge(2, 2, record_length=0.5), None, "length_known"),
        (Knowledge(2, 2, 0), Publisher(value_noise=1, scale=(3.0, 4.0)), "values_drawn"),
        (Knowledge(1, 1, 2), Publisher(value_channel=((0.5, 0.5),), scale=(3.0,)), "values_drawn"),
        (Knowledge(1, 1), Publisher(leaves_out=True), "entries_left_out"),
        (Knowledge(1, 1), Publisher(min_support=2), "items_dropped"),
        (Knowledge(1, 1, draw="items", popularity=Window(1)), LOST_ONE, "items_dropped"),
        (Knowledge(1, 1, wrong="item"), LOST_ONE, "items_dropped"),
    ],
)
def test_what_is_not_looked_at_is_said(
    make_store: MakeStore, known: Knowledge, publisher: Publisher | None, why: str
) -> None:
    found = found_by(make_store(ALIKE), known, publisher)
    assert found["not_looked_at"] == why
    assert found["pair"] is None


@SEVERAL
@given(
    seed=st.integers(0, 10**6),
    date_noise=st.sampled_from([None, 0, 3]),
    facts=st.integers(1, 2),
    most=st.integers(0, 3),
    fewest=st.integers(0, 5),
    repeats=st.booleans(),
)
def test_facts_about_dropped_items_by_brute_force(
    make_store: MakeStore,
    seed: int,
    date_noise: int | None,
    facts: int,
    most: int,
    fewest: int,
    repeats: bool,
) -> None:
    """Whatever the records have lost, and however many entries everybody had at least."""
    rows = random_rows(seed, 40, 6, 140, values=False, repeats=repeats)
    store = make_store(rows, block_records=16, repeats=Repeats.ALL if repeats else Repeats.LATEST)
    n = store.length.astype(np.int64)
    lost = np.random.default_rng(seed).integers(0, most, n.size, endpoint=True)
    lost = np.maximum(lost * (lost > 1), fewest - n)
    publisher = Publisher(min_support=2, lost=lost_cells(n, n + lost))
    known = Knowledge(facts, facts, None, date_noise)
    cells, errors = cells_of(store), errors_of(known)
    before = dict(enumerate((n + lost).tolist()))

    def wanted(visible: int, hidden: int) -> np.ndarray:
        risk = risk_with_lost_cells(cells, [], errors, before, (visible, hidden))
        return np.array([risk[who] for who in range(n.size)])

    found = fact_risk(store, {0: Sampling(known)}, seed=1, publisher=publisher, lost=lost)
    (row,) = row_dicts(found.table)
    if facts == 1:
        risks = np.maximum(wanted(1, 0), wanted(0, 1))
        assert found.of_record.tolist() == pytest.approx(risks.tolist(), rel=CLOSE)
        assert row["item" if date_noise is None else "date"] == pytest.approx(risks.max())
    elif not date_noise:
        pair = max(wanted(*each).max() for each in ((2, 0), (1, 1), (0, 2)))
        assert (row["pair"] or 0.0) == pytest.approx(pair)


def test_who_knows_no_values_gains_nothing_by_how_they_were_changed(make_store: MakeStore) -> None:
    noisy = Publisher(value_noise=1, scale=(3.0, 4.0))
    found = found_by(make_store(ALIKE), Knowledge(2, 2, None, 0), noisy)
    assert found["not_looked_at"] == ""
    assert found["pair"] == pytest.approx(0.1)


def test_too_many_pairs_are_not_looked_at(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(ALIKE)
    # Three items of ten cells each, and ten records of six pairs, in one word of 64 records.
    assert steps_of_pairs(store) == 3 * 100 + 10 * 6
    monkeypatch.setattr(pairs_module, "MAX_STEPS", 359)
    assert found_by(store, Knowledge(2, 2))["not_looked_at"] == "too_many_pairs"
    monkeypatch.setattr(pairs_module, "MAX_STEPS", 360)
    assert found_by(store, Knowledge(2, 2))["pair"] == pytest.approx(0.1)


def test_two_facts_may_be_about_one_item(make_store: MakeStore) -> None:
    """Everybody is there twice; one person alone on the first day of some and the second of others.

    Where dates may be off, such pairs are not looked at, which is said.
    """
    rows: list[Row] = [(who, item, None, 100 + 30 * (who % 2) + 10 * n) for who in range(10)
                       for item in (1, 2) for n in range(2)]  # fmt: skip
    rows += [(10, item, None, 100 + (40 * n if item == 1 else 10 * n)) for item in (1, 2)
             for n in range(2)]  # fmt: skip
    store = make_store(rows, repeats=Repeats.ALL)
    exact = found_by(store, Knowledge(2, 2, None, 0))
    assert exact["date"] == pytest.approx(1 / 5)
    assert exact["pair"] == 1
    assert exact["not_looked_at"] == ""
    assert found_by(store, Knowledge(2, 2, None, None))["pair"] == pytest.approx(1 / 11)
    off = found_by(store, Knowledge(2, 2, None, 3))
    assert off["not_looked_at"] == "pairs_of_item, pairs_with_errors"
    items = found_by(store, Knowledge(2, 2, None, 0, draw="items"))
    assert items["not_looked_at"] == ""


def test_absent_targets_have_no_row(make_store: MakeStore) -> None:
    cells = {n: Sampling(Knowledge(1, 1, present=n > 0)) for n in range(2)}
    assert fact_risk(make_store(ALIKE), cells, seed=1).table["cell"].tolist() == [1]


def test_the_noise_of_the_publisher_is_that_of_the_facts(make_store: MakeStore) -> None:
    """Of released cells, noise Z_S on them and Z_A on facts is the same as Z_S + Z_A on facts."""
    store = make_store(random_rows(11, 20, 5, 80))
    noisy = Publisher(date_noise=4, scale=tuple(store.scale.tolist()))
    for part in PARTS:
        assert (
            found_by(store, Knowledge(1, 1, 0, 2), noisy)[part]
            == found_by(store, Knowledge(1, 1, 0, 6), Publisher())[part]
        )
    two, more = Knowledge(2, 2, 0, 2), Knowledge(2, 2, 0, 6)
    found = found_by(store, two, noisy)
    assert found["pair"] == found_by(store, more, Publisher())["pair"] == pytest.approx(1)
    assert found["not_looked_at"] == "pairs_with_errors"


def test_a_coarser_value_hides_a_rare_one(make_store: MakeStore) -> None:
    """Two levels were made one: who knows a 5 knows no more than that the record has the level."""
    store = make_store(with_cell(4, 2, 5.0, 100))
    scale = np.array([3.0, 4.0, 5.0])
    assert found_by(store, Knowledge(1, 1, 0, None), Publisher(scale=(3.0, 5.0)))["value"] == 1
    alike = make_store(ALIKE)
    coarse = Publisher(scale=tuple(scale.tolist())).with_channel(
        np.ones((3, 1)), scale, np.array([3.0])
    )
    assert found_by(alike, Knowledge(1, 1, 0, None), coarse)["value"] == pytest.approx(0.1)


def test_two_facts_of_values_that_were_made_coarser(make_store: MakeStore) -> None:
    """Whoever knows one of the values that became a level knows as much as of the level itself."""
    store = make_store(random_rows(5, 40, 4, 120))
    levels = store.scale
    scale = np.sort(np.concatenate([levels, levels[1:] - 0.25]))
    channel = (scale[:, None] <= levels) & (scale[:, None] > np.append(-np.inf, levels[:-1]))
    assert channel.shape == (2 * levels.size - 1, levels.size)
    coarse = Publisher(scale=tuple(scale.tolist())).with_channel(
        channel.astype(np.float64), scale, levels
    )
    known = Knowledge(2, 2, 0, None)
    adversary = {0: Sampling(known)}
    found = fact_risk(store, adversary, seed=1, publisher=coarse).of_record
    assert found.tolist() == pytest.approx(fact_risk(store, adversary, seed=1).of_record.tolist())
    assert len(set(found.tolist())) > 3
