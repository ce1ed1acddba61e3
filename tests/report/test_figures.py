"""Figures: every cell drawn once, where it belongs, with its interval, inside the picture."""

import itertools

import numpy as np
import pytest
from figuring import draw
from laying_out import check_layout
from matplotlib.container import ErrorbarContainer

from sim.papers.papers import numbers_for
from sim.plot.palette import COLOURS
from sim.report.figures.facets import PER_PAGE, levels, panels_of, plan_cells
from sim.report.figures.style import save
from sim.study.labels import level_words

MANY = {
    "aux": ["2/2", "6/8"],
    "date_noise": [3, None],
    "value_noise": [0, 1],
    "popularity": [0, "100-500"],
}
GRIDS = [
    None,
    {"aux": ["6/8"]},
    MANY,
    {"aux": ["2/2"], "popularity": [0, 100, 500, 1000], "date_noise": [3]},
    {"aux": ["2/2"], "date_noise": [0, 3, 14, None]},
    {"loss": [0.1, 0.2], "algorithm": ["bayes", "scoreboard_rh"], "date_noise": list(range(9))},
    {"aux": [f"{i}/{i}" for i in range(1, 13)], "date_noise": [3, 14]},
]


def figure_best_guess(curves, phi, **given):
    (figure,) = draw("best_guess", {"curves": curves}, phi=phi, **given)
    return figure


def figure_entropy(curves):
    (figure,) = draw("entropy", {"curves": curves})
    return figure


def points(axes):
    """Return the heights of the points of a panel, and of the ends of their bars."""
    found = []
    for container in axes.containers:
        assert isinstance(container, ErrorbarContainer)
        line, _, bars = container.lines
        ends = np.array([[y for _, y in bar] for bar in bars[0].get_segments()])
        found += list(zip(line.get_xdata(), line.get_ydata(), *ends.T, strict=True))
    return found


def named(figure):
    """Return the words beside the points of a single panel."""
    return [text.get_text().replace("\n", " ") for text in figure.axes[0].texts]


@pytest.mark.parametrize("grid", GRIDS)
def test_every_cell_is_drawn_once_with_its_interval(make_curves, grid):
    curves = make_curves(grid)
    figure = figure_best_guess(curves, 1.5)
    drawn = sorted(point[1:] for axes in figure.axes for point in points(axes))
    expected = sorted(
        tuple(100 * row[f"{name}{end}"] for end in ("", "_low", "_high"))
        for _, row in curves.iterrows()
        for name in ("rank1", "matched_right")
    )
    assert np.array(drawn) == pytest.approx(np.array(expected))


@pytest.mark.parametrize("grid", GRIDS)
def test_no_two_points_of_a_panel_stand_on_one_another(make_curves, grid):
    for axes in figure_best_guess(make_curves(grid), 1.5).axes:
        at = sorted(point[0] for point in points(axes))
        assert all(b - a > 0.02 for a, b in itertools.pairwise(at))
        assert axes.get_xlim()[0] < at[0]
        assert at[-1] < axes.get_xlim()[1]


@pytest.mark.parametrize("grid", GRIDS)
def test_nothing_is_cut_off_and_no_text_covers_a_panel(make_curves, grid):
    numbers = numbers_for("ns08_fig4")
    check_layout(figure_best_guess(make_curves(grid), 1.5, n_records=943, numbers=numbers))


def test_the_papers_numbers_stand_over_their_own_points(make_curves):
    figure = figure_best_guess(make_curves(), 1.5, numbers=numbers_for("ns08_fig4"))
    axes = figure.axes[0]
    at = {round(x, 6) for x, *_ in points(axes)}
    papers = [
        line for line in axes.lines if line.get_marker() == "D" and len(line.get_xdata()) == 1
    ]
    papers = [line for line in papers if round(line.get_xdata()[0], 6) in at]
    assert sorted(line.get_ydata()[0] for line in papers) == [68.0, 99.0]
    assert {"NS08: 68%", "NS08: 99%"} < set(named(figure))
    # 2/2 at 3 days is the leftmost point, and the paper's 68% is about its best guess.
    assert min(line.get_xdata()[0] for line in papers) == pytest.approx(min(at))


def test_where_targets_are_absent_no_match_is_the_right_answer(make_curves):
    axes = {"aux": ["2/2", "6/8"], "date_noise": [3, 14], "present": [True, False]}
    curves = make_curves(axes)
    figure = figure_best_guess(curves, 1.5)
    here, gone = figure.axes
    assert (here.get_title(loc="left"), gone.get_title(loc="left")) == (
        "target present",
        "target absent",
    )
    drawn = [point for point in points(gone) if not np.isnan(point[1])]
    assert sorted(point[1] for point in drawn) == pytest.approx(
        sorted((100 * curves.loc[~curves["present"], "no_match"]).tolist())
    )
    assert figure.get_suptitle() == "Best guess right (filled), right answer (open)"
    said = figure.legends[0].get_title().get_text().replace("\n", " ")
    assert "absent" in said
    check_layout(figure)
    alone = figure_best_guess(curves[~curves["present"]], 1.5)
    assert len(points(alone.axes[0])) == 4
    assert alone.get_suptitle() == "Right answer (open)"
    assert not any("random" in words for words in named(alone))
    check_layout(alone)


def test_where_the_truth_is_unknown_only_no_match_is_drawn(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"], "present": [True]})
    for name in ("rank1", "matched_right", "matched_wrong"):
        for end in ("", "_low", "_high"):
            curves[f"{name}{end}"] = np.nan
    figure = figure_best_guess(curves, 1.5)
    drawn = [point[1] for point in points(figure.axes[0])]
    assert drawn == pytest.approx((100 * curves["no_match"]).tolist())
    check_layout(figure)


def test_baselines_that_differ_run_along_their_own_cells(make_curves):
    curves = make_curves()
    curves["baseline_random"] = np.where(curves["aux"] == "2/2", 0.5, 0.25)
    figure = figure_best_guess(curves, 1.5)
    segments = [
        (tuple(ends[:, 0].round(2)), ends[0, 1])
        for lines in figure.axes[0].collections
        for ends in lines.get_segments()
    ]
    assert ((-0.46, 0.46), 50.0) in segments
    assert ((0.54, 1.46), 25.0) in segments
    assert "random guess" in named(figure)


def test_the_entropy_is_drawn_below_that_without_any_knowledge(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"], "present": [True, False]}, kinds=("entropy",))
    figure = figure_entropy(curves)
    drawn = sorted(point[1] for point in points(figure.axes[0]))
    here = curves[curves["present"]]
    assert drawn == pytest.approx(sorted(here["bits"]))
    assert figure.axes[0].get_ylim()[1] > 9.9
    assert any(set(line.get_ydata()) == {9.9} for line in figure.axes[0].lines)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert any("log2 N (9.9 bits)" in text for text in [*legend, *named(figure)])
    check_layout(figure)


def test_nothing_measured_is_no_picture(make_curves):
    with pytest.raises(ValueError, match="no curve"):
        figure_entropy(make_curves())


def test_numbers_about_other_cells_are_left_out(make_curves):
    curves = make_curves({"aux": ["2/2"], "date_noise": [7], "value_noise": [0], "popularity": [0]})
    figure = figure_best_guess(curves, 1.5, numbers=numbers_for("ns08_fig4"))
    assert not any("NS08" in words for words in named(figure))


def test_names_at_the_curves_replace_the_legend(make_curves):
    figure = figure_best_guess(make_curves(), 1.5, n_records=943)
    assert named(figure) == [
        "dates ±3 days",
        "dates ±14 days",
        "random guess (0.11%)",
        "guessing the longest record (2%)",
    ]
    assert not figure.legends[0].get_texts()
    assert figure.get_suptitle() == "Best guess right (filled), declared right (open)"
    caption = figure.legends[0].get_title().get_text()
    assert " ".join(caption.split()) == (
        "exact values, all items; targets: all 20,000 records (1,000 sampled); "
        "declared at φ = 1.5; bars: 95% intervals"
    )
    single = figure_best_guess(make_curves({"aux": ["2/2", "3/4"]}), None)
    assert named(single)[:2] == ["best guess right", "declared right"]


@pytest.mark.parametrize("bayes", [0.999, 0.001])
def test_the_strongest_attacker_is_a_line_above_all_points(make_curves, bayes):
    curves = make_curves()
    figure = figure_best_guess(curves, 1.5, strongest=curves.assign(rank1=bayes))
    (axes,) = figure.axes
    lines = [line for line in axes.lines if line.get_linestyle() == ":"]
    drawn = sorted(y for line in lines for y in line.get_ydata() if len(line.get_ydata()) == 3)
    assert drawn == pytest.approx(sorted(100 * curves["rank1"].clip(lower=bayes)))
    assert named(figure)[0] == "strongest attacker (dotted)"
    check_layout(figure)


def test_pages_share_axes_and_colours_and_lose_no_cell(make_curves):
    curves = make_curves(
        {"aux": ["2/2"], "date_noise": [3, 14], "value_noise": [0, 1], "loss": list(range(16))}
    )
    pages = draw("best_guess", {"curves": curves}, phi=1.5)
    titles = [page.get_suptitle() for page in pages]
    assert [title.rpartition(" (")[2] for title in titles] == ["1 of 2)", "2 of 2)"]
    assert [len(page.axes) for page in pages] == [PER_PAGE, 16 - PER_PAGE]
    assert sum(len(points(axes)) for page in pages for axes in page.axes) == 2 * len(curves)
    titles = [axes.get_title(loc="left") for page in pages for axes in page.axes]
    assert len(set(titles)) == len(titles)
    assert " of " not in figure_best_guess(make_curves(), 1.5).get_suptitle()


@pytest.mark.parametrize("grid", GRIDS)
def test_a_plan_puts_every_cell_into_one_panel(make_curves, grid):
    curves = make_curves(grid)
    plan = plan_cells(curves)
    shown = list(panels_of(curves, plan))
    assert sorted(cell for _, cells in shown for cell in cells["cell"]) == curves["cell"].tolist()
    axes = {plan.x, plan.series, *plan.facets, *plan.constant} - {None}
    assert axes >= set(curves.columns[1 : list(curves.columns).index("n_targets")])
    if plan.series:
        assert len(levels(curves, plan.series)) <= len(COLOURS)
    for _, cells in shown:
        places = [
            tuple(level_words(a, cell[a]) for a in (plan.x, plan.series) if a)
            for cell in cells.to_dict("records")
        ]
        assert len(set(places)) == len(places)


def test_the_picture_is_the_same_every_time(make_curves, tmp_path):
    for folder in ("a", "b"):
        save(figure_best_guess(make_curves(MANY), 1.5), tmp_path / folder, "x")
    assert (tmp_path / "a" / "x.png").read_bytes() == (tmp_path / "b" / "x.png").read_bytes()


def test_no_curve_is_no_picture(make_curves):
    with pytest.raises(ValueError, match="no curve"):
        figure_best_guess(make_curves().iloc[:0], 1.5)
