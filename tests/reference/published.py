"""The posterior on a release that its publisher changed: every true cell that may lie behind one.

Invariant: where the publisher changed nothing these scores are those of `bayes` and `bayes_exact`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from reference.bayes import (
    Adversary,
    day_likelihood,
    log_choose,
    same_cell,
    value_likelihood,
)
from reference.tables import Floats, Mask, PlainAux, PlainRelease

Cell = tuple[float, float, float]
"""A true cell that may lie behind a released one: its probability, value and day."""


@dataclass(frozen=True, slots=True)
class Published:
    """The changes that the publisher made before the release (NS08, section 3).

    Parameters
    ----------
    value_noise : float
        k_S, in value units, over the adversary's levels.
    date_noise : int
        D_S, in days.
    drops_items : bool
        Whether items were dropped.
    channel : float64 array, shape (K, R), or None
        Chance of each released level, given each of the adversary's levels, in place of noise.
    released : float64 array, shape (R,)
        The levels of its columns.
    swapped : float
        Chance that a cell was among those of its item that exchanged their values.
    true_days : callable or None
        The chance of each true day behind a released one, in place of noise.
    """

    value_noise: float = 0.0
    date_noise: int = 0
    drops_items: bool = False
    channel: Floats | None = None
    released: Floats = field(default_factory=lambda: np.empty(0))
    swapped: float = 0.0
    true_days: Callable[[int], dict[int, float]] | None = None

    def moved(self, levels: Floats) -> tuple[Floats, Floats]:
        """Return the chance of each released level given each of the truth's, and these levels."""
        if self.channel is not None:
            return self.channel, self.released
        return noise_kernel(levels, self.value_noise), levels

    @property
    def blurs(self) -> bool:
        """Whether a released level may stand for others, wherever its cell is."""
        return bool(self.value_noise) or self.channel is not None


def noise_kernel(levels: Floats, noise: float) -> Floats:
    """Chance that the publisher moves a value (row) to another (column): uniform within the noise.

    Examples
    --------
    >>> noise_kernel(np.arange(1.0, 4.0), 1).round(2).tolist()
    [[0.5, 0.5, 0.0], [0.33, 0.33, 0.33], [0.0, 0.5, 0.5]]
    """
    near = np.abs(levels[:, None] - levels[None, :]) <= noise
    chance: Floats = near / near.sum(axis=1, keepdims=True)
    return chance


def shares_of_truth(values: Floats, prior: Floats, released: Floats, moved: Floats) -> Floats:
    """Shares of the true values behind released ones: 100 steps of Richardson (1972), Lucy (1974).

    Parameters
    ----------
    values : float64 array
        Released; NaN where missing.
    prior : float64 array, shape (K,)
        Shares that count as ten more true values, and that are begun with.
    released : float64 array, shape (R,)
        Levels of the release.
    moved : float64 array, shape (K, R)
        Chance of each of them, given each of the truth's.

    Returns
    -------
    float64 array, shape (K,)

    Examples
    --------
    Released 1, 2 and 3 with equal shares can only come from 2; the prior holds on to the others.

    >>> values, levels = np.tile([1.0, 2.0, 3.0], 1000), np.arange(1.0, 4.0)
    >>> moved = noise_kernel(levels, 1)
    >>> shares_of_truth(values, np.full(3, 1 / 3), levels, moved).round(2).tolist()
    [0.07, 0.85, 0.07]
    """
    counts = (values[:, None] == released[None, :]).sum(axis=0)
    share = prior.copy()
    for _ in range(100):
        joint = share[:, None] * moved
        behind = joint / np.where(joint.sum(axis=0) > 0, joint.sum(axis=0), 1.0)
        found = behind @ counts + 10.0 * prior
        share = found / found.sum()
    return share


class Truth:
    """The true cells that may lie behind the released ones.

    Parameters
    ----------
    levels : float64 array, shape (K,)
        That true values may have.
    """

    def __init__(self, release: PlainRelease, levels: Floats, published: Published) -> None:
        self._release, self._levels, self._published = release, levels, published
        uniform = np.full(levels.size, 1.0 / max(levels.size, 1))
        self._everywhere = self._shares(release.value[release.held], uniform)
        self._of_items = [
            self._shares(release.value[release.held[:, item], item], self._everywhere)
            for item in range(release.n_items)
        ]

    def _shares(self, values: Floats, prior: Floats) -> Floats:
        if not self._published.blurs and not self._published.swapped:
            return prior
        moved, released = self._published.moved(self._levels)
        if not self._published.blurs:
            counts = (values[:, None] == released[None, :]).sum(axis=0)
            return counts / counts.sum() if counts.any() else prior
        return shares_of_truth(values, prior, released, moved)

    def _own(self, values: Floats) -> float:
        """Weight of a cell's released value, the item's distribution having the rest."""
        n, s = max(int((~np.isnan(values)).sum()), 1), self._published.swapped
        own = 1 - s + (1 - (1 - s) ** n) / n
        return 1 - (1 - own) * n / (n - 1) if n > 1 else 1.0

    def behind(self, record: int, item: int, of_item: bool = True) -> list[Cell]:
        """List the true cells that may lie behind a released one."""
        value, day = self._release.value[record, item], self._release.day[record, item]
        days = [day]
        if self._published.date_noise and not np.isnan(day):
            reach = self._published.date_noise
            days = [day + shift for shift in range(-reach, reach + 1)]
        dated = [(1 / len(days), each) for each in days]
        if self._published.true_days is not None and not np.isnan(day):
            dated = [(p, d) for d, p in self._published.true_days(int(day)).items()]
        values = [(1.0, value)]
        if (self._published.blurs or self._published.swapped) and not np.isnan(value):
            share = self._of_items[item] if of_item else self._everywhere
            chance = (self._levels == value).astype(np.float64)
            if self._published.blurs:
                moved, released = self._published.moved(self._levels)
                chance = share * moved[:, int(np.searchsorted(released, value))]
            chance = chance / chance.sum()
            if self._published.swapped:
                held = self._release.held
                cells = self._release.value[held]
                own = self._own(self._release.value[held[:, item], item] if of_item else cells)
                chance = own * chance + (1 - own) * share
            values = list(zip(chance, self._levels.tolist(), strict=True))
        return [(p * q, v, d) for p, v in values if p > 0 for q, d in dated]

    def behind_all(self, item: int | None) -> list[list[Cell]]:
        """The same for every cell of an item, or of the whole release."""
        held = self._release.held if item is None else self._release.held[:, [item]]
        first = 0 if item is None else item
        return [self.behind(int(r), first + int(i), item is not None) for r, i in np.argwhere(held)]


def bayes_published(
    release: PlainRelease,
    aux: PlainAux,
    adversary: Adversary,
    published: Published,
    eligible: Mask | None = None,
    *,
    exact: bool,
) -> Floats:
    """Log posterior of every record, up to a constant, of a release that was changed (spec 4.1).

    As `bayes` or, if `exact`, as `bayes_exact`, with three differences. A record fits a fact as
    its possible true cells do, each weighed with its probability. The cells that wrong facts are
    drawn from are the expected true ones. And of an item that was dropped it is not known who held
    it: such a fact is as likely for everybody, and the others are all that was drawn from what is
    left of the record; where wrong facts are of other items it is right rather than wrong in
    proportion to the items of the record.

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    Days were moved by at most 1. Day 4 lies behind day 5 as well as behind 3; not behind 6.

    >>> release = PlainRelease.of(3, 1, [(0, 0, None, 5), (1, 0, None, 3), (2, 0, None, 6)])
    >>> aux, adversary = PlainAux.of([(0, None, 4)]), Adversary(1, np.empty(0), None, 0)
    >>> scores = bayes_published(release, aux, adversary, Published(date_noise=1), exact=True)
    >>> np.exp(scores).round(3).tolist()
    [0.333, 0.333, 0.0]
    """
    truth = Truth(release, adversary.levels, published)
    allowed = np.ones(release.n_items, np.bool_) if eligible is None else eligible
    n_eligible = release.held[:, allowed].sum(axis=1)
    by_item, n_wrong = adversary.wrong == "item", len(aux) - adversary.correct
    pi = adversary.wrong_share(len(aux))
    ways = np.zeros((n_wrong + 1, release.n_records))
    ways[0] = 1.0
    product = np.ones(release.n_records)
    mass = release.held.astype(np.float64) @ release.support()
    n_dropped = 0
    for item, value, day in aux:
        if item < 0 and published.drops_items:
            n_dropped += 1
            right = n_eligible.astype(np.float64) if by_item else np.ones(release.n_records)
            ways = _one_more(ways, right, np.ones(release.n_records))
            continue
        if item < 0 or not release.held[:, item].any():
            wrong = np.full(release.n_records, float(by_item))
            ways = _one_more(ways, np.zeros(release.n_records), wrong)
            product *= by_item
            continue
        held, cells = release.held[:, item], truth.behind_all(item)
        q = _share(adversary, cells, value, day)
        right, wrong = np.zeros(release.n_records), np.zeros(release.n_records)
        right[held] = [_right(adversary, behind, value, day) for behind in cells]
        lacking = pi * held.sum() / release.held.sum() * q if by_item else 0.0
        product *= np.where(held, (1 - pi) * right + pi * q, lacking)
        if by_item:
            # A wrong item is drawn by popularity, from the cells of items that are left to draw.
            room = np.maximum(release.held.sum() - mass, 1.0)
            wrong = np.where(held, 0.0, q * held.sum() / room)
            mass = np.where(held, mass, mass + held.sum())
        elif exact and n_wrong and allowed[item]:
            wrong[held] = [
                _wrong(truth, adversary, published, cells, behind, (value, day)) for behind in cells
            ]
        ways = _one_more(ways, right * allowed[item], wrong)
    least = len(aux)
    if published.drops_items:
        least = max(adversary.correct - n_dropped, 0) if by_item else least - n_dropped
    chosen = adversary.correct if exact and by_item else len(aux) - n_dropped
    with np.errstate(divide="ignore"):
        scores = np.log(ways[n_wrong] if exact else product)
    scores = scores - log_choose(np.maximum(n_eligible, max(least, chosen)), chosen)
    return np.where(n_eligible >= least, scores, -np.inf)


def _one_more(ways: Floats, right: Floats, wrong: Floats) -> Floats:
    """Likelihood of one fact more, by how many so far are wrong."""
    more: Floats = ways * right + np.vstack([np.zeros(ways.shape[1]), ways[:-1] * wrong])
    return more


def _right(adversary: Adversary, behind: list[Cell], value: float, day: float) -> float:
    """Chance that a right fact about this cell is (value, day)."""
    p, values, days = (np.array(part) for part in zip(*behind, strict=True))
    likely = value_likelihood(adversary, values, value) * day_likelihood(adversary, days, day)
    return float((p * likely).sum())


def _share(adversary: Adversary, cells: list[list[Cell]], value: float, day: float) -> float:
    """Expected share of true cells with exactly that value and that day."""
    same = sum(p * _is_fact(adversary, v, d, value, day) for behind in cells for p, v, d in behind)
    return same / len(cells)


def _inside(adversary: Adversary, one: Cell, other: Cell) -> bool:
    """Whether another true cell is within the noise of one; a missing part never differs."""
    far = abs(one[1] - other[1]) > adversary.value_reach(one[1])
    late = adversary.date_noise is not None and abs(one[2] - other[2]) > adversary.date_noise
    return not (far or late)


def _wrong(
    truth: Truth,
    adversary: Adversary,
    published: Published,
    cells: list[list[Cell]],
    behind: list[Cell],
    fact: tuple[float, float],
) -> float:
    """Chance that a wrong fact about this cell is (value, day): of the true cells outside.

    Of the item's cells or, in as far as none of them may be outside, of all.
    """
    moved = published.blurs
    chance = 0.0
    for p, v, d in behind:
        here, outside = _of_outside(adversary, cells, (p, v, d), fact)
        none = (1.0 - outside) ** (len(cells) - 1) if moved else float(outside <= 1e-12)
        if none > 0:
            everywhere, _ = _of_outside(adversary, truth.behind_all(None), (p, v, d), fact)
            here = (1 - none) * here + none * everywhere
        chance += p * here
    return chance


def _of_outside(
    adversary: Adversary, cells: list[list[Cell]], true: Cell, fact: tuple[float, float]
) -> tuple[float, float]:
    """Share of the fact among the cells outside the noise of a true one, and the share of these."""
    outside = same = 0.0
    for p, v, d in (one for behind in cells for one in behind):
        if not _inside(adversary, true, (p, v, d)):
            outside += p
            same += p * _is_fact(adversary, v, d, *fact)
    return same / outside if outside > 0 else 0.0, outside / len(cells)


def _is_fact(adversary: Adversary, v: float, d: float, value: float, day: float) -> float:
    """Chance that a triple which is made of a cell as it is would be (value, day)."""
    return float(same_cell(adversary, np.array([v]), np.array([d]), value, day)[0])
