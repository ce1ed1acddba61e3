"""Counts of people by item and period, for data of which no records can be released (spec §16).

Invariant: a count is shown only if at least `FEWEST` people are in it, and `MOST` of all at most;
periods are disjoint, so no shown count contains another, and sums are of what is shown. No true
number is returned: a total beside the shown counts would give back those that are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.release.store.store import Block, Store
from sim.release.store.time_bins import TimeBin

FEWEST = 10
"""People whom a shown count is of, at least; counts of nobody are not shown either."""

ROUNDED_TO = 5
MOST = 0.9
"""The largest share of all people: above it, a count tells of nearly each of them."""

PERIODS = PERIOD, *_ = ("month", "week", "day", "none")


@dataclass(frozen=True, slots=True, eq=False)
class PeopleCounts:
    """What can be shown, and what it is good for.

    Parameters
    ----------
    table : DataFrame
        ``item``, ``period`` (its first day; not there without periods), ``people``, by item and
        period; people rounded to `ROUNDED_TO`.
    kept : float
        Share of all true counts that is shown, to the percent.
    rank : float
        Rank correlation of the items' sums, shown and true; NaN where all are alike.
    """

    table: pd.DataFrame
    kept: float
    rank: float


def count_people(store: Store, period: str = PERIOD) -> PeopleCounts:
    """Count the people of each item in each period.

    Parameters
    ----------
    period : {"month", "week", "day", "none"}
        Ignored where the release has no times; an entry without one is in no period, and counts
        where there are none alone.
    """
    manifest = store.manifest
    dated = manifest.has_days and period != "none"
    periods, of_day = _periods(store, period) if dated else (np.zeros(1, np.int64), None)
    n_items, n_periods = manifest.n_items, periods.size
    keys, counts = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for index in range(manifest.n_blocks):
        mine = _people_of_block(store.block(index), n_periods, of_day)
        keys, place = np.unique(np.concatenate([keys, mine]), return_inverse=True)
        summed = np.zeros(keys.size, np.int64)
        np.add.at(summed, place, np.concatenate([counts, np.ones(mine.size, np.int64)]))
        counts = summed
    shown = (counts >= FEWEST) & (counts <= MOST * manifest.n_records)
    rounded = (2 * counts + ROUNDED_TO) // (2 * ROUNDED_TO) * ROUNDED_TO
    item, at = np.divmod(keys, n_periods)
    table = pd.DataFrame({"item": store.items.take(item[shown]).to_pylist()})
    if dated:
        table["period"] = periods[at[shown]].astype("datetime64[D]").astype(str)
    table["people"] = rounded[shown]
    whole = np.bincount(item, counts, n_items)
    left = np.bincount(item[shown], rounded[shown], n_items)
    kept = float(counts[shown].sum() / max(counts.sum(), 1))
    return PeopleCounts(table, round(kept, 2), _rank_correlation(whole, left))


def _periods(store: Store, period: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first days of the periods, and of each day of the release the place of its own.

    −1 for what has no time.
    """
    manifest = store.manifest
    seconds = manifest.bins.start(manifest.first_day + np.arange(manifest.n_days))
    bins = TimeBin.parse(period)
    first = bins.start(bins.of(seconds)) // 86_400
    periods, place = np.unique(first, return_inverse=True)
    return periods, np.append(place, -1)


def _people_of_block(
    block: Block, n_periods: int, of_day: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Return item · n_periods + period of each person's different ones."""
    record = np.repeat(np.arange(block.n_records), np.diff(block.record_start))
    key = block.record_item.astype(np.int64) * n_periods
    if of_day is not None:
        place = of_day[block.record_day]
        record, key = record[place >= 0], (key + place)[place >= 0]
    order = np.lexsort((key, record))
    record, key = record[order], key[order]
    new = np.ones(key.size, np.bool_)
    new[1:] = (np.diff(record) != 0) | (np.diff(key) != 0)
    return key[new]


def _rank_correlation(true: NDArray[Any], shown: NDArray[Any]) -> float:
    a, b = _ranks(true), _ranks(shown)
    spread = sum(x * x for x in a) * sum(y * y for y in b)
    if not spread:
        return float("nan")
    return round(sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(spread), 2)


def _ranks(numbers: NDArray[Any]) -> list[int]:
    """Return twice the rank of each number less its mean: whole, so the same on every machine."""
    _, place, often = np.unique(numbers, return_inverse=True, return_counts=True)
    ranks = 2 * np.cumsum(often) - often - numbers.size
    return [int(one) for one in ranks[place]]
