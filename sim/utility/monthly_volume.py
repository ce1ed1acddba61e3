"""The rank correlation of the number of cells in each month before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.numeric.text import quantity
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin
from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value
from sim.utility.ranks import rank_correlation

_MONTH = TimeBin("month")


@dataclass(frozen=True, kw_only=True)
class MonthlyVolume(UtilityMeasure):
    """Rank correlation (Spearman) of the cells per month, before and after."""

    name: ClassVar[str] = "monthly_volume"
    label: ClassVar[str] = "rank correlation of monthly volume"
    use: ClassVar[str] = "following each month how much there is of all"
    counts: ClassVar[str] = "months"
    needs: ClassVar[tuple[str, ...]] = ("days",)

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`: over the months of the original, from first to last."""
        number, before = _volume(comparison.original)
        if before.size < 2:
            return Value(None, before.size, "the original has cells of one month only")
        found, volume = _volume(comparison.released)
        after = np.zeros(before.size, np.int64)
        inside = (found >= number[0]) & (found <= number[-1])
        after[found[inside] - number[0]] = volume[inside]
        correlation = rank_correlation(before, after)
        if correlation is not None:
            outside = int(volume.sum() - after.sum())
            note = f"without {quantity(outside, 'cell')} before or after these months"
            return Value(correlation, before.size, note if outside else "")
        if np.ptp(before) == 0:
            return Value(None, before.size, "every month of the original has the same volume")
        note = "every month has the same volume after" if volume.size else "no times are released"
        return Value(0.0, before.size, note)


def _volume(store: Store) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of consecutive months, and the cells in each; bins count for the month they begin."""
    m = store.manifest
    per_day = np.zeros(m.n_days + 1, np.int64)
    for index in range(m.n_blocks):
        per_day += np.bincount(store.block(index).record_day, minlength=m.n_days + 1)
    if not m.n_days:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    month = _MONTH.of(m.bins.start(m.first_day + np.arange(m.n_days)))
    volume = np.zeros(int(month[-1] - month[0]) + 1, np.int64)
    np.add.at(volume, month - month[0], per_day[:-1])
    return month[0] + np.arange(volume.size), volume
