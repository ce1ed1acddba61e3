"""The papers' numbers: complete, consistent, and compared only with what they speak of."""

import re

import numpy as np
import pandas as pd
import pytest

from sim.metrics.curves import MEASURES
from sim.papers.papers import EXPERIMENTS, SLACK, PaperNumber, compare, matching_cells, numbers_for
from sim.papers.statements import NUMBERS

RUN = {"data": "netflix_prize", "algorithm": "scoreboard_rh", "phi": 1.5}


def values(experiment, paper, **conditions):
    return {
        (number.conditions.get("aux"), number.conditions.get("date_noise"), number.measure): (
            number.value
        )
        for number in numbers_for(experiment)
        if number.paper == paper and conditions.items() <= number.conditions.items()
    }


def test_ids_are_unique_and_every_statement_belongs_to_an_experiment():
    assert len({number.id for number in NUMBERS}) == len(NUMBERS)
    assert {number.experiment for number in NUMBERS} <= set(EXPERIMENTS)
    gathered = [number for name in EXPERIMENTS for number in numbers_for(name)]
    assert sorted(n.id for n in gathered) == sorted(n.id for n in NUMBERS)


def test_every_statement_is_well_formed():
    for number in NUMBERS:
        assert number.what, number.id
        assert number.paper in ("NS08", "NS07", "F06", "slides", "reproduction"), number.id
        assert number.relation in ("=", "about", "<", "<=", ">"), number.id
        assert number.data in ("netflix_prize", "movielens_2006", "ten_patients"), number.id
        assert number.value is not None or number.note, f"{number.id}: neither number nor words"
        if number.unit == "share" and number.value is not None:
            assert 0 <= number.value <= 1, number.id
        if "aux" in number.conditions:
            assert re.fullmatch(r"[1-9]/[1-9]", number.conditions["aux"]), number.id
        assert "none" not in number.conditions.values(), number.id


def test_figure_4_of_ns08_and_its_reproduction():
    assert values("ns08_fig4", "NS08") == {
        ("2/2", 3, "rank1"): 0.68,
        ("6/8", 14, "rank1"): 0.99,
    }
    stored = values("ns08_fig4", "reproduction")
    assert len(stored) == 12
    assert stored["2/2", 3, "rank1"] == 0.680
    assert stored["2/2", 3, "matched_right"] == 0.255
    assert stored["6/8", 14, "matched_right"] == 0.826
    for (aux, days, measure), share in stored.items():
        if measure == "matched_right":
            assert share < stored[aux, days, "rank1"]


def test_figures_that_were_only_drawn_have_no_number():
    for name in ("ns08_fig7", "ns08_fig10", "theory"):
        assert numbers_for(name) == ()
    for name in ("ns08_fig1", "ns08_fig5", "ns08_fig9", "ns07_fig1", "f06_fig8"):
        assert [number.value for number in numbers_for(name)] == [None]


def test_the_table_of_rare_items_falls_with_both_axes():
    table = np.array([number.value for number in numbers_for("ns08_table_rare")]).reshape(3, 3)
    assert (np.diff(table, axis=0) < 0).all()
    assert (np.diff(table, axis=1) < 0).all()
    assert table[0].tolist() == [1.0, 0.97, 0.93]


def test_k_identification_rises_with_k_for_each_of_five_algorithms():
    table = [number for number in numbers_for("f06_fig4") if number.figure == "Fig. 4"]
    assert len(table) == 20
    rates = np.array([number.value for number in table]).reshape(5, 4)
    assert (np.diff(rates, axis=1) > 0).all()
    assert [number.measure for number in table[:4]] == ["k1", "k5", "k10", "k100"]


def test_no_experiment_of_that_name():
    with pytest.raises(ValueError, match="ns08_fig99"):
        numbers_for("ns08_fig99")


def test_the_reproduction_agrees_with_the_paper_within_the_slack(make_curves):
    stored = values("ns08_fig4", "reproduction")
    curves = make_curves()
    for row, cell in curves.iterrows():
        share = stored[cell["aux"], cell["date_noise"], "rank1"]
        curves.loc[row, ["rank1", "rank1_low", "rank1_high"]] = share
    papers = [number for number in numbers_for("ns08_fig4") if number.paper == "NS08"]
    compared = compare(curves, papers, RUN)
    assert compared["verdict"].tolist() == ["reproduced", "reproduced"]
    assert compared["difference"].tolist() == pytest.approx([0.0, 0.986 - 0.99])


@pytest.mark.parametrize(
    ("low", "high", "relation", "verdict"),
    [
        (0.40, 0.60, "=", "reproduced"),
        (0.53, 0.60, "=", "reproduced"),
        (0.531, 0.60, "=", "not reproduced"),
        (0.40, 0.47, "about", "reproduced"),
        (0.40, 0.469, "about", "not reproduced"),
        (0.529, 0.9, "<", "reproduced"),
        (0.531, 0.9, "<", "not reproduced"),
        (0.53, 0.9, "<=", "reproduced"),
        (0.1, 0.471, ">", "reproduced"),
        (0.1, 0.469, ">", "not reproduced"),
    ],
)
def test_verdicts_on_a_share(low, high, relation, verdict):
    assert SLACK == 0.03
    number = PaperNumber(
        id="x",
        experiment="ns08_fig4",
        paper="NS08",
        section="",
        figure="",
        what="a share",
        value=0.5,
        measure="rank1",
        relation=relation,
    )
    row = {"cell": 7, "rank1": (low + high) / 2, "rank1_low": low, "rank1_high": high}
    compared = compare(pd.DataFrame([row]), [number], RUN).iloc[0]
    assert compared["verdict"] == verdict
    assert compared["cell"] == 7
    assert compared["difference"] == pytest.approx((low + high) / 2 - 0.5)


def test_a_measure_without_an_interval_is_exact_and_gets_no_slack_unless_a_share():
    number = numbers_for("slides_kanon")[0]
    run = {"data": "ten_patients"}
    for k, verdict in ((2, "reproduced"), (3, "not reproduced")):
        facts = pd.DataFrame([{"cell": 0, "k": k, **number.conditions}])
        assert compare(facts, [number], run)["verdict"][0] == verdict


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"data": "movielens_1m"}, "not comparable: different data"),
        ({"data": None}, "not comparable: different data"),
        ({"algorithm": "bayes"}, "not comparable: another attack"),
        ({"phi": 2.0}, "not comparable: stated at φ = 1.5"),
    ],
)
def test_why_there_is_no_verdict(make_curves, change, verdict):
    right = [number for number in numbers_for("ns08_fig4") if number.phi is not None]
    compared = compare(make_curves(), right, RUN | change)
    assert set(compared["verdict"]) == {verdict}
    assert compared["difference"].notna().all()


def test_why_there_is_nothing_to_compare(make_curves):
    curves = make_curves({"aux": ["2/2"], "date_noise": [None], "value_noise": [0]})
    said = {
        "ns08_fig5": "not comparable: stated in words only",
        "ns08_imdb": "not comparable: not measured by this run",
        "ns08_fig4": "not comparable: no such cell in this run",
    }
    for name, verdict in said.items():
        compared = compare(curves, numbers_for(name), RUN)
        assert set(compared["verdict"]) == {verdict}
        assert len(compared) == len(numbers_for(name))
        assert compared["ours"].isna().all()


def test_no_numbers_give_an_empty_frame_of_the_same_columns(make_curves):
    empty, full = (compare(make_curves(), numbers_for(n)) for n in ("theory", "ns08_fig4"))
    assert len(empty) == 0
    assert empty.columns.tolist() == full.columns.tolist()
    assert empty["ours"].dtype == full["ours"].dtype


def test_cells_are_found_however_their_axes_are_typed(make_curves, tmp_path):
    axes = {"aux": ["6/8"], "date_noise": [14, None], "value_noise": [0], "popularity": [0, 500]}
    mixed = make_curves(axes | {"popularity": ["0", "500", "0-100"]})
    whole = make_curves(axes)
    whole.to_csv(tmp_path / "curves.csv", index=False)
    exact = numbers_for("ns08_fig8")[0]
    assert exact.conditions["date_noise"] is None
    for curves in (whole, mixed, pd.read_csv(tmp_path / "curves.csv")):
        found = matching_cells(curves, exact)
        assert len(found) == 1
        assert found["date_noise"].isna().all()
        assert str(found["popularity"].iloc[0]) == "500"


def test_an_axis_the_run_does_not_state_is_not_assumed(make_curves):
    curves = make_curves({"aux": ["2/2"], "date_noise": [3]})
    number = numbers_for("ns08_fig4")[0]
    assert matching_cells(curves, number).empty
    assert matching_cells(curves, number, {"value_noise": 1, "popularity": 0}).empty
    assert len(matching_cells(curves, number, {"value_noise": 0, "popularity": 0})) == 1


def test_measures_of_the_standard_grid_are_columns_of_its_curves():
    for number in numbers_for("ns08_fig4") + numbers_for("ns08_fig8"):
        assert number.measure in MEASURES
