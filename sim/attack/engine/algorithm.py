"""What every attack has in common: score blocks, fold the partials, decide.

An algorithm states its options, the class attributes that describe it, the contributions and the
finish of its score (`scan`), its rule (`matches`), and what it needs of the release. `Algorithm`
does the rest on any runner: phase 0 scores every block; if the entropy is asked for, phase 1 weighs
every score by the σ found.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import ANY_LENGTH, AuxBatch
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.engine.decisions import Decisions, Floats, SigmaOver, eccentricity, sigma
from sim.attack.kernels.drivers import scan_block, target_scores, weigh_block
from sim.attack.kernels.nested import apart, nested, taken
from sim.attack.kernels.partials import PARTIAL, WEIGHED, Partials, sum_of, total
from sim.attack.kernels.scan import Scan
from sim.extend.options import Options, option
from sim.numeric import LN2, log, log2
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

_CELLS_OF_TABLES = 1 << 22
"""Places in tables scanned at a time, so that they stay small whatever the scale and the days."""

Missing = Literal["drop", "mean"]


@dataclass(frozen=True, slots=True)
class Scored:
    """What phase 0 found, for the phases after it.

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)
    own : float64 array, shape (U,)
        Each target's own score.
    sigmas : float64 array, shape (U, 2)
        Over all candidates, and over those sharing an item with the aux.
    weighed : float64 array, shape (U, 2, 2), or None
        What phase 1 would find, where phase 0 has found it.
    """

    whole: Partials
    own: Floats
    sigmas: Floats
    weighed: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class Algorithm(Options, ABC):
    """An attack on a release (spec §4)."""

    group: ClassVar[str] = "attack"
    name: ClassVar[str]
    source: ClassVar[str] = ""
    label: ClassVar[str] = ""
    """Its name in figures and sentences; derived from `name` where it is empty."""
    caveat: ClassVar[str] = ""
    """What a reader must know of its numbers, where facts are drawn from the targets' records."""
    needs: ClassVar[tuple[str, ...]] = ()
    """What the release must have: "values", "days"."""
    looks_elsewhere: ClassVar[bool] = False
    """Whether a guess means something where no record shares an item with the aux."""
    matches_by_phi: ClassVar[bool] = True
    """Whether the rule is that the eccentricity exceeds φ."""
    uses_sigma: ClassVar[bool] = True
    """Whether the convention of σ bears on what it finds."""
    answers_with_set: ClassVar[bool] = False
    """Whether the likely list is the answer, a set of equally likely records."""
    list_is_top: ClassVar[bool] = True
    """Whether the likely list is a top stretch of the candidates by score."""
    log_scores: ClassVar[bool] = False
    """Whether scores are logarithms: −∞ rules a record out."""
    entropy_is_measured: ClassVar[Literal["asked", "always", "never"]] = "asked"
    """Whether its distribution has an entropy: where `entropy` asks for it, always, or never."""

    phi: float = option(1.5, help="match if the eccentricity exceeds this", least=0)
    sigma: SigmaOver = option(
        "all", help="σ over all candidates, or over those sharing an aux item"
    )
    missing: Missing = option(
        "drop", help="a fact without a value: leave the value out, or take the others' mean (NS07)"
    )
    entropy: bool = option(False, help="measure the entropy as well, which takes a second scan")

    @classmethod
    def name_of(cls) -> str:
        """See `Options.name_of`."""
        return getattr(cls, "name", "")

    @classmethod
    def conditions(cls, options: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG003
        """What tells its runs apart, in the words of `sim.papers.statements`.

        Parameters
        ----------
        options : dict
            As in the configuration of a run.
        """
        return {}

    def for_study(
        self,
        known: Sequence[Knowledge | None],  # noqa: ARG002
        publisher: Publisher = AS_IS,  # noqa: ARG002
    ) -> Self:
        """Return the attack as it is made on a grid.

        Parameters
        ----------
        known : sequence of Knowledge or None
            What the adversary of each grid cell knows; None where no model says it.
        publisher : Publisher
            How the release was made from what the adversary's facts are drawn from.

        Raises
        ------
        ConfigError
            It needs to know more of the adversaries.
        """
        return self

    @property
    def presence_setting(self) -> str:
        """The setting that lets mere presence count; empty if it counts already.

        Without it, all scores are alike where the adversary knows neither values nor dates.
        """
        return ""

    @abstractmethod
    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """State the score: contributions and finish, for a batch of aux sets."""

    def annotate(self, store: Store, aux: AuxBatch) -> AuxBatch:  # noqa: ARG002
        """Add to drawn aux what only a look at the whole release can tell; done once a batch."""
        return aux

    def prepare(self, store: Store, aux: AuxBatch) -> AuxBatch:  # noqa: ARG002
        """Take the aux as this attack takes it, and restrict the candidates to its own."""
        return with_mean_values(aux) if self.missing == "mean" else aux

    def matches(self, decided: Floats, whole: Partials) -> NDArray[np.bool_]:  # noqa: ARG002
        """State the rule: which aux sets are matched, given their eccentricities."""
        return decided > self.phi

    def spread(self, whole: Partials, over: SigmaOver) -> Floats:
        """σ, which eccentricity and entropy divide by."""
        return sigma(whole, over)

    def lacks(self, release: Manifest) -> str | None:
        """What the release would have to hold for this algorithm; None if nothing is missing."""
        if "values" in self.needs and not release.has_values:
            return "values"
        return "dates" if "days" in self.needs and not release.has_days else None

    @property
    def grows(self) -> bool:
        """Whether scores are sums of what each fact adds by itself, never less than nothing.

        What is found after some of the facts is then what an aux set of these alone would say.
        """
        return False

    @property
    def most_units(self) -> int:
        """Most aux sets scanned at a time, where an algorithm keeps much for each."""
        return 1 << 20

    @property
    def n_phases(self) -> int:
        """How often the blocks are scanned."""
        return 2 if self.entropy else 1

    def partial_bytes(self, store: Store) -> int:  # noqa: ARG002
        """Size of what one block says about one aux set."""
        return PARTIAL.itemsize

    def score(
        self, store: Store, blocks: list[int], aux: AuxBatch, phase: int, carry: Any
    ) -> dict[int, Any]:
        """Scan some blocks in one phase.

        Parameters
        ----------
        store : Store
        blocks : list of int
        aux : AuxBatch
            U units.
        phase : int
        carry : object
            What `fold` made of the phase before; None in phase 0.

        Returns
        -------
        dict of int to array
            By block: PARTIAL array of shape (U,) in phase 0, float64 array of shape (U, 2, 2)
            after. Phase 0 of the entropy of a release of one block answers for both, in an array
            of `WEIGHED`; phase 1 then has nothing left to do.
        """
        if phase > 0 and carry.weighed is not None:
            return dict.fromkeys(blocks)
        aux = self.prepare(store, aux)
        nest = nested(aux) if self.grows else apart(aux)
        scanned = taken(aux, nest.scanned) if self.grows else aux
        # Of one block σ is known as soon as it is scanned; a larger release has more scores than
        # can be kept at hand, and they are made again.
        at_once = self.n_phases == 2 and store.manifest.n_blocks == 1
        found: dict[int, Any] = {}
        for begin, end in self._slices(store, scanned):
            part, cuts = scanned.part(begin, end), nest.part(begin, end)
            scan = self.scan(store, part)
            own = target_scores(store, part, scan, cuts) if phase == 0 else None
            highest = np.zeros((cuts.unit.size, 2))
            for index in blocks:
                block = store.block(index)
                if own is None:
                    best, sigmas = carry.whole["best"][cuts.unit], carry.sigmas[cuts.unit]
                    piece: Any = weigh_block(store, block, part, scan, best, sigmas, cuts)
                else:
                    piece = scan_block(
                        store, block, part, scan, own, cuts, highest=highest, weighs=at_once
                    )
                if index not in found:
                    found[index] = np.empty((len(aux), *piece.shape[1:]), piece.dtype)
                found[index][cuts.unit] = piece
        return found

    def fold(
        self,
        store: Store,  # noqa: ARG002
        aux: AuxBatch,
        phase: int,
        carry: Any,
        found: dict[int, Any],
    ) -> Any:
        """Merge the blocks of one phase: into what the next needs, or into decisions.

        Parameters
        ----------
        store : Store
        aux : AuxBatch
        phase : int
        carry : object
            See `score`.
        found : dict
            See `score`; of all blocks.

        Returns
        -------
        Scored or Decisions
        """
        if phase == 0:
            weighed = None
            if found[min(found)].dtype == WEIGHED:
                weighed = sum_of({index: both["weighed"] for index, both in found.items()})
                found = {index: both["partial"] for index, both in found.items()}
            scored = replace(self._scored(total(found)), weighed=weighed)
            return scored if self.n_phases > 1 else self.conclude(aux, scored, None)
        weighed = sum_of(found) if carry.weighed is None else carry.weighed
        return self.conclude(aux, carry, weighed)

    def conclude(self, aux: AuxBatch, scored: Scored, weighed: Floats | None) -> Decisions:
        """Decide on every aux set.

        Parameters
        ----------
        aux : AuxBatch
            U units.
        scored : Scored
        weighed : float64 array, shape (U, 2, 2), or None
            Sums of `sim.attack.kernels.drivers.weigh_block` over the release.

        Returns
        -------
        Decisions
        """
        whole, own = scored.whole, scored.own
        spread = scored.sigmas[:, 0 if self.sigma == "all" else 1]
        decided = eccentricity(whole["best"], whole["second"], spread, whole)
        bits = np.full((3, len(aux)), np.nan)
        if weighed is not None:
            bits[0], bits[2] = _entropies(scored, weighed[:, 0], 0)
            bits[1], _ = _entropies(scored, weighed[:, 1], 1)
        return self._decisions(aux, scored, decided, spread, own, bits, np.full(len(aux), np.nan))

    def _decisions(
        self,
        aux: AuxBatch,
        scored: Scored,
        decided: Floats,
        spread: Floats,
        own: Floats,
        bits: Floats,
        posterior: Floats,
    ) -> Decisions:
        whole = scored.whole
        alone = (whole["ties"] == 1) & (whole["listed"] > 0)
        if not self.looks_elsewhere:
            alone &= whole["touched"] > 0
        best = np.where(alone, whole["best_record"], -1)
        is_candidate = ~np.isnan(own)
        return Decisions(
            best=best,
            best_score=np.where(whole["candidates"] > 0, whole["best"], np.nan),
            second_score=np.where(whole["candidates"] > 1, whole["second"], np.nan),
            sigma=spread,
            eccentricity=decided,
            matched=self.matches(decided, whole) & alone,
            correct=is_right(best, aux),
            target_score=own + 0.0,  # −0.0 is the mark of the untouched
            rank=np.where(is_candidate, whole["at_least"], 0),
            above=np.where(is_candidate, whole["above"], 0),
            ties=whole["ties"],
            candidates=whole["candidates"],
            listed=whole["listed"],
            sharing=whole["touched"],
            entropy_bits=np.where(is_candidate, bits[0], np.nan),
            entropy_bits_nonzero=np.where(is_candidate, bits[1], np.nan),
            entropy_all_bits=np.where(whole["candidates"] > 0, bits[2], np.nan),
            posterior=posterior,
        )

    def _scored(self, whole: Partials) -> Scored:
        sigmas = np.column_stack([self.spread(whole, "all"), self.spread(whole, "nonzero")])
        return Scored(whole, whole["own"], sigmas)

    def _slices(self, store: Store, aux: AuxBatch) -> list[tuple[int, int]]:
        """Runs of units whose tables fit, at least one unit each.

        Units that know a length are scanned apart, since σ is then summed in another order: what
        is found of a unit must not depend on those it shares a batch with.
        """
        m = store.manifest
        width = store.scale.size + 1 + (m.n_days + 1 if m.missing_days else 0)
        facts = max(_CELLS_OF_TABLES // width, 1)
        restricted = (aux.shortest > 0) | (aux.longest < ANY_LENGTH)
        changes = np.append(np.flatnonzero(np.diff(restricted)) + 1, len(aux))
        bounds, begin = [], 0
        while begin < len(aux):
            end = int(np.searchsorted(aux.start, aux.start[begin] + facts, side="right")) - 1
            change = int(changes[np.searchsorted(changes, begin, side="right")])
            end = min(max(end, begin + 1), begin + self.most_units, change)
            bounds.append((begin, end))
            begin = end
        return bounds or [(0, 0)]


def is_right(best: NDArray[np.int64], aux: AuxBatch) -> NDArray[np.bool_]:
    """Whether guesses name the target; nothing does where the target is absent or not known.

    Parameters
    ----------
    best : int64 array, shape (U,)
        −1 for no guess.
    aux : AuxBatch

    Returns
    -------
    bool array, shape (U,)
    """
    return np.asarray((best == aux.target) & (best >= 0) & ~aux.absent)


def with_mean_values(aux: AuxBatch) -> AuxBatch:
    """Give every fact without a value the mean of its aux's other values (NS07 §4; spec §2).

    Parameters
    ----------
    aux : AuxBatch

    Returns
    -------
    AuxBatch
        An aux without any value stays without.
    """
    known = ~np.isnan(aux.value)
    number = np.bincount(aux.unit[known], minlength=len(aux))
    summed = np.bincount(aux.unit[known], aux.value[known], minlength=len(aux))
    with np.errstate(invalid="ignore"):
        mean = summed / number
    return replace(aux, value=np.where(known, aux.value, mean[aux.unit]))


def _entropies(scored: Scored, weighed: Floats, convention: int) -> tuple[Floats, Floats]:
    """H of the target, and of Π itself, in bits (NS08 §4, Def. 4).

    σ = 0 is taken for its limit: Π uniform over the highest scores.
    """
    whole, spread = scored.whole, scored.sigmas[:, convention]
    at_top = scored.own == whole["best"]
    none = log2(np.maximum(whole["candidates"], 1))
    flat = log2(np.maximum(whole["ties"], 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        partition = log(weighed[:, 0])
        target = (partition + (whole["best"] - scored.own) / spread) / LN2
        itself = (partition - weighed[:, 1] / weighed[:, 0]) / LN2
    target = np.where(spread > 0, target, np.where(at_top, flat, none))
    return np.maximum(target, 0.0), np.maximum(np.where(spread > 0, itself, flat), 0.0)
