"""How many cells each record had before some were left out, learnt from all released records.

Each of N cells is released with probability κ, so the number released, n, is binomial. The
distribution of N over people is the one under which the released lengths are likeliest, found by
expectation and maximisation (Laird, J. Am. Stat. Assoc. 73, 1978) from a flat start. It stops after
a fixed number of steps, because more of them would fit chance. Whoever has fewer released cells
than the shortest released record is assumed to have been left out. One record whose N is flat is
added to those there are, so that no N is impossible.

The distribution is learnt from records of up to 1024 cells and used for those of up to 512. For
longer ones every N is assumed to be as likely, since n alone tells N to within a few per cent.
Where consecutive N cannot be told apart, one stands for all up to the next.

The reference implementation is `tests/reference/true_lengths.py`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.numeric import exp, log, log_choose, matmul

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LONGEST = 512
"""The most released cells for which the true length of a record is learnt."""

_LEARNT_FROM = 2 * LONGEST
_STEPS = 100
_APART = 4
"""Lengths in each standard deviation of N given n: more of them cannot be told apart."""

_SURE = 8.0
"""Standard deviations beyond which nothing is left."""


@dataclass(frozen=True, eq=False)
class TrueLengths:
    """The distribution of the true lengths of released records.

    Parameters
    ----------
    length : int64 array, shape (B,)
        N, ascending.
    weight : float64 array, shape (B,)
        Of people with as many cells, whether they were released or not; but for a factor.
    kept : float
        κ, above 0 and below 1.
    """

    length: Ints
    weight: Floats
    kept: float

    def given(self, released: Ints) -> Floats:
        """P(N | n) for each of K numbers of released cells, shape (K, B).

        Examples
        --------
        Half of the cells are kept, and as many people had three as had one.

        >>> lengths = TrueLengths(np.array([1, 3]), np.array([0.5, 0.5]), 0.5)
        >>> lengths.given(np.array([1, 2])).round(3).tolist()
        [[0.571, 0.429], [0.0, 1.0]]
        """
        likely = self.weight * _released(released, self.length, self.kept)
        total = np.cumsum(likely, axis=1)[:, -1:]
        return np.asarray(likely / np.where(total > 0, total, 1.0))

    def placements(self, released: Ints, size: int, drawn: int) -> Floats:
        """Chance that facts are about certain cells, of which some are hidden.

        Σ_N P(N | n)·H^(j)/N^(h + j), where H = N − n, over the N of at least `size` cells: that h
        facts are about these cells of the n, and j about any hidden ones.

        Parameters
        ----------
        released : int64 array, shape (K,)
            n.
        size : int
            Cells that all people have who are attacked.
        drawn : int
            The most facts, k.

        Returns
        -------
        float64 array, shape (K, k + 1, k + 1)
            By h and j; 0 where h + j > k.

        Examples
        --------
        Of a person with three cells two were released: a fact is about a certain one of these with
        probability 1/3, and about the hidden one with the same.

        >>> lengths = TrueLengths(np.array([3]), np.array([1.0]), 0.5)
        >>> lengths.placements(np.array([2]), 1, 1).round(3).tolist()
        [[[1.0, 0.333], [0.333, 0.0]]]
        """
        length = self.length.astype(np.float64)
        likely = self.given(released) * (self.length >= size)
        hidden = np.maximum(length[None, :] - released[:, None], 0.0)
        found = np.zeros((released.size, drawn + 1, drawn + 1))
        for j in range(drawn + 1):
            one_of = np.ones(length.size)
            for h in range(drawn + 1 - j):
                found[:, h, j] = matmul(likely, one_of[:, None])[:, 0]
                one_of = one_of / np.maximum(length - j - h, 1.0)
            likely = likely * (np.maximum(hidden - j, 0.0) / np.maximum(length - j, 1.0))
        return found


def learnt(n_records: Ints, kept: float) -> TrueLengths:
    """Learn the distribution of the true lengths.

    Parameters
    ----------
    n_records : int64 array, shape (M + 1,)
        Released records of 0 … M cells.
    kept : float
        κ, above 0 and below 1.

    Examples
    --------
    Of 5,000 people with ten cells each, half of the cells were released.

    >>> n = np.random.default_rng(1).binomial(10, 0.5, 5000)
    >>> lengths = learnt(np.bincount(n), 0.5)
    >>> likely = lengths.given(np.array([2]))[0]
    >>> float((likely * lengths.length).sum().round())
    10.0
    """
    return _learnt(np.asarray(n_records[: _LEARNT_FROM + 1], np.int64).tobytes(), kept)


@functools.lru_cache(maxsize=16)
def _learnt(n_records: bytes, kept: float) -> TrueLengths:
    count = np.frombuffer(n_records, np.int64)
    seen = np.flatnonzero(count)
    length, width = _lengths(kept)
    if not seen.size:
        return TrueLengths(length, width, kept)
    least, number = int(seen[0]), count[seen].astype(np.float64)
    length, width = length[length >= least], width[length >= least]
    long_enough = _at_least(least, length, kept)
    chance = _released(seen, length, kept) / long_enough
    flat = width / np.cumsum(width)[-1]
    share, turned = flat, np.ascontiguousarray(chance.T)
    total = float(number.sum())
    for _ in range(_STEPS):
        of_each = matmul(chance, share[:, None])[:, 0]
        expected = number / np.where(of_each > 0, of_each, 1.0)
        share = share * matmul(turned, expected[:, None])[:, 0] / total
    share = (total * share + flat) / (total + 1.0)
    return TrueLengths(length, share / long_enough, kept)


def _lengths(kept: float) -> tuple[Ints, Floats]:
    """Return true lengths that released ones tell apart, and how many each stands for."""
    most = (_LEARNT_FROM + _SURE * math.sqrt(_LEARNT_FROM)) / kept
    found, width, at = [], [], 0
    while at <= most:
        step = max(int(math.sqrt(at * (1.0 - kept) / kept) / _APART), 1)
        found.append(at)
        width.append(float(step))
        at += step
    return np.array(found, np.int64), np.array(width)


def _released(released: Ints, length: Ints, kept: float) -> Floats:
    """P(n | N), shape (K, B)."""
    n, of = released[:, None], length[None, :]
    log_kept, log_left = float(log(kept)), float(log(1.0 - kept))
    found = np.zeros((released.size, length.size))
    for row, one in enumerate(released.tolist()):
        ways = log_choose(length, one)
        found[row] = exp(ways + one * log_kept + np.maximum(length - one, 0) * log_left)
    return np.where(n <= of, found, 0.0)


def _at_least(least: int, length: Ints, kept: float) -> Floats:
    """P(n ≥ least | N), shape (B,): by the smaller one of the two sums, all N being as long."""
    reach = int(_SURE * math.sqrt(least) + 10 * _SURE)
    below = np.cumsum(_released(np.arange(least + 1), length, kept), axis=0)
    below = np.vstack([np.zeros(length.size), below])[least]
    above = np.cumsum(_released(np.arange(least, least + reach), length, kept), axis=0)[-1]
    return np.asarray(np.where(kept * length > least, 1.0 - below, above))
