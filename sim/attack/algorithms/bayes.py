"""The Bayes-optimal attacker: the posterior of every record given the aux (spec §4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Candidates
from sim.adversary.knowledge import Draw, Knowledge, Window, unaware
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.algorithms.counted import (
    counted,
    dropped,
    first_of_more,
    taken,
    ways_of_wrong,
)
from sim.attack.algorithms.fact_table import Counting, posterior_of
from sim.attack.algorithms.likelihood import Noise, day_classes, right_facts, shares
from sim.attack.algorithms.repeated import independent_repeats, leaders, once_each
from sim.attack.algorithms.wrong_draws import near_noise
from sim.attack.engine.algorithm import Found
from sim.attack.engine.candidates_first import CandidatesFirst
from sim.attack.engine.decisions import (
    Floats,
    Guesses,
    SigmaOver,
    eccentricity,
    log2_candidates,
    relative_sigma,
)
from sim.attack.engine.view import Longest, ReleaseView
from sim.attack.kernels.partials import Partials
from sim.attack.kernels.score_spec import (
    IMPOSSIBLE,
    Contributions,
    Counted,
    ScoreForm,
    ScoreSpec,
    WrongDraws,
)
from sim.errors import ConfigError, GridError
from sim.extend.options import option
from sim.numeric import LN2, exp, log, log2, log_choose
from sim.release.store.store import Store

Count = Literal["independent", "exact"]


class _Drawing(NamedTuple):
    """What the facts of an aux set were drawn from: a record with at least so many items.

    Parameters
    ----------
    window : Window
    draw : {"cells", "items"}
    least : int
        Items of the window that an eligible record holds at least.
    chosen : int
        Facts that were chosen among these.
    lacking : int
        Items that an eligible record lacks at least.
    measured : bool
        Whether the length of the record is known but for a share of it.
    """

    window: Window
    draw: Draw
    least: int
    chosen: int
    lacking: int
    measured: bool


@dataclass(frozen=True, kw_only=True)
class Bayes(CandidatesFirst):
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
    scores_non_overlapping: ClassVar[bool] = True  # all that is known may be wrong
    matches_by_phi: ClassVar[bool] = False
    rule: ClassVar[str] = "posterior ≥ confidence"
    uses_sigma: ClassVar[bool] = False
    log_scores: ClassVar[bool] = True
    entropy_is_measured = "always"

    confidence: float = option(
        0.5,
        help="match if the best guess has at least this posterior probability",
        minimum=0,
        maximum=1,
    )
    count: Count = option(
        "exact",
        help="each fact is wrong with probability π (independent), or exactly m' - m of the facts "
        "are wrong (exact; see sim.attack.algorithms.counted)",
    )
    keep: int = option(
        0,
        help="record so many of each target's most likely records, with their posteriors "
        "(top_candidates.parquet); 0: none",
        minimum=0,
        maximum=1000,
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
        wrong_items = any(each.wrong == "item" and each.correct < each.size for each in understood)
        chosen = any(each.popularity != Window() or each.draw == "items" for each in understood)
        if publisher.groups_items and (wrong_items or chosen):
            raise GridError(
                "attack=bayes: where items are in groups, it has no model of facts about wrong "
                "items, of popularity, or of distinct items; set adversary.wrong=value, "
                "'grid.popularity=[0]' and adversary.draw=cells"
            )
        filters = sorted({str(each) for known in understood for each in known.filters})
        if filters:
            raise ConfigError(
                "attack=bayes: has no model of an adversary who may know only some cells "
                f"({', '.join(filters)}); choose another attack, or leave that axis out"
            )
        return replace(self, knowledge=understood, publisher=publisher)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "knowledge", unaware(self.knowledge))

    @property
    def max_batch(self) -> int:
        """See `Algorithm.max_batch`: an absent target changes what wrong items are drawn from.

        And a publisher's noise makes many classes of days.
        """
        items = any(k.wrong == "item" and k.correct < k.size for k in self.knowledge)
        few = self.publisher.changes_cells or self._by_totals or (self.count == "exact" and items)
        return 64 if few else 8192

    @property
    def looks_at_everybody(self) -> bool:
        """See `Algorithm.looks_at_everybody`."""
        return self._by_totals or super().looks_at_everybody

    @property
    def _by_totals(self) -> bool:
        """Whether facts may be about what the release alone does not show."""
        totals = self.publisher.originals
        dated = any(each.date_noise is not None for each in self.knowledge)
        return totals is not None and (
            totals.hides_cells or totals.absent > 0 or (totals.moves_times and dated)
        )

    @property
    def untested(self) -> str:
        """See `Algorithm.untested`."""
        return self.publisher.unmodelled

    @property
    def n_kept(self) -> int:
        """See `Algorithm.n_kept`."""
        return self.keep

    def partial_bytes(self, store: Store) -> int:
        """See `Algorithm.partial_bytes`."""
        return super().partial_bytes(store) + 16 * self.keep

    def posteriors_of_kept(self, found: Found) -> Floats:
        """See `Algorithm.posteriors_of_kept`."""
        if found.kept is None:
            return super().posteriors_of_kept(found)
        whole, (record, score) = found.whole, found.kept
        with np.errstate(invalid="ignore"):
            share = exp(score - whole["best"][:, None]) * _probability(whole)[:, None]
        return np.where(record >= 0, share, 0.0)

    @property
    def n_phases(self) -> int:
        """One: the scores are log probabilities, which need no σ."""
        return 1

    def prepare(
        self,
        release: ReleaseView,  # noqa: ARG002
        aux: Aux,
        candidates: Candidates,
    ) -> tuple[Aux, Candidates]:
        """See `Algorithm.prepare`; a missing value is no fact about values.

        Where items or cells were dropped, a record may be shorter than the person's.
        """
        if self._by_totals:  # a record may be any part of what the person had
            return aux, Candidates.every(len(aux))
        if not self.publisher.drops_items and not self.publisher.misses_cells:
            return aux, candidates
        return aux, Candidates(np.zeros_like(candidates.shortest), candidates.longest)

    def annotate(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> Floats:
        """Count q_i: the share of the item's cells with exactly this value and day.

        0 for facts that cannot be wrong, where it is not used. Where facts may be about what the
        release does not show, the least and the greatest length of the person's instead.
        """
        if self._by_totals:
            lengths = candidates.shortest, candidates.longest
            return np.column_stack([np.repeat(one, aux.size) for one in lengths])
        longest = self._longest(release, aux)
        noise = self._noise(longest.release, longest.aux)
        wrong = noise.wrong > 0
        if not wrong.any():
            return np.zeros(aux.item.size)
        return shares(longest.release, longest.aux, wrong, noise)[longest.fact]

    def near(self, release: ReleaseView, aux: Aux) -> WrongDraws | None:
        """See `Algorithm.near`: of an item with wrong values that depend on each cell's day."""
        if self.count != "exact" or self._by_totals:
            return None
        longest = self._longest(release, aux)
        noise = self._noise(longest.release, longest.aux)
        near = near_noise(longest.release, longest.aux, noise)
        return None if near is None else near._replace(kind=near.kind[longest.fact])

    def _longest(self, release: ReleaseView, aux: Aux) -> Longest:
        """Return aux sets that have all the facts: the first of more are known as all of them."""
        if not any(each.first is not None for each in self.knowledge):
            return Longest(release, aux, slice(None), slice(None))
        known = [replace(each, first=None) for each in self.knowledge]
        kind = np.array([known.index(each) for each in known], np.int64)
        return release.longest(kind[aux.cell])

    def _noise(self, release: ReleaseView, aux: Aux) -> Noise:
        return Noise.of(self.knowledge, aux, self.publisher).on(release, aux)

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:  # noqa: ARG002
        """See `Algorithm.scan`."""
        if self._by_totals:
            return self._scan_of_posterior(release, aux)
        if self.count == "exact":
            return self._scan_of_counted(release, aux)
        noise = self._noise(release, aux)
        right = right_facts(release, aux, noise)
        classes, offset = self._days(release, aux, noise)
        unknown = dropped(release, aux, noise)
        drawings, group = self._drawings(release, aux, unknown)
        term = _terms(release, drawings)
        none = np.zeros(len(aux))
        held, missed = _independent(release, aux, noise, right, unknown)
        if release.has_repeats:
            days = Contributions(offset, day_class=classes)
            chances = independent_repeats(release, aux, noise, held, missed, self._by_item(aux))
            return ScoreSpec(days, ScoreForm.LOG, none, feature=term, group=group, counted=chances)
        required = missed == 0
        held, lacking = log(held), np.where(required, 0.0, log(missed))
        held = np.where(np.isinf(held), IMPOSSIBLE, held)
        # The base contains the cost of lacking every item; records that hold one get it back.
        choice = held - lacking[:, None, None]
        base = none + np.bincount(aux.unit, lacking, minlength=len(aux))
        contributions = Contributions(offset, choice=choice, day_class=classes)
        return ScoreSpec(
            contributions, ScoreForm.LOG, base, feature=term, group=group, required=required
        )

    def _scan_of_posterior(self, release: ReleaseView, aux: Aux) -> ScoreSpec:
        """As `scan`, where cells or people are missing, or times moved."""
        known = [self.knowledge[cell] for cell in aux.cell.tolist()]
        lengths = release.notes[aux.start[:-1]].astype(np.int64).tolist()
        counting = [self._counting(*one) for one in zip(known, lengths, strict=True)]
        given, absent = posterior_of(release, aux, self._noise(release, aux), known, counting)
        zeros = np.zeros((aux.item.size, release.scale.size + 1))
        days = np.zeros(release.n_days + 1)
        nothing = Contributions(np.zeros(aux.item.size, np.int64), zeros, zeros, days)
        return ScoreSpec(nothing, ScoreForm.LOG, np.zeros(len(aux)), posterior=given, absent=absent)

    def _counting(self, known: Knowledge, length: list[int]) -> Counting:
        """Return what is known of how many of the facts of an aux set are wrong."""
        k, pi = known.n_facts, (known.size - known.correct) / known.size
        if self.count == "exact":
            weight = ways_of_wrong(known)
        else:
            weight = [_power(pi, x) * _power(1.0 - pi, k - x) for x in range(k + 1)]
        own = [k - x if known.wrong == "item" else k for x in range(len(weight))]
        told = None if known.record_length is None else (length[0], length[1])
        return Counting(known.size, tuple(own), tuple(weight), told)

    @property
    def absent_people(self) -> int:
        """See `Algorithm.absent_people`."""
        totals = self.publisher.originals
        return int(totals.absent) if self._by_totals and totals is not None else 0

    def _days(
        self, release: ReleaseView, aux: Aux, noise: Noise
    ) -> tuple[NDArray[np.uint8] | NDArray[np.uint16], NDArray[np.int64]]:
        """Return the class of every day for every fact; see `day_classes`."""
        if noise.coarse is not None:
            return noise.coarse.table, noise.coarse.offset
        return day_classes(release, aux, noise.days, self.publisher.date_noise)

    def _scan_of_counted(self, release: ReleaseView, aux: Aux) -> ScoreSpec:
        """As `scan`, where a known number of facts is wrong."""
        longest = self._longest(release, aux)
        view, facts = longest.release, longest.aux
        noise = self._noise(view, facts)
        right, unknown = right_facts(view, facts, noise), dropped(view, facts, noise)
        classes, offset = self._days(view, facts, noise)
        number = self._most_wrong(facts)
        of_longest = counted(view, facts, noise, right, view.notes, number, unknown)
        chances = taken(of_longest, longest.unit, longest.fact)
        chances = chances._replace(number=self._most_wrong(aux))
        if any(known.first is not None for known in self.knowledge):
            chances = first_of_more(chances, self.knowledge, aux.cell)
        if release.has_repeats:
            chances = once_each(chances, leaders(aux), self._by_item(aux))
        drawings, group = self._drawings(release, aux, chances.either)
        if (chances.either & chances.by_item).any() or chances.right_items.any():
            chances = _with_eligible(release, chances, drawings, group)
        term = _terms(release, drawings)
        days = Contributions(offset[longest.fact], day_class=classes)
        none = np.zeros(len(aux))
        return ScoreSpec(days, ScoreForm.LOG, none, feature=term, group=group, counted=chances)

    def _most_wrong(self, aux: Aux) -> NDArray[np.int64]:
        """Wrong facts of each aux set, the most there may be of them, shape (U,)."""
        most = [min(k.size - k.correct, k.n_facts) for k in self.knowledge]
        return np.array(most, np.int64)[aux.cell]

    def matches(self, decided: Floats, whole: Partials) -> NDArray[np.bool_]:  # noqa: ARG002
        """See `Algorithm.matches`."""
        return np.asarray((whole["ties"] == 1) & (_probability(whole) >= self.confidence))

    def sigma_of(self, whole: Partials, over: SigmaOver) -> Floats:
        """See `Algorithm.sigma_of`; of the probabilities."""
        return relative_sigma(whole, over) * _probability(whole)

    def conclude(self, found: Found) -> Guesses:
        """See `Algorithm.conclude`; eccentricity is that of the probabilities."""
        whole = found.whole
        top = _probability(whole)
        with np.errstate(divide="ignore", invalid="ignore"):
            second = np.where(
                np.isinf(whole["second"]), 0.0, top * exp(whole["second"] - whole["best"])
            )
        decided = eccentricity(top, second, found.sigma, whole)
        return self._guesses(found, decided, top)

    def bits_left(self, found: Found, score: Floats) -> Floats:
        """See `Algorithm.bits_left`; there is no σ."""
        whole = found.whole
        with np.errstate(invalid="ignore"):
            bits = _log2_mass(whole) + (whole["best"] - score) / LN2
        possible = (whole["exp"] > 0) & ~np.isinf(score)
        left = np.maximum(np.where(possible, bits, log2_candidates(whole)), 0.0)
        return np.array([left, left])

    def entropy_of(self, found: Found) -> Floats:
        """See `Algorithm.entropy_of`."""
        whole = found.whole
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = _log2_mass(whole) - whole["exp_scores"] / whole["exp"] / LN2
        return np.maximum(np.where(whole["exp"] > 0, bits, log2_candidates(whole)), 0.0)

    def _drawings(
        self, release: ReleaseView, aux: Aux, unknown: NDArray[np.bool_]
    ) -> tuple[list[_Drawing], NDArray[np.int64]]:
        """Return what facts were drawn from, and which of these those of each aux set were.

        An eligible record has m′ items, but may hold fewer in the release if the publisher dropped
        some; facts about these are not required. If wrong facts are about other items and counted
        exactly, m of the record's own items are chosen, not m′.
        """
        lost = np.bincount(aux.unit, unknown, minlength=len(aux)).astype(np.int64)
        if not lost.size:
            return [], np.zeros(0, np.int64)
        shape = len(self.knowledge), int(aux.size.max()) + 1, int(lost.max()) + 1
        every = np.ravel_multi_index((aux.cell, aux.size, lost), shape)
        alike, which = np.unique(every, return_inverse=True)
        each = zip(*(part.tolist() for part in np.unravel_index(alike, shape)), strict=True)
        found = [self._drawing(release, *one) for one in each]
        # So that every batch asks for the same.
        distinct = sorted(set(found), key=str)
        place = np.array([distinct.index(one) for one in found], np.int64)
        return distinct, place[which.ravel()]

    def _drawing(self, release: ReleaseView, cell: int, size: int, lost: int) -> _Drawing:
        """See `_drawings`: what the facts of an aux set of a grid cell were drawn from."""
        known = self.knowledge[cell]
        by_item = known.wrong == "item"
        window = self.publisher.window(known.popularity)
        least = size if known.first is None else known.size
        if self.publisher.drops_from(known.popularity, release.n_items):
            least = max(known.correct - lost, 0) if by_item else size - lost
        if self.publisher.moves_ranks and known.popularity != Window():
            least = 0  # items that were in the window need not be in that of the release
        chosen = known.correct if self.count == "exact" and by_item else size - lost
        lacking = 0
        if known.first is not None and self.count == "exact" and by_item:
            # How many are the record's own is not known: see `first_of_more`.
            chosen, lacking = 0, known.size - known.correct
        # Where records were cut, `prepare` does not even bound the length.
        measured = known.record_length is not None and not self.publisher.drops_items
        return _Drawing(window, known.draw, least, chosen, lacking, measured)

    def _by_item(self, aux: Aux) -> NDArray[np.bool_]:
        """Whether each fact is one of a cell of an item that was drawn first, shape (A,)."""
        drawn = np.array([known.draw == "items" for known in self.knowledge], np.bool_)
        return np.repeat(drawn[aux.cell], aux.size)


def _terms(release: ReleaseView, drawings: list[_Drawing]) -> Floats:
    """−ln of the ways to choose the facts, of every record, shape (G, N)."""
    if not drawings:
        return np.zeros((1, release.length.size))
    return release.once(_every_term, tuple(drawings))


def _every_term(release: ReleaseView, drawings: tuple[_Drawing, ...]) -> Floats:
    return np.array([_term(release, one) for one in drawings])


def _with_eligible(
    release: ReleaseView, chances: Counted, drawings: list[_Drawing], group: NDArray[np.int64]
) -> Counted:
    """Complete the chances by the items of each record that the adversary may know."""
    drawn = [(one.window, one.draw) for one in drawings]
    distinct = list(dict.fromkeys(drawn))
    return chances._replace(
        eligible=np.array([release.items_in_window(*one) for one in distinct], np.float64),
        window=np.array([distinct.index(one) for one in drawn], np.int64)[group],
    )


def _independent(
    release: ReleaseView, aux: Aux, noise: Noise, right: Floats, unknown: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """(1−π)·p + π·q_i, and what stands for it where a record lacks the item.

    Returns
    -------
    held : float64 array, shape (A, C, L + 1)
    missed : float64 array, shape (A,)
        π·(the item's share of all cells)·q_i for wrong items; 1 where no record holds the item or
        the publisher dropped it; 0 where a record must hold it.
    """
    cells = np.maximum(np.repeat(release.n_cells, aux.size), 1)
    by_wrong = noise.wrong * release.notes
    held: Floats = (1 - noise.wrong)[:, None, None] * right + by_wrong[:, None, None]
    missed = noise.by_item * release.cells / cells * by_wrong
    says_nothing = (noise.by_item & (release.cells == 0)) | unknown
    return held, np.where((missed == 0) & says_nothing, 1.0, missed)


def _power(x: float, n: int) -> float:
    """x^n by multiplication, the same on every machine."""
    product = 1.0
    for _ in range(n):
        product *= x
    return product


def _probability(whole: Partials) -> Floats:
    """Posterior of the best record; 0 where no record is possible."""
    return np.where(whole["exp"] > 0, 1.0 / np.where(whole["exp"] > 0, whole["exp"], 1.0), 0.0)


def _log2_mass(whole: Partials) -> Floats:
    """log2 Σ exp(s − best)."""
    return log2(whole["exp"])


def _term(release: ReleaseView, drawing: _Drawing) -> Floats:
    """−ln C(n, chosen) of each record's n items in the window; ruled out if not eligible.

    If a length is known that is off by a share of the true one at most, drawn uniformly, it is as
    likely as 1/length for each record that may have it.
    """
    least, chosen = drawing.least, drawing.chosen
    n_items = release.items_in_window(drawing.window, drawing.draw)
    # Of each number of items once: there are far fewer than records.
    n = np.arange(int(n_items.max(initial=0)) + 1)
    ways = log_choose(np.maximum(n, max(least, chosen)), chosen)
    term: Floats = np.where(n >= least, -ways, IMPOSSIBLE)[n_items]
    if drawing.measured:
        length, which = release.lengths
        term = term - log(np.maximum(length, 1).astype(np.float64))[which]
    if drawing.lacking:
        held = release.items_in_window(Window(), "items")  # fewer than cells, where items repeat
        term[release.n_items - held < drawing.lacking] = IMPOSSIBLE
    return term
