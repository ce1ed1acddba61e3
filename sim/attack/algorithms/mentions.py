"""The attacks on public mentions (F06 §4): TF-IDF, Scoring, and Scoring with ratings."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.attack.engine.algorithm import Algorithm, Scored
from sim.attack.engine.decisions import Decisions, Floats, SigmaOver, relative_sigma
from sim.attack.engine.similarity import by_level, value_gaps
from sim.attack.engine.weights import records, supports
from sim.attack.kernels.partials import Partials
from sim.attack.kernels.scan import Finish, Scan
from sim.extend.options import option
from sim.numeric import exp, log, log2
from sim.release.store.store import Block, Store

NOT_HELD = 0.05
"""Sub-score of an item the record does not hold (F06 §4.3, eq. 2)."""


@dataclass(frozen=True, kw_only=True)
class TfIdf(Algorithm):
    """Cosine of the vectors of binary tf × log2(N/|supp(i)|) (F06 §4.2)."""

    name: ClassVar[str] = "tf_idf"
    source: ClassVar[str] = "F06 §4.2"
    label: ClassVar[str] = "TF-IDF"
    summary: ClassVar[str] = "TF-IDF: cosine of rarity-weighted items (F06 §4.2)"

    @property
    def most_units(self) -> int:
        """See `Algorithm.most_units`: an absent target changes the norm of every record."""
        return 64

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        n = records(store, aux)
        support = supports(store, aux)
        idf = np.where(support > 0, log2(n / np.maximum(support, 1)), 0.0)
        gains = by_level(store, np.repeat((idf**2)[:, None], store.scale.size + 1, axis=1))
        base = _over(np.bincount(aux.unit, idf**2, minlength=len(aux)).astype(float))
        norms = [_norms(store)]
        group = np.zeros(len(aux), np.int64)
        for unit in np.flatnonzero(aux.absent & (aux.target >= 0)).tolist():
            group[unit] = len(norms)
            norms.append(_norms_without(store, int(aux.target[unit])))
        feature = np.stack(norms) if len(norms) > 1 else norms[0][np.newaxis]  # seldom a copy
        return Scan(gains, Finish.COSINE, base, feature=feature, group=group)


@functools.lru_cache(maxsize=2)
def _norms(store: Store) -> Floats:
    """1/√Σ idf² of every record."""
    return _norms_from(store, store.support.astype(np.float64), store.manifest.n_records)


def _norms_without(store: Store, target: int) -> Floats:
    """The same once a record and its supports are gone."""
    support = store.support.astype(np.float64)
    support[_items(store, target)] -= 1
    return _norms_from(store, support, store.manifest.n_records - 1)


def _norms_from(store: Store, support: Floats, n_records: int) -> Floats:
    held = support > 0
    idf = np.zeros(support.size)
    idf[held] = log2(n_records / support[held])
    squares = idf**2
    norms = np.empty(store.manifest.n_records)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        # No record is empty, so every stretch between two starts is a record.
        summed = np.add.reduceat(squares[block.record_item], block.record_start[:-1])
        norms[block.first : block.first + block.n_records] = summed
    return _over(norms)


def _over(squares: Floats) -> Floats:
    """1/√ of sums of squares, or 0: to multiply by it takes a tenth of the time of dividing."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros(squares.size), where=squares > 0)


def _items(store: Store, record: int) -> NDArray[np.int32]:
    block: Block = store.block(record // store.manifest.block_records)
    row = record - block.first
    return block.record_item[block.record_start[row] : block.record_start[row + 1]]


@dataclass(frozen=True, kw_only=True)
class Scoring(Algorithm):
    """Π over aux of 1 − (|supp(i)|−1)/N where the record holds i, else 0.05 (F06 §4.3).

    The scan adds up logarithms, and σ is that of the scores over the best one's: a product of some
    hundred sub-scores, or its square, is below the least float.
    """

    name: ClassVar[str] = "scoring"
    source: ClassVar[str] = "F06 §4.3"
    label: ClassVar[str] = "Scoring"
    summary: ClassVar[str] = "Scoring: product of the rarities of the items held (F06 §4.3)"

    longest_share: float | None = option(
        1 / 3,
        help="records longer than this share of all items are no candidates",
        above=0,
        null="all are",
    )

    @classmethod
    def conditions(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """See `Algorithm.conditions`."""
        return {"longest_records": "kept" if options["longest_share"] is None else "left out"}

    def prepare(self, store: Store, aux: AuxBatch) -> AuxBatch:
        """See `Algorithm.prepare`."""
        aux = super().prepare(store, aux)
        if self.longest_share is None:
            return aux
        longest = int(self.longest_share * store.manifest.n_items)
        return replace(aux, longest=np.minimum(aux.longest, longest).astype(np.int32))

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        n = np.maximum(records(store, aux), 1)
        support = supports(store, aux)
        known = support > 0
        held = log(np.where(known, 1.0 - (support - 1.0) / n, NOT_HELD)) - log(NOT_HELD)
        counts = self.counts(store, aux)
        base = np.bincount(aux.unit, known * log(NOT_HELD), minlength=len(aux)).astype(float)
        return Scan(by_level(store, np.where(counts, held[:, None], 0.0)), Finish.LOG, base)

    def spread(self, whole: Partials, over: SigmaOver) -> Floats:
        """See `Algorithm.spread`; of exp(s − best)."""
        return relative_sigma(whole, over)

    def conclude(self, aux: AuxBatch, scored: Scored, weighed: Floats | None) -> Decisions:
        """See `Algorithm.conclude`; the scores become products again."""
        whole, top = scored.whole.copy(), scored.whole["best"].copy()
        with np.errstate(invalid="ignore"):  # no candidate: −inf − −inf
            whole["second"] = exp(whole["second"] - top)
            own = exp(scored.own - top)
        whole["best"] = 1.0
        relative = super().conclude(aux, replace(scored, whole=whole, own=own), weighed)
        return replace(
            relative,
            best_score=relative.best_score * exp(top),
            second_score=relative.second_score * exp(top),
            target_score=exp(scored.own),
            sigma=relative.sigma * exp(top),
        )

    def counts(self, store: Store, aux: AuxBatch) -> NDArray[np.bool_]:
        """Whether a cell counts as held, by its level, shape (A, L + 1)."""
        return np.ones((aux.item.size, store.scale.size + 1), np.bool_)


@dataclass(frozen=True, kw_only=True)
class ScoringRated(Scoring):
    """Scoring, an item counting as held only if |Δvalue| ≤ δ; a missing value passes (F06 §4.4)."""

    name: ClassVar[str] = "scoring_rated"
    source: ClassVar[str] = "F06 §4.4"
    label: ClassVar[str] = "Scoring with ratings"
    summary: ClassVar[str] = "Scoring with values (F06 §4.4)"
    needs: ClassVar[tuple[str, ...]] = ("values",)

    delta: float = option(
        0.0,
        help="values at most this far apart count as held: 0 is ExactRating, 1 FuzzyRating",
        least=0,
    )

    @classmethod
    def conditions(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """See `Algorithm.conditions`."""
        return {"value_tolerance": options["delta"], **super().conditions(options)}

    def counts(self, store: Store, aux: AuxBatch) -> NDArray[np.bool_]:
        """See `Scoring.counts`."""
        near: NDArray[np.bool_] = ~(value_gaps(store, aux) > self.delta)
        return near
