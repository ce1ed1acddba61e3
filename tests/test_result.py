"""A result read from its folder: an attack, a measurement, a suite."""

import pickle

import pandas as pd
import pytest
from reporting import Page, odd_table, run_at

import sim
from sim.errors import ConfigError, InputError
from sim.session.result import Result


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suite")
    parts = (
        "parts={attacked: ['grid.aux=[2/2]'], too_rare: ['grid.popularity=[500]'], "
        "counted: ['experiment=ns08_table_rare','study.outside=[5]','bayes_targets=0']}"
    )
    table = odd_table(tmp_path_factory.mktemp("table"))
    grid = ("grid.date_noise=[3]", "grid.value_noise=[0]")
    return run_at(folder, *table, *grid, parts)


def test_a_suite_has_the_parts_that_could_be_run(suite):
    assert list(suite.parts) == ["attacked", "counted"]
    said = str(suite)
    assert "not run: grid cell" in said
    assert "2 of 3 parts were run" in said
    assert repr(suite) == said


def test_an_attack_has_its_curves_and_the_bayes_run(suite):
    attacked = suite.parts["attacked"]
    assert len(attacked.curves) == 1
    assert len(attacked.decisions) == 20
    assert attacked.bayes.record["config"]["attack"]["name"] == "bayes"
    assert attacked.tables["aux"].equals(attacked.aux)
    assert attacked.bayes.bayes is None
    assert attacked.findings[0].kind == "highest_found"


def test_a_measurement_has_its_facts(suite):
    counted = suite.parts["counted"]
    assert isinstance(counted.facts, pd.DataFrame)
    assert len(counted.comparison()) == 9
    assert counted.findings[0].kind == "rare_items_held"
    with pytest.raises(InputError, match=r"has no curves\.parquet; it has facts"):
        counted.curves  # noqa: B018
    assert getattr(counted, "curves", None) is None
    assert not hasattr(counted, "assessment")


def test_a_copy_for_another_process_opens_the_folder_if_it_stays(suite, monkeypatch):
    attacked = pickle.loads(pickle.dumps(suite.parts["attacked"]))
    assert attacked.curves.equals(suite.parts["attacked"].curves)
    monkeypatch.setattr(suite, "_temporary", True)
    for one in (suite, suite.parts["attacked"].bayes):
        with pytest.raises(ConfigError, match=r"is removed with this result, .* folder="):
            pickle.dumps(one)


def test_a_report_is_written_again(suite):
    suite.folder.joinpath("report.html").unlink(missing_ok=True)
    path = suite.report()
    assert path == suite.folder / "report.html"
    assert "attacked" in Page(path.read_text(encoding="utf-8")).said()


def test_a_notebook_shows_a_figure_and_the_names_of_tables(suite):
    attack = suite.parts["attacked"]
    figure = attack.figures()["best_guess"]
    assert figure._repr_png_().startswith(b"\x89PNG\r\n")
    assert repr(attack.tables) == f"Tables({', '.join(attack.tables)})"


def test_a_run_in_a_temporary_folder_is_drawn_when_it_is_shown(tmp_path):
    release = sim.synthetic("tiny", cache=tmp_path / "cache")
    result = sim.run(release, targets=5, bayes_targets=0, aux=["2/2"])
    assert not list(result.folder.rglob("*.png"))
    assert "<img" in result._repr_html_()
    assert list(result.folder.rglob("*.png"))


def test_a_folder_without_results_is_said(tmp_path):
    with pytest.raises(InputError, match=r"not a run folder: it has no run\.json"):
        Result(tmp_path)
