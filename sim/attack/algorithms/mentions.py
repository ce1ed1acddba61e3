"""The attacks on public mentions (F06 §4): TF-IDF, Scoring, and Scoring with ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Candidates
from sim.attack.engine.algorithm import Algorithm, Found
from sim.attack.engine.census import over_root
from sim.attack.engine.decisions import Floats, Guesses, SigmaOver, relative_sigma
from sim.attack.engine.similarity import by_item, by_level, value_gaps
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.partials import Partials
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec
from sim.extend.options import option
from sim.numeric import exp, log, log2

NOT_HELD = 0.05
"""Sub-score of an item the record does not hold (F06 §4.3, eq. 2)."""


@dataclass(frozen=True, kw_only=True)
class TfIdf(Algorithm):
    """Cosine of the vectors of binary tf × log2(N/|supp(i)|) (F06 §4.2)."""

    name: ClassVar[str] = "tf_idf"
    source: ClassVar[str] = "F06 §4.2"
    label: ClassVar[str] = "TF-IDF"
    reads: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = "TF-IDF: cosine of rarity-weighted items (F06 §4.2)"

    @property
    def max_batch(self) -> int:
        """See `Algorithm.max_batch`: an absent target changes the norm of every record."""
        return 64

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        squares = _squares(release.support, np.repeat(release.n_records, aux.size))
        base = over_root(np.bincount(aux.unit, squares, minlength=len(aux)).astype(float))
        norms, group = release.inverse_norms(_squares)
        return ScoreSpec(
            by_item(release, squares), ScoreForm.COSINE, base, feature=norms, group=group
        )


def _squares(support: Floats, n_records: NDArray[np.int64] | int) -> Floats:
    """idf² of items, which is 0 where no record holds them."""
    held = support > 0
    idf = np.where(held, log2(n_records / np.where(held, support, 1.0)), 0.0)
    squares: Floats = idf**2
    return squares


@dataclass(frozen=True, kw_only=True)
class Scoring(Algorithm):
    """Π over aux of 1 − (|supp(i)|−1)/N where the record holds i, else 0.05 (F06 §4.3).

    The scan adds logarithms, and σ is that of the scores divided by the best one: a product of
    about a hundred sub-scores, or its square, underflows.
    """

    name: ClassVar[str] = "scoring"
    source: ClassVar[str] = "F06 §4.3"
    label: ClassVar[str] = "Scoring"
    reads: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = "Scoring: product of the rarities of the items held (F06 §4.3)"

    max_length_share: float | None = option(
        1 / 3,
        help="records longer than this share of all items are not candidates",
        above=0,
        maximum=1,
        null="all records are",
    )

    @classmethod
    def conditions(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """See `Algorithm.conditions`."""
        return {"longest_records": "kept" if options["max_length_share"] is None else "left out"}

    def prepare(
        self, release: ReleaseView, aux: Aux, candidates: Candidates
    ) -> tuple[Aux, Candidates]:
        """See `Algorithm.prepare`."""
        aux, candidates = super().prepare(release, aux, candidates)
        if self.max_length_share is None:
            return aux, candidates
        most = int(self.max_length_share * release.n_items)
        longest = np.minimum(candidates.longest, most).astype(np.int32)
        return aux, replace(candidates, longest=longest)

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        n = np.maximum(np.repeat(release.n_records, aux.size), 1)
        support = release.support
        known = support > 0
        held = log(np.where(known, 1.0 - (support - 1.0) / n, NOT_HELD)) - log(NOT_HELD)
        counts = self.counts(release, aux)
        base = np.bincount(aux.unit, known * log(NOT_HELD), minlength=len(aux)).astype(float)
        return ScoreSpec(
            by_level(release, np.where(counts, held[:, None], 0.0)), ScoreForm.LOG, base
        )

    def sigma_of(self, whole: Partials, over: SigmaOver) -> Floats:
        """See `Algorithm.sigma_of`; of exp(s − best)."""
        return relative_sigma(whole, over)

    def conclude(self, found: Found) -> Guesses:
        """See `Algorithm.conclude`; the scores become products again."""
        top = exp(found.whole["best"])
        relative = super().conclude(_relative(found))
        return replace(
            relative,
            best_score=relative.best_score * top,
            second_score=relative.second_score * top,
            sigma=relative.sigma * top,
        )

    def bits_left(self, found: Found, score: Floats) -> Floats:
        """See `Algorithm.bits_left`."""
        with np.errstate(invalid="ignore"):
            return super().bits_left(_relative(found), exp(score - found.whole["best"]))

    def entropy_of(self, found: Found) -> Floats:
        """See `Algorithm.entropy_of`."""
        return super().entropy_of(_relative(found))

    def shown(self, score: Floats) -> Floats:
        """See `Algorithm.shown`."""
        product: Floats = exp(score)
        return product

    def counts(self, release: ReleaseView, aux: Aux) -> NDArray[np.bool_]:
        """Whether a cell counts as held, by its level, shape (A, L + 1)."""
        return np.ones((aux.item.size, release.scale.size + 1), np.bool_)


def _relative(found: Found) -> Found:
    """Scores as products, relative to the best."""
    whole = found.whole.copy()
    with np.errstate(invalid="ignore"):  # no candidate: −inf − −inf
        whole["second"] = exp(whole["second"] - whole["best"])
    whole["best"] = 1.0
    return replace(found, whole=whole)


@dataclass(frozen=True, kw_only=True)
class ScoringRated(Scoring):
    """Scoring, an item counting as held only if |Δvalue| ≤ δ; a missing value passes (F06 §4.4)."""

    name: ClassVar[str] = "scoring_rated"
    source: ClassVar[str] = "F06 §4.4"
    label: ClassVar[str] = "Scoring with ratings"
    reads: ClassVar[tuple[str, ...]] = ("values",)
    summary: ClassVar[str] = "Scoring with values (F06 §4.4)"
    needs: ClassVar[tuple[str, ...]] = ("values",)

    delta: float = option(
        0.0,
        help="values at most this far apart count as held: 0 is ExactRating, 1 FuzzyRating",
        minimum=0,
    )

    @classmethod
    def conditions(cls, options: Mapping[str, Any]) -> dict[str, Any]:
        """See `Algorithm.conditions`."""
        return {"value_tolerance": options["delta"], **super().conditions(options)}

    def counts(self, release: ReleaseView, aux: Aux) -> NDArray[np.bool_]:
        """See `Scoring.counts`."""
        near: NDArray[np.bool_] = ~(value_gaps(release, aux) > self.delta)
        return near
