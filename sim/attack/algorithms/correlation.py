"""Correlation: a record matches if it stands out from all shorter ones (NS07 §4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Candidates
from sim.attack.engine.algorithm import Algorithm, Found
from sim.attack.engine.decisions import Floats, Guesses
from sim.attack.engine.similarity import Base2
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec
from sim.extend.options import option
from sim.numeric.compiled import njit
from sim.release.store.store import Store

_MOMENTS = 5


@njit
def _by_length(score, record, place, out):  # type: ignore[no-untyped-def]
    """Candidates, Σ, Σ², highest and lowest score of the records of each length."""
    for r in range(score.size):
        s, o = score[r], out[place[record[r]]]
        o[0] += 1
        o[1] += s
        o[2] += s * s
        o[3] = max(o[3], s)
        o[4] = min(o[4], s)


@njit
def _standing(score, record, place, above, reach):  # type: ignore[no-untyped-def]
    """Number of records that reach the threshold of their length, and the first; −1 if none."""
    number, first = 0, -1
    for r in range(score.size):
        k = place[record[r]]
        if score[r] > above[k] and score[r] >= reach[k]:
            number += 1
            if first < 0:
                first = record[r]
    return number, first


@dataclass(frozen=True, kw_only=True)
class Correlation(Algorithm):
    """Δ = Σ of base-2 similarities; c matches if Δ(c) ≥ Δ(c′) + λσ for all shorter c′.

    σ is the standard deviation of Δ over these shorter records. A record with no shorter one, or
    one that merely equals the best of them, does not match. Phase 0 computes the scores' partials,
    the first pass their moments by length, the second the records that reach the threshold of
    their length.
    """

    name: ClassVar[str] = "correlation"
    source: ClassVar[str] = "NS07 §4"
    label: ClassVar[str] = "Correlation"
    summary: ClassVar[str] = "Correlation with the record, compared with shorter ones (NS07 §4)"
    matches_by_phi: ClassVar[bool] = False
    rule: ClassVar[str] = "one record exceeds all shorter ones by λσ"
    list_is_top: ClassVar[bool] = False  # it lists the records that match
    entropy_is_measured = "never"  # it has no distribution

    similarity: Base2 = option(Base2(), kinds=(Base2,))
    lam: float = option(1.5, help="λ: standard deviations above all shorter records", minimum=0)

    @property
    def max_batch(self) -> int:
        """See `Algorithm.max_batch`."""
        return 256

    @property
    def passes(self) -> int:
        """Two: see the class."""
        return 2

    def partial_bytes(self, store: Store) -> int:
        """See `Algorithm.partial_bytes`."""
        return np.unique(store.length).size * _MOMENTS * 8

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        contributions = self.similarity.contributions(release, aux, np.ones(aux.item.size))
        return ScoreSpec(contributions, ScoreForm.SUM, np.zeros(len(aux)))

    def look(
        self, release: ReleaseView, records: NDArray[np.int64], scores: Floats, learnt: Any
    ) -> Any:
        """See `Algorithm.look`: moments by length, then how many reach the bar, and the first."""
        lengths, place = release.lengths
        if learnt is not None:
            return _standing(scores, records, place, *learnt)
        moments = np.zeros((lengths.size, _MOMENTS))
        moments[:, 3:] = -np.inf, np.inf
        _by_length(scores, records, place, moments)
        return moments

    def join(self, looks: list[Any], learnt: Any) -> Any:
        """See `Algorithm.join`."""
        whole = looks[0].copy()
        for part in looks[1:]:
            if learnt is None:
                whole[:, :, :3] += part[:, :, :3]
                whole[:, :, 3] = np.maximum(whole[:, :, 3], part[:, :, 3])
                whole[:, :, 4] = np.minimum(whole[:, :, 4], part[:, :, 4])
            else:
                first = (whole[:, 1] < 0) & (part[:, 0] > 0)
                whole[:, 1] = np.where(first, part[:, 1], whole[:, 1])
                whole[:, 0] += part[:, 0]
        return whole

    def learn(self, whole: Any, learnt: Any) -> Any:
        """See `Algorithm.learn`.

        Returns
        -------
        float64 array, shape (U, 2, K)
            After the first pass: for each distinct length the score to exceed, and that to reach.
        int64 array, shape (U, 2)
            After the second: records in the matching set, and the lowest of them, −1 if none.
        """
        return self._bars(whole) if learnt is None else whole.astype(np.int64)

    def conclude(self, found: Found) -> Guesses:
        """See `Algorithm.conclude`."""
        guesses = super().conclude(found)
        number, first = found.learnt.T
        matched = number == 1
        best = np.where(matched, first, guesses.best)
        return replace(guesses, best=best, matched=matched, matching=number)

    def _bars(self, whole: Floats) -> Floats:
        # Moments of all shorter records are running sums, shifted by one length.
        n, sums, squares = (_shorter(np.cumsum(whole[:, :, k], axis=1), 0.0) for k in range(3))
        highest = _shorter(np.maximum.accumulate(whole[:, :, 3], axis=1), -np.inf)
        lowest = _shorter(np.minimum.accumulate(whole[:, :, 4], axis=1), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.maximum(squares / n - (sums / n) ** 2, 0.0))
        # Rounding must not make σ positive where all scores are equal.
        spread = np.where(lowest >= highest, 0.0, spread)
        bars = np.stack([highest, highest + self.lam * spread], axis=1)
        return np.where((n == 0)[:, None], np.inf, bars)


def _shorter(running: Floats, none: float) -> Floats:
    """Shift running values by one length, to those of all shorter records."""
    first = np.full((running.shape[0], 1), none)
    return np.concatenate([first, running[:, :-1]], axis=1)
