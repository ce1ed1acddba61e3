"""NS07's arithmetic, curves by hand, and the baseline against a reference implementation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, RowSource, examples, plain, random_rows

from sim.errors import ConfigError, GridError
from sim.measurements.biases import predict, valued_cells
from sim.measurements.recommender import LAWS, PERCENTS, SHARES, Recommender, removed, weigh
from sim.numeric.random import Purpose, words
from sim.papers.papers import compare, numbers_for
from sim.release.store.build import build_store
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

HAND = [(0, 0, 5.0, None), (0, 1, 3.0, None), (0, 2, 4.0, None), (1, 0, 1.0, None)]
"""Two records of lengths 3 and 1."""


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Store]:
    """Releases with values, some missing, in blocks of all sizes."""
    made = []
    for seed in range(12):
        scale = ((1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 1.0))[seed % 2]
        rows = random_rows(seed, 10, 6, 60, missing=0.3 * (seed % 3 == 0), scale=scale)
        folder: Path = tmp_path_factory.mktemp("stores") / "store"
        build_store(RowSource(rows), folder, block_records=(1, 3, 100)[seed // 4])
        made.append(Store(folder))
    return made


def oracle(store: Store, seed: int, folds: int, items: float, records: float) -> list[float]:
    """μ + b_i + b_r, fold by fold, from the definitions; the squared errors of each record."""
    release, squared = plain(store), [0.0] * store.manifest.n_records
    cells = [
        (r, i, float(release.value[r, i]))
        for r, i in np.argwhere(release.held & ~np.isnan(release.value)).tolist()
    ]
    fold = {(r, i): (int(words(seed, Purpose.FOLD, r, i)) >> 32) * folds >> 32 for r, i, _ in cells}
    for f in range(folds):
        train = [(r, i, v) for r, i, v in cells if fold[r, i] != f]
        mean = sum(v for *_, v in train) / len(train)

        def item_bias(item: int, train=train, mean=mean) -> float:  # type: ignore[no-untyped-def]
            of = [v - mean for _, i, v in train if i == item]
            return sum(of) / (len(of) + items)

        def record_bias(record: int, train=train, mean=mean) -> float:  # type: ignore[no-untyped-def]
            of = [v - mean - item_bias(i) for r, i, v in train if r == record]
            return sum(of) / (len(of) + records)

        for r, i, v in cells:
            if fold[r, i] == f:
                guess = mean + item_bias(i) + record_bias(r)
                squared[r] += (v - min(max(guess, store.scale[0]), store.scale[-1])) ** 2
    return squared


@settings(max_examples=examples(60))
@given(
    which=st.integers(0, 11),
    seed=st.integers(0, 2**64 - 1),
    folds=st.integers(2, 6),
    items=st.sampled_from([0.5, 25.0]),
    records=st.sampled_from([0.1, 10.0]),
)
def test_the_baseline_matches_the_reference(
    stores: list[Store], which: int, seed: int, folds: int, items: float, records: float
) -> None:
    store = stores[which]
    found = predict(store, seed, folds, items, records)
    assert found.squared == pytest.approx(oracle(store, seed, folds, items, records), rel=1e-9)
    assert found.cells.tolist() == valued_cells(store).tolist()
    release = plain(store)
    assert found.cells.tolist() == (release.held & ~np.isnan(release.value)).sum(axis=1).tolist()


def test_nothing_depends_on_blocks(make_store: MakeStore) -> None:
    rows = random_rows(3, 30, 10, 200)
    whole, parts = (make_store(rows, block_records=size) for size in (100, 7))
    one, other = (Recommender(rmse=None).measure(store, 5) for store in (whole, parts))
    for name in one:
        pd.testing.assert_frame_equal(one[name], other[name], check_exact=True)
    changed = Recommender(rmse=None).measure(whole, 6)
    assert not one["gain"].equals(changed["gain"])


def test_ns07s_own_number(make_store: MakeStore) -> None:
    """1/0.89 = 1.12%, under NS07's two assumptions and no other."""
    facts = Recommender().measure(make_store(HAND), 1)["facts"]
    verdicts = compare(facts, numbers_for("ns07_rmse"), {"data": "netflix_prize"})
    assert verdicts["verdict"].tolist() == ["reproduced"]
    assert verdicts["ours"].tolist() == [pytest.approx(0.01 / 0.89)]
    named = facts.set_index(["weighing", "chosen", "law", "percent_of"])["records_for_1_percent"]
    assert named["records", "at random", "linear", "the RMSE"] == pytest.approx(0.01)
    right = 1 - (0.88 / 0.89) ** 2
    assert named["records", "at random", "mean square", "a value unit"] == pytest.approx(right)
    other = Recommender(rmse=0.9).measure(make_store(HAND), 1)["facts"]
    assert compare(other, numbers_for("ns07_rmse"))["ours"].isna().all()


def test_longest_first_by_hand(make_store: MakeStore) -> None:
    """The longer record, half of the records, holds 3 of 4 cells: RMSE 1 falls to √(1/4)."""
    tables = Recommender(rmse=1.0).measure(make_store(HAND), 1)
    gain = tables["gain"].set_index(["weighing", "chosen", "law", "share"])
    half = gain.loc["cells", "longest first", "mean square", 0.5]
    assert (half["cells"], half["rmse"]) == (pytest.approx(0.75), pytest.approx(0.5))
    assert gain.loc["cells", "longest first", "linear", 0.5]["rmse"] == pytest.approx(0.25)
    assert gain.loc["cells", "at random", "linear", 0.5]["rmse"] == pytest.approx(0.5)
    facts = tables["facts"].set_index(["weighing", "chosen", "law", "percent_of"])
    # 10% linear: 0.1 of the cells, a third of 0.3 of the first record, which is half of all.
    needed = facts.loc["cells", "longest first", "linear", "the RMSE"]["records_for_10_percent"]
    assert needed == pytest.approx(0.1 / 0.75 / 2)


def test_what_is_needed_is_where_the_curve_passes(stores: list[Store]) -> None:
    for store in stores[:4]:
        for rmse in (0.5, None):
            tables = Recommender(rmse=rmse).measure(store, 1)
            keys = ["weighing", "chosen", "law"]
            for key, curve in tables["gain"].groupby(keys):
                assert curve["share"].tolist() == SHARES.tolist()
                assert (np.diff(curve["rmse"]) <= 1e-12).all()
                assert curve["rmse"].iloc[-1] == pytest.approx(0, abs=1e-7)
                assert (curve["rmse_low"] <= curve["rmse"] + 1e-12).all()
                assert (curve["rmse_high"] >= curve["rmse"] - 1e-12).all()
                facts = tables["facts"].set_index(keys).loc[key]
                for fact in facts.to_dict("records"):
                    assert curve["rmse"].iloc[0] == pytest.approx(fact["rmse"])
                    unit = fact["rmse"] if fact["percent_of"] == "the RMSE" else 1.0
                    for percent in PERCENTS:
                        at = fact[f"records_for_{percent}_percent"]
                        before = curve[curve["share"] <= at]["rmse"].min()
                        after = curve[curve["share"] >= at]["rmse"].max()
                        goal = fact["rmse"] - percent / 100 * unit
                        assert after - 1e-9 <= goal <= before + 1e-9


def test_the_band_is_that_of_random_choices() -> None:
    """Drawing records without replacement leaves the band about 5% of the time."""
    rng = np.random.default_rng(1)
    cells = rng.integers(1, 60, 400)
    ways = weigh(0.81 * cells, cells)
    way = next(w for w in ways if (w.weighing, w.chosen) == ("cells", "at random"))
    spread = float(way.deviation(np.array([0.25]))[0])
    drawn = [rng.permutation(way.share)[:100].sum() for _ in range(4000)]
    assert np.mean(drawn) == pytest.approx(0.25, abs=0.005)
    assert np.std(drawn) == pytest.approx(spread, rel=0.05)
    assert ways[0].deviation(np.array([0.25]))[0] == pytest.approx(0, abs=1e-12)


def test_more_than_all_cannot_be_gained(make_store: MakeStore) -> None:
    facts = Recommender(rmse=0.05).measure(make_store(HAND), 1)["facts"]
    unit = facts[facts["percent_of"] == "a value unit"]
    assert unit["records_for_10_percent"].isna().all()
    assert facts[facts["percent_of"] == "the RMSE"]["records_for_10_percent"].notna().all()
    assert all(math.isnan(removed(0.05, 0.1, law)) for law in LAWS)


def test_what_cannot_be_measured_is_said(make_store: MakeStore) -> None:
    without = make_store([(0, 0, None, 3), (1, 0, None, 4)])
    assert Recommender().lacks(without.manifest) == "values"
    assert Recommender().lacks(make_store(HAND).manifest) is None
    with pytest.raises(GridError, match="leave nothing to learn"):
        Recommender(rmse=None).measure(make_store([(0, 0, 5.0, None)]), 1)
    flat = [(r, i, 3.0, None) for r in range(4) for i in range(4)]
    with pytest.raises(GridError, match="makes no error"):
        Recommender(rmse=None).measure(make_store(flat), 1)


@pytest.mark.parametrize(
    "wrong", [{"rmse": 0.0}, {"folds": 1}, {"shrink_items": 0.0}, {"shrink_records": math.inf}]
)
def test_wrong_numbers_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=f"study.{next(iter(wrong))}"):
        Recommender(**wrong)  # type: ignore[arg-type]


def test_the_baseline_on_movielens(real_data: Path, tmp_path: Path) -> None:
    """Biases alone are known to reach an RMSE of 0.94 to 0.96 on ML-100K."""
    import sim

    store = sim.movielens(real_data / "ml-100k", cache=str(tmp_path)).store
    found = predict(store, 1, 5, 25.0, 10.0)
    assert 0.93 < math.sqrt(found.squared.sum() / found.cells.sum()) < 0.965
