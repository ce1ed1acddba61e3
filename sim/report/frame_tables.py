"""Tables of data frames: the curves of an attack, and any small table of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_estimate, format_number, format_percent
from sim.papers.statements import NUMBERS
from sim.report.table import Table
from sim.study.labels import axis_head, level_short, level_text, tick_words

_PRIVATE = frozenset({"target", "record", "person", "best", "nearest", "user", "place"})
"""Columns of tables about single people."""

_ENDS = ("_low", "_high")
_PERCENT = frozenset({"eligible", *(n.measure for n in NUMBERS if n.unit == "share")})

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

_NOTE = (
    "Shares are of the targets: all eligible records or people, or a sample of them. Eligible is "
    "the share of all records or people that have enough facts to be a target. Estimates have 95% "
    "intervals."
)
_PRESENT = "Measures that need the right record are shares of the targets in the release."


def curve_tables(curves: pd.DataFrame) -> list[Table]:
    """Return the main columns of an attack's curves, a table for each group of measures.

    Examples
    --------
    >>> rates = {"rank1": [0.683], "rank1_low": [0.65], "rank1_high": [0.71]}
    >>> counts = {"n_targets": [9], "n_present": [9], "n_eligible": [20], "eligible": [0.5]}
    >>> table, = curve_tables(pd.DataFrame({"cell": [0], "aux": ["2/2"], **counts, **rates}))
    >>> table.rows
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
        shares = {name: name != "phi_star" and group is not _BITS for name in names}
        rows = [
            [
                *place.values(),
                *(format_number(row[name]) for name in counts.values()),
                format_percent(row["eligible"]),
                *(format_estimate(row, name, share=share) for name, share in shares.items()),
            ]
            for row, place in zip(row_dicts(curves), places, strict=True)
        ]
        heads = [*places[0], *counts, "eligible", *(group[name] for name in names)]
        tables.append(Table(heads, rows, caption, note))
    return tables


def places_of(curves: pd.DataFrame) -> list[dict[str, str]]:
    """Return the levels of grid cells on the axes that tell them apart, by heads of columns.

    Examples
    --------
    >>> places_of(pd.DataFrame({"aux": ["2/2", "6/8"], "value_noise": 0}))[1]
    {'facts right': '6 of 8'}
    """
    axes = axis_columns(curves)
    varying = [axis for axis in axes if curves[axis].nunique(dropna=False) > 1] or list(axes[:1])
    return [
        {axis_head(axis, report=True): _place(axis, row[axis]) for axis in varying}
        for row in row_dicts(curves)
    ]


def _place(axis: str, level: Any) -> str:
    if axis == "aux":
        return tick_words(axis, level)
    return level_short(axis, level).replace(" ", "\N{NO-BREAK SPACE}")


def frame_table(frame: pd.DataFrame, caption: str, heads: Mapping[str, str] | None = None) -> Table:
    """Return any small table, with intervals in the cells of their estimates.

    Parameters
    ----------
    heads : dict of str to str, optional
        Words for columns.

    Examples
    --------
    >>> frame = pd.DataFrame({"data": ["values"], "p": [0.5], "p_low": [0.4], "p_high": [0.6]})
    >>> frame_table(frame, "Any").rows
    [['values', '50.0% [40.0%–60.0%]']]
    """
    ends = {f"{name}{end}" for name in frame.columns for end in _ENDS}
    names = [str(n) for n in frame.columns if n not in ends and frame[n].notna().any()]
    shares = {name: _is_share(frame, name) for name in names if _is_number(frame[name])}
    rows = [
        [
            format_estimate(row, name, share=shares[name])
            if name in shares
            else level_text(row[name])
            for name in names
        ]
        for row in row_dicts(frame)
    ]
    known = {**_RATES, **_DEPTHS, **_BITS, **(heads or {})}
    return Table([known.get(name, name.replace("_", " ")) for name in names], rows, caption)


def is_about_people(frame: pd.DataFrame) -> bool:
    """Whether a table has a row per person, or identifiers of people.

    Examples
    --------
    >>> is_about_people(pd.DataFrame({"target": [1]})), is_about_people(pd.DataFrame({"k1": [1]}))
    (True, False)
    """
    return not _PRIVATE.isdisjoint(map(str, frame.columns))


def _is_number(column: pd.Series[Any]) -> bool:
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def _is_share(frame: pd.DataFrame, name: str) -> bool:
    """Whether a column holds shares: fractions from 0 to 1 of a measure without another unit."""
    if not pd.api.types.is_float_dtype(frame[name]) or name.startswith(_NO_SHARES):
        return False
    values = frame[name].dropna().to_numpy(np.float64)
    if values.min() < 0 or values.max() > 1:
        return False
    return name in _PERCENT or f"{name}_low" in frame or bool((values % 1 != 0).any())
