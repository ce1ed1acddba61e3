"""Made-up releases: the same rows however they are made, and rows like those of the real tables."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.synthetic import PRESETS, Preset, SyntheticSource
from sim.release.synthetic.draw import _race, _tickets
from sim.release.synthetic.items import Items
from sim.release.synthetic.plan import TASTES, new_plan
from sim.release.synthetic.preset import quantiles
from sim.release.synthetic.randomness import bits, normal, start, unit
from sim.release.synthetic.supports import sample
from sim.release.synthetic.world import World, alias_tables, make_world

TINY = PRESETS["tiny"]


@dataclass
class Rows:
    """All rows of a source, in one piece; records and items from 0."""

    preset: Preset
    record: NDArray[np.int64]
    item: NDArray[np.int64]
    value: NDArray[np.float64]
    day: NDArray[np.int64]

    @property
    def length(self) -> NDArray[np.int64]:
        return np.bincount(self.record, minlength=self.preset.records)

    @property
    def support(self) -> NDArray[np.int64]:
        return np.bincount(self.item, minlength=self.preset.items)


def joined(chunks: Iterator[CellChunk]) -> list[NDArray[np.generic]]:
    columns = zip(*((c.record, c.item, c.value, c.time) for c in chunks), strict=True)
    return [np.concatenate(column) for column in columns]


def decision_arrays(preset: Preset, seed: int = 1) -> Rows:
    record, item, value, time = joined(SyntheticSource(preset, seed).chunks())
    return Rows(preset, record - 1, item - 1, value, time // SECONDS_PER_DAY - preset.first_day)


def nearest(record: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each record's greatest |A ∩ B| / |A ∪ B| with another."""
    table = sp.csr_matrix((np.ones(len(record)), (record, item)))
    common = (table @ table.T).toarray()
    length = np.diag(common)
    similar = common / (length[:, None] + length[None, :] - common)
    np.fill_diagonal(similar, 0.0)
    best: NDArray[np.float64] = similar.max(axis=1)
    return best


@pytest.fixture(scope="module")
def source() -> SyntheticSource:
    return SyntheticSource(TINY, 3)


@pytest.fixture(scope="module")
def whole(source: SyntheticSource) -> list[NDArray[np.generic]]:
    return joined(source.chunks())


@pytest.fixture(scope="module")
def tiny() -> Rows:
    return decision_arrays(TINY)


@pytest.fixture(scope="module")
def default() -> Rows:
    return decision_arrays(PRESETS["default"])


# --- the same rows, however they are made ---


def test_same_seed_same_rows_other_seed_other_rows() -> None:
    one = joined(SyntheticSource(TINY, 5).chunks())
    again = joined(SyntheticSource(TINY, 5).chunks())
    other = joined(SyntheticSource(TINY, 6).chunks())
    for a, b in zip(one, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(one[1], other[1])


def test_a_source_can_be_read_twice() -> None:
    source = SyntheticSource(TINY, 5)
    for a, b in zip(joined(source.chunks()), joined(source.chunks()), strict=True):
        np.testing.assert_array_equal(a, b)


@given(cuts=st.lists(st.integers(1, TINY.records - 1), max_size=4), block=st.integers(1, 700))
def test_rows_do_not_depend_on_blocks_or_order(
    source: SyntheticSource, whole: list[NDArray[np.generic]], cuts: list[int], block: int
) -> None:
    bounds = [0, *sorted(set(cuts)), TINY.records]
    parts = {
        lo: joined(source.records(lo, hi, block)) for lo, hi in reversed(list(pairwise(bounds)))
    }
    for column, expected in enumerate(whole):
        pieces = np.concatenate([parts[lo][column] for lo in sorted(parts)])
        np.testing.assert_array_equal(pieces, expected)


def test_rows_do_not_depend_on_threads(
    source: SyntheticSource, whole: list[NDArray[np.generic]]
) -> None:
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda lo: joined(source.records(lo, lo + 100)), range(0, 600, 100)))
    for column, expected in enumerate(whole):
        np.testing.assert_array_equal(np.concatenate([part[column] for part in parts]), expected)


def test_fingerprint_tells_presets_and_seeds_apart() -> None:
    prints = {
        SyntheticSource(TINY, 1).fingerprint(),
        SyntheticSource(TINY, 2).fingerprint(),
        SyntheticSource(replace(TINY, lift=1.0), 1).fingerprint(),
        SyntheticSource(PRESETS["movielens100k"], 1).fingerprint(),
    }
    assert len(prints) == 4
    assert all(len(p) == 64 and int(p, 16) >= 0 for p in prints)
    assert SyntheticSource(TINY, 1).fingerprint() in prints


def test_size_and_position_count_rows() -> None:
    source = SyntheticSource(TINY, 1)
    assert source.position() == 0
    assert sum(len(chunk) for chunk in source.chunks()) == source.size == source.position()
    assert source.notes()["rows"] == source.size
    assert "tiny" in source.name


# --- rows as they should be ---


@pytest.mark.parametrize("name", ["tiny", "default"])
def test_cells_are_whole_and_different(name: str, request: pytest.FixtureRequest) -> None:
    rows: Rows = request.getfixturevalue(name)
    preset = rows.preset
    cell = rows.record * preset.items + rows.item
    assert len(np.unique(cell)) == len(cell)
    assert rows.record.min() == 0
    assert rows.record.max() == preset.records - 1
    assert rows.item.min() == 0
    assert rows.item.max() == preset.items - 1
    assert set(np.unique(rows.value)) == set(preset.levels)
    assert rows.day.min() == 0
    assert rows.day.max() == preset.days - 1
    assert rows.support.min() >= preset.min_support


def test_times_are_whole_days(whole: list[NDArray[np.generic]]) -> None:
    assert whole[3].dtype == np.int64
    assert not (whole[3] % SECONDS_PER_DAY).any()


def test_ids_say_nothing(default: Rows) -> None:
    n = np.arange(default.preset.records)
    m = np.arange(default.preset.items)
    assert abs(np.corrcoef(n, default.length)[0, 1]) < 0.03
    assert abs(np.corrcoef(m, default.support)[0, 1]) < 0.06


def test_lengths_are_the_quantiles_of_the_preset(default: Rows) -> None:
    wanted = np.rint(quantiles(default.preset.lengths, default.preset.records))
    np.testing.assert_array_equal(np.sort(default.length), wanted)


def test_supports_come_near_the_quantiles_of_the_preset(default: Rows) -> None:
    wanted = quantiles(default.preset.supports, default.preset.items)
    for q in (0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0):
        assert np.quantile(default.support, q) == pytest.approx(np.quantile(wanted, q), rel=0.1)


def test_tails_are_heavy(default: Rows) -> None:
    for of in (default.length, default.support):
        assert of.mean() > 1.8 * np.median(of)
        assert of.max() > 10 * of.mean()
    top = np.sort(default.support)[::-1]
    assert top[: len(top) // 10].sum() > 0.5 * top.sum()


@pytest.mark.parametrize("name", ["tiny", "default"])
def test_levels_have_their_shares(name: str, request: pytest.FixtureRequest) -> None:
    rows: Rows = request.getfixturevalue(name)
    for level, share in zip(rows.preset.levels, rows.preset.shares, strict=True):
        assert (rows.value == level).mean() == pytest.approx(share, abs=0.01)


def test_half_stars() -> None:
    like = PRESETS["movielens2006"]
    rows = decision_arrays(replace(TINY, levels=like.levels, shares=like.shares))
    assert set(np.unique(rows.value)) == set(np.arange(1.0, 5.5, 0.5))


def test_volume_grows_steeply(default: Rows) -> None:
    volume = np.bincount(default.day * 4 // default.preset.days, minlength=4)
    assert (volume[1:] > 2 * volume[:-1]).all()
    assert volume[3] > 0.5 * volume.sum()


def test_dates_come_in_sessions(default: Rows) -> None:
    span = default.preset.days
    some = default.record < 2000
    record, day = default.record[some], default.day[some]
    sessions = len(np.unique(record * span + day))
    shuffled = np.random.default_rng(0).permutation(day)
    assert sessions < 0.25 * len(np.unique(record * span + shuffled))
    first = np.full(default.preset.records, span)
    np.minimum.at(first, default.record, default.day)
    on_first = np.bincount(default.record[default.day == first[default.record]])
    assert 0.3 < np.median(on_first / default.length) < 0.6


def test_an_items_dates_cluster(default: Rows) -> None:
    """Ratings of one item are nearer in time than ratings of any."""
    count = default.support
    mean = np.bincount(default.item, default.day) / count
    spread = np.sqrt(np.bincount(default.item, default.day.astype(float) ** 2) / count - mean**2)
    assert (spread < 0.9 * default.day.std()).mean() > 0.15


def test_items_and_records_differ_in_ratings(default: Rows) -> None:
    for key, low, high in ((default.item, 0.35, 0.7), (default.record, 0.3, 0.6)):
        count = np.bincount(key)
        mean = np.bincount(key, weights=default.value) / count
        assert low < mean[count >= 50].std() < high


def test_tastes_and_shelves_make_neighbours() -> None:
    preset = PRESETS["movielens100k"]
    rows = decision_arrays(preset)
    plain = decision_arrays(replace(preset, lift=0.0, shelf_share=0.0, mainstream=0.0))
    near = np.median(nearest(rows.record, rows.item))
    assert near > 1.3 * np.median(nearest(plain.record, plain.item))


@pytest.mark.parametrize("seed", [1, 2])
def test_neighbours_are_as_near_as_in_movielens_100k(real_data: Path, seed: int) -> None:
    path = real_data / "ml-100k" / "u.data"
    if not path.is_file():
        pytest.skip(f"no {path}")
    user, item = np.loadtxt(path, np.int64, usecols=(0, 1), unpack=True)
    real = np.quantile(nearest(user - 1, item - 1), (0.25, 0.5, 0.75))
    rows = decision_arrays(PRESETS["movielens100k"], seed)
    made = np.quantile(nearest(rows.record, rows.item), (0.25, 0.5, 0.75))
    np.testing.assert_allclose(made, real, atol=0.05)


def test_netflix_has_the_size_of_the_prize() -> None:
    preset = PRESETS["netflix"]
    assert SyntheticSource(preset, 1).size == pytest.approx(100_480_507, rel=0.01)
    assert quantiles(preset.supports, preset.items).sum() == pytest.approx(100_480_507, rel=0.01)
    length = quantiles(preset.lengths, preset.records)
    assert np.quantile(length, (0.25, 0.5, 0.75)) == pytest.approx((39, 96, 259), rel=0.01)


def test_movielens_2006_has_its_size() -> None:
    preset = PRESETS["movielens2006"]
    assert SyntheticSource(preset, 1).size == pytest.approx(12_565_530, rel=0.01)
    assert quantiles(preset.supports, preset.items).sum() == pytest.approx(12_565_530, rel=0.01)


# --- the parts ---

WEIGHT = np.array([8.0, 4.0, 2.0, 1.0, 1.0])


@pytest.fixture(scope="module")
def five() -> World:
    """Five old items, one community, nothing fades."""
    preset = replace(TINY, records=10, items=5, lengths=((0, 1), (1, 2)), supports=((0, 1), (1, 5)))
    preset = replace(preset, communities=1, shelves=1, dimensions=1, floor_first=1.0, floor_later=1)
    zero = np.zeros((5, 1), np.float32)
    items = Items(WEIGHT, np.zeros((2, 5)), zero[:1], zero, zero[:, 0], -np.ones(5, np.int32))
    return make_world(preset, items, WEIGHT)


def chances(take: int) -> NDArray[np.float64]:
    """The chance of each item to be among the first `take`, by enumeration."""
    chance = np.zeros(5)
    for order in permutations(range(5), take):
        p, left = 1.0, WEIGHT.sum()
        for i in order:
            p *= WEIGHT[i] / left
            left -= WEIGHT[i]
        chance[list(order)] += p
    return chance


@pytest.mark.parametrize("take", [1, 2, 3])
@pytest.mark.parametrize("budget", [0, 3, 10_000])
def test_sampling_without_replacement_is_exact(five: World, take: int, budget: int) -> None:
    """Tickets, the race, and a race that takes over from tickets agree with enumeration."""
    n = 20_000
    count = np.zeros(5)
    plan = new_plan(five)
    plan.theta[:, 0] = 1.0
    item, day = np.zeros(TASTES, np.int32), np.zeros(TASTES, np.int32)
    for r in range(n):
        start(plan.state, np.uint64(9), r)
        plan.seen[:] = 0
        got, _ = _tickets(five, 1, 0, take, budget, plan, item, day, 0)
        if got < take:
            _race(five, 1, 0, take - got, plan, item, day, got)
        assert len(set(item[:take].tolist())) == take
        count[item[:take]] += 1
    chance = chances(take)
    assert np.abs(count / n - chance).max() < 4.5 * np.sqrt(0.25 / n)


def test_items_to_come_are_not_drawn_before_their_day(five: World) -> None:
    world = five._replace(release=np.array([5, -1, -1, -1, -1], np.int32))
    plan = new_plan(world)
    plan.theta[:, 0] = 1.0
    item, day = np.zeros(5, np.int32), np.zeros(5, np.int32)
    start(plan.state, np.uint64(1), 1)
    got, _ = _race(world, 0, 3, 5, plan, item, day, 0)
    assert got == 4
    assert 0 not in item[:4]
    got, _ = _race(world, -1, 3, 1, plan, item, day, 4)
    assert (got, item[4], day[4]) == (1, 0, 5)


@given(st.lists(st.floats(1e-6, 1e3), min_size=1, max_size=40))
def test_alias_tables_keep_every_share(weight: list[float]) -> None:
    share = np.array([weight]) / np.sum(weight)
    cut, alias = alias_tables(share)
    m = share.shape[1]
    kept = (cut[0].astype(np.float64) + 1.0) / 2.0**32
    got = kept / m
    np.add.at(got, alias[0], (1.0 - kept) / m)
    np.testing.assert_allclose(got, share[0], atol=1e-8)


@given(st.integers(1, 400))
def test_quantiles_rise_and_keep_to_their_ends(count: int) -> None:
    values = quantiles(TINY.lengths, count)
    assert len(values) == count
    assert (np.diff(values) >= 0).all()
    assert values[0] >= TINY.lengths[0][1]
    assert values[-1] <= TINY.lengths[-1][1] * (1 + 1e-12)


def test_a_sample_stands_for_all_records() -> None:
    length = np.rint(quantiles(PRESETS["default"].lengths, 20_000)).astype(np.int64)
    chosen, worth = sample(length, 1000)
    assert len(np.unique(chosen)) == len(chosen)
    assert worth.sum() == pytest.approx(20_000, rel=0.01)
    assert (worth * length[chosen]).sum() == pytest.approx(length.sum(), rel=0.01)


def test_random_numbers() -> None:
    state = np.zeros(1, np.uint64)
    # the published first outputs of SplitMix64 from 0
    assert [int(bits(state)) for _ in range(2)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
    draws = np.array([unit(state) for _ in range(20_000)])
    assert 0 < draws.min() < draws.max() < 1
    assert draws.mean() == pytest.approx(0.5, abs=0.01)
    bells = np.array([normal(state) for _ in range(20_000)])
    assert (bells.mean(), bells.std()) == pytest.approx((0, 1), abs=0.03)


# --- what cannot be made ---


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"lengths": ((0.0, 5.0),)}, "lengths"),
        ({"joins": ((0.0, 0.5), (1.0, 0.2))}, "joins"),
        ({"supports": ((0.0, 3.0), (1.0, 601.0))}, "supports"),
        ({"shares": (0.5, 0.5)}, "shares"),
        ({"communities": 1.5}, "communities"),
        ({"shelf_items": 0}, "shelf_items"),
        ({"stay": 1.5}, "stay"),
        ({"fade": float("nan")}, "fade"),
    ],
)
def test_a_preset_that_contradicts_itself_is_refused(change: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError, match=f"tiny.*{word}"):
        replace(TINY, **change)  # type: ignore[arg-type]


def test_too_few_records_for_the_least_support_are_refused() -> None:
    with pytest.raises(ConfigError, match="min_support"):
        SyntheticSource(replace(TINY, min_support=200), 1)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(ConfigError, match="seed -1"):
        SyntheticSource(TINY, -1)


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_presets_know_their_names(name: str) -> None:
    assert PRESETS[name].name == name
