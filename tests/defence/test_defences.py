"""Defences: what they do to a release, alone and in any order, and what an attacker knows of it."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from defending import all_three, publish
from drawing import changed
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, plain, random_rows
from numpy.typing import NDArray
from scipy.stats import chisquare

from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.on_release import on_release
from sim.adversary.publisher import Publisher
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.similarity import Exponential
from sim.attack.kernels.drivers import scan_block, target_scores
from sim.attack.kernels.partials import total
from sim.defence.apply import defended
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.defence.registry import DEFENCES
from sim.defence.source import DefendedSource, identity, release_stats
from sim.errors import ConfigError, GridError
from sim.numeric.intervals import wilson
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

UNLIKELY = 1e-4


def source(store: Store, *defences: Defence) -> DefendedSource:
    """What a store of the release would be built from."""
    return DefendedSource(store, defended(store, defences).stages)


@settings(max_examples=examples(20))
@given(
    release=st.integers(0, 1000),
    k=st.sampled_from([0, 0.5, 1, 2.5, 10]),
    d=st.sampled_from([0, 1, 14, 400]),
    missing=st.sampled_from([0.0, 0.3, 1.0]),
    blocks=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    names=st.sampled_from([int, str, "user {}".format]),
    seed=st.integers(0, 2**64 - 1),
)
def test_cells_move_within_the_noise_and_stay_where_they_are(
    make_store: MakeStore, tmp_path: Path, release: int, k: float, d: int, missing: float,
    blocks: tuple[int, int], names: object, seed: int,
) -> None:  # fmt: skip
    scale = (0.5, 1.0, 2.0, 4.0)
    rows = [
        (names(record), item, value, day)  # type: ignore[operator]
        for record, item, value, day in random_rows(release, missing=missing, scale=scale)
    ]
    folder = tmp_path / f"defended-{len(list(tmp_path.iterdir()))}"
    store = make_store(rows, block_records=blocks[0])
    noisy = publish(store, folder, *all_three(store, k, d, seed))
    noisy.verify()
    assert noisy.records.equals(store.records)
    assert noisy.items.equals(store.items)
    assert noisy.manifest.block_records == store.manifest.block_records
    true, moved = plain(store), plain(noisy)
    np.testing.assert_array_equal(true.held, moved.held)
    np.testing.assert_array_equal(np.isnan(true.value), np.isnan(moved.value))
    np.testing.assert_array_equal(np.isnan(true.day), np.isnan(moved.day))
    values = true.value[~np.isnan(true.value)]
    assert np.isin(moved.value[~np.isnan(moved.value)], scale).all()
    assert (np.abs(moved.value[~np.isnan(moved.value)] - values) <= k).all()
    shift = moved.day + noisy.manifest.first_day - true.day - store.manifest.first_day
    assert (np.abs(shift[~np.isnan(shift)]) <= d).all()
    notes = noisy.manifest.notes
    assert notes["fingerprint of the data before the defences"] == store.manifest.fingerprint
    assert notes["cells dropped"] == notes["cells added"] == notes["records left out"] == 0
    changed = (moved.value != true.value) & ~np.isnan(true.value)
    assert notes["values changed"] == changed.sum()
    assert notes["dates changed"] == np.count_nonzero(shift[~np.isnan(shift)])
    # The blocks of the store have no say in it.
    other = make_store(rows, block_records=blocks[1])
    again = publish(other, folder.with_name(folder.name + "b"), *all_three(other, k, d, seed))
    assert again.manifest.fingerprint == noisy.manifest.fingerprint
    if k == d == 0:
        assert noisy.manifest.fingerprint == store.manifest.fingerprint


@settings(max_examples=examples(25))
@given(
    release=st.integers(0, 1000),
    least=st.integers(1, 30),
    noise=st.sampled_from([(0.0, 0), (1.0, 5)]),
    missing=st.sampled_from([0.0, 0.3]),
    blocks=st.integers(3, 40),
)
def test_dropping_items_is_a_release_without_their_rows(
    make_store: MakeStore, tmp_path: Path, release: int, least: int,
    noise: tuple[float, int], missing: float, blocks: int,
) -> None:  # fmt: skip
    rows = random_rows(release, records=30, items=40, cells=250, missing=missing)
    store = make_store(rows, block_records=blocks)
    count = Counter(item for _, item, _, _ in rows)
    kept = [row for row in rows if count[row[1]] >= least]
    folder = tmp_path / f"dropped-{len(list(tmp_path.iterdir()))}"
    if not kept:
        most = max(count.values())
        with pytest.raises(GridError, match=f"nothing is left .* set it to {most} at most"):
            publish(store, folder, *all_three(store, *noise, 7, least))
        return
    asked = all_three(store, *noise, 7, least)
    published = publish(store, folder, *asked)
    published.verify()
    if noise == (0.0, 0):
        assert published.manifest.fingerprint == make_store(kept).manifest.fingerprint
    notes, people = published.manifest.notes, {row[0] for row in rows}
    assert notes["items dropped"] == len(count) - len({row[1] for row in kept})
    assert notes["cells dropped"] == len(rows) - len(kept)
    assert notes["records left out"] == len(people) - len({row[0] for row in kept})
    assert published.records.to_pylist() == sorted({row[0] for row in kept})
    assert published.items.to_pylist() == sorted({row[1] for row in kept})
    # What is left has the noise it has when nothing is dropped.
    whole = publish(store, folder.with_name(folder.name + "w"), *all_three(store, *noise, 7))
    assert cells_of(published) == {
        key: cell for key, cell in cells_of(whole).items() if count[key[1]] >= least
    }
    # And the order of these three makes no difference.
    again = publish(store, folder.with_name(folder.name + "r"), *reversed(asked))
    assert again.manifest.fingerprint == published.manifest.fingerprint


def cells_of(store: Store) -> dict[tuple[int, int], tuple[float, float]]:
    """Value and day (since 1970) of every cell, −1 for none."""
    dense = plain(store)
    value, day = np.nan_to_num(dense.value, nan=-1), dense.day + store.manifest.first_day
    records, items = store.records.to_pylist(), store.items.to_pylist()
    return {
        (records[r], items[i]): (float(value[r, i]), float(np.nan_to_num(day[r, i], nan=-1)))
        for r, i in np.argwhere(dense.held).tolist()
    }


@pytest.mark.parametrize(
    ("value_noise", "date_noise", "min_support", "fingerprint"),
    [
        (1, 0, 1, "5a8c793cf3aadab5b4fb90cbfb1a23e77e177befad71c9fcb0b5e45c56f982f2"),
        (0, 3, 1, "52ee95bdbe6a65aa00aa6d896a516da1871ded430cc3eea3efd63e7a10363104"),
        (0, 0, 12, "09f65703e02430516b7d5864f94996b14b9b1f5ee458a53945f516dbb14df643"),
        (1, 3, 12, "b00153cdfb7a20101c7420752a77d2c17a233a36dda4765c42297d9692b413f9"),
    ],
)
def test_the_cells_released_are_pinned(
    make_store: MakeStore, tmp_path: Path, value_noise: int, date_noise: int, min_support: int,
    fingerprint: str,
) -> None:  # fmt: skip
    """The same options and seed release the same cells in every version: these are of the first."""
    store = make_store(random_rows(1))
    asked = all_three(store, value_noise, date_noise, 5, min_support)
    assert publish(store, tmp_path / "release", *asked).manifest.fingerprint == fingerprint


def test_noise_cannot_be_drawn_again_without_the_original(
    make_store: MakeStore, tmp_path: Path
) -> None:
    """The same defence and seed, on data that differ in one date of another person: other noise."""

    def shifts(last: int, folder: str) -> list[int]:
        first = 10_000
        rows = [(who, item, None, first) for who in range(40) for item in range(5)]
        store = make_store([*rows, (40, 9, None, first + last)])
        moved = defended(store, [JitterTime(date_noise=9)]).build(tmp_path / folder)
        days = np.concatenate(
            [moved.block(n).record_day for n in range(moved.manifest.n_blocks)]
        ).astype(int)
        return (days[:200] + moved.manifest.first_day - first).tolist()

    ours = shifts(90, "ours")
    assert max(map(abs, ours)) == 9
    assert ours == shifts(90, "again")
    theirs = shifts(91, "theirs")
    assert sum(one == other for one, other in zip(ours, theirs, strict=True)) < 40


def test_a_store_is_kept_by_release_and_defences_and_their_order(
    make_store: MakeStore, tmp_path: Path
) -> None:
    store, other = make_store(random_rows(1)), make_store(random_rows(2))
    drop, jitter = DropItems(min_support=3), JitterTime(date_noise=3)
    asked: list[tuple[Defence, ...]] = [
        *((drop,), (DropItems(min_support=4),), (jitter,), (JitterTime(date_noise=3, seed=2),)),
        *((drop, jitter), (jitter, drop), (PerturbValues(),), (PerturbValues(value_noise=2.0),)),
    ]
    cache = tmp_path / "cache"
    folders = [defended(store, each).open(cache).folder for each in asked]
    assert len(set(folders)) == len(asked)
    assert defended(store, [DropItems(min_support=3)]).open(cache).folder == folders[0]
    assert defended(store, [drop, PerturbValues(value_noise=0)]).open(cache).folder == folders[0]
    assert defended(other, [drop]).open(cache).folder not in folders


def test_what_does_nothing_is_left_out(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(1, values=False, days=False))
    idle = [DropItems(min_support=1), PerturbValues(value_noise=0), JitterTime(date_noise=0)]
    change = defended(store, idle)
    assert change.open(tmp_path) is store
    assert change.truth is None
    assert change.publisher == Publisher(scale=tuple(store.scale.tolist()))
    assert change.record() == []


def test_what_was_done_is_said(make_store: MakeStore) -> None:
    store = make_store(random_rows(1))
    asked = [DropItems(min_support=12), PerturbValues(value_noise=1), JitterTime(date_noise=3)]
    found = source(store, *asked)
    assert found.name == f"{store.manifest.source}, drop_items, perturb_values, jitter_time"
    released_cells = sum(len(chunk) for chunk in found.chunks())
    notes = found.notes()
    assert released_cells == store.manifest.n_cells - notes["cells dropped"] > 0
    assert found.size == found.position() == store.manifest.n_cells
    assert notes["defences"] == (
        "drop_items(min_support=12), perturb_values(value_noise=1), jitter_time(date_noise=3)"
    )
    record = defended(store, asked).record()
    assert [each["options"] for each in record] == [
        {"min_support": 12}, {"value_noise": 1}, {"date_noise": 3}
    ]  # fmt: skip
    assert all(each["known_to_attackers"] for each in record)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_an_attacker_knows_all_but_the_draws(make_store: MakeStore, order: tuple[int, ...]) -> None:
    store = make_store(random_rows(1))
    three = DropItems(min_support=3), PerturbValues(value_noise=0.5), JitterTime(date_noise=9)
    found = defended(store, [three[at] for at in order])
    assert found.publisher == Publisher(0.5, 9, 3, tuple(store.scale.tolist()))
    assert found.undisclosed == ()
    assert defended(store, [three[0]]).publisher.changes_cells is False


def test_a_large_block_goes_in_pieces(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(random_rows(3))
    asked = all_three(store, 1, 3, 5, 4)
    whole = publish(store, tmp_path / "whole", *asked)
    monkeypatch.setattr("sim.defence.source._CELLS_A_CHUNK", 10)
    sizes = [len(chunk) for chunk in source(store, *asked).chunks()]
    assert len(sizes) > 10
    pieces = publish(store, tmp_path / "pieces", *asked)
    assert pieces.manifest.fingerprint == whole.manifest.fingerprint
    assert pieces.manifest.notes == whole.manifest.notes


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: DropItems(min_support=0), "drop_items.min_support: 0: expected a whole number of"),
        (
            lambda: DropItems(min_support=2.5),
            "drop_items.min_support: 2.5: expected a whole number",
        ),
        (lambda: PerturbValues(value_noise=-1), "perturb_values.value_noise: -1: expected a num"),
        (lambda: PerturbValues(value_noise=np.nan), "perturb_values.value_noise: nan: expected"),
        (lambda: PerturbValues(value_noise=np.inf), "perturb_values.value_noise: inf: too large"),
        (lambda: PerturbValues(seed=2**64), "perturb_values.seed: 18446744073709551616: expected"),
        (
            lambda: JitterTime(date_noise=-1),
            "jitter_time.date_noise: -1: expected a whole number with a unit",
        ),
        (
            lambda: JitterTime(seed=-1),
            "jitter_time.seed: -1: expected a whole number from 0 to",
        ),
    ],
)
def test_options_that_cannot_be(make: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make()
    assert str(caught.value).startswith(f"defence.{message}")


@pytest.mark.parametrize(
    ("rows", "defence", "message"),
    [
        ({"days": False}, JitterTime(), "defence=[jitter_time]: needs dates, which the release l"),
        ({"values": False}, PerturbValues(), "defence=[perturb_values]: needs values, which the "),
        ({}, JitterTime(date_noise=40_000), "defence.jitter_time.date_noise: 40000: expected 0 to"),
        ({}, DropItems(min_support=999), "defence.drop_items.min_support: 999: nothing is left o"),
    ],
)
def test_a_release_that_does_not_allow_it(
    make_store: MakeStore, rows: dict[str, bool], defence: Defence, message: str
) -> None:
    with pytest.raises(GridError) as caught:
        defended(make_store(random_rows(1, **rows)), [defence])  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


# Defences of others: what is not stated is counted, and what they return is held to the contract.


@dataclass(frozen=True, kw_only=True)
class Ends(Defence):
    """Rounds every value to the nearer end of the scale."""

    name: ClassVar[str] = "ends"
    needs: ClassVar[tuple[str, ...]] = ("values",)

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        low, high = release.scale[0], release.scale[-1]
        ends = np.where(cells.value * 2 < low + high, low, high)
        return cells.with_values(np.where(np.isnan(cells.value), np.nan, ends))


@dataclass(frozen=True, kw_only=True)
class NoLastDay(Defence):
    """Leaves out the cells of the last day."""

    name: ClassVar[str] = "no_last_day"
    needs: ClassVar[tuple[str, ...]] = ("days",)

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        return cells.where(cells.day != release.first_day + release.n_days - 1)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:
        return publisher


@settings(max_examples=examples(25))
@given(release=st.integers(0, 1000), missing=st.sampled_from([0.0, 0.3]), blocks=st.integers(3, 40))
def test_a_defence_sees_the_release_that_those_before_it_leave(
    make_store: MakeStore, tmp_path: Path, release: int, missing: float, blocks: int
) -> None:
    """Applied in one pass, a chain makes what its defences make one after another."""
    store = make_store(random_rows(release, missing=missing), block_records=blocks)
    chains = [
        (NoLastDay(), DropItems(min_support=9)), (NoLastDay(), Ends()),
        (DropItems(min_support=9), Ends(), NoLastDay()),
    ]  # fmt: skip
    for at, chain in enumerate(chains):
        place = tmp_path / f"{len(list(tmp_path.iterdir()))}-{at}"
        together = publish(store, place, *chain)
        apart = store
        for step, defence in enumerate(chain):
            apart = publish(apart, place.with_name(f"{place.name}-{step}"), defence)
        assert cells_of(together) == cells_of(apart)
        stages = defended(store, chain).stages
        stats = release_stats(store, stages)
        assert stats.scale.tolist() == together.scale.tolist()
        assert (stats.first_day, stats.n_days) == (
            together.manifest.first_day, together.manifest.n_days
        )  # fmt: skip
        assert sorted(stats.support[stats.support > 0]) == sorted(together.support)


@settings(max_examples=examples(20))
@given(release=st.integers(0, 1000), least=st.integers(1, 12), days=st.integers(0, 30))
def test_predicted_statistics_of_a_release_are_those_counted(
    make_store: MakeStore, release: int, least: int, days: int
) -> None:
    """The supports exactly; levels and days are those that there may be."""
    store = make_store(random_rows(release, cells=500))
    stages = defended(store, all_three(store, 1, days, 3, least)).stages
    before = ReleaseStats.of(store)
    for at, stage in enumerate(stages, 1):
        before = stage.defence.stats_after(before)  # type: ignore[assignment]
        found = release_stats(store, stages[:at])
        assert before.support.tolist() == found.support.tolist()
        assert set(found.scale) <= set(before.scale)
        assert before.first_day <= found.first_day
        assert found.first_day + found.n_days <= before.first_day + before.n_days


def test_what_no_attacker_is_given_is_named(make_store: MakeStore) -> None:
    store = make_store(random_rows(1))
    found = defended(store, [Ends(), DropItems(min_support=2), NoLastDay()])
    assert found.undisclosed == ("ends",)
    scale = tuple(store.scale.tolist())
    assert found.publisher == Publisher(min_support=2, scale=scale, blanks=True)
    assert [each["known_to_attackers"] for each in found.record()] == [False, True, True]


@dataclass(frozen=True, kw_only=True)
class MoreNoise(JitterTime):
    """Noise that is stated as such, and drawn for itself."""

    name: ClassVar[str] = "more_noise"
    purpose: ClassVar[int | None] = None


def test_two_noises_are_no_uniform_one(make_store: MakeStore) -> None:
    store = make_store(random_rows(1))
    both = defended(store, [JitterTime(date_noise=3), MoreNoise(date_noise=5)])
    assert both.undisclosed == ()
    assert both.publisher.date_noise == 0
    assert both.publisher.times == (("jitter", 3), ("jitter", 5))
    cells = next(source(store, JitterTime()).pieces())[0]
    one, other = JitterTime().draws(1, cells), MoreNoise().draws(1, cells)
    assert np.unique(np.concatenate([one, other])).size == 2 * len(cells)
    assert MoreNoise.group == "defence.more_noise"


@dataclass(frozen=True, kw_only=True)
class Faulty(Defence):
    """Returns what it must not."""

    name: ClassVar[str] = "faulty"
    fault: str = "none"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        item, record = cells.item.copy(), cells.record.copy()
        if self.fault == "twice":
            item[1], record[1] = item[0], record[0]
        if self.fault == "items":
            item[-1] = release.support.size
        if self.fault == "records":
            record[-1] = 10_000
        made = replace(cells, item=item, record=record)
        if self.fault == "values":
            made = made.with_values(np.where(cells.place == 1, -np.inf, cells.value))
        if self.fault == "days":
            made = replace(made, day=cells.day + 0.5)
        if self.fault == "text":
            made = replace(made, value=cells.value.astype(str))
        return replace(made, value=made.value[1:]) if self.fault == "lengths" else made


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("twice", "expected cells sorted by record and item, each item of a record once"),
        ("items", "expected items from 0 to "),
        ("records", "expected cells of the records that were given"),
        ("lengths", "expected columns of one length"),
        ("values", "value: inf: expected finite numbers, or NaN for none"),
        ("days", r"day: float64: expected whole numbers \(int64\)"),
        ("text", "value: <U32: expected numbers"),
    ],
)
def test_a_faulty_defence_is_named(
    make_store: MakeStore, tmp_path: Path, fault: str, message: str
) -> None:
    store = make_store(random_rows(1))
    with pytest.raises(ConfigError, match=rf"test_defences\.Faulty: apply: {message}"):
        publish(store, tmp_path / "faulty", Faulty(fault=fault))


@dataclass(frozen=True, kw_only=True)
class Nothing(Defence):
    """Releases nothing."""

    name: ClassVar[str] = "nothing"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        return cells.where(cells.record < 0)


def test_nothing_is_left(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(1))
    with pytest.raises(GridError, match=r"defence=\[nothing\]: nothing is left of the release"):
        defended(store, [Nothing()]).open(tmp_path / "cache")
    with pytest.raises(GridError, match="nothing is left of the release"):
        defended(store, [Nothing(), DropItems()])


@dataclass(frozen=True, kw_only=True)
class Decoy(Defence):
    """Adds item 0 to every record that lacks it."""

    name: ClassVar[str] = "decoy"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        lacking = np.setdiff1d(cells.record, cells.record[cells.item == 0])
        none = np.full(lacking.size, np.nan)
        whole = Cells(
            np.append(cells.record, lacking),
            np.append(cells.place, np.full(lacking.size, -1)),
            np.append(cells.item, np.zeros(lacking.size, np.int64)),
            np.append(cells.value, none),
            np.append(cells.day, np.full(lacking.size, NO_DAY)),
        )
        return whole.where(np.lexsort((whole.item, whole.record)))


def test_added_cells_are_counted(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(1))
    found = publish(store, tmp_path / "decoys", Decoy(), JitterTime())
    lacking = store.manifest.n_records - int(store.support[0])
    assert found.manifest.notes["cells added"] == lacking > 0
    assert found.manifest.notes["cells dropped"] == 0
    assert found.support[0] == found.manifest.n_records
    assert found.manifest.missing_days == store.manifest.missing_days + lacking


def test_every_defence_of_the_package_is_found() -> None:
    assert {"drop_items", "perturb_values", "jitter_time"} <= set(DEFENCES.all())
    for name, cls in DEFENCES.all().items():
        assert cls.group == f"defence.{name}"
        assert cls.described()
    assert identity(DropItems(min_support=3)) != identity(DropItems(min_support=4))


# NS08 §3: noise Z_S on the release and Z_A on the aux is Z_S + Z_A on the aux.

STARS = np.arange(1.0, 6.0)
LADDER = np.arange(1.0, 41.0)
"""A scale so long that its ends hardly count."""
K, D_S, D_A = 1, 20, 10


def a_release(seed: int, scale: NDArray[np.float64], records: int = 400) -> list[Row]:
    """Everyone holds 20 of 40 items, rated and dated at random."""
    rng = np.random.default_rng(seed)
    return [
        (record, item, float(rng.choice(scale)), int(rng.integers(10_000, 10_200)))
        for record in range(records)
        for item in np.sort(rng.choice(40, 20, replace=False)).tolist()
    ]


def kernel(scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of every level given every level: uniform within K."""
    near = np.abs(np.subtract.outer(scale, scale)) <= K
    return near / near.sum(axis=1, keepdims=True)


def with_release_noise(drawn: Drawn, scale: NDArray[np.float64], seed: int) -> Drawn:
    """Z_S on top of Z_A, drawn by NumPy."""
    rng = np.random.default_rng(seed)
    day = drawn.aux.day + rng.integers(-D_S, D_S + 1, drawn.aux.day.size)
    reach = kernel(scale)
    value = [
        v if np.isnan(v) else rng.choice(scale, p=reach[np.searchsorted(scale, v)])
        for v in drawn.aux.value.tolist()
    ]
    return changed(drawn, day=day.astype(np.int32), value=np.array(value))


def law(one: int, other: int) -> NDArray[np.float64]:
    """Distribution of |a + b| for a uniform within ±one and b within ±other."""
    sums = np.abs(np.add.outer(np.arange(-one, one + 1), np.arange(-other, other + 1)))
    return np.bincount(sums.ravel()) / sums.size


def fits(seen: NDArray[np.int64], expected: NDArray[np.float64]) -> bool:
    counts = np.bincount(seen, minlength=expected.size)
    return counts.size == expected.size and bool(
        chisquare(counts, expected * seen.size).pvalue > UNLIKELY
    )


def rank_1(store: Store, drawn: Drawn) -> int:
    """How many targets Scoreboard-RH names alone."""
    attack = ScoreboardRH(similarity=Exponential())
    scan = attack.scanned(store, drawn)
    own = target_scores(store, drawn, scan)
    blocks = range(store.manifest.n_blocks)
    found = {b: scan_block(store, store.block(b), drawn, scan, own) for b in blocks}
    return int((total(found)["at_least"] == 1).sum())


@pytest.mark.parametrize(
    ("scale", "knowledge"),
    [
        (LADDER, Knowledge(2, 2, K, D_A)),
        (STARS, Knowledge(3, 3, None, D_A)),
    ],
)
def test_noise_on_the_release_is_noise_on_the_aux(
    make_store: MakeStore, tmp_path: Path, scale: NDArray[np.float64], knowledge: Knowledge
) -> None:
    """The same |Δ|, in law; as many targets named. Days are exact, values are within the scale."""
    store = make_store(a_release(1, scale), block_records=150)
    noisy = publish(store, tmp_path / "noisy", *all_three(store, K, D_S))
    everyone = np.flatnonzero(Sampling(knowledge).eligible(store, 1))
    clean = draw_aux(store, knowledge, 0, everyone, 1)
    apart = on_release(clean, store, noisy)
    summed = with_release_noise(clean, scale, 2)
    inner = (store.scale[clean.truth.own_level] > 2 * K) & (
        store.scale[clean.truth.own_level] <= scale[-1] - 2 * K
    )
    for drawn, release in ((apart, noisy), (summed, store)):
        assert fits(np.abs(drawn.aux.day - drawn.truth.own_day), law(D_S, D_A))
        if knowledge.value_noise:
            value = np.abs(drawn.aux.value - release.scale[drawn.truth.own_level])
            assert fits(value[inner].astype(np.int64), law(K, K))
    one, other = rank_1(noisy, apart), rank_1(store, summed)
    assert 0.2 * everyone.size < min(one, other) <= max(one, other) < 0.9 * everyone.size
    intervals = wilson(one, everyone.size), wilson(other, everyone.size)
    assert max(i.low for i in intervals) < min(i.high for i in intervals)


def test_at_the_ends_of_the_scale_the_two_differ_by_what_is_known() -> None:
    """There are no levels beyond the ends, so noise there is not symmetric.

    With both noises on the aux, |Δ| is that of two steps in a row from the truth; with one on
    each side, that of two single steps. From a level at least 2k from both ends these are the
    same. From 1 star, two steps in a row reach 3 stars one time in six, and two single ones are
    never more than 1 apart; from 2 stars it is the single steps that come further apart.
    """
    one = kernel(STARS)
    both = one @ one
    gap = np.abs(np.subtract.outer(STARS, STARS)).astype(int)

    def summed(level: int) -> NDArray[np.float64]:
        return np.bincount(gap[level], both[level], minlength=5)

    def apart(level: int) -> NDArray[np.float64]:
        joint = np.outer(one[level], one[level])
        return np.bincount(gap.ravel(), joint.ravel(), minlength=5)

    np.testing.assert_allclose(summed(2), apart(2))
    np.testing.assert_allclose(summed(2)[:3], law(1, 1))
    np.testing.assert_allclose(apart(0), [1 / 2, 1 / 2, 0, 0, 0])
    np.testing.assert_allclose(summed(0), [5 / 12, 5 / 12, 1 / 6, 0, 0])
    np.testing.assert_allclose(apart(1), [3 / 9, 4 / 9, 2 / 9, 0, 0])
    np.testing.assert_allclose(summed(1), [7 / 18, 9 / 18, 2 / 18, 0, 0])
    assert max(np.abs(summed(level) - apart(level)).max() for level in range(5)) < 0.17
