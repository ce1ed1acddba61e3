"""Attacks whose answer is a set of records, all equally likely."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux, Candidates
from sim.adversary.knowledge import Knowledge, reach, reach_of, unaware
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.algorithms.likelihood import day_classes
from sim.attack.engine.algorithm import Found
from sim.attack.engine.candidates_first import CandidatesFirst
from sim.attack.engine.decisions import Floats, log2_candidates
from sim.attack.engine.similarity import KINDS, Similarity, Threshold, by_item, value_gaps
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.partials import Partials
from sim.attack.kernels.score_spec import DAYS_UNIT, Contributions, ScoreForm, ScoreSpec
from sim.errors import ConfigError
from sim.extend.options import option
from sim.numeric import log2
from sim.numeric.text import in_a_row


@dataclass(frozen=True, kw_only=True)
class SetAlgorithm(CandidatesFirst):
    """A match iff the set has exactly one record; Π is uniform over the set.

    The entropy of a uniform Π is the logarithm of the set's size, so it takes no second scan; where
    the target is not in the set, or the set is empty, H is log2 of the candidates (NS08 Def. 4).
    """

    matches_by_phi: ClassVar[bool] = False
    rule: ClassVar[str] = "exactly one record in the set"
    uses_sigma: ClassVar[bool] = False
    answers_with_set: ClassVar[bool] = True
    entropy_is_measured = "always"

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
        return np.asarray(whole["matching"] == 1)

    def bits_left(self, found: Found, score: Floats) -> Floats:
        """See `Algorithm.bits_left`."""
        size = log2(np.maximum(found.whole["matching"], 1))
        left = np.where(score > self.bound, size, log2_candidates(found.whole))
        return np.array([left, left])

    def entropy_of(self, found: Found) -> Floats:
        """See `Algorithm.entropy_of`."""
        size = log2(np.maximum(found.whole["matching"], 1))
        return np.where(found.whole["matching"] > 0, size, log2_candidates(found.whole))


@dataclass(frozen=True, kw_only=True)
class Scoreboard(SetAlgorithm):
    """Score(r′) = min over aux of Sim(aux_i, r′_i); the set: score > α (NS08 §4)."""

    name: ClassVar[str] = "scoreboard"
    source: ClassVar[str] = "NS08 §4"
    label: ClassVar[str] = "Scoreboard"
    summary: ClassVar[str] = "Scoreboard: minimum of a record's similarities (NS08 §4)"

    similarity: Similarity = option(Threshold(), help="of two cells", kinds=KINDS)
    alpha: float = option(
        0.0, help="α: the answer is the set of records that score more than this", minimum=0
    )

    @property
    def bound(self) -> float:
        """See `SetAlgorithm.bound`."""
        return self.alpha

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        contributions = self.similarity.contributions(release, aux, np.ones(aux.item.size))
        required = np.ones(aux.item.size, np.bool_)
        return ScoreSpec(
            contributions,
            ScoreForm.LEAST,
            np.zeros(len(aux)),
            required=required,
            matching_above=self.bound,
        )


@dataclass(frozen=True, kw_only=True)
class SetIntersection(SetAlgorithm):
    """All records that hold every aux item (F06 §4.1)."""

    name: ClassVar[str] = "set_intersection"
    source: ClassVar[str] = "F06 §4.1"
    label: ClassVar[str] = "Set Intersection"
    reads: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str] = "Set intersection: records that hold every item (F06 §4.1)"

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        contributions = by_item(release, np.zeros(aux.item.size))
        required = np.ones(aux.item.size, np.bool_)
        return ScoreSpec(
            contributions,
            ScoreForm.ALL,
            np.ones(len(aux)),
            required=required,
            matching_above=self.bound,
        )


@dataclass(frozen=True, kw_only=True)
class Neighbourhood(SetAlgorithm):
    """N(aux): enough values within ε_r and enough days within ε_d (NS07 §2).

    A missing part of a held item passes; of an item that is not held neither part does. So where
    no dates are known, looking at none (δ_d = 1, as NS07 has it) changes nothing.

    Parameters
    ----------
    knowledge : tuple of Knowledge
        What the adversary of each grid cell knows, by the cell's number: thresholds that are None
        are taken from it.
    """

    name: ClassVar[str] = "neighbourhood"
    source: ClassVar[str] = "NS07 §2"
    label: ClassVar[str] = "Neighbourhood"
    summary: ClassVar[str] = "Neighbourhood: all records within the stated errors (NS07 §2)"

    eps_value: float | None = option(
        None,
        help="ε_r: values at most this far apart agree",
        minimum=0,
        null="the adversary's value noise",
    )
    eps_day: float | None = option(
        None,
        help="ε_d: days at most this far apart agree",
        minimum=0,
        null="the adversary's date noise",
    )
    delta_value: float | None = option(
        None,
        help="δ_r: share of the values that may disagree",
        minimum=0,
        maximum=1,
        null="the share of the facts that are wrong",
    )
    delta_day: float | None = option(
        None,
        help="δ_d: share of the days that may disagree",
        minimum=0,
        maximum=1,
        null="the share of the facts that are wrong",
    )
    knowledge: tuple[Knowledge, ...] = ()

    def for_study(
        self,
        known: Sequence[Knowledge | None],
        publisher: Publisher = AS_IS,  # noqa: ARG002
    ) -> Self:
        """See `Algorithm.for_study`."""
        limits = ("eps_value", "eps_day", "delta_value", "delta_day")
        left = [f"attack.{name}" for name in limits if getattr(self, name) is None]
        if not left:
            return self
        understood = tuple(each for each in known if each is not None)
        if not understood or len(understood) < len(known):
            raise ConfigError(
                f"attack=neighbourhood: {left[0]}: null takes it from what the adversary "
                f"knows, which only adversary=aux says; give {in_a_row(left)} as numbers"
            )
        return replace(self, knowledge=understood)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "knowledge", unaware(self.knowledge))

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        eps_value = np.repeat(self._per_unit(self.eps_value, _value_noise, aux), aux.size)
        share = np.zeros(1) if self.eps_value is not None else self._value_shares(aux)
        values = np.append(release.scale, np.nan)[None, :]
        given = None if self.eps_day is None else release.within(self.eps_day)
        eps_day = self._per_unit(given, _date_noise, aux)
        off = value_gaps(release, aux) > reach_of(values, eps_value[:, None], share[:, None])
        value = (~off).astype(np.float64)
        classes, offset = day_classes(release, aux, np.repeat(eps_day, aux.size))
        no_day = (aux.day == NO_DAY)[:, None]
        contributions = Contributions(
            offset,
            value + np.where(no_day, DAYS_UNIT, 0.0),
            np.where(no_day, 0.0, np.full_like(value, DAYS_UNIT)),
            day_table=(classes > 0).astype(np.float64),  # a cell without a day passes
        )
        wrong = (
            self._per_unit(self.delta_value, _wrong_share, aux),
            self._per_unit(self.delta_day, _wrong_share, aux),
        )
        # Subtract a tolerance: 0.9·10 must not become 9.000000000000002.
        need = np.column_stack([(1 - share) * aux.size for share in wrong]) - 1e-9
        return ScoreSpec(
            contributions, ScoreForm.BOTH, np.zeros(len(aux)), need=need, matching_above=self.bound
        )

    def _value_shares(self, aux: Aux) -> Floats:
        """The share of a cell's value by which a fact may be off too, shape (A,)."""
        share = [reach(known.value_share) for known in self.knowledge]
        return np.repeat(np.array(share, np.float64)[aux.cell], aux.size)

    def _per_unit(
        self, given: float | None, known: Callable[[Knowledge], float], aux: Aux
    ) -> Floats:
        """Return a threshold for each aux set: the one given, or its grid cell's adversary's."""
        if given is not None:
            return np.full(len(aux), given)
        if not self.knowledge:
            raise ValueError("a neighbourhood without thresholds needs the adversary's knowledge")
        return np.array([known(cell) for cell in self.knowledge], np.float64)[aux.cell]


def _value_noise(known: Knowledge) -> float:
    return np.inf if known.value_reach is None else known.value_reach


def _date_noise(known: Knowledge) -> float:
    return np.inf if known.date_noise is None else known.date_noise


def _wrong_share(known: Knowledge) -> float:
    return (known.size - known.correct) / known.size
