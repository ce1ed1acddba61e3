"""From decisions to curves: one row of measures per grid cell.

Invariant: the frame depends on the set of the decisions only (see `sim.metrics.counts`), and its
columns and their types on the grid only, never on what was measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.metrics import (
    baselines,
    entropies,
    identification,
    neighbourhoods,
    outcomes,
    phi,
    reliability,
    theta,
)
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.counts import FACTS, OPTIONAL, CellCounts, cell_name, measured
from sim.metrics.phi import Eccentricities, eccentricities, equal_error, pairs

COUNTS = (*outcomes.COUNTS[:2], "absent_items", *outcomes.COUNTS[2:])
"""Counts that a reader must see: decisions with σ = 0, with a tied top, aux items not released,
targets that are no candidates."""

MEASURES = (
    *outcomes.COLUMNS[:2],
    *("n_eligible", "eligible"),
    *outcomes.COLUMNS[2:],
    *COUNTS,
    *identification.COLUMNS,
    *theta.COLUMNS,
    *neighbourhoods.COLUMNS,
    *entropies.COLUMNS,
    *reliability.COLUMNS,
    *baselines.COLUMNS,
    *phi.COLUMNS,
)
"""The columns of a curve frame after ``cell`` and the grid axes, in their order."""

_WHOLE = ("n_targets", "n_present", "n_eligible", *COUNTS)


def axis_columns(curves: pd.DataFrame) -> tuple[str, ...]:
    """Name the grid axes of a curve frame, in the grid's order.

    Parameters
    ----------
    curves : DataFrame
        As `curves` makes it.

    Examples
    --------
    >>> axis_columns(pd.DataFrame(columns=["cell", "aux", "date_noise", "n_targets", "rank1"]))
    ('aux', 'date_noise')
    """
    return tuple(str(name) for name in curves.columns if name not in ("cell", *MEASURES, *OPTIONAL))


def curve_row(
    decisions: pd.DataFrame, properties: AttackProperties, cell: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """Measure one grid cell whose decisions are all at hand.

    Parameters
    ----------
    decisions : DataFrame
        The cell's rows of ``decisions.parquet``.
    cell : Mapping, optional
        Names the cell in messages; by default the number in the first decision.

    Returns
    -------
    dict
        As `CellCounts.row`, and equal to it bit for bit.

    Raises
    ------
    GridError
        No decision, or a score that is NaN or infinite.

    Examples
    --------
    >>> curve_row(pd.DataFrame(), AttackProperties(n_records=9, phi=1.5), {"cell": 7, "aux": "8/8"})
    Traceback (most recent call last):
    sim.errors.GridError: grid cell 7 (aux=8/8): no target was attacked; ...
    """
    if cell is None:
        known = "cell" in decisions.columns and len(decisions) > 0
        cell = {"cell": int(decisions["cell"].iloc[0]) if known else "?"}
    counts = CellCounts(cell, properties)
    counts.add(decisions)
    return counts.row()


def curves(
    cells: Sequence[Mapping[str, Any]],
    decisions: Iterable[pd.DataFrame],
    properties: AttackProperties,
) -> pd.DataFrame:
    """Measure every cell of a grid.

    Parameters
    ----------
    cells : sequence of Mapping
        Per cell ``cell`` (its number), the value of each grid axis (None: no dates), ``eligible``
        (fraction of the records eligible), ``n_eligible`` (their number) and ``absent_items`` (aux
        items the release lacks); and those of `OPTIONAL` that it has.
    decisions : iterable of DataFrame
        Batches of ``decisions.parquet``, in any order, of one or several cells each.

    Returns
    -------
    DataFrame
        As ``curves.parquet``: one row per cell, in the order of `cells`.

    Raises
    ------
    GridError
        A cell without a decision, or with a score that is NaN or infinite.

    Examples
    --------
    >>> cell = {"cell": 0, "aux": "2/2", "eligible": 1.0, "n_eligible": 9, "absent_items": 0}
    >>> curves([cell], [], AttackProperties(n_records=9, phi=1.5))
    Traceback (most recent call last):
    sim.errors.GridError: grid cell 0 (aux=2/2): no target was attacked; ...
    """
    counts = {int(cell["cell"]): CellCounts(cell, properties) for cell in cells}
    for batch in decisions:
        for number in batch["cell"].unique().tolist():
            if number not in counts:
                raise ValueError(f"decisions of cell {number}, which the grid does not have")
            counts[number].add(batch[batch["cell"] == number])
    found = [counts[int(cell["cell"])].rows() for cell in cells]
    rows = [measured(rows, properties) for rows in found]
    return curve_frame(cells, with_equal_errors(cells, rows, [eccentricities(r) for r in found]))


def with_equal_errors(
    cells: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, float]],
    found: Sequence[Eccentricities],
) -> list[dict[str, float]]:
    """Add the equal-error φ* to the rows of cells that differ only in ``present``.

    Parameters
    ----------
    cells : sequence of Mapping
        As for `curves`.
    rows : sequence of Mapping
        One `measured` per cell.
    found : sequence of Eccentricities
        One per cell.
    """
    completed = [dict(row) for row in rows]
    known = [
        {key: v for key, v in cell.items() if key not in (*FACTS, *OPTIONAL)} for cell in cells
    ]
    for there, gone in pairs(known):
        if not found[there].known:
            continue  # the removed records are unknown
        crossing = equal_error(found[there], found[gone])
        for place in (there, gone):
            completed[place] |= {name: getattr(crossing, name) for name in phi.COLUMNS}
    return completed


def curve_frame(
    cells: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, float | int]]
) -> pd.DataFrame:
    """Combine the measures with the axes of their cells.

    Parameters
    ----------
    cells : sequence of Mapping
        As for `curves`.
    rows : sequence of Mapping
        One `sim.metrics.counts.measured` per cell, in the same order.

    Returns
    -------
    DataFrame
        Columns ``cell``, the axes, `MEASURES`, and those of `OPTIONAL` that the cells have. An axis
        of whole numbers is int64, or Int64 where some are missing; one of truths is bool or
        boolean; one that mixes numbers and text is text.

    Raises
    ------
    ValueError
        The cells disagree about their axes, or one lacks a fact of `counts.FACTS`.

    Examples
    --------
    >>> curve_frame([], []).columns[:3].tolist()
    ['cell', 'n_targets', 'n_present']
    """
    first = cells[0] if cells else {}
    axes = [name for name in first if name not in ("cell", *FACTS, *OPTIONAL)]
    facts = [*FACTS, *(name for name in OPTIONAL if name in first)]
    for cell in cells:
        if set(cell) != {"cell", *axes, *facts}:
            raise ValueError(f"{cell_name(cell)}: expected the keys cell, {axes} and {facts}")
    columns: dict[str, Any] = {"cell": np.array([cell["cell"] for cell in cells], np.int32)}
    for axis in axes:
        columns[axis] = _axis([cell[axis] for cell in cells])
    for name in (*MEASURES, *facts[len(FACTS) :]):
        source: Sequence[Mapping[str, Any]] = cells if name in facts else rows
        values = [entry[name] for entry in source]
        whole = name in (*_WHOLE, *OPTIONAL)
        columns[name] = np.array(values, np.int64 if whole else np.float64)
    return pd.DataFrame(columns)


def _axis(values: Sequence[Any]) -> Any:
    """Return an axis as a column of one type."""
    present = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in present):
        return pd.array([None if v is None else str(v) for v in values], dtype="string")
    if present and all(isinstance(value, (bool, np.bool_)) for value in present):
        missing = len(present) < len(values)
        return pd.array(list(values), "boolean") if missing else np.array(values, np.bool_)
    if all(isinstance(value, (int, np.integer)) for value in present):
        missing = len(present) < len(values)
        return pd.array(list(values), dtype="Int64") if missing else np.array(values, np.int64)
    return np.array([np.nan if v is None else v for v in values], np.float64)
