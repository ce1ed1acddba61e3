"""Similarity of two cells (spec, section 3).

Invariant: the similarity of a null cell to anything is 0, and each similarity computes the two
parts of an item, value and day, separately and adds them as ``w * V + w * D``, which fixes every
rounding. An aux triple that has neither part is compared by `Presence` (spec, section 9).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from reference.tables import Floats, PlainRelease
from sim.numeric import exp, exp2


class Similarity(Protocol):
    """A measure on pairs of cells that are both held."""

    def weighted(self, weight: float, value_gap: Floats, day_gap: Floats) -> Floats:
        """Return weight times Sim for each pair of cells.

        Parameters
        ----------
        value_gap, day_gap : float64 array, shape (n,)
            |Δvalue| in value units and |Δday| in days; NaN where either cell lacks the part.

        Returns
        -------
        float64 array, shape (n,)
        """


@dataclass(frozen=True, slots=True)
class Presence:
    """Sim = 1 if both cells are non-null.

    Examples
    --------
    >>> Presence().weighted(0.5, np.array([3.0]), np.array([np.nan])).tolist()
    [0.5]
    """

    def weighted(self, weight: float, value_gap: Floats, day_gap: Floats) -> Floats:
        """Return weight times Sim; see `Similarity.weighted`."""
        return np.full(value_gap.shape, weight * 1.0)


@dataclass(frozen=True, slots=True)
class Threshold:
    """Sim = 1 if |Δvalue| ≤ ε_r and |Δday| ≤ ε_d, else 0; a missing part passes (NS08, section 5).

    Parameters
    ----------
    value : float
        ε_r, in value units; infinity where values are not looked at.
    day : float
        ε_d, in days; infinity where dates are not looked at.

    Examples
    --------
    >>> Threshold(value=1, day=3).weighted(1.0, np.array([1.0, 2.0, np.nan]), np.zeros(3)).tolist()
    [1.0, 0.0, 1.0]
    """

    value: float = math.inf
    day: float = math.inf

    def weighted(self, weight: float, value_gap: Floats, day_gap: Floats) -> Floats:
        """Return weight times Sim; see `Similarity.weighted`."""
        # "not beyond" rather than "within": NaN, a missing part, passes.
        passes = ~(value_gap > self.value) & ~(day_gap > self.day)
        return weight * np.where(passes, 1.0, 0.0)


@dataclass(frozen=True, slots=True)
class Steps:
    """[|Δvalue| ≤ ε_r] + [|Δday| ≤ ε_d]; a missing part is left out (a reading of NS08, section 5).

    Parameters
    ----------
    value : float
        ε_r, in value units.
    day : float
        ε_d, in days.

    Examples
    --------
    >>> Steps(value=1, day=3).weighted(1.0, np.array([1.0, 2.0, np.nan]), np.zeros(3)).tolist()
    [2.0, 1.0, 1.0]
    """

    value: float = 0.0
    day: float = 3.0

    def weighted(self, weight: float, value_gap: Floats, day_gap: Floats) -> Floats:
        """Return weight times Sim; see `Similarity.weighted`."""
        value = np.where(value_gap <= self.value, 1.0, 0.0)
        day = np.where(day_gap <= self.day, 1.0, 0.0)
        return weight * value + weight * day


@dataclass(frozen=True, slots=True)
class Exponential:
    """exp(−|Δvalue|/ρ0) + exp(−|Δday|/d0) (NS08, section 5).

    Parameters
    ----------
    rho0 : float
        ρ0, in value units.
    d0 : float
        In days.

    Examples
    --------
    >>> Exponential().weighted(1.0, np.array([0.0, np.nan]), np.array([0.0, 0.0])).tolist()
    [2.0, 1.0]
    """

    rho0: float = 1.5
    d0: float = 30.0

    def weighted(self, weight: float, value_gap: Floats, day_gap: Floats) -> Floats:
        """Return weight times Sim; see `Similarity.weighted`."""
        value = _known(value_gap, exp(-value_gap / self.rho0))
        day = _known(day_gap, exp(-day_gap / self.d0))
        return weight * value + weight * day


@dataclass(frozen=True, slots=True)
class Base2:
    """α + β·2^(−|Δvalue|/r0) + γ·2^(−|Δday|/d0) (NS07, section 4).

    Parameters
    ----------
    alpha, beta, gamma : float
        α goes with the value: a missing value loses both.
    r0 : float
        In value units.
    d0 : float
        In days.

    Examples
    --------
    >>> Base2().weighted(1.0, np.array([1.0]), np.array([14.0])).tolist()
    [1.5]
    """

    alpha: float = 0.0
    beta: float = 1.0
    gamma: float = 2.0
    r0: float = 1.0
    d0: float = 14.0

    def weighted(self, weight: float, value_gap: Floats, day_gap: Floats) -> Floats:
        """Return weight times Sim; see `Similarity.weighted`."""
        value = _known(value_gap, self.alpha + self.beta * exp2(-value_gap / self.r0))
        day = _known(day_gap, self.gamma * exp2(-day_gap / self.d0))
        return weight * value + weight * day


def column_similarity(
    release: PlainRelease,
    item: int,
    value: float,
    day: float,
    similarity: Similarity,
    weight: float = 1.0,
) -> Floats:
    """Return weight · Sim(aux_i, r′_i) for every record r′, 0 where the cell is null.

    Of a record with several cells of the item, the greatest counts (spec, section 8).

    Parameters
    ----------
    release : PlainRelease
        N records.
    item : int
        Column i; -1 where the release does not hold the item.
    value, day : float
        The aux triple's value and day; NaN where missing.
    weight : float
        wt(i).

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    >>> release = PlainRelease.of(3, 1, [(0, 0, 5, 10), (1, 0, 4, 10)])
    >>> column_similarity(release, 0, 5.0, 12.0, Threshold(value=0, day=3)).tolist()
    [1.0, 0.0, 0.0]
    >>> column_similarity(release, 0, math.nan, math.nan, Exponential(), 0.5).tolist()
    [0.5, 0.5, 0.0]
    """
    column = np.zeros(release.n_records)
    if item < 0:
        return column
    held = release.held[:, item]
    value_gap = np.abs(release.value[held, item] - value)
    day_gap = np.abs(release.day[held, item] - day)
    alone = math.isnan(value) and math.isnan(day)
    column[held] = (Presence() if alone else similarity).weighted(weight, value_gap, day_gap)
    if release.more is None:
        return column
    others = column_similarity(release.more, item, value, day, similarity, weight)
    return np.maximum(column, others)


def _known(gap: Floats, term: Floats) -> Floats:
    """Leave a term out where its part is missing."""
    return np.where(np.isnan(gap), 0.0, term)
