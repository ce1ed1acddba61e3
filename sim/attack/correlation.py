"""Correlation: a record matches if it stands out from all shorter ones (NS07 §4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.attack.algorithm import Algorithm, Scored
from sim.attack.decisions import Decisions, Floats
from sim.attack.kernels import score_block
from sim.attack.partials import total
from sim.attack.scan import Finish, Scan
from sim.attack.similarity import Base2
from sim.release.store import Store


@numba.njit(cache=True, nogil=True)
def _by_length(score, place, out):  # type: ignore[no-untyped-def]
    """Candidates, Σ, Σ² and highest score of the records of each length."""
    for r in range(score.size):
        s = score[r]
        if not np.isnan(s):
            o = out[place[r]]
            o[0] += 1
            o[1] += s
            o[2] += s * s
            o[3] = max(o[3], s)


@dataclass(frozen=True, slots=True)
class Bars:
    """What a record must reach, by its length.

    Parameters
    ----------
    scored : Scored
    above, reach : float64 arrays, shape (U, K)
        For each distinct length: the score to exceed, and the score to reach.
    """

    scored: Scored
    above: Floats
    reach: Floats


@dataclass(frozen=True, kw_only=True)
class Correlation(Algorithm):
    """Δ = Σ of base-2 similarities; c matches if Δ(c) ≥ Δ(c′) + λσ for all shorter c′.

    σ is the standard deviation of Δ over these shorter records. A record with no shorter one, or
    one that merely equals the best of them, does not match. Phase 0 finds the scores' partials,
    phase 1 their moments by length, phase 2 who reaches the bar of its length.

    Parameters
    ----------
    similarity : Base2
    lam : float
        λ.
    """

    name: ClassVar[str] = "correlation"
    source: ClassVar[str] = "NS07 §4"
    most_units: ClassVar[int] = 256

    similarity: Base2
    lam: float = 1.5

    @property
    def n_phases(self) -> int:
        """Three."""
        return 3

    def partial_bytes(self, store: Store) -> int:
        """See `Algorithm.partial_bytes`."""
        return np.unique(store.length).size * 4 * 8

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        gains = self.similarity.gains(store, aux, np.ones(aux.item.size))
        return Scan(gains, Finish.SUM, np.zeros(len(aux)))

    def score(
        self, store: Store, blocks: list[int], aux: AuxBatch, phase: int, carry: Any
    ) -> dict[int, Any]:
        """See `Algorithm.score`."""
        if phase == 0:
            return super().score(store, blocks, aux, 0, None)
        lengths, place = np.unique(store.length, return_inverse=True)
        found: dict[int, Any] = {}
        for index in blocks:
            block = store.block(index)
            here = place[block.first : block.first + block.n_records]
            if phase == 1:
                out = np.zeros((len(aux), lengths.size, 4))
                out[:, :, 3] = -np.inf
            else:
                out = np.zeros((len(aux), 2))
            for begin, end in self._slices(store, aux):
                part = self.prepare(store, aux.part(begin, end))
                scan = self.scan(store, part)
                for unit in range(end - begin):
                    scores = score_block(store, block, part, scan, unit)
                    u = begin + unit
                    if phase == 1:
                        _by_length(scores, here, out[u])
                    else:
                        stands = (scores > carry.above[u, here]) & (scores >= carry.reach[u, here])
                        out[u, 0] = np.count_nonzero(stands)
                        out[u, 1] = block.first + int(stands.argmax()) if stands.any() else 0
            found[index] = out
        return found

    def fold(
        self, store: Store, aux: AuxBatch, phase: int, carry: Any, found: dict[int, Any]
    ) -> Any:
        """See `Algorithm.fold`."""
        if phase == 0:
            return self._scored(store, aux, total(found))
        ordered = [found[index] for index in sorted(found)]
        if phase == 1:
            return self._bars(carry, ordered)
        matching = sum(part[:, 0] for part in ordered).astype(np.int64)
        record = np.full(len(aux), -1, np.int64)
        for part in ordered:
            record = np.where((record < 0) & (part[:, 0] > 0), part[:, 1], record).astype(np.int64)
        return self._decided(aux, carry.scored, matching, record)

    def _bars(self, scored: Scored, ordered: list[Floats]) -> Bars:
        whole = ordered[0].copy()
        for part in ordered[1:]:
            whole[:, :, :3] += part[:, :, :3]
            whole[:, :, 3] = np.maximum(whole[:, :, 3], part[:, :, 3])
        # Moments of all shorter records: running sums, one length back.
        n, sums, squares = (_shorter(np.cumsum(whole[:, :, k], axis=1), 0.0) for k in range(3))
        highest = _shorter(np.maximum.accumulate(whole[:, :, 3], axis=1), -np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.maximum(squares / n - (sums / n) ** 2, 0.0))
        none = n == 0
        above = np.where(none, np.inf, highest)
        return Bars(scored, above, np.where(none, np.inf, highest + self.lam * spread))

    def _decided(
        self, aux: AuxBatch, scored: Scored, matching: NDArray[np.int64], record: NDArray[np.int64]
    ) -> Decisions:
        decisions = super().conclude(aux, scored, None)
        matched = matching == 1
        best = np.where(matched, record, decisions.best)
        return replace(
            decisions,
            best=best,
            matched=matched,
            correct=(best == aux.target) & ~aux.absent,
            listed=matching,
        )


def _shorter(running: Floats, none: float) -> Floats:
    """Shift running values by one length: those of all shorter records."""
    first = np.full((running.shape[0], 1), none)
    return np.concatenate([first, running[:, :-1]], axis=1)
