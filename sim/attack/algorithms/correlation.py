"""Correlation: a record matches if it stands out from all shorter ones (NS07 §4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.attack.engine.algorithm import Algorithm, Scored, is_right
from sim.attack.engine.decisions import Decisions, Floats
from sim.attack.engine.similarity import Base2
from sim.attack.kernels.drivers import score_block
from sim.attack.kernels.partials import total
from sim.attack.kernels.scan import Finish, Scan
from sim.extend.options import option
from sim.release.store.store import Store

_MOMENTS = 5


@numba.njit(cache=True, nogil=True)
def _by_length(score, place, out):  # type: ignore[no-untyped-def]
    """Candidates, Σ, Σ², highest and lowest score of the records of each length."""
    for r in range(score.size):
        s = score[r]
        if not np.isnan(s):
            o = out[place[r]]
            o[0] += 1
            o[1] += s
            o[2] += s * s
            o[3] = max(o[3], s)
            o[4] = min(o[4], s)


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


@dataclass(frozen=True, slots=True)
class Matching:
    """Who matches.

    Parameters
    ----------
    scored : Scored
    number : int64 array, shape (U,)
        Records in the matching set.
    first : int64 array, shape (U,)
        The lowest of them; −1 if there is none.
    """

    scored: Scored
    number: NDArray[np.int64]
    first: NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Correlation(Algorithm):
    """Δ = Σ of base-2 similarities; c matches if Δ(c) ≥ Δ(c′) + λσ for all shorter c′.

    σ is the standard deviation of Δ over these shorter records. A record with no shorter one, or
    one that merely equals the best of them, does not match. Phase 0 finds the scores' partials,
    phase 1 their moments by length, phase 2 who reaches the bar of its length; phase 3, if asked
    for, the entropy.
    """

    name: ClassVar[str] = "correlation"
    source: ClassVar[str] = "NS07 §4"
    label: ClassVar[str] = "Correlation"
    summary: ClassVar[str] = "Correlation with the record, against shorter ones (NS07 §4)"
    matches_by_phi: ClassVar[bool] = False
    list_is_top: ClassVar[bool] = False  # it lists the records that match
    entropy_is_measured = "never"  # it has no distribution

    similarity: Base2 = option(Base2(), kinds=(Base2,))
    lam: float = option(1.5, help="λ: standard deviations above every shorter record", least=0)

    @property
    def presence_setting(self) -> str:
        """See `Algorithm.presence_setting`."""
        return self.similarity.presence_setting

    @property
    def most_units(self) -> int:
        """See `Algorithm.most_units`."""
        return 256

    @property
    def n_phases(self) -> int:
        """Three, and one for the entropy."""
        return 4 if self.entropy else 3

    def partial_bytes(self, store: Store) -> int:
        """See `Algorithm.partial_bytes`."""
        return np.unique(store.length).size * _MOMENTS * 8

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
        if phase == 3:
            return super().score(store, blocks, aux, 1, carry.scored)
        lengths, place = np.unique(store.length, return_inverse=True)
        found: dict[int, Any] = {
            index: np.zeros((len(aux), lengths.size, _MOMENTS) if phase == 1 else (len(aux), 2))
            for index in blocks
        }
        for begin, end in self._slices(store, aux):
            part = self.prepare(store, aux.part(begin, end))
            scan = self.scan(store, part)
            for index in blocks:
                block = store.block(index)
                here = place[block.first : block.first + block.n_records]
                for unit, out in enumerate(found[index][begin:end]):
                    scores = score_block(store, block, part, scan, unit)
                    if phase == 1:
                        out[:, 3:] = -np.inf, np.inf
                        _by_length(scores, here, out)
                    else:
                        above, reach = (
                            carry.above[begin + unit, here],
                            carry.reach[begin + unit, here],
                        )
                        stands = (scores > above) & (scores >= reach)
                        out[:] = np.count_nonzero(stands), block.first + int(stands.argmax())
        return found

    def fold(
        self,
        store: Store,  # noqa: ARG002
        aux: AuxBatch,
        phase: int,
        carry: Any,
        found: dict[int, Any],
    ) -> Any:
        """See `Algorithm.fold`."""
        if phase == 0:
            return self._scored(total(found))
        ordered = [found[index] for index in sorted(found)]
        if phase == 1:
            return self._bars(carry, ordered)
        if phase == 3:
            return self._decided(aux, carry, sum(ordered))
        number = sum(part[:, 0] for part in ordered).astype(np.int64)
        first = np.full(len(aux), -1, np.int64)
        for part in ordered:
            first = np.where((first < 0) & (part[:, 0] > 0), part[:, 1], first).astype(np.int64)
        matching = Matching(carry.scored, number, first)
        return matching if self.entropy else self._decided(aux, matching, None)

    def _bars(self, scored: Scored, ordered: list[Floats]) -> Bars:
        whole = ordered[0].copy()
        for part in ordered[1:]:
            whole[:, :, :3] += part[:, :, :3]
            whole[:, :, 3] = np.maximum(whole[:, :, 3], part[:, :, 3])
            whole[:, :, 4] = np.minimum(whole[:, :, 4], part[:, :, 4])
        # Moments of all shorter records: running sums, one length back.
        n, sums, squares = (_shorter(np.cumsum(whole[:, :, k], axis=1), 0.0) for k in range(3))
        highest = _shorter(np.maximum.accumulate(whole[:, :, 3], axis=1), -np.inf)
        lowest = _shorter(np.minimum.accumulate(whole[:, :, 4], axis=1), np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(np.maximum(squares / n - (sums / n) ** 2, 0.0))
        # Rounding must not make a spread where all scores are the same.
        spread = np.where(lowest >= highest, 0.0, spread)
        return Bars(scored, *np.where(n == 0, np.inf, [highest, highest + self.lam * spread]))

    def _decided(self, aux: AuxBatch, matching: Matching, weighed: Floats | None) -> Decisions:
        decisions = super().conclude(aux, matching.scored, weighed)
        matched = matching.number == 1
        best = np.where(matched, matching.first, decisions.best)
        return replace(
            decisions,
            best=best,
            matched=matched,
            correct=is_right(best, aux),
            listed=matching.number,
        )


def _shorter(running: Floats, none: float) -> Floats:
    """Shift running values by one length: those of all shorter records."""
    first = np.full((running.shape[0], 1), none)
    return np.concatenate([first, running[:, :-1]], axis=1)
