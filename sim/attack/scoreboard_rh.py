"""Scoreboard-RH: weighted similarity over the aux, decided by eccentricity (NS08 §4–5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.attack.decisions import Decisions, SigmaOver, decide
from sim.attack.kernels import scan_block, target_scores
from sim.attack.partials import Partials
from sim.attack.similarity import ScanTables, Similarity
from sim.release.store import Store

WeightForm = Literal["log", "log1p"]


def weights(
    support: NDArray[np.int64], item: NDArray[np.int32], form: WeightForm
) -> NDArray[np.float64]:
    """Weight of each fact's item, rarer items weighing more.

    Parameters
    ----------
    support : int64 array, shape (M,)
        In the release under attack.
    item : int32 array, shape (A,)
        −1 for an item the release does not hold.
    form : {"log", "log1p"}
        1/ln(max(support, 2)), or 1/ln(support + 1).

    Returns
    -------
    float64 array, shape (A,)
        0 for an item the release does not hold.

    Examples
    --------
    >>> weights(np.array([1, 100]), np.array([0, 1, -1]), "log").round(4).tolist()
    [1.4427, 0.2171, 0.0]
    """
    held = (item >= 0) & (support[item] > 0)
    n = np.where(held, support[item], 2).astype(np.float64)
    log = np.log(np.maximum(n, 2)) if form == "log" else np.log(n + 1)
    return np.where(held, 1 / log, 0.0)


@dataclass(frozen=True, slots=True)
class ScoreboardRH:
    """Score(r′) = Σ_i wt(i)·Sim(aux_i, r′_i); match iff (max − max2)/σ > φ (NS08 §4–5).

    Parameters
    ----------
    similarity : Similarity
    phi : float
        Match iff the eccentricity exceeds it.
    sigma : {"all", "nonzero"}
        Which candidates σ ranges over.
    weight : {"log", "log1p"}
    """

    similarity: Similarity
    phi: float = 1.5
    sigma: SigmaOver = "all"
    weight: WeightForm = "log"

    def tables(self, store: Store, aux: AuxBatch) -> ScanTables:
        """Contribution of every fact to the score of a record that holds its item."""
        return self.similarity.tables(store, aux, weights(store.support, aux.item, self.weight))

    def score(self, store: Store, blocks: list[int], aux: AuxBatch) -> dict[int, Partials]:
        """Score some blocks of the release.

        Parameters
        ----------
        store : Store
        blocks : list of int
        aux : AuxBatch
            U units.

        Returns
        -------
        dict of int to PARTIAL array, shape (U,)
            By block.
        """
        tables = self.tables(store, aux)
        own = target_scores(aux, tables)
        return {index: scan_block(store.block(index), aux, tables, own) for index in blocks}

    def decide(self, store: Store, whole: Partials, aux: AuxBatch) -> Decisions:
        """Decide, given the partials of the whole release."""
        own = target_scores(aux, self.tables(store, aux))
        return decide(whole, aux.target, own, phi=self.phi, sigma_over=self.sigma)
