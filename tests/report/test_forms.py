"""Forms: what each draws of its rows, on a page on which nothing is cut off or covered."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from laying_out import check_layout
from matplotlib.container import ErrorbarContainer

from sim.plot.spec import Axis, Bound, Look, Plot, nth_look, percent
from sim.report.figures.forms import Curve, Form, form_of
from sim.report.figures.page import PER_PAGE, apart, draw_plot, pages_of
from sim.report.figures.placement import placed
from sim.report.figures.style import save

X = [1.0, 5.0, 10.0]
WORDS = ["2 of 2", "3 of 4", "6 of 8"]


def rows(x=X, series=("dates ±3 days", "dates unknown"), panels=("",), variants=("",), **further):
    each = itertools.product(panels, series, variants, enumerate(x))
    return pd.DataFrame([
        {
            "panel": panel, "series": name, "variant": variant, "measure": "share", "x": at,
            "y": 90.0 - 30 * nth - 7 * series.index(name) - 3 * (variant == "open"),
        }
        for panel, name, variant, (nth, at) in each
    ]).assign(low=lambda one: one["y"] - 4, high=lambda one: one["y"] + 2, **further)  # fmt: skip


def plot(form, of=None, **given):
    given = {"x": Axis("facts known"), "y": percent("targets (%)"), "caption": "of some"} | given
    return Plot(form, "What is found", rows() if of is None else of, **given)


def texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def named(figure):
    return [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]


def caption(figure):
    return " ".join(figure.legends[0].get_title().get_text().split())


PLOTS = {
    "curves": plot("curves", rows(variants=("", "open"))),
    "steps": plot("steps", rows(panels=("one", "two"))),
    "points": plot(
        "points",
        rows(WORDS, variants=("", "open")),
        bounds=[Bound(5.0, "random guess"), Bound(50.0, "the bound", upright=True)],
    ),
    "scatter": plot("scatter", rows(weight=[1, 2, 3] * 2)),
    "bars": plot("bars", rows(WORDS, words="x")),
    "distribution": plot("distribution", y=Axis("records", (0.5, 200.0), scale="log")),
    "listing": plot("listing", rows(WORDS), bounds=[Bound(50.0, "NS08's number", to=60.0)]),
    "frontier": plot("frontier", rows(best=True, words="1")),
}


@pytest.fixture(scope="module")
def drawn():
    return {name: draw_plot(each) for name, each in PLOTS.items()}


@pytest.mark.parametrize("form", PLOTS)
def test_nothing_is_cut_off_and_no_text_covers_a_panel(drawn, form):
    check_layout(drawn[form])
    assert drawn[form].axes[0].get_ylabel() or form == "listing"


def drawn_points(axes):
    return {
        (round(x, 6), round(y, 6))
        for line in axes.lines
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    }


@pytest.mark.parametrize("form", ["curves", "steps", "points", "scatter", "frontier"])
def test_every_row_is_a_point_of_its_panel(drawn, form):
    """As placed: beside those of other series where they would cover one another."""
    at, _ = placed(PLOTS[form], form_of(form))
    for panel, axes in zip(at.panels(), drawn[form].axes, strict=True):
        mine = at.rows[at.rows["panel"] == panel]
        places = zip(mine["x"].round(6), mine["y"].round(6), strict=True)
        assert set(places) <= drawn_points(axes)


def test_a_listing_runs_upwards_and_a_span_across_it(drawn):
    (axes,) = drawn["listing"].axes
    assert [tick.get_text() for tick in axes.get_yticklabels()] == WORDS
    assert {(90.0, 0.0), (60.0, 1.0), (30.0, 2.0)} <= drawn_points(axes)
    assert texts(drawn["listing"]) == ["dates ±3 days", "dates unknown", "NS08's number"]


def test_bars_stand_beside_each_other_and_parts_on_one_another(drawn):
    bars = drawn["bars"].axes[0].patches
    assert [bar.get_height() for bar in bars] == list(PLOTS["bars"].rows["y"])
    ends = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars)
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ends))
    parts = pd.concat([rows(WORDS, ("",), part=name) for name in ("found", "not found")])
    look = {"found": Look("#0072B2"), "not found": Look("#C4C4C4", hatch="////")}
    stacked = draw_plot(plot("bars", parts.assign(low=np.nan), looks=look))
    tops = [bar.get_y() + bar.get_height() for bar in stacked.axes[0].patches]
    assert tops == [90, 60, 30, 180, 120, 60]
    assert texts(stacked) == ["found", "not found"]


def test_a_distribution_is_an_area_and_lines(drawn):
    (axes,) = drawn["distribution"].axes
    (area,) = axes.patches
    assert area.get_data().values.tolist() == [90.0, 60.0, 30.0]
    assert [line.get_ydata().tolist() for line in axes.lines] == [[83.0, 53.0, 23.0]]


def test_intervals_are_bars_or_bands(drawn):
    (axes,) = drawn["points"].axes
    bars = [one for one in axes.containers if isinstance(one, ErrorbarContainer)]
    ends = {tuple(end[:, 1]) for bar in bars for end in bar.lines[2][0].get_segments()}
    assert ends == set(zip(*(PLOTS["points"].rows[name] for name in ("low", "high")), strict=True))
    assert caption(drawn["points"]) == "of some; bars: 95% intervals"
    assert len(drawn["curves"].axes[0].collections) == 4
    assert caption(drawn["curves"]) == "of some; bands: 95% intervals"
    exact = draw_plot(plot("curves", rows().assign(low=np.nan, high=np.nan)))
    assert (len(exact.axes[0].collections), caption(exact)) == (0, "of some")


def test_what_is_open_is_hollow_or_dashed(drawn):
    styles = [line.get_linestyle() for line in drawn["curves"].axes[0].lines]
    assert styles == ["-", "--", "--", "--"]  # the second series is dashed anyway
    fills = {line.get_markerfacecolor() for line in drawn["points"].axes[0].lines}
    assert "white" in fills


def test_names_at_the_ends_replace_the_legend(drawn):
    assert named(drawn["points"]) == ["dates ±3 days", "dates unknown", "random guess"]
    assert texts(drawn["points"]) == ["the bound"]
    assert named(drawn["curves"]) == ["dates ±3 days", "dates unknown"]
    meeting = rows()
    meeting.loc[meeting["x"] == 10, "y"] = 3.0
    assert texts(draw_plot(plot("curves", meeting))) == ["dates ±3 days", "dates unknown"]


@pytest.mark.parametrize("at", [[1.0, 1.0, 1.0], [0, 0, 0.01], [0.5, 0.52, 0.48]])
def test_no_name_covers_another(at):
    heights = [0.04, 0.08, 0.04]
    middles = apart(at, heights, low=0)
    order = np.argsort(middles)
    both = (np.take(heights, order)[1:] + np.take(heights, order)[:-1]) / 2
    assert (np.diff(middles[order]) - both > -1e-9).all()
    assert (middles - np.array(heights) / 2 >= -1e-9).all()


def stated(count):
    one = rows(WORDS, ("dates ±3 days",))[:1]
    numbers = [one.assign(y=10.0 * nth, words=f"F06: {10 * nth}%") for nth in range(count)]
    return pd.concat(numbers).assign(source="F06 Fig. 4")


def test_what_papers_state_is_named_where_it_stands(drawn):
    few = draw_plot(replace(PLOTS["points"], stated=stated(2)))
    frames = [line for line in few.axes[0].lines if line.get_marker() == "D"]
    assert [line.get_ydata()[0] for line in frames] == [0.0, 10.0]
    left = min(line.get_xdata()[0] for line in drawn["points"].axes[0].lines)
    assert {line.get_xdata()[0] for line in frames} == {left}
    assert named(few)[:2] == ["F06: 0%", "F06: 10%"]
    check_layout(few)
    many = draw_plot(replace(PLOTS["points"], stated=stated(6)))
    assert not any("F06" in name for name in named(many))
    assert "F06 Fig. 4" in texts(many)
    check_layout(many)
    assert many.axes[0].get_position().height > 0.5


def test_a_bound_of_one_category_spans_it():
    bound = Bound(40.0, "random guess", x="3 of 4")
    (axes,) = draw_plot(replace(PLOTS["points"], bounds=[bound])).axes
    (segment,) = axes.collections[-1].get_segments()
    assert segment.tolist() == [[0.54, 40.0], [1.46, 40.0]]


def test_series_and_panels_beyond_a_page_go_over_several():
    many = rows(WORDS, tuple(f"attack {n}" for n in range(9)), [f"loss {n}" for n in range(13)])
    pages = pages_of(plot("points", many))
    assert [(len(p.series()), len(p.panels())) for p in pages] == [
        *((7, PER_PAGE), (7, 1), (2, PER_PAGE), (2, 1)),
    ]
    assert pages[0].title == "What is found (1 of 4)"
    assert sum(len(page.rows) for page in pages) == len(many)


def test_nothing_stated_is_no_frame():
    (page,) = pages_of(replace(PLOTS["curves"], stated=pd.DataFrame()))
    assert page.stated is None


def test_pages_share_looks_and_categories():
    every = rows(WORDS, panels=[f"loss {n}" for n in range(13)])
    last = (every["panel"] == "loss 12") & (
        (every["series"] == "dates ±3 days") | (every.index % 2)
    )
    first, second = pages_of(plot("points", every[~last]))
    assert second.series() == ["dates unknown"]
    assert second.x.names == first.x.names == WORDS
    assert second.looks["dates unknown"] == first.looks["dates unknown"] != nth_look(0)


@pytest.mark.parametrize("x", [X, WORDS, [1.0, 100.0, 1000.0]])
def test_no_two_points_of_a_panel_stand_on_one_another(x):
    scale = "log" if x[-1] == 1000.0 else "linear"
    given = plot("points", rows(x, variants=("", "open", "dotted")), x=Axis(scale=scale))
    at, _ = placed(given, form_of("points"))
    shown = at.rows[at.rows["variant"] != "dotted"]
    assert shown["x"].round(9).is_unique
    order = {name: nth for nth, name in enumerate(WORDS)}
    value = given.rows["x"].map(lambda one: order.get(one, one)).astype(float)
    assert np.allclose(value, at.rows["x"], rtol=0.15, atol=0.5)


def test_many_or_long_names_of_categories_are_turned():
    (axes,) = draw_plot(plot("points", rows([f"not in the top {n}" for n in range(20)]))).axes
    assert {tick.get_rotation() for tick in axes.get_xticklabels()} == {90.0}


def test_the_same_plot_gives_the_same_bytes(tmp_path):
    for folder in ("a", "b"):
        save(draw_plot(PLOTS["points"]), tmp_path / folder, "x")
    assert (tmp_path / "a" / "x.png").read_bytes() == (tmp_path / "b" / "x.png").read_bytes()


def _draw_sum(axes, _, curves: list[Curve]):
    axes.plot([0, 1], [0, sum(curve.y.sum() for curve in curves)], label="sum")


FORM = Form(_draw_sum)


def test_a_form_of_a_plug_in_is_named_by_its_module():
    (axes,) = draw_plot(plot(f"{__name__}:FORM", rows(X, ("one",)))).axes
    assert axes.lines[0].get_ydata()[1] == 180.0
