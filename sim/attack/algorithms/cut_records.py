"""Likelihoods of facts where records were cut by time, under unlinked identifiers (spec §11).

A person has several records, so "this record is the target's" holds of several at once, and the
posteriors of all records would not add up to 1. One of the facts is therefore the *anchor*, and the
hypothesis of each record is that it has the cell that the anchor is about: exactly one has. Any
fact would do; chosen is the one whose record the facts are expected to tell best. A guess that is
right for the anchor's record is right for the person, so the posterior claims no more than is true.

The generative model: a person has N cells, all N being as likely before, of which each is in the
anchor's record with probability κ (`Cut.together`). As in `sim.attack.algorithms.missing_cells`,
the facts about h of a record's n cells and j = m′ − h others have the likelihood

    κ^h·(1 − κ)^j / (n·(n − 1)⋯(n − h + 1)) · Π p · Π s.

A fact that is in none of the anchor's record's cells is about a cell of another window. So where
dates are known, s is that of a cell outside the window of the anchor's day: with u the share of all
cells inside, and ρ the probability that the two days, each with its noise, are of one window,
s becomes s·(1 − ρ)/(1 − u). A fact of the same window for certain must be about one of the record's
cells, and one of another window says nothing. Where a fact may be wrong, with probability π, it or
the anchor may have any day: ρ becomes (1 − π)²·ρ. The window is taken to be known by the anchor's
day alone, not by the days of the record's cells, and its noise to be another for every fact.

Wrong facts are wrong each by itself, as in `sim.attack.algorithms.missing_cells`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import Cut
from sim.attack.algorithms.likelihood import Noise
from sim.attack.algorithms.missing_cells import with_hidden
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Counted
from sim.numeric import log

_NEVER = 1e-9
"""In place of 0 as the share of a person's cells that are in other records, or in the same one."""


def in_one_record(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    right: Floats,
    known: Sequence[Knowledge],
    cut: Cut,
) -> Counted:
    """Return the chances where each fact may be about a cell of another of the person's records.

    Parameters
    ----------
    aux : Aux
        U units, A facts.
    right : float64 array, shape (A, C, L + 1)
        Chance of a right fact, by the class of the day and the level of the record's cell.
    known : sequence of Knowledge
        Of each unit.
    """
    chances = with_hidden(release, aux, noise, right, known, "independent")
    together = min(max(cut.together, _NEVER), 1.0 - _NEVER)
    windows = _Windows(release, aux, noise, cut)
    gain = _gain(release, aux, right)
    held, lacking = np.full(aux.item.size, together), np.empty(aux.item.size)
    for begin, end in zip(aux.start[:-1].tolist(), aux.start[1:].tolist(), strict=True):
        facts = np.arange(begin, end)
        anchor, same = _anchor(facts, gain, release.cells, windows, together)
        right_days = 1.0 - noise.wrong[facts]
        apart = 1.0 - same * right_days * (right_days[anchor - begin] if anchor >= 0 else 0.0)
        inside = windows.share(anchor) if anchor >= 0 else 0.0
        outside = np.where(windows.dated[facts], 1.0 - inside, 1.0)
        lacking[facts] = (1.0 - together) * apart / np.maximum(outside, _NEVER)
        if anchor >= 0:
            held[anchor], lacking[anchor] = 1.0, 0.0
    number = chances.number
    return chances._replace(
        right=chances.right * held[:, None],
        lacking=chances.lacking * lacking,
        weight=np.where(np.arange(chances.weight.shape[1]) <= number[:, None], 1.0, 0.0),
    )


class _Windows:
    """The windows that the true day of each fact may be in, where dates are known."""

    def __init__(self, release: ReleaseView, aux: Aux, noise: Noise, cut: Cut) -> None:
        self.dated = (noise.days >= 0) & (aux.day != NO_DAY)
        self._of: dict[int, dict[int, float]] = {}
        first = release.first_day
        last = cut.first_day + cut.n_days - 1
        for fact in np.flatnonzero(self.dated).tolist():
            shift, chance = _shifts(int(noise.days[fact]), cut.noise)
            day = np.clip(first + int(aux.day[fact]) + shift, cut.first_day, last)
            window = cut.window(day, release.time_bin)
            of: dict[int, float] = {}
            for one, p in zip(window.tolist(), chance.tolist(), strict=True):
                of[one] = of.get(one, 0.0) + p
            self._of[fact] = of
        self._cells: dict[int, float] = {}
        if self._of:
            cells = release.cells_of_days[:-1].astype(np.float64)
            day = np.clip(first + np.arange(cells.size), cut.first_day, last)
            found, place = np.unique(cut.window(day, release.time_bin), return_inverse=True)
            counts = np.bincount(place.ravel(), cells, minlength=found.size)
            share = counts / max(float(release.cells_of_days.sum()), 1.0)
            self._cells = dict(zip(found.tolist(), share.tolist(), strict=True))

    def same(self, fact: int, other: int) -> float:
        """Probability that two facts are about cells of one window; 0 where it is not known."""
        one, two = self._of.get(fact, {}), self._of.get(other, {})
        return sum(p * two.get(window, 0.0) for window, p in one.items())

    def share(self, fact: int) -> float:
        """Share of all cells that are in the window of a fact."""
        of = self._of.get(fact, {})
        return sum(p * self._cells.get(window, 0.0) for window, p in of.items())


def _shifts(days: int, noise: int) -> tuple[NDArray[np.int64], Floats]:
    """Shifts from a fact's day to the day by which its cell's record was cut, and their chances.

    Examples
    --------
    >>> [part.tolist() for part in _shifts(1, 0)]
    [[-1, 0, 1], [0.3333333333333333, 0.3333333333333333, 0.3333333333333333]]
    """
    shift = np.arange(-days - noise, days + noise + 1)
    pairs = np.minimum(days + noise + 1 - np.abs(shift), 2 * min(days, noise) + 1)
    return shift, pairs / float((2 * days + 1) * (2 * noise + 1))


def _gain(release: ReleaseView, aux: Aux, right: Floats) -> Floats:
    """Logarithm of how many times fewer records fit each fact than there are, at least 0."""
    best = right.reshape(aux.item.size, -1).max(axis=1, initial=0.0)
    fitting = release.notes / np.where(best > 0, best, 1.0) * release.cells
    records = np.repeat(release.n_records, aux.size).astype(np.float64)
    found: Floats = np.maximum(log(records / np.maximum(fitting, 1.0)), 0.0)
    return found


def _anchor(
    facts: NDArray[np.int64], gain: Floats, cells: Floats, windows: _Windows, together: float
) -> tuple[int, Floats]:
    """Return the anchor among the facts of an aux set, −1 if no record has any of their items.

    And the probability of each fact that it is known to be of the anchor's window.
    """
    best, anchor, of_best = -1.0, -1, np.zeros(facts.size)
    for j in facts.tolist():
        if cells[j] <= 0:
            continue
        both = windows.dated[facts] & windows.dated[j]
        same = np.array([windows.same(j, a) for a in facts.tolist()])
        expected = np.where(both, same, together)
        expected[j - int(facts[0])] = 1.0
        total = float(np.cumsum(expected * gain[facts])[-1])
        if total > best:
            best, anchor, of_best = total, j, same
    return anchor, of_best
