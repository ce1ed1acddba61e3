"""Baselines that ignore the aux, to compare the other attacks with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.adversary.aux import Aux, Candidates
from sim.attack.engine.algorithm import BASELINE, Algorithm
from sim.attack.engine.similarity import by_item
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec


@dataclass(frozen=True, kw_only=True)
class RandomGuess(Algorithm):
    """Every record scores the same, so a guess is right once in N."""

    name: ClassVar[str] = "random"
    source: ClassVar[str] = BASELINE
    label: ClassVar[str] = "Random guess"
    reads: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = "Random guess (baseline)"
    uses_sigma: ClassVar[bool] = False

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        contributions = by_item(release, np.zeros(aux.item.size))
        return ScoreSpec(contributions, ScoreForm.SUM, np.zeros(len(aux)))


@dataclass(frozen=True, kw_only=True)
class LongestRecord(Algorithm):
    """A record scores its length, whatever the aux."""

    name: ClassVar[str] = "longest"
    source: ClassVar[str] = BASELINE
    label: ClassVar[str] = "Longest record"
    reads: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = "Longest record (baseline)"
    uses_sigma: ClassVar[bool] = False
    scores_non_overlapping: ClassVar[bool] = True

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        contributions = by_item(release, np.zeros(aux.item.size))
        feature = release.length.astype(np.float64)[None, :]
        group = np.zeros(len(aux), np.int64)
        return ScoreSpec(
            contributions, ScoreForm.SUM, np.zeros(len(aux)), feature=feature, group=group
        )
