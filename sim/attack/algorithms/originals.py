"""Estimates the true value of a released cell if the publisher has added noise (NS08 §3).

Given the released value, the probability of a true value is proportional to the probability that
the noise turns it into the released one, times its frequency among the true values of the item.
These frequencies are not released, but can be estimated: the released values of the item are true
ones blurred by a known noise, and expectation maximisation removes the blur (Richardson 1972, Lucy
1974). An item of few cells gives a poor estimate, so the estimate of the whole release is added as
a prior worth a few cells. Days are taken to be locally uniform: a true day is uniform within the
noise of the released one. The reference implementation is `tests/reference/published.py`.

Other changes of values are a *channel*: a probability of each released level, given each true one
(coarser levels, or noise on these). The same estimate inverts it. Where cells exchanged their
values within an item, the item's shares are those of the release, and only which cell had which is
unknown: with n cells, of which each took part with probability s, a cell has its own value with
probability a = 1 − s + (1 − (1 − s)^n)/n, and otherwise that of a uniform other one. That is
a mixture of its released value and of the item's distribution, the latter with probability
(1 − a)·n/(n − 1).

Invariant: without noise every function returns its input, to the bit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import Publisher
from sim.attack.engine.decisions import Floats
from sim.numeric import power
from sim.numeric.compiled import njit

STEPS = 100
"""Steps of the expectation maximisation."""

PRIOR_CELLS = 10.0
"""Weight of the prior in cells: uniform for the release, the release's estimate for each item."""


@dataclass(frozen=True, slots=True)
class Originals:
    """The true values that a released value may stand for.

    Parameters
    ----------
    scale : float64 array, shape (K,)
        Levels that true values may have.
    level : int64 array, shape (L,)
        Place of each level of the release in the scale, or among the columns of the channel.
    low, high : int64 arrays, shape (K,)
        Places [low, high) that the noise may move each level to, or have moved it from.
    blurred : bool
        Whether a released level may stand for others, wherever its cell is.
    channel : float64 array, shape (K, R)
        Probability of each released level, given each true one; empty for uniform noise.
    swapped : float
        Probability that a cell exchanged its value.
    """

    scale: Floats
    level: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    blurred: bool
    channel: Floats = field(default_factory=lambda: np.empty((0, 0)))
    swapped: float = 0.0

    @property
    def noisy(self) -> bool:
        """Whether a cell may have had another value."""
        return self.blurred or self.swapped > 0

    @classmethod
    def of(cls, released: Floats, publisher: Publisher) -> Originals:
        """Return the true levels behind those of a release with its publisher's noise."""
        noisy = publisher.value_noise > 0 and released.size > 0
        scale = publisher.levels(released)
        swapped = publisher.swapped if released.size else 0.0
        if publisher.value_channel and released.size:
            none, channel = np.empty(0, np.int64), np.array(publisher.value_channel)
            level = np.searchsorted(np.array(publisher.released), released)
            return cls(scale, level, none, none, True, channel, swapped)
        reach = publisher.value_reach if noisy else 0.0
        return cls(
            scale,
            np.searchsorted(scale, released),
            np.searchsorted(scale, scale - reach),
            np.searchsorted(scale, scale + reach, side="right"),
            noisy,
            swapped=swapped,
        )

    def common(self, of_items: Floats, of_release: Floats) -> Floats:
        """Return the share of each true value among the cells of each fact's item.

        Where values were exchanged within items, one more column has the probability that a cell's
        value is its own, (A, K + 1).

        Parameters
        ----------
        of_items, of_release : float64 arrays, shape (A, L + 1)
            Released cells of the item, and of the whole release, by level; the last is "no value".

        Returns
        -------
        float64 array, shape (A, K)
            Shares of the true cells that have a value; uniform, and never looked at, without noise.
        """
        shares = self._estimate(of_items, self._everywhere(of_release))
        return self._with_own(shares, of_items[:, :-1].sum(axis=1))

    def common_of(self, kept: Floats) -> Floats:
        """As `common`, where it is known how many released cells had each true value.

        Parameters
        ----------
        kept : float64 array, shape (A, K)
        """
        total = kept.sum(axis=1)
        shares = kept / np.maximum(total, 1.0)[:, None]
        return self._with_own(shares, total)

    def everywhere(self, of_release: Floats) -> Floats:
        """As `common`, among all cells of the release."""
        return self._with_own(self._everywhere(of_release), of_release[:, :-1].sum(axis=1))

    def _everywhere(self, of_release: Floats) -> Floats:
        uniform = np.full((len(of_release), self.scale.size), 1.0 / max(self.scale.size, 1))
        return self._estimate(of_release, uniform)

    def _estimate(self, counts: Floats, prior: Floats) -> Floats:
        if not self.noisy:
            return prior
        n_released = self.channel.shape[1] if self.channel.size else self.scale.size
        released = np.zeros((len(prior), n_released))
        released[:, self.level] = counts[:, :-1]
        if not self.blurred:
            total = released.sum(axis=1)[:, None]
            return np.where(total > 0, released / np.where(total > 0, total, 1.0), prior)
        shares = prior.copy()
        if self.channel.size:
            _maximise_through(released, self.channel, PRIOR_CELLS * prior, STEPS, shares)
        else:
            _maximise(released, self.low, self.high, PRIOR_CELLS * prior, STEPS, shares)
        return shares

    def _with_own(self, shares: Floats, n: Floats) -> Floats:
        """Append the weight of the cell's released value in the mixture, by the item's cells."""
        if not self.swapped:
            return shares
        n = np.maximum(n, 1.0)
        own = 1.0 - self.swapped + (1.0 - power(1.0 - self.swapped, n)) / n
        others = np.where(n > 1, (1.0 - own) * n / np.maximum(n - 1.0, 1.0), 0.0)
        return np.column_stack([shares, 1.0 - others])

    def by_release(self, common: Floats, table: Floats) -> Floats:
        """Expectation of a function of the true level, given the released one.

        Parameters
        ----------
        common : float64 array, shape (A, K)
            See `common`.
        table : float64 array, shape (A, …, K + 1)
            The function's values; the last is that of "no value", which stays.

        Returns
        -------
        float64 array, shape (A, …, L + 1)
        """
        if not self.noisy:
            return table
        between = math.prod(table.shape[1:-1])
        flat = np.ascontiguousarray(table).reshape(len(table), between, table.shape[-1])
        found = np.empty((*flat.shape[:2], self.level.size + 1))
        if not self.blurred:
            found[:, :, :-1] = flat[:, :, self.level]
            found[:, :, -1] = flat[:, :, -1]
        elif self.channel.size:
            _expect_through(common, self.channel, self.level, flat, found)
        else:
            _expect(common, self.low, self.high, self.level, flat, found)
        if self.swapped:
            anywhere = np.zeros(flat.shape[:2])
            for v in range(self.scale.size):  # in this order, whatever the processor
                anywhere += common[:, v, None] * flat[:, :, v]
            own = common[:, -1, None, None]
            found[:, :, :-1] = own * found[:, :, :-1] + (1.0 - own) * anywhere[:, :, None]
        return found.reshape(*table.shape[:-1], self.level.size + 1)

    def of_cells(self, common: Floats, counts: Floats) -> Floats:
        """True cells by level that released ones are expected to stand for.

        Parameters
        ----------
        common : float64 array, shape (A, K)
        counts : float64 array, shape (A, L + 1)

        Returns
        -------
        float64 array, shape (A, K + 1)
        """
        if not self.noisy:
            return counts
        found = np.zeros((len(counts), self.scale.size + 1))
        found[:, -1] = counts[:, -1]
        if not self.blurred:  # exchanged values are still there
            found[:, self.level] = counts[:, :-1]
            return found
        if self.channel.size:
            _without_channel(common, self.channel, self.level, counts, found)
        else:
            _without_noise(common, self.low, self.high, self.level, counts, found)
        if self.swapped:
            own, n = common[:, -1, None], counts[:, :-1].sum(axis=1)[:, None]
            found[:, :-1] = own * found[:, :-1] + (1.0 - own) * n * common[:, :-1]
        return found


@njit
def _maximise(released, low, high, more, steps, shares):  # type: ignore[no-untyped-def]
    """Richardson and Lucy's steps, row by row."""
    n = shares.shape[1]
    ratio, found = np.empty(n), np.empty(n)
    for a in range(shares.shape[0]):
        for _ in range(steps):
            for r in range(n):
                spread = 0.0
                for v in range(low[r], high[r]):
                    spread += shares[a, v] / (high[v] - low[v])
                ratio[r] = released[a, r] / spread if spread > 0.0 else 0.0
            total = 0.0
            for v in range(n):
                back = 0.0
                for r in range(low[v], high[v]):
                    back += ratio[r]
                found[v] = shares[a, v] * back / (high[v] - low[v]) + more[a, v]
                total += found[v]
            for v in range(n):
                shares[a, v] = found[v] / total


@njit
def _expect(common, low, high, level, table, found):  # type: ignore[no-untyped-def]
    for a in range(table.shape[0]):
        for c in range(table.shape[1]):
            found[a, c, -1] = table[a, c, -1]
            for k in range(level.size):
                r = level[k]
                total = mass = 0.0
                for v in range(low[r], high[r]):
                    chance = common[a, v] / (high[v] - low[v])
                    mass += chance
                    total += chance * table[a, c, v]
                found[a, c, k] = total / mass if mass > 0.0 else 0.0


@njit
def _without_noise(common, low, high, level, counts, found):  # type: ignore[no-untyped-def]
    for a in range(counts.shape[0]):
        for k in range(level.size):
            r = level[k]
            mass = 0.0
            for v in range(low[r], high[r]):
                mass += common[a, v] / (high[v] - low[v])
            if mass > 0.0:
                for v in range(low[r], high[r]):
                    chance = common[a, v] / (high[v] - low[v])
                    found[a, v] += counts[a, k] * chance / mass


@njit
def _maximise_through(released, channel, more, steps, shares):  # type: ignore[no-untyped-def]
    """Richardson and Lucy's steps for any channel, row by row."""
    n_true, n_released = channel.shape
    ratio, found = np.empty(n_released), np.empty(n_true)
    for a in range(shares.shape[0]):
        for _ in range(steps):
            for r in range(n_released):
                spread = 0.0
                for v in range(n_true):
                    spread += shares[a, v] * channel[v, r]
                ratio[r] = released[a, r] / spread if spread > 0.0 else 0.0
            total = 0.0
            for v in range(n_true):
                back = 0.0
                for r in range(n_released):
                    back += ratio[r] * channel[v, r]
                found[v] = shares[a, v] * back + more[a, v]
                total += found[v]
            for v in range(n_true):
                shares[a, v] = found[v] / total


@njit
def _expect_through(common, channel, level, table, found):  # type: ignore[no-untyped-def]
    for a in range(table.shape[0]):
        for c in range(table.shape[1]):
            found[a, c, -1] = table[a, c, -1]
            for k in range(level.size):
                total = mass = 0.0
                for v in range(channel.shape[0]):
                    chance = common[a, v] * channel[v, level[k]]
                    mass += chance
                    total += chance * table[a, c, v]
                found[a, c, k] = total / mass if mass > 0.0 else 0.0


@njit
def _without_channel(common, channel, level, counts, found):  # type: ignore[no-untyped-def]
    for a in range(counts.shape[0]):
        for k in range(level.size):
            mass = 0.0
            for v in range(channel.shape[0]):
                mass += common[a, v] * channel[v, level[k]]
            if mass > 0.0:
                for v in range(channel.shape[0]):
                    chance = common[a, v] * channel[v, level[k]]
                    found[a, v] += counts[a, k] * chance / mass
