"""Figures of measurements of a release: all that was measured is there, and can be read."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from figuring import draw
from laying_out import check_layout
from making import random_rows
from matplotlib.colors import to_hex

from sim.measurements.item_bits import KNOWN, ItemBits
from sim.measurements.lengths import Lengths
from sim.measurements.nearest import Attributes, Neighbours
from sim.measurements.rare_items import RareItems
from sim.papers.papers import compare, numbers_for
from sim.plot.palette import COLOURS
from sim.report.figures.item_bits import rank_bins
from sim.report.figures.style import save

BY = get_args(Attributes)
HAMMING = Neighbours(attributes=("presence",), metric="hamming")


@pytest.fixture
def store(make_store):
    return make_store(random_rows(5, records=80, items=60, cells=900))


@pytest.fixture
def bare(make_store):
    """Without values and days, few items."""
    return make_store(random_rows(5, items=12, values=False, days=False))


def texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def caption(figure):
    return " ".join(figure.legends[0].get_title().get_text().split())


def lines(axes):
    """Lines that are curves, by colour."""
    return {
        to_hex(line.get_color()).upper(): line for line in axes.lines if len(line.get_xdata()) > 2
    }


def only(name, tables, **given):
    (page,) = draw(name, tables, **given)
    check_layout(page)
    return page


@pytest.mark.parametrize("ranges", [(100, 1000), (10,), (5, 10, 2000)])
def test_every_length_is_drawn(store, ranges):
    tables = Lengths(ranges).measure(store, 1)
    figure = only("lengths", tables, numbers=numbers_for("ns08_fig2_3"))
    assert len(figure.axes) == len(ranges)
    for axes, most in zip(figure.axes, ranges, strict=True):
        shown = tables["lengths"][tables["lengths"]["x"] <= most]
        (steps,) = axes.patches
        assert steps.get_data().values.tolist() == shown["exactly"].tolist()
        (line,) = axes.lines
        seen = shown[shown["at_least"] > 0]
        assert line.get_ydata().tolist() == seen["at_least"].tolist()
        beyond = int((store.length > most).sum())
        assert axes.get_title(loc="left") == f"up to {most:,} items ({beyond:,} records hold more)"
    assert caption(figure).startswith(f"all {store.manifest.n_records} records")


def test_every_share_is_a_bar_with_its_value(store):
    tables = RareItems((0, 10, 30)).measure(store, 1)
    figure = only("rare_items", tables)
    (axes,) = figure.axes
    shares = tables["facts"][["at_least_1", "at_least_5", "at_least_10"]].to_numpy().ravel()
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == pytest.approx((100 * shares).tolist())
    said = [text.get_text() for text in axes.texts if text.get_text()]
    assert sorted(said) == sorted(f"{100 * share:.1f}" for share in shares)
    assert "not in the top 10 (50 items)" in texts(figure)


def test_where_no_item_is_left_it_says_so(store):
    tables = RareItems((10, 500, 1000)).measure(store, 1)
    figure = only("rare_items", tables)
    assert len(figure.axes[0].patches) == 3
    assert caption(figure) == "all records counted; no item outside the top 500 or 1,000"


def test_the_papers_shares_are_marked_over_their_bars():
    shares = {f"at_least_{k}": [0.9, 0.8, 0.7] for k in (1, 5, 10)}
    facts = pd.DataFrame({"popularity": [100, 500, 1000], "items": 9, **shares})
    numbers = numbers_for("ns08_table_rare")
    figure = only("rare_items", {"facts": facts}, numbers=numbers, settings={"data": "x"})
    marks = [
        (line.get_xdata()[0], line.get_ydata()[0])
        for line in figure.axes[0].lines
        if line.get_marker() == "D"
    ]
    assert sorted(y for _, y in marks) == sorted(100 * number.value for number in numbers)
    centres = [bar.get_x() + bar.get_width() / 2 for bar in figure.axes[0].patches]
    assert sorted(x for x, _ in marks) == pytest.approx(sorted(centres))
    assert "NS08 (Netflix Prize)" in texts(figure)


def test_bits_are_medians_of_bins(store):
    tables = ItemBits().measure(store, 1)
    figure = only("item_bits", tables)
    drawn = lines(figure.axes[0])
    items = tables["item_bits"]
    edges = rank_bins(len(items))
    for colour, known in zip(COLOURS, KNOWN, strict=False):
        expected = [
            items[known][(items["rank"] >= low) & (items["rank"] < high)].median()
            for low, high in pairwise(edges)
        ]
        assert drawn[colour].get_ydata().tolist() == pytest.approx(expected)
    assert len(texts(figure)) == 5
    assert "values within 1 and days within 14 agree" in caption(figure)


@pytest.mark.parametrize("items", [1, 2, 9, 17_770])
def test_bins_hold_every_rank_once(items):
    edges = rank_bins(items)
    assert (edges[0], edges[-1]) == (1, items + 1)
    assert (np.diff(edges) > 0).all()


def test_bits_of_a_release_without_values_and_days(bare):
    figure = only("item_bits", ItemBits().measure(bare, 1))
    assert len(texts(figure)) == 2
    assert caption(figure).endswith("the release has no values and no dates")


@pytest.mark.parametrize("records", [None, 30])
def test_nearest_records_are_drawn_with_their_intervals(store, records):
    tables = Neighbours(records=records, attributes=BY).measure(store, 1)
    figure = only("neighbours", tables, numbers=numbers_for("ns08_fig1"))
    axes = figure.axes[0]
    drawn = lines(axes)
    for colour, by in zip(COLOURS, BY, strict=False):
        curve = tables["ccdf"][tables["ccdf"]["attributes"] == by]
        assert drawn[colour].get_xdata().tolist() == curve["similarity"].tolist()
        assert drawn[colour].get_ydata().tolist() == (100 * curve["share"]).tolist()
    assert len(axes.collections) == (0 if records is None else len(BY))
    assert [name.split(":")[0] for name in texts(figure)] == [
        "items alone",
        "values ±1",
        "dates ±14 days",
        "values ±1 and dates ±14 days",
    ]
    share = tables["facts"]["no_neighbour_above_half"].iloc[0]
    assert texts(figure)[0] == f"items alone: {share:.1%} have none above 0.5"
    assert ("95% intervals" in caption(figure)) == (records is not None)


def test_distances_are_drawn_beyond_1(store):
    tables = HAMMING.measure(store, 1)
    figure = only("neighbours", tables, numbers=numbers_for("ns07_fig1"))
    share = tables["facts"]["no_neighbour_within_70"].iloc[0]
    assert texts(figure) == [f"items alone: {share:.1%} have none within 0.7"]
    seen = tables["ccdf"][tables["ccdf"]["share"] > 0]
    assert figure.axes[0].get_xlim()[1] == seen["distance"].max() > 1


def test_nearest_records_of_a_release_without_values_and_days(bare):
    figure = only("neighbours", Neighbours().measure(bare, 1))
    assert len(texts(figure)) == 1
    assert caption(figure).endswith("the release has no values; the release has no dates")


def test_a_share_that_a_paper_states_is_marked_where_the_curve_would_be(store):
    stated = {"value": 0.25}
    for study, name, height in ((Neighbours(), "ns08_fig1", 75.0), (HAMMING, "ns07_fig1", 25.0)):
        number = replace(numbers_for(name)[0], **stated)
        figure = only("neighbours", study.measure(store, 1), numbers=[number])
        marks = [line for line in figure.axes[0].lines if line.get_marker() == "D"]
        assert [mark.get_ydata()[0] for mark in marks] == [height]


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


def test_the_same_tables_give_the_same_bytes(store, tmp_path):
    tables = Neighbours(records=20).measure(store, 1)
    for folder in ("one", "other"):
        save(draw("neighbours", tables)[0], tmp_path / folder, "figure")
    one, other = ((tmp_path / f / "figure.png").read_bytes() for f in ("one", "other"))
    assert one == other
