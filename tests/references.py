"""Hold a fast attack to its reference implementation, in two steps.

First, every record's score must be the reference's: to the bit, or to nine digits where the
arithmetic differs. Second, every decision must follow from the fast attack's own scores, with no
tolerance except for the rounding of σ. So a tie that rounding splits is split in all decisions or
in none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest
import reference
from attacking import decide
from making import plain, plain_aux
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.attack.algorithms.baselines import LongestRecord
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring
from sim.attack.algorithms.sets import SetAlgorithm
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.attack.kernels.drivers import score_block
from sim.numeric import exp
from sim.release.store.store import Store

Oracle = Callable[[reference.PlainRelease, reference.PlainAux], Any]
"""Scores of the records, or the members of a set."""

Keep = Callable[[reference.PlainRelease], Any]
"""Which records an attack takes for candidates at all."""


def check(
    store: Store,
    drawn: Drawn,
    attack: Algorithm,
    oracle: Oracle,
    *,
    exact: bool = True,
    keep: Keep | None = None,
) -> None:
    """Hold an attack to its reference implementation on every unit."""
    drawn = attack.annotated(store, drawn)
    found = decide(store, drawn, attack)
    prepared = attack.prepared(store, drawn)
    spec = attack.scanned(store, prepared)
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    for unit in range(len(drawn)):
        scores = np.concatenate([score_block(store, b, prepared, spec, unit) for b in blocks])
        one = Unit.of(store, drawn, unit, attack, keep, found, scores)
        assert (np.isnan(scores) == ~one.candidates).all()
        if one.candidates.any():
            one.check_scores(oracle, exact)
            one.check_decision()
        else:
            one.check_nobody()


@dataclass(frozen=True)
class Unit:
    """One aux set, what was found of it, and the release without the record of an absent target.

    Arrays have one place for every record of the store; an absent target is no candidate.
    """

    attack: Algorithm
    found: dict[str, Any]
    scores: NDArray[np.float64]
    release: reference.PlainRelease
    aux: reference.PlainAux
    target: int
    absent: bool
    candidates: NDArray[np.bool_]
    length: NDArray[np.int64]

    @classmethod
    def of(
        cls, store: Store, drawn: Drawn, unit: int, attack: Algorithm, keep: Keep | None,
        found: Decisions, scores: NDArray[np.float64],
    ) -> Unit:  # fmt: skip
        whole, one = plain(store), plain_aux(drawn, unit)
        target, absent = int(drawn.truth.target[unit]), bool(drawn.truth.absent[unit])
        length = whole.length()
        candidates = (drawn.candidates.shortest[unit] <= length) & (
            length <= drawn.candidates.longest[unit]
        )
        if keep is not None:
            candidates &= keep(whole)
        if target >= 0:
            candidates[target] &= not absent
        if attack.missing == "mean" and not isinstance(attack, Bayes):
            one = reference.with_mean_values(one)
        return cls(
            attack,
            {name: getattr(found, name)[unit] for name in Decisions.__slots__},
            scores,
            reference.without(whole, target) if absent and target >= 0 else whole,
            one,
            target,
            absent,
            candidates,
            length,
        )

    def spread_out(self, per_record: Any, gone: Any) -> Any:
        """Give every record of the store a place again."""
        removed = self.absent and self.target >= 0
        return np.insert(per_record, self.target, gone) if removed else np.asarray(per_record)

    def shown(self, scores: Any) -> Any:
        """Scores as the decisions show them: the scan of Scoring adds up logarithms."""
        return exp(scores) if isinstance(self.attack, Scoring) else scores

    @cached_property
    def finite(self) -> NDArray[np.float64]:
        """Scores as shown, without NaN."""
        return np.where(self.candidates, self.shown(self.scores), 0.0)

    @cached_property
    def overlapping(self) -> NDArray[np.bool_]:
        """Candidates that share an item with the aux."""
        shares: NDArray[np.bool_] = self.spread_out(
            reference.overlaps(self.release, self.aux), False
        )
        return shares & self.candidates

    def check_scores(self, oracle: Oracle, exact: bool) -> None:
        expected = self.spread_out(oracle(self.release, self.aux) * 1.0, math.nan)[self.candidates]
        scores = self.scores[self.candidates]
        if exact:
            assert scores.tolist() == expected.tolist()
        else:  # the digits of logarithms count from the point
            digits = 1e-9 if isinstance(self.attack, (Bayes, Scoring)) else 0
            assert scores == pytest.approx(expected + self.constant(expected), rel=1e-9, abs=digits)

    def constant(self, expected: NDArray[np.float64]) -> float:
        """What the scores leave out that is the same of all: how likely values are missing."""
        if not isinstance(self.attack, Bayes) or not any(k.missing for k in self.attack.knowledge):
            return 0.0
        scores = self.scores[self.candidates]
        possible = np.flatnonzero(np.isfinite(expected) & np.isfinite(scores))
        return float(scores[possible[0]] - expected[possible[0]]) if possible.size else 0.0

    def check_decision(self) -> None:
        self.check_order()
        match self.attack:
            case Bayes():
                self.check_posterior()
            case SetAlgorithm():
                self.check_set()
            case Correlation():
                self.check_spread(self.finite)
                self.check_entropies()
                self.check_shorter()
            case _:
                self.check_match(self.check_spread(self.finite))
                self.check_entropies()

    def check_nobody(self) -> None:
        """Without a candidate nothing is decided."""
        for name in ("candidates", "ties", "matching", "rank", "above"):
            assert self.found[name] == 0
        for name in ("best_score", "second_score", "eccentricity", "target_score"):
            assert math.isnan(self.found[name])
        for name in ("entropy_bits", "entropy_bits_other", "entropy_all_bits"):
            assert math.isnan(self.found[name])
        self.check_best(-1)
        assert not self.found["matched"]

    def check_order(self) -> None:
        """Best, second, ties, rank: exactly what the scores say."""
        own = self.scores[self.target] if self.target >= 0 else math.nan
        values = np.sort(self.scores[self.candidates])[::-1]
        shown = self.shown(values)
        assert self.found["candidates"] == values.size
        if self.attack.looks_at_everybody or self.found["overlapping"] >= 0:
            assert self.found["overlapping"] == self.overlapping.sum()
        assert self.found["best_score"] == shown[0]
        assert self.found["ties"] == (values == values[0]).sum()
        if values.size > 1:
            assert self.found["second_score"] == pytest.approx(shown[1], rel=1e-15, abs=0)
        else:
            assert math.isnan(self.found["second_score"])
        if math.isnan(own):
            for name in ("target_score", "entropy_bits", "entropy_bits_other"):
                assert math.isnan(self.found[name])
            assert (self.found["rank"], self.found["above"]) == (0, 0)
        else:
            assert self.found["target_score"] == self.shown(own)
            assert self.found["rank"] == (values >= own).sum()
            assert self.found["above"] == (values > own).sum()

    @property
    def top(self) -> int:
        """The one record at the top, if it is on the list and anyone shares an item; else −1.

        For the longest record, and where everything may be wrong, it matters not who shares one.
        """
        blind = isinstance(self.attack, (Bayes, LongestRecord))
        alone = self.found["ties"] == 1 and self.found["matching"] > 0
        alone &= blind or bool(self.overlapping.any())
        return int(np.nanargmax(self.scores)) if alone else -1

    def check_best(self, best: int) -> None:
        assert self.found["best"] == best
        assert self.found["correct"] == (best == self.target >= 0 and not self.absent)

    def check_spread(self, scores: NDArray[np.float64]) -> float:
        """σ and eccentricity, which is returned; of probabilities for Bayes."""
        among = self.candidates if self.attack.sigma == "all" else self.overlapping
        if not is_sound(scores[among]):
            return float(self.found["eccentricity"])
        expected = reference.eccentricity(scores, self.candidates, among)
        if expected.top is not reference.Top.SINGLE:
            assert self.found["sigma"] == pytest.approx(expected.sigma, rel=1e-9, abs=0)
        assert self.found["eccentricity"] == pytest.approx(
            expected.value, rel=1e-8, abs=0, nan_ok=True
        )
        return expected.value

    def check_match(self, eccentricity: float) -> None:
        """A match is what stands out by more than φ."""
        if math.isnan(eccentricity) or abs(eccentricity - self.attack.phi) > 1e-6:
            assert self.found["matched"] == (eccentricity > self.attack.phi and self.top >= 0)
        assert self.found["matching"] == self.candidates.sum()
        self.check_best(self.top)

    def check_set(self) -> None:
        """A match is a set of one; Π is uniform over the set."""
        assert isinstance(self.attack, SetAlgorithm)
        inside = reference.matching_set(self.finite, self.attack.bound, self.candidates)
        assert self.found["matching"] == inside.sum()
        assert self.found["matched"] == (inside.sum() == 1 and self.top >= 0)
        self.check_best(self.top)
        self.check_spread(self.finite)
        logs = reference.uniform_over(inside, self.candidates)
        for name in ("entropy_bits", "entropy_bits_other", "entropy_all_bits"):
            self.check_bits(name, logs)

    def check_shorter(self) -> None:
        """A match is the one record that stands out from all shorter ones."""
        assert isinstance(self.attack, Correlation)
        sets = [
            reference.correlation_matches(
                self.finite, self.length, self.attack.lam * nudge, self.candidates
            )
            for nudge in (1 - 1e-8, 1 + 1e-8)
        ]
        if (sets[0] != sets[1]).any():
            return  # who matches is a matter of rounding
        assert self.found["matching"] == sets[0].sum()
        assert self.found["matched"] == (sets[0].sum() == 1)
        alone = self.found["ties"] == 1 and self.overlapping.any()
        best = int(np.nanargmax(self.scores)) if alone else -1
        self.check_best(int(sets[0].argmax()) if sets[0].sum() == 1 else best)

    def check_posterior(self) -> None:
        """Posterior, σ and eccentricity of the probabilities, and the match that follows."""
        assert isinstance(self.attack, Bayes)
        logs = reference.log_distribution(self.scores, self.candidates)
        posterior = self.found["posterior"]
        assert posterior == pytest.approx(np.exp(logs).max(), rel=1e-8)
        assert self.found["matching"] == (logs > -np.inf).sum()
        if abs(posterior - self.attack.confidence) > 1e-6:
            expected = self.found["ties"] == 1 and posterior > self.attack.confidence
            assert self.found["matched"] == expected
        self.check_best(self.top)
        self.check_spread(np.exp(logs))
        for name in ("entropy_bits", "entropy_bits_other", "entropy_all_bits"):
            self.check_bits(name, logs)

    def check_entropies(self) -> None:
        """Π ∝ exp(score/σ), by the σ that is asked for and, if that is asked for too, the other."""
        every = ("entropy_bits", "entropy_all_bits", "entropy_bits_other")
        if not self.attack.entropy:
            assert all(math.isnan(self.found[name]) for name in every)
            return
        among = {"all": self.candidates, "nonzero": self.overlapping}
        asked = among.pop(self.attack.sigma)
        if not self.attack.both_sigmas:
            assert math.isnan(self.found["entropy_bits_other"])
        compared = [(asked, every[:2])]
        if self.attack.both_sigmas:
            compared += [(other, every[2:]) for other in among.values()]
        for among_whom, names in compared:
            if is_sound(self.finite[among_whom]):
                sigma = reference.sigma_of(self.finite, self.candidates, among_whom)
                logs = reference.entropic(self.finite, sigma, self.candidates)
                for name in names:
                    self.check_bits(name, logs)

    def check_bits(self, name: str, logs: NDArray[np.float64]) -> None:
        """Bits; the candidates are all there is to choose from, so log2 N counts only them."""
        logs = logs[self.candidates]
        if name == "entropy_all_bits":
            bits = reference.distribution_bits(logs)
        elif self.target >= 0 and self.candidates[self.target]:
            itself = np.arange(self.candidates.size) == self.target
            bits = reference.target_bits(logs, itself[self.candidates])
        else:
            return
        assert self.found[name] == pytest.approx(bits, rel=1e-8, abs=1e-9)


def is_sound(values: NDArray[np.float64]) -> bool:
    """Whether σ made of sums and sums of squares is good to nine digits."""
    spread = np.ptp(values) if values.size else 0.0
    return bool(spread == 0 or values.std() > 1e-3 * np.abs(values).max())


def scores_differ_by_a_constant(store: Store, drawn: Drawn, attack: Bayes, oracle: Any) -> None:
    """Hold it to the reference: posteriors, not scores, which leave out what all share."""
    drawn = attack.annotated(store, drawn)
    found = decide(store, drawn, attack)
    spec = attack.scanned(store, attack.prepared(store, drawn))
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    for unit in range(len(drawn)):
        scores = np.concatenate([score_block(store, b, drawn, spec, unit) for b in blocks])
        one = Unit.of(store, drawn, unit, attack, None, found, scores)
        if not one.candidates.any():
            one.check_nobody()
            continue
        expected = one.spread_out(oracle(one.release, one.aux) * 1.0, np.nan)[one.candidates]
        logs = reference.log_distribution(scores[one.candidates])
        assert np.exp(logs) == pytest.approx(np.exp(reference.log_distribution(expected)), abs=1e-9)
        one.check_decision()
