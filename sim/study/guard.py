"""The guard of a run: an attack without a model of how the release was made.

It learns from the facts of one half of the people which candidate is whose, and names those of the
other half. Wherever it finds more people than the Bayes-optimal attacker expects to, the model of
that attacker leaves something out. It knows how far times may have been moved, and nothing else of
the publisher's noise; the candidates are those of the highest posterior.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.adversary.day_law import most_moved_by
from sim.adversary.draw import Sampling
from sim.adversary.linkage import Linkage, linkage_of
from sim.adversary.on_release import on_release
from sim.adversary.targets import draw_targets
from sim.attack.algorithms.bayes import Bayes
from sim.attack.engine.decisions import Decisions
from sim.errors import GridError
from sim.measurements.measurement import Tables
from sim.metrics.conditional_logit import Choices, Predicted, cross_fitted
from sim.metrics.guard_features import Pairs, candidate_features
from sim.numeric import log
from sim.numeric.exact_intervals import clopper_pearson, mean_interval
from sim.numeric.intervals import Interval
from sim.numeric.random import Purpose, words
from sim.release.store.store import Store
from sim.study.bar import stage
from sim.study.grid import GridCell
from sim.study.inline import decided
from sim.study.plan import Plan

GUARD, GUARD_PEOPLE = "guard", "guard_people"
"""Names of its tables: a row per grid cell and fit; a row per grid cell and person."""

FITS = ("alone", "informed")
"""The features alone, and with the posterior among them."""

FEWEST, MOST = 100, 1000
"""People from whom it learns anything, and those whom it looks at."""

CANDIDATES = 500
TRAINING_DRAWS = 2
_FIRST_TRAINING_DRAW = 1 << 40  # no grid has so many draws of facts
_LEAST_LOG = -30.0  # of a posterior, against that of the best candidate
_LEAST_SPREAD = 1e-9
_UNITS_AT_A_TIME = 256

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The candidates of one draw of facts about U people.

    Parameters
    ----------
    choices : Choices
        The last feature is the logarithm of the posterior, against that of the best candidate.
    claim : float64 array, shape (U,)
        Posterior of the best candidate.
    """

    choices: Choices
    claim: Floats


@dataclass(frozen=True, slots=True)
class Guard:
    """The guard of a run.

    Parameters
    ----------
    store : Store
        The release under attack.
    attack : Bayes
        The attack of the run.
    plan : Plan
        Of the run, with the truth.
    """

    store: Store
    attack: Bayes
    plan: Plan

    def tables(self) -> Tables:
        """Return its tables; empty where no grid cell can be tested."""
        truth = self.plan.truth
        linkage = None if truth is None else linkage_of(truth, self.store)
        if truth is None or linkage is None or linkage.several:
            return {}
        cells, people = list[pd.DataFrame](), list[pd.DataFrame]()
        groups = list(_cells_alike(self.plan))
        with stage("guarding", len(groups), unit="cell") as guarding:
            for done, alike in enumerate(groups, 1):
                who = self._people(alike[0], linkage)
                if who.size >= FEWEST:
                    for one in self._cells(truth, linkage, alike, who):
                        cells.append(one[0])
                        people.append(one[1])
                guarding.reach(done)
        if not cells:
            return {}
        order = np.argsort([frame["cell"].iloc[0] for frame in cells])
        return {
            GUARD: pd.concat([cells[n] for n in order], ignore_index=True),
            GUARD_PEOPLE: pd.concat([people[n] for n in order], ignore_index=True),
        }

    @property
    def reach(self) -> int:
        """The most by which the publisher may have moved a time, in bins."""
        known, bins = self.attack.publisher, self.store.manifest.bins
        return known.date_noise + sum((most_moved_by(step, bins) for step in known.times), 0)

    def _people(self, cell: GridCell, linkage: Linkage) -> Ints:
        """Return some of a cell's targets who are in the release, ascending."""
        targets = self.plan.targets[cell.index]
        start, _ = linkage.records_of(targets)
        present = np.zeros(self.plan.n_subjects, np.bool_)
        present[targets[np.diff(start) > 0]] = True
        return draw_targets(present, MOST, self.plan.seed)

    def _cells(
        self, truth: Store, linkage: Linkage, cells: Sequence[GridCell], who: Ints
    ) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
        """Yield the rows of cells that differ in the draw of facts alone, and of their people."""
        try:
            drawn = [
                self._drawn(truth, cells[0], who, _FIRST_TRAINING_DRAW + draw)
                for draw in range(TRAINING_DRAWS)
            ]
        except GridError:  # a fact of such a draw cannot be made wrong
            return
        learnt = _joined([self._asked(linkage, *one, with_own=True).choices for one in drawn])
        half = _halves(who, self.plan.seed)
        for cell in cells:
            asked = self._asked(linkage, *self._drawn(truth, cell, who, None))
            both = _fits(learnt, asked.choices, half)
            yield _rows(cell, asked, both), _people_rows(self.store, linkage, cell, who, both)

    def _drawn(
        self, truth: Store, cell: GridCell, who: Ints, draw: int | None
    ) -> tuple[Drawn, NDArray[np.int32]]:
        """Draw facts about people, restated for the release; and their items in the truth."""
        adversary = cell.adversary
        assert isinstance(adversary, Sampling)
        if draw is not None:
            adversary = adversary.knowing(fact_draw=draw)
        drawn = adversary.draw(truth, cell.index, who, self.plan.seed)
        return on_release(drawn, truth, self.store), drawn.aux.item

    def _asked(
        self, linkage: Linkage, drawn: Drawn, item: NDArray[np.int32], with_own: bool = False
    ) -> _Asked:
        """Return the best candidates of every person, with their features.

        Parameters
        ----------
        item : int32 array, shape (A,)
            Of each fact, in the truth.
        with_own : bool
            Whether each person's own record is added where it is not among them.
        """
        attack = dataclasses.replace(self.attack, keep=CANDIDATES)
        parts = []
        for begin in range(0, len(drawn), _UNITS_AT_A_TIME):
            part = drawn.part(begin, min(begin + _UNITS_AT_A_TIME, len(drawn)))
            decisions = decided(self.store, attack, attack.annotated(self.store, part))
            parts.append(_candidates(decisions, part.truth.target, with_own))
        size = np.concatenate([one[0] for one in parts])
        pairs = Pairs(np.concatenate([[0], np.cumsum(size)]), np.concatenate([p[1] for p in parts]))
        posterior = np.concatenate([one[2] for one in parts])
        noise = self._date_noise(drawn)
        features = candidate_features(
            self.store, drawn.aux, pairs, self._hidden(linkage)[item], self.reach + noise
        )
        owner = np.repeat(drawn.truth.target, size)
        right = np.full(len(drawn), -1)
        own = np.flatnonzero(pairs.record == owner)
        right[np.repeat(np.arange(len(drawn)), size)[own]] = own
        whole = np.column_stack([features, posterior.astype(np.float32)])
        claim = np.concatenate([one[3] for one in parts])
        return _Asked(Choices(whole, pairs.start, right), claim)

    def _date_noise(self, drawn: Drawn) -> int:
        return self.attack.knowledge[int(drawn.aux.cell[0])].date_noise or 0

    def _hidden(self, linkage: Linkage) -> Ints:
        """Cells of each item of the truth that the release lacks."""
        assert self.plan.truth is not None
        there = np.append(self.store.cells, 0)[linkage.item]
        left_out: Ints = np.maximum(self.plan.truth.cells - there, 0)
        return left_out


def _cells_alike(plan: Plan) -> Iterator[list[GridCell]]:
    """Yield the cells whose targets are in the release, by what is known but for the draw."""
    alike: dict[Sampling, list[GridCell]] = {}
    for cell in plan.cells:
        if isinstance(cell.adversary, Sampling) and cell.adversary.knowledge.present:
            alike.setdefault(cell.adversary.knowing(fact_draw=0), []).append(cell)
    yield from alike.values()


def _halves(who: Ints, seed: int) -> Ints:
    """Return the half of each person, 0 or 1, at random."""
    place = np.argsort(np.argsort(words(seed, Purpose.GUARD_HALF, who), kind="stable"))
    half: Ints = place % 2
    return half


def _candidates(
    decisions: Decisions, target: Ints, with_own: bool
) -> tuple[Ints, Ints, Floats, Floats]:
    """Return the number of each unit's candidates, their records, log posteriors and the claims."""
    record, chance = decisions.top, decisions.top_posterior
    best = chance[:, :1]
    with np.errstate(invalid="ignore", divide="ignore"):
        posterior = np.maximum(log(chance) - log(best), _LEAST_LOG)
    if with_own:
        lacking = ~(record == target[:, None]).any(axis=1)
        record = np.column_stack([record, np.where(lacking, target, -1)])
        with np.errstate(invalid="ignore"):  # where no record is possible
            own = np.nan_to_num(decisions.target_score - decisions.best_score, nan=_LEAST_LOG)
        posterior = np.column_stack([posterior, np.clip(own, _LEAST_LOG, 0.0)])
    kept = record >= 0
    claim = np.nan_to_num(best[:, 0]) if best.size else np.zeros(len(record))
    return kept.sum(axis=1), record[kept], posterior[kept], claim


def _joined(parts: Sequence[Choices]) -> Choices:
    """Put choices one after the other, each with its right candidate."""
    before = np.concatenate([[0], np.cumsum([len(one.features) for one in parts])])
    pairs = list(zip(parts, before.tolist(), strict=False))
    return Choices(
        np.concatenate([one.features for one in parts]),
        np.concatenate([*(one.start[:-1] + n for one, n in pairs), before[-1:]]),
        np.concatenate([one.right + n for one, n in pairs]),
    )


def _fits(learnt: Choices, asked: Choices, half: Ints) -> tuple[Predicted, Predicted]:
    """Return what the features alone say, and with the posterior among them.

    They are standardised by those of the candidates asked about, whoever is right; what does not
    vary there is left out.
    """
    columns = [column.astype(np.float64) for column in asked.features.T if column.size]
    mean = np.array([column.mean() for column in columns])
    spread = np.array([column.std() for column in columns])
    varies = spread > _LEAST_SPREAD
    standard = [_standardised(one, mean, spread, varies) for one in (learnt, asked)]
    n = int(varies[:-1].sum())
    learnt_half = np.tile(half, learnt.right.size // half.size)
    alone, informed = (
        cross_fitted(standard[0], learnt_half, standard[1], half, number)
        for number in (n, int(varies.sum()))
    )
    return alone, informed


def _standardised(
    choices: Choices, mean: Floats, spread: Floats, chosen: NDArray[np.bool_]
) -> Choices:
    """Return choices with some of their features, less a mean and divided by a spread."""
    places = np.flatnonzero(chosen)
    features = np.empty((len(choices.features), places.size), np.float32)
    for n, place in enumerate(places):
        features[:, n] = (choices.features[:, place] - mean[place]) / spread[place]
    return dataclasses.replace(choices, features=features)


def _rows(cell: GridCell, asked: _Asked, both: tuple[Predicted, Predicted]) -> pd.DataFrame:
    """Return the rows of a grid cell, one for each fit."""
    model = mean_interval(np.sort(np.clip(asked.claim, 0.0, 1.0)))
    rows = []
    for fit, one in zip(FITS, both, strict=True):
        right, around = _share(one.correct)
        rows.append(
            {
                "cell": np.int32(cell.index),
                "fit": fit,
                "stronger": _stronger(both) is one,
                "people": one.correct.size,
                "right": right,
                "right_low": around.low,
                "right_high": around.high,
                "claim": float(one.claim.mean()),
                "model": float(asked.claim.mean()),
                "model_low": model.low,
                "model_high": model.high,
                "above_model": around.low > model.high,
            }
        )
    return pd.DataFrame(rows)


def _people_rows(
    store: Store, linkage: Linkage, cell: GridCell, who: Ints, both: tuple[Predicted, Predicted]
) -> pd.DataFrame:
    stronger = _stronger(both)
    _, record = linkage.records_of(who)
    return pd.DataFrame(
        {
            "cell": np.full(who.size, cell.index, np.int32),
            "target": store.records.take(record).to_pandas(),
            "own": stronger.own,
            "correct": stronger.correct,
            "claim": stronger.claim,
        }
    )


def _stronger(both: tuple[Predicted, Predicted]) -> Predicted:
    """Return the fit that is right about more people; of equal ones the one without a model."""
    alone, informed = both
    return informed if informed.correct.sum() > alone.correct.sum() else alone


def _share(correct: Floats) -> tuple[float, Interval]:
    """Return the share right and its exact interval; a part of a person counts for either end."""
    right, n = float(correct.sum()), correct.size
    low = clopper_pearson(int(np.floor(right)), n).low
    high = clopper_pearson(min(int(np.ceil(right)), n), n).high
    return right / n, Interval(low, high)
