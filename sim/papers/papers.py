"""Compares the numbers of a run with the papers' statements.

Invariant: a verdict of *reproduced* or *not reproduced* is given only for the release, attack and
grid cell of the paper; in every other case the comparison states why there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from sim.axes.registry import axes_of, neutral_values
from sim.numeric.intervals import Interval
from sim.numeric.rows import row_dicts
from sim.papers.statements import NUMBERS, PaperNumber
from sim.study.labels import is_informative, level_words

SLACK = 0.03
"""Our interval of a share is widened by this for a verdict: the papers' own samples were small
(100 targets in NS07) and are not stated in NS08."""

__all__ = ["EXPERIMENTS", "SLACK", "PaperNumber", "compare", "matching_cells", "numbers_for"]

EXPERIMENTS = (
    *("ns08_fig1", "ns08_fig2_3", "ns08_fig4", "ns08_fig5", "ns08_fig6", "ns08_fig7"),
    *("ns08_table_rare", "ns08_fig8", "ns08_fig9", "ns08_fig10", "ns08_fig11", "ns08_fig12"),
    *("ns08_imdb", "ns07_fig1", "ns07_fig2", "ns07_fig3", "ns07_fig4", "ns07_rmse"),
    *("f06_fig4", "f06_fig3_5", "f06_fig6_7", "f06_fig8", "f06_fig9", "slides_kanon", "theory"),
)
"""Every experiment of the papers, with or without stated numbers."""


def numbers_for(experiment: str) -> tuple[PaperNumber, ...]:
    """Return what the papers and the reproductions state about an experiment.

    Parameters
    ----------
    experiment : str
        One of `EXPERIMENTS`.

    Returns
    -------
    tuple of PaperNumber
        Empty where the papers only drew a curve.

    Raises
    ------
    ValueError
        There is no such experiment.

    Examples
    --------
    >>> numbers_for("ns08_fig10")
    ()
    """
    if experiment not in EXPERIMENTS:
        raise ValueError(f"no experiment {experiment!r}; there are {', '.join(EXPERIMENTS)}")
    return tuple(number for number in NUMBERS if number.experiment == experiment)


def matching_cells(
    curves: pd.DataFrame, number: PaperNumber, fixed: Mapping[str, Any] | None = None
) -> pd.DataFrame:
    """Return the rows of a curve frame to which a statement applies.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    number : PaperNumber
        Its conditions are looked up by column name.
    fixed : Mapping, optional
        Axes without a column in the frame, since they are the same in all cells.

    Returns
    -------
    DataFrame
        Rows for which every condition is known to hold. An axis with a neutral value has this
        value unless the statement mentions the axis.

    Examples
    --------
    >>> frame = pd.DataFrame({"aux": ["2/2", "6/8"], "date_noise": 3, "rank1": [0.7, 1.0]})
    >>> number = numbers_for("ns08_fig4")[0]
    >>> len(matching_cells(frame, number))
    0
    >>> len(matching_cells(frame, number, {"value_noise": 0, "popularity": 0}))
    1
    """
    rows = curves
    for axis, default in neutral_values().items():
        if axis in rows.columns and axis not in number.conditions:
            rows = rows.loc[[_text(value) == _text(default) for value in rows[axis]]]
    for axis, wanted in number.conditions.items():
        if axis in rows.columns:
            rows = rows.loc[[_text(value) == _text(wanted) for value in rows[axis]]]
        elif axis not in (fixed or {}) or _text((fixed or {})[axis]) != _text(wanted):
            return curves.iloc[:0]
    return rows


COLUMNS = (
    *("id", "paper", "figure", "what", "where", "note", "unit", "cell", "ours", "low", "high"),
    *("relation", "theirs", "difference", "verdict"),
)
"""Columns of a comparison."""

_GIVEN_BY_ROW = ("algorithm", "data")

_ATTACK_CONDITIONS = ("algorithm", "value_tolerance", "longest_records")
"""Conditions of an attack that a statement may leave open, in addition to the axes of a grid."""


def compare(
    curves: pd.DataFrame,
    numbers: Iterable[PaperNumber],
    settings: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Compare the papers' numbers with a run's.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``; a measure without ``_low`` and ``_high`` is exact. Where
        there is a column ``data``, it names the data of a row that are not the release.
    numbers : iterable of PaperNumber
        Numbers to compare with.
    settings : Mapping, optional
        Settings that all cells share: ``data`` (the release: ``netflix_prize``,
        ``movielens_2006`` ...), ``algorithm``, ``phi``, and any axis without a column. Without
        ``data``, the run is assumed to be on other data than the papers'.

    Returns
    -------
    DataFrame
        One row per number and matching cell (one without a cell where none matches): ``id``,
        ``paper``, ``figure``, ``what``, ``where`` (the conditions in words), ``note``, ``unit``,
        ``cell``, ``ours``, ``low``, ``high``, ``relation``, ``theirs``, ``difference`` (ours -
        theirs) and ``verdict``: *reproduced* (their value lies in our interval, widened by `SLACK`
        for a share), *not reproduced*, or *not comparable* and why. Columns ``algorithm`` and
        ``data`` of the frame take precedence over the settings.

    Examples
    --------
    >>> frame = pd.DataFrame({"cell": [0], "aux": ["2/2"], "date_noise": [3], "value_noise": [0],
    ...     "popularity": [0], "rank1": [0.7], "rank1_low": [0.67], "rank1_high": [0.73]})
    >>> run = {"data": "netflix_prize", "algorithm": "scoreboard_rh", "phi": 1.5}
    >>> compare(frame, numbers_for("ns08_fig4")[:1], run)["verdict"].tolist()
    ['reproduced']
    >>> compare(frame, numbers_for("ns08_fig4")[:1])["verdict"].tolist()
    ['not comparable: different data']
    """
    rows: list[dict[str, Any]] = []
    for number in numbers:
        theirs = number.value
        measured = number.measure in curves.columns
        cells: list[dict[Any, Any]] = [{}]
        varying: list[str] = []
        if measured:
            matching = matching_cells(_of_number(curves, number), number, settings)
            varying = _varying(matching, number)
            cells = row_dicts(matching) or cells
        for cell in cells:
            own = {key: cell[key] for key in _GIVEN_BY_ROW if cell.get(key) is not None}
            ours = _known(cell.get(number.measure))
            # A measure without an interval is exact.
            low, high = (_known(cell.get(f"{number.measure}{end}")) for end in ("_low", "_high"))
            low, high = (ours if end is None else end for end in (low, high))
            # The column exists, but the measure does not apply to the attack or the cell.
            null = number.measure in cell and ours is None
            row = {
                "id": number.id,
                "paper": number.paper,
                "figure": number.figure,
                "what": number.what,
                "where": _where(number, cell, varying),
                "note": number.note,
                "unit": number.unit,
                "cell": cell.get("cell"),
                "ours": ours,
                "low": low,
                "high": high,
                "relation": number.relation,
                "theirs": theirs,
                "difference": None if ours is None or theirs is None else ours - theirs,
            }
            ends = None if low is None or high is None else Interval(low, high)
            verdict = _verdict(number, ends, measured and not null, {**(settings or {}), **own})
            rows.append(row | {"verdict": verdict})
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    floats = ("ours", "low", "high", "theirs", "difference")
    return frame.astype({"cell": "Int64"} | dict.fromkeys(floats, "float64"))


def _of_number(curves: pd.DataFrame, number: PaperNumber) -> pd.DataFrame:
    """Return the rows about the attack of the number, if rows name their attack."""
    if "algorithm" in curves.columns and number.algorithm:
        return curves[curves["algorithm"] == number.algorithm]
    return curves


def _varying(rows: pd.DataFrame, number: PaperNumber) -> list[str]:
    """Return the conditions that the number leaves open and that distinguish its rows."""
    if len(rows) < 2:
        return []
    conditions = {*(axis.name for axis in axes_of()), *_ATTACK_CONDITIONS}
    return [
        name
        for name in map(str, rows.columns)
        if name in conditions
        and name not in number.conditions
        and rows[name].nunique(dropna=False) > 1
    ]


def _where(number: PaperNumber, cell: Mapping[Any, Any], varying: Iterable[str]) -> str:
    """Return the conditions of a number in words, and what else distinguishes the cell."""
    levels = {**number.conditions, **{name: cell[name] for name in varying}}
    kept = [a for a in levels if a not in neutral_values() or is_informative(a, levels[a])]
    depth = re.fullmatch(r"(k|mu_|at_least_)(\d+)", number.measure)
    words = [
        *([number.algorithm] if cell.get("algorithm") and number.algorithm else []),
        *(level_words(axis, levels[axis]) for axis in kept),
        *([_DEPTHS[depth[1]].format(depth[2])] if depth else []),
    ]
    return ", ".join(words)


_DEPTHS = {"k": "k = {}", "mu_": "n ≤ {}", "at_least_": "at least {}"}
"""Words for the member of a family of measures."""


def _verdict(
    number: PaperNumber, ours: Interval | None, measured: bool, settings: Mapping[str, Any]
) -> str:
    """Return the verdict in words."""
    if number.value is None:
        return "not comparable: stated in words only"
    if not measured:
        return "not comparable: not measured by this run"
    if ours is None:
        return "not comparable: no such cell in this run"
    if settings.get("data") != number.data:
        return "not comparable: different data"
    if number.algorithm and settings.get("algorithm") != number.algorithm:
        return "not comparable: another attack"
    if number.phi is not None and settings.get("phi") != number.phi:
        return f"not comparable: stated at φ = {number.phi:g}"
    ours = ours.widened(SLACK if number.unit == "share" else 0.0)
    agrees = {
        "=": number.value in ours,
        "about": number.value in ours,
        "<": ours.low < number.value,
        "<=": ours.low <= number.value,
        ">": ours.high > number.value,
    }
    return "reproduced" if agrees[number.relation] else "not reproduced"


def _known(value: Any) -> float | None:
    """Return a number, or None where the column is null or missing."""
    return None if value is None or pd.isna(value) else float(value)


def _text(value: Any) -> str:
    """Return an axis value in one spelling, however its column is typed."""
    if value is None or pd.isna(value):
        return "none"
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
