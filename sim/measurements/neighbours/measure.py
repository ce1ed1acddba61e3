"""What "nearest" means: which cells agree, and which of two records is the nearer one.

Invariant: all measures are ratios of whole numbers, so that ties are found exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.measurements.neighbours.bounds import Kind
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True)
class RecordSimilarity:
    """Sim(r1, r2) = Σ_i Sim(r1i, r2i) / |supp(r1) ∪ supp(r2)| (NS08, section 3).

    Sim(r1i, r2i) = 1 if |Δvalue| ≤ ε_r and |Δday| ≤ ε_d, else 0; a missing part passes; 0 if
    either cell is null.

    Parameters
    ----------
    value : float
        ε_r, in value units; infinity where values are not looked at.
    day : float
        ε_d, in days; infinity where dates are not looked at.

    Raises
    ------
    ConfigError
        A threshold is negative or NaN.

    Examples
    --------
    >>> RecordSimilarity(value=1, day=14)
    RecordSimilarity(value=1, day=14)
    """

    value: float = math.inf
    day: float = math.inf

    def __post_init__(self) -> None:
        for name in ("value", "day"):
            if not getattr(self, name) >= 0:
                raise ConfigError(
                    f"record similarity: {name} is {getattr(self, name)}; "
                    "give a threshold of 0 or more"
                )


PRESENCE = RecordSimilarity()
"""Which items the records hold (NS08, Fig. 1)."""

VALUES = RecordSimilarity(value=1)
"""Also with values within 1 (NS08, Fig. 1)."""

VALUES_AND_DATES = RecordSimilarity(value=1, day=14)
"""Also with dates within 14 days (NS08, Fig. 1)."""


@dataclass(frozen=True, slots=True)
class Hamming:
    """|supp(r1) Δ supp(r2)|, the number of items that one record holds alone (NS07, section 1).

    Examples
    --------
    >>> Hamming()
    Hamming()
    """


Measure = RecordSimilarity | Hamming


class Rule(NamedTuple):
    """A measure in a release's codes, as the kernels read it.

    Parameters
    ----------
    low, high : int64 arrays, shape (L + 1,)
        Level codes that agree with each level; "no value" agrees with all besides.
    range_of : int64 array, shape (L + 1,)
        Number of each level's (low, high) among the distinct ones.
    n_ranges : int
        Distinct pairs of (low, high).
    no_value : int
        Level code of "no value".
    reach : int
        Day codes at most this far apart agree; −1 where dates are not looked at.
    no_day : int
        Day code of "no day".
    undated : bool
        Whether any cell of the release has no day.
    kind : Kind
        Which of two records is nearer.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    range_of: NDArray[np.int64]
    n_ranges: int
    no_value: int
    reach: int
    no_day: int
    undated: bool
    kind: int


def rule_of(measure: Measure, store: Store) -> Rule:
    """Put a measure into a release's codes.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> release = SimpleNamespace(
    ...     scale=np.array([1.0, 2.0, 5.0]), manifest=SimpleNamespace(n_days=9, missing_days=0)
    ... )
    >>> rule = rule_of(RecordSimilarity(value=1), release)
    >>> rule.low.tolist(), rule.high.tolist(), rule.range_of.tolist()
    ([0, 0, 2, 0], [1, 1, 2, 3], [0, 0, 2, 1])
    """
    limits = measure if isinstance(measure, RecordSimilarity) else RecordSimilarity()
    n_days = store.manifest.n_days
    low, high = _agreeing(store.scale.tolist(), limits.value)
    pairs, range_of = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    return Rule(
        low,
        high,
        range_of.ravel().astype(np.int64),
        pairs.shape[1],
        store.scale.size,
        -1 if math.isinf(limits.day) else int(min(limits.day, n_days)),
        n_days,
        store.manifest.missing_days > 0,
        int(_kind(measure)),
    )


def _kind(measure: Measure) -> Kind:
    if isinstance(measure, Hamming):
        return Kind.HAMMING
    return Kind.PRESENCE if measure == PRESENCE else Kind.AGREEMENT


def _agreeing(scale: list[float], most: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last level code within `most` of each level, and of "no value".

    Rounding keeps order: those within lie side by side, and their ends never move down.
    """
    levels = len(scale)
    if math.isinf(most):
        return np.zeros(levels + 1, np.int64), np.full(levels + 1, levels, np.int64)
    low, high = np.zeros(levels + 1, np.int64), np.full(levels + 1, levels, np.int64)
    first = last = 0
    for level, value in enumerate(scale):
        while value - scale[first] > most:
            first += 1
        while last + 1 < levels and not scale[last + 1] - value > most:
            last += 1
        low[level], high[level] = first, last
    return low, high
