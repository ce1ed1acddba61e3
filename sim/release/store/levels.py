"""The levels of a release's values, from what its rows hold or add up to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.release.store.accounts import BINS, DISTINCT, RANGE
from sim.release.store.first_pass import MOST_LEVELS, Treatment
from sim.release.store.odd_values import odd
from sim.release.store.repeats import Repeats
from sim.release.store.value_bins import MAX_LEVELS, ValueBins, usual
from sim.release.store.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Levels:
    """Levels, and what is to be noted about them.

    Parameters
    ----------
    scale : list of float
        Ascending.
    of_code : integer array
        The place in `scale` of each provisional code of a value; empty for sums.
    notes : dict
        The bins, and what is odd about values as they are before bins by quantiles.
    """

    scale: list[float]
    of_code: NDArray[Any] = field(default_factory=lambda: np.zeros(0, np.int64))
    notes: dict[str, str | int] = field(default_factory=dict)


def levels_of(values: Vocabulary, rows_of_level: NDArray[np.int64], treatment: Treatment) -> Levels:
    """Return the levels of values; of those that are still to be added up, the values themselves.

    Parameters
    ----------
    values : Vocabulary
        Nothing can be encoded by it any more.
    rows_of_level : int64 array
        Rows that have each value, by provisional codes.
    """
    found, level_of = values.finish()
    scale = np.array(found.to_pylist(), np.float64)
    if treatment.repeats.adds_up or not scale.size:
        return Levels(scale.tolist(), level_of)
    bins = treatment.value_bins
    bins = bins if bins.kind != "auto" else usual(scale.size, in_log2=False)
    rows = np.zeros(scale.size, np.int64)
    rows[level_of[: rows_of_level.size]] = rows_of_level
    notes = _notes(bins, scale, rows)
    if bins.kind == "quantiles":
        low, place = np.unique(bins.of_distinct(scale, rows), return_inverse=True)
        return Levels(low.tolist(), place[level_of], notes)
    return Levels(scale.tolist(), level_of, notes)


class Amounts:
    """Collects what the rows of every record and item add up to, block by block.

    Parameters
    ----------
    scale : list of float
        The values that are added up.

    Examples
    --------
    >>> from sim.release.store.time_bins import DAY
    >>> from sim.release.store.value_bins import AUTO
    >>> amounts = Amounts([1.0, 2.0], Treatment("plays", Repeats.SUM, AUTO, DAY))
    >>> amounts.take(*distinct(np.array([3.0, 2.0, 3.0, np.nan])))
    >>> amounts.levels().scale
    [2.0, 3.0]
    """

    def __init__(self, scale: list[float], treatment: Treatment) -> None:
        self._treatment = treatment
        self._counts = treatment.repeats is Repeats.COUNT
        self._is_whole = self._counts or not np.mod(scale, 1.0).any()
        self._bins = treatment.value_bins
        self._amounts, self._n_rows = np.empty(0), np.empty(0, np.int64)

    def take(self, amounts: NDArray[np.float64], number: NDArray[np.int64]) -> None:
        """Take the distinct amounts of the next block, and how often each occurs there.

        Raises
        ------
        InputError
            There are too many distinct amounts, or one is below the first edge of its bins.
        """
        if self._bins.is_pointwise:
            amounts = self._bins.of(amounts, self._treatment.name)
        self._merge(np.concatenate([self._amounts, amounts]), np.append(self._n_rows, number))
        if self._bins.kind == "none" and self._amounts.size > MOST_LEVELS:
            raise self._treatment.too_many_values(MOST_LEVELS)
        if self._bins.kind == "auto" and self._is_whole and self._amounts.size > MAX_LEVELS:
            self._bins = usual(self._amounts.size, in_log2=True)
            self._merge(self._bins.of(self._amounts), self._n_rows)

    def levels(self) -> Levels:
        """Return the levels of all that was taken."""
        amounts, bins = self._amounts, self._bins
        if self._counts and amounts.size == 1 and amounts[0] == 1.0:
            return Levels([])  # nothing repeats, so there is nothing that a count says
        if bins.kind == "auto":
            bins = usual(amounts.size, in_log2=self._is_whole)
        notes = _notes(bins, amounts, self._n_rows) if amounts.size else {}
        if bins.kind == "quantiles":
            amounts = np.unique(bins.of_distinct(amounts, self._n_rows))
        return Levels([float(amount) for amount in amounts], notes=notes)

    def _merge(self, amounts: NDArray[np.float64], number: NDArray[np.int64]) -> None:
        self._amounts, place = np.unique(amounts, return_inverse=True)
        self._n_rows = np.bincount(place, number, self._amounts.size).astype(np.int64)


def distinct(amounts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return distinct amounts, ascending, and how often each occurs; those that are none are not.

    Examples
    --------
    >>> distinct(np.array([2.0, np.nan, 1.0, 2.0]))
    (array([1., 2.]), array([1, 2]))
    """
    found, number = np.unique(amounts[~np.isnan(amounts)], return_counts=True)
    return found, number.astype(np.int64)


def _notes(
    bins: ValueBins, values: NDArray[np.float64], number: NDArray[np.int64]
) -> dict[str, str | int]:
    notes: dict[str, str | int] = {}
    if bins.kind != "none":
        notes[BINS] = str(bins)
    if bins.kind == "quantiles":
        notes[DISTINCT] = values.size
        notes[RANGE] = f"{values.min():g} to {values.max():g}"
    return notes | odd(values, number)
