"""Tables of a report, ready to be set: every cell is text, with what it is sorted by.

Invariant: what is shown says nothing about a single person; a table with a row per person, or with
identifiers of people, is named but never shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from sim.metrics.curves import axis_columns
from sim.papers.statements import NUMBERS
from sim.study.labels import axis_head, level_short, level_text, tick_words

PRIVATE = frozenset({"target", "record", "person", "best", "nearest", "user", "whom", "place"})
"""Columns of tables that speak of single people."""

MOST_ROWS = 60
"""A longer table is left to its file."""

_ENDS = ("_low", "_high")
_TINY = 0.0005
"""A share, or what it lacks to be all, that one decimal place would round to none."""
_PERCENT = frozenset(number.measure for number in NUMBERS if number.unit == "share")


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """A cell of a table.

    Parameters
    ----------
    sort : str
        A number to sort by, or the text.
    """

    text: str
    sort: str = ""


@dataclass(frozen=True, slots=True)
class HtmlColumn:
    """Above the cells of one column."""

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
    **{f"k{k}": f"among {k}" if k > 1 else "at once" for k in (1, 5, 10, 100)},
    "not_narrow": "not found: others as likely",
    "no_one_possible": "not found: no one possible",
    "misdirected": "not found: others more likely",
}
_SIZES = {f"mu_{n}": f"{n:,}" for n in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)}
_BITS = {
    "bits": "bits left, mean",
    "bits_median": "median",
    "bits_unresolved": "where the best guess is wrong",
    "bits_nonzero": "σ over overlapping records",
    "bits_gained": "bits gained",
    "bits_prior": "bits in total",
}
_GROUPS: Sequence[tuple[str, Mapping[str, str]]] = (
    ("How often the best guess is the right record", _RATES),
    ("How often the right record is among the k most likely", _DEPTHS),
    ("Share of targets for whom at most n records match", _SIZES),
    ("Bits of uncertainty that remain about a target", _BITS),
)
_NO_SHARES = ("eps", "phi", "similarity", "distance", "bits", "eccentricity", "rmse", "value_noise")

_PLAIN = frozenset({"phi_star", *_BITS})
"""Measures that are no shares."""


_HEADS = {"aux": "facts right"}

_NOTE = (
    "Shares are of the targets, who are all of the eligible or a sample of them; eligible is the "
    "share of all who have enough to be a target. With 95% intervals, where it is an estimate."
)
_PRESENT = "Measures that ask for the right record are shares of the targets in the release."


def curve_tables(curves: pd.DataFrame) -> list[HtmlTable]:
    """Set the main columns of an attack's curves.

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
        for row, place in zip(curves.to_dict("records"), places, strict=True):
            cells = list(place.values())
            cells += [number(row[name]) for name in counts.values()]
            cells.append(percent(row["eligible"]))
            cells += [measured(row, name, share=name not in _PLAIN) for name in names]
            rows.append(cells)
        tables.append(HtmlTable(caption, columns, rows, note))
    return tables


def places_of(curves: pd.DataFrame) -> list[dict[str, HtmlCell]]:
    """Set where grid cells stand on the axes that tell them apart.

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
        {_HEADS.get(axis) or axis_head(axis): _place(axis, row[axis]) for axis in varying}
        for row in curves.to_dict("records")
    ]


def _place(axis: str, value: Any) -> HtmlCell:
    """A cell's place on an axis: briefly, since the table is wide."""
    short = level_short(axis, value).replace(" ", "\N{NO-BREAK SPACE}")
    return HtmlCell(tick_words(axis, value) if axis == "aux" else short, _key(value))


def frame_table(
    frame: pd.DataFrame, caption: str, note: str = "", heads: Mapping[str, str] | None = None
) -> HtmlTable:
    """Set any small table, intervals next to what they belong to.

    Parameters
    ----------
    heads : dict of str to str, optional
        Words for columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"by": ["values"], "p": [0.5], "p_low": [0.4], "p_high": [0.6]})
    >>> [[cell.text for cell in row] for row in frame_table(frame, "Any").rows]
    [['values', '50.0% [40.0%–60.0%]']]
    """
    ends = {f"{name}{end}" for name in frame.columns for end in _ENDS}
    names = [str(n) for n in frame.columns if n not in ends and frame[n].notna().any()]
    shares = {name for name in names if _is_share(frame, name)}
    numeric = {name: pd.api.types.is_numeric_dtype(frame[name]) for name in names}
    rows = [
        [
            measured(row, name, share=name in shares)
            if numeric[name] and not pd.api.types.is_bool_dtype(frame[name])
            else HtmlCell(level_text(row[name]), _key(row[name]))
            for name in names
        ]
        for row in frame.to_dict("records")
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


def number(value: Any) -> HtmlCell:
    """Set a number.

    Examples
    --------
    >>> number(480189).text, number(2.25).text, number(None).text
    ('480,189', '2.25', '–')
    """
    if value is None or pd.isna(value):
        return HtmlCell("–", "")
    if float(value).is_integer():
        return HtmlCell(f"{value:,.0f}", repr(float(value)))
    small = 0 < abs(value) < 0.01
    return HtmlCell(f"{value:.2g}" if small else f"{value:,.2f}", repr(float(value)))


def percent(value: Any, digits: int = 0) -> HtmlCell:
    """Set a share.

    Parameters
    ----------
    digits : int
        Significant ones; 0: one decimal place, or two significant ones of a tiny share, and of
        what a share lacks to be all: only none is 0.0%, and only all are 100.0%.

    Examples
    --------
    >>> percent(0.683).text, percent(0.0112, digits=4).text, percent(2.1e-6).text
    ('68.3%', '1.12%', '0.00021%')
    >>> percent(1.0).text, percent(1 - 2.1e-6).text
    ('100.0%', '99.99979%')
    """
    if value is None or pd.isna(value):
        return HtmlCell("–", "")
    if digits:
        text = f"{100 * value:.{digits}g}"
    elif 0 < value <= _TINY:
        text = f"{100 * value:.2g}"
    elif 1 - _TINY <= value < 1:
        # Decimal: the difference of floats would show more digits than it has.
        text = f"{100 - Decimal(f'{100 * (1 - value):.2g}'):f}"
    else:
        text = f"{100 * value:.1f}"
    return HtmlCell(f"{text}%", repr(float(value)))


def percents(value: float, low: float, high: float) -> tuple[str, str, str]:
    """Write a share and the ends of its interval, without percent signs.

    Returns
    -------
    tuple of str
        As `percent`; but an end may be rounded outwards, to 0.0 or to 100.0, unless the share
        itself is as close.

    Examples
    --------
    >>> percents(0.001, 0.00018, 0.0056), percents(0.0002, 0.00018, 0.00023)
    (('0.1', '0.0', '0.6'), ('0.02', '0.018', '0.023'))
    >>> percents(0.0, 0.0, 8e-6), percents(0.999, 0.994, 0.99982)
    (('0.0', '0.0', '0.0008'), ('99.9', '99.4', '100.0'))
    """
    exact_low = value <= _TINY or low >= 1 - _TINY
    exact_high = value >= 1 - _TINY or high <= _TINY
    ends = ((low, exact_low), (high, exact_high))
    texts = [percent(end).text[:-1] if exact else f"{100 * end:.1f}" for end, exact in ends]
    return percent(value).text[:-1], texts[0], texts[1]


def measured(row: Mapping[Any, Any], name: str, *, share: bool) -> HtmlCell:
    """Set a measure with its interval, if it has one.

    Examples
    --------
    >>> measured({"bits": 2.5, "bits_low": 2.0, "bits_high": 3.0}, "bits", share=False).text
    '2.50 [2–3]'
    """
    put = percent if share else number
    cell = put(row[name])
    low, high = (row.get(f"{name}{end}") for end in _ENDS)
    if cell.sort == "" or low is None or high is None or pd.isna(low) or pd.isna(high):
        return cell
    if share:
        text, *ends = (f"{text}%" for text in percents(row[name], low, high))
    else:
        text, *ends = (put(value).text for value in (row[name], low, high))
    return HtmlCell(f"{text} [{'–'.join(ends)}]", cell.sort)


def plain(rows: Iterable[Sequence[str]]) -> list[list[HtmlCell]]:
    """Set rows of text.

    Examples
    --------
    >>> plain([["a", "b"]])[0][1].text
    'b'
    """
    return [[HtmlCell(text, text) for text in row] for row in rows]


def _is_share(frame: pd.DataFrame, name: str) -> bool:
    """Fractions from 0 to 1 are shares, but for what is known to be measured otherwise."""
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
    """What a level is sorted by: numbers as numbers; what is not known comes last."""
    if value is None or pd.isna(value):
        return ""
    return repr(float(value)) if isinstance(value, (int, float, np.number)) else str(value)
