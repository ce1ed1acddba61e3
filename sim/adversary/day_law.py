"""Probability of each true day behind a released one, where times were made coarser (spec §11).

A true day is taken to be uniform before the release was made, beyond its ends too. Then Bayes' rule
goes back through the publisher's changes, one after the other. Behind the start of a coarse bin
lies each of its days, in proportion to how many true days come to it. Behind a day that was moved
by at most D lies each within D of it that it can have been, so that the starts of coarse bins show
through noise added afterwards. The reference implementation is `tests/reference/coarse_days.py`.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import TimeStep
from sim.release.store.time_bins import TimeBin

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DIGITS = 12
"""Probabilities are rounded to so many digits, so that equal ones are one class."""


_LONGEST_MONTH = 31 * 86_400


@dataclass(frozen=True, slots=True, eq=False)
class DayLaw:
    """Distribution of the true day behind each released day code.

    Parameters
    ----------
    reach : int
        The most by which the two may differ.
    true : float64 array, shape (n_days, 2·reach + 1)
        Probability of each true day, from `reach` before the released one; rows of days that
        cannot have been released are 0.
    """

    reach: int
    true: Floats

    def fact(self, day: Ints, noise: int) -> tuple[Ints, Floats]:
        """Probability that a right fact has a day, by the released day of its cell.

        Parameters
        ----------
        day : int64 array, shape (B,)
            Codes; may lie outside the release.
        noise : int
            D of the adversary.

        Returns
        -------
        code : int64 array, shape (B, S)
            Released days from which the fact may come, and some more; may lie outside the release.
        chance : float64 array, shape (B, S)
        """
        n_days, far = len(self.true), self.reach + noise
        code = day[:, None] + np.arange(-far, far + 1)
        inside = (code >= 0) & (code < n_days)
        sums = np.column_stack([np.zeros(n_days), np.cumsum(self.true, axis=1)])
        # The fact is within the noise of true days [first, end) of the row, in places.
        first = np.clip(day[:, None] - noise - code + self.reach, 0, 2 * self.reach + 1)
        end = np.clip(day[:, None] + noise + 1 - code + self.reach, 0, 2 * self.reach + 1)
        row = np.where(inside, code, 0)
        chance = (sums[row, end] - sums[row, first]) / (2 * noise + 1)
        return code, np.round(np.where(inside, chance, 0.0), _DIGITS).astype(np.float64)

    def expected(self, cells: Floats) -> Floats:
        """Expected true cells by day, from `reach` before the first, (n_days + 2·reach,).

        Parameters
        ----------
        cells : float64 array, shape (n_days,)
            Released cells by day.
        """
        found = np.zeros(len(self.true) + 2 * self.reach)
        for shift in range(2 * self.reach + 1):
            found[shift : shift + len(self.true)] += cells * self.true[:, shift]
        return found


@functools.lru_cache(maxsize=8)
def day_law(steps: tuple[TimeStep, ...], width: TimeBin, first_day: int, n_days: int) -> DayLaw:
    """Return the law of the true days behind those of a release.

    Parameters
    ----------
    width : TimeBin
        Of the release.
    first_day : int
        Number of its first bin.

    Examples
    --------
    Days 0 to 3 are Thursday to Sunday: the week of the first began on Monday, day −3.

    >>> law = day_law((TimeStep("coarsen", "week"),), TimeBin.parse("day"), -3, 8)
    >>> law.reach, law.true[0, 6:].round(3).tolist()
    (6, [0.143, 0.143, 0.143, 0.143, 0.143, 0.143, 0.143])
    >>> bool(law.true[1].any())
    False
    """
    reach, margin = 0, sum(most_moved_by(step, width) for step in steps)
    day = np.arange(first_day - 2 * margin, first_day + n_days + 2 * margin)
    # How many true days come to each day, after each step.
    weights = [np.ones(day.size)]
    for step in steps:
        weights.append(_pushed(weights[-1], step, width, day))
    code = np.arange(n_days)
    row = np.where(weights[-1][code + 2 * margin] > 0, 1.0, 0.0)[:, None]
    for step, before, after in zip(steps[::-1], weights[-2::-1], weights[:0:-1], strict=True):
        wider = reach + most_moved_by(step, width)
        place = code[:, None] + np.arange(-wider, wider + 1) + 2 * margin  # of each day before
        row = _pulled(row, step, width, (day, place, wider - reach, before, after))
        reach = wider
    total = row.sum(axis=1)[:, None]
    return DayLaw(reach, row / np.where(total > 0, total, 1.0))


def most_moved_by(step: TimeStep, width: TimeBin) -> int:
    """Return the most by which a step moves a time, in bins of a width."""
    if step.kind == "jitter":
        return int(step.width)
    wider = TimeBin.parse(step.width).seconds or _LONGEST_MONTH
    return wider // (width.seconds or _LONGEST_MONTH) - 1


def _pushed(weight: Floats, step: TimeStep, width: TimeBin, day: Ints) -> Floats:
    """Return the weights of days after a step; those near the ends are too small."""
    if step.kind == "coarsen":
        start = width.first_in(TimeBin.parse(step.width), day)
        inside = start >= day[0]
        sums = np.bincount(start[inside] - day[0], weight[inside], minlength=day.size)
        return sums.astype(np.float64)
    d = int(step.width)
    up_to = np.concatenate([[0.0], np.cumsum(weight)])
    at = np.arange(day.size)
    high, low = np.minimum(at + d + 1, day.size), np.maximum(at - d, 0)
    moved: Floats = (up_to[high] - up_to[low]) / (2 * d + 1)
    return np.where(moved > 1e-9, moved, 0.0)


def _pulled(
    row: Floats,
    step: TimeStep,
    width: TimeBin,
    state: tuple[Ints, Ints, int, Floats, Floats],
) -> Floats:
    """Return the probabilities of days before a step from those after it, shape (n_days, S).

    `row` has those of the days after it, `more` fewer on either side.
    """
    day, place, more, before, after = state
    padded = np.pad(row, ((0, 0), (more, more)))
    weight = after[place]
    per_day = np.where(weight > 0, padded / np.where(weight > 0, weight, 1.0), 0.0)
    if step.kind == "coarsen":
        start = width.first_in(TimeBin.parse(step.width), day)
        back = (day - start)[place]  # how far each day is from its start
        column = np.arange(place.shape[1]) - back
        found = np.take_along_axis(per_day, np.maximum(column, 0), axis=1)
        return np.where(column >= 0, found, 0.0) * before[place]
    d = int(step.width)
    sums = np.column_stack([np.zeros(len(row)), np.cumsum(per_day, axis=1)])
    at = np.arange(place.shape[1])
    high, low = np.minimum(at + d + 1, at.size), np.maximum(at - d, 0)
    found = (sums[:, high] - sums[:, low]) * before[place] / (2 * d + 1)
    return np.where(found > 1e-12, found, 0.0)
