"""The measures of one grid cell's decisions, independent of the batches they come in.

Invariant: a cell's row depends on the set of its decisions only, never on their order or on how
they were cut into batches: 480,189 targets added batch by batch give bit for bit the row of the
whole frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.errors import GridError
from sim.metrics import baselines, entropies, identification, neighbourhoods, outcomes
from sim.metrics import reliability as reliable
from sim.metrics import theta as thetas
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.decision_arrays import DecisionArrays, concatenated, decision_arrays
from sim.metrics.phi import COLUMNS as PAIRED
from sim.numeric.columns import unmeasured

FACTS = ("eligible", "n_eligible", "absent_items")
"""The columns of a cell's description apart from its number and axes."""

RELEASED = ("n_released", "n_eligible_released")
"""Further ones, where the release was made from the data that facts are drawn from: subjects who
have a record in it, and those of them who are eligible."""

NO_WRONG_ITEM = ("n_no_wrong_item", "n_no_wrong_item_released")
"""Further ones, where there are such subjects: with enough facts, but so many items that too few
are left for the wrong facts; and those of them who have a record in the release, where that was
made from the data that facts are drawn from."""

OPTIONAL = (*RELEASED, *NO_WRONG_ITEM)
"""The columns of a cell's description that not every run has."""


def cell_name(cell: Mapping[str, Any]) -> str:
    """Name a grid cell for people.

    Parameters
    ----------
    cell : Mapping
        ``cell`` (its number) and the value of each grid axis.

    Examples
    --------
    >>> cell_name({"cell": 3, "aux": "6/8", "date_noise": None})
    'grid cell 3 (aux=6/8 date_noise=null)'
    """
    axes = [
        f"{name}={'null' if value is None else value}"
        for name, value in cell.items()
        if name not in ("cell", *FACTS, *OPTIONAL)
    ]
    return f"grid cell {cell['cell']}" + (f" ({' '.join(axes)})" if axes else "")


class CellCounts:
    """The decisions of one grid cell, gathered batch by batch, then measured.

    Parameters
    ----------
    cell : Mapping
        ``cell`` (its number) and the value of each grid axis, for messages.
    properties : AttackProperties
        Which measures apply.

    Examples
    --------
    >>> counts = CellCounts({"cell": 7, "aux": "8/8"}, AttackProperties(n_records=9, phi=1.5))
    >>> counts.row()
    Traceback (most recent call last):
    sim.errors.GridError: grid cell 7 (aux=8/8): no target was attacked; ...
    """

    __slots__ = ("_cell", "_parts", "_properties")

    def __init__(self, cell: Mapping[str, Any], properties: AttackProperties) -> None:
        self._cell = dict(cell)
        self._properties = properties
        self._parts: list[DecisionArrays] = []

    def add(self, decisions: pd.DataFrame) -> None:
        """Add some of the cell's decisions.

        Parameters
        ----------
        decisions : DataFrame
            DecisionArrays of ``decisions.parquet``, all of this cell, none of them added before.

        Raises
        ------
        GridError
            A score is NaN or infinite.
        ValueError
            A column is missing, or the rows contradict themselves or are another cell's.
        """
        name = cell_name(self._cell)
        if "cell" in decisions.columns and (decisions["cell"] != self._cell["cell"]).any():
            raise ValueError(f"another cell's decisions among those of {name}")
        if len(decisions):
            self._parts.append(decision_arrays(decisions, name, self._properties))

    def rows(self) -> DecisionArrays:
        """Return all that was added, in the order of the targets.

        Raises
        ------
        GridError
            No decision was added.
        """
        if not self._parts:
            raise GridError(
                f"{cell_name(self._cell)}: no target was attacked; ask for fewer aux items or a "
                "wider popularity range, so that some record is eligible"
            )
        return concatenated(self._parts)

    def row(self) -> dict[str, float]:
        """Return the cell's measures.

        Returns
        -------
        dict
            See `measured`.

        Raises
        ------
        GridError
            No decision was added.
        """
        return measured(self.rows(), self._properties)


def measured(rows: DecisionArrays, properties: AttackProperties) -> dict[str, float]:
    """Measure a cell.

    Parameters
    ----------
    rows : DecisionArrays
        In the order of their targets, at least one.

    Returns
    -------
    dict
        Of all columns of ``curves.parquet`` but the axes and `FACTS`; NaN
        where a measure does not apply. Those that need a second cell are NaN too.
    """
    return {
        **outcomes.outcomes(rows),
        **identification.identification(rows, properties),
        **thetas.thetas(rows),
        **neighbourhoods.neighbourhoods(rows, properties),
        **entropies.entropies(rows, properties),
        **reliable.claimed(rows),
        **baselines.baselines(rows),
        **unmeasured(PAIRED),
    }
