"""Measures how knowing some true records improves a recommender (NS07, section 5).

"If a subscriber's 'true' ratings are available, the error for that subscriber drops to zero. Thus,
if the learner has access to 1/0.89 = 1.12% of deanonymized records, then the RMSE score improves by
1% (assuming that the contribution of each subscriber is the same and RMSE behaves roughly
linearly)." So NS07's 1% is a hundredth of a star, 0.01 of an RMSE of 0.89, and its RMSE falls in
proportion. What falls in proportion is the mean *square*: with a share W of it gone, the RMSE is
rmse·√(1 − W), not rmse·(1 − W), and about twice as many records are needed. Both laws are given,
and so is a hundredth of the RMSE itself.

Invariant: the curves fall from the RMSE with no record known to 0 with all known, and the number of
records needed is where they cross the required improvement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.errors import GridError
from sim.extend.options import constant, option
from sim.findings.finding import Finding, Kind
from sim.measurements.biases import predict, valued_cells
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.numeric import interpolate
from sim.numeric.rows import row_dicts
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

Floats = NDArray[np.float64]

LAWS = ("linear", "mean square")
"""How the RMSE falls: as NS07 assumes, and as follows from its definition."""

PERCENTS = (1, 5, 10)
"""Improvements asked for; the Netflix Prize asked for 10% of the RMSE."""

PERCENT_OF = ("a value unit", "the RMSE")
"""The base of a percent: NS07's arithmetic uses a star."""

SHARES: Floats = np.concatenate([np.arange(0, 100) / 2000, np.arange(5, 101) / 100])
"""Shares of the records known: finer near the values that the papers discuss."""

_Z = 1.959963984540054
"""95% of a normal distribution lie within this many standard deviations."""


KNOWN_FOR_GAIN = Kind("known_for_gain", "people whose true values improve a recommender by 1%")


@dataclass(frozen=True, slots=True)
class Weighed:
    """Records with the contribution of each to the mean square error.

    Parameters
    ----------
    weighing : {"records", "cells"}
        Whether records or cells weigh the same.
    chosen : {"at random", "longest first"}
        Which records become known.
    rmse : float
        With no record known.
    share : float64 array, shape (n,)
        Of the mean square error that each record makes up; of the longest first.
    cells : float64 array, shape (n,)
        Of all cells, that each record holds.
    """

    weighing: str
    chosen: str
    rmse: float
    share: Floats
    cells: Floats

    def gone(self, known: Floats, of: Floats) -> Floats:
        """Share removed if a share of the records is known; expected, if chosen at random."""
        if self.chosen == "at random":
            return known.copy()
        places = np.arange(of.size + 1) / of.size
        summed = np.concatenate([[0.0], np.cumsum(of) / of.sum()])
        return interpolate(known, places, summed)

    def needed(self, gone: float) -> float:
        """Share of the records to know, to remove a share of the mean square error."""
        if self.chosen == "at random":
            return gone
        summed = np.concatenate([[0.0], np.cumsum(self.share) / self.share.sum()])
        return float(interpolate(gone, summed, np.arange(summed.size) / self.share.size))

    def deviation(self, known: Floats) -> Floats:
        """Standard deviation of the share removed, over random choices without replacement."""
        n = self.share.size
        if self.chosen != "at random" or n < 2:
            return np.zeros(known.size)
        deviation: Floats = np.sqrt(known * (1 - known) * n * self.share.var(ddof=1))
        return deviation


@dataclass(frozen=True)
class Recommender(Measurement):
    """Measures how much a recommender improves with known records.

    Examples
    --------
    NS07's arithmetic, and what holds:

    >>> round(removed(0.89, 0.01, "linear"), 4), round(removed(0.89, 0.01, "mean square"), 4)
    (0.0112, 0.0223)
    """

    kind: ClassVar[str] = "recommender"
    summary: ClassVar[str] = "gain of a recommender that knows some records"
    facts: ClassVar[str] = (
        "per law and weighing: share of records that must be known for a gain of 1, 5, 10 percent"
    )
    tables: ClassVar[Mapping[str, str]] = {"gain": "RMSE by the share known"}
    figure: ClassVar[str] = "recommender"
    kinds: ClassVar[tuple[Kind, ...]] = (KNOWN_FOR_GAIN,)

    rmse: float | None = option(
        0.89,
        help="RMSE of the recommender, in value units",
        above=0,
        null="that of a cross-validated baseline (mean, item and record bias) on this release",
    )
    # Of the baseline where `rmse` is None, as in Koren (ACM TKDD 2010, section 2.1): folds, and the
    # unbiased cells added to those of each item and of each record.
    folds: int = constant(5, minimum=2, maximum=100)
    shrink_items: float = constant(25.0, above=0)
    shrink_records: float = constant(10.0, above=0)

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003
        """See `Measurement.findings`."""
        assumed = ("rmse", "weighing", "chosen", "law", "percent_of")
        found = row_dicts(facts[facts["records_for_1_percent"].notna()])
        fewest = min(found, key=lambda row: float(row["records_for_1_percent"]), default=None)
        for row in (
            *found[:1],
            *([fewest] if fewest is not None and fewest is not found[0] else []),
        ):
            yield KNOWN_FOR_GAIN.with_numbers(
                "measurement:recommender", numbers_of(row, "records_for_1_percent", *assumed)
            )

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """Return the rows for NS07's percent, which is one of a value unit."""
        rows = facts[facts["percent_of"] == PERCENT_OF[0]].drop(columns=["percent_of", "measured"])
        heads = {f"records_for_{percent}_percent": f"known for {percent}%" for percent in PERCENTS}
        return rows.rename(columns=heads)

    def lacks(self, release: Manifest) -> str | None:
        """Return what the release lacks; None if nothing."""
        return None if release.has_values else "values"

    def measure(self, store: Store, seed: int) -> Tables:
        """Measure.

        Parameters
        ----------
        seed : int
            Of the folds.

        Returns
        -------
        Tables
            ``facts``: a row per ``weighing``, ``chosen``, ``law`` and ``percent_of``, with the
            ``rmse`` and the shares of records ``records_for_1_percent`` ...; null where the
            gain is impossible. ``gain``: per ``weighing``, ``chosen`` and ``law`` the ``rmse`` by
            the ``share`` of records known, the ends of the range of 95% of random choices,
            and the share of ``cells`` these hold.

        Raises
        ------
        GridError
            The release is too small, or the baseline makes no error.
        """
        if self.rmse is None:
            errors = predict(store, seed, self.folds, self.shrink_items, self.shrink_records)
            squared, cells = errors.squared, errors.cells
        else:
            cells = valued_cells(store)
            squared = np.full(cells.size, self.rmse**2) * cells
        ways = weigh(squared, cells)
        if self.rmse is not None:  # to the last bit: statements are looked up by it
            ways = [replace(way, rmse=self.rmse) for way in ways]
        measured = self.rmse is None
        return {
            FACTS: pd.DataFrame(
                [fact | {"measured": measured} for w in ways for fact in _facts(w)]
            ),
            "gain": pd.concat([_curve(way, law) for way in ways for law in LAWS]).reset_index(
                drop=True
            ),
        }


def weigh(squared: Floats, cells: NDArray[np.int64]) -> list[Weighed]:
    """Weigh the records that have values: each the same, or by their cells.

    Parameters
    ----------
    squared : float64 array, shape (N,)
        Sum of the squared errors of each record.
    cells : int64 array, shape (N,)

    Raises
    ------
    GridError
        There is no error to be gained.

    Examples
    --------
    >>> [way.rmse for way in weigh(np.array([3.0, 0.25]), np.array([3, 1]))]  # doctest: +ELLIPSIS
    [0.79..., 0.90..., 0.90...]
    """
    order = np.argsort(-cells, kind="stable")[: np.count_nonzero(cells)]
    by_cell, held = squared[order], cells[order].astype(np.float64)
    if not by_cell.sum() > 0:
        raise GridError(
            "study=recommender: the baseline makes no error on this release, so that there is "
            "nothing to gain; give study.rmse"
        )
    by_record = by_cell / held
    share_of_cells = held / held.sum()
    rmse = math.sqrt(by_cell.sum() / held.sum())
    return [
        Weighed(
            "records", "at random", math.sqrt(by_record.mean()), by_record / by_record.sum(),
            share_of_cells,
        ),
        Weighed("cells", "at random", rmse, by_cell / by_cell.sum(), share_of_cells),
        Weighed("cells", "longest first", rmse, by_cell / by_cell.sum(), share_of_cells),
    ]  # fmt: skip


def removed(rmse: float, gain: float, law: str) -> float:
    """Share of the mean square error to remove for a given fall of the RMSE.

    Parameters
    ----------
    rmse, gain : float
        In value units.
    law : str
        One of `LAWS`.

    Returns
    -------
    float
        NaN where the gain is more than the RMSE.

    Examples
    --------
    >>> removed(1.0, 0.5, "linear"), removed(1.0, 0.5, "mean square"), removed(1.0, 2.0, "linear")
    (0.5, 0.75, nan)
    """
    if gain > rmse:
        return math.nan
    left = 1 - gain / rmse
    return 1 - (left if law == "linear" else left**2)


def _facts(way: Weighed) -> list[dict[str, Any]]:
    """Records needed, under each law and reading of a percent."""
    rows = []
    for law in LAWS:
        for of in PERCENT_OF:
            unit = 1.0 if of == "a value unit" else way.rmse
            needed = {
                f"records_for_{percent}_percent": way.needed(
                    removed(way.rmse, percent / 100 * unit, law)
                )
                for percent in PERCENTS
            }
            row: dict[str, Any] = {"weighing": way.weighing, "chosen": way.chosen}
            rows.append(row | {"law": law, "percent_of": of, "rmse": way.rmse} | needed)
    return rows


def _curve(way: Weighed, law: str) -> pd.DataFrame:
    """RMSE by the share of records known."""
    gone, aside = way.gone(SHARES, way.share), _Z * way.deviation(SHARES)

    def left(gone: Floats) -> Floats:
        rest = 1 - np.clip(gone, 0.0, 1.0)
        return way.rmse * (rest if law == "linear" else np.sqrt(rest))

    return pd.DataFrame(
        {
            "weighing": way.weighing,
            "chosen": way.chosen,
            "law": law,
            "share": SHARES,
            "cells": way.gone(SHARES, way.cells),
            "rmse": left(gone),
            "rmse_low": left(gone + aside),
            "rmse_high": left(gone - aside),
        }
    )
