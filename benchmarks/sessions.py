"""When the records of a release were made: their days, and how many cells a day.

Invariant: every cell with a day is counted on that day of its record, and on no other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.release.store.store import Store

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sessions:
    """Counts from one pass over a store.

    Parameters
    ----------
    level : int64 array, shape (L,)
        Cells of each value.
    day : int64 array, shape (n_days,)
        Cells of each day.
    dated, days, first, busiest : int64 arrays, shape (n_records,)
        Of each record: cells with a day, different days, cells on the first of them, and on the
        one with the most.
    """

    level: Counts
    day: Counts
    dated: Counts
    days: Counts
    first: Counts
    busiest: Counts


def sessions(store: Store) -> Sessions:
    """Count cells by value, by day, and by record and day."""
    manifest = store.manifest
    level, day = np.zeros(store.scale.size + 1, np.int64), np.zeros(manifest.n_days + 1, np.int64)
    of_record = np.zeros((manifest.n_records, 4), np.int64)
    for index in range(manifest.n_blocks):
        block = store.block(index)
        level += np.bincount(block.record_level, minlength=level.size)
        day += np.bincount(block.record_day, minlength=day.size)
        out = of_record[block.first : block.first + block.n_records]
        _by_record(block.record_start, block.record_day, manifest.n_days, out)
    return Sessions(level[:-1], day[:-1], *of_record.T)


@njit(cache=True, nogil=True)
def _by_record(start, day, no_day, out):  # type: ignore[no-untyped-def]
    """Fill in cells with a day, days, cells of the first day and of the busiest."""
    count = np.zeros(no_day + 1, np.int64)
    for r in range(start.size - 1):
        first = no_day
        for k in range(start[r], start[r + 1]):
            if day[k] < no_day:
                out[r, 0] += 1
                out[r, 1] += count[day[k]] == 0
                count[day[k]] += 1
                first = min(first, np.int64(day[k]))
        for k in range(start[r], start[r + 1]):
            out[r, 3] = max(out[r, 3], count[day[k]])
        if first < no_day:
            out[r, 2] = count[first]
        for k in range(start[r], start[r + 1]):
            count[day[k]] = 0
