"""The base class of all attacks: scores blocks, folds the partials, decides.

An algorithm states its options, the class attributes that describe it, the contributions and the
form of its score (`scan`), its rule (`matches`), and the data that it needs in the release.
`Algorithm` does the rest on any runner. Phase 0 scores every block. The next `passes` phases look
at every score again, if the attack asks for that. If the entropy is asked for, the last phase sums
the exponential weights of all scores by the σ found.

Invariant: an algorithm has no access to the ground truth. Only the engine (`partials`, `fold`)
knows the targets of the aux sets: it removes the records of absent targets, and computes the
targets' ranks.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Candidates, Drawn, GroundTruth
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import AS_IS, Publisher
from sim.adversary.target_cells import all_own_cells
from sim.attack.engine.accepted import accepted
from sim.attack.engine.block_tree import Span, groups_of, merged
from sim.attack.engine.decisions import (
    Decisions,
    Floats,
    Guesses,
    SigmaOver,
    eccentricity,
    log2_candidates,
    sigma,
)
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.drivers import (
    scan_block,
    score_block,
    scores_of_own,
    target_scores,
    weigh_block,
)
from sim.attack.kernels.near_cells import near_cells, near_own
from sim.attack.kernels.partials import PARTIAL, Partials, joined, seen, with_nobody
from sim.attack.kernels.prefixes import PrefixGroups, by_target, group_prefixes, ungrouped
from sim.attack.kernels.record_terms import absent_terms
from sim.attack.kernels.score_spec import ScoreSpec, WrongDraws
from sim.errors import StandoutError
from sim.extend.options import Options, option
from sim.extend.plugins import qualified_name
from sim.numeric import LN2, exp2, log, log2
from sim.release.store.manifest import Manifest
from sim.release.store.store import Block, Store

BASELINE = "baseline"
"""In place of its source, of an attack that looks at no facts."""

_CELLS_OF_TABLES = 1 << 22
"""Most table entries for one scan, so that tables stay small whatever the scale and the days."""

_CELLS_COPIED = 1 << 22
"""Most cells that are copied for one scan of a release with repeats."""

Missing = Literal["drop", "mean"]

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Found:
    """Results of the scans for U aux sets, independent of the targets.

    Parameters
    ----------
    whole : SEEN array, shape (U,)
    sigmas : float64 array, shape (U, C)
        By `Algorithm.conventions`: the σ that is asked for comes first.
    weighed : float64 array, shape (U, C, 2), or None
        Sums of `sim.attack.kernels.drivers.weigh_block` over the release, once they are known.
    learnt : array, shape (U, …), or None
        Result of `Algorithm.learn` after the last pass; None without one.
    kept : (int64 array, float64 array), shape (U, K) each, or None
        The records that score highest and their scores, −1 and −∞ for none; see
        `Algorithm.n_kept`.
    """

    whole: Partials
    sigmas: Floats
    weighed: Floats | None = None
    learnt: Any = None
    kept: tuple[NDArray[np.int64], Floats] | None = None

    @property
    def sigma(self) -> Floats:
        """σ by the convention that is asked for, shape (U,)."""
        return self.sigmas[:, 0]


@dataclass(frozen=True, slots=True)
class Scored:
    """Results of the phases so far, for the following ones.

    Parameters
    ----------
    own : float64 array, shape (U,)
        Each target's own score; NaN where it is no candidate.
    at_least, above : int64 arrays, shape (U,)
        Candidates that score at least as much as the target, and strictly more. Of the records of
        a person who has several, that with the highest score counts.
    """

    found: Found
    own: Floats
    at_least: NDArray[np.int64]
    above: NDArray[np.int64]


class _Scan(NamedTuple):
    """A scan for some of the units of a batch.

    Parameters
    ----------
    units : int64 array, shape (V,)
    learnt : array, shape (V, …), or None
        Theirs, as in `Algorithm.join`.
    of_block : callable
        Returns the partials of a block, shape (V, …).
    """

    units: NDArray[np.int64]
    learnt: Any
    of_block: Callable[[Block], Any]


def _named(method: Callable[P, R]) -> Callable[P, R]:
    """Name the attack in a note on an unexpected exception: its code may be anyone's."""

    @functools.wraps(method)
    def noted(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except StandoutError:
            raise
        except Exception as error:
            attack: Any = args[0]
            error.add_note(f"while attack {attack.name} ran ({qualified_name(type(attack))})")
            raise

    return noted


@dataclass(frozen=True, kw_only=True)
class Algorithm(Options, ABC):
    """An attack on a release (spec §4)."""

    group: ClassVar[str] = "attack"
    name: ClassVar[str]
    source: ClassVar[str] = ""
    label: ClassVar[str] = ""
    """Its name in figures and sentences; derived from `name` where it is empty."""
    needs: ClassVar[tuple[str, ...]] = ()
    """Data that the release must have: "values", "days"."""
    reads: ClassVar[tuple[str, ...]] = ("values", "days")
    """What it reads of a fact beside its item; reports say of no other part that it was known."""
    scores_non_overlapping: ClassVar[bool] = False
    """Whether a best guess is meaningful if no record overlaps the aux."""
    matches_by_phi: ClassVar[bool] = True
    """Whether the rule is that the eccentricity exceeds φ."""
    rule: ClassVar[str] = "eccentricity > φ"
    """The rule in a few words, for the list of attacks."""
    uses_sigma: ClassVar[bool] = True
    """Whether its results depend on the convention of σ."""
    answers_with_set: ClassVar[bool] = False
    """Whether the answer is the matching set, whose records are equally likely."""
    list_is_top: ClassVar[bool] = True
    """Whether the matching set consists of the highest-scoring candidates."""
    log_scores: ClassVar[bool] = False
    """Whether scores are logarithms: −∞ rules a record out."""
    entropy_is_measured: ClassVar[Literal["asked", "always", "never"]] = "asked"
    """Whether its distribution has an entropy: where `entropy` asks for it, always, or never."""

    phi: float = option(1.5, help="match if the eccentricity exceeds this", minimum=0)
    sigma: SigmaOver = option(
        "all", help="σ over all candidates, or only over those that share an aux item"
    )
    missing: Missing = option(
        "drop", help="a fact without a value: ignore the value, or use the others' mean (NS07)"
    )
    entropy: bool = option(False, help="measure the entropy too; needs a second scan")
    both_sigmas: bool = option(
        False, help="measure the entropy also with the other convention of σ; takes longer"
    )

    @classmethod
    def conditions(cls, options: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG003
        """Return the conditions that distinguish its runs, in the terms of `sim.papers.statements`.

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
        """Return the attack with its parameters completed for a grid.

        Parameters
        ----------
        known : sequence of Knowledge or None
            Knowledge of each grid cell's adversary; None where there is no model of it.
        publisher : Publisher
            How the release was made from the data that the adversary's facts are drawn from.

        Raises
        ------
        ConfigError
            It needs to know more about the adversaries.
        """
        return self

    @abstractmethod
    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:
        """State the score of a batch of aux sets: contributions and form."""

    def annotate(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> Floats:  # noqa: ARG002
        """Compute a number per fact, or several, that need the whole release; done once a batch.

        Returns
        -------
        float64 array, shape (A,) or (A, P)
            Available as `ReleaseView.notes`; empty for no notes.
        """
        return np.empty(0)

    def near(self, release: ReleaseView, aux: Aux) -> WrongDraws | None:  # noqa: ARG002
        """Return the noise within which an item's cells are counted for the score, if any are.

        Of the result only `kind`, `reach` and `within` are read.
        """
        return None

    def prepare(
        self,
        release: ReleaseView,  # noqa: ARG002
        aux: Aux,
        candidates: Candidates,
    ) -> tuple[Aux, Candidates]:
        """Transform the aux, and restrict the candidates, as this attack requires."""
        return with_mean_values(aux) if self.missing == "mean" else aux, candidates

    def matches(self, decided: Floats, whole: Partials) -> NDArray[np.bool_]:  # noqa: ARG002
        """Return which aux sets are matched, given their eccentricities."""
        return decided > self.phi

    def sigma_of(self, whole: Partials, over: SigmaOver) -> Floats:
        """Compute σ, the divisor of eccentricity and entropy."""
        return sigma(whole, over)

    def look(
        self, release: ReleaseView, records: NDArray[np.int64], scores: Floats, learnt: Any
    ) -> Any:
        """Look again at the scores of one aux set's candidates in a block; see `passes`.

        Parameters
        ----------
        records : int64 array, shape (n,)
            The candidates, ascending.
        scores : float64 array, shape (n,)
        learnt : object
            This aux set's entry in the result of `learn` for the previous pass; None at first.

        Returns
        -------
        float64 array
            Of the same shape in every block.
        """
        raise NotImplementedError

    def join(self, looks: list[Any], learnt: Any) -> Any:
        """Merge results of `look` of neighbouring runs of blocks into one of the same shape.

        Parameters
        ----------
        looks : list of array, shape (U, …)
            In block order.
        learnt : object
            As in `look`, of all U aux sets.
        """
        raise NotImplementedError

    def learn(self, whole: Any, learnt: Any) -> Any:
        """Conclude from the results of `look`.

        Parameters
        ----------
        whole : array, shape (U, …)
            Of all blocks, merged by `join`.
        learnt : object
            Its own result for the previous pass; None at first.

        Returns
        -------
        array, shape (U, …)
            For the next pass, or for `conclude`.
        """
        raise NotImplementedError

    def conclude(self, found: Found) -> Guesses:
        """Decide on every aux set."""
        whole, spread = found.whole, found.sigma
        decided = eccentricity(whole["best"], whole["second"], spread, whole)
        return self._guesses(found, decided, np.full(whole.size, np.nan))

    def bits_left(self, found: Found, score: Floats) -> Floats:
        """H = −log2 Π of a record with a given score, in bits (NS08 §4, Def. 4).

        Parameters
        ----------
        score : float64 array, shape (U,)

        Returns
        -------
        float64 array, shape (2, U)
            By the convention of σ that is asked for, and by the other; NaN where not measured.
        """
        bits = np.full((2, score.size), np.nan)
        if found.weighed is not None:
            for convention in range(len(self.conventions)):
                bits[convention] = _bits_of(found, score, convention)
        return bits

    def entropy_of(self, found: Found) -> Floats:
        """Entropy of Π itself in bits, shape (U,); NaN if not measured."""
        if found.weighed is None:
            return np.full(found.whole.size, np.nan)
        return _bits_of_all(found)

    def posteriors_of_kept(self, found: Found) -> Floats:
        """Probability of each record that is kept, shape (U, K)."""
        return np.empty((found.whole.size, 0))

    def shown(self, score: Floats) -> Floats:
        """Return scores as recorded in the tables."""
        return score + 0.0  # −0.0 marks a record without contributions

    def lacks(self, release: Manifest) -> str | None:
        """Return the data that the release lacks for this attack; None if nothing is missing."""
        if "values" in self.needs and not release.has_values:
            return "values"
        return "dates" if "days" in self.needs and not release.has_days else None

    @property
    def untested(self) -> str:
        """Code of why its attacker may find more than it does; empty: no reason is known."""
        return ""

    @property
    def conventions(self) -> tuple[SigmaOver, ...]:
        """The conventions of σ that scores are weighed by: first the one that is asked for."""
        if not self.both_sigmas:
            return (self.sigma,)
        return (self.sigma, "nonzero" if self.sigma == "all" else "all")

    @property
    def is_monotone(self) -> bool:
        """Whether scores are sums of one contribution of each fact, none of them negative.

        The scores after some of the facts are then those of an aux set of these facts alone.
        """
        return False

    @property
    def looks_at_everybody(self) -> bool:
        """Whether to score every record, those that the facts rule out included.

        Otherwise only the candidates that they leave are scored, wherever they rule any out
        (`sim.attack.kernels.candidates`).
        """
        return True

    @property
    def n_kept(self) -> int:
        """Number of records to keep of each aux set, those that score highest."""
        return 0

    @property
    def absent_people(self) -> int:
        """Number of people who may be meant and have no record; their score is a log likelihood."""
        return 0

    @property
    def max_batch(self) -> int:
        """Most aux sets scanned at a time, for attacks that keep much data for each."""
        return 1 << 20

    @property
    def passes(self) -> int:
        """Number of further passes over every score before deciding; see `look`."""
        return 0

    @property
    def n_phases(self) -> int:
        """Number of scans of the blocks."""
        return 1 + self.passes + int(self.entropy)

    def partial_bytes(self, store: Store) -> int:  # noqa: ARG002
        """Size of one block's partial for one aux set."""
        return PARTIAL.itemsize

    @_named
    def annotated(self, store: Store, drawn: Drawn) -> Drawn:
        """Add the attack's notes to what was drawn, and all own cells where items repeat.

        Here and not in every worker, which would each need the cells of all items for it.
        """
        if store.manifest.has_repeats:
            record = np.repeat(drawn.truth.target, drawn.aux.size)
            own = all_own_cells(store, record, drawn.aux.item)
            drawn = replace(drawn, truth=replace(drawn.truth, repeated=own))
        view = ReleaseView(store, drawn)
        notes, noise = self.annotate(view, drawn.aux, drawn.candidates), self.near(view, drawn.aux)
        if noise is not None:
            near = near_own(store, drawn.aux.item, drawn.truth.own, noise)
            drawn = replace(drawn, truth=drawn.truth.with_near(near))
        return replace(drawn, notes=notes)

    def prepared(self, store: Store, drawn: Drawn) -> Drawn:
        """Return the aux and the candidates as this attack transforms them."""
        aux, candidates = self.prepare(ReleaseView(store, drawn), drawn.aux, drawn.candidates)
        return replace(drawn, aux=aux, candidates=candidates)

    def scanned(self, store: Store, drawn: Drawn) -> ScoreSpec:
        """State the score for a prepared batch.

        Raises
        ------
        GridError
            See `accepted`.
        """
        given = self.scan(ReleaseView(store, drawn), drawn.aux, drawn.candidates)
        return accepted(self.name, given, store, drawn.aux)

    @_named
    def partials(
        self, store: Store, blocks: list[int], drawn: Drawn, phase: int, carry: Any
    ) -> dict[Span, Any]:
        """Scan some blocks in one phase, and merge what can be merged of them.

        Blocks are scored and merged group by group, so that few partials are in memory at a time
        (`sim.attack.engine.block_tree.most_held`).

        Parameters
        ----------
        drawn : Drawn
            U units.
        carry : object
            Result of `fold` for the previous phase; None in phase 0.

        Returns
        -------
        dict of span to array
            Of the spans of `sim.attack.engine.block_tree` that the blocks fill: PARTIAL array of
            shape (U,) in phase 0, what `look` returns for each unit in the passes, float64 array of
            shape (U, C, 2) for the entropy. Phase 0 of the entropy of a release of one block
            answers for both, in an array of `weighed_type`, unless there are passes; phase 1 then
            has nothing left to do.
        """
        if phase > 0 and carry.found.weighed is not None:
            nothing = dict.fromkeys((index, index + 1) for index in blocks)
            return self._merged(store, phase, None, nothing)
        near_cells(store).scanned(blocks)  # to count for all at once, if the attack asks
        drawn, found = self.prepared(store, drawn), dict[Span, Any]()
        for units, learnt, scan in self._scans(store, drawn, phase, carry):
            of_units: dict[Span, Any] = {}
            for group in groups_of(blocks):
                of_units |= {(index, index + 1): scan(store.block(index)) for index in group}
                of_units = self._merged(store, phase, learnt, of_units)
            for span, part in of_units.items():
                if span not in found:
                    found[span] = np.empty((len(drawn), *part.shape[1:]), part.dtype)
                found[span][units] = part
        return found

    def _scans(self, store: Store, drawn: Drawn, phase: int, carry: Any) -> Iterator[_Scan]:
        """Yield what scans a block for some of the units at a time; see `_slices`."""
        if 0 < phase <= self.passes:
            learnt = carry.found.learnt
            for begin, end in self._slices(store, drawn):
                of_part = None if learnt is None else learnt[begin:end]
                look = self._looking(store, drawn.part(begin, end), of_part)
                yield _Scan(np.arange(begin, end), of_part, look)
            return
        groups, scanned = ungrouped(drawn), drawn
        if self.is_monotone or not self.looks_at_everybody:
            groups = group_prefixes(drawn) if self.is_monotone else by_target(drawn)
            scanned = drawn.take(groups.scanned)
        for begin, end in self._slices(store, scanned):
            part, served = scanned.part(begin, end), groups.part(begin, end)
            if phase == 0:
                yield _Scan(served.unit, None, self._scoring(store, part, served))
            else:
                weigh = self._weighing(store, part, served, carry.found)
                yield _Scan(served.unit, None, weigh)

    def _scoring(
        self, store: Store, part: Drawn, served: PrefixGroups
    ) -> Callable[[Block], Partials]:
        """Return the scan of phase 0."""
        spec = self.scanned(store, part)
        own = target_scores(store, part, spec, served)
        highest = np.zeros((served.unit.size, 2))
        # If the release is one block, σ is known right after the scan. A larger release has too
        # many scores to keep, so a second scan computes them again.
        at_once = self.entropy and self.n_phases == 2 and store.manifest.n_blocks == 1
        overlapping = np.array([over == "nonzero" for over in self.conventions])
        return lambda block: scan_block(
            store, block, part, spec, own, served, highest=highest,
            overlapping=overlapping if at_once else None,
            full=self.looks_at_everybody, keep=self.n_kept,
        )  # fmt: skip

    def _weighing(
        self, store: Store, part: Drawn, served: PrefixGroups, found: Found
    ) -> Callable[[Block], Floats]:
        """Return the scan that sums the exponential weights."""
        spec = self.scanned(store, part)
        best, sigmas = found.whole["best"][served.unit], found.sigmas[served.unit]
        return lambda block: weigh_block(store, block, part, spec, best, sigmas, served)

    def _looking(self, store: Store, part: Drawn, learnt: Any) -> Callable[[Block], Any]:
        """Return the scan that looks again."""
        release, spec = ReleaseView(store, part), self.scanned(store, part)

        def look(block: Block) -> Any:
            every = np.arange(block.first, block.first + block.n_records)
            looks = []
            for unit in range(len(part)):
                scores, records = score_block(store, block, part, spec, unit), every
                none = np.isnan(scores)
                if none.any():
                    scores, records = scores[~none], every[~none]
                of_unit = None if learnt is None else learnt[unit]
                looks.append(self.look(release, records, scores, of_unit))
            return np.array(looks)

        return look

    def _merged(
        self, store: Store, phase: int, learnt: Any, found: Mapping[Span, Any]
    ) -> dict[Span, Any]:
        def join(parts: list[Any]) -> Any:
            if parts[0] is None:  # nothing was left to do
                return None
            return self.join(parts, learnt) if 0 < phase <= self.passes else joined(parts)

        return merged(found, store.manifest.n_blocks, join)

    @_named
    def fold(
        self,
        store: Store,
        drawn: Drawn,
        phase: int,
        carry: Any,
        found: Mapping[Span, Any],
    ) -> Any:
        """Merge the blocks of one phase: into the input of the next phase, or into decisions.

        Parameters
        ----------
        carry : object
            See `partials`.
        found : dict
            See there; of all blocks.
        """
        learnt = None if carry is None else carry.found.learnt
        found = self._merged(store, phase, learnt, found)
        if len(found) != 1:
            raise RuntimeError(f"not the partials of all blocks: {sorted(found)}")
        (whole,) = found.values()
        if phase == 0:
            scored = self._scored(whole, self._score_of_absent(store, drawn))
        elif phase <= self.passes:
            learnt = self.learn(whole, carry.found.learnt)
            scored = replace(carry, found=replace(carry.found, learnt=learnt))
        elif carry.found.weighed is None:
            scored = replace(carry, found=replace(carry.found, weighed=whole))
        else:
            scored = carry
        if phase + 1 < self.n_phases:
            return scored
        return self._decisions(drawn.truth, scored, self._scores_of_own(store, drawn, scored))

    def _score_of_absent(self, store: Store, drawn: Drawn) -> Floats | None:
        """Return the log score of all `absent_people` together, shape (U,); None: of none."""
        if not self.absent_people:
            return None
        drawn, found = self.prepared(store, drawn), np.empty(len(drawn))
        for begin, end in self._slices(store, drawn):
            given = self.scanned(store, drawn.part(begin, end)).absent
            if given is None:
                raise RuntimeError(f"{self.name}: counts absent people without their posterior")
            found[begin:end] = absent_terms(store, end - begin, given)
        return found + float(log(self.absent_people))

    def _scores_of_own(self, store: Store, drawn: Drawn, scored: Scored) -> Floats:
        """Scores of each target's records, shape (K, U); NaN for none, or no candidate."""
        if drawn.truth.records is None:
            return scored.own[np.newaxis]
        drawn = self.prepared(store, drawn)
        every = np.full((drawn.truth.most_records, len(drawn)), np.nan)
        for begin, end in self._slices(store, drawn):
            part = drawn.part(begin, end)
            found = scores_of_own(store, part, self.scanned(store, part))
            every[: len(found), begin:end] = found
        return every

    def _scored(self, whole: NDArray[Any], nobody: Floats | None) -> Scored:
        names = whole.dtype.names or ()
        weighed = whole["weighed"] if "weighed" in names else None
        kept = (whole["record"], whole["score"]) if "record" in names else None
        whole = whole["partial"] if "partial" in names else whole
        shown = seen(whole) if nobody is None else with_nobody(seen(whole), nobody)
        sigmas = np.column_stack([self.sigma_of(shown, over) for over in self.conventions])
        standing = (whole[name].copy() for name in ("own", "at_least", "above"))
        return Scored(Found(shown, sigmas, weighed, kept=kept), *standing)

    def _guesses(self, found: Found, decided: Floats, posterior: Floats) -> Guesses:
        whole = found.whole
        alone = (whole["ties"] == 1) & (whole["matching"] > 0)
        if not self.scores_non_overlapping:
            # −1 is not known; but then nobody is in the matching set who does not overlap.
            alone &= whole["overlapping"] != 0
        return Guesses(
            best=np.where(alone, whole["best_record"], -1),
            best_score=np.where(whole["candidates"] > 0, whole["best"], np.nan),
            second_score=np.where(whole["candidates"] > 1, whole["second"], np.nan),
            sigma=found.sigma,
            eccentricity=decided,
            matched=self.matches(decided, whole) & alone,
            matching=whole["matching"],
            posterior=posterior,
        )

    def _decisions(self, truth: GroundTruth, scored: Scored, every: Floats) -> Decisions:
        """Add the targets' scores, ranks and entropies to the attack's guesses.

        Parameters
        ----------
        every : float64 array, shape (K, U)
            See `_scores_of_own`.
        """
        found, own = scored.found, scored.own
        whole, guesses = found.whole, self.conclude(found)
        is_candidate = ~np.isnan(own)
        bits = np.where(is_candidate, self.bits_left(found, own), np.nan)
        several = np.count_nonzero(~np.isnan(every), axis=0) > 1
        if several.any():
            of_any = np.where(np.isnan(every)[:, np.newaxis], 0.0, self._chances(found, every))
            bits = np.where(several, -log2(np.minimum(of_any.sum(axis=0), 1.0)), bits)
        # A tie with another record of the same person counts for the attacker.
        as_good = np.count_nonzero(every == own, axis=0)
        return Decisions(
            best=guesses.best,
            best_score=guesses.best_score,
            second_score=guesses.second_score,
            sigma=guesses.sigma,
            eccentricity=guesses.eccentricity,
            matched=guesses.matched,
            correct=truth.is_own(guesses.best),
            target_score=self.shown(own),
            rank=np.where(is_candidate, scored.at_least - as_good + 1, 0),
            above=np.where(is_candidate, scored.above, 0),
            ties=whole["ties"],
            candidates=whole["candidates"],
            matching=guesses.matching,
            overlapping=np.maximum(whole["overlapping"], -1),  # −1 in every block
            entropy_bits=bits[0],
            entropy_bits_other=bits[1],
            entropy_all_bits=np.where(whole["candidates"] > 0, self.entropy_of(found), np.nan),
            posterior=guesses.posterior,
            top=np.empty((whole.size, 0), np.int64) if found.kept is None else found.kept[0],
            top_posterior=self.posteriors_of_kept(found),
        )

    def _chances(self, found: Found, every: Floats) -> Floats:
        """Π of records with given scores, by the conventions of `bits_left`, shape (K, 2, U)."""
        return np.array([exp2(-self.bits_left(found, score)) for score in every])

    def _slices(self, store: Store, drawn: Drawn) -> list[tuple[int, int]]:
        """Split the units into runs whose tables fit, at least one unit each.

        Units with candidates of their own are scanned apart, because σ is then summed in another
        order: the result of a unit must not depend on the other units of its batch.
        """
        m, start = store.manifest, drawn.aux.start
        width = store.scale.size + 1 + (m.n_days + 1 if m.missing_days else 0)
        facts = max(_CELLS_OF_TABLES // width, 1)
        postings = np.zeros(len(drawn) + 1)
        if m.has_repeats:  # the best cells of each fact are copied out of the postings
            cells = np.where(drawn.aux.item >= 0, store.cells[drawn.aux.item], 0)
            postings = np.concatenate([[0], np.cumsum(cells)])[start].astype(np.float64)
        restricted = drawn.apart
        changes = np.append(np.flatnonzero(np.diff(restricted)) + 1, len(drawn))
        bounds, begin = [], 0
        while begin < len(drawn):
            end = int(np.searchsorted(start, start[begin] + facts, side="right")) - 1
            change = int(changes[np.searchsorted(changes, begin, side="right")])
            most = postings[begin] + _CELLS_COPIED
            end = min(end, int(np.searchsorted(postings, most, side="right")) - 1)
            end = min(max(end, begin + 1), begin + self.max_batch, change)
            bounds.append((begin, end))
            begin = end
        return bounds or [(0, 0)]


def with_mean_values(aux: Aux) -> Aux:
    """Replace a missing value by the mean of its aux set's other values (NS07 §4; spec §2).

    An aux without any value is unchanged.
    """
    known = ~np.isnan(aux.value)
    number = np.bincount(aux.unit[known], minlength=len(aux))
    summed = np.bincount(aux.unit[known], aux.value[known], minlength=len(aux))
    with np.errstate(invalid="ignore"):
        mean = summed / number
    return replace(aux, value=np.where(known, aux.value, mean[aux.unit]))


def _bits_of(found: Found, score: Floats, convention: int) -> Floats:
    """H of a score, in bits (NS08 §4, Def. 4), by a convention of σ, shape (U,).

    σ = 0 is taken as its limit: Π uniform over the highest scores.
    """
    whole, spread = found.whole, found.sigmas[:, convention]
    flat = np.where(score == whole["best"], _flat(whole), log2_candidates(whole))
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = (_log_partition(found, convention) + (whole["best"] - score) / spread) / LN2
    return np.maximum(np.where(spread > 0, bits, flat), 0.0)


def _bits_of_all(found: Found) -> Floats:
    """Entropy of Π itself in bits, by the σ that is asked for, shape (U,)."""
    assert found.weighed is not None
    weighed = found.weighed[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = (_log_partition(found, 0) - weighed[:, 1] / weighed[:, 0]) / LN2
    return np.maximum(np.where(found.sigmas[:, 0] > 0, bits, _flat(found.whole)), 0.0)


def _log_partition(found: Found, convention: int) -> Floats:
    assert found.weighed is not None
    return log(found.weighed[:, convention, 0])


def _flat(whole: Partials) -> Floats:
    """Entropy of Π where it is uniform over the highest scores."""
    return log2(np.maximum(whole["ties"], 1))
