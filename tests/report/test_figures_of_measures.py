"""Figures over φ, k, n and claimed probability: all that was measured is there, and can be read."""

import numpy as np
import pytest
from figuring import draw
from laying_out import check_layout
from matplotlib.colors import to_hex

from sim.metrics.identification import DEPTHS, REASONS
from sim.metrics.neighbourhoods import SIZES
from sim.papers.papers import numbers_for
from sim.plot.palette import COLOURS
from sim.report.figures.facets import PER_PAGE
from sim.report.figures.style import save

GRIDS = [
    None,
    {"aux": ["6/8"]},
    {"aux": ["2/2", "6/8"], "date_noise": [3, None], "present": [True, False]},
    {"aux": ["2/2", "6/8"], "value_noise": [0, 1], "popularity": [0, 9]},
    {"decoys": list(range(9)), "present": [True]},
]


def only(name, tables, **given):
    (figure,) = draw(name, tables, **given)
    return figure


def figure_phi(curves, over_phi, phi):
    return only("phi", {"curves": curves, "phi": over_phi}, phi=phi)


def figure_k_identification(curves, numbers=()):
    return only("k_identification", {"curves": curves}, numbers=numbers)


def figure_mu(curves, numbers=()):
    return only("mu", {"curves": curves}, numbers=numbers)


def figure_reliability(curves, bins):
    return only("reliability", {"curves": curves, "reliability": bins})


def here(curves):
    return curves[curves["rank1"].notna()]


def texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("grid", GRIDS)
def test_the_curves_over_phi_are_all_drawn_twins_together(make_curves, make_phi, grid):
    curves = make_curves(grid)
    over = make_phi(curves)
    figure = figure_phi(curves, over, 1.5)
    twins = "present" in curves and curves["present"].nunique() == 2
    assert len(figure.axes) == len(curves) / (2 if twins else 1)
    drawn = [
        (to_hex(line.get_color()), line.get_linestyle(), line.get_ydata())
        for axes in figure.axes
        for line in axes.lines
        if len(line.get_xdata()) == over["phi"].nunique()
    ]
    for cell, shares in over.groupby("cell"):
        present = curves.get("present", curves["cell"] >= 0)[curves["cell"] == cell].iloc[0]
        answers = {"matched_right": COLOURS[0], "matched_wrong": COLOURS[1], "no_match": COLOURS[6]}
        for name in list(answers)[0 if present else 1 :]:
            assert any(
                colour == answers[name].lower()
                and style == ("-" if present else "--")
                and np.allclose(y, 100 * shares[name])
                for colour, style, y in drawn
            )
    assert ("target absent" in texts(figure)) == twins
    check_layout(figure)


def test_a_rule_that_is_not_about_phi_has_no_line(make_curves, make_phi):
    curves = make_curves({"aux": ["6/8"]})
    by_phi, by_another = (figure_phi(curves, make_phi(curves), phi) for phi in (1.5, None))
    assert len(by_phi.axes[0].lines) == len(by_another.axes[0].lines) + 1
    assert set(texts(by_phi)) - set(texts(by_another)) == {"φ = 1.5 of this run"}


def test_phi_star_is_marked_where_the_errors_cross(make_curves, make_phi):
    curves = make_curves({"aux": ["2/2", "6/8"], "present": [True, False]})
    plain = figure_phi(curves, make_phi(curves), 1.5)
    curves["phi_star"], curves["equal_error"] = [2.0, 2.0, 3.0, 3.0], [0.25, 0.25, 0.1, 0.1]
    figure = figure_phi(curves, make_phi(curves), 1.5)
    marks = [
        (line.get_xdata().tolist(), line.get_ydata().tolist())
        for axes in figure.axes
        for line in axes.lines
        if line.get_marker() == "X"
    ]
    assert marks == [([2.0], [25.0]), ([3.0], [10.0])]
    assert len(texts(figure)) == len(texts(plain)) + 1


@pytest.mark.parametrize("grid", GRIDS)
def test_every_k_and_every_failure_has_its_bar(make_curves, grid):
    curves = make_curves(grid)
    figure = figure_k_identification(curves)
    bars = [
        (round(bar.get_y(), 6), round(bar.get_height(), 6))
        for axes in figure.axes
        for bar in axes.patches
    ]
    for row in here(curves).to_dict("records"):
        for k in DEPTHS:
            assert (0.0, round(100 * row[f"k{k}"], 6)) in bars
        parts = [100 * row[name] for name in REASONS]
        assert sum(parts) == pytest.approx(100 * (1 - row["rank1"]))
        assert {round(part, 6) for part in parts} <= {height for _, height in bars}
    assert len(bars) == len(here(curves)) * (len(DEPTHS) + len(REASONS))
    check_layout(figure)


@pytest.mark.parametrize("grid", GRIDS)
def test_mu_of_every_cell_is_a_line_over_all_sizes(make_curves, grid):
    curves = make_curves(grid, kinds=("set",))
    figure = figure_mu(curves)
    lines = [line for axes in figure.axes for line in axes.lines]
    assert len(lines) == len(here(curves))
    drawn = sorted(tuple(line.get_ydata().round(6)) for line in lines)
    expected = here(curves)[[f"mu_{n}" for n in SIZES]].to_numpy()
    assert drawn == sorted(tuple((100 * row).round(6)) for row in expected)
    assert all(tuple(line.get_xdata()) == SIZES for line in lines)
    check_layout(figure)


@pytest.mark.parametrize("grid", GRIDS)
def test_every_bin_with_a_guess_is_a_point(make_curves, make_reliability, grid):
    curves = make_curves(grid)
    bins = make_reliability(curves)
    figure = figure_reliability(curves, bins)
    drawn = sum(
        len(c.get_offsets()) for a in figure.axes for c in a.collections if hasattr(c, "get_sizes")
    )
    expected = bins[bins["cell"].isin(here(curves)["cell"]) & (bins["n"] > 0)]
    assert drawn == len(expected)
    check_layout(figure)


def test_the_papers_numbers_are_marked_where_they_belong(make_curves):
    grid = {"aux": ["2/2", "6/8"], "date_noise": [3], "value_noise": [0], "popularity": [0]}
    figure = figure_mu(make_curves(grid, kinds=("set",)), numbers=numbers_for("ns07_fig2"))
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "D"]
    assert sorted((line.get_xdata()[0], line.get_ydata()[0]) for line in marks) == [
        (1, 64.0),
        (1, 96.0),
        (8, 89.0),
    ]
    assert "NS07 Fig. 2 (Netflix Prize)" in texts(figure)
    mentions = {"value_known": [0], "decoys": [0], "present": [True]}
    numbers = [n for n in numbers_for("f06_fig4") if n.algorithm == "tf_idf"]
    figure = figure_k_identification(make_curves(mentions), numbers=numbers)
    marks = [line for line in figure.axes[0].lines if line.get_marker() == "D"]
    assert [line.get_ydata()[0] for line in marks] == pytest.approx([20.0, 32.0, 35.0, 50.0])


def test_large_grids_go_over_several_pages(make_curves, make_phi, make_reliability):
    axes = {"aux": ["2/2"], "loss": list(range(13)), "decoys": [1, 2]}
    curves = make_curves(axes, kinds=("set",))
    tables = {
        "curves": curves,
        "phi": make_phi(curves),
        "reliability": make_reliability(curves),
    }
    for name, panels in {"phi": 26, "k_identification": 13, "mu": 13, "reliability": 13}.items():
        drawn = draw(name, tables, phi=1.5)
        assert [len(page.axes) for page in drawn][:-1] == [PER_PAGE] * (len(drawn) - 1)
        assert sum(len(page.axes) for page in drawn) == panels
        assert drawn[0].get_suptitle().endswith(f"(1 of {len(drawn)})")


def test_where_no_target_is_present_there_is_nothing_to_draw(make_curves, make_reliability):
    curves = make_curves({"aux": ["2/2"], "present": [False]}, kinds=("set",))
    for make in (figure_k_identification, figure_mu):
        with pytest.raises(ValueError, match="no curve"):
            make(curves)
    with pytest.raises(ValueError, match="no curve"):
        figure_reliability(curves, make_reliability(curves))


def test_the_pictures_are_the_same_every_time(make_curves, make_phi, tmp_path):
    curves = make_curves({"aux": ["2/2", "6/8"]}, kinds=("set",))
    for folder in ("a", "b"):
        save(figure_phi(curves, make_phi(curves), 1.5), tmp_path / folder, "phi")
        save(figure_k_identification(curves), tmp_path / folder, "k")
        save(figure_mu(curves), tmp_path / folder, "mu")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()
