"""Defines "nearest": which cells agree, and which of two records is nearer.

Invariant: all metrics are ratios of whole numbers, so ties are found exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.measurements.neighbours.bounds import MetricKind
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True)
class RecordSimilarity:
    """Sim(r1, r2) = Σ_i Sim(r1i, r2i) / |supp(r1) ∪ supp(r2)| (NS08, section 3).

    Sim(r1i, r2i) = 1 if |Δvalue| ≤ ε_r and |Δday| ≤ ε_d, else 0; a missing part passes; 0 if
    either cell is null.

    Parameters
    ----------
    value : float
        ε_r, in value units; infinity to ignore values.
    day : float
        ε_d, in days, of which whole bins of time count; infinity to ignore dates.

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
"""Items alone (NS08, Fig. 1)."""

VALUES = RecordSimilarity(value=1)
"""Items whose values are within 1 (NS08, Fig. 1)."""

VALUES_AND_DATES = RecordSimilarity(value=1, day=14)
"""Items whose values are within 1 and whose dates are within 14 days (NS08, Fig. 1)."""


@dataclass(frozen=True, slots=True)
class Hamming:
    """|supp(r1) Δ supp(r2)|, items that only one of two records holds (NS07, section 1).

    Examples
    --------
    >>> Hamming()
    Hamming()
    """


Metric = RecordSimilarity | Hamming


class MatchRule(NamedTuple):
    """A metric in the codes of a release, as the kernels read it.

    Parameters
    ----------
    low, high : int64 arrays, shape (L + 1,)
        First and last level code that agrees with each level; "no value" agrees with all.
    range_of : int64 array, shape (L + 1,)
        Number of each level's (low, high) among the distinct ones.
    n_ranges : int
        Distinct pairs of (low, high).
    no_value : int
        Level code of "no value".
    reach : int
        Day codes at most this far apart agree; −1 to ignore dates.
    no_day : int
        Day code of "no day".
    undated : bool
        Whether any cell of the release has no day.
    kind : MetricKind
        How nearness follows from agreement.
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


def match_rule(metric: Metric, store: Store) -> MatchRule:
    """Translate a metric into the codes of a release.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> release = SimpleNamespace(
    ...     scale=np.array([1.0, 2.0, 5.0]),
    ...     manifest=SimpleNamespace(n_days=9, missing_days=0),
    ... )
    >>> rule = match_rule(RecordSimilarity(value=1), release)
    >>> rule.low.tolist(), rule.high.tolist(), rule.range_of.tolist()
    ([0, 0, 2, 0], [1, 1, 2, 3], [0, 0, 2, 1])
    """
    limits = metric if isinstance(metric, RecordSimilarity) else RecordSimilarity()
    n_days = store.manifest.n_days
    low, high = _agreeing(store.scale.tolist(), limits.value)
    pairs, range_of = np.unique(np.stack([low, high]), axis=1, return_inverse=True)
    return MatchRule(
        low,
        high,
        range_of.ravel().astype(np.int64),
        pairs.shape[1],
        store.scale.size,
        -1 if math.isinf(limits.day) else min(store.manifest.bins.within(limits.day), n_days),
        n_days,
        store.manifest.missing_days > 0,
        int(_kind(metric)),
    )


def _kind(metric: Metric) -> MetricKind:
    if isinstance(metric, Hamming):
        return MetricKind.HAMMING
    return MetricKind.PRESENCE if metric == PRESENCE else MetricKind.AGREEMENT


def _agreeing(scale: list[float], most: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last level code within `most` of each level, and of "no value".

    Rounding preserves order, so the codes within `most` are contiguous and their ends never move
    down.
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
