"""Figures of a run: made of its parquet files and its record alone, those that apply."""

import json
import shutil

import pytest

from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.registry import ATTACKS
from sim.attack.algorithms.sets import SetAlgorithm
from sim.attack.engine.algorithm import Algorithm
from sim.papers.comparison import settings_of
from sim.record.run_folder import open_folder
from sim.report.figures.draw import FOLDER, drawings_of, save_pages, stated_about

GRID = {"aux": ["2/2", "6/8"], "date_noise": [3], "value_noise": [0], "popularity": [0]}


@pytest.fixture
def make_run(make_curves, make_phi, make_reliability, tmp_path):
    def make(attack, kinds=(), name="study", axes=None, kind="movielens"):
        curves = make_curves(axes or GRID, kinds=kinds)
        curves.to_parquet(tmp_path / "curves.parquet")
        make_phi(curves).to_parquet(tmp_path / "phi.parquet")
        if attack == "bayes":
            make_reliability(curves).to_parquet(tmp_path / "reliability.parquet")
        config = {"name": name, "attack": {"name": attack, "phi": 1.5}, "data": {"kind": kind}}
        record = {"status": "complete", "config": config, "release": {"n_records": 943}}
        (tmp_path / "run.json").write_text(json.dumps(record), encoding="utf-8")
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("attack", "kinds", "names"),
    [
        ("scoreboard_rh", (), ["best_guess", "phi", "k_identification"]),
        ("scoreboard_rh", ("entropy",), ["best_guess", "phi", "k_identification", "entropy"]),
        ("neighbourhood", ("set", "entropy"), ["best_guess", "k_identification", "mu", "entropy"]),
        (
            "bayes",
            ("entropy", "claimed"),
            ["best_guess", "phi", "k_identification", "entropy", "reliability"],
        ),
    ],
)
def test_what_applies_is_drawn(make_run, attack, kinds, names):
    folder = make_run(attack, kinds)
    assert [drawing.name for drawing in drawings_of(open_folder(folder))] == names


def drawn_first(folder):
    return save_pages(folder / FOLDER, drawings_of(open_folder(folder))[0])


def test_figures_can_be_made_again_from_the_files_alone(make_run, tmp_path_factory):
    folder = make_run("scoreboard_rh")
    written = drawn_first(folder)
    assert [path.name for path in written] == ["best_guess.png"]
    assert all(path.parent == folder / "figures" for path in written)
    other = tmp_path_factory.mktemp("other")
    for name in ("run.json", "curves.parquet", "phi.parquet"):
        shutil.copy(folder / name, other / name)
    again = drawn_first(other)
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in written]


def test_absent_targets_alone_have_no_k_identification(make_run):
    folder = make_run("bayes", (), axes=GRID | {"present": [False]})
    names = [drawing.name for drawing in drawings_of(open_folder(folder))]
    assert names == ["best_guess", "phi"]


def test_the_papers_numbers_are_about_their_own_attack(make_run):
    for attack, marked in (("scoreboard_rh", True), ("tf_idf", False)):
        folder = make_run(attack, name="ns08_fig4")
        config = json.loads((folder / "run.json").read_text())["config"]
        assert bool(stated_about(config)) == marked
        (plot,) = drawings_of(open_folder(folder))[0].plots
        assert (len(plot.stated) > 0) == marked
        assert ("declared at φ = 1.5" in plot.caption) == ATTACKS.get(attack).matches_by_phi
    config["name"] = "study"
    assert stated_about(config) == ()


@pytest.mark.parametrize("name", ATTACKS.all())
def test_attacks_are_told_apart_by_their_rule(name):
    cls = ATTACKS.get(name)
    assert cls.answers_with_set == issubclass(cls, SetAlgorithm)
    own_rule = cls.matches is not Algorithm.matches or issubclass(cls, Correlation)
    assert cls.matches_by_phi == (not own_rule)


def test_what_a_run_fixes_for_all_cells():
    attack = {"name": "scoring_rated", "phi": 1.5, "delta": 1.0, "max_length_share": 1 / 3}
    found = settings_of({"data": {"kind": "synthetic"}, "attack": attack})
    assert found["data"] == "synthetic"
    assert found["value_tolerance"] == 1.0
    assert found["longest_records"] == "left out"


def test_a_large_grid_has_numbered_pages_which_a_smaller_one_removes(make_run):
    axes = {"aux": ["2/2", "6/8"], "missing": [0.1, 0.2], "loss": list(range(13))}
    folder = make_run("set_intersection", axes=axes)
    written = [path.name for path in drawn_first(folder)]
    assert written == ["best_guess.png", "best_guess_2.png"]
    (folder / "figures" / "mine.png").write_bytes(b"old")
    drawn_first(make_run("set_intersection"))
    kept = {path.name for path in (folder / "figures").iterdir()}
    assert kept == {"best_guess.png", "mine.png"}
