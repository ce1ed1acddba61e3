"""A run's curves beside what the papers state, as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.report.labels import level_words
from sim.report.papers import EXPERIMENTS, compare, numbers_for
from sim.study.curves import axis_columns


def comparison(curves: pd.DataFrame, config: Mapping[str, Any]) -> pd.DataFrame | None:
    """What the papers state for the experiment that was run, beside what came out.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    config : dict
        The run's configuration, as in ``run.json``.

    Returns
    -------
    DataFrame or None
        As `sim.report.papers.compare`; None if no paper has this experiment.
    """
    if config["name"] not in EXPERIMENTS:
        return None
    # The generator can imitate the counts of the Netflix data, so only their source tells.
    data = "netflix_prize" if config["data"]["kind"] == "netflix" else config["data"]["kind"]
    settings = {"data": data, "algorithm": config["attack"]["name"], "phi": config["attack"]["phi"]}
    return compare(curves, numbers_for(config["name"]), settings)


def comparison_text(curves: pd.DataFrame, config: Mapping[str, Any]) -> str:
    """The papers' own numbers that a cell of the run answers to, two lines each.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    config : dict
        The run's configuration, as in ``run.json``.

    Returns
    -------
    str
        Empty if no paper states a number for what was run.
    """
    found = comparison(curves, config)
    if found is None:
        return ""
    axes = axis_columns(curves)
    lines = []
    for row in found[found["cell"].notna() & (found["paper"] != "reproduction")].itertuples():
        cell = curves[curves["cell"] == row.cell].iloc[0]
        varied = [axis for axis in axes if curves[axis].nunique(dropna=False) > 1]
        where = ", ".join(level_words(axis, cell[axis]) for axis in varied)
        lines.append(
            f"{row.paper} {row.figure}: {where}: {row.what}\n"
            f"    {row.theirs:.1%}; here {row.ours:.1%} [{row.low:.1%}–{row.high:.1%}]; {row.verdict}"
        )
    return "\n".join(lines)
