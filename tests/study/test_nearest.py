"""What is said of nearest records: read off brute force, with intervals where it is a sample."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from making import MakeStore, plain, random_rows
from reference import Presence, Threshold, hamming_to_nearest, nearest_neighbour

from sim.errors import ConfigError, GridError
from sim.measurements.nearest import EPSILONS, Attributes, Neighbours
from sim.numeric.intervals import wilson
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.release.synthetic import PRESETS, SyntheticSource
from sim.theory import sparsity

pytestmark = pytest.mark.fast

BY = get_args(Attributes)
INF = float("inf")
ALIKE = {
    "presence": Presence(),
    "values": Threshold(1, INF),
    "dates": Threshold(INF, 14),
    "values_and_dates": Threshold(1, 14),
}


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(6, records=60, items=15, cells=400), block_records=25)


def curve(tables: dict[str, pd.DataFrame], name: str, by: str) -> pd.DataFrame:
    return tables[name][tables[name]["attributes"] == by].drop(columns="attributes")


def test_all_records_by_similarity(store: Store) -> None:
    tables = dict(Neighbours(records=None, attributes=BY).measure(store, 1))
    facts = tables["facts"].set_index("attributes")
    assert facts.index.tolist() == list(BY)
    assert (facts["records"] == facts["of_records"]).all()
    for by in BY:
        figures = nearest_neighbour(plain(store), ALIKE[by])[0]
        row = facts.loc[by]
        assert row["no_neighbour_above_half"] == (figures <= 0.5).mean()
        assert row["similarity_median"] == np.median(figures)
        shares = curve(tables, "ccdf", by)
        assert shares["similarity"].tolist() == (np.arange(101) / 100).tolist()
        expected = [(figures >= x).mean() for x in shares["similarity"]]
        assert shares["share"].tolist() == expected
        deltas = curve(tables, "sparsity", by)
        assert deltas["eps"].tolist() == EPSILONS.tolist()
        assert deltas["delta"].tolist() == [sparsity(figures, eps) for eps in EPSILONS]
        assert deltas["delta"].iloc[10] == pytest.approx(1 - row["no_neighbour_above_half"])
    # Exact: no ends of any interval.
    for frame in tables.values():
        ends = [name for name in frame.columns if name.endswith(("low", "high"))]
        assert ends
        assert frame[ends].isna().all(axis=None)


def test_a_sample_has_intervals(store: Store) -> None:
    tables = Neighbours(records=20).measure(store, 3)
    row = tables["facts"].iloc[0]
    assert (row["records"], row["of_records"]) == (20, store.manifest.n_records)
    ends = wilson(20 * row["no_neighbour_above_half"], 20)
    assert row["no_neighbour_above_half_low"] == pytest.approx(ends.low)
    assert row["no_neighbour_above_half_high"] == pytest.approx(ends.high)
    for name, of, low, high in (
        ("ccdf", "share", "low", "high"),
        ("sparsity", "delta", "delta_low", "delta_high"),
    ):
        frame = tables[name]
        assert ((frame[low] <= frame[of]) & (frame[of] <= frame[high])).all()
        assert (frame[low] < frame[high]).all()
    again, other = (Neighbours(records=20).measure(store, seed) for seed in (3, 4))
    assert all(tables[name].equals(again[name]) for name in tables)
    assert not tables["ccdf"].equals(other["ccdf"])


def test_by_hamming_distance(store: Store) -> None:
    study = Neighbours(records=None, attributes=("presence",), metric="hamming")
    tables = study.measure(store, 1)
    figures = hamming_to_nearest(plain(store))
    row = tables["facts"].iloc[0]
    assert row["no_neighbour_within_70"] == (figures > 0.7).mean()
    assert row["distance_mean"] == pytest.approx(figures.mean())
    shares = tables["ccdf"]
    assert shares["distance"].iloc[-1] >= max(figures.max(), 1.0)
    assert shares["share"].tolist() == [(figures >= x).mean() for x in shares["distance"]]
    assert "sparsity" not in tables


def test_a_distance_beyond_1_is_shown(make_store: MakeStore) -> None:
    """Record 1 holds one item, record 2 two others: 3 items differ, so 3 and 1.5."""
    store = make_store([(1, 1, None, None), (2, 2, None, None), (2, 3, None, None)])
    study = Neighbours(records=None, attributes=("presence",), metric="hamming")
    shares = study.measure(store, 1)["ccdf"].set_index("distance")["share"]
    assert shares.index.max() == 3.0
    assert shares[[0.0, 1.5, 1.51, 3.0]].tolist() == [1.0, 1.0, 0.5, 0.5]


def test_what_the_release_lacks_is_null(make_store: MakeStore) -> None:
    store = make_store(random_rows(1, days=False))
    study = Neighbours()
    assert study.lacks(store.manifest) is None
    tables = study.measure(store, 1)
    facts = tables["facts"].set_index("attributes")["no_neighbour_above_half"]
    assert facts.isna().to_dict() == {"presence": False, "values": False, "dates": True}
    assert set(tables["ccdf"]["attributes"]) == {"presence", "values"}
    only = Neighbours(attributes=("dates", "values_and_dates"))
    assert only.lacks(store.manifest) == "dates"
    with pytest.raises(GridError, match="needs dates, which the release lacks"):
        only.measure(store, 1)


def test_one_record_has_no_neighbour(make_store: MakeStore) -> None:
    store = make_store([(1, 1, 1.0, 1)])
    assert Neighbours().lacks(store.manifest) == "two records"
    with pytest.raises(GridError, match="needs two records"):
        Neighbours().measure(store, 1)


def test_no_record_is_named(tmp_path: Path) -> None:
    build_store(SyntheticSource(PRESETS["tiny"], seed=1), tmp_path / "store")
    tables = Neighbours().measure(Store(tmp_path / "store"), 1)
    assert set(tables) == {"facts", "ccdf", "sparsity"}
    assert max(len(frame) for frame in tables.values()) == 3 * 101


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"records": 0}, "study.records: 0: expected a whole number of at least 1, or all"),
        ({"metric": "cosine"}, "study.metric: 'cosine': expected one of"),
        ({"attributes": ()}, "study.attributes: empty; expected at least one value"),
        ({"attributes": ("presence", "presence")}, "study.attributes: .* each value once"),
        ({"attributes": ("prices",)}, "study.attributes: 'prices': expected one of presence"),
        ({"metric": "hamming"}, r"set 'study.attributes=\[presence\]'"),
        ({"eps_value": -1}, "study.eps_value: -1: expected a number of at least 0"),
        ({"eps_day": INF}, "study.eps_day: inf"),
    ],
)
def test_what_cannot_be_asked(given: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Neighbours(**given)  # type: ignore[arg-type]
