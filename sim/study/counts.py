"""What is kept of one grid cell's decisions, batch by batch.

Invariant: all that is kept are integers, so a cell's row depends on the set of its decisions only,
never on their order or on how they were cut into batches: 480,189 targets counted batch by batch
give bit for bit the row of the whole frame.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.errors import GridError
from sim.study.intervals import wilson

PROPORTIONS = ("rank1", "matched_right", "matched_wrong", "no_match")
"""The measured proportions, each with a ``_low`` and a ``_high`` column beside it."""

FACTS = ("eligible", "absent_items")
"""What a cell's description holds besides its number and its axes."""

_NEEDED = (
    *("best_score", "second_score", "sigma", "eccentricity"),
    *("matched", "correct", "target_score", "rank", "ties"),
)


def cell_name(cell: Mapping[str, Any]) -> str:
    """Name a grid cell for people.

    Parameters
    ----------
    cell : Mapping
        ``cell`` (its number) and the value of each grid axis.

    Returns
    -------
    str

    Examples
    --------
    >>> cell_name({"cell": 3, "aux": "6/8", "date_noise": None})
    'grid cell 3 (aux=6/8 date_noise=null)'
    """
    axes = [
        f"{name}={'null' if value is None else value}"
        for name, value in cell.items()
        if name not in ("cell", *FACTS)
    ]
    return f"grid cell {cell['cell']}" + (f" ({' '.join(axes)})" if axes else "")


class CellCounts:
    """What is kept of one grid cell's decisions: integers, whatever the number of targets.

    Parameters
    ----------
    cell : Mapping
        ``cell`` (its number) and the value of each grid axis, for messages.
    phi : float or None
        A target is matched iff its eccentricity is above this (NS08, section 5). None takes the
        decisions' own ``matched`` column, for attacks whose rule is not about eccentricity.

    Examples
    --------
    >>> decisions = pd.DataFrame(
    ...     {"cell": 0, "best_score": [2.0, 2.0], "second_score": [1.0, 2.0], "sigma": 0.5,
    ...      "eccentricity": [2.0, 0.0], "matched": [True, False], "correct": [True, False],
    ...      "target_score": 2.0, "rank": [1, 2], "ties": [1, 2]})
    >>> counts = CellCounts({"cell": 0, "aux": "2/2"}, phi=1.5)
    >>> counts.add(decisions)
    >>> row = counts.row()
    >>> row["n_targets"], row["rank1"], row["matched_right"], row["tied_top"]
    (2, 0.75, 0.5, 1)
    """

    __slots__ = ("_cell", "_matched", "_phi", "_right", "_targets", "_tied", "_top", "_zero")

    def __init__(self, cell: Mapping[str, Any], phi: float | None) -> None:
        self._cell = dict(cell)
        self._phi = phi
        self._targets = self._matched = self._right = self._zero = self._tied = 0
        # How many targets stand at the top with 1, 2, ... records. Their Σ 1/ties is taken at the
        # end: a running sum would depend on the batches.
        self._top: Counter[int] = Counter()

    def add(self, decisions: pd.DataFrame) -> None:
        """Count some of the cell's decisions.

        Parameters
        ----------
        decisions : DataFrame
            Rows of ``decisions.parquet``, all of this cell, none of them added before.

        Raises
        ------
        GridError
            A score is NaN or infinite.
        ValueError
            A column is missing, or the rows contradict themselves or are another cell's.
        """
        missing = [name for name in _NEEDED if name not in decisions.columns]
        if missing:
            raise ValueError(f"decisions lack {', '.join(missing)}")
        if "cell" in decisions.columns and (decisions["cell"] != self._cell["cell"]).any():
            raise ValueError(f"another cell's decisions among those of {cell_name(self._cell)}")
        sigma = self._finite(decisions, "sigma")
        for name in ("best_score", "target_score"):
            self._finite(decisions, name)
        # One candidate has no second score and no eccentricity; it has σ = 0 as well, so that
        # where σ > 0 a missing one is a NaN.
        self._finite(decisions, "second_score", needed=sigma > 0)
        eccentricity = self._finite(decisions, "eccentricity", needed=sigma > 0)
        rank = decisions["rank"].to_numpy(np.int64)
        ties = decisions["ties"].to_numpy(np.int64)
        if ((ties < 1) | (rank < ties)).any():
            raise ValueError(f"{cell_name(self._cell)}: rank and ties contradict each other")
        if self._phi is None:
            matched = decisions["matched"].to_numpy(np.bool_)
        else:
            matched = (eccentricity > self._phi) & (sigma > 0)
        correct = decisions["correct"].to_numpy(np.bool_)

        self._targets += len(decisions)
        self._matched += int(np.count_nonzero(matched))
        self._right += int(np.count_nonzero(matched & correct))
        self._zero += int(np.count_nonzero(sigma == 0))
        self._tied += int(np.count_nonzero(ties > 1))
        levels, numbers = np.unique(ties[rank == ties], return_counts=True)
        self._top.update(dict(zip(levels.tolist(), numbers.tolist(), strict=True)))

    def row(self) -> dict[str, float | int]:
        """Return the cell's proportions, intervals and counts.

        Returns
        -------
        dict
            ``n_targets``; each of `PROPORTIONS`, its ``_low`` and its ``_high`` (Wilson, 95%);
            ``sigma_zero`` and ``tied_top``.

        Raises
        ------
        GridError
            No decision was added.
        """
        n = self._targets
        if n == 0:
            raise GridError(
                f"{cell_name(self._cell)}: no target was attacked; ask for fewer aux items or a "
                "wider popularity range, so that some record is eligible"
            )
        successes = {
            "rank1": math.fsum(self._top[ties] / ties for ties in sorted(self._top)),
            "matched_right": self._right,
            "matched_wrong": self._matched - self._right,
            "no_match": n - self._matched,
        }
        row: dict[str, float | int] = {"n_targets": n}
        for name in PROPORTIONS:
            interval = wilson(successes[name], n)
            row[name] = successes[name] / n
            row[f"{name}_low"], row[f"{name}_high"] = interval.low, interval.high
        return {**row, "sigma_zero": self._zero, "tied_top": self._tied}

    def _finite(
        self, decisions: pd.DataFrame, column: str, needed: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Return a column as floats, NaN where it may be missing, all others finite."""
        values = decisions[column].to_numpy(np.float64, na_value=np.nan)
        bad = np.isinf(values) | (np.isnan(values) & (True if needed is None else needed))
        if bad.any():
            first = int(np.argmax(bad))
            target = decisions["target"].iloc[first] if "target" in decisions.columns else first
            raise GridError(
                f"{cell_name(self._cell)}: {column} of target {target} is {values[first]}, a "
                "finite number was expected; check the values and days of the release and the "
                "parameters of the attack"
            )
        return values
