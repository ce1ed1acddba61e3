"""What the papers state beside a run: wherever the number is, with unit and reason."""

import pandas as pd
import pytest
from reporting import folder_of

from sim.papers.comparison import MeasureTable, compare_all, comparison_of
from sim.papers.papers import numbers_for
from sim.report.page.verdicts import comparison_table, count_verdicts

GRID = {"aux": ["2/2", "6/8"], "date_noise": [3], "value_noise": [0], "popularity": [0]}
NETFLIX = {"kind": "netflix"}


@pytest.fixture
def attack_at(tmp_path):
    def make(name, curves, attack="scoreboard_rh", path="run", **tables):
        config = {"name": name, "attack": {"name": attack, "phi": 1.5}, "data": NETFLIX}
        return folder_of(tmp_path / path, config, {"curves": curves, **tables})

    return make


def test_numbers_compared_with_the_papers_carry_their_unit(make_curves, attack_at):
    curves = make_curves(GRID, kinds=("set", "entropy"))
    curves["bits_unresolved"] = 13.4
    found = comparison_of(attack_at("ns08_fig6", curves)).set_index("theirs")
    assert found.loc[3.0, ["ours", "unit", "verdict"]].tolist() == [13.4, "bits", "not reproduced"]
    assert found.loc[1.0, ["ours", "low", "high"]].tolist() == [3.0, 2.7, 3.4]
    found = comparison_of(attack_at("ns08_fig4", curves)).set_index("theirs")
    assert found.loc[[0.68], "ours"].tolist()[0] == pytest.approx(0.3)
    assert comparison_of(attack_at("study", curves)) is None


def test_a_measure_that_does_not_apply_is_not_compared(make_curves, attack_at):
    fits = make_curves(GRID, kinds=("set",))
    found = comparison_of(attack_at("ns07_fig2", fits, "neighbourhood"))
    assert 0.64 in set(found["theirs"])
    none = comparison_of(attack_at("ns07_fig2", make_curves(GRID), "neighbourhood", "other"))
    assert none["ours"].isna().all()


def test_the_first_table_with_the_measure_is_asked(make_curves, attack_at):
    facts = pd.DataFrame({"cell": [0, 1], "aux": ["2/2", "6/8"], "right": [0.9, 0.95]})
    found = comparison_of(attack_at("ns08_fig5", make_curves(GRID), facts=facts))
    assert found["ours"].tolist() == [0.9, 0.95]
    assert set(found["verdict"]) == {"not comparable: stated in words only"}
    # A column of the curves comes before the same of the facts.
    facts = facts.assign(rank1=0.0, date_noise=3, value_noise=0, popularity=0)
    found = comparison_of(attack_at("ns08_fig4", make_curves(GRID), facts=facts))
    assert (found["ours"].dropna() > 0).all()


def test_parts_answer_where_the_suite_itself_does_not(make_curves, tmp_path, attack_at):
    curves = make_curves({"value_known": [0]})
    parts = []
    for name in ("set_intersection", "tf_idf"):
        attack_at("f06_fig4", curves, name, f"suite/{name}")
        parts.append({"name": name, "folder": name, "status": "complete", "error": None})
    config = {"name": "f06_fig4", "parts": {"tf_idf": []}, "data": NETFLIX, "aggregate": None}
    folder = folder_of(tmp_path / "suite", config, {}, parts=parts)
    found = comparison_of(folder)
    assert set(found["id"]) == {number.id for number in numbers_for("f06_fig4")}
    sure = found[found["id"].str.startswith("f06_fig4_tf_idf")]
    assert set(sure["part"]) == {"tf_idf"}
    assert set(sure["verdict"]) == {"not comparable: different data"}
    grid = comparison_table(found, "f06_fig4")
    assert len(grid.rows) == len(found)
    assert "part" in grid.heads
    assert "F06: Frankowski" in grid.note
    assert "NS08" not in grid.note


def test_rows_that_name_their_attack_answer_for_it():
    rows = {"algorithm": ["tf_idf", "scoring"], "longest_records": [None, "left out"]}
    facts = pd.DataFrame({"cell": [0, 1], **rows, "k1": [0.2, 0.5]})
    wanted = [f"f06_fig4_{name}_k1" for name in ("tf_idf", "scoring", "set_intersection")]
    numbers = [number for number in numbers_for("f06_fig4") if number.id in wanted]
    found = compare_all([MeasureTable(facts, {"data": "movielens_2006"})], numbers)
    verdicts = dict(zip(found["id"], found["verdict"], strict=True))
    assert [verdicts[name] for name in wanted[:2]] == ["reproduced", "not reproduced"]
    assert verdicts[wanted[2]].startswith("not comparable")
    assert count_verdicts(found) == {"reproduced": 1, "not reproduced": 1, "not comparable": 1}
    assert found.set_index("id")["where"][wanted[0]] == "tf_idf, k = 1"


def test_nothing_to_ask_is_still_a_list_of_all_statements():
    found = compare_all([], numbers_for("ns08_fig4"))
    assert len(found) == len(numbers_for("ns08_fig4"))
    assert found["ours"].isna().all()
