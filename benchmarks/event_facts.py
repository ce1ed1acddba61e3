"""What is known about real visits and purchases, and what a synthetic release of events has.

Invariant: habits are counted record by record, from the cells of the store alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.fact import Fact, Remark
from benchmarks.known import EVENTS
from sim.adversary.targets import draw_targets
from sim.measurements.lengths import release_facts
from sim.measurements.points import Coding, draw_points
from sim.measurements.unicity import matches_of
from sim.release.store.store import Store
from sim.release.synthetic.events.preset import HOURS_PER_DAY, EventPreset
from sim.release.synthetic.preset import quantiles

RANKS = 10
"""Places of a record whose share in its visits is counted."""

UNIQUE_BY_HOUR, DECAY = 95.0, 0.1
"""% of the records of M13 that four points single out, and the power of its decay."""

_NEAR = 10.0
_POINTS = 4
_SAMPLE = 20_000
_SEED = 1
_LONG = 100
"""Cells of the records whose shares by rank count."""

_LAGS = (12, 24, 36, 48)
_GAPS = (6, 7, 8)
_WORK = (9, 17)
_WORKDAYS = 5
_WEEK = 7

Counts = NDArray[np.int64]


class Habits(NamedTuple):
    """Counts over all records.

    Parameters
    ----------
    rank : float64 array, shape (RANKS,)
        Mean share of a record's most frequent items, of the long records.
    pairs, same : int64 arrays, shape (lags,)
        Pairs of cells of one record that far apart in time, and those with the same item.
    again : int
        Cells whose record holds the item in an earlier one.
    baskets : int
        Different times of each record, added up.
    gap : int64 array, shape (n_times + 1,)
        By the time between two successive baskets of a record: how many.
    """

    rank: NDArray[np.float64]
    pairs: Counts
    same: Counts
    again: int
    baskets: int
    gap: Counts


@dataclass(frozen=True)
class Seen:
    """A release of events, and what is measured on it when it is asked for."""

    store: Store

    def habits(self, lags: tuple[int, ...] = ()) -> Habits:
        """Count habits in one pass."""
        manifest, many = self.store.manifest, max(lags, default=0)
        rank, n_long = np.zeros(RANKS), 0
        pairs, same = np.zeros(len(lags), np.int64), np.zeros(len(lags), np.int64)
        gap = np.zeros(manifest.n_days + 1, np.int64)
        at = np.full(manifest.n_days + 1 + many, -1, np.int64)
        again = baskets = 0
        for index in range(manifest.n_blocks):
            block = self.store.block(index)
            some = _count(
                block.record_start, block.record_item, block.record_day,
                (np.array(lags, np.int64), pairs, same, gap, at, rank, _LONG),
            )  # fmt: skip
            again, baskets, n_long = again + some[0], baskets + some[1], n_long + some[2]
        return Habits(rank / max(n_long, 1), pairs, same, again, baskets, gap)

    def measures(self) -> dict[str, Callable[[], float]]:
        """By the name of what is measured."""
        manifest = self.store.manifest
        return {
            "records": lambda: manifest.n_records,
            "items": lambda: manifest.n_items,
            "days": lambda: manifest.n_days,
            "unique": self.unique,
            "zipf": lambda: zipf(self.habits().rank),
            "again": lambda: 100.0 * self.habits().again / manifest.n_cells,
            "basket": lambda: manifest.n_cells / self.habits().baskets,
            "baskets": lambda: self.habits().baskets / manifest.n_records,
        }

    def unique(self, width: int = 1) -> float:
        """% of the records with four points that no other record has, of a sample of these.

        Parameters
        ----------
        width : int
            Times of the release that are one time of a point.
        """
        n = self.store.manifest.n_days
        bins = np.append(np.arange(n) // width, n)
        coding = Coding(bins, n + 1)
        everyone = np.ones(self.store.manifest.n_records, np.bool_)
        points = draw_points(
            self.store, coding, draw_targets(everyone, _SAMPLE, _SEED), _POINTS, _SEED
        )
        points = points[points[:, -1] >= 0]
        return 100.0 * float(np.mean(matches_of(self.store, coding, points)[:, -1] == 1))


def zipf(share: NDArray[np.float64]) -> float:
    """Fit the exponent of shares by rank, by least squares of their logarithms.

    Examples
    --------
    >>> round(zipf(1 / np.arange(1, 11) ** 1.2), 6)
    1.2
    """
    return float(-np.polyfit(np.log(np.arange(1, share.size + 1)), np.log(share), 1)[0])


def facts(preset: EventPreset, store: Store) -> Iterator[Fact]:
    """Yield what is published, and the lengths that the preset promises."""
    measures = Seen(store).measures()
    for known in EVENTS.get(preset.name, ()):
        got = float(measures[known.measure]())
        name = f"{known.name} ({known.source})"
        yield Fact(name, known.wanted, got, known.within, known.points)
    counts, length = release_facts(store), np.rint(quantiles(preset.lengths, preset.records))
    yield Fact("cells", float(length.sum()), float(counts["n_cells"]), 0.01)
    for name, wanted in (("median", np.median(length)), ("max", length.max())):
        yield Fact(
            f"cells of a record, {name}", float(wanted), float(counts[f"length_{name}"]), 0.1
        )


def remarks(preset: EventPreset, store: Store) -> Iterator[Remark]:
    """Yield what is known in words only, and what follows from the generator's habits."""
    counts = release_facts(store)
    if preset.time_bin == "hour":
        yield from _of_visits(store)
    else:
        yield from _of_purchases(store)
    if "again" not in {known.measure for known in EVENTS.get(preset.name, ())}:
        repeated = store.manifest.n_repeats / store.manifest.n_cells
        yield Remark("cells that repeat an item of their record", "", f"{repeated:.1%}")
    supports = (f"{counts[f'support_{name}']:,.0f}" for name in ("median", "max"))
    yield Remark("items with a record", "", f"{counts['n_items']:,}")
    yield Remark("records with an item, median and most", "", ", ".join(supports))
    yield Remark("cells of a record, mean", "", f"{counts['length_mean']:.1f}")


def _of_visits(store: Store) -> Iterator[Remark]:
    seen = Seen(store)
    habits, by_day = seen.habits(_LAGS), seen.unique(HOURS_PER_DAY)
    power = UNIQUE_BY_HOUR * HOURS_PER_DAY**-DECAY
    yield Remark(
        "% of records that 4 points (place, day) single out",
        f"{power:.0f}, as unicity decays like the 1/10 power of the resolution (M13)",
        f"{by_day:.0f}",
        bool(abs(by_day - power) < _NEAR),
    )
    back = habits.same / np.maximum(habits.pairs, 1)
    yield Remark(
        f"in the same place {_words(_LAGS)} hours later",
        "peaks at every 24 hours (González 2008)",
        ", ".join(f"{share:.1%}" for share in back),
        bool(min(back[1::2]) > max(back[::2])),
    )
    yield Remark(
        "visits to a record's 1st, 2nd and 3rd place",
        "falling like 1 / rank (González 2008)",
        ", ".join(f"{share:.1%}" for share in habits.rank[:3]),
        bool((habits.rank[:3] * (1, 2, 3) / habits.rank[0] > 0.5).all()),
    )
    office = np.zeros((2, 2), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_office(block.record_start, block.record_item, block.record_day, office)
    yield Remark(
        "in working hours, at a record's place for these on weekdays: weekdays, weekends",
        "",
        ", ".join(f"{at / of:.1%}" for at, of in office.tolist()),
    )


def _of_purchases(store: Store) -> Iterator[Remark]:
    habits, n = Seen(store).habits(), store.manifest.n_cells
    part = habits.gap / max(int(habits.gap.sum()), 1)
    yield Remark(
        f"baskets {_words(_GAPS)} days after the one before",
        "",
        ", ".join(f"{part[gap]:.1%}" for gap in _GAPS),
    )
    yield Remark("days of a record, items on one of them", "", _mean_basket(store, habits))
    level = np.zeros(store.scale.size + 1, np.int64)
    for index in range(store.manifest.n_blocks):
        level += np.bincount(store.block(index).record_level, minlength=level.size)
    shares = ", ".join(
        f"{value:g}: {count / n:.1%}" for value, count in zip(store.scale, level, strict=False)
    )
    yield Remark("cells by value", "", shares)


def _mean_basket(store: Store, habits: Habits) -> str:
    manifest = store.manifest
    return f"{habits.baskets / manifest.n_records:.1f}, {manifest.n_cells / habits.baskets:.2f}"


def _words(numbers: tuple[int, ...]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


@njit(cache=True, nogil=True)
def _count(start, item, time, into):  # type: ignore[no-untyped-def]
    """Count a block's habits; return the cells that come again, the baskets and long records."""
    lags, pairs, same, gap, at, rank, long = into
    n_times = gap.size - 1
    again, baskets, n_long = 0, 0, 0
    for r in range(start.size - 1):
        begin, end = start[r], start[r + 1]
        counts = np.zeros(end - begin, np.int64)
        kinds = 0
        for k in range(begin, end):
            if k > begin and item[k] == item[k - 1]:
                again += 1
            else:
                kinds += 1
            counts[kinds - 1] += 1
            at[time[k]] = item[k]
        if end - begin >= long:
            n_long += 1
            most = np.sort(counts)[::-1]
            for place in range(min(rank.size, most.size)):
                rank[place] += most[place] / (end - begin)
        before = -1
        for t in range(n_times):
            if at[t] >= 0:
                baskets += 1
                if before >= 0:
                    gap[t - before] += 1
                before = t
                for which in range(lags.size):
                    if at[t + lags[which]] >= 0:
                        pairs[which] += 1
                        same[which] += at[t] == at[t + lags[which]]
        for k in range(begin, end):
            at[time[k]] = -1
    return again, baskets, n_long


@njit(cache=True, nogil=True)
def _count_office(start, item, time, into):  # type: ignore[no-untyped-def]
    """Count cells in working hours, on weekdays and weekends: at the weekdays' main place, all.

    Times are hours from a Monday; the cells of a record are in order of items.
    """
    for r in range(start.size - 1):
        at, most = np.zeros(2, np.int64), np.zeros(2, np.int64)
        for k in range(start[r], start[r + 1]):
            if k == start[r] or item[k] != item[k - 1]:
                at[:] = 0
            weekend = int(time[k] // 24 % _WEEK >= _WORKDAYS)
            if _WORK[0] <= time[k] % 24 < _WORK[1]:
                at[weekend] += 1
                into[weekend, 1] += 1
            if (k + 1 == start[r + 1] or item[k + 1] != item[k]) and at[0] > most[0]:
                most[:] = at
        into[0, 0] += most[0]
        into[1, 0] += most[1]
