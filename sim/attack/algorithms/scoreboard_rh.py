"""Scoreboard-RH: weighted similarity over the aux, decided by eccentricity (NS08 §4–5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.adversary.aux import Aux, Candidates
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import KINDS, Exponential, Similarity
from sim.attack.engine.view import ReleaseView
from sim.attack.engine.weights import WeightForm, rarity
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec
from sim.extend.options import option


@dataclass(frozen=True, kw_only=True)
class ScoreboardRH(Algorithm):
    """Score(r′) = Σ_i wt(i)·Sim(aux_i, r′_i); match iff (max − max2)/σ > φ."""

    name: ClassVar[str] = "scoreboard_rh"
    source: ClassVar[str] = "NS08 §4–5"
    label: ClassVar[str] = "Scoreboard-RH"
    summary: ClassVar[str] = (
        "Scoreboard-RH: similarities weighted by the rarity of the item (NS08 §4–5)"
    )

    similarity: Similarity = option(Exponential(), help="similarity of two cells", kinds=KINDS)
    weight: WeightForm = option(
        "log", help="weight of an item: 1/ln(max(support, 2)), 1/ln(support + 1), or 1"
    )

    @property
    def is_monotone(self) -> bool:
        """See `Algorithm.is_monotone`; no similarity is below 0."""
        return True

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        weight = rarity(release.support, self.weight)
        return ScoreSpec(
            self.similarity.contributions(release, aux, weight), ScoreForm.SUM, np.zeros(len(aux))
        )
