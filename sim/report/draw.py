"""Draw the figures of a run from its files alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from sim.report.figures import figure_best_guess
from sim.report.papers import EXPERIMENTS, numbers_for
from sim.report.style import save

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figures_for(folder: Path) -> dict[str, Figure]:
    """Figures that apply to a run, by name.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    dict of str to Figure
    """
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    config = record["config"]
    name = config["name"]
    figure = figure_best_guess(
        pd.read_parquet(folder / "curves.parquet"),
        config["attack"]["phi"],
        baseline=1 / record["release"]["n_records"],
        numbers=numbers_for(name) if name in EXPERIMENTS else (),
    )
    return {name: figure}


def draw_run(folder: Path) -> list[Path]:
    """Draw and save the figures of a run.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    list of Path
        The files written, PNG and SVG.
    """
    paths: list[Path] = []
    for name, figure in figures_for(folder).items():
        paths += save(figure, folder / "figures", name)
    return paths
