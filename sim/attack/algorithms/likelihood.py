"""Likelihoods of the adversary's facts, given each released cell (spec §2, §4.1).

A fact is the true cell plus the adversary's noise, a released cell the true one plus the
publisher's. For days only the difference of the two matters, which has the law of Z_S + Z_A: it is
as likely as there are pairs of shifts that sum to it. That number of pairs is the *class* of the
released cell's day; `sim.attack.algorithms.originals` does the same for values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.day_law import day_law
from sim.adversary.knowledge import Knowledge, reach, reach_of
from sim.adversary.publisher import AS_IS, Publisher
from sim.attack.algorithms.day_classes import DayClasses, classes_of
from sim.attack.algorithms.originals import Originals
from sim.attack.engine.decisions import Floats
from sim.attack.engine.similarity import day_table
from sim.attack.engine.view import ReleaseView


@dataclass(frozen=True, slots=True)
class Noise:
    """The noise of the adversary and of the publisher for each of A facts.

    Parameters
    ----------
    value : float64 array, shape (A,)
        The most by which a value may be off, but for `share`; inf where no values are known.
    share : float64 array, shape (A,)
        The share of the true value by which it may be off as well.
    days : float64 array, shape (A,)
        D; −1 where no dates are known.
    wrong : float64 array, shape (A,)
        π = (m′ − m)/m′.
    by_item : bool array, shape (A,)
        Whether wrong facts are of wrong items.
    low, high : float64 arrays, shape (A,)
        Ranks [low, high) in the release of the items the adversary may know.
    popular : bool array, shape (A,)
        Whether the adversary may know items that were dropped as popular ones.
    missing : float64 array, shape (A,)
        Probability that the value of a cell is not known.
    coarse : DayClasses or None
        Where times were changed by more than noise; see `on`.
    """

    value: Floats
    share: Floats
    days: Floats
    wrong: Floats
    by_item: NDArray[np.bool_]
    low: Floats
    high: Floats
    popular: NDArray[np.bool_]
    missing: Floats
    publisher: Publisher = AS_IS
    coarse: DayClasses | None = None

    @classmethod
    def of(cls, knowledge: tuple[Knowledge, ...], aux: Aux, publisher: Publisher = AS_IS) -> Noise:
        """Return the noise of each fact, from the knowledge of its grid cell."""
        by_cell = np.array(
            [
                (
                    np.inf if k.value_reach is None else k.value_reach,
                    reach(k.value_share),
                    -1 if k.date_noise is None else k.date_noise,
                    (k.size - k.correct) / k.size,
                    k.wrong == "item",
                    *_ranks(k, publisher),
                    k.popularity.low < publisher.popular,
                    k.missing,
                )
                for k in knowledge
            ],
            np.float64,
        )
        columns = by_cell[np.repeat(aux.cell, aux.size)].T.copy()
        value, share, days, wrong, by_item, low, high, popular, missing = columns
        known = value, share, days, wrong, by_item > 0, low, high, popular > 0, missing
        return cls(*known, publisher)

    def on(self, release: ReleaseView, aux: Aux) -> Noise:
        """Complete the noise by what depends on the release."""
        if not self.publisher.times or not release.n_days:
            return self
        law = day_law(self.publisher.times, release.time_bin, release.first_day, release.n_days)
        return replace(self, coarse=classes_of(law, release, aux, self.days))

    def value_limits(self, scale: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """The most by which a value may be off, by its true level, and which of it is each fact's.

        Returns
        -------
        limits : float64 array, shape (G, K + 1)
        which : int64 array, shape (A,)
            Row of `limits`.
        """
        each = np.column_stack([self.value, self.share])
        # Facts of one aux set are alike, and mostly those of the next too: one of each run will do.
        begins = np.append(True, (each[1:] != each[:-1]).any(axis=1))[: len(each)]
        pairs, which = np.unique(each[begins], axis=0, return_inverse=True)
        values = np.append(scale, np.nan)[None, :]
        return reach_of(values, pairs[:, :1], pairs[:, 1:]), which.ravel()[np.cumsum(begins) - 1]

    @property
    def n_classes(self) -> int:
        """Classes of days that any fact needs; the last is "no day"."""
        if self.coarse is not None:
            return self.coarse.chance.size
        return n_classes(self.days, self.publisher.date_noise)

    def has_value(self, aux: Aux, n_levels: int) -> Floats:
        """How likely each fact has a value, or has none, by the true level, shape (A, K + 1).

        A cell without a value gives a fact without one, others do with probability `missing`. But
        for a factor of each fact: without missing values in the data all are 1.
        """
        found = np.ones((aux.item.size, n_levels + 1))
        known = np.isfinite(self.value) & (n_levels > 0)
        valued, without = known & ~np.isnan(aux.value), known & np.isnan(aux.value)
        found[valued, -1] = float(self.publisher.blanks)
        found[valued] *= (self.missing[valued] < 1)[:, None]
        found[without, :-1] = (self.missing[without] > 0)[:, None]
        said = np.where(self.missing > 0, self.missing, 1.0)
        found[without, -1] = 1.0 / said[without]
        return found

    def has_day(self, aux: Aux, n_days: int) -> Floats:
        """Whether each fact has a day, or none, as the cell has, by its class, shape (A, C)."""
        found = np.ones((aux.item.size, self.n_classes))
        known = (self.days >= 0) & (n_days > 0)
        dated, without = known & (aux.day != NO_DAY), known & (aux.day == NO_DAY)
        found[dated, -1] = float(self.publisher.blanks)
        found[without, :-1] = 0.0
        return found

    @property
    def agreeing_days(self) -> Floats:
        """Chance that a cell's true day is within the adversary's noise, by class.

        Shape (C,), or (A, C) where times were made coarser.
        """
        if self.coarse is not None:
            window = 2 * np.maximum(self.days, 0) + 1
            within: Floats = np.minimum(self.coarse.chance[None, :] * window[:, None], 1.0)
            return within
        pairs = np.arange(self.n_classes, dtype=np.float64)
        chance: Floats = np.minimum(pairs / (2 * self.publisher.date_noise + 1), 1.0)
        chance[-1] = 1.0
        return chance


def _ranks(known: Knowledge, publisher: Publisher) -> tuple[float, float]:
    """Ranks in the release of the items that may be known; all where these are not certain."""
    if publisher.hides_cells_of_items:
        return 0, np.inf
    window = publisher.window(known.popularity)
    return window.low, np.inf if window.high is None else window.high


def n_classes(days: Floats, published: int = 0) -> int:
    """Classes of days that any of some facts needs; the last is "no day".

    Parameters
    ----------
    days : float64 array
        D of the facts, −1 for none.
    published : int
        D_S.

    Examples
    --------
    >>> n_classes(np.array([3.0, 14.0])), n_classes(np.array([3.0, 14.0]), published=5)
    (3, 13)
    """
    if published == 0:
        return 3
    return 3 + 2 * int(np.minimum(days, published).max(initial=0.0))


def right_facts(release: ReleaseView, aux: Aux, noise: Noise) -> Floats:
    """p(value | value′)·p(day | day′) of every fact, over Z_S + Z_A.

    Parameters
    ----------
    aux : Aux
        A facts.

    Returns
    -------
    float64 array, shape (A, C, L + 1)
        By the class of the cell's day (`day_classes`) and its level.
    """
    published = 2 * noise.publisher.date_noise + 1
    if noise.coarse is None:
        pairs = np.arange(noise.n_classes, dtype=np.float64)
        chance = pairs / (published * (2 * np.maximum(noise.days, 0) + 1))[:, None]
        chance[:, -1] = 1.0
    else:
        chance = noise.coarse.chance[None, :]
    dated = (noise.days >= 0) & (aux.day != NO_DAY)
    day = np.where(dated[:, None], chance, 1.0) * noise.has_day(aux, release.n_days)
    originals = Originals.of(release.scale, noise.publisher)
    value = originals.by_release(
        common_values(release, aux, originals),
        value_likelihood(originals.scale, aux, noise),
    )
    right: Floats = day[:, :, None] * value[:, None, :]
    return right


def common_values(release: ReleaseView, aux: Aux, originals: Originals) -> Floats:
    """Return the share of each true value among each item's cells; see `Originals.common`."""
    if not originals.noisy:
        return np.empty((aux.item.size, 0))
    return originals.common(release.cells_by_level, release.all_cells_by_level)


def gaps_to(scale: Floats, value: Floats) -> Floats:
    """|Δvalue| of A facts to each of K levels and to none; NaN where missing, shape (A, K + 1)."""
    gaps: Floats = np.abs(np.append(scale, np.nan) - value[:, None])
    return gaps


def value_likelihood(scale: Floats, aux: Aux, noise: Noise) -> Floats:
    """p(value | true value) by level: uniform over the levels within reach, shape (A, K + 1).

    But for a factor of each fact; see `Noise.has_value`.
    """
    limits, which = noise.value_limits(scale)
    gaps = gaps_to(scale, aux.value)
    apart = np.abs(scale[:, None] - scale[None, :])
    count = np.ones_like(gaps)
    for k, most in enumerate(limits):
        count[which == k, :-1] = (apart <= most[:-1, None]).sum(axis=1)
    within = (gaps <= limits[which]) & np.isin(aux.value, scale)[:, None]
    likely: Floats = np.where(np.isnan(gaps), 1.0, within / count)
    return likely * noise.has_value(aux, scale.size)


def day_classes(
    release: ReleaseView, aux: Aux, days: Floats, published: int = 0
) -> tuple[NDArray[np.uint8] | NDArray[np.uint16], NDArray[np.int64]]:
    """Class of every day for every fact: the pairs of shifts within D_S and D that explain it.

    Without noise of the publisher's that is 0 beyond the adversary's noise and 1 within. A cell
    without a day has the last class.

    Parameters
    ----------
    aux : Aux
        A facts.
    days : float64 array, shape (A,)
        See `Noise`.
    published : int
        D_S.

    Returns
    -------
    day_class : uint8 or uint16 array, shape (K,)
        A table for every noise there is.
    day_offset : int64 array, shape (A,)
        See `sim.attack.kernels.score_spec.Contributions`.
    """
    last = n_classes(days, published) - 1
    tables, offset, length = [], np.zeros(aux.item.size, np.int64), 0
    for d in np.unique(days).tolist():
        table, shift = day_table(release, aux.day, _pairs_of_shifts(d, published), float(last))
        here = days == d
        offset[here] = shift[here] + length
        tables.append(table)
        length += table.size
    classes = np.concatenate([np.empty(0), *tables])
    return classes.astype(np.uint8) if last < 256 else classes.astype(np.uint16), offset


def _pairs_of_shifts(days: float, published: int) -> Callable[[NDArray[np.int64]], Floats]:
    """Pairs of shifts, within `published` and within `days`, that sum to a gap."""
    if days < 0:
        return lambda gap: np.zeros(gap.shape)
    most = 2 * min(days, published) + 1
    reach = np.floor(days) + published + 1
    return lambda gap: np.clip(reach - gap, 0.0, most)


def shares(release: ReleaseView, aux: Aux, wanted: NDArray[np.bool_], noise: Noise) -> Floats:
    """q_i: the share of the item's true cells with exactly the fact's value and day.

    Expected from the released cells, where the publisher has moved them; with one more cell of any
    value and day, where people or cells are missing or items are in groups. But for a factor of
    each fact; see `Noise.has_value`.

    Parameters
    ----------
    aux : Aux
        A facts.
    wanted : bool array, shape (A,)

    Returns
    -------
    float64 array, shape (A,)
        0 where not wanted, or where the release has no such item.
    """
    facts = np.flatnonzero(wanted & (aux.item >= 0))
    day, no_day = aux.day[facts].astype(np.int64), aux.day[facts] == NO_DAY
    publisher = noise.publisher
    originals = Originals.of(release.scale, publisher)
    chance = originals.by_release(
        common_values(release, aux, originals)[facts],
        same_value(originals.scale, aux, noise)[facts],
    )
    reach = publisher.date_noise
    # The code after the last day stands for "no day", which only cells without one have.
    first = np.where(noise.days[facts] >= 0, release.n_days, 0)
    low = np.where(no_day, first, np.maximum(day - reach, 0))
    high = np.where(no_day, release.n_days, np.minimum(day + reach, release.n_days - 1))
    dated = np.where(no_day, 1.0, 2.0 * reach + 1)
    if noise.coarse is None:
        same = release.matching_cells(facts, chance, low, high)
    else:
        same = np.zeros(facts.size)
        free = np.flatnonzero(no_day)
        same[free] = release.matching_cells(facts[free], chance[free], low[free], high[free])
        same += cells_on(release, facts, chance, no_day, noise.coarse.law.fact(day, 0))
        dated = np.ones(facts.size)
    share, cells = np.zeros(aux.item.size), np.maximum(release.cells[facts], 1)
    share[facts] = np.maximum(same, 0.0) / dated / cells
    if publisher.hides_cells_of_items:
        share[facts] = (cells * share[facts] + any_cell(release, aux, noise)[facts]) / (cells + 1)
    return share


def any_cell(release: ReleaseView, aux: Aux, noise: Noise) -> Floats:
    """Return the probability that a cell of any value and day is the fact, shape (A,).

    Where people or cells are missing, the cell that a fact is about may be missing too; and that of
    a wrong fact may be of no item of the group.
    """
    n_days = max(release.n_days, 1)
    both: Floats = any_value(release, aux, noise) * any_day(release, aux, noise, 1.0 / n_days)
    return both


def any_value(release: ReleaseView, aux: Aux, noise: Noise) -> Floats:
    """Return the probability that a cell of any value has the fact's, shape (A,)."""
    lacks, n_levels = np.isnan(aux.value), release.scale.size
    has, empty = noise.has_value(aux, n_levels)[:, [0, -1]].T
    share = np.maximum(release.without_value, _one_cell(release, aux) * (lacks & (has != empty)))
    likely = has * np.where(lacks, 1.0, 1.0 / max(n_levels, 1))
    found: Floats = (1.0 - share) * likely + share * empty
    return found


def any_day(release: ReleaseView, aux: Aux, noise: Noise, on_day: Floats | float) -> Floats:
    """Return the probability that a cell of any day has the fact's, shape (A,).

    Parameters
    ----------
    on_day : float, or float64 array, shape (A,)
        The same of a cell that has a day, for a fact that has one.
    """
    lacks = aux.day == NO_DAY
    has, empty = noise.has_day(aux, release.n_days)[:, [0, -1]].T
    share = np.maximum(release.without_day, _one_cell(release, aux) * (lacks & (has != empty)))
    found: Floats = (1.0 - share) * (has * np.where(lacks, 1.0, on_day)) + share * empty
    return found


def _one_cell(release: ReleaseView, aux: Aux) -> Floats:
    """The share of one cell among all, and that one, shape (A,)."""
    found: Floats = 1.0 / (np.repeat(release.n_cells, aux.size) + 1)
    return found


def cells_on(
    release: ReleaseView,
    facts: NDArray[np.int64],
    chance: Floats,
    leave_out: NDArray[np.bool_],
    weights: tuple[NDArray[np.int64], Floats],
) -> Floats:
    """Sum the chances of the cells of some facts' items by level, and by their day.

    Parameters
    ----------
    facts : int64 array, shape (B,)
    chance : float64 array, shape (B, L + 1)
    leave_out : bool array, shape (B,)
        Facts for which there is no sum.
    weights : int64 and float64 arrays, shape (B, S)
        Consecutive day codes, and the weight of each.
    """
    code, weight = weights
    found = np.zeros(facts.size)
    # Runs of days of one weight are one look-up.
    begins = np.column_stack([np.ones(facts.size, np.bool_), np.diff(weight, axis=1) != 0])
    rows, columns = np.nonzero(begins)
    ends = np.append(columns[1:], weight.shape[1])
    ends = np.where(np.append(rows[1:], -1) == rows, ends, weight.shape[1]) - 1
    wanted = (weight[rows, columns] != 0) & ~leave_out[rows]
    rows, columns, ends = rows[wanted], columns[wanted], ends[wanted]
    number = np.arange(rows.size) - np.searchsorted(rows, rows)  # of the run among the fact's
    for run in range(int(number.max(initial=-1)) + 1):
        here = np.flatnonzero(number == run)
        row, low, high = rows[here], columns[here], ends[here]
        sums = release.matching_cells(
            facts[row], chance[row], np.maximum(code[row, low], 0),
            np.minimum(code[row, high], release.n_days - 1),
        )  # fmt: skip
        found[row] += weight[row, low] * np.maximum(sums, 0.0)
    return found


def same_value(scale: Floats, aux: Aux, noise: Noise) -> Floats:
    """Whether a true cell has the fact's very value, or none, by level, shape (A, K + 1).

    But for a factor of each fact; see `Noise.has_value`.
    """
    exactly = np.append(scale, np.nan)[None, :] == aux.value[:, None]
    same: Floats = np.where(np.isnan(aux.value)[:, None], True, exactly).astype(np.float64)
    return same * noise.has_value(aux, scale.size)
