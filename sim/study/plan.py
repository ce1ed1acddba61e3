"""Who is attacked in which grid cell, in which batches: fixed before any work is done.

Batches are cut from the ascending union of all cells' targets, by a size that depends on the
release and the grid alone; so a ledger written with two workers can be resumed with twenty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.adversary.targets import draw_targets
from sim.attack.algorithm import Algorithm
from sim.errors import GridError
from sim.release.store import Store
from sim.study.grid import GridCell

_POSTINGS_A_BATCH = 200e6  # a fraction of a second of scanning: far above a message's cost
_LEAST_BATCHES = 16  # so that several workers have work and an interruption costs little
_PARTIAL_BYTES_A_BATCH = 256 << 20
_TARGETS_A_BATCH = (16, 2048)


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a study.

    Parameters
    ----------
    cells : list of GridCell
    targets : list of int64 array
        Targets of each cell, ascending.
    eligible : list of int
        Eligible records of each cell.
    everyone : int64 array
        Union of all targets, ascending.
    batch_targets : int
        Targets in a batch; the last may hold fewer.
    seed : int
    """

    cells: list[GridCell]
    targets: list[NDArray[np.int64]]
    eligible: list[int]
    everyone: NDArray[np.int64]
    batch_targets: int
    seed: int

    @property
    def n_batches(self) -> int:
        """Number of batches."""
        return -(-self.everyone.size // self.batch_targets)

    @property
    def n_units(self) -> int:
        """Number of (cell, target) pairs."""
        return sum(t.size for t in self.targets)

    def draw(self, store: Store, batch: int) -> AuxBatch:
        """Draw the aux of one batch, cell by cell.

        Parameters
        ----------
        store : Store
        batch : int

        Returns
        -------
        AuxBatch
        """
        here = self.everyone[batch * self.batch_targets : (batch + 1) * self.batch_targets]
        parts = []
        for cell, targets in zip(self.cells, self.targets, strict=True):
            begin, end = np.searchsorted(targets, [here[0], here[-1] + 1])
            try:
                parts.append(cell.adversary.draw(store, cell.index, targets[begin:end], self.seed))
            except GridError as error:
                raise GridError(f"grid cell {cell.index}: {error}") from None
        return AuxBatch.concatenate(parts)


def make_plan(
    store: Store,
    cells: Sequence[GridCell],
    attack: Algorithm,
    n_targets: int | None,
    seed: int,
) -> Plan:
    """Choose the targets of every cell and cut them into batches.

    Parameters
    ----------
    store : Store
    cells : sequence of GridCell
    attack : Algorithm
        For the size of its partials.
    n_targets : int or None
        Targets per cell; None is every eligible record.
    seed : int

    Returns
    -------
    Plan

    Raises
    ------
    GridError
        A cell has no eligible target.
    """
    targets, eligible = [], []
    for cell in cells:
        able = cell.adversary.eligible(store)
        if not able.any():
            raise GridError(
                f"{cell}: no eligible target: no record has that many such items; "
                "ask for fewer facts or a wider popularity"
            )
        eligible.append(int(np.count_nonzero(able)))
        targets.append(draw_targets(able, n_targets, seed))
    everyone = np.unique(np.concatenate(targets))
    size = _batch_targets(store, cells, attack, everyone.size)
    return Plan(list(cells), targets, eligible, everyone, size, seed)


def postings_per_fact(store: Store) -> float:
    """Expected support of an item the adversary knows: that of a uniform cell of the release."""
    support = store.support.astype(np.float64)
    return float(support @ support / support.sum())


def _batch_targets(
    store: Store, cells: Sequence[GridCell], attack: Algorithm, n_targets: int
) -> int:
    facts = sum(cell.adversary.facts for cell in cells)
    by_cost = _POSTINGS_A_BATCH / (facts * postings_per_fact(store))
    by_cost = min(by_cost, n_targets / _LEAST_BATCHES)
    low, high = _TARGETS_A_BATCH
    partials = len(cells) * attack.partial_bytes(store) * store.manifest.n_blocks
    return max(1, min(int(np.clip(by_cost, low, high)), _PARTIAL_BYTES_A_BATCH // partials))
