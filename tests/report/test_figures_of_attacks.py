"""Figures of attacks: what each shows of the curves, and what papers state of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from figuring import heights, plot_of, plots_of, stated_points
from hypothesis import given
from hypothesis import strategies as st

from sim.metrics.identification import DEPTHS, REASONS
from sim.metrics.neighbourhoods import SIZES
from sim.metrics.people_found import summed_up
from sim.numeric.intervals import wilson
from sim.papers.papers import numbers_for
from sim.report.figures.grid import grid_of
from sim.report.figures.of_tables import FEWEST, merged

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
    {"loss": [0.1, 0.2], "algorithm": ["bayes", "scoreboard_rh"], "date_noise": list(range(9))},
]


def best_guess(curves, phi=1.5, **given):
    return plot_of("best_guess", {"curves": curves}, phi=phi, **given)


@pytest.mark.parametrize("grid", GRIDS)
def test_every_cell_is_a_point_with_its_interval(make_curves, grid):
    curves = make_curves(grid)
    rows = best_guess(curves).rows
    for name, variant in (("rank1", ""), ("matched_right", "open")):
        mine = rows[rows["variant"] == variant]
        for column, end in (("y", ""), ("low", "_low"), ("high", "_high")):
            assert np.allclose(mine[column], 100 * curves[f"{name}{end}"])


@pytest.mark.parametrize("grid", GRIDS)
@pytest.mark.parametrize("along", [True, False])
def test_no_two_cells_stand_at_one_place(make_curves, grid, along):
    curves = make_curves(grid)
    where = grid_of(curves, along=along)
    places = pd.DataFrame({"x": where.x, **where.where()})
    assert not places.duplicated().any()


def test_the_papers_numbers_stand_at_their_own_cells(make_curves):
    plot = best_guess(make_curves(), numbers=numbers_for("ns08_fig4"))
    assert stated_points(plot) == [("2 of 2", 68.0), ("6 of 8", 99.0)]
    assert set(plot.stated["words"]) == {"NS08: 68%", "NS08: 99%"}
    other = {"aux": ["2/2"], "date_noise": [7], "value_noise": [0], "popularity": [0]}
    assert not stated_points(best_guess(make_curves(other), numbers=numbers_for("ns08_fig4")))


def test_where_targets_are_absent_no_match_is_the_right_answer(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"], "date_noise": [3], "present": [True, False]})
    plot = best_guess(curves)
    gone = curves[~curves["present"]]
    assert plot.title == "Best guess right (filled), right answer (open)"
    assert set(plot.panels() + plot.series()) >= {"target present", "target absent"}
    open_rows = plot.rows[(plot.rows["variant"] == "open") & plot.rows.index.isin(gone.index)]
    assert np.allclose(open_rows["y"], 100 * gone["no_match"])
    assert "for absent targets, no match is the right answer" in plot.caption
    alone = best_guess(gone)
    assert (alone.title, len(alone.rows)) == ("Right answer (open)", 2)
    assert not alone.bounds


def test_where_the_truth_is_unknown_only_no_match_is_drawn(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"], "present": [True]})
    for name in ("rank1", "matched_right", "matched_wrong"):
        for end in ("", "_low", "_high"):
            curves[f"{name}{end}"] = np.nan
    plot = best_guess(curves)
    assert heights(plot) == pytest.approx((100 * curves["no_match"]).tolist())
    assert (plot.title, plot.bounds) == ("No match declared", [])


def test_baselines_are_one_line_or_one_for_each_place(make_curves):
    curves = make_curves()
    same = [bound for bound in best_guess(curves, n_records=943).bounds if bound.x is None]
    assert [(round(one.at, 2), one.words) for one in same] == [
        (0.11, "random guess (0.11%)"),
        (2.0, "guessing the longest record (2%)"),
    ]
    curves["baseline_random"] = np.where(curves["aux"] == "2/2", 0.5, 0.25)
    own = {(one.x, one.at) for one in best_guess(curves).bounds if one.x is not None}
    assert own == {("2 of 2", 50.0), ("3 of 4", 25.0), ("6 of 8", 25.0)}


@pytest.mark.parametrize("bayes", [0.999, 0.001])
def test_the_strongest_attacker_is_above_all_points(make_curves, bayes):
    curves = make_curves()
    plot = best_guess(curves, strongest=curves.assign(rank1=bayes))
    assert heights(plot, variant="dotted") == pytest.approx(
        (100 * curves["rank1"].clip(lower=bayes)).tolist()
    )
    assert plot.variants == {"dotted": "strongest attacker (dotted)"}


def test_series_and_captions_name_their_axes(make_curves):
    plot = best_guess(make_curves({"aux": ["2/2", "6/8"], "date_noise": [3, None]}))
    assert plot.series() == ["dates ±3 days", "dates unknown"]
    plain = best_guess(make_curves())
    assert plain.caption == (
        "exact values, all items; targets: all 20,000 records (1,000 sampled); declared at φ = 1.5"
    )
    single = best_guess(make_curves({"aux": ["2/2", "3/4"]}), None)
    assert single.series() == ["best guess right", "declared right"]
    assert "declared at" not in single.caption


def test_the_entropy_is_drawn_below_that_without_any_knowledge(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"], "present": [True, False]}, kinds=("entropy",))
    plot = plot_of("entropy", {"curves": curves})
    assert heights(plot) == pytest.approx(curves["bits"].dropna().tolist())
    assert plot.y.limits[1] > 9.9
    assert {(one.at, one.words) for one in plot.bounds} == {
        (9.9, "without any knowledge: log2 N (9.9 bits)")
    }


def test_nothing_measured_is_no_picture(make_curves):
    curves = make_curves({"aux": ["2/2"], "present": [False]})
    for name in ("entropy", "mu", "k_identification", "defence"):
        assert plots_of(name, {"curves": curves}) == ()
    assert plots_of("phi", {"curves": curves}) == ()


@pytest.mark.parametrize("present", [[True], [True, False]])
def test_the_answers_over_phi_twins_in_one_panel(make_curves, make_phi, present):
    curves = make_curves({"aux": ["2/2", "6/8"], "date_noise": [3, None], "present": present})
    over = make_phi(curves)
    plot = plot_of("phi", {"curves": curves, "phi": over}, phi=1.5)
    assert len(plot.panels()) == 4
    assert bool(plot.variants) == (len(present) == 2)
    here = over["cell"].isin(curves.loc[curves["present"], "cell"])
    for name, words in (("matched_right", "matched and right"), ("no_match", "no match")):
        assert heights(plot, series=words, variant="") == (100 * over[name][here]).tolist()
    gone = over[~here]
    assert heights(plot, series="no match", variant="open") == (100 * gone["no_match"]).tolist()
    assert not heights(plot, series="matched and right", variant="open")
    assert [(one.at, one.upright) for one in plot.bounds] == [(1.5, True)]
    assert not plot_of("phi", {"curves": curves, "phi": over}).bounds


def test_phi_star_is_marked_where_the_errors_cross(make_curves, make_phi):
    curves = make_curves({"aux": ["2/2", "6/8"], "present": [True, False]})
    curves["phi_star"], curves["equal_error"] = [2.0, 2.0, 3.0, 3.0], [0.25, 0.25, 0.1, 0.1]
    plot = plot_of("phi", {"curves": curves, "phi": make_phi(curves)})
    marked = plot.rows[plot.rows["series"] == "φ*: both errors equal"]
    assert marked[["x", "y"]].to_numpy().tolist() == [[2.0, 25.0], [3.0, 10.0]]


def test_every_k_and_every_failure_has_its_bar(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"], "value_noise": [0, 1], "present": [True, False]})
    here = curves[curves["rank1"].notna()]
    plot = plot_of("k_identification", {"curves": curves})
    for k in DEPTHS:
        assert heights(plot, x=str(k)) == pytest.approx((100 * here[f"k{k}"]).tolist())
    failed = plot.rows[plot.rows["x"] == "failed at k = 1"]
    assert failed["low"].isna().all()
    assert failed["part"].nunique() == len(REASONS)
    sums = failed.groupby(level=0)["y"].sum()
    assert sums.tolist() == pytest.approx((100 * (1 - here["rank1"])).tolist())


def test_mu_of_every_cell_is_a_curve_over_all_sizes(make_curves):
    grid = {"aux": ["2/2", "6/8"], "date_noise": [3], "value_noise": [0], "popularity": [0]}
    curves = make_curves(grid, kinds=("set",))
    plot = plot_of("mu", {"curves": curves}, numbers=numbers_for("ns07_fig2"))
    for nth, name in enumerate(plot.series()):
        expected = [100 * curves[f"mu_{n}"].iloc[nth] for n in SIZES]
        assert heights(plot, series=name) == pytest.approx(expected)
    assert stated_points(plot) == [(1, 64.0), (1, 96.0), (8, 89.0)]
    assert set(plot.stated["source"]) == {"NS07 Fig. 2 (Netflix Prize)"}


def test_every_bin_with_a_guess_is_a_point(make_curves, make_reliability):
    curves = make_curves({"aux": ["2/2", "6/8"], "date_noise": [3, 14]})
    bins = make_reliability(curves)
    plot = plot_of("reliability", {"curves": curves, "reliability": bins})
    shown = plot.rows[plot.rows["weight"].notna()]
    assert len(shown) == (bins["n"] > 0).sum()
    assert shown["weight"].sum() == bins["n"].sum()
    assert heights(plot, variant="dotted") == [0, 100] * len(plot.panels())


def people(n=50, cell=0):
    kinds = ["present", "absent", "unknown"]
    return pd.DataFrame({
        "cell": cell,
        "place": np.arange(1, n + 1),
        "eccentricity": np.sort(np.geomspace(0.01, 40, n))[::-1],
        "record": [kinds[i % 3] for i in range(n)],
        "guess": ["right" if i % 2 else "wrong" for i in range(n)],
        "matched": True,
        "aux_size": 9,
    })  # fmt: skip


def test_every_person_is_drawn() -> None:
    each = [people(), people(7, 1)]
    facts = [summed_up(one).assign(cell=cell) for cell, one in enumerate(each)]
    tables = {"people": pd.concat(each), "facts": pd.concat(facts)}
    given = {"numbers": numbers_for("ns08_imdb"), "settings": {"phi": 1.5}}
    first, second = plots_of("people", tables, **given)
    assert (len(first.rows), len(second.rows)) == (50, 7)
    assert len(heights(first, series="in the release, best guess right (8)")) == 8
    assert [(one.at, one.words) for one in first.bounds] == [
        (1.5, "a match begins: φ = 1.5"),
        (2.0, "NS08: nearly all others at most 2"),
    ]
    assert stated_points(first) == [(1, 28), (2, 15)]


def test_people_of_whom_nothing_is_stated_are_drawn() -> None:
    some = people()
    plot = plot_of("people", {"people": some, "facts": summed_up(some).assign(cell=0)})
    assert (len(plot.rows), len(plot.bounds), stated_points(plot)) == (50, 0, [])


def test_who_has_no_eccentricity_is_counted() -> None:
    some = people(4)
    some.loc[3, "eccentricity"] = np.nan
    plot = plot_of("people", {"people": some})
    assert len(plot.rows) == 3
    assert "not drawn: 1 without" in plot.caption
    assert plots_of("people", {"people": some[:0]}) == ()


def test_bins_of_a_few_people_are_merged(make_curves):
    shares = {"rank1": 0.5, "rank1_low": 0.4, "rank1_high": 0.6}
    bins = pd.DataFrame({"cell": 0, "aux": "2/2", "low": [1, 2, 5], "n": [2, 10, 30], **shares})
    tables = {"risk_by_length": bins, "risk_by_rarest": bins}
    plot = plot_of("risk", tables | {"curves": make_curves({"aux": ["2/2"]})})
    assert plot.rows["x"].tolist() == [1, 5, 1, 5]
    assert "merged with another: 2 bins" in plot.caption
    low, high = (
        plot_of(
            "risk", {name: bins[:1].assign(n=57) for name in tables} | {"curves": make_curves()}
        )
        .x["items in the record"]
        .limits
    )
    assert low < 1 < high


SIZES_OF_BINS = st.lists(st.integers(1, 40), min_size=1, max_size=12)


@given(SIZES_OF_BINS, SIZES_OF_BINS)
def test_every_person_is_in_a_bin_of_ten_or_more(first: list[int], second: list[int]) -> None:
    bins = pd.concat(
        pd.DataFrame({
            "cell": cell,
            "low": [2**k for k in range(len(sizes))],
            "n": sizes,
            "rank1": [k % 3 / 2 for k in range(len(sizes))],
        })
        for cell, sizes in enumerate((first, second))
    )  # fmt: skip
    found = merged(bins)
    for cell, sizes in enumerate((first, second)):
        its, given_ = found[found["cell"] == cell], bins[bins["cell"] == cell]
        assert its["n"].sum() == sum(sizes)
        assert (its["n"] >= FEWEST).all() or len(its) == 1
        assert its["low"].iloc[0] == 1
        assert its["low"].is_monotonic_increasing
        right = (given_["n"] * given_["rank1"]).sum()
        assert np.isclose((its["n"] * its["rank1"]).sum(), right)
        # A bin with enough people next to ones with enough stays as it is.
        if min(sizes) >= FEWEST:
            assert its["n"].tolist() == sizes
    row = found.iloc[0]
    ends = wilson(row["n"] * row["rank1"], int(row["n"]))
    assert np.isclose(row["rank1_low"], ends.low)
    assert np.isclose(row["rank1_high"], ends.high)
