"""Unicity: how many records are the only one to fit a few random points of theirs.

After de Montjoye et al., "Unique in the Crowd: The privacy bounds of human mobility" (2013), and
"Unique in the shopping mall" (2015). The worst case over all points instead of random ones is the
risk of Pellungrini et al., "A Data Mining Approach to Assess Privacy Risk in Human Mobility Data"
(2018), which scikit-mobility computes for locations with and without times.

Invariant: matches are counted exactly, among all records. A share for random points has an
interval: another draw of points would give another. Of all records it is a little wide, as it takes
them to be alike; the worst case draws no points, and has an interval only for a sample of the
records. Unicity is no upper bound on the risk: errors in an attacker's facts make it lower, knowing
what is likely makes it higher.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.targets import draw_targets
from sim.extend.options import constant, option
from sim.findings.finding import Finding, Kind, Value
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.measurements.point_matches import (
    FrequentPoints,
    PointRuns,
    count_matches,
    fewest_matches,
    records_of,
    sizes_of,
)
from sim.measurements.points import BlockPoints, Coding, Ints, draw_points
from sim.measurements.time_bins import NO_TIMES, OWN, binned, width_words, widths
from sim.numeric.columns import share
from sim.numeric.rows import row_dicts
from sim.release.store.store import Store
from sim.release.store.threads import in_order, threads_for, usable

Times = Literal["bin", "hour", "day", "week", "month", "none"]

_RAREST = 64
_RECORDS_AT_A_TIME, _TARGETS_AT_A_TIME = 1 << 8, 1 << 10
_POINT_BYTES, _WORK_BYTES = 18, 26  # a cell: of `BlockPoints`, and while these are made
_SUMMARISED = 4
"""Points of the sentence in the summary, as in the paper."""


UNIQUE_BY_POINTS = Kind(
    "unique_by_points", "people who are the only ones with some of their points"
)
TIMES_NOT_MEASURED = Kind(
    "times_not_measured",
    "widths of time that the bins of the release do not fit into",
    remedy="data.time_bin=hour",
)
_WORST = ("worst_n", "worst_unique", "worst_unique_low", "worst_unique_high")
_FOUND = ("times", "points", "n", "eligible", "unique", "unique_low", "unique_high")


@dataclass(frozen=True)
class Unicity(Measurement):
    """Counts the records that hold some random points of a record's, and in the worst case.

    Examples
    --------
    >>> Unicity(points=4).worst
    3
    """

    kind: ClassVar[str] = "unicity"
    summary: ClassVar[str] = (
        "how many records a few random points single out; no upper bound on the risk"
    )
    takes_repeats: ClassVar[bool] = True
    facts: ClassVar[str] = (
        "per `times` and number of `points`: share of records that are `unique`, and quantiles of "
        "the records that match; for few points also the share that is unique in the worst case"
    )
    tables: ClassVar[Mapping[str, str]] = {
        "worst": "per `times` and number of `points`: share of records with some points that no "
        "other record holds, and the mean of 1 / the fewest records that match",
    }
    heads: ClassVar[Mapping[str, str]] = {
        "times": "times known",
        "n": "records",
        "eligible": "records with at least as many points",
        "matches_mean": "records that match: mean",
        "matches_median": "records that match: median",
        "matches_95": "records that match: 95th percentile",
        "worst_n": "worst case: records",
        "worst_unique": "worst case: unique",
        "risk_mean": "1 / records that match: mean",
    }
    figure: ClassVar[str] = "unicity"
    kinds: ClassVar[tuple[Kind, ...]] = (UNIQUE_BY_POINTS, TIMES_NOT_MEASURED)

    points: int = option(10, help="random points of a record that are known, at most", minimum=1)
    # Widths of the bins of time that a point has; bin: those of the release, others where these fit
    # into them; none: the item alone. Each is measured once: together they show what dates add.
    times: tuple[Times, ...] = constant(
        ("bin", "hour", "day", "week", "month", "none"), distinct=True
    )
    records: int | None = option(
        None, help="records whose points are drawn, uniformly", minimum=1, null="all", all=True
    )
    # Points of the worst case: four would be sought among the fourth power of a record's points.
    worst: int = constant(3, minimum=0, maximum=3)
    worst_records: int | None = option(
        1000,
        help="records whose worst case is sought, drawn uniformly",
        minimum=1,
        null="all",
        all=True,
    )
    # In the worst case, how often a record holds a point is known: knowing less is no worst case.
    visits: bool = constant(True)

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:
        """See `Measurement.findings`."""
        for _, rows in facts[facts["n"] > 0].groupby("times", sort=False):
            row = row_dicts(rows)[min(_SUMMARISED, len(rows)) - 1]
            yield UNIQUE_BY_POINTS.with_numbers(
                "measurement:unicity",
                numbers_of(row, *_FOUND)
                | {"width": None if row["times"] == NO_TIMES else width_words(row["times"])}
                | _worst_numbers(rows),
            )
        finer = [t for t in study.get("times") or () if t not in (OWN, NO_TIMES, *facts["times"])]
        if finer and set(facts["times"]) != {NO_TIMES}:
            yield TIMES_NOT_MEASURED.found("measurement:unicity", times=", ".join(finer))

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """Return the share that is unique by the number of points, with each width of times."""
        known = facts[facts["n"] > 0]
        table = known.pivot_table("unique", "points", "times", sort=False, observed=True)
        shares = [_head(str(times)) for times in table.columns]
        table.columns = pd.Index(shares)
        people = known.groupby("points")["n"].agg(["min", "max"])
        if people["min"].equals(people["max"]):
            table.insert(0, "people", people["max"])
        if "worst_unique" in known:
            finest = known[known["times"] == known["times"].iloc[0]].set_index("points")
            table["worst case"] = finest["worst_unique"]
            shares.append("worst case")
        # A share is told by its interval, which has no room here.
        table[[f"{name}_low" for name in shares]] = np.nan
        few = table[(table.index <= _SUMMARISED) | (table.index % 2 == 0)]
        return few.reset_index().rename(columns={"points": "points known"})

    def memory(self, store: Store) -> int:
        """See `Measurement.memory`: for the worst case, the points of all blocks are held."""
        cells = store.manifest.n_cells
        block = cells // store.manifest.n_blocks
        in_work = (usable() + 1) * block * _WORK_BYTES
        return in_work + (cells * _POINT_BYTES if self.worst else 0)

    def measure(self, store: Store, seed: int) -> Tables:
        """Measure.

        Parameters
        ----------
        seed : int
            Of the points, and of the samples of records.

        Returns
        -------
        Tables
            ``facts``: a row per width of ``times`` and number of ``points``, with the share of
            records that have so many, ``eligible``, their number ``n``, the share of these that
            are ``unique``, and mean, median and 95% quantile of the records that match, the
            record itself among them, ``matches_mean``, ``matches_median``, ``matches_95``; the
            number of records and the share that is unique in the worst case, ``worst_n`` and
            ``worst_unique``, null with more points than `worst`. ``worst``: for the points that
            fit the fewest records, ``unique``, and the mean of one over that number, ``risk_mean``;
            a record with fewer points is known by all of them.
        """
        everyone = np.ones(store.manifest.n_records, np.bool_)
        records = draw_targets(everyone, self.records, seed)
        sample = draw_targets(everyone, self.worst_records, seed)
        facts, worst = list[dict[str, Any]](), list[dict[str, Any]]()
        for times in widths(store.manifest, self.times):
            bins = binned(store, times)
            coding = Coding(bins, int(bins.max()) + 1)
            repeats = self.worst if self.visits and store.manifest.has_repeats else 1
            shared = points_of(store, coding) if self.worst and repeats == 1 else None
            facts += list(self._random(store, coding, shared, times, records, seed))
            if self.worst:
                several = replace(coding, repeats=repeats)
                blocks = shared or points_of(store, several)
                worst += list(self._worst(store, several, blocks, times, sample))
        return {FACTS: _with_worst(facts, worst), "worst": pd.DataFrame(worst)}

    def _random(
        self,
        store: Store,
        coding: Coding,
        blocks: list[BlockPoints] | None,
        times: str,
        records: Ints,
        seed: int,
    ) -> Iterator[dict[str, Any]]:
        points = draw_points(store, coding, records, self.points, seed)
        matches = matches_of(store, coding, points, blocks)
        for p in range(self.points):
            some = points[:, p] >= 0
            found, n = matches[some, p], int(some.sum())
            alone = int(np.count_nonzero(found == 1))
            row = {"times": times, "points": p + 1, "eligible": n / records.size, "n": n}
            row |= share("unique", alone, n)
            quantiles = np.quantile(found, [0.5, 0.95]) if n else [np.nan] * 2
            row["matches_mean"] = int(found.sum()) / n if n else np.nan
            row["matches_median"], row["matches_95"] = map(float, quantiles)
            yield row

    def _worst(
        self, store: Store, coding: Coding, blocks: list[BlockPoints], times: str, records: Ints
    ) -> Iterator[dict[str, Any]]:
        fewest = worst_case(store, coding, blocks, records, self.worst)
        whole = records.size == store.manifest.n_records
        for facts in range(1, self.worst + 1):
            found = fewest[:, facts - 1]
            alone = int(np.count_nonzero(found == 1))
            yield {
                "times": times,
                "points": facts,
                "n": records.size,
                **_share_of("unique", alone, records.size, whole=whole),
                "risk_mean": float(np.mean(1.0 / found)),
            }


def _share_of(name: str, successes: int, n: int, *, whole: bool) -> dict[str, float]:
    """A share of records, with an interval where they are a sample."""
    columns = share(name, successes, n)
    return columns | dict.fromkeys((f"{name}_low", f"{name}_high"), np.nan) if whole else columns


def _with_worst(
    facts: Sequence[Mapping[str, Any]], worst: Sequence[Mapping[str, Any]]
) -> pd.DataFrame:
    """Add the share that is unique in the worst case to the facts about as many points."""
    frame = pd.DataFrame(facts)
    if not worst:
        return frame
    keys, measured = ["times", "points"], ["n", "unique", "unique_low", "unique_high"]
    added = pd.DataFrame(worst)[[*keys, *measured]]
    named = added.rename(columns={name: f"worst_{name}" for name in measured})
    return frame.merge(named.astype({"worst_n": "Int64"}), on=keys, how="left")


def _worst_numbers(rows: pd.DataFrame) -> dict[str, Value]:
    """The share that is unique in the worst case, by the most points for which it is known.

    It is one of all records: those with fewer points are known by all that they have.
    """
    known = rows[rows["worst_unique"].notna()] if "worst_unique" in rows else rows[:0]
    if known.empty:
        return {}
    row = row_dicts(known)[-1]
    return {"worst_points": row["points"], **numbers_of(row, *_WORST)}


def _head(times: str) -> str:
    return "items alone" if times == NO_TIMES else f"with the {width_words(times)}"


def points_of(store: Store, coding: Coding) -> list[BlockPoints]:
    """Sort the cells of every block by point."""
    indices = range(store.manifest.n_blocks)
    threads = threads_for(store.manifest.n_cells)
    made = in_order(lambda k: BlockPoints.of(store.block(k), coding), indices, threads, ahead=0)
    return [points for _, points in made]


def matches_of(
    store: Store, coding: Coding, points: Ints, blocks: list[BlockPoints] | None = None
) -> Ints:
    """Count the records that hold the first 1, 2, … of each target's points.

    Parameters
    ----------
    points : int64 array, shape (T, P)
        Of `sim.measurements.points.draw_points`.
    blocks : list of BlockPoints, optional
        Of `points_of`; if not given, those of one block after the other are made.

    Returns
    -------
    int64 array, shape (T, P)
        0 where there is no such point.
    """
    total = np.zeros(points.shape, np.int64)
    begins = range(0, len(points), _TARGETS_AT_A_TIME)

    def of_block(index: int) -> _Counted:
        block = store.block(index)
        made = BlockPoints.of(block, coding) if blocks is None else blocks[index]
        return made, PointRuns.of(made), FrequentPoints.of(made, block.n_records)

    threads = threads_for(store.manifest.n_cells)
    for _, counted in in_order(of_block, range(store.manifest.n_blocks), min(threads, 1)):
        for begin, counts in in_order(partial(_count_some, points, counted), begins, threads):
            total[begin : begin + _TARGETS_AT_A_TIME] += counts
    return total


_Counted = tuple[BlockPoints, PointRuns, FrequentPoints]


def _count_some(points: Ints, counted: _Counted, begin: int) -> Ints:
    some = points[begin : begin + _TARGETS_AT_A_TIME]
    counts = np.zeros(some.shape, np.int64)
    count_matches(some, *counted, counts)
    return counts


def worst_case(
    store: Store, coding: Coding, blocks: list[BlockPoints], records: Ints, facts: int
) -> Ints:
    """The fewest records that hold all of any 1, 2, … of a record's points.

    Parameters
    ----------
    blocks : list of BlockPoints
        Of `points_of`, with the same coding.
    records : int64 array, shape (T,)
    facts : int
        In 1 … 3.

    Returns
    -------
    int64 array, shape (T, facts)
    """

    def some(begin: int) -> Ints:
        return np.array(
            [
                _fewest(store, coding, blocks, record, facts)
                for record in records[begin : begin + _RECORDS_AT_A_TIME].tolist()
            ]
        )

    begins = range(0, records.size, _RECORDS_AT_A_TIME)
    parts = [part for _, part in in_order(some, begins, usable())]
    return np.concatenate(parts) if parts else np.empty((0, facts), np.int64)


def _fewest(
    store: Store, coding: Coding, blocks: list[BlockPoints], record: int, facts: int
) -> NDArray[np.int64]:
    block = store.block(record // store.manifest.block_records)
    row = record - block.first
    own = slice(int(block.record_start[row]), int(block.record_start[row + 1]))
    point, repeats = np.unique(
        coding.of(block.record_item[own], block.record_day[own]), return_counts=True
    )
    repeats = np.minimum(repeats, coding.repeats)
    group = np.repeat(np.arange(point.size), repeats)
    nth = np.arange(group.size) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    every = np.repeat(point, repeats) + nth
    sizes = sizes_of(blocks, every)
    alone = sizes[nth == 0].min()
    if alone == 1:
        return np.ones(facts, np.int64)
    order = np.argsort(sizes, kind="stable")
    # The rarest points of a long record almost always do: not all records need be looked at.
    most = _RAREST if every.size > 4 * _RAREST else every.size
    while True:
        some = order[:most]
        start, found = records_of(blocks, every[some])
        n_records = store.manifest.n_records
        fewest = fewest_matches(nth[some] + 1, group[some], start, found, n_records, facts)
        if most >= every.size or fewest[min(facts, 2) - 1] == 1:
            fewest[0] = alone
            return np.asarray(fewest)
        most *= 8
