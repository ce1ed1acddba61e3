"""Scoreboard-RH: weighted similarity over the aux, decided by eccentricity (NS08 §4–5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.adversary.aux import AuxBatch
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Base2, Similarity
from sim.attack.engine.weights import WeightForm, rarity, supports
from sim.attack.kernels.scan import Finish, Scan
from sim.release.store.store import Store


@dataclass(frozen=True, kw_only=True)
class ScoreboardRH(Algorithm):
    """Score(r′) = Σ_i wt(i)·Sim(aux_i, r′_i); match iff (max − max2)/σ > φ.

    Parameters
    ----------
    similarity : Similarity
    weight : {"log", "log1p", "none"}
        wt(i) = 1/ln(max(|supp(i)|, 2)), or 1/ln(|supp(i)| + 1), or 1.
    """

    name: ClassVar[str] = "scoreboard_rh"
    source: ClassVar[str] = "NS08 §4–5"

    similarity: Similarity
    weight: WeightForm = "log"

    @property
    def grows(self) -> bool:
        """See `Algorithm.grows`."""
        by = self.similarity
        return not isinstance(by, Base2) or min(by.alpha, by.beta, by.gamma) >= 0

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        weight = rarity(supports(store, aux), self.weight)
        return Scan(self.similarity.gains(store, aux, weight), Finish.SUM, np.zeros(len(aux)))
