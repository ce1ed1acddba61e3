"""Attribute similarity as tables of contributions (spec §3).

A part that a fact lacks is left out of a sum. A fact that lacks both parts is an item alone, and is
scored by presence whatever the similarity: no score would depend on it otherwise (spec §9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Contributions
from sim.extend.options import Options, constant, option
from sim.numeric import exp, exp2


class Similarity(Protocol):
    """An attribute similarity, 0 or more."""

    def contributions(
        self, release: ReleaseView, aux: Aux, weight: NDArray[np.float64]
    ) -> Contributions:
        """Contributions of every fact of `aux`; `weight` has shape (A,)."""


@dataclass(frozen=True)
class _OptionalSimilarity(Options):
    """A similarity that an attack's options choose."""

    group: ClassVar[str] = "attack"


@dataclass(frozen=True)
class Exponential(_OptionalSimilarity):
    """exp(−|Δvalue|/ρ0) + exp(−|Δday|/d0); a missing part is left out (NS08 §5)."""

    kind: ClassVar[str] = "exponential"

    rho0: float = option(1.5, help="value units until similarity falls to 1/e", above=0)
    d0: float = option(30.0, help="days until similarity falls to 1/e", above=0)

    def contributions(
        self, release: ReleaseView, aux: Aux, weight: NDArray[np.float64]
    ) -> Contributions:
        """See `Similarity.contributions`."""
        value = exp(-value_gaps(release, aux) / self.rho0)
        return _smooth(release, aux, weight, value, lambda gap: exp(-gap / self.d0))


@dataclass(frozen=True)
class Base2(_OptionalSimilarity):
    """α + β·2^(−|Δvalue|/r0) + γ·2^(−|Δday|/d0); a missing part is left out (NS07 §4).

    α goes with the value: a missing value loses both.
    """

    kind: ClassVar[str] = "base2"

    # NS07's own (section 4): similarity of any two cells of an item, of equal values and of equal
    # days, and the value units and days in which it halves.
    alpha: float = constant(0.0, minimum=0)
    beta: float = constant(1.0, minimum=0)
    gamma: float = constant(2.0, minimum=0)
    r0: float = constant(1.0, above=0)
    d0: float = constant(14.0, above=0)

    def contributions(
        self, release: ReleaseView, aux: Aux, weight: NDArray[np.float64]
    ) -> Contributions:
        """See `Similarity.contributions`."""
        value = self.alpha + self.beta * exp2(-value_gaps(release, aux) / self.r0)
        return _smooth(release, aux, weight, value, lambda gap: self.gamma * exp2(-gap / self.d0))


@dataclass(frozen=True)
class Threshold(_OptionalSimilarity):
    """1 if |Δvalue| ≤ ε_r and |Δday| ≤ ε_d, else 0; a missing part passes (spec §3)."""

    kind: ClassVar[str] = "threshold"

    eps_value: float = option(0.0, help="ε_r: values at most this far apart are similar", minimum=0)
    eps_day: float = option(3.0, help="ε_d: days at most this far apart are similar", minimum=0)

    def contributions(
        self, release: ReleaseView, aux: Aux, weight: NDArray[np.float64]
    ) -> Contributions:
        """See `Similarity.contributions`."""
        passes = weight[:, None] * ~(value_gaps(release, aux) > self.eps_value)
        no_day = (aux.day == NO_DAY)[:, None]
        most = release.within(self.eps_day)
        table, offset = day_table(release, aux.day, lambda gap: (gap <= most) * 1.0, 1.0)
        return Contributions(
            offset, np.where(no_day, passes, 0.0), np.where(no_day, 0.0, passes), day_table=table
        )


@dataclass(frozen=True)
class Steps(_OptionalSimilarity):
    """[|Δvalue| ≤ ε_r] + [|Δday| ≤ ε_d]; a missing part is left out.

    NS08 §5 names a threshold function and writes down a sum of two terms: this is both.
    """

    kind: ClassVar[str] = "steps"

    eps_value: float = option(0.0, help="ε_r: values at most this far apart are similar", minimum=0)
    eps_day: float = option(3.0, help="ε_d: days at most this far apart are similar", minimum=0)

    def contributions(
        self, release: ReleaseView, aux: Aux, weight: NDArray[np.float64]
    ) -> Contributions:
        """See `Similarity.contributions`."""
        value = np.where(value_gaps(release, aux) <= self.eps_value, 1.0, 0.0)
        return _smooth(release, aux, weight, value, lambda gap: (gap <= self.eps_day) * 1.0)


@dataclass(frozen=True)
class Presence(_OptionalSimilarity):
    """1 if the record holds the item (spec §3)."""

    kind: ClassVar[str] = "presence"

    def contributions(
        self,
        release: ReleaseView,
        aux: Aux,  # noqa: ARG002
        weight: NDArray[np.float64],
    ) -> Contributions:
        """See `Similarity.contributions`."""
        return by_item(release, weight)


KINDS = (Exponential, Threshold, Steps, Presence)
"""The similarities that an attack may choose from."""


def by_item(release: ReleaseView, gain: NDArray[np.float64]) -> Contributions:
    """Contributions of holding the items, whatever the value and the day; `gain` has shape (A,)."""
    return by_level(release, np.repeat(gain[:, None], release.scale.size + 1, axis=1))


def by_level(release: ReleaseView, gain: NDArray[np.float64]) -> Contributions:
    """Contributions that do not depend on the day; `gain` has shape (A, L + 1)."""
    table = np.zeros(release.n_days + 1)
    return Contributions(np.zeros(len(gain), np.int64), gain, np.zeros_like(gain), day_table=table)


def value_gaps(release: ReleaseView, aux: Aux) -> NDArray[np.float64]:
    """|Δvalue| of every fact to every level; NaN where either is missing, shape (A, L + 1)."""
    gaps: NDArray[np.float64] = np.abs(np.append(release.scale, np.nan) - aux.value[:, None])
    return gaps


def day_table(
    release: ReleaseView,
    day: NDArray[np.int32],
    similar: Callable[[NDArray[np.int64]], NDArray[Any]],
    missing: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A table of a function of |Δday|, and where each fact's day code 0 lies in it.

    A release whose cells all have a day needs one table, which every fact reads at its own shift.
    Otherwise each fact has its own, with a last place for "no day".

    Parameters
    ----------
    day : int32 array, shape (A,)
        `NO_DAY` where the fact has none: its table is then arbitrary.
    similar : callable
        Of |Δday| in bins of time.
    missing : float
        For cells without a day.

    Returns
    -------
    table : float64 array, shape (K,)
    offset : int64 array, shape (A,)
    """
    shift = np.where(day != NO_DAY, day, 0).astype(np.int64)
    n_days = release.n_days
    if release.without_day:
        gaps = np.abs(np.arange(n_days)[None, :] - shift[:, None])
        per_fact = np.column_stack([similar(gaps), np.full(day.size, missing)])
        return per_fact.ravel(), np.arange(day.size, dtype=np.int64) * (n_days + 1)
    reach, lowest = int(shift.max(initial=0)), int(shift.min(initial=0))
    table = similar(np.abs(np.arange(-reach, n_days - lowest)))
    return table.astype(np.float64, copy=False), reach - shift


def _smooth(
    release: ReleaseView,
    aux: Aux,
    weight: NDArray[np.float64],
    value: NDArray[np.float64],
    similar: Callable[[NDArray[np.float64]], NDArray[Any]],
) -> Contributions:
    """w·V + w·D, a missing part being left out; w for a fact that is an item alone.

    `similar` is of |Δday| in days, whatever the bins of time.
    """
    add = weight[:, None] * np.where(np.isnan(value), 0.0, value)
    alone = np.isnan(aux.value) & (aux.day == NO_DAY)
    add[alone] = weight[alone, None]
    mul = np.repeat(np.where(aux.day == NO_DAY, 0.0, weight)[:, None], add.shape[1], axis=1)
    table, offset = day_table(
        release, aux.day, lambda bins: similar(release.in_days(bins)), missing=0.0
    )
    return Contributions(offset, add, mul, day_table=table)
