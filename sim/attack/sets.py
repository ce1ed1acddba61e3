"""Attacks whose answer is a set of records, all equally likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, AuxBatch
from sim.attack.algorithm import Algorithm, Scored
from sim.attack.decisions import Decisions, Floats, eccentricity
from sim.attack.partials import Partials
from sim.attack.scan import DAYS_UNIT, Finish, Gains, Scan
from sim.attack.similarity import Similarity, by_level, day_table, value_gaps
from sim.release.store import Store


@dataclass(frozen=True, kw_only=True)
class SetAlgorithm(Algorithm):
    """A match iff the set has exactly one record; Π is uniform over the set.

    The entropy of a uniform Π is the logarithm of the set's size, so it takes no second scan; where
    the target is not in the set, or the set is empty, H is log2 of the candidates (NS08 Def. 4).
    """

    @property
    def bound(self) -> float:
        """A record is in the set if it scores more than this."""
        return 0.0

    @property
    def n_phases(self) -> int:
        """One."""
        return 1

    def matches(self, decided: Floats, whole: Partials) -> NDArray[np.bool_]:  # noqa: ARG002
        """See `Algorithm.matches`."""
        return np.asarray(whole["listed"] == 1)

    def conclude(self, aux: AuxBatch, scored: Scored, weighed: Floats | None) -> Decisions:  # noqa: ARG002
        """See `Algorithm.conclude`."""
        whole = scored.whole
        spread = scored.sigmas[:, 0 if self.sigma == "all" else 1]
        decided = eccentricity(whole["best"], whole["second"], spread, whole)
        everyone = np.log2(np.maximum(whole["candidates"], 1).astype(np.float64))
        size = np.log2(np.maximum(whole["listed"], 1).astype(np.float64))
        itself = np.where(whole["listed"] > 0, size, everyone)
        target = np.where(scored.own > self.bound, size, everyone)
        return self._decisions(
            aux, scored, decided, spread, scored.own, np.array([target, target, itself]),
            np.full(len(aux), np.nan),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Scoreboard(SetAlgorithm):
    """Score(r′) = min over aux of Sim(aux_i, r′_i); the set: score > α (NS08 §4).

    Parameters
    ----------
    similarity : Similarity
    alpha : float
    """

    name: ClassVar[str] = "scoreboard"
    source: ClassVar[str] = "NS08 §4"

    similarity: Similarity
    alpha: float = 0.0

    @property
    def bound(self) -> float:
        """See `SetAlgorithm.bound`."""
        return self.alpha

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        gains = self.similarity.gains(store, aux, np.ones(aux.item.size))
        must = np.ones(aux.item.size, np.bool_)
        return Scan(gains, Finish.LEAST, np.zeros(len(aux)), must=must, listed_above=self.bound)


@dataclass(frozen=True, kw_only=True)
class SetIntersection(SetAlgorithm):
    """All records that hold every aux item (F06 §4.1)."""

    name: ClassVar[str] = "set_intersection"
    source: ClassVar[str] = "F06 §4.1"

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        gains = by_level(store, np.zeros((aux.item.size, store.scale.size + 1)))
        must = np.ones(aux.item.size, np.bool_)
        return Scan(gains, Finish.ALL, np.ones(len(aux)), must=must, listed_above=self.bound)


@dataclass(frozen=True, kw_only=True)
class Neighbourhood(SetAlgorithm):
    """N(aux): enough values within ε_r and enough days within ε_d (NS07 §2).

    A missing part of a held item passes; of an item that is not held neither part does.

    Parameters
    ----------
    eps_value : float
        ε_r, in value units.
    eps_day : float
        ε_d, in days.
    delta_value, delta_day : float
        δ_r, δ_d: shares of the values, of the days, that may be off.
    """

    name: ClassVar[str] = "neighbourhood"
    source: ClassVar[str] = "NS07 §2"

    eps_value: float = 0.0
    eps_day: float = 3.0
    delta_value: float = 0.0
    delta_day: float = 0.0

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        value = (~(value_gaps(store, aux) > self.eps_value)).astype(np.float64)
        no_day = (aux.day == NO_DAY)[:, None]
        table, offset = day_table(store, aux.day, lambda gap: (gap <= self.eps_day) * 1.0, 1.0)
        gains = Gains(
            offset,
            value + np.where(no_day, DAYS_UNIT, 0.0),
            np.where(no_day, 0.0, np.full_like(value, DAYS_UNIT)),
            day_table=table,
        )
        size = aux.size.astype(np.float64)
        # A hair less: 0.9·10 must not become 9.000000000000002.
        need = np.column_stack([(1 - self.delta_value) * size, (1 - self.delta_day) * size]) - 1e-9
        return Scan(gains, Finish.BOTH, np.zeros(len(aux)), need=need, listed_above=self.bound)
