"""The highest posterior by one fact or two: by hand, and held to every fact that may be drawn."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, plain, random_rows
from reference import bayes_events
from reference.bayes import Adversary
from reference.tables import PlainAux

from sim.adversary.chosen_facts import ChosenFacts, single_facts
from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.algorithms.bayes import Bayes
from sim.defence.apply import defended
from sim.defence.sample_records import SampleRecords
from sim.numeric.rows import row_dicts
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.study import worst_case as module
from sim.study.grid import GridCell
from sim.study.plan import make_plan
from sim.study.worst_case import FACTS, worst_case

CLOSE = 1e-9
SEVERAL = settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def found_by(
    store: Store, *known: Knowledge, publisher: Publisher = AS_IS
) -> list[dict[str, object]]:
    cells = [GridCell(n, {}, Sampling(one)) for n, one in enumerate(known)]
    attack = Bayes().for_study(known, publisher)
    return row_dicts(worst_case(store, attack, make_plan(store, cells, attack, None, seed=1)))


def risk_by(store: Store, known: Knowledge, name: str) -> object:
    (row,) = found_by(store, known)
    return row[name]


def all_facts(cell: Row, known: Knowledge, store: Store) -> list[tuple[int, float, float]]:
    """Return each fact that may be drawn about a cell."""
    _, item, value, day = cell
    values, days = [np.nan], [np.nan]
    if known.value_noise is not None and value is not None:
        reach = known.reach_of(np.array([value]))[0]
        values = [one for one in store.scale.tolist() if abs(one - value) <= reach]
    if known.date_noise is not None and day is not None:
        days = [*range(day - known.date_noise, day + known.date_noise + 1)]
    return [(item, *parts) for parts in product(values, days)]


def cells_of(store: Store) -> list[Row]:
    found = list[Row]()
    for layer in plain(store).layers:
        for who, item in np.argwhere(layer.held).tolist():
            value, day = float(layer.value[who, item]), layer.day[who, item]
            parts = None if np.isnan(value) else value, None if np.isnan(day) else int(day)
            found.append((who, item, *parts))
    return found


def highest(store: Store, known: Knowledge, facts: int) -> float:
    """Return the highest posterior of anybody's own record, over all facts about them."""
    adversary = Adversary(
        facts, store.scale, known.value_noise, known.date_noise, draw=known.draw,
        value_share=known.value_share,
    )  # fmt: skip
    about: dict[tuple[tuple[int, float, float], ...], set[int]] = {}
    for cells in combinations(sorted(cells_of(store), key=lambda cell: cell[0]), facts):
        whose, items = ({cell[place] for cell in cells} for place in (0, 1))
        if len(whose) == 1 and (known.draw == "cells" or len(items) == facts):
            for drawn in product(*(all_facts(cell, known, store) for cell in cells)):
                about.setdefault(tuple(sorted(drawn, key=str)), set()).update(whose)
    release, risk = plain(store), 0.0
    for drawn, people in about.items():
        score = np.exp(bayes_events(release, PlainAux.of([*drawn]), adversary))
        risk = max(risk, *(score[who] / score.sum() for who in people if score[who]), 0.0)
    return risk


@SEVERAL
@given(
    seed=st.integers(0, 10**6),
    value_noise=st.sampled_from([None, 0, 1, 2]),
    date_noise=st.sampled_from([None, 0, 2, 9]),
    value_share=st.sampled_from([0.0, 0.3]),
    draw=st.sampled_from(["cells", "items"]),
    missing=st.sampled_from([0.0, 0.3]),
    repeats=st.booleans(),
)
def test_the_worst_single_fact_by_brute_force(
    make_store: MakeStore,
    seed: int,
    value_noise: float | None,
    date_noise: int | None,
    value_share: float,
    draw: str,
    missing: float,
    repeats: bool,
) -> None:
    rows = random_rows(seed, 12, 3, 24, missing=missing, repeats=repeats, scale=(1.0, 2.0, 3.0))
    rows = [(*row[:3], row[3] and row[3] % 30) for row in rows]
    store = make_store(rows, block_records=5, repeats=Repeats.ALL if repeats else Repeats.LATEST)
    known = Knowledge(1, 1, value_noise, date_noise, value_share=value_share, draw=draw)  # type: ignore[arg-type]
    (row,) = found_by(store, known)
    assert row["single"] == pytest.approx(highest(store, known, 1), rel=CLOSE)
    assert (row["pair"], row["n_single"]) == (None, row["of_single"])


@SEVERAL
@given(
    seed=st.integers(0, 10**6),
    value_noise=st.sampled_from([None, 0]),
    date_noise=st.sampled_from([None, 0]),
    draw=st.sampled_from(["cells", "items"]),
    missing=st.sampled_from([0.0, 0.3]),
    repeats=st.booleans(),
)
def test_the_worst_two_facts_by_brute_force(
    make_store: MakeStore,
    seed: int,
    value_noise: float | None,
    date_noise: int | None,
    draw: str,
    missing: float,
    repeats: bool,
) -> None:
    rows = random_rows(seed, 25, 4, 60, missing=missing, repeats=repeats, scale=(1.0, 2.0))
    store = make_store(
        [(*row[:3], row[3] and row[3] % 2) for row in rows],
        block_records=10,
        repeats=Repeats.ALL if repeats else Repeats.LATEST,
    )
    known = Knowledge(2, 2, value_noise, date_noise, draw=draw)  # type: ignore[arg-type]
    (row,) = found_by(store, known)
    best = row["single"] if row["pair"] is None else row["pair"]  # one that is sure is the worst
    assert best == pytest.approx(max(highest(store, known, 2), row["single"] // 1), rel=CLOSE)  # type: ignore[operator]


# Ten people hold three items, all rated 3 on day 100.
ALIKE: list[Row] = [(who, item, 3.0, 100) for who in range(10) for item in (1, 2, 3)]
ONLY = [row for row in ALIKE if row[0] != 4 or row[1] == 2]


# Of the second item, one person has a date in the middle of those of the others.
BETWEEN: list[Row] = [
    (*row[:3], (100, 106, 112)[(row[0] > 3) + (row[0] > 4)] if row[1] == 2 else 100)
    for row in ALIKE
]


def with_cell(who: int, item: int, value: float, day: int) -> list[Row]:
    return [row for row in ALIKE if row[:2] != (who, item)] + [(who, item, value, day)]


@pytest.mark.parametrize(
    ("rows", "known", "risk"),
    [
        (ALIKE, Knowledge(1, 1, 0, 3), 0.1),
        (with_cell(4, 9, 3, 100), Knowledge(1, 1, 0, 3), 1),
        (with_cell(4, 2, 5, 100), Knowledge(1, 1, 0, 3), 1),
        # Of a 3 and a 4, either may be known as 3 or as 4.
        (with_cell(4, 2, 4, 100), Knowledge(1, 1, 1, 3), 0.1),
        (with_cell(4, 2, 5, 100), Knowledge(1, 1, None, 3), 0.1),
        (with_cell(4, 2, 3, 109), Knowledge(1, 1, 0, 3), 1),
        # The date may be known as 106 + 3, which fits 106 to 112 alone.
        (with_cell(4, 2, 3, 106), Knowledge(1, 1, 0, 3), 1),
        # As 96, which is before all others; as 104 to 108, when some have ceased to fit.
        (with_cell(4, 2, 3, 99), Knowledge(1, 1, 0, 3), 1),
        (BETWEEN, Knowledge(1, 1, 0, 3), 1),
        (with_cell(4, 2, 3, 106), Knowledge(1, 1, 0, None), 0.1),
        # One of ten has no other item, and nine have it as one of three: 1 / (1 + 9/3).
        (ONLY, Knowledge(1, 1, 0, 3), 0.25),
    ],
)
def test_single_facts_by_hand(
    make_store: MakeStore, rows: list[Row], known: Knowledge, risk: float
) -> None:
    assert risk_by(make_store(rows), known, "single") == pytest.approx(risk)


def test_a_short_record_among_long_ones_is_found_by_what_many_have(make_store: MakeStore) -> None:
    """Four hold the pair, of whom three hold 101 items: 1/C(3, 2) against three of 1/C(101, 2)."""
    rows: list[Row] = [(0, item, None, None) for item in range(3)]
    rows += [(who, item, None, None) for who in (1, 2, 3) for item in range(101)]
    (row,) = found_by(make_store(rows), Knowledge(2, 2, None, None))
    short, long = 1 / 3, 3 / (101 * 100 / 2)
    assert row["pair"] == pytest.approx(short / (short + long))
    assert row["single"] == pytest.approx((1 / 3) / (1 / 3 + 3 / 101))
    assert row["n_pair"] == row["of_pair"] == 3 + 3 * 101 * 50


def test_facts_are_only_about_items_in_the_window(make_store: MakeStore) -> None:
    """Eleven people hold the most popular item, one of them at a value of their own."""
    store = make_store([*with_cell(4, 2, 5, 100), (10, 2, 3.0, 100)])
    assert risk_by(store, Knowledge(1, 1, 0, 3), "single") == 1
    assert risk_by(store, Knowledge(1, 1, 0, 3, Window(1)), "single") == pytest.approx(0.1)
    assert risk_by(store, Knowledge(1, 1, 0, 3, Window(0, 1)), "single") == 1


def test_two_facts_may_be_rare_where_each_alone_is_not(make_store: MakeStore) -> None:
    """Each of four values of two items has two holders or more, one pair of values has one."""
    pairs = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 2)]
    rows: list[Row] = [
        (who, item, value, None)
        for who, both in enumerate(pairs)
        for item, value in enumerate(both)
    ]
    (row,) = found_by(make_store(rows), Knowledge(2, 2, 0, None))
    assert [row[name] for name in FACTS] == [pytest.approx(0.5), 1]


def test_two_facts_may_be_about_one_item(make_store: MakeStore) -> None:
    """Everybody is there twice; one person on the first day of some, the second of others."""
    rows: list[Row] = [(who, item, None, 100 + 30 * (who % 2) + 10 * n) for who in range(10)
                       for item in (1, 2) for n in range(2)]  # fmt: skip
    rows += [(10, item, None, 100 + (40 * n if item == 1 else 10 * n)) for item in (1, 2)
             for n in range(2)]  # fmt: skip
    store = make_store(rows, repeats=Repeats.ALL)
    (exact,) = found_by(store, Knowledge(2, 2, None, 0))
    assert [exact[name] for name in FACTS] == [pytest.approx(1 / 5), 1]
    assert risk_by(store, Knowledge(2, 2, None, None), "pair") == pytest.approx(1 / 11)


def test_what_was_scored_is_counted(make_store: MakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of items that are all looked at or not; and of pairs of as many facts of each person."""
    store = make_store([*ALIKE, *((who, 4, 3.0, 100 + who % 2) for who in range(4))])
    (whole,) = found_by(store, Knowledge(2, 2, 0, 0))
    pairs = 6 * 3 + 4 * 6
    counts = "n_single", "of_single", "n_pair", "of_pair"
    assert [whole[name] for name in counts] == [34, 34, pairs, pairs]
    for most, wanted in ((1, [0, 34, 0, pairs]), (3, [14, 34, 10, pairs])):
        monkeypatch.setattr(module, "MOST_SCORED", most)
        (some,) = found_by(store, Knowledge(2, 2, 0, 0))
        assert [some[name] for name in counts] == wanted
        assert (some["single"] is None) == (most == 1)


def test_the_facts_are_some_of_those_that_the_attacker_has(make_store: MakeStore) -> None:
    """Who has three items, and one right fact or two of them, is none of those with fewer."""
    store = make_store(ONLY)
    rows = found_by(
        store,
        Knowledge(3, 3, 0, 3),
        Knowledge(1, 3, 0, 3),
        Knowledge(3, 3, 0, 3, first=1),
        Knowledge(3, 3, 0, 3, record_length=0.5),
        Knowledge(3, 3, 0, 3, present=False),
    )
    assert [row["cell"] for row in rows] == [0, 1, 2]
    assert [row["single"] for row in rows] == [pytest.approx(1 / 9)] * 3
    assert [row["pair"] for row in rows] == [pytest.approx(1 / 9), pytest.approx(1 / 9), None]


def test_nothing_is_said_of_all_where_only_some_are_attacked(make_store: MakeStore) -> None:
    store, known = make_store(ALIKE), Knowledge(1, 1, 0, 0)
    attack, cells = Bayes().for_study([known], AS_IS), [GridCell(0, {}, Sampling(known))]
    for n_targets, rows in ((9, 0), (10, 1), (None, 1)):
        plan = make_plan(store, cells, attack, n_targets, seed=1)
        assert len(worst_case(store, attack, plan)) == rows


def test_facts_of_people_who_are_not_released_are_not_scored(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has an item of their own; a fact about it is scored if they are in the release."""
    original = make_store([(who, who, 3.0, 100) for who in range(10)])
    known, change = Knowledge(1, 1, 0, 0), defended(original, [SampleRecords(share=0.5)])
    store, scored = change.open(tmp_path), set[int]()

    def listed(*given: Any, **options: Any) -> ChosenFacts:
        chosen = single_facts(*given, **options)
        scored.update(chosen.aux.item.tolist())
        return chosen

    monkeypatch.setattr(module, "single_facts", listed)
    attack = Bayes().for_study([known], change.with_totals(store, [known]))
    plan = make_plan(store, [GridCell(0, {}, Sampling(known))], attack, None, 1, original)
    (row,) = row_dicts(worst_case(store, attack, plan))
    assert scored == set(map(int, store.records.to_pylist()))
    assert 0 < len(scored) < 10
    assert row["single"] == pytest.approx(1)


def test_where_values_were_made_coarser_who_knows_one_knows_the_level(
    make_store: MakeStore,
) -> None:
    scale, store = np.array([3.0, 4.0, 5.0]), make_store(ALIKE)
    coarse = Publisher(scale=tuple(scale.tolist())).with_channel(
        np.ones((3, 1)), scale, np.array([3.0])
    )
    (row,) = found_by(store, Knowledge(1, 1, 0, None), publisher=coarse)
    assert row["single"] == pytest.approx(0.1)
