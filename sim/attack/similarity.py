"""Attribute similarity as tables: what a cell adds to a record's score, by its level and day.

For a fact a and a cell (level, day) of its item, the contribution is

    level_add[a, level] + level_mul[a, level] · day_table[day_offset[a] + day]

which holds every additive similarity of the papers: the exponential one with level_add = w·V and
level_mul = w, the threshold one with level_add = 0 and level_mul = w·[values agree].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, AuxBatch
from sim.release.store import Store


@dataclass(frozen=True, slots=True)
class ScanTables:
    """Contributions of A facts.

    Parameters
    ----------
    level_add, level_mul : float64 arrays, shape (A, L + 1)
        By level code; the last is "no value".
    day_table : float64 array, shape (K,)
        Day similarities, shared by the facts.
    day_offset : int64 array, shape (A,)
        Where day code 0 of the release lies in `day_table`, for each fact.
    """

    level_add: NDArray[np.float64]
    level_mul: NDArray[np.float64]
    day_table: NDArray[np.float64]
    day_offset: NDArray[np.int64]


class Similarity(Protocol):
    """An attribute similarity (spec §3)."""

    def tables(self, store: Store, aux: AuxBatch, weight: NDArray[np.float64]) -> ScanTables:
        """Tables of every fact of `aux`; `weight` has shape (A,)."""


@dataclass(frozen=True, slots=True)
class Exponential:
    """exp(−|Δvalue|/ρ0) + exp(−|Δday|/d0); a missing part is left out (NS08 §5).

    Parameters
    ----------
    rho0 : float
        In value units.
    d0 : float
        In days.
    """

    rho0: float = 1.5
    d0: float = 30.0

    def tables(self, store: Store, aux: AuxBatch, weight: NDArray[np.float64]) -> ScanTables:
        """See `Similarity.tables`."""
        apart = np.abs(store.scale[None, :] - aux.value[:, None])
        similar = _with_missing(np.exp(-apart / self.rho0), 0.0)
        level_add = weight[:, None] * similar
        level_mul = np.where(aux.day == NO_DAY, 0.0, weight)[:, None]
        table, offset = _day_tables(
            store, aux.day, lambda days: np.exp(-np.abs(days) / self.d0), missing=0.0
        )
        return ScanTables(level_add, np.repeat(level_mul, similar.shape[1], 1), table, offset)


@dataclass(frozen=True, slots=True)
class Threshold:
    """1 if |Δvalue| ≤ ε_r and |Δday| ≤ ε_d, else 0; a missing part passes (spec §3).

    Parameters
    ----------
    eps_value : float
        ε_r, in value units.
    eps_day : float
        ε_d, in days.
    """

    eps_value: float = 0.0
    eps_day: float = 3.0

    def tables(self, store: Store, aux: AuxBatch, weight: NDArray[np.float64]) -> ScanTables:
        """See `Similarity.tables`."""
        apart = np.abs(store.scale[None, :] - aux.value[:, None])
        passes = np.where(np.isnan(apart), 1.0, apart <= self.eps_value)
        level = weight[:, None] * _with_missing(passes, 1.0)
        no_day = (aux.day == NO_DAY)[:, None]
        table, offset = _day_tables(
            store, aux.day, lambda days: (np.abs(days) <= self.eps_day) * 1.0, missing=1.0
        )
        return ScanTables(np.where(no_day, level, 0.0), np.where(no_day, 0.0, level), table, offset)


def _with_missing(similar: NDArray[np.float64], missing: float) -> NDArray[np.float64]:
    """Append the column of cells without a value; facts without a value get it throughout."""
    full = np.column_stack([similar, np.full(len(similar), missing)])
    return np.where(np.isnan(full), missing, full)


def _day_tables(
    store: Store,
    day: NDArray[np.int32],
    similar: _DaySimilarity,
    missing: float,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A table of day similarities and where each fact's day code 0 lies in it.

    A release whose cells all have a day needs one table of |Δday|, which every fact reads at its
    own shift. Otherwise each fact has its own table, with a last place for "no day".
    """
    known = day != NO_DAY
    shift = np.where(known, day, 0).astype(np.int64)
    n_days = store.manifest.n_days
    if store.manifest.missing_days:
        days = np.arange(n_days)[None, :] - shift[:, None]
        per_fact = np.column_stack([similar(days), np.full(day.size, missing)])
        return per_fact.ravel(), np.arange(day.size, dtype=np.int64) * (n_days + 1)
    reach = int(shift.max(initial=0))
    lowest = int(shift.min(initial=0))
    table = similar(np.arange(-reach, n_days - lowest))
    return table, reach - shift


class _DaySimilarity(Protocol):
    def __call__(self, days: NDArray[np.int64]) -> NDArray[np.float64]: ...
