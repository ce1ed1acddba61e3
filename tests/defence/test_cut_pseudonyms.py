"""Records cut by time: their pieces together are the record, and nothing tells whose they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attacking import decide
from defending import publish
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, plain, random_rows

from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.linkage import linkage_of
from sim.adversary.on_release import on_release
from sim.attack.algorithms.bayes import Bayes
from sim.defence.apply import defended
from sim.defence.cap_length import CapLength
from sim.defence.cells import ReleaseStats
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.cut_pseudonyms import CutPseudonyms
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_records import DropRecords
from sim.defence.jitter_time import JitterTime
from sim.defence.pseudonyms import Pseudonyms
from sim.defence.sample_cells import SampleCells
from sim.defence.sample_records import SampleRecords
from sim.errors import ConfigError, GridError, StoreError
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

CellOf = tuple[object, object, float, float]


def cells_of(store: Store) -> list[CellOf]:
    """Record and item by their identifiers, value and day since 1970; −1 for none."""
    dense, first = plain(store), store.manifest.first_day
    ids, items = store.records.to_pylist(), store.items.to_pylist()
    return [
        (
            ids[r], items[i], float(np.nan_to_num(dense.value[r, i], nan=-1)),
            -1.0 if np.isnan(dense.day[r, i]) else float(dense.day[r, i] + first),
        )
        for r, i in np.argwhere(dense.held).tolist()
    ]  # fmt: skip


def test_a_worked_table(make_store: MakeStore, tmp_path: Path) -> None:
    """Ann in two windows of ten days, and once undated; Bob in one."""
    rows: list[Row] = [
        ("ann", 1, 5.0, 100), ("ann", 2, 4.0, 109), ("ann", 3, 3.0, 110), ("ann", 4, 2.0, None),
        ("bob", 1, 1.0, 125),
    ]  # fmt: skip
    store = make_store(rows)
    released = publish(store, tmp_path / "cut", CutPseudonyms(window="10d"))
    linkage = linkage_of(store, released)
    held = {tuple(sorted(i for r, i, *_ in cells_of(released) if r == record)): person
            for record, person in zip(released.records.to_pylist(), linkage.record.tolist(),
                                      strict=True)}  # fmt: skip
    assert held == {(1, 2): 0, (3,): 0, (4,): 0, (1,): 1}
    (left,) = released.manifest.notes["left by each defence"]
    assert left == {"people": 2, "records": 4, "items": 4, "cells": 5, "theirs": 5}
    assert not {"ann", "bob"} & set(released.records.to_pylist())


@settings(max_examples=examples(25))
@given(
    release=st.integers(0, 1000),
    window=st.sampled_from(["1d", "7d", "25d", "month", "2mo", "year", "week"]),
    blocks=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    names=st.sampled_from([int, "user {}".format]),
)
def test_the_pieces_of_a_record_are_the_record(
    make_store: MakeStore, tmp_path: Path, release: int, window: str, blocks: tuple[int, int],
    names: object,
) -> None:  # fmt: skip
    rows = [
        (names(record), item, value, day)  # type: ignore[operator]
        for record, item, value, day in random_rows(release, missing=0.2)
    ]
    store = make_store(rows, block_records=blocks[0])
    folder = tmp_path / f"cut-{len(list(tmp_path.iterdir()))}"
    defence = CutPseudonyms(window=window)
    released = publish(store, folder, defence)
    released.verify()
    linkage = linkage_of(store, released)
    assert linkage.item.tolist() == list(range(store.manifest.n_items))
    whose = dict(zip(released.records.to_pylist(), linkage.record.tolist(), strict=True))
    ids = store.records.to_pylist()
    put_together = [(ids[whose[record]], *rest) for record, *rest in cells_of(released)]
    assert sorted(put_together, key=repr) == sorted(cells_of(store), key=repr)  # type: ignore[arg-type]
    stats = ReleaseStats.of(store)
    windows: dict[object, set[int]] = {}
    for record, _, _, day in cells_of(released):
        n = -1 if day < 0 else int(defence._windows(np.array([int(day)]), stats)[0])
        windows.setdefault(record, set()).add(n)
    assert all(len(found) == 1 for found in windows.values())
    pairs = [(whose[record], *found) for record, found in windows.items()]  # type: ignore[index]
    assert len(set(pairs)) == len(pairs)
    other = make_store(rows, block_records=blocks[1])
    again = publish(other, folder.with_name(folder.name + "b"), defence)
    assert again.manifest.fingerprint == released.manifest.fingerprint


def test_calendar_windows_are_those_of_the_calendar(make_store: MakeStore, tmp_path: Path) -> None:
    days = np.arange("2020-01-01", "2021-02-01", dtype="datetime64[D]")
    rows: list[Row] = [(1, n, 1.0, int(day.astype(int))) for n, day in enumerate(days)]
    store = make_store(rows)
    for window, number in (("month", 13), ("year", 2), ("3mo", 5), ("12mo", 2)):
        made = publish(store, tmp_path / window, CutPseudonyms(window=window))
        assert made.manifest.n_records == number


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 1 << 20, (1 << 20) + 1])
def test_pseudonyms_are_all_different_and_can_be_taken_back(size: int) -> None:
    some = np.unique(np.linspace(0, size - 1, 5000).astype(np.int64))
    one, other = Pseudonyms("a", size), Pseudonyms("b", size)
    given = one.of(some)
    assert np.unique(given).size == some.size
    np.testing.assert_array_equal(one.whose(given), some)
    if size > 500:
        assert (given != other.of(some)).mean() > 0.9


def test_the_order_of_pseudonyms_tells_nothing(make_store: MakeStore, tmp_path: Path) -> None:
    """Neither whose records are, nor which are of one person, nor their times."""
    store = make_store(random_rows(3, records=300, items=40, cells=4000))
    released = publish(store, tmp_path / "cut", CutPseudonyms(window="10d"))
    whose = linkage_of(store, released).record
    n = whose.size
    assert n > 1000
    correlation = np.corrcoef(np.arange(n), whose)[0, 1]
    assert abs(correlation) < 4 / np.sqrt(n)
    adjacent = np.count_nonzero(whose[1:] == whose[:-1])
    expected = sum(k * (k - 1) for k in np.bincount(whose).tolist()) / n
    assert abs(adjacent - expected) < 5 * np.sqrt(expected)
    day = np.nanmean(plain(released).day, axis=1)
    assert abs(np.corrcoef(np.arange(n), day)[0, 1]) < 4 / np.sqrt(n)


def test_who_lacks_the_data_lacks_the_key(make_store: MakeStore, tmp_path: Path) -> None:
    """Another cell, another option: other pseudonyms."""
    rows = random_rows(1)
    stores = [make_store(rows), make_store(rows[1:])]
    made = [
        publish(stores[0], tmp_path / "a", CutPseudonyms(window="5d")),
        publish(stores[0], tmp_path / "b", CutPseudonyms(window="5d", seed=2)),
        publish(stores[1], tmp_path / "c", CutPseudonyms(window="5d")),
    ]
    wholes = [set(zip(m.records.to_pylist(), linkage_of(s, m).record.tolist(), strict=True))
              for m, s in zip(made, (stores[0], stores[0], stores[1]), strict=True)]  # fmt: skip
    assert len(wholes[0] & wholes[1]) < len(wholes[0]) / 2
    assert len(wholes[0] & wholes[2]) < len(wholes[0]) / 2


def test_defences_after_a_cut_see_its_pieces(make_store: MakeStore, tmp_path: Path) -> None:
    """Supports stay in people; noise is the same as without the cut."""
    store = make_store(random_rows(2, cells=400))
    cut = CutPseudonyms(window="7d")
    both = publish(store, tmp_path / "both", DropItems(min_support=9), cut)
    swapped = publish(store, tmp_path / "swapped", cut, DropItems(min_support=9))
    assert sorted(c[1:] for c in cells_of(both)) == sorted(c[1:] for c in cells_of(swapped))
    twice = publish(store, tmp_path / "twice", cut, CutPseudonymsAgain(window="2d"))
    whose = linkage_of(store, twice).record
    assert set(whose.tolist()) == set(range(store.manifest.n_records))
    assert twice.manifest.n_records > both.manifest.n_records
    moved = publish(store, tmp_path / "moved", cut, JitterTime(date_noise=3))
    assert moved.manifest.n_cells == store.manifest.n_cells


class CutPseudonymsAgain(CutPseudonyms):
    """Another defence that cuts."""

    name = "cut_again"


def test_facts_are_about_all_records_of_a_person(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(4, cells=500))
    released = publish(store, tmp_path / "cut", CutPseudonyms(window="9d"))
    targets = np.flatnonzero(store.length >= 4)
    drawn = draw_aux(store, Knowledge(2, 2, 0, 0), 0, targets, 1)
    restated = on_release(drawn, store, released)
    records = restated.truth.records
    assert records is not None
    whose = linkage_of(store, released).record
    for unit, person in enumerate(targets.tolist()):
        own = records.record[records.start[unit] : records.start[unit + 1]]
        assert own.tolist() == np.flatnonzero(whose == person).tolist()
        assert restated.truth.target[unit] == own[0]
    part = restated.part(3, 6).truth.records
    assert part is not None
    assert part.record.tolist() == records.record[records.start[3] : records.start[6]].tolist()


@pytest.mark.parametrize(
    "chain",
    [
        [CutPseudonyms(), SampleCells()], [SampleCells(), CutPseudonyms()],
        [CutPseudonyms(), DropRecords(min_length=2)], [CutPseudonyms(), SampleRecords()],
        [CutPseudonyms(), CapLength(n=2)], [CoarsenTime(bin="week"), CutPseudonyms()],
    ],
    ids=lambda chain: "+".join(each.name for each in chain),
)  # fmt: skip
def test_what_has_no_model_is_not_tested(
    make_store: MakeStore, tmp_path: Path, chain: list[Defence]
) -> None:
    change = defended(make_store(random_rows(1)), chain)
    known = change.with_totals(change.build(tmp_path / "released"))
    assert known.unmodelled == "several_records"
    assert Bayes().for_study([Knowledge(2, 3)], known).untested


def test_a_release_with_new_identifiers_is_not_matched_by_them(
    make_store: MakeStore, tmp_path: Path
) -> None:
    store, other = make_store(random_rows(1)), make_store(random_rows(2))
    released = publish(store, tmp_path / "cut", CutPseudonyms(window="9d"))
    with pytest.raises(StoreError, match="new identifiers; open it with the defences"):
        linkage_of(other, released)


@pytest.mark.parametrize("window", ["0d", "fortnight", "-3d", ""])
def test_windows_that_cannot_be(window: str) -> None:
    with pytest.raises(ConfigError, match=r"^defence\.cut_pseudonyms\.window: "):
        CutPseudonyms(window=window)


def test_releases_that_cannot_be_cut(make_store: MakeStore) -> None:
    dated = make_store(random_rows(1))
    with pytest.raises(GridError, match="36 hours is no whole number of days"):
        defended(dated, [CutPseudonyms(window="36h")])
    with pytest.raises(GridError, match="needs dates"):
        defended(make_store(random_rows(1, days=False)), [CutPseudonyms()])


def test_two_pieces_that_fit_alike_are_a_sure_hit(make_store: MakeStore, tmp_path: Path) -> None:
    """Hand-worked: Ann goes to place 1 in both windows, Bob and Cid to others.

    From "place 1", without a date, the attacker cannot tell her two records apart, and names one of
    them in any case. Without her, nobody fits.
    """
    rows: list[Row] = [
        ("ann", 1, None, 0), ("ann", 1, None, 12), ("bob", 2, None, 0), ("cid", 2, None, 12),
    ]  # fmt: skip
    store = make_store(rows, repeats=Repeats.ALL)
    released = publish(store, tmp_path / "cut", CutPseudonyms(window="10d"))
    assert released.manifest.n_records == 4
    for present in (True, False):
        known = Knowledge(1, 1, None, None, present=present)
        drawn = on_release(draw_aux(store, known, 0, np.array([0]), 1), store, released)
        found = decide(released, drawn, Bayes().for_study([known]))
        assert (found.candidates, found.ties) == ((4, 2) if present else (2, 2))
        assert found.best == -1
        if present:
            assert (found.rank, found.above, found.entropy_bits) == (1, 0, 0.0)
        else:
            assert found.rank == 0
