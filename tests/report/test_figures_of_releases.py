"""Figures of measurements of a release: all that was measured, and what papers state of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from figuring import heights, plot_of, plots_of, stated_points
from making import MakeStore, random_rows

from sim.measurements.item_bits import KNOWN, ItemBits
from sim.measurements.k_of_release import KAnonymity
from sim.measurements.lengths import Lengths
from sim.measurements.nearest import Attributes, Neighbours
from sim.measurements.rare_items import RareItems
from sim.measurements.recommender import Recommender
from sim.papers.papers import compare, numbers_for
from sim.report.figures.of_releases import rank_bins

BY = get_args(Attributes)
HAMMING = Neighbours(attributes=("presence",), metric="hamming")


@pytest.fixture
def store(make_store):
    return make_store(random_rows(5, records=80, items=60, cells=900))


@pytest.fixture
def bare(make_store):
    """Without values and days, few items."""
    return make_store(random_rows(5, items=12, values=False, days=False))


@pytest.mark.parametrize("ranges", [(100, 1000), (5, 10, 2000)])
def test_every_length_is_drawn(store, ranges):
    tables = Lengths(ranges).measure(store, 1)
    plot = plot_of("lengths", tables, numbers=numbers_for("ns08_fig2_3"))
    beyond = [int((store.length > most).sum()) for most in ranges]
    assert plot.panels() == [
        f"up to {most:,} items ({left:,} records hold more)"
        for most, left in zip(ranges, beyond, strict=True)
    ]
    for panel, most in zip(plot.panels(), ranges, strict=True):
        shown = tables["lengths"][tables["lengths"]["x"] <= most]
        exactly, at_least = plot.series()
        assert heights(plot, panel=panel, series=exactly) == shown["exactly"].tolist()
        seen = shown["at_least"][shown["at_least"] > 0].tolist()
        assert heights(plot, panel=panel, series=at_least) == seen
    assert plot.caption.startswith(f"all {store.manifest.n_records} records")


def test_every_share_is_a_bar_with_its_value(store):
    tables = RareItems((0, 10, 500, 1000)).measure(store, 1)
    plot = plot_of("rare_items", tables)
    assert plot.series()[1] == "not in the top 10 (50 items)"
    shares = tables["facts"][["at_least_1", "at_least_5", "at_least_10"]][:2].to_numpy()
    assert heights(plot) == pytest.approx((100 * shares).T.ravel().tolist())
    assert plot.rows["words"].tolist() == [f"{y:.1f}" for y in plot.rows["y"]]
    assert plot.caption == "all records counted; no item outside the top 500 or 1,000"


def test_the_papers_shares_are_marked_at_their_bars():
    shares = {f"at_least_{k}": [0.9, 0.8, 0.7] for k in (1, 5, 10)}
    facts = pd.DataFrame({"popularity": [100, 500, 1000], "items": 9, **shares})
    numbers = numbers_for("ns08_table_rare")
    plot = plot_of("rare_items", {"facts": facts}, numbers=numbers, settings={"data": "x"})
    found = plot.stated.set_index("source")
    assert set(found.index) == {"NS08 (Netflix Prize)"}
    assert sorted(found["y"]) == sorted(100 * number.value for number in numbers)
    assert not found[["x", "series"]].duplicated().any()


def test_bits_are_medians_of_bins_between_quartiles(store):
    tables = ItemBits().measure(store, 1)
    plot = plot_of("item_bits", tables)
    items, edges = tables["item_bits"], rank_bins(len(tables["item_bits"]))
    for name, known in zip(plot.series(), KNOWN, strict=True):
        bins = [
            items[known][(items["item_rank"] >= low) & (items["item_rank"] < high)]
            for low, high in pairwise(edges)
        ]
        assert heights(plot, series=name) == pytest.approx([one.median() for one in bins])
        low = plot.rows[plot.rows["series"] == name]["low"]
        assert low.tolist() == pytest.approx([one.quantile(0.25) for one in bins])
    assert "values within 1 and days within 14 agree" in plot.caption
    assert plot.bounds[0].at == tables["facts"]["bits_prior"].iloc[0]


@pytest.mark.parametrize("items", [1, 2, 9, 17_770])
def test_bins_hold_every_rank_once(items):
    edges = rank_bins(items)
    assert (edges[0], edges[-1]) == (1, items + 1)
    assert (np.diff(edges) > 0).all()


def test_a_release_without_values_and_days(bare):
    plot = plot_of("item_bits", ItemBits().measure(bare, 1))
    assert len(plot.series()) == 1
    assert plot.caption.endswith("the release has no values and no dates")
    plot = plot_of("neighbours", Neighbours().measure(bare, 1))
    assert len(plot.series()) == 1
    assert plot.caption.endswith("the release has no values; the release has no dates")


@pytest.mark.parametrize("records", [None, 30])
def test_nearest_records_are_drawn_with_their_intervals(store, records):
    tables = Neighbours(records=records, attributes=BY).measure(store, 1)
    plot = plot_of("neighbours", tables, numbers=numbers_for("ns08_fig1"))
    assert [name.split(":")[0] for name in plot.series()] == [
        "items alone",
        "values ±1",
        "dates ±14 days",
        "values ±1 and dates ±14 days",
    ]
    for name, by in zip(plot.series(), BY, strict=True):
        curve = tables["ccdf"][tables["ccdf"]["attributes"] == by]
        assert heights(plot, series=name) == (100 * curve["share"]).tolist()
    assert plot.rows["low"].notna().all() == (records is not None)
    share = tables["facts"]["no_neighbour_above_half"].iloc[0]
    assert plot.series()[0] == f"items alone: {share:.1%} have none above 0.5"


def test_distances_are_drawn_beyond_1(store):
    tables = HAMMING.measure(store, 1)
    plot = plot_of("neighbours", tables, numbers=numbers_for("ns07_fig1"))
    share = tables["facts"]["no_neighbour_within_70"].iloc[0]
    assert plot.series() == [f"items alone: {share:.1%} have none within 0.7"]
    seen = tables["ccdf"][tables["ccdf"]["share"] > 0]
    assert plot.x.limits[1] == seen["distance"].max() > 1


def test_a_share_that_a_paper_states_is_marked_where_the_curve_would_be(store):
    for study, name, height in ((Neighbours(), "ns08_fig1", 75.0), (HAMMING, "ns07_fig1", 25.0)):
        number = replace(numbers_for(name)[0], value=0.25)
        plot = plot_of("neighbours", study.measure(store, 1), numbers=[number])
        assert [y for _, y in stated_points(plot)] == [height]


def test_the_papers_numbers_find_their_facts(store):
    found = {
        "ns08_fig2_3": Lengths().measure(store, 1),
        "ns08_table_rare": RareItems((5, 10, 20)).measure(store, 1),
        "ns08_fig1": Neighbours().measure(store, 1),
        "ns07_fig1": HAMMING.measure(store, 1),
    }
    for name, tables in found.items():
        facts = tables["facts"]
        for number in numbers_for(name):
            assert number.measure in facts
            assert {*number.conditions} <= {*facts.columns}
    compared = compare(found["ns08_fig2_3"]["facts"], numbers_for("ns08_fig2_3"))
    assert compared["ours"].tolist() == [store.manifest.n_records, store.manifest.n_cells]


@pytest.mark.parametrize("rmse", [0.89, None])
def test_recommender(make_store: MakeStore, rmse: float | None) -> None:
    tables = Recommender(rmse=rmse).measure(make_store(random_rows(1, 40, 20, 300)), 1)
    plot = plot_of("recommender", tables, numbers=numbers_for("ns07_rmse"))
    expected = [(pytest.approx(1.12), pytest.approx(0.88))]
    assert stated_points(plot) == (expected if rmse else [])  # it is about NS07's own RMSE
    near, whole = plot.panels()
    drawn = plot.rows[plot.rows["panel"] == whole]
    assert sorted(drawn["y"]) == sorted(tables["gain"]["rmse"])
    assert plot.rows[plot.rows["panel"] == near]["x"].max() == pytest.approx(5)


@pytest.mark.parametrize(("values", "days"), [(True, True), (False, True), (False, False)])
def test_kanonymity(make_store: MakeStore, values: bool, days: bool) -> None:
    store = make_store(random_rows(2, 40, 5, 90, values=values, days=days))
    tables = KAnonymity(k=(2, 5), items=(None, 2)).measure(store, 1)
    plot = plot_of("kanonymity", tables, numbers=numbers_for("slides_kanon"))
    facts = tables["facts"]
    release = facts[facts["data"] == "release"]
    assert len(plot.panels()) == 4
    for panel, (items, k) in zip(
        plot.panels(), [(None, 2), (None, 5), (2, 2), (2, 5)], strict=True
    ):
        rows = release[release["items"].isna() if items is None else release["items"] == items]
        expected = sorted(100 * rows[f"suppressed_records_{k}"])
        assert sorted(heights(plot, panel=panel)) == pytest.approx(expected)


def theory_tables(promised: float) -> dict[str, pd.DataFrame]:
    ends = {"named": 0.6, "named_low": 0.5, "named_high": 0.7, "bits": 0.4, "bits_low": 0.3}
    facts = pd.DataFrame(
        [
            {"attributes": "presence", "m": m, "present": present, "n_targets": 9} | ends
            | {"bits_high": 0.5, "kept": None if np.isnan(promised) else present}
            for m in (2, 4) for present in (True, False)
        ]
    )  # fmt: skip
    m = np.arange(6)
    promises = pd.DataFrame({"attributes": "presence", "m": m, "promised": promised})
    promises = promises.assign(promised_sound=promised, promised_bits=promised)
    delta = promised and 0.5
    needed = pd.DataFrame(
        [{"attributes": "presence", "epsilon": 0.05, "theta": 1 - delta, "delta": delta,
          "theorem1": 4.5 * promised, "enough": 2.0}]
    )  # fmt: skip
    samples = pd.DataFrame(
        [{"attributes": "presence", "eps": 0.3, "delta": 0.5, "lam": lam, "gamma": gamma,
          "printed": 1 - gamma, "sound": 0.1} for lam in (2, 10) for gamma in (0.2, 0.8)]
    )  # fmt: skip
    return {"facts": facts, "promises": promises, "needed": needed, "samples": samples}


def test_theory() -> None:
    plot, samples = plots_of("theory", theory_tables(1.0))
    success, bits = plot.panels()
    assert success == "items alone: (0.5, 5%)-sparse"
    assert heights(plot, panel=success, series="measured: one record named") == [60, 60]
    assert heights(plot, panel=success, series="theorems 1–4 as printed") == [100] * 6
    assert heights(plot, panel=bits, series="theorems 1–4 as printed") == [1] * 6
    assert "violate a bound: 2" in plot.caption
    assert [(one.at, one.panel) for one in plot.bounds] == [(4.5, success)]
    assert samples.series() == [
        *("as printed: 1 − γ", "as implied, sample 1/2", "as implied, sample 1/10"),
    ]


def test_theory_of_what_is_not_sparse() -> None:
    tables = theory_tables(float("nan"))
    tables["needed"]["theorem1"] = tables["needed"]["delta"] = float("nan")
    plot, _ = plots_of("theory", tables)
    assert plot.panels()[0] == "items alone: no θ leaves 5% with a neighbour"
    assert "violate" not in plot.caption
    assert len(plots_of("theory", tables | {"samples": pd.DataFrame()})) == 1


def test_a_measurement_without_a_figure_has_a_panel_for_each_measure() -> None:
    facts = pd.DataFrame({
        "top": [1, 10], "share": [0.5, 0.75], "share_low": [0.4, 0.7], "share_high": [0.6, 0.8],
        "records": [3, 4],
    })  # fmt: skip
    plot = plot_of("facts", {"facts": facts})
    assert (plot.title, plot.panels()) == ("Measurements, by top", ["share", "records"])
    assert plot.rows[plot.rows["panel"] == "share"][["x", "y", "low"]].to_numpy().tolist() == [
        ["1", 0.5, 0.4],
        ["10", 0.75, 0.7],
    ]
