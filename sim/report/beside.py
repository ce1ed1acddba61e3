"""A run's curves beside what the papers state, as plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.report.labels import level_words
from sim.report.papers import EXPERIMENTS, compare, numbers_for
from sim.study.curves import axis_columns

_RELATIONS = {"=": "", "about": "about ", "<": "below ", "<=": "at most ", ">": "above "}


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
    return compare(curves, numbers_for(config["name"]), settings_of(config))


def settings_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """What is the same in all cells of a run, in the words of `sim.report.statements`.

    Parameters
    ----------
    config : dict
        The run's configuration, as in ``run.json``.

    Returns
    -------
    dict

    Examples
    --------
    >>> attack = {"name": "scoring_rated", "phi": 1.5, "delta": 1.0, "longest_share": None}
    >>> settings_of({"data": {"kind": "netflix"}, "attack": attack})["longest_records"]
    'kept'
    """
    attack = config["attack"]
    # The generator can imitate the counts of the Netflix data, so only their source tells.
    data = "netflix_prize" if config["data"]["kind"] == "netflix" else config["data"]["kind"]
    settings = {"data": data, "algorithm": attack["name"], "phi": attack["phi"]}
    if "delta" in attack:
        settings["value_tolerance"] = attack["delta"]
    if "longest_share" in attack:
        settings["longest_records"] = "kept" if attack["longest_share"] is None else "left out"
    return settings


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
    varied = [a for a in axis_columns(curves) if curves[a].nunique(dropna=False) > 1]
    lines = []
    known = found[found["ours"].notna() & (found["paper"] != "reproduction")]
    row: Mapping[Any, Any]
    for row in known.to_dict("records"):
        cell = curves[curves["cell"] == row["cell"]].iloc[0]
        where = ", ".join(level_words(axis, cell[axis]) for axis in varied)
        theirs, ours, low, high = (
            said(row[name], row["unit"]) for name in ("theirs", "ours", "low", "high")
        )
        lines.append(
            f"{row['paper']} {row['figure']}".strip()
            + f": {f'{where}: ' if where else ''}{row['what']}\n    {_RELATIONS[row['relation']]}"
            + f"{theirs}; here {ours}{'' if low == high else f' [{low}–{high}]'}; {row['verdict']}"
        )
    return "\n".join(lines)


def said(value: float, unit: str) -> str:
    """Write a number with its unit.

    Parameters
    ----------
    value : float
    unit : str
        As `sim.report.statements.PaperNumber.unit`.

    Returns
    -------
    str

    Examples
    --------
    >>> said(0.683, "share"), said(3, "bits"), said(480189, "records"), said(13.42, "bits")
    ('68.3%', '3 bits', '480,189 records', '13.42 bits')
    """
    if unit == "share":
        return f"{value:.1%}"
    number = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return f"{number} {unit}"
