"""Synthetic events: the same rows however they are made, and the habits that they shall have."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from numpy.typing import NDArray

import sim
from sim.errors import ConfigError
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.synthetic import EVENTS, PRESETS, EventSource, named_source
from sim.release.synthetic.events.draws import WORDS, item_of, normal, pick, start, unit
from sim.release.synthetic.events.preset import EventPreset, PurchasePreset, VisitPreset
from sim.release.synthetic.events.world import make_goods, make_world, names_of
from sim.release.synthetic.preset import quantiles

Ints = NDArray[np.int64]

TINY = ("tiny_visits", "tiny_purchases")
DIGESTS = {
    "tiny_visits": "4156a9aacfaa59af142a4caa0171534b72cff21401ab5440c30aad5dc907aacd",
    "tiny_purchases": "b593cd36d7a8b177d5aeaf4e5ec1524eaf2c99810138b4e4a40f2f84540f520e",
}
"""Of the rows of seed 1: other rows need another version of the generator."""


@dataclass
class Rows:
    """All rows of a source, in one piece; records and items from 0."""

    preset: EventPreset
    record: Ints
    item: Ints
    value: NDArray[np.float64]
    time: Ints

    @property
    def hour(self) -> Ints:
        return self.time // 3600 - 24 * self.preset.first_day

    @property
    def day(self) -> Ints:
        return self.time // SECONDS_PER_DAY - self.preset.first_day

    @property
    def length(self) -> Ints:
        return np.bincount(self.record, minlength=self.preset.records)


def joined(chunks: Iterator[CellChunk]) -> list[NDArray[np.generic]]:
    columns = zip(*((c.record, c.item, c.value, c.time) for c in chunks), strict=True)
    return [np.concatenate([p for p in c if p is not None] or [np.empty(0)]) for c in columns]


def rows_of(preset: EventPreset, seed: int = 1) -> Rows:
    record, item, value, time = joined(EventSource(preset, seed).chunks())
    return Rows(preset, record - 1, item - 1, value, time)


def most_frequent(record: Ints, item: Ints, n: int, m: int) -> Ints:
    """The item that each record holds most often."""
    count = np.zeros((n, m), np.int64)
    np.add.at(count, (record, item), 1)
    return count.argmax(axis=1)


@pytest.fixture(scope="module")
def visits() -> Rows:
    return rows_of(replace(EVENTS["visits"], records=1500))


@pytest.fixture(scope="module")
def purchases() -> Rows:
    return rows_of(replace(EVENTS["purchases"], records=1500))


# --- the same rows, however they are made ---


@pytest.mark.parametrize("name", TINY)
def test_same_seed_same_rows_other_seed_other_rows(name: str) -> None:
    one, again, other = (joined(EventSource(EVENTS[name], seed).chunks()) for seed in (5, 5, 6))
    for a, b in zip(one, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one[1], other[1])


@pytest.mark.parametrize("name", TINY)
def test_rows_are_those_recorded(name: str) -> None:
    digest = hashlib.sha256()
    for column in joined(EventSource(EVENTS[name], 1).chunks()):
        digest.update(np.ascontiguousarray(column).tobytes())
    assert digest.hexdigest() == DIGESTS[name]


@pytest.mark.parametrize("name", TINY)
@settings(max_examples=examples(20))
@given(cuts=st.lists(st.integers(1, 499), max_size=4), block=st.integers(1, 700))
def test_rows_do_not_depend_on_blocks_or_order(name: str, cuts: list[int], block: int) -> None:
    source = EventSource(EVENTS[name], 3)
    bounds = [0, *sorted(set(cuts)), 500]
    parts = {
        lo: joined(source.records(lo, hi, block)) for lo, hi in reversed(list(pairwise(bounds)))
    }
    for column, expected in enumerate(joined(source.chunks())):
        pieces = np.concatenate([parts[lo][column] for lo in sorted(parts)])
        np.testing.assert_array_equal(pieces, expected)


@pytest.mark.parametrize("name", TINY)
def test_rows_do_not_depend_on_threads(name: str) -> None:
    source = EventSource(EVENTS[name], 3)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda lo: joined(source.records(lo, lo + 100)), range(0, 500, 100)))
    for column, expected in enumerate(joined(source.chunks())):
        np.testing.assert_array_equal(np.concatenate([part[column] for part in parts]), expected)


def test_fingerprint_tells_presets_and_seeds_apart() -> None:
    tiny = EVENTS["tiny_visits"]
    prints = {
        EventSource(tiny, 1).fingerprint(),
        EventSource(tiny, 2).fingerprint(),
        EventSource(replace(tiny, reach=1.0), 1).fingerprint(),
        EventSource(EVENTS["tiny_purchases"], 1).fingerprint(),
        named_source("tiny", 1).fingerprint(),
    }
    assert len(prints) == 5
    assert EventSource(tiny, 1).fingerprint() in prints


@pytest.mark.parametrize("name", TINY)
def test_rows_come_in_small_chunks(name: str) -> None:
    source = EventSource(EVENTS[name], 1)
    assert source.position() == 0
    longest = EVENTS[name].lengths[-1][1]
    rows = 0
    for chunk in source.records(0, 500, block=10):
        assert len(chunk) <= 10 * longest
        rows += len(chunk)
        assert source.position() == rows
    assert rows == source.size == source.notes()["rows"]
    assert name in source.name


# --- rows as they should be ---


@pytest.mark.parametrize("name", TINY)
def test_lengths_are_the_quantiles_of_the_preset(name: str) -> None:
    rows = rows_of(EVENTS[name])
    wanted = np.rint(quantiles(rows.preset.lengths, rows.preset.records))
    np.testing.assert_array_equal(np.sort(rows.length), wanted)


def test_a_person_is_in_one_place_an_hour(visits: Rows) -> None:
    span = 24 * visits.preset.days
    assert len(np.unique(visits.record * span + visits.hour)) == len(visits.record)
    assert (visits.time % 3600 == 0).all()
    assert visits.hour.min() == 0
    assert visits.hour.max() < span
    assert (np.diff(visits.record * span + visits.hour) > 0).all()
    assert visits.value.size == 0


def test_an_item_is_bought_once_a_day(purchases: Rows) -> None:
    preset = purchases.preset
    cell = (purchases.record * preset.days + purchases.day) * preset.items + purchases.item
    assert len(np.unique(cell)) == len(cell)
    assert (purchases.time % SECONDS_PER_DAY == 0).all()
    assert purchases.day.min() == 0
    assert purchases.day.max() == preset.days - 1


@pytest.mark.parametrize("name", ["visits", "purchases"])
def test_ids_say_nothing(name: str, request: pytest.FixtureRequest) -> None:
    rows: Rows = request.getfixturevalue(name)
    n, m = np.arange(rows.preset.records), np.arange(rows.preset.items)
    assert abs(np.corrcoef(n, rows.length)[0, 1]) < 0.1
    held = np.bincount(rows.item, minlength=m.size)
    assert abs(np.corrcoef(m, held)[0, 1]) < 3 / np.sqrt(m.size)


def test_nights_are_spent_at_home(visits: Rows) -> None:
    clock, n, m = visits.hour % 24, visits.preset.records, visits.preset.items
    night = (clock < 6) | (clock >= 22)
    home = most_frequent(visits.record[night], visits.item[night], n, m)
    at_home = visits.item == home[visits.record]
    assert at_home[night].mean() > 0.8
    assert at_home[~night].mean() < 0.4


def test_weekends_differ(visits: Rows) -> None:
    clock, n, m = visits.hour % 24, visits.preset.records, visits.preset.items
    busy = (clock >= 10) & (clock < 16)
    weekend = visits.day % 7 >= 5
    some = busy & ~weekend
    work = most_frequent(visits.record[some], visits.item[some], n, m)
    at_work = visits.item == work[visits.record]
    assert at_work[some].mean() > 0.45
    assert at_work[busy & weekend].mean() < 0.3
    volume = [np.bincount(clock[days], minlength=24) / days.sum() for days in (~weekend, weekend)]
    assert volume[0][8] > 1.5 * volume[1][8]


def test_commuters_of_one_home_meet(visits: Rows) -> None:
    """Who shares the most visited place shares more of the others than who does not."""
    n, m = visits.preset.records, visits.preset.items
    count = np.zeros((n, m))
    np.add.at(count, (visits.record, visits.item), 1)
    top = count.argmax(axis=1)
    count[np.arange(n), top] = 0
    count /= np.linalg.norm(count, axis=1, keepdims=True)
    alike = count @ count.T
    same = (top[:, None] == top) & ~np.eye(n, dtype=bool)
    assert alike[same].mean() > 1.4 * alike[~same].mean()


def test_people_return_after_a_day(visits: Rows) -> None:
    span = 24 * visits.preset.days
    place = np.full((visits.preset.records, span), -1)
    place[visits.record, visits.hour] = visits.item
    back = {}
    for lag in (12, 24, 36, 48):
        early, late = place[:, :-lag], place[:, lag:]
        both = (early >= 0) & (late >= 0)
        back[lag] = (early[both] == late[both]).mean()
    assert min(back[24], back[48]) > 1.1 * max(back[12], back[36])


def test_exploring_becomes_rare(visits: Rows) -> None:
    """Something new is rarer in the later half of a record than in the earlier."""
    key = visits.record * visits.preset.items + visits.item
    is_new = np.zeros(len(key), bool)
    is_new[np.unique(key, return_index=True)[1]] = True
    first = np.cumsum(visits.length) - visits.length
    nth = np.arange(len(key)) - first[visits.record]
    late = nth >= visits.length[visits.record] / 2
    assert is_new[late].mean() < 0.6 * is_new[~late].mean()


def test_exploration_and_preferential_return() -> None:
    """Without routines, as many places are known as the law of Song et al. (2010) adds up to.

    The expected growth is that of dS/dn = ρ·S^−γ, step by step from home and one place. The share
    of the k-th place comes to fall like k^−(1+γ) as new places become rare.
    """
    assert isinstance(EVENTS["visits"], VisitPreset)
    preset = replace(
        EVENTS["visits"], records=1000, items=100_000, groups=10, spread=0.0, employed=0.0,
        at_night=0.0, at_evening=0.0, at_weekend=0.0, lengths=((0.0, 600.0), (1.0, 600.0)),
    )  # fmt: skip
    rows = rows_of(preset)
    known = 2.0
    for _ in range(599):
        known += preset.new * known**-preset.habit
    shares, kinds = np.zeros(100), []
    for item in rows.item.reshape(1000, 600):
        count = np.sort(np.unique(item, return_counts=True)[1])[::-1]
        shares[: count.size] += count[:100]
        kinds.append(count.size)
    assert np.mean(kinds) == pytest.approx(known - 1, rel=0.02)  # home is never visited
    rank = np.log(np.arange(1, 101))
    early, late = (-np.polyfit(rank[k], np.log(shares[k]), 1)[0] for k in (_FIRST, _LATER))
    assert 0.8 < early < 0.95 < late < 1 + preset.habit


_FIRST, _LATER = slice(0, 10), slice(15, 60)


def test_baskets_repeat(purchases: Rows) -> None:
    days = np.unique(purchases.record * purchases.preset.days + purchases.day)
    assert len(purchases.record) / len(days) == pytest.approx(10, rel=0.1)
    held = np.unique(purchases.record * purchases.preset.items + purchases.item)
    assert 1 - len(held) / len(purchases.record) == pytest.approx(0.58, abs=0.03)


def test_purchases_have_a_rhythm(purchases: Rows) -> None:
    span = purchases.preset.days
    days = np.unique(purchases.record * span + purchases.day)
    weekday = np.bincount(days % span % 7)
    assert weekday[[0, 6]].min() > 1.2 * weekday[1:5].max()
    gap = np.bincount(np.diff(days)[np.diff(days // span) == 0])
    assert gap[7] > 1.3 * max(gap[6], gap[8])
    quarter = np.bincount(days % span * 4 // span)
    assert quarter[3] > quarter[0]


def test_items_come_again_at_their_own_time(purchases: Rows) -> None:
    source = EventSource(purchases.preset, 1)
    goods = make_goods(purchases.preset, source.key)
    patience = np.empty(purchases.preset.items)
    patience[names_of(purchases.preset, source.key) - 1] = goods.patience
    order = np.lexsort((purchases.day, purchases.item, purchases.record))
    record, item, day = (x[order] for x in (purchases.record, purchases.item, purchases.day))
    again = (np.diff(record) == 0) & (np.diff(item) == 0)
    gap, own = np.diff(day)[again], patience[item[1:][again]]
    slow = own > np.median(own)
    assert (gap > 0).all()
    assert np.median(gap[slow]) > 1.15 * np.median(gap[~slow])


def test_seasonal_items_have_a_season(purchases: Rows) -> None:
    source = EventSource(purchases.preset, 1)
    goods = make_goods(purchases.preset, source.key)
    place = names_of(purchases.preset, source.key).argsort()[purchases.item]
    apart = np.abs(purchases.day - goods.peak[place]) % 365
    near = np.minimum(apart, 365 - apart) < 91
    seasonal = goods.season[place] > 0
    assert 0.1 < (goods.season > 0).mean() < 0.3
    assert near[seasonal].mean() > near[~seasonal].mean() + 0.08


def test_levels_have_their_shares(purchases: Rows) -> None:
    assert isinstance(purchases.preset, PurchasePreset)
    for level, share in zip(purchases.preset.levels, purchases.preset.shares, strict=True):
        assert (purchases.value == level).mean() == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("name", ["visits", "purchases"])
def test_tails_are_heavy(name: str, request: pytest.FixtureRequest) -> None:
    rows: Rows = request.getfixturevalue(name)
    held = np.sort(np.bincount(rows.item, minlength=rows.preset.items))[::-1]
    assert held[: len(held) // 5].sum() > 0.5 * held.sum()
    assert rows.length.mean() > 1.15 * np.median(rows.length)


def test_shops_are_near() -> None:
    """Purchases of one person lie in few districts, of two people in different ones."""
    preset = replace(EVENTS["shopping"], records=2000)
    source = EventSource(preset, 1)
    rows = rows_of(preset)
    place = np.empty(preset.items, np.int64)
    place[names_of(preset, source.key) - 1] = np.arange(preset.items)
    district = place[rows.item] // (preset.items // preset.groups)
    home = most_frequent(rows.record, district, preset.records, preset.groups)
    assert (district == home[rows.record]).mean() > 0.4
    assert (district == np.roll(home, 1)[rows.record]).mean() < 0.2


def test_shopping_has_the_size_of_the_paper() -> None:
    preset = EVENTS["shopping"]
    assert (preset.records, preset.items, preset.days) == (1_100_000, 10_000, 91)
    assert EventSource(preset, 1).size == pytest.approx(38_000_000, rel=0.02)


# --- the parts ---


def test_random_numbers() -> None:
    state = np.zeros(WORDS, np.uint64)
    start(state, np.uint64(5), 7)
    draws = np.array([unit(state) for _ in range(20_000)])
    assert 0 < draws.min() < draws.max() < 1
    assert draws.mean() == pytest.approx(0.5, abs=0.01)
    bells = np.array([normal(state) for _ in range(20_000)])
    assert (bells.mean(), bells.std()) == pytest.approx((0, 1), abs=0.03)


def test_groups_and_items_are_drawn_by_their_shares() -> None:
    preset = replace(EVENTS["tiny_visits"], items=8, groups=2, cities=1, spread=1.0, lengths=_SHORT)
    world = make_world(preset, 3, 7)
    state = np.zeros(WORDS, np.uint64)
    start(state, np.uint64(1), 1)
    n = 20_000
    groups = np.bincount([pick(state, world.size) for _ in range(n)], minlength=2) / n
    np.testing.assert_allclose(groups, np.diff(world.size, prepend=0), atol=0.02)
    items = np.bincount([item_of(state, world, 1) for _ in range(n)], minlength=8) / n
    assert items[:4].sum() == 0
    assert items.argmax() == world.hub[1]
    kept = (world.cut[1].astype(np.float64) + 1) / 2**32
    share = kept / 4
    np.add.at(share, world.alias[1], (1 - kept) / 4)
    np.testing.assert_allclose(items[4:], share, atol=0.02)


_SHORT = ((0.0, 1.0), (1.0, 7.0))


@given(
    records=st.integers(1, 30),
    longest=st.integers(1, 60),
    days=st.integers(1, 6),
    seed=st.integers(0),
)
@settings(max_examples=examples(25))
def test_any_lengths_are_filled(records: int, longest: int, days: int, seed: int) -> None:
    lengths = ((0.0, 1.0), (1.0, float(longest)))
    for name in TINY:
        tiny = replace(EVENTS[name], records=records, lengths=lengths, days=7 * days)
        rows = rows_of(tiny, seed)
        assert len(rows.record) == EventSource(tiny, seed).size
        cell = np.stack([rows.record, rows.item, rows.time])
        assert np.unique(cell, axis=1).shape[1] == len(rows.record)


def test_a_basket_may_hold_nearly_everything() -> None:
    preset = replace(
        EVENTS["tiny_purchases"], records=3, items=40, groups=2, anchors=1, days=7, basket=30.0,
        lengths=((0.0, 39.0), (1.0, 39.0)),
    )  # fmt: skip
    rows = rows_of(preset)
    np.testing.assert_array_equal(rows.length, [39, 39, 39])


# --- as a release ---


@pytest.mark.parametrize(("name", "time_bin"), [("tiny_visits", "hour"), ("tiny_purchases", "day")])
def test_a_store_keeps_every_row(name: str, time_bin: str, tmp_path: Path) -> None:
    manifest = sim.synthetic(name, cache=str(tmp_path)).store.manifest
    rows = rows_of(EVENTS[name])
    assert manifest.n_cells == len(rows.record)
    assert manifest.n_duplicates == 0
    assert manifest.time_bin == time_bin
    assert manifest.repeats == "all"
    key = rows.record * rows.preset.items + rows.item
    assert manifest.n_repeats == len(key) - len(np.unique(key))
    assert manifest.has_values is (name == "tiny_purchases")


# --- what cannot be made ---


@pytest.mark.parametrize(
    ("name", "change", "word"),
    [
        ("tiny_visits", {"lengths": ((0.0, 5.0),)}, "lengths"),
        ("tiny_visits", {"lengths": ((0.0, 5.0), (1.0, 300.0))}, "lengths.*from 1 to 268"),
        ("tiny_purchases", {"lengths": ((0.0, 5.0), (1.0, 400.0))}, "lengths.*from 1 to 399"),
        ("tiny_visits", {"groups": 3}, "groups"),
        ("tiny_visits", {"days": 30}, "days.*whole weeks"),
        ("tiny_visits", {"first_day": 19_724}, "first_day.*Monday"),
        ("tiny_visits", {"at_night": 1.5}, "at_night"),
        ("tiny_visits", {"new": 0.0}, "new"),
        ("tiny_purchases", {"basket": 0.0}, "basket"),
        ("tiny_purchases", {"anchors": 21}, "anchors"),
        ("tiny_purchases", {"weekdays": (1.0,)}, "weekdays"),
        ("tiny_purchases", {"shares": (0.5, 0.5)}, "shares"),
        ("tiny_purchases", {"levels": (2.0, 1.0)}, "levels"),
    ],
)
def test_a_preset_that_contradicts_itself_is_refused(
    name: str, change: dict[str, object], word: str
) -> None:
    with pytest.raises(ConfigError, match=f"{name}.*{word}"):
        replace(EVENTS[name], **change)  # type: ignore[arg-type]


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ConfigError, match="seed -1"):
        EventSource(EVENTS["tiny_visits"], -1)


def test_an_unknown_preset_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"'visit': did you mean visits\?"):
        named_source("visit", 1)


def test_presets_know_their_names() -> None:
    assert all(preset.name == name for name, preset in EVENTS.items())
    assert not EVENTS.keys() & PRESETS.keys()
    assert {type(preset) for preset in EVENTS.values()} == {VisitPreset, PurchasePreset}
