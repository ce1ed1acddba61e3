"""Utility as part of a run: its table, its sentence, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from printed import NONE_CALLED

import sim
from sim.config.compose import composed, configured
from sim.errors import ConfigError
from sim.session.checks import check_config, utilities_of
from sim.session.release import Release
from sim.utility.ndcg import NDCG
from sim.utility.registry import UTILITIES

pytestmark = pytest.mark.usefixtures("no_drawings")

COLUMNS = [
    *("measure", "label", "unit", "higher_is_better", "before", "after", "kept", "n_test"),
    *("counts", "note"),
]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return sim.synthetic("tiny", cache=str(tmp_path_factory.mktemp("cache")))


def attacked(release: Release, folder: Path, **given: Any) -> pd.DataFrame:
    """The table of utility of a small run."""
    grid = {"aux": ["3/4"], "date_noise": [3]}
    result = sim.run(release, grid=grid, targets=5, folder=folder, **given)
    assert result.bayes is not None
    assert "utility" not in result.bayes.tables
    return result.tables["utility"].set_index("measure")


def test_a_run_has_a_table_of_utility(release: Release, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    table = attacked(
        release,
        folder,
        defence=["drop_items"],
        utility=["rmse_bias", NDCG(), "cells"],
        options={"defence.drop_items.min_support": 60},
    )
    assert table.reset_index().columns.tolist() == COLUMNS
    assert table.index.tolist() == ["rmse_bias", "ndcg", "cells"]
    assert table["n_test"].tolist()[1:] == [262, 30_406]
    assert table["after"]["rmse_bias"] > table["before"]["rmse_bias"]
    assert table["kept"].isna().tolist() == [True, False, False]
    assert table["kept"]["ndcg"] == table["after"]["ndcg"] / table["before"]["ndcg"]
    assert table["before"]["cells"] == 1 > table["after"]["cells"]
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "Utility before and after the defences" in report
    assert "RMSE of a bias model" in report
    assert "utility.parquet" in report


def test_without_defences_it_is_that_of_the_release(release: Release, tmp_path: Path) -> None:
    table = attacked(release, tmp_path / "run", utility=["rmse_mf", "people"])
    assert table["before"].tolist() == table["after"].tolist()
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "RMSE of a matrix factorisation" in report


def test_a_measurement_of_the_release_may_have_it_too(release: Release, tmp_path: Path) -> None:
    asked = {"utility": ["items"]}
    result = sim.measure(release, "lengths", folder=tmp_path / "run", options=asked)
    assert result.tables["utility"]["after"].tolist() == [1.0]


def test_no_measure_is_configured_by_default() -> None:
    assert utilities_of(configured(composed([]))) == []


def test_all_measures_can_be_configured() -> None:
    names = list(UTILITIES.all())
    asked = [f"utility=[{','.join(names)}]"]
    config = configured(composed(asked))
    check_config(config)
    made = {each.name: each for each in utilities_of(config)}
    assert list(made) == names
    assert made["ndcg"] == NDCG()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            ["utility=[recall]"],
            f"utility: 'recall': {NONE_CALLED}expected some of cells, items, ",
        ),
        (
            ["utility=[ndcg]", "utility.ndcg.test_people=0"],
            "utility.ndcg.test_people: not an option",
        ),
        (["+utility.ndcg.test_people=5"], "utility.ndcg: not chosen; set 'utility=[ndcg]'"),
        (
            ["utility=[ndcg]", "utility.cells.x=1"],
            "utility.cells.x: not an option of what was chosen",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(asked: list[str], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        check_config(configured(composed(asked)))
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)
