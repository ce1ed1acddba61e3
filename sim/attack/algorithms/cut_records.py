"""Likelihoods of facts where records were cut by time, under unlinked identifiers (spec §11).

A person has several records, so "this record is the target's" holds of several at once, and the
posteriors of all records would not add up to 1. One of the facts is therefore the *anchor*, and the
hypothesis of each record is that it has the cell that the anchor is about: exactly one has. Any
fact would do; chosen is the one whose record the facts are expected to tell best. A guess that is
right for the anchor's record is right for the person, so the posterior claims no more than is true.

The generative model: a person has N cells, all N being as likely before, of which each is in the
anchor's record with probability κ. As in `sim.attack.algorithms.missing_cells`, the facts about h
of a record's n cells and j = m′ − h others have the likelihood

    κ^(h − 1)·(1 − κ)^j / (n·(n − 1)⋯(n − h + 1)) · Π p · Π s.

For the anchor stands 1/max(n, κ·N), where N is counted: see `of_each_length`. This part, and that
κ does not depend on n, are approximations, held to calibration by a test: on lifelike data guesses
are as often right as they say within 0.08.

People differ in κ: it has a beta distribution, of which two moments are counted (`Cut.together` and
`Cut.three`), and the powers stand for their means.

A fact that is about none of the record's cells is about one of another window. So where dates are
known, s is that of a cell outside the window of the anchor's day. People are active for a time, so
the windows before and after it are likelier: s is divided by the share of all cells that are in
these, or in those beyond, and multiplied by that of a person's own cells elsewhere (`Cut.beside`).
That holds for each pair of windows that the two days may be of, each within its noise; a fact of
the anchor's window for certain must be about one of the record's cells. Where facts may be wrong,
the fact or the anchor may have any day, and s stays what it is in as far as one of them is. The
window is taken to be known by the anchor's day alone, not by the days of the record's cells, and
its noise to be another for every fact.

Wrong facts are wrong each by itself, as in `sim.attack.algorithms.missing_cells`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import Cut
from sim.attack.algorithms.likelihood import Noise
from sim.attack.algorithms.missing_cells import Spread, with_hidden, wrong_chances
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Counted, ScoreSpec
from sim.numeric import log

_NEVER = 1e-9
"""In place of 0 as the share of a person's cells that are in other records, or in the same one."""

_LEAST, _MOST = 1e-3, 1e6
"""Bounds of the sum of the parameters of the beta distribution."""


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
    windows = _Windows(release, aux, noise, cut)
    gain, anchors = _gain(release, aux, right), np.zeros(aux.item.size, np.bool_)
    likelier = np.ones(aux.item.size)
    for begin, end in zip(aux.start[:-1].tolist(), aux.start[1:].tolist(), strict=True):
        facts = np.arange(begin, end)
        anchor = _anchor(facts, gain, release.cells, windows)
        if anchor < 0:
            continue
        elsewhere = np.array([windows.elsewhere(anchor, fact) for fact in facts.tolist()])
        likelier[facts] = elsewhere + noise.wrong[anchor] * (1.0 - elsewhere)
        likelier[anchor] = 0.0
        anchors[anchor] = True
    hidden, (_, wrong) = Spread(*release.notes.T).hidden, wrong_chances(release, aux, noise)
    of_each = (1.0 - noise.wrong) * likelier * hidden + noise.wrong * ~anchors * wrong
    sizes = sorted({each.n_facts for each in known})
    beyond = np.zeros((len(sizes), max(sizes) + 1, 1))
    for row, number in enumerate(sizes):
        beyond[row, : number + 1, 0] = _weights(number, cut)[::-1]
    return chances._replace(
        hidden=of_each * release.cells,
        beyond=beyond,
        placed=np.zeros((len(sizes), 0, 0, 0)),
        placing=np.array([sizes.index(each.n_facts) for each in known], np.int64),
    )


def of_each_length(spec: ScoreSpec, cut: Cut) -> ScoreSpec:
    """Return a score where the chance of the anchor depends on a record's length as counted.

    Of few cells in a window it does not follow that a person has few: for 1/n of the anchor stands
    1/max(n, κ·N), where N is the harmonic mean of the cells of people with as long a record.
    """
    if not cut.cells:
        return spec
    n = np.maximum(spec.counted.eligible, 1.0)
    of = np.minimum(np.frexp(n)[1] - 1, len(cut.cells) - 1)
    longer = np.maximum(n, cut.together * np.array(cut.cells)[of])
    return replace(spec, feature=log(n / longer), group=spec.counted.window)


def _weights(number: int, cut: Cut) -> list[float]:
    """Means of κ^(h − 1)·(1 − κ)^j, for j = 0 … m′ of the facts elsewhere.

    Examples
    --------
    >>> _weights(2, Cut(1, 0, 0, 9, together=0.5, three=0.25))[0].__round__(5)
    0.5
    """
    mean = min(max(cut.together, _NEVER), 1.0 - _NEVER)
    apart, same = mean - cut.three, cut.three - mean * mean
    size = _MOST if apart >= _MOST * same else max(apart / same, _LEAST)
    a, b, found = size * mean, size * (1.0 - mean), []
    for j in range(number + 1):
        total, inside = 1.0, max(number - 1 - j, 0)
        for i in range(inside):
            total *= (a + i) / (size + i)
        for i in range(j):
            total *= (b + i) / (size + inside + i)
        found.append(total)
    return found


class _Windows:
    """The windows that the true day of each fact may be in, where dates are known."""

    def __init__(self, release: ReleaseView, aux: Aux, noise: Noise, cut: Cut) -> None:
        self._cut = cut
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
        """Probability that two facts are about cells of one window."""
        if not (self.dated[fact] and self.dated[other]):
            return self._cut.together
        one, two = self._of[fact], self._of[other]
        return sum(p * two.get(window, 0.0) for window, p in one.items())

    def elsewhere(self, anchor: int, fact: int) -> float:
        """How much likelier than a cell of any window one of another than the anchor's is this."""
        if not (self.dated[fact] and self.dated[anchor]):
            return 1.0
        found = 0.0
        for window, p in self._of[anchor].items():
            beside, beyond = self._likelier(window)
            for other, q in self._of[fact].items():
                if other != window:
                    found += p * q * (beside if abs(other - window) == 1 else beyond)
        return found

    def _likelier(self, window: int) -> tuple[float, float]:
        """A person's cells outside a window over those of everybody: in the next ones, beyond."""
        here, beside = (self._cells.get(window, 0.0), sum(
            self._cells.get(window + step, 0.0) for step in (-1, 1)
        ))  # fmt: skip
        apart = max(1.0 - self._cut.together, _NEVER)
        near = min(self._cut.beside / apart, 1.0)
        beyond = max(1.0 - here - beside, _NEVER)
        return near / max(beside, _NEVER), max(1.0 - near, _NEVER) / beyond


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
    fitting = release.notes[:, 0] / np.where(best > 0, best, 1.0) * release.cells
    records = np.repeat(release.n_records, aux.size).astype(np.float64)
    found: Floats = np.maximum(log(records / np.maximum(fitting, 1.0)), 0.0)
    return found


def _anchor(facts: NDArray[np.int64], gain: Floats, cells: Floats, windows: _Windows) -> int:
    """Return the anchor among the facts of an aux set, −1 if no record has any of their items."""
    best, anchor = -1.0, -1
    for j in facts.tolist():
        if cells[j] <= 0:
            continue
        expected = np.array([1.0 if a == j else windows.same(j, a) for a in facts.tolist()])
        total = float(np.cumsum(expected * gain[facts])[-1])
        if total > best:
            best, anchor = total, j
    return anchor
