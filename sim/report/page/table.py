"""Curves as a plain table for the terminal.

Invariant: every grid cell has a line, no line is wider than the given width, and the notes below
the table state what makes a number doubtful (σ = 0, a tied top, aux items not released).
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

import pandas as pd

from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_decimals, format_percent, percents, quantity
from sim.report.population import populations_text
from sim.report.text_table import aligned
from sim.study.labels import axis_head, has_effect, is_informative, level_short, level_words

_HEADS = {
    "rank1": ("best guess right", "guess"),
    "matched_right": ("matched, right", "right"),
    "matched_wrong": ("matched, wrong", "wrong"),
    "no_match": ("no match", "none"),
    "mu_1": ("0 or 1 fit", "0–1"),
    "bits": ("bits left", "bits"),
}
"""Head of each measure, in full and short."""

_BRIEFLY = (
    "guess: best guess right; right, wrong, none: matched and right, matched and wrong, no match; "
    "0–1: no record fits, or one"
)

_INTERVALS = (
    ("rank1", "matched_right", "matched_wrong", "no_match", "mu_1", "bits"),
    ("rank1", "matched_right", "matched_wrong", "mu_1", "bits"),
    ("rank1", "matched_right", "mu_1", "bits"),
    ("rank1", "matched_right"),
    (),
)
"""Measures that are printed with their interval: the first of these that is narrow enough."""

_Column = tuple[str, list[str]]


def curve_table(
    curves: pd.DataFrame, width: int = 100, config: Mapping[str, Any] | None = None
) -> str:
    """Format curves as an aligned table.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    width : int
        Columns of the terminal, at least 60.
    config : Mapping, optional
        As in ``run.json``; names the population.

    Returns
    -------
    str
        Percentages, with 95% intervals where there is room: ``68.3 [65.4–71.1]``, a dash where a
        measure does not apply; the share of targets with at most one matching record, if the
        attack answers with a set, and the mean entropy, if it was measured. The levels that all
        cells share and the population stand above the table. No newline at the end.

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> rates = {"rank1": 0.683, "matched_right": 0.25, "matched_wrong": 0.01, "no_match": 0.74}
    >>> lows = {f"{name}_low": rate - 0.01 for name, rate in rates.items()}
    >>> highs = {f"{name}_high": rate + 0.01 for name, rate in rates.items()}
    >>> facts = {"n_targets": 1000, "n_present": 1000, "n_eligible": 20_000, "eligible": 1.0}
    >>> doubts = {"sigma_zero": 0, "tied_top": 3, "absent_items": 0}
    >>> cell = {"cell": 0, "aux": "2/2", **facts, **rates, **lows, **highs, **doubts}
    >>> print(curve_table(pd.DataFrame([cell, cell | {"cell": 1, "aux": "6/8"}]), width=70))
    % [95% interval] of all 20,000 records (1,000 sampled)
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
    constant = [(axis, curves[axis].iloc[0]) for axis in axes if axis not in varying]
    cells = row_dicts(curves)
    same = [
        level_words(axis, level)
        for axis, level in constant
        if is_informative(axis, level) and any(has_effect(axis, cell) for cell in cells)
    ]
    facts = []
    if curves["n_targets"].nunique() > 1:
        facts.append(("targets", [f"{n:,}" for n in curves["n_targets"]]))
    if _in_part(curves):
        facts.append(("present", [f"{n:,}" for n in curves["n_present"]]))
    if curves["eligible"].nunique() > 1:
        facts.append(("eligible", [_share(share) for share in curves["eligible"]]))

    lines = _narrow_enough(curves, [*names, *facts], width)
    if len(lines[0]) > width:
        lines = _below(curves, varying, _narrow_enough(curves, facts, width), width)
    shares = f"% [95% interval] of {populations_text(curves, config)}"
    above = "; ".join([*([", ".join(same)] if same else []), shares])
    briefly = wrap(_BRIEFLY, width) if _HEADS["no_match"][1] in lines[0].split() else []
    return "\n".join([*wrap(above, width), *briefly, *lines, *_doubts(curves, width)])


def _narrow_enough(curves: pd.DataFrame, first: list[_Column], width: int) -> list[str]:
    """Append the measures to the given columns, in the fullest layout that fits."""
    layouts = [*((kept, False) for kept in _INTERVALS), ((), True)]
    rows = (_lines([*first, *_rates(curves, *layout)]) for layout in layouts)
    lines: list[str] = []
    for lines in rows:
        if len(lines[0]) <= width:
            break
    return lines


def _below(curves: pd.DataFrame, varying: list[str], numbers: list[str], width: int) -> list[str]:
    """Format a grid with too many axes: the levels of each cell stand above its numbers."""
    lines = [numbers[0]]
    for place, line in enumerate(numbers[1:]):
        words = [level_words(axis, curves[axis].iloc[place]) for axis in varying]
        lines += [*wrap(", ".join(words), width), line]
    return lines


def _rates(curves: pd.DataFrame, bracketed: tuple[str, ...], brief: bool) -> list[_Column]:
    """Return the measures of all cells, shares in percent, some with their intervals."""
    columns = []
    for name, heads in _HEADS.items():
        if name not in curves or curves[name].isna().all():
            continue
        put, put_all = (_number, _numbers) if name == "bits" else (_share, percents)
        entries = [put(value) for value in curves[name]]
        if name in bracketed:
            numbers = curves[[f"{name}{end}" for end in ("", "_low", "_high")]].to_numpy(float)
            for place, (value, low, high) in enumerate(numbers.tolist()):
                if not pd.isna(low):
                    entries[place], *ends = put_all(value, low, high)
                    entries[place] += f" [{'–'.join(ends)}]"
        columns.append((heads[brief], entries))
    return columns


def _number(value: float) -> str:
    return "–" if pd.isna(value) else format_decimals(value, 1)


def _numbers(value: float, low: float, high: float) -> tuple[str, str, str]:
    return _number(value), _number(low), _number(high)


def _share(value: float) -> str:
    return format_percent(value).removesuffix("%")


def _in_part(curves: pd.DataFrame) -> bool:
    """Whether the release holds only some of a cell's targets."""
    return bool(curves["n_present"].between(0, curves["n_targets"], inclusive="neither").any())


def _lines(columns: list[_Column]) -> list[str]:
    """Align columns to the right, heads included."""
    return aligned(list(zip(*([head, *entries] for head, entries in columns), strict=True)))


def _doubts(curves: pd.DataFrame, width: int) -> list[str]:
    """Return the counts that make a number doubtful, summed over the cells."""
    names = ("sigma_zero", "tied_top", "absent_items", "not_candidate")
    zero, tied, absent, out = (int(curves[name].sum()) if name in curves else 0 for name in names)
    decisions = f"of {int(curves['n_targets'].sum()):,} decisions"
    words = [
        *(["best guess right: share of the targets in the release"] if _in_part(curves) else []),
        *([f"{tied:,} {decisions} with a tied top"] if tied else []),
        *([f"{zero:,} {decisions} with σ = 0"] if zero else []),
        *([f"{out:,} {decisions} about a target that is not a candidate"] if out else []),
        *([f"{quantity(absent, 'aux item')} not in the release"] if absent else []),
    ]
    return wrap("; ".join(words), width)
