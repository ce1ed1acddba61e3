"""A perturbed release: noise as asked, nothing else; and noise on it is noise on the aux."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from drawing import changed
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, plain, random_rows
from numpy.typing import NDArray
from scipy.stats import chisquare

from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.released import released
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.similarity import Exponential
from sim.attack.kernels.drivers import scan_block, target_scores
from sim.attack.kernels.partials import total
from sim.defence.perturb import PerturbedSource, open_perturbed, perturb
from sim.errors import ConfigError, GridError
from sim.numeric.intervals import wilson
from sim.release.store.store import Store

UNLIKELY = 1e-4


@settings(max_examples=20)
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
    folder = tmp_path / f"perturbed-{len(list(tmp_path.iterdir()))}"
    store = make_store(rows, block_records=blocks[0])
    noisy = perturb(store, folder, k, d, seed)
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
    assert notes["perturbed from"] == store.manifest.fingerprint
    changed = (moved.value != true.value) & ~np.isnan(true.value)
    assert notes["values moved"] == changed.sum()
    assert notes["days moved"] == np.count_nonzero(shift[~np.isnan(shift)])
    # The blocks of the store have no say in it.
    again = perturb(
        make_store(rows, block_records=blocks[1]), folder.with_name(folder.name + "b"), k, d, seed
    )
    assert again.manifest.fingerprint == noisy.manifest.fingerprint
    if k == d == 0:
        assert noisy.manifest.fingerprint == store.manifest.fingerprint


def test_is_cached_by_release_noise_and_seed(make_store: MakeStore, tmp_path: Path) -> None:
    store, cache = make_store(random_rows(1)), tmp_path / "cache"
    asked = [(1, 3, 5), (1, 3, 6), (1, 2, 5), (0.5, 3, 5)]
    folders = [open_perturbed(store, cache, *noise).folder for noise in asked]
    assert len(set(folders)) == 4
    assert open_perturbed(store, cache, 1.0, 3, 5).folder == folders[0]
    other = make_store(random_rows(2))
    assert open_perturbed(other, cache, 1, 3, 5).folder not in folders


@settings(max_examples=25)
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
            perturb(store, folder, *noise, 7, least)
        return
    published = perturb(store, folder, *noise, 7, least)
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
    whole = perturb(store, folder.with_name(folder.name + "w"), *noise, 7)
    assert cells_of(published) == {
        key: cell for key, cell in cells_of(whole).items() if count[key[1]] >= least
    }


def cells_of(store: Store) -> dict[tuple[int, int], tuple[float, float]]:
    """Value and day (since 1970) of every cell, −1 for none."""
    dense = plain(store)
    value, day = np.nan_to_num(dense.value, nan=-1), dense.day + store.manifest.first_day
    records, items = store.records.to_pylist(), store.items.to_pylist()
    return {
        (records[r], items[i]): (float(value[r, i]), float(np.nan_to_num(day[r, i], nan=-1)))
        for r, i in np.argwhere(dense.held).tolist()
    }


def test_what_is_dropped_is_said(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(1))
    source = PerturbedSource(store, 0, 0, 1, 12)
    assert source.name.endswith(", without the items held by fewer than 12 records")
    assert PerturbedSource(store, 1, 0, 1, 2).name.endswith("perturbed (values ±1, days ±0)")
    assert sum(len(chunk) for chunk in source.chunks()) == source.size == source.position()
    with pytest.raises(ConfigError, match=r"perturb\.least_support: 0: expected 1 or more"):
        PerturbedSource(store, 0, 0, 1, 0)
    cache = tmp_path / "cache"
    folders = {open_perturbed(store, cache, 0, 0, 1, n).folder for n in (2, 12, 12)}
    assert len(folders) == 2


def test_a_large_block_goes_in_pieces(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(random_rows(3))
    whole = perturb(store, tmp_path / "whole", 1, 3, 5)
    monkeypatch.setattr("sim.defence.perturb._CELLS_A_CHUNK", 10)
    source = PerturbedSource(store, 1, 3, 5)
    sizes = [len(chunk) for chunk in source.chunks()]
    assert len(sizes) > 10
    assert sum(sizes) == source.size == source.position()
    pieces = perturb(store, tmp_path / "pieces", 1, 3, 5)
    assert pieces.manifest.fingerprint == whole.manifest.fingerprint


@pytest.mark.parametrize(
    ("k", "d", "message"),
    [
        (-1, 3, r"perturb\.value_noise: -1: expected 0 or more"),
        (float("nan"), 3, r"perturb\.value_noise: nan"),
        (float("inf"), 3, r"perturb\.value_noise: inf"),
        (1, -1, r"perturb\.date_noise: -1: expected 0 to 327\d\d days"),
        (1, 40_000, r"perturb\.date_noise: 40000: expected 0 to 327\d\d days"),
    ],
)
def test_noise_that_cannot_be(make_store: MakeStore, k: float, d: int, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        PerturbedSource(make_store(random_rows(1)), k, d, 1)


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
    noisy = perturb(store, tmp_path / "noisy", K, D_S, seed=1)
    everyone = np.flatnonzero(Sampling(knowledge).eligible(store, 1))
    clean = draw_aux(store, knowledge, 0, everyone, 1)
    apart = released(clean, store, noisy)
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
