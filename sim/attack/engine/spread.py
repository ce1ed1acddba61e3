"""How the cells of items are spread over values and days, in a whole release.

Counted with all records: that of a target that is removed makes no relevant difference.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from sim.attack.engine import census
from sim.attack.engine.decisions import Floats
from sim.numeric import log
from sim.release.store.store import Store

PERIODS = 64
"""Periods of equal length into which the days of a release are parted, at most."""

_POWERS = 21
"""How many powers of two are tried for α, from 1 on."""

_MOST_CELLS = 1 << 18
"""Roughly how many cells decide on α; a larger release is represented by some of its items."""


@functools.lru_cache(maxsize=2)
def usual_days(store: Store) -> Floats:
    """Share of the dated cells on each day, shape (n_days,); alike in periods of equal length."""
    n_days = store.manifest.n_days
    if not n_days:
        return np.empty(0)
    days = -(-n_days // PERIODS)
    counts = census.all_cells(store).sum(axis=0)[:n_days]
    begins = np.arange(0, n_days, days)
    periods = np.add.reduceat(counts, begins) + 1.0
    width = np.diff(np.append(begins, n_days))
    of_each = periods / (counts.sum() + begins.size) / width
    found: Floats = np.repeat(of_each, width)
    return found


@functools.lru_cache(maxsize=2)
def concentration(store: Store) -> float:
    """Return α of `unseen_cells`: how many of an item's cells a new one weighs as much as.

    The power of two by which the cells of some items are most likely, each given the others of its
    item.
    """
    n_levels, n_days = store.scale.size, store.manifest.n_days
    stride = -(-store.manifest.n_cells // _MOST_CELLS)
    items = np.arange(0, store.manifest.n_items, stride)
    item, level, day = _cells_of(store, items)
    whole = census.all_cells(store).sum(axis=1) + 1.0 / (n_levels + 1)
    share = whole / whole.sum()
    usual = np.append(usual_days(store), 0.0)
    without = store.manifest.missing_days / store.manifest.n_cells
    usual[:-1] *= 1.0 - without
    usual[-1] = without if n_days else 1.0
    size = np.bincount(item, minlength=items.size)
    of_level = np.zeros((items.size, n_levels + 1), np.int64)
    np.add.at(of_level, (item, level), 1)
    key = (item * (n_levels + 1) + level) * (n_days + 1) + day
    group, alike = np.unique(key, return_counts=True)
    of, rest = np.divmod(group, (n_levels + 1) * (n_days + 1))
    at, on = np.divmod(rest, n_days + 1)
    several = size[of] > 1
    of, at, on, alike = of[several], at[several], on[several], alike[several]
    new = (of_level[of, at] - 1 + share[at]) / size[of] * usual[on]
    best, most = 1.0, -np.inf
    for power in range(_POWERS):
        alpha = 2.0**power
        given = log((alike - 1 + alpha * new) / (size[of] - 1 + alpha))
        total = float(np.cumsum(np.append(0.0, alike * given))[-1])
        if total > most:
            best, most = alpha, total
    return best


def _cells_of(
    store: Store, items: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the cells of some items: the number of the item among these, level and day."""
    parts: list[tuple[NDArray[np.int64], ...]] = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        begin, end = block.postings_of(items)
        count = end - begin
        place = np.repeat(begin - np.append(0, np.cumsum(count)[:-1]), count)
        place += np.arange(count.sum())
        parts.append(
            (
                np.repeat(np.arange(items.size), count),
                block.item_level[place].astype(np.int64),
                block.item_day[place].astype(np.int64),
            )
        )
    item, level, day = (np.concatenate(part) for part in zip(*parts, strict=True))
    return item, level, day
