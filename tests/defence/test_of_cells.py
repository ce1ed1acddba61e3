"""Defences that drop, coarsen, sample and exchange cells: by hand, and what each keeps."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from defending import publish
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, RowSource, examples, random_rows
from scipy.stats import binomtest, chisquare

from sim.adversary.linkage import linkage_of
from sim.defence.apply import defended
from sim.defence.cap_length import CapLength
from sim.defence.cells import ReleaseStats
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.coarsen_values import CoarsenValues
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_long import DropLong
from sim.defence.drop_popular import DropPopular
from sim.defence.drop_records import DropRecords
from sim.defence.drop_time import DropTime
from sim.defence.drop_values import DropValues
from sim.defence.jitter_time import JitterTime
from sim.defence.sample_cells import SampleCells
from sim.defence.sample_records import SampleRecords
from sim.defence.source import LEFT, DefendedSource, release_stats
from sim.defence.swap_values import SwapValues
from sim.errors import ConfigError, GridError, StandoutError
from sim.release.store.build import build_store
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin

pytestmark = pytest.mark.fast

UNLIKELY = 1e-4

ALL: list[Defence] = [
    DropPopular(top=3), DropRecords(min_length=5, max_length=9), CapLength(n=4),
    CapLength(n=4, keep="latest"), CoarsenTime(bin="week"), CoarsenTime(bin="month"),
    CoarsenTime(bin="3d"), DropTime(), CoarsenValues(levels=2), DropValues(),
    SwapValues(share=0.5), SwapValues(share=1), SampleCells(share=0.5), SampleRecords(share=0.6),
    DropLong(max_length=7),
]  # fmt: skip
"""One of each kind."""

LONGEST = 9
"""Cells of the longest record of `random_rows(1)`."""


def cells_of(store: Store) -> list[tuple[Any, ...]]:
    """Record, item, value and day (since 1970) of every cell, sorted; −1 for none."""
    found, values = [], [*store.scale.tolist(), -1.0]
    records, items = store.records.to_pylist(), store.items.to_pylist()
    for number in range(store.manifest.n_blocks):
        block = store.block(number)
        for row in range(block.n_records):
            for c in range(int(block.record_start[row]), int(block.record_start[row + 1])):
                day = int(block.record_day[c])
                dated = day < store.manifest.n_days
                found.append(
                    (
                        records[block.first + row], items[int(block.record_item[c])],
                        values[int(block.record_level[c])],
                        store.manifest.first_day + day if dated else -1,
                    )
                )  # fmt: skip
    return sorted(found)


def events(seed: int) -> list[Row]:
    """Rows of which many have the same record and item."""
    rng = np.random.default_rng(seed)
    return [
        (int(r), int(i), float(v), int(d))
        for r, i, v, d in zip(
            rng.integers(0, 20, 300), rng.integers(0, 12, 300),
            rng.integers(1, 6, 300), rng.integers(10_000, 10_090, 300), strict=True,
        )
    ]  # fmt: skip


def fresh(folder: Path) -> Path:
    return folder / f"release-{len(list(folder.iterdir()))}"


@pytest.mark.parametrize("defence", ALL, ids=repr)
@settings(max_examples=examples(4))
@given(release=st.integers(0, 1000), blocks=st.integers(2, 40), repeats=st.booleans())
def test_blocks_and_pieces_have_no_say(
    make_store: MakeStore, tmp_path: Path, defence: Defence, release: int, blocks: int,
    repeats: bool,
) -> None:  # fmt: skip
    rows = events(release) if repeats else random_rows(release, missing=0.2)
    how = {"repeats": Repeats.ALL} if repeats else {}
    try:
        whole = publish(make_store(rows, **how), fresh(tmp_path), defence)
    except GridError as error:
        assume("nothing is left" not in str(error))
        raise
    store = make_store(rows, block_records=blocks, **how)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.defence.source._CELLS_A_CHUNK", 10)
        pieces = publish(store, fresh(tmp_path), defence)
    pieces.verify()
    assert pieces.manifest.fingerprint == whole.manifest.fingerprint
    assert pieces.manifest.notes == whole.manifest.notes
    left = pieces.manifest
    counts = {"people": left.n_records, "items": left.n_items, "cells": left.n_cells}
    each_left: Any = left.notes[LEFT]
    (counted,) = each_left
    assert {name: counted[name] for name in counts} == counts
    owners = linkage_of(store, pieces).record
    assert counted["theirs"] == store.length[np.unique(owners[owners >= 0])].sum()


@pytest.mark.parametrize(
    "defence",
    [each for each in ALL if each.name not in {"drop_popular", "swap_values"}],
    ids=repr,
)
def test_doing_it_twice_changes_nothing_more(
    make_store: MakeStore, tmp_path: Path, defence: Defence
) -> None:
    store = make_store(random_rows(3, missing=0.2))
    if defence.name == "coarsen_values":
        with pytest.raises(GridError):  # nothing is left to coarsen
            publish(store, fresh(tmp_path), defence, defence)
        return
    once = publish(store, fresh(tmp_path), defence)
    twice = publish(store, fresh(tmp_path), defence, defence)
    assert twice.manifest.fingerprint == once.manifest.fingerprint


@settings(max_examples=examples(8))
@given(release=st.integers(0, 1000), blocks=st.integers(3, 40))
def test_statistics_that_follow_are_those_counted(
    make_store: MakeStore, release: int, blocks: int
) -> None:
    store = make_store(random_rows(release, cells=500), block_records=blocks)
    before = ReleaseStats.of(store)
    for defence in ALL:
        after = defence.stats_after(before)
        if after is None:
            continue
        stages = defended(store, [defence]).stages
        found = release_stats(store, stages)
        assert after.support.tolist() == found.support.tolist()
        assert set(found.scale) <= set(after.scale)
        if found.n_days:
            assert after.first_day <= found.first_day
            assert found.first_day + found.n_days <= after.first_day + after.n_days
        assert bool(after.n_days) == bool(found.n_days)


def test_every_defence_of_a_chain_has_its_count(make_store: MakeStore, tmp_path: Path) -> None:
    """Items 1, 2, 3 of 3, 2 and 1 people; the first goes, then all that fewer than 2 hold."""
    rows: list[Row] = [(p, i, None, None) for p, i in
                       [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]]  # fmt: skip
    found = publish(make_store(rows), fresh(tmp_path), DropPopular(top=1), DropItems(min_support=2))
    counted: Any = found.manifest.notes[LEFT]
    assert [(each["people"], each["items"], each["cells"]) for each in counted] == [
        (2, 2, 3),
        (2, 1, 2),
    ]
    assert cells_of(found) == [(1, 2, -1.0, -1), (2, 2, -1.0, -1)]


# By hand: one table, and what each defence makes of it.

TABLE: list[Row] = [
    ("ann", "a", 5.0, 10_000), ("ann", "b", 4.0, 10_003), ("ann", "c", 1.0, 10_030),
    ("ben", "a", 3.0, 10_001),
    ("cat", "a", 2.0, 10_002), ("cat", "b", 1.0, None),
]  # fmt: skip
"""Day 10,000 is Monday, 19 May 1997; a and b are held by three and two people."""


def left(make_store: MakeStore, folder: Path, *defences: Defence) -> list[tuple[Any, ...]]:
    return cells_of(publish(make_store(TABLE), fresh(folder), *defences))


def test_popular_items_by_hand(make_store: MakeStore, tmp_path: Path) -> None:
    kept = left(make_store, tmp_path, DropPopular(top=1))
    assert [each[:2] for each in kept] == [("ann", "b"), ("ann", "c"), ("cat", "b")]
    assert left(make_store, tmp_path, DropPopular(top=2)) == [("ann", "c", 1.0, 10_030)]


def test_equally_popular_items_go_in_their_order(make_store: MakeStore, tmp_path: Path) -> None:
    rows: list[Row] = [(1, "b", None, None), (1, "a", None, None), (2, "c", None, None)]
    found = publish(make_store(rows), fresh(tmp_path), DropPopular(top=1))
    assert found.items.to_pylist() == ["b", "c"]


def test_records_by_hand(make_store: MakeStore, tmp_path: Path) -> None:
    def people(*defences: Defence) -> set[Any]:
        return {each[0] for each in left(make_store, tmp_path, *defences)}

    assert people(DropRecords()) == {"ann", "cat"}
    assert people(DropRecords(min_length=1, max_length=2)) == {"ben", "cat"}
    assert people(DropRecords(max_length=2)) == {"cat"}
    assert people(DropLong(max_length=2)) == {"ben", "cat"}
    # Order matters: without item c, Ann's record has two cells.
    assert people(DropItems(min_support=2), DropRecords(max_length=2)) == {"ann", "cat"}
    assert people(DropItems(min_support=2), DropLong(max_length=2)) == {"ann", "ben", "cat"}


def test_times_by_hand(make_store: MakeStore, tmp_path: Path) -> None:
    def days(*defences: Defence) -> list[int]:
        return [each[3] for each in left(make_store, tmp_path, *defences)]

    assert days(CoarsenTime(bin="week")) == [10_000, 10_000, 10_028, 10_000, 10_000, -1]
    # 1 May is day 9,982, 1 June day 10,013.
    assert days(CoarsenTime(bin="month")) == [9_982, 9_982, 10_013, 9_982, 9_982, -1]
    assert days(CoarsenTime(bin="3d")) == [9_999, 10_002, 10_029, 9_999, 10_002, -1]
    assert days(DropTime()) == [-1] * 6
    assert CoarsenTime(bin="7d") == CoarsenTime(bin="week")
    assert CoarsenTime(bin="3d") == CoarsenTime(bin=3)
    assert CoarsenTime(bin="180min").bin == "3h"
    assert CoarsenTime(bin="1mo").bin == "month"


def test_values_by_hand(make_store: MakeStore, tmp_path: Path) -> None:
    def values(*defences: Defence) -> list[float]:
        return [each[2] for each in left(make_store, tmp_path, *defences)]

    # 1, 2, 3 | 4, 5: the middle, the lower of two.
    assert values(CoarsenValues(levels=2)) == [4, 4, 2, 2, 2, 2]
    assert values(CoarsenValues(levels=1)) == [3] * 6
    assert values(CoarsenValues(levels=3)) == [5, 3, 1, 3, 1, 1]
    assert values(DropValues()) == [-1] * 6


@pytest.mark.parametrize("keep", ["random", "latest"])
def test_the_cells_kept_of_a_long_record(make_store: MakeStore, tmp_path: Path, keep: Any) -> None:
    rows = random_rows(5, records=30, cells=300, missing=0.2)
    store = make_store(rows)
    found = publish(store, fresh(tmp_path), CapLength(n=6, keep=keep))
    true, kept = defaultdict(list), defaultdict(list)
    for each in cells_of(store):
        true[each[0]].append(each)
    for each in cells_of(found):
        kept[each[0]].append(each)
    assert true.keys() == kept.keys()
    for person, cells in true.items():
        assert set(kept[person]) <= set(cells)
        assert len(kept[person]) == min(len(cells), 6)
        if keep == "latest":
            days = sorted((each[3] for each in cells), reverse=True)[:6]
            assert sorted((each[3] for each in kept[person]), reverse=True) == days


def test_every_cell_of_a_long_record_is_as_likely_to_stay(
    make_store: MakeStore, tmp_path: Path
) -> None:
    """Of ten cells three stay; and those of one day are not kept by their items either."""
    rows: list[Row] = [(p, i, None, 10_000) for p in range(500) for i in range(10)]
    store = make_store(rows)
    for keep in ("random", "latest"):
        found = publish(store, fresh(tmp_path), CapLength(n=3, keep=keep))  # type: ignore[arg-type]
        assert found.manifest.n_cells == 1500
        assert chisquare(found.support).pvalue > UNLIKELY


def test_samples_are_of_their_size_and_nested(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(2, records=200, items=40, cells=3000))
    for kind, n in ((SampleCells, store.manifest.n_cells), (SampleRecords, 200)):
        small, large, other = (
            publish(store, fresh(tmp_path), kind(share=share, seed=seed))
            for share, seed in ((0.3, 1), (0.6, 1), (0.3, 2))
        )
        number = [
            len(set(cells_of(each))) if kind is SampleCells else each.manifest.n_records
            for each in (small, large, other)
        ]
        for found, share in zip(number, (0.3, 0.6, 0.3), strict=True):
            assert binomtest(found, n, share).pvalue > UNLIKELY
        assert set(cells_of(small)) < set(cells_of(large))
        assert not set(cells_of(other)) <= set(cells_of(large))
    true = Counter(each[0] for each in cells_of(store))
    people = Counter(each[0] for each in cells_of(large))
    assert all(true[person] == n for person, n in people.items())  # records stay whole


@settings(max_examples=examples(12))
@given(
    release=st.integers(0, 1000), share=st.sampled_from([0.1, 0.5, 1.0]), repeats=st.booleans(),
    first=st.sampled_from([None, SampleCells(share=0.7), DropItems(min_support=4)]),
)  # fmt: skip
def test_every_item_keeps_its_values(
    make_store: MakeStore, tmp_path: Path, release: int, share: float, repeats: bool,
    first: Defence | None,
) -> None:  # fmt: skip
    """And nothing but values moves, whatever came before."""
    rows = events(release) if repeats else random_rows(release, missing=0.3)
    store = make_store(rows, block_records=7, **({"repeats": Repeats.ALL} if repeats else {}))
    chain = [] if first is None else [first]
    before = cells_of(publish(store, fresh(tmp_path), *chain))
    after = cells_of(publish(store, fresh(tmp_path), *chain, SwapValues(share=share, seed=release)))
    assert Counter(each[1:3] for each in before) == Counter(each[1:3] for each in after)
    assert Counter((r, i, d) for r, i, _, d in before) == Counter((r, i, d) for r, i, _, d in after)
    lacking = [Counter(each[:2] for each in c if each[2] == -1) for c in (before, after)]
    assert lacking[0] == lacking[1]


def test_exchanged_values_go_anywhere(make_store: MakeStore, tmp_path: Path) -> None:
    """Where all take part, the holder of the only 5 of an item is a uniform draw."""
    rows: list[Row] = [(p, i, 5.0 if p == 0 else 1.0, None) for p in range(5) for i in range(600)]
    store = make_store(rows)
    everyone = publish(store, fresh(tmp_path), SwapValues(share=1))
    holders = Counter(r for r, _, v, _ in cells_of(everyone) if v == 5)
    assert chisquare([holders[p] for p in range(5)]).pvalue > UNLIKELY
    some = publish(store, fresh(tmp_path), SwapValues(share=0.2))
    kept = sum(v == 5 for r, _, v, _ in cells_of(some) if r == 0)
    # Left alone, or itself again among those that take part: 0.8 + (1 − 0.8⁵)/5.
    assert binomtest(kept, 600, 0.8 + (1 - 0.8**5) / 5).pvalue > UNLIKELY


def test_hours_are_coarsened_to_bins_of_hours(tmp_path: Path) -> None:
    """The release keeps its hours; a day has eight bins of three."""
    rows: list[Row] = [(1, hour, None, 10_000 + hour / 24) for hour in range(24)]  # type: ignore[misc]
    source = RowSource(rows, time_bin=TimeBin.parse("hour"))
    build_store(source, tmp_path / "hours", block_records=5)
    found = publish(Store(tmp_path / "hours"), tmp_path / "coarse", CoarsenTime(bin="3h"))
    assert found.manifest.time_bin == "hour"
    assert [day for *_, day in cells_of(found)] == [240_000 + 3 * (h // 3) for h in range(24)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DropPopular(top=-1), "drop_popular.top: -1: expected a whole number of"),
        (lambda: DropRecords(min_length=0), "drop_records.min_length: 0: expected"),
        (
            lambda: DropRecords(min_length=5, max_length=4),
            "drop_records.max_length: 4: expected at least defence.drop_records.min_length, which",
        ),
        (lambda: DropLong(max_length=0), "drop_long.max_length: 0: expected"),
        (lambda: CapLength(n=0), "cap_length.n: 0: expected"),
        (lambda: CapLength(keep="first"), "cap_length.keep: 'first': expected"),
        (lambda: CoarsenTime(bin="fortnight"), "coarsen_time.bin: 'fortnight': expected hour, day"),
        (lambda: CoarsenTime(bin="0d"), "coarsen_time.bin: '0d': expected hour, day"),
        (lambda: CoarsenTime(bin="2mo"), "coarsen_time.bin: '2mo': expected hour, day"),
        (lambda: CoarsenValues(levels=0), "coarsen_values.levels: 0: expected"),
        (lambda: SwapValues(share=1.1), "swap_values.share: 1.1: expected"),
        (lambda: SampleCells(share=0), "sample_cells.share: 0: expected"),
        (lambda: SampleRecords(share=2), "sample_records.share: 2: expected"),
    ],
)
def test_options_that_cannot_be(make: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert str(caught.value).startswith(f"defence.{message}")


@pytest.mark.parametrize(
    ("rows", "defences", "message"),
    [
        ({}, [DropPopular(top=99)], "defence.drop_popular.top: 99: nothing is left of the release"),
        ({}, [CoarsenValues(levels=9)], "defence.coarsen_values.levels: 9: the release has 5 lev"),
        (
            {},
            [CoarsenTime(bin="day")],
            "defence.coarsen_time.bin: day: the release has its times i",
        ),
        ({}, [CoarsenTime(bin="36h")], "defence.coarsen_time.bin: 36h: the release has its times"),
        ({"days": False}, [CoarsenTime()], "defence=[coarsen_time]: needs dates, which the relea"),
        (
            {"days": False},
            [CapLength(keep="latest")],
            "defence.cap_length.keep: latest: needs dates, which the release lacks; set defence.ca",
        ),
        ({"values": False}, [SwapValues()], "defence=[swap_values]: needs values, which the rele"),
        ({"values": False}, [CoarsenValues()], "defence=[coarsen_values]: needs values, which t"),
        ({}, [DropTime(), JitterTime()], "defence=[jitter_time]: needs dates"),
        (
            {},
            [DropTime(), CapLength(n=3), DropRecords(min_length=5)],
            "defence.drop_records.min_length: 5: nothing is left of the release, as nobody has "
            "more than 3 entries; set it to 3 at most",
        ),
        (
            {},
            [DropRecords(min_length=5), DropTime(), DropLong(max_length=4)],
            "defence.drop_long.max_length: 4: nothing is left of the release, as nobody has fewer "
            "than 5 entries; set it to 5 or more",
        ),
    ],
)
def test_a_release_that_does_not_allow_it(
    make_store: MakeStore, rows: dict[str, bool], defences: list[Defence], message: str
) -> None:
    with pytest.raises(StandoutError) as caught:
        defended(make_store(random_rows(1, **rows)), defences)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_what_has_no_effect_is_left_out(make_store: MakeStore) -> None:
    idle = [
        DropPopular(top=0), DropRecords(min_length=1), SwapValues(share=0), SampleCells(share=1),
        SampleRecords(share=1),
    ]  # fmt: skip
    assert defended(make_store(random_rows(1)), idle).stages == ()


@pytest.mark.parametrize(
    ("rows", "defence", "why"),
    [
        ({"values": False}, DropValues(), "there are none"),
        ({"days": False}, DropTime(), "there are none"),
        ({}, DropLong(max_length=LONGEST), f"no record has more than {LONGEST} entries"),
        ({}, CapLength(n=LONGEST), f"no record has more than {LONGEST} entries"),
        ({}, CapLength(n=LONGEST, keep="latest"), f"no record has more than {LONGEST} entries"),
    ],
)
def test_there_is_nothing_to_change(
    make_store: MakeStore,
    rows: dict[str, bool],
    defence: Defence,
    why: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """So that a chain that is meant for any release can be applied to all of them."""
    store = make_store(random_rows(1, **rows))  # type: ignore[arg-type]
    with caplog.at_level("INFO", logger="standout"):
        stages = defended(store, [defence, DropItems()]).stages
    assert [stage.defence for stage in stages] == [DropItems()]
    assert f"{defence.name}: {why}, so it has no effect" in caplog.text
    assert defended(store, [CapLength(n=LONGEST - 1)]).stages  # which cuts the longest


def test_the_released_source_says_what_was_done(make_store: MakeStore) -> None:
    store = make_store(random_rows(1))
    name = DefendedSource(store, defended(store, ALL[:3]).stages).name
    assert name.endswith(", drop_popular, drop_records, cap_length")
