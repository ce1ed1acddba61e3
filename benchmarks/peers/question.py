"""The best guess as a question to a library: a table sorted by item, facts, and what is asked.

Invariant: every formulation answers with the same four columns, one row a target, in the order of
the targets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.numpy_scan import Columns
from sim.adversary.aux import Aux
from sim.release.store.store import Store

RHO0, D0 = 1.5, 30.0
"""NS08 §5, and our default."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Results for U targets.

    Parameters
    ----------
    best, second, sigma : float64 arrays, shape (U,)
        The two highest scores, and their standard deviation over all records.
    best_record : int64 array, shape (U,)
    """

    best: NDArray[np.float64]
    second: NDArray[np.float64]
    sigma: NDArray[np.float64]
    best_record: NDArray[np.int64]

    @staticmethod
    def of(rows: Any, n_records: int) -> Answers:
        """From rows of best, second, record, Σ and Σ² of the scores, sorted by target."""
        best, second, record, summed, squares = (np.array(c) for c in zip(*rows, strict=True))
        mean = summed / n_records
        spread = np.sqrt(np.maximum(squares / n_records - mean**2, 0.0))
        return Answers(best, second, spread, record.astype(np.int64))

    def agrees(self, other: Answers) -> bool:
        """Whether two answers agree, up to the rounding of sums in another order."""
        return bool(
            (self.best_record == other.best_record).all()
            and np.allclose(self.best, other.best, rtol=1e-9)
            and np.allclose(self.second, other.second, rtol=1e-9)
            and np.allclose(self.sigma, other.sigma, rtol=1e-7)
        )


Formulations = Mapping[str, Callable[[], Answers]]
"""Ways to put the question to one library, by what they are."""


@dataclass(frozen=True, slots=True)
class Question:
    """Scoreboard-RH, best guess and moments, for a batch of targets.

    Parameters
    ----------
    start : int64 array, shape (n_items + 1,)
        Cells of item i are [start[i], start[i + 1]).
    cells : dict of str to array
        ``item``, ``record``, ``value``, ``day``, in the narrowest types; sorted by item.
    facts : dict of str to array
        ``unit``, ``item``, ``value``, ``day``, ``weight``; sorted by unit.
    """

    n_records: int
    start: NDArray[np.int64]
    cells: dict[str, NDArray[Any]]
    facts: dict[str, NDArray[Any]]

    @property
    def n_units(self) -> int:
        """Targets."""
        return int(self.facts["unit"].max()) + 1

    @staticmethod
    def of(store: Store, aux: Aux) -> Question:
        """Return a question about a release with integer values and nothing missing."""
        columns, m = Columns.of(store), store.manifest
        if m.missing_days or (store.scale % 1).any():
            raise ValueError("a release without missing days, of whole values, was expected")
        cells = {
            "item": np.repeat(np.arange(m.n_items, dtype=np.int32), store.support),
            "record": columns.row.astype(np.int32),
            "value": store.scale.astype(np.uint8)[columns.level],
            "day": columns.day,
        }
        weight = np.array([1.0 / math.log(max(n, 2)) for n in store.support[aux.item].tolist()])
        facts: dict[str, NDArray[Any]] = {
            "unit": aux.unit.astype(np.int32),
            "item": aux.item,
            "value": aux.value,
            "day": aux.day,
            "weight": weight,
        }
        return Question(m.n_records, columns.start, cells, facts)

    def of_unit(self, unit: int) -> dict[str, NDArray[Any]]:
        """The facts about one target."""
        begin, end = np.searchsorted(self.facts["unit"], [unit, unit + 1])
        return {name: column[begin:end] for name, column in self.facts.items()}
