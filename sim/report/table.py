"""Curves as a plain table for the terminal.

Invariant: every cell of the grid has its line, no line is wider than asked for, and what makes a
number doubtful (σ = 0, a tied top, aux items not released) is said below the table.
"""

from __future__ import annotations

from textwrap import wrap

import pandas as pd

from sim.report.labels import axis_head, level_short, level_words
from sim.study.curves import axis_columns

_HEADS = {
    "rank1": "best guess right",
    "matched_right": "matched, right",
    "matched_wrong": "matched, wrong",
    "no_match": "no match",
}
_INTERVALS = (
    ("rank1", "matched_right", "matched_wrong", "no_match"),
    ("rank1", "matched_right", "matched_wrong"),
    ("rank1", "matched_right"),
    (),
)
"""Which proportions carry their interval: the first of these that is narrow enough."""

_Column = tuple[str, list[str]]


def curve_table(curves: pd.DataFrame, width: int = 100) -> str:
    """Set curves as an aligned table.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    width : int
        Columns of the terminal, at least 60.

    Returns
    -------
    str
        Percentages, with 95% intervals where there is room: ``68.3 [65.4–71.1]``. What is the
        same in all cells stands above the table. No newline at the end.

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> rates = {"rank1": 0.683, "matched_right": 0.25, "matched_wrong": 0.01, "no_match": 0.74}
    >>> lows = {f"{name}_low": rate - 0.01 for name, rate in rates.items()}
    >>> highs = {f"{name}_high": rate + 0.01 for name, rate in rates.items()}
    >>> facts = {"n_targets": 1000, "eligible": 1.0}
    >>> doubts = {"sigma_zero": 0, "tied_top": 3, "absent_items": 0}
    >>> cell = {"cell": 0, "aux": "2/2", **facts, **rates, **lows, **highs, **doubts}
    >>> print(curve_table(pd.DataFrame([cell, cell | {"cell": 1, "aux": "6/8"}]), width=70))
    1,000 targets a cell, 100% of records eligible; % [95% interval]
    aux  best guess right    matched, right  matched, wrong  no match
    2/2  68.3 [67.3–69.3]  25.0 [24.0–26.0]   1.0 [0.0–2.0]      74.0
    6/8  68.3 [67.3–69.3]  25.0 [24.0–26.0]   1.0 [0.0–2.0]      74.0
    6 of 2,000 decisions with a tied top
    """
    if curves.empty:
        raise ValueError("there is no curve to set as a table")
    axes = axis_columns(curves)
    varying = [axis for axis in axes if curves[axis].nunique(dropna=False) > 1]
    names = [
        (axis_head(axis), [level_short(axis, value) for value in curves[axis]]) for axis in varying
    ] or [("cell", [str(cell) for cell in curves["cell"]])]
    same = [level_words(axis, curves[axis].iloc[0]) for axis in axes if axis not in varying]
    facts = []
    targets, eligible = curves["n_targets"], 100 * curves["eligible"]
    if targets.nunique() == 1:
        same.append(f"{targets.iloc[0]:,} targets a cell")
    else:
        facts.append(("targets", [f"{n:,}" for n in targets]))
    if eligible.nunique() == 1:
        same.append(f"{eligible.iloc[0]:.4g}% of records eligible")
    else:
        facts.append(("eligible", [f"{share:.2f}" for share in eligible]))

    beside = [_lines([*names, *facts, *_rates(curves, kept)]) for kept in _INTERVALS]
    lines = next((lines for lines in beside if len(lines[0]) <= width), None)
    if lines is None:
        lines = _below(curves, varying, facts, width)
    above = "; ".join([*([", ".join(same)] if same else []), "% [95% interval]"])
    return "\n".join([*wrap(above, width), *lines, *_doubts(curves, width)])


def _below(curves: pd.DataFrame, varying: list[str], facts: list[_Column], width: int) -> list[str]:
    """Set a grid of too many axes: the levels of each cell stand above its numbers."""
    rows = [_lines([*facts, *_rates(curves, kept)]) for kept in _INTERVALS]
    numbers = next((lines for lines in rows if len(lines[0]) <= width), rows[-1])
    lines = [numbers[0]]
    for place, line in enumerate(numbers[1:]):
        words = [level_words(axis, curves[axis].iloc[place]) for axis in varying]
        lines += [*wrap(", ".join(words), width), line]
    return lines


def _rates(curves: pd.DataFrame, bracketed: tuple[str, ...]) -> list[_Column]:
    """Return the proportions of all cells in percent, some with their intervals."""
    columns = []
    for name, head in _HEADS.items():
        entries = [f"{100 * rate:.1f}" for rate in curves[name]]
        if name in bracketed:
            ends = zip(entries, curves[f"{name}_low"], curves[f"{name}_high"], strict=True)
            entries = [f"{rate} [{100 * low:.1f}–{100 * high:.1f}]" for rate, low, high in ends]
        columns.append((head, entries))
    return columns


def _lines(columns: list[_Column]) -> list[str]:
    """Align columns to the right, heads included."""
    widths = [max(map(len, [head, *entries])) for head, entries in columns]
    rows = zip(*([head, *entries] for head, entries in columns), strict=True)
    return ["  ".join(map(str.rjust, row, widths)) for row in rows]


def _doubts(curves: pd.DataFrame, width: int) -> list[str]:
    """Say what should not pass unseen, summed over the cells."""
    zero, tied, absent = (
        int(curves[name].sum()) for name in ("sigma_zero", "tied_top", "absent_items")
    )
    decisions = f"of {int(curves['n_targets'].sum()):,} decisions"
    said = [
        *([f"{tied:,} {decisions} with a tied top"] if tied else []),
        *([f"{zero:,} {decisions} with σ = 0"] if zero else []),
        *([f"{absent:,} aux items that the release does not hold"] if absent else []),
    ]
    return wrap("; ".join(said), width)
