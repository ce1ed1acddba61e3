"""Tables of a report: every cell is text with a sort key.

Invariant: nothing shown is about a single person; a table with a row per person, or with
identifiers of people, is named but never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_estimate, format_number, format_percent
from sim.papers.statements import NUMBERS
from sim.study.labels import axis_head, level_short, level_text, tick_words

PRIVATE = frozenset({"target", "record", "person", "best", "nearest", "user", "place"})
"""Columns that mark a table about single people."""

MOST_ROWS = 60
"""A longer table is not shown, only named."""

_ENDS = ("_low", "_high")
_PERCENT = frozenset({"eligible", *(n.measure for n in NUMBERS if n.unit == "share")})


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """A cell of a table.

    Parameters
    ----------
    sort : str
        A number to sort by, or the text.
    link : str
        A relative path; empty: none.
    """

    text: str
    sort: str = ""
    link: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class HtmlColumn:
    """A column of a table."""

    head: str
    numeric: bool = True


@dataclass(frozen=True, slots=True)
class HtmlTable:
    """A table.

    Parameters
    ----------
    rows : sequence of sequence of HtmlCell
        The first cell of a row is its heading.
    """

    caption: str
    columns: Sequence[HtmlColumn]
    rows: Sequence[Sequence[HtmlCell]]
    note: str = ""


_RATES = {
    "rank1": "best guess right",
    "matched_right": "matched, right",
    "matched_wrong": "matched, wrong",
    "no_match": "no match",
    "claimed": "probability claimed",
    "baseline_random": "random guess",
    "baseline_longest": "longest record",
    "equal_error": "equal error",
    "phi_star": "at φ*",
}
_DEPTHS = {
    **{f"k{k}": f"top {k}" for k in (1, 5, 10, 100)},
    "not_narrow": "not found: others equally likely",
    "no_one_possible": "not found: no candidate",
    "misdirected": "not found: others more likely",
}
_SIZES = {f"mu_{n}": f"{n:,}" for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)}
_BITS = {
    "bits": "bits left, mean",
    "bits_median": "median",
    "bits_unresolved": "where the best guess is wrong",
    "bits_gained": "bits gained",
    "bits_prior": "bits in total",
}
_GROUPS: Sequence[tuple[str, Mapping[str, str]]] = (
    ("How often the best guess is the right record", _RATES),
    ("How often the right record is among the k most likely", _DEPTHS),
    ("Share of targets with at most n matching records", _SIZES),
    ("Bits of uncertainty that remain about a target", _BITS),
)
_NO_SHARES = ("eps", "phi", "similarity", "distance", "bits", "eccentricity", "rmse", "value_noise")

_PLAIN = frozenset({"phi_star", *_BITS})
"""Measures that are not shares."""


_NOTE = (
    "Shares are of the targets: all eligible records or people, or a sample of them. Eligible is "
    "the share of all records or people that have enough facts to be a target. Estimates have 95% "
    "intervals."
)
_PRESENT = "Measures that need the right record are shares of the targets in the release."


def curve_tables(curves: pd.DataFrame) -> list[HtmlTable]:
    """Format the main columns of an attack's curves.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.

    Returns
    -------
    list of HtmlTable
        One for each group of measures that the attack has.

    Examples
    --------
    >>> rates = {"rank1": [0.683], "rank1_low": [0.65], "rank1_high": [0.71]}
    >>> counts = {"n_targets": [9], "n_present": [9], "n_eligible": [20], "eligible": [0.5]}
    >>> table, = curve_tables(pd.DataFrame({"cell": [0], "aux": ["2/2"], **counts, **rates}))
    >>> [[cell.text for cell in row] for row in table.rows]
    [['2 of 2', '9', '50.0%', '68.3% [65.0%–71.0%]']]
    """
    places = places_of(curves)
    counts = {"targets": "n_targets"}
    note = _NOTE
    if curves["n_present"].between(0, curves["n_targets"], inclusive="neither").any():
        counts["in the release"] = "n_present"
        note = f"{note} {_PRESENT}"
    tables = []
    for caption, group in _GROUPS:
        names = [name for name in group if name in curves and curves[name].notna().any()]
        if not names or names in (["bits_prior"], ["baseline_random"]):
            continue
        columns = [HtmlColumn(head, numeric=False) for head in places[0]]
        columns += [HtmlColumn(head) for head in counts]
        columns += [HtmlColumn("eligible"), *(HtmlColumn(group[n]) for n in names)]
        rows = []
        row: Mapping[Any, Any]
        for row, place in zip(row_dicts(curves), places, strict=True):
            cells = list(place.values())
            cells += [number_cell(row[name]) for name in counts.values()]
            cells.append(percent_cell(row["eligible"]))
            cells += [estimate_cell(row, name, share=name not in _PLAIN) for name in names]
            rows.append(cells)
        tables.append(HtmlTable(caption, columns, rows, note))
    return tables


def places_of(curves: pd.DataFrame) -> list[dict[str, HtmlCell]]:
    """Format the levels of grid cells on the axes that distinguish them.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, at least one row.

    Returns
    -------
    list of dict of str to HtmlCell
        One for each row, by the head of the column.

    Examples
    --------
    >>> places_of(pd.DataFrame({"aux": ["2/2", "6/8"], "value_noise": 0}))[1]["facts right"].text
    '6 of 8'
    """
    axes = axis_columns(curves)
    varying = [axis for axis in axes if curves[axis].nunique(dropna=False) > 1] or list(axes[:1])
    return [
        {axis_head(axis, report=True): _place(axis, row[axis]) for axis in varying}
        for row in row_dicts(curves)
    ]


def _place(axis: str, value: Any) -> HtmlCell:
    """Format a cell's level on an axis in its short form, since the table is wide."""
    short = level_short(axis, value).replace(" ", "\N{NO-BREAK SPACE}")
    return HtmlCell(tick_words(axis, value) if axis == "aux" else short, _key(value))


def frame_table(
    frame: pd.DataFrame, caption: str, note: str = "", heads: Mapping[str, str] | None = None
) -> HtmlTable:
    """Format any small table, with intervals in the cells of their estimates.

    Parameters
    ----------
    heads : dict of str to str, optional
        Words for columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"data": ["values"], "p": [0.5], "p_low": [0.4], "p_high": [0.6]})
    >>> [[cell.text for cell in row] for row in frame_table(frame, "Any").rows]
    [['values', '50.0% [40.0%–60.0%]']]
    """
    ends = {f"{name}{end}" for name in frame.columns for end in _ENDS}
    names = [str(n) for n in frame.columns if n not in ends and frame[n].notna().any()]
    shares = {name for name in names if _is_share(frame, name)}
    numeric = {name: pd.api.types.is_numeric_dtype(frame[name]) for name in names}
    rows = [
        [
            estimate_cell(row, name, share=name in shares)
            if numeric[name] and not pd.api.types.is_bool_dtype(frame[name])
            else HtmlCell(level_text(row[name]), _key(row[name]))
            for name in names
        ]
        for row in row_dicts(frame)
    ]
    columns = [HtmlColumn((heads or {}).get(n) or _head(n), numeric[n]) for n in names]
    return HtmlTable(caption, columns, rows, note)


def is_about_people(frame: pd.DataFrame) -> bool:
    """Whether a table has a row per person, or identifiers of people.

    Examples
    --------
    >>> is_about_people(pd.DataFrame({"target": [1]})), is_about_people(pd.DataFrame({"k1": [1]}))
    (True, False)
    """
    return not PRIVATE.isdisjoint(map(str, frame.columns))


def number_cell(value: Any) -> HtmlCell:
    """Return a number as a cell.

    Examples
    --------
    >>> number_cell(480189)
    HtmlCell(text='480,189', sort='480189.0')
    """
    return HtmlCell(format_number(value), _number_key(value))


def percent_cell(value: Any, digits: int = 0) -> HtmlCell:
    """Return a share as a cell, in percent.

    Parameters
    ----------
    digits : int
        As for `sim.numeric.text.format_percent`.

    Examples
    --------
    >>> percent_cell(0.683)
    HtmlCell(text='68.3%', sort='0.683')
    """
    return HtmlCell(format_percent(value, digits), _number_key(value))


def estimate_cell(row: Mapping[Any, Any], name: str, *, share: bool) -> HtmlCell:
    """Return a measure with its interval, if it has one, as a cell.

    Examples
    --------
    >>> estimate_cell({"bits": 2.5, "bits_low": 2.0, "bits_high": 3.0}, "bits", share=False)
    HtmlCell(text='2.50 [2–3]', sort='2.5')
    """
    return HtmlCell(format_estimate(row, name, share=share), _number_key(row[name]))


def _number_key(value: Any) -> str:
    return "" if value is None or pd.isna(value) else repr(float(value))


def plain(rows: Iterable[Sequence[str]]) -> list[list[HtmlCell]]:
    """Turn rows of text into cells.

    Examples
    --------
    >>> plain([["a", "b"]])[0][1].text
    'b'
    """
    return [[HtmlCell(text, text) for text in row] for row in rows]


def _is_share(frame: pd.DataFrame, name: str) -> bool:
    """Whether a column holds shares: fractions from 0 to 1 of a measure without another unit."""
    if not pd.api.types.is_float_dtype(frame[name]) or name.startswith(_NO_SHARES):
        return False
    values = frame[name].dropna().to_numpy(np.float64)
    if values.min() < 0 or values.max() > 1:
        return False
    return name in _PERCENT or f"{name}_low" in frame or bool((values % 1 != 0).any())


def _head(name: str) -> str:
    known = {**_RATES, **_DEPTHS, **_BITS}
    return known.get(name, name.replace("_", " "))


def _key(value: Any) -> str:
    """Return the sort key of a level: numbers as numbers, unknown levels last."""
    if value is None or pd.isna(value):
        return ""
    return repr(float(value)) if isinstance(value, (int, float, np.number)) else str(value)
