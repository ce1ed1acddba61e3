"""Measures the lengths of records (NS08, Figs. 2 and 3).

Invariant: counts are of all records, not of a sample; no table reveals more about a single record
than its length.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.extend.options import constant
from sim.findings.finding import Finding, Kind
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.numeric.rows import row_dicts
from sim.release.store.store import Store

_QUANTILES = {"min": 0, "lower_quartile": 25, "median": 50, "upper_quartile": 75, "max": 100}


RECORD_LENGTHS = Kind("record_lengths", "how many items people have")


@dataclass(frozen=True)
class Lengths(Measurement):
    """Counts the records with exactly, and with at least, a number of items.

    Examples
    --------
    >>> Lengths((100, 1000)).kind
    'lengths'
    """

    kind: ClassVar[str] = "lengths"
    takes_repeats: ClassVar[bool] = True
    summary: ClassVar[str] = "number of items in a record"
    facts: ClassVar[str] = (
        "counts of the release; mean and quartiles of record lengths and item supports"
    )
    tables: ClassVar[Mapping[str, str]] = {
        "lengths": "records that hold exactly, at least `x` items",
        "beyond": "records with more than a given number of items",
    }
    figure: ClassVar[str] = "lengths"
    kinds: ClassVar[tuple[Kind, ...]] = (RECORD_LENGTHS,)

    # Figures end at these record lengths, as NS08 Figures 2 and 3 do; the table at the longest.
    ranges: tuple[int, ...] = constant((100, 1000), minimum=1, ascending=True)

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003
        """See `Measurement.findings`."""
        row = row_dicts(facts)[0]
        counts = ("n_records", "n_items", "n_cells")
        lengths = ("length_median", "length_mean", "length_max")
        yield RECORD_LENGTHS.with_numbers("measurement:lengths", numbers_of(row, *lengths, *counts))

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """See `Measurement.main_table`."""
        row = row_dicts(facts)[0]
        return pd.DataFrame(
            [
                {"": what} | {word: row[f"{name}_{word}"] for word in ("mean", *_QUANTILES)}
                for name, what in (
                    ("length", "items of a person"),
                    ("support", "people of an item"),
                )
            ]
        )

    def measure(self, store: Store, seed: int) -> Tables:  # noqa: ARG002
        """Measure.

        Parameters
        ----------
        seed : int
            Not used: nothing is drawn.

        Returns
        -------
        Tables
            ``facts``: one row, counts and quantiles of lengths and supports. ``lengths``: ``x``
            from 1, records with ``exactly`` and ``at_least`` x items. ``beyond``: records with
            more items than each of the ranges.
        """
        return {
            FACTS: pd.DataFrame([release_facts(store)]),
            "lengths": length_table(store.length, self.ranges[-1]),
            "beyond": _beyond(store.length, self.ranges),
        }


def release_facts(store: Store) -> dict[str, Any]:
    """Return counts of a release, and quantiles of its lengths and supports.

    Returns
    -------
    dict
        ``n_records``, ``n_items``, ``n_cells``; ``length_mean``, ``length_min``,
        ``length_lower_quartile``, ``length_median``, ``length_upper_quartile``, ``length_max``;
        the same of ``support``.
    """
    manifest = store.manifest
    row: dict[str, Any] = {
        "n_records": manifest.n_records,
        "n_items": manifest.n_items,
        "n_cells": manifest.n_cells,
    }
    for name, population in (("length", store.length), ("support", store.support)):
        row[f"{name}_mean"] = int(population.sum()) / population.size
        found = np.percentile(population, list(_QUANTILES.values())).tolist()
        row |= {f"{name}_{word}": value for word, value in zip(_QUANTILES, found, strict=True)}
    return row


def length_table(length: NDArray[np.integer[Any]], most: int) -> pd.DataFrame:
    """Count records by length (NS08, Figs. 2 and 3).

    Parameters
    ----------
    length : int array, shape (N,)
    most : int
        Last row.

    Returns
    -------
    DataFrame
        int64 columns ``x`` = 1 … `most`, ``exactly`` and ``at_least``.

    Examples
    --------
    >>> length_table(np.array([1, 3, 3, 9]), 4).to_numpy().tolist()
    [[1, 1, 4], [2, 0, 3], [3, 2, 3], [4, 0, 1]]
    """
    exactly = np.bincount(np.minimum(length, most + 1), minlength=most + 2)
    at_least = exactly[::-1].cumsum()[::-1]
    wanted = slice(1, most + 1)
    return pd.DataFrame(
        {
            "x": np.arange(1, most + 1),
            "exactly": exactly[wanted].astype(np.int64),
            "at_least": at_least[wanted].astype(np.int64),
        }
    )


def _beyond(length: NDArray[np.int32], ranges: tuple[int, ...]) -> pd.DataFrame:
    """Count the records that the figures do not show."""
    records = [int(np.count_nonzero(length > most)) for most in ranges]
    return pd.DataFrame(
        {"items": ranges, "records": records, "share": [n / length.size for n in records]}
    )
