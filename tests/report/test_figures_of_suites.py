"""Figures of suites and of an audit: every series and what papers state, nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figuring import heights, plot_of, plots_of, stated_points
from mentioning import SAID, mention_part

from sim.config.schema import FRONTIER
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.columns import share
from sim.papers.aggregate import AGGREGATES, attacks, by_mentions
from sim.papers.experiments import TITLES, title_of
from sim.papers.papers import EXPERIMENTS, numbers_for
from sim.report.figures.draw import FIGURES
from sim.report.figures.grid import attack_labels


def test_whatever_is_measured_or_joined_has_a_figure_with_a_caption() -> None:
    measured = {one.figure for one in MEASUREMENTS.all().values()}
    for name in {*measured, *AGGREGATES, FRONTIER}:
        assert name == "facts" or FIGURES[name].caption.endswith(".")


def test_every_experiment_has_a_title() -> None:
    assert set(TITLES) == set(EXPERIMENTS)
    assert len({title_of(name) for name in EXPERIMENTS}) == len(EXPERIMENTS)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory):
    made = {
        "set_intersection": ["attack=set_intersection"],
        "scoring": ["attack=scoring"],
        "kept": ["attack=scoring", "attack.max_length_share=null"],
    }
    tmp_path = tmp_path_factory.mktemp("parts")
    return [mention_part(tmp_path / name, attack, targets=30) for name, attack in made.items()]


def test_attacks_with_the_numbers_of_the_paper(parts) -> None:
    tables = attacks.aggregate(parts)
    plot = plot_of("attacks", tables, numbers=numbers_for("f06_fig4"))
    assert plot.series() == ["Set Intersection", "Scoring", "Scoring, longest records kept"]
    stated = sorted(round(y) for _, y in stated_points(plot))
    assert stated == sorted([7, 12, 14, 23, 31, 44, 52, 57, 22])
    assert not stated_points(plot_of("attacks", tables))


def test_the_same_attack_twice_is_told_apart(parts) -> None:
    facts = attacks.aggregate([parts[1], parts[1]])["facts"]
    assert attack_labels(facts.assign(value_known=[0, 1]))[1] == (
        "Scoring, value of 100% of mentions known"
    )
    assert attack_labels(facts.assign(part=["a", "b"])) == ["a: Scoring", "b: Scoring"]


def test_the_parts_of_a_bin_add_up(parts) -> None:
    found, why = plots_of("by_mentions", by_mentions.aggregate(parts))
    assert (len(found.series()), len(why.panels())) == (3, 3)
    assert why.rows.groupby(["panel", "x"])["y"].sum().tolist() == pytest.approx(
        [100] * len(found.rows)
    )


def test_bins_of_one_run_with_many_cells(tmp_path: Path) -> None:
    part = mention_part(tmp_path / "run", targets=25, hide_rarest=[0, 0.5], decoys=[0, 3])
    table = part.table("by_mentions")
    found, why = plots_of("by_mentions", {"by_mentions": table})
    assert len(why.panels()) == 4
    assert found.series()[1] == "nothing hidden, 3 decoys"
    alone, _ = plots_of("by_mentions", {"by_mentions": table.query("cell == 0")})
    assert alone.series() == ["identified"]
    assert alone.x.names == sorted(alone.x.names, key=lambda one: int(one.split("–")[0].strip("+")))


def curve_of_dropping(cells: int = 1) -> pd.DataFrame:
    rows = []
    for cell in range(cells):
        for at, (items, left) in enumerate([(0.0, 30), (0.5, 9), (0.9, 0)]):
            row = {"cell": cell, "min_support": 4**at, "n_targets": 100}
            row |= {"items_dropped": items, "cells_dropped": items / 3}
            for k in (1, 5, 10, 100):
                row |= share(f"k{k}", min(left + k, 100), 100)
            rows.append(row)
    return pd.DataFrame(rows)


def test_dropped_has_both_panels_and_the_papers_points() -> None:
    numbers = numbers_for("f06_fig6_7")
    plot = plot_of("dropped", {"dropped": curve_of_dropping()}, numbers=numbers)
    items, cells = plot.panels()
    stated = plot.stated.set_index("panel")["x"]
    assert (stated[items], stated[cells]) == (88, pytest.approx(28))
    assert heights(plot, panel=items, series="k = 1") == [31, 10, 1]
    assert plot.rows.query("panel == @items and series == 'k = 1'")["x"].tolist() == [0, 50, 90]
    assert len(plots_of("dropped", {"dropped": curve_of_dropping(3)})) == 3


def test_hiding_is_drawn_over_the_share_hidden(tmp_path: Path) -> None:
    part = mention_part(tmp_path / "run", targets=25, hide_rarest=[0, 0.2, 0.5])
    curves = part.table("curves")
    plot = plot_of("defence", {"curves": curves})
    assert plot.series() == [f"k = {k}" for k in (1, 5, 10, 100)]
    assert sorted(plot.rows["x"].unique()) == [0, 20, 50]
    assert heights(plot, series="k = 100") == (100 * curves["k100"]).tolist()
    both = mention_part(tmp_path / "two", said=SAID, targets=9, hide_rarest=[0, 0.5], decoys=[0, 2])
    plots = plots_of("defence", {"curves": both.table("curves")})
    assert [len(one.panels()) for one in plots] == [2, 2]


def decoy_facts(supports) -> pd.DataFrame:
    rows = []
    for s, support in enumerate(supports):
        for decoys in (0, 5, 20):
            row = {"cell": len(rows), "algorithm": "scoring", "decoys": decoys, "n_targets": 100}
            row |= {"n_present": 100, "n_eligible": 500, "eligible": 0.5}
            rows.append(row | {"decoy_support": support} | share("k1", 30 - s - decoys // 5, 100))
    return pd.DataFrame(rows)


def test_decoys_have_a_series_for_each_list_as_far_as_can_be_told_apart() -> None:
    tables = {"facts": decoy_facts([*(str(2**i) for i in range(14)), "top"])}
    plot = plot_of("decoys", tables, numbers=numbers_for("f06_fig9"))
    assert len(plot.series()) == 7
    assert plot.series()[0] == "decoys of support 1 or more"
    assert plot.series()[5:] == ["decoys of support 8192 or more", "most popular decoys"]
    assert "8 more thresholds" in plot.caption
    assert stated_points(plot) == [(0, 31), (5, 13)]
    few = plot_of("decoys", {"facts": decoy_facts(["1", "8"])})
    assert len(few.series()) == 2
    assert "more thresholds" not in few.caption


def interpreted() -> pd.DataFrame:
    rows = []
    for score in ("exponential", "steps"):
        for aux, days in (("2/2", 3), ("6/8", 3), ("6/8", 14)):
            cell = {"score": score, "aux": aux, "date_noise": days, "low": 0.1, "high": 0.9}
            cell |= {"ours": 0.5, "theirs": np.nan}
            for how in ("rank1", "phi"):
                words = {"how": how, "interpretation": f"{score}: {how}", "measure": "named"}
                rows.append(cell | words | {"figure": "Fig. 4", "theirs": 0.68})
            for kind in ("present", "absent"):
                words = {"how": "phi", "interpretation": f"{score}: at φ"}
                rows.append(cell | words | {"figure": "Fig. 5", "measure": f"right, {kind}"})
            for how in ("all_all", "all_unresolved", "all_median"):
                words = {"how": how, "interpretation": f"{score}: bits; {how}", "measure": "bits"}
                rows.append(cell | words | {"figure": "Fig. 6", "theirs": 3.0})
    return pd.DataFrame(rows)


def test_every_interpretation_is_drawn_beside_the_papers_number() -> None:
    plots = plots_of("interpretations", {"interpretations": interpreted()})
    # 2 scores: 2 interpretations; present and absent; of Fig. 6 two statistics, or one.
    sizes = [plot.rows.groupby("panel", sort=False).size().tolist() for plot in plots]
    assert sizes == [[4, 4, 4], [4, 4, 4], [4, 2, 2]]
    assert {(one.at, one.panel) for one in plots[0].bounds} == {
        (68.0, panel) for panel in plots[0].panels()
    }
    bits = interpreted().query("figure == 'Fig. 6'")
    assert len(plots_of("interpretations", {"interpretations": bits})) == 1
    unknown = interpreted()
    unknown.loc[unknown["how"] == "phi", "ours"] = np.nan
    first = plots_of("interpretations", {"interpretations": unknown})[0]
    assert len(first.rows) == 6


def chain(part, risk, kept, dominated_by="", bound=0.2):
    return {"part": part, "chain": part, "kept": kept, "dominated_by": dominated_by} | {
        "risk": risk, "risk_low": risk - 0.1, "risk_high": risk + 0.1, "bound": bound
    }  # fmt: skip


def test_the_frontier_has_numbers_and_a_list() -> None:
    rows = [
        chain("nothing", 0.9, 1.0),
        chain("drop_time", 0.5, 0.8),
        chain("drop_values", 0.5, 0.8),
        chain("both", 0.6, 0.7, dominated_by="drop_time"),
        chain("broken", np.nan, 0.7),
    ]
    plot, listed = plots_of("frontier", {"frontier": pd.DataFrame(rows)})
    assert len(plot.rows) == 4
    assert "1 chain not tested" in plot.caption
    assert "2, 3" in set(plot.rows["words"])
    assert heights(plot, series="dominated by another chain") == [60.0]
    assert [(one.at, plot.form, listed.form) for one in plot.bounds] == [
        (20.0, "frontier", "listing")
    ]
    assert listed.rows.query("series == 'risk'")["x"].tolist()[-1].endswith("(1)")


def ends(**shares):
    return {
        f"{name}{end}": x + aside
        for name, x in shares.items()
        for end, aside in (("", 0.0), ("_low", -0.1), ("_high", 0.1))
    }


def assessed(attacker, aux, **shares):
    given = {"succeeds": 0.5, "published_finds": np.nan} | shares
    return {"attacker": attacker, "aux": aux, "bound": 0.25, "measure": "succeeds"} | ends(**given)


ROWS = [
    assessed("insider", "4/4", succeeds=0.5),
    assessed("well_informed", "6/8", succeeds=0.625, published_finds=0.75),
    assessed("acquaintance", "2/2", succeeds=0.375),
    assessed("acquaintance", "2/2", succeeds=0.25),
    assessed("acquaintance", "4/4", succeeds=0.4375),
    assessed("public_profile", "", succeeds=0.125),
]
UNTIL = pd.DataFrame([{"facts": n, **ends(at_most=n / 10)} for n in (1, 2, 4, 8, np.nan)])


def test_every_attacker_is_a_series_over_the_facts_known() -> None:
    tables = {"assessment": pd.DataFrame(ROWS), "facts_until_found": UNTIL}
    plot = plot_of("found_by_facts", tables)
    found = {
        name: dict(zip(rows["x"], rows["y"], strict=True))
        for name, rows in plot.rows.groupby("series")
    }
    assert found == {
        "exact facts": {"1": 10, "2": 20, "4": 40, "8": 80},
        "insider": {"4": 50},
        "well informed, 6 of 8 right": {"8": 75},
        "acquaintance": {"2": 37.5, "4": 43.75},
        "public profile": {"from other sources": 12.5},
    }
    assert list(plot.x.names) == ["1", "2", "4", "8", "from other sources"]
    assert [one.at for one in plot.bounds] == [25.0]
    (insider,) = plot.rows.query("series == 'insider'")[["low", "high"]].to_numpy().tolist()
    assert insider == pytest.approx([40, 60])


def test_what_was_not_run_or_set_is_not_drawn() -> None:
    table = pd.DataFrame([one | {"bound": None} for one in ROWS[:1]])
    plot = plot_of("found_by_facts", {"assessment": table})
    assert (plot.series(), plot.bounds) == (["insider"], [])
    assert plot_of("found_by_facts", {"facts_until_found": UNTIL}).series() == ["exact facts"]
    assert plots_of("found_by_facts", {}) == ()
