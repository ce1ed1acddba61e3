"""The strongest attacker under the stated knowledge: the posterior of every record (spec §4.1)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.publisher import AS_IS, Publisher
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.counted import counted, dropped
from sim.attack.algorithms.likelihood import Noise, day_classes, right_facts, shares
from sim.attack.engine.algorithm import Algorithm, Scored
from sim.attack.engine.decisions import Decisions, Floats, SigmaOver, eccentricity, relative_sigma
from sim.attack.engine.weights import cells_left, supports
from sim.attack.kernels.partials import Partials
from sim.attack.kernels.scan import IMPOSSIBLE, Finish, Gains, Scan
from sim.errors import ConfigError
from sim.extend.options import option
from sim.numeric import LN2, exp, log, log2, log_choose
from sim.release.store.store import Store

Count = Literal["independent", "exact"]


@dataclass(frozen=True, kw_only=True)
class Bayes(Algorithm):
    """Score = −ln C(|E(r′)|, m′) + Σ_i ln((1−π)·p(value_i|value′_i)·p(day_i|day′_i) + π·q_i).

    A uniform prior over the candidates makes it a posterior: guesses made with probability p are
    right with probability p. Where facts may be wrong that needs ``count="exact"``.

    Parameters
    ----------
    knowledge : tuple of Knowledge
        What the adversary of each grid cell knows, by the cell's number.
    publisher : Publisher
        How the release was made from what the adversary's facts are drawn from.
    """

    name: ClassVar[str] = "bayes"
    source: ClassVar[str] = "spec §4.1"
    label: ClassVar[str] = "Bayes-optimal attacker"
    summary: ClassVar[str] = (
        "Bayes-optimal: the exact posterior under the stated model of facts and release"
    )
    caveat: ClassVar[str] = (
        "The posterior is exact, and no attacker with the same facts does better, only if the "
        "facts and the release came about as the attacker assumes. Where it claims more than comes "
        "true, they did not."
    )
    looks_elsewhere: ClassVar[bool] = True  # all that is known may be wrong
    matches_by_phi: ClassVar[bool] = False
    uses_sigma: ClassVar[bool] = False
    log_scores: ClassVar[bool] = True
    entropy_is_measured = "always"

    confidence: float = option(
        0.5, help="match if the best guess has at least this posterior probability", least=0
    )
    count: Count = option(
        "exact",
        help="each fact is wrong by chance (independent: with probability π, as the formula has "
        "it), or exactly m' - m of the facts are (exact; see sim.attack.algorithms.counted)",
    )
    knowledge: tuple[Knowledge, ...] = ()
    publisher: Publisher = AS_IS

    def for_study(self, known: Sequence[Knowledge | None], publisher: Publisher = AS_IS) -> Self:
        """See `Algorithm.for_study`."""
        understood = tuple(each for each in known if each is not None)
        if len(understood) < len(known):
            raise ConfigError(
                "attack=bayes: needs an adversary whose noise is known, who samples the targets' "
                "own records; set adversary=aux grid=sweep"
            )
        if any(each.first is not None for each in understood):
            raise ConfigError(
                "attack=bayes: needs to know how many facts are wrong, which grid.first leaves "
                "open; give grid.aux what is known, and set 'grid.first=[null]'"
            )
        return replace(self, knowledge=understood, publisher=publisher)

    @property
    def most_units(self) -> int:
        """See `Algorithm.most_units`: an absent target changes what wrong items are drawn from.

        And a publisher's noise makes many classes of days.
        """
        few = self.count == "exact" or self.publisher.changes_cells
        return 64 if few else super().most_units

    @property
    def n_phases(self) -> int:
        """One: the scores are log probabilities, which need no σ."""
        return 1

    def prepare(self, store: Store, aux: AuxBatch) -> AuxBatch:  # noqa: ARG002
        """See `Algorithm.prepare`; a missing value is no fact about values.

        Where items were dropped, a record may be shorter than the person's.
        """
        if not self.publisher.drops_items:
            return aux
        return replace(aux, shortest=np.zeros_like(aux.shortest))

    def annotate(self, store: Store, aux: AuxBatch) -> AuxBatch:
        """Count q_i: the share of the item's cells with exactly this value and day."""
        wrong = self._noise(aux).wrong > 0
        if not wrong.any():
            return aux
        return replace(aux, share=shares(store, aux, wrong, self.publisher))

    def _noise(self, aux: AuxBatch) -> Noise:
        return Noise.of(self.knowledge, aux, self.publisher)

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        noise = self._noise(aux)
        right = right_facts(store, aux, noise)
        classes, offset = day_classes(store, aux, noise.days, self.publisher.date_noise)
        unknown = dropped(store, aux, noise)
        windows = self._windows(store, aux, unknown)
        group, term = _terms(store, windows)
        none = np.zeros(len(aux))
        if self.count == "exact":
            number = np.array([k.size - k.correct for k in self.knowledge], np.int64)[aux.cell]
            chances = counted(store, aux, noise, right, number, unknown)
            if (unknown & noise.by_item).any():
                eligible = [items_in_window(store, window) for window, _, _ in windows]
                chances = chances._replace(
                    eligible=np.array(eligible, np.float64), window=np.arange(len(aux))
                )
            days = Gains(offset, day_class=classes)
            return Scan(days, Finish.LOG, none, feature=term, group=group, counted=chances)
        held, lacking, must = _independent(store, aux, noise, right)
        must &= ~unknown
        # What lacking an item costs is in the base, and is taken back where a record holds it.
        choice = held - lacking[:, None, None]
        base = none + np.bincount(aux.unit, lacking, minlength=len(aux))
        gains = Gains(offset, choice=choice, day_class=classes)
        return Scan(gains, Finish.LOG, base, feature=term, group=group, must=must)

    def matches(self, decided: Floats, whole: Partials) -> NDArray[np.bool_]:  # noqa: ARG002
        """See `Algorithm.matches`."""
        return np.asarray((whole["ties"] == 1) & (_probability(whole) >= self.confidence))

    def spread(self, whole: Partials, over: SigmaOver) -> Floats:
        """See `Algorithm.spread`; of the probabilities."""
        return relative_sigma(whole, over) * _probability(whole)

    def conclude(self, aux: AuxBatch, scored: Scored, weighed: Floats | None) -> Decisions:  # noqa: ARG002
        """See `Algorithm.conclude`; eccentricity is that of the probabilities."""
        whole, own = scored.whole, scored.own
        top = _probability(whole)
        spread = scored.sigmas[:, 0 if self.sigma == "all" else 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            second = np.where(
                np.isinf(whole["second"]), 0.0, top * exp(whole["second"] - whole["best"])
            )
            mass = log2(whole["exp"])
            target = mass + (whole["best"] - own) / LN2
            itself = mass - whole["exp_scores"] / whole["exp"] / LN2
        everyone = log2(np.maximum(whole["candidates"], 1))
        possible = whole["exp"] > 0
        bits = np.where(possible & ~np.isinf(own), target, everyone)
        itself = np.where(possible, itself, everyone)
        bits = np.maximum(np.array([bits, bits, itself]), 0.0)
        decided = eccentricity(top, second, spread, whole)
        return self._decisions(aux, scored, decided, spread, own, bits, top)

    def _windows(
        self, store: Store, aux: AuxBatch, unknown: NDArray[np.bool_]
    ) -> list[tuple[Window, int, int]]:
        """Where each aux set's facts are from, of how many a record must have, and are chosen.

        Whoever is eligible has m′ items, but may hold fewer in the release where the publisher
        dropped some; facts of these are none of the record's there. Where wrong facts are of other
        items and counted, m of the record's own are chosen, not m′.
        """
        gone = np.bincount(aux.unit, unknown, minlength=len(aux)).astype(np.int64)
        found = []
        for cell, size, n in zip(aux.cell.tolist(), aux.size.tolist(), gone.tolist(), strict=True):
            known = self.knowledge[cell]
            by_item = known.wrong == "item"
            least = size
            if self.publisher.drops_from(known.popularity, store.manifest.n_items):
                least = max(known.correct - n, 0) if by_item else size - n
            chosen = known.correct if self.count == "exact" and by_item else size - n
            found.append((known.popularity, least, chosen))
        return found


def _terms(
    store: Store, windows: list[tuple[Window, int, int]]
) -> tuple[NDArray[np.int64], Floats]:
    """−ln of the ways to choose the facts, of every record, and which of them is each aux set's."""
    distinct = list(dict.fromkeys(windows))
    group = np.array([distinct.index(window) for window in windows], np.int64)
    if not distinct:
        return group, np.zeros((1, store.manifest.n_records))
    return group, np.array([_term(store, *window) for window in distinct])


def _independent(
    store: Store, aux: AuxBatch, noise: Noise, right: Floats
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """ln((1−π)·p + π·q_i), and what stands for it where a record lacks the item.

    Returns
    -------
    held : float64 array, shape (A, 3, L + 1)
    lacking : float64 array, shape (A,)
        ln(π·(the item's share of all cells)·q_i) for wrong items; 0 where a record must hold the
        item, and where no record does.
    must : bool array, shape (A,)
    """
    support = supports(store, aux)
    cells = np.maximum(np.repeat(cells_left(store, aux), aux.size), 1)
    by_wrong = noise.wrong * aux.share
    held = log((1 - noise.wrong)[:, None, None] * right + by_wrong[:, None, None])
    lacking = log(noise.by_item * support / cells * by_wrong)
    must = np.isinf(lacking) & ~(noise.by_item & (support == 0))
    lacking = np.where(np.isinf(lacking), 0.0, lacking)
    return np.where(np.isinf(held), IMPOSSIBLE, held), lacking, must


def _probability(whole: Partials) -> Floats:
    """Posterior of the best record; 0 where no record is possible."""
    return np.where(whole["exp"] > 0, 1.0 / np.where(whole["exp"] > 0, whole["exp"], 1.0), 0.0)


@functools.lru_cache(maxsize=32)
def _term(store: Store, window: Window, size: int, chosen: int) -> Floats:
    """−ln C(n, chosen) of each record's n items in the window; ruled out with fewer than `size`."""
    n = items_in_window(store, window)
    ways = log_choose(np.maximum(n, max(size, chosen)), chosen)
    return np.where(n >= size, -ways, IMPOSSIBLE)
