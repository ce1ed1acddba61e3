"""The decisions about the targets of grid cells that differ only in the draw of facts.

Invariant: all draws are about the same people, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.numeric import exp2

_COLUMNS = [
    *("cell", "target", "present", "matched", "correct", "true_rank", "above", "ties", "posterior"),
    "entropy_bits",
]

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
Cells = Sequence[Mapping[Any, Any]]
"""Rows of ``curves.parquet`` that differ only in the draw of facts."""


Decisions = Callable[[Sequence[str], int | None], pa.Table]
"""Reads columns of the decisions of an attack, of all grid cells or of one."""


def decided_targets(decisions: Decisions, cells: Cells) -> list[pd.DataFrame]:
    """Read the decisions of grid cells about the same targets, in the same order.

    Raises
    ------
    InputError
        They cannot be read, or contradict the curves or each other.
    """
    found = [_read(decisions, cell) for cell in cells]
    people = [rows[["target", "present"]].reset_index(drop=True) for rows in found]
    if not all(one.equals(people[0]) for one in people):
        raise InputError("the draws of facts are not about the same people; run the audit again")
    return found


def _read(decisions: Decisions, cell: Mapping[Any, Any]) -> pd.DataFrame:
    number = int(cell["cell"])
    rows: pd.DataFrame = decisions(_COLUMNS, number).to_pandas()
    if len(rows) != int(cell["n_targets"]):
        raise InputError(
            f"decisions.parquet: has {len(rows):,} targets in grid cell {number}, and "
            f"curves.parquet {int(cell['n_targets']):,}; run the audit again"
        )
    return rows


def each_draw(found: Sequence[pd.DataFrame], what: Callable[[pd.DataFrame], Any]) -> Any:
    """Return what holds of every draw and target, shape (draws, targets)."""
    return np.stack([what(rows) for rows in found])


def is_true(rows: pd.DataFrame, name: str) -> Truths:
    """Whether a column is true; where it is not known, it is not."""
    return rows[name].astype("boolean").fillna(False).to_numpy(np.bool_)


def is_absent(rows: pd.DataFrame) -> Truths:
    """Whether it is known that a target is not in the release."""
    return ~is_true(rows, "present") & rows["present"].notna().to_numpy(np.bool_)


def chance_right(rows: pd.DataFrame) -> Floats:
    """Return the chance that the best guess is right: own/t where t records are at the top."""
    rank, above, ties = (
        rows[name].to_numpy(np.float64, na_value=0.0) for name in ("true_rank", "above", "ties")
    )
    own = ties - rank + 1  # of several own records, the rank counts one
    return np.where((rank > 0) & (above == 0), own / np.maximum(ties, 1), 0.0)


def likeliest(rows: pd.DataFrame) -> Floats:
    """Return the highest posterior of a record, for each target."""
    return np.asarray(rows["posterior"].to_numpy(np.float64, na_value=0.0))


def is_named(rows: pd.DataFrame, confidence: float) -> Truths:
    """Whether the attacker names a record: one alone has the highest posterior, and enough."""
    return np.asarray((rows["ties"].to_numpy() == 1) & (likeliest(rows) >= confidence))


def own_posterior(cell: Mapping[Any, Any], rows: pd.DataFrame) -> Floats:
    """Return the posteriors of the targets' own records.

    Raises
    ------
    InputError
        The entropy of a target is missing.
    """
    bits = rows["entropy_bits"].to_numpy(np.float64, na_value=np.nan)
    if np.isnan(bits).any():
        raise InputError(
            f"decisions.parquet: grid cell {cell['cell']} lacks the entropy of a target"
        )
    return exp2(-bits)
