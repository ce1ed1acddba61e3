"""Values known within a percentage of the true one: drawn, scored and said so."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from attacking import decide
from calibrating import check_calibration
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, RowSource, examples, plain, random_rows
from scipy.stats import chisquare

import sim
from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.knowledge import Knowledge, reach
from sim.adversary.wrong import Outside
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.sets import Neighbourhood
from sim.axes.value_noise import ValueNoiseAxis
from sim.errors import ConfigError
from sim.metrics.record_pairs import pair_similarity
from sim.release.store.build import build_store
from sim.release.store.store import Store

UNLIKELY = 1e-4


def within(true: float, known: float, share: float) -> bool:
    """Whether a value may be known as another, in whole thousandths."""
    return 1000 * abs(round(true) - round(known)) <= round(1000 * share) * abs(round(true))


@settings(max_examples=examples(60))
@given(
    scale=st.lists(st.integers(-50, 300), min_size=1, max_size=12, unique=True).map(sorted),
    share=st.sampled_from([0.1, 0.25, 0.5, 1.0]),
)
def test_levels_within_reach_are_those_of_whole_numbers(scale: list[int], share: float) -> None:
    """The reach is that of the true value, and its rounding loses no level."""
    values = np.array(scale, float)
    reaches = Knowledge(1, 1, 0, None, value_share=share).reach_of(values)
    near = np.abs(values[None, :] - values[:, None]) <= reaches[:, None]
    expected = [[within(true, known, share) for known in scale] for true in scale]
    assert near.tolist() == expected


def test_known_values_are_uniform_within_the_share(make_store: MakeStore) -> None:
    scale = [0.0, 9.0, 10.0, 11.0, 100.0, 105.0, 110.0, 111.0]
    rows: list[Row] = [(r, 0, scale[r % len(scale)], None) for r in range(1600)]
    store = make_store(rows)
    known = Knowledge(1, 1, 0, None, value_share=0.1)
    drawn = draw_aux(store, known, 0, np.arange(1600), 5)
    frame = pd.DataFrame({"true": store.scale[drawn.truth.own_level], "known": drawn.aux.value})
    for true, found in frame.groupby("true")["known"]:
        levels = [level for level in scale if within(float(str(true)), level, 0.1)]
        counts = found.value_counts()
        assert set(counts.index) == set(levels)
        if len(levels) > 1:
            assert chisquare(counts).pvalue > UNLIKELY
    outside = Outside.of(store, known)
    every = np.arange(len(scale))
    far = outside(every[None, :], np.zeros((1, 8), int), every[:, None], np.zeros((8, 1), int))
    assert far.tolist() == [[not within(t, v, 0.1) for v in scale] for t in scale]


def amounts(seed: int, records: int, items: int) -> list[Row]:
    """Counts over three orders of magnitude, each person with a level of their own."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, items + 1) ** 0.8
    popularity /= popularity.sum()
    rows: list[Row] = []
    for record in range(records):
        n = int(np.clip(rng.lognormal(2.8, 0.6), 6, 0.8 * items))
        held = rng.choice(items, n, replace=False, p=popularity)
        amount = np.ceil(np.exp(rng.normal(2.0, 1.0) + rng.normal(0, 0.8, n)))
        day = rng.integers(0, 300, n)
        rows += [
            (record, int(i), float(min(v, 400)), int(d))
            for i, v, d in zip(held, amount, day, strict=True)
        ]  # fmt: skip
    return rows


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder: Path = tmp_path_factory.mktemp("amounts") / "store"
    build_store(RowSource(amounts(7, 300, 120)), folder, block_records=100)
    return Store(folder)


def drawn_of(store: Store, known: Knowledge) -> Drawn:
    able = np.flatnonzero(Sampling(known).eligible(store, 1))
    return Drawn.concatenate([draw_aux(store, known, 0, able, seed) for seed in range(3)])


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(2, 2, 0, None, value_share=0.1),
        Knowledge(3, 3, 0, None, value_share=0.5),
        Knowledge(2, 2, 0, 14, value_share=0.25),
        Knowledge(3, 4, 0, None, value_share=0.2),
        Knowledge(2, 3, 0, None, value_share=0.2, wrong="item"),
    ],
    ids=str,
)
def test_the_posterior_is_right(store: Store, known: Knowledge) -> None:
    found = decide(store, drawn_of(store, known), Bayes(knowledge=(known,)))
    check_calibration(found)
    assert not np.isinf(found.target_score).any()


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_the_true_cell_always_fits(store: Store, share: float) -> None:
    """Thresholds are of the record's cell; of the records that fit all facts, none is missed."""
    known = Knowledge(3, 3, 0, None, value_share=share)
    drawn = drawn_of(store, known)
    dense = plain(store)
    item = drawn.aux.item.reshape(-1, 3)
    gap = np.abs(dense.value[:, item] - drawn.aux.value.reshape(-1, 3))
    fits = (gap <= reach(share) * dense.value[:, item]).all(axis=2).sum(axis=0)
    found = decide(store, drawn, Neighbourhood(knowledge=(known,)))
    assert (found.target_score > 0).all()
    assert found.matching.tolist() == fits.tolist()


def test_pairs_of_records_within_a_share_of_the_first(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, scale=(0.0, 1.0, 9.0, 10.0, 100.0)), block_records=7)
    dense, n = plain(store), store.manifest.n_records
    first, second = np.divmod(np.arange(n * n), n)
    one = np.ones(n * n)
    found = pair_similarity(store, first, second, (0 * one, reach(0.1) * one, np.inf * one))
    a, b = dense.value[first], dense.value[second]
    both = dense.held[first] & dense.held[second]
    near = both & (np.abs(a - b) <= reach(0.1) * np.abs(a))
    union = (dense.held[first] | dense.held[second]).sum(axis=1)
    assert found.tolist() == (near.sum(axis=1) / union).tolist()
    assert found.reshape(n, n).tolist() != found.reshape(n, n).T.tolist()


def test_percentages_on_the_axis() -> None:
    axis = ValueNoiseAxis()
    assert [axis.parsed(v) for v in ("10%", "10.0 %", "0%", 1, None)] == ["10%", "10%", 0, 1, None]
    assert axis.parsed("0bin") == 0
    assert axis.words("10%") == "values ±10%"
    assert axis.phrase("10%") == "values within 10%"
    base = Sampling(Knowledge(1, 1))
    assert str(axis.apply(base, "2.5%").knowledge).split()[1] == "value_noise=2.5%"
    assert axis.apply(axis.apply(base, "10%"), 1).knowledge.value_share == 0
    for wrong in ("ten%", "-5%", "10", "%"):
        with pytest.raises(ConfigError, match="or a percentage such as 10%"):
            axis.check_values([wrong])
    with pytest.raises(ConfigError, match="repeats a value"):
        axis.check_values(["10%", "10.0%"])


@pytest.mark.usefixtures("no_drawings")
def test_percentages_in_a_study(tmp_path: Path) -> None:
    frame = pd.DataFrame(amounts(2, 40, 20), columns=["who", "what", "amount", "day"])
    columns = {"user": "who", "item": "what", "value": "amount", "cache": str(tmp_path / "cache")}
    grid: dict[str, Any] = {"aux": ["2/2"], "value_noise": [0, "10%"], "date_noise": [None]}
    result = sim.run(
        sim.table(frame, **columns),
        grid=grid,
        targets=10,
        folder=tmp_path / "run",  # type: ignore[arg-type]
    )
    assert result.curves["value_noise"].tolist() == ["0", "10%"]
    assert "values ±10%" in (tmp_path / "run" / "report.html").read_text()
    binned = sim.table(frame, value_bins="log2", **columns)  # type: ignore[arg-type]
    sim.run(binned, grid=grid, targets=10, folder=tmp_path / "bins")
    said = html.unescape((tmp_path / "bins" / "report.html").read_text())
    curves = sim.Result(tmp_path / "bins").curves
    assert curves["value_noise"].tolist() == ["0bin", "10%"]
    assert "values exact to the bin" in said
    assert "exact values" not in said
    kinds = {one.kind for one in sim.Result(tmp_path / "bins").findings}
    assert {"noise_of_bins", "noise_without_effect"} <= kinds
