"""A small run of every experiment: on a made-up release, with all figures and reports."""

from __future__ import annotations

import html
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from making import DEEP, deep
from matplotlib.figure import Figure
from studying import configured

import sim
from sim.papers.papers import EXPERIMENTS
from sim.plot.spec import Plot
from sim.record.frames import write_csv
from sim.report.figures import page, style
from sim.session.jobs import plan_job
from sim.session.suite import run_planned

pytestmark = pytest.mark.timeout(1800)  # all experiments are one fixture

BAYES = "bayes_targets=3" if DEEP else "bayes_targets=0"
SMALL = ("data.preset=tiny", "cluster=inline", "targets=10", BAYES)
FEW_ITEMS = ("ns08_fig8", "ns08_fig9", "ns08_fig12", "ns07_fig4")
"""Ask for items outside the top 500, among others; the release has 300."""


def ran(folder: Path, *overrides: str) -> dict[str, Any]:
    folder.mkdir()
    asked = (*overrides, *SMALL)
    run_planned(plan_job(configured(*asked), asked), folder)
    found: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module", autouse=True)
def few_pictures() -> Iterator[None]:
    """Pictures of a sixteenth of the usual pixels, and one for all plots of a form.

    What each shows is put together, from the data of its run; to draw it takes longer. All are
    drawn where every example is tried.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(style, "DPI", 50)
        patch.setitem(style._HOUSE, "savefig.dpi", 50)
        patch.setattr(style, "save", written_once(style.save))
        if not DEEP:
            patch.setattr(page, "draw_plot", drawn_once(page.draw_plot))
        yield


def drawn_once(draw: Callable[[Plot], Figure]) -> Callable[[Plot], Figure]:
    """Let all plots of a form share the figure of the first."""
    found: dict[str, Figure] = {}

    def drawn(asked: Plot) -> Figure:
        if asked.form not in found:
            found[asked.form] = draw(asked)
        return found[asked.form]

    return drawn


def written_once(save: Callable[..., Path]) -> Callable[..., Path]:
    """Let all runs share the picture that the first of them has by its name, or of its figure."""
    found: dict[Any, Path] = {}

    def saved(figure: Any, folder: Path, name: str) -> Path:
        path = folder / f"{name}.png"
        first = found.setdefault(name if DEEP else figure, path)
        if first == path:
            return save(figure, folder, name)
        folder.mkdir(exist_ok=True)
        shutil.copy(first, path)
        return path

    return saved


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"data.cache={tmp_path_factory.mktemp('cache')}"


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, cache: str) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "all"
    ran(folder, "experiment=all", cache)
    return folder


def parts_of(folder: Path) -> dict[str, dict[str, Any]]:
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return {part["name"]: part for part in record["parts"]}


def test_all_holds_every_row_of_the_papers(everything: Path) -> None:
    """Each is complete; what the release does not allow of it is in its record."""
    parts = parts_of(everything)
    assert set(parts) == set(EXPERIMENTS)
    assert {part["status"] for part in parts.values()} == {"complete"}
    records = {name: one.record for name, one in sim.load(everything).parts.items()}
    left = {name for name, record in records.items() if record.get("left_out")}
    assert left == set(FEW_ITEMS)
    for name in left:
        gone = [one["axes"] for one in records[name]["left_out"]]
        assert {"popularity": 500} in gone
        assert records[name]["config"]["grid"]["popularity"][-1] == 100


def test_the_report_shows_a_picture_of_every_part(everything: Path) -> None:
    text = html.unescape((everything / "report.html").read_text(encoding="utf-8"))
    drawn = {path.stem for path in (everything / "figures").iterdir()}
    for name in parts_of(everything):
        assert [one for one in drawn if one.startswith(f"{name}_")]
        assert f'alt="{name}: ' in text


def test_tables_are_the_same_in_both_formats(everything: Path, tmp_path: Path) -> None:
    for name, frame in sim.load(everything).parts["ns08_fig1"].tables.items():
        write_csv(tmp_path / f"{name}.csv", frame)
        text = pd.read_csv(tmp_path / f"{name}.csv")
        assert frame.columns.tolist() == text.columns.tolist()
        assert len(frame) == len(text) > 0


@pytest.mark.parametrize("experiment", [FEW_ITEMS[0], *deep(*FEW_ITEMS[1:])])
def test_it_runs_where_there_are_such_items(experiment: str, tmp_path: Path, cache: str) -> None:
    record = ran(tmp_path / "run", f"experiment={experiment}", "grid.popularity=[0,20]", cache)
    assert record["status"] == "complete"
    curves = pd.read_parquet(tmp_path / "run" / "curves.parquet")
    assert set(curves["popularity"]) == {0, 20}
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.mark.deep
def test_the_readings_are_laid_side_by_side(tmp_path: Path, cache: str) -> None:
    record = ran(tmp_path / "run", "experiment=interpretations", cache)
    assert {part["status"] for part in record["parts"]} == {"complete"}
    readings = pd.read_parquet(tmp_path / "run" / "interpretations.parquet")
    assert len(readings) > 50
    assert (tmp_path / "run" / "figures" / "interpretations.png").is_file()


def test_a_census_attacks_everybody(tmp_path: Path, cache: str) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    asked = ("experiment=census", "data.preset=tiny", "cluster=inline", cache)
    run_planned(plan_job(configured(*asked), asked), folder)
    risk, curves = (
        pd.read_parquet(folder / f"{name}.parquet").query("run == ''")
        for name in ("risk", "curves")
    )
    assert curves["first"].tolist() == list(range(1, 9))
    assert (curves["n_targets"] == len(risk)).all()
    assert curves["rank1"].iloc[-1] > curves["rank1"].iloc[0]
