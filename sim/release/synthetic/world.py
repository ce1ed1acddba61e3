"""The item data that the kernels read, as arrays.

Invariant: a world is a function of preset, items and weights; it holds arrays and numbers only, so
that Numba accepts it directly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric import exp
from sim.numeric.compiled import njit
from sim.release.synthetic.items import OLDEST, Items, appeal
from sim.release.synthetic.preset import Preset


class Habits(NamedTuple):
    """The numbers of a preset that the kernels need; see `Preset` for each."""

    one_day: float
    first_batch: float
    session: float
    mainstream: float
    settle: float
    shelf_share: float
    shelves_per_day: float


class World(NamedTuple):
    """The distributions that records are drawn from.

    Parameters
    ----------
    share : float64 array, shape (communities + shelves, M)
        Probability of each item within each community and on each shelf, before its age counts.
    cut : uint32 array, shape (communities + shelves, M)
        Alias tables: below this, the column keeps itself.
    alias : int32 array, shape (communities + shelves, M)
        Alias tables: otherwise this item.
    centre, vector, quality, release :
        As in `Items`.
    appeal : float32 array, shape (2, ages)
        By age of the item in days, on a record's first day and later.
    """

    share: NDArray[np.float64]
    cut: NDArray[np.uint32]
    alias: NDArray[np.int32]
    centre: NDArray[np.float32]
    vector: NDArray[np.float32]
    quality: NDArray[np.float32]
    release: NDArray[np.int32]
    appeal: NDArray[np.float32]
    habits: Habits


def make_world(preset: Preset, items: Items, weight: NDArray[np.float64]) -> World:
    """Build the tables that items are drawn from.

    Parameters
    ----------
    weight : float64 array, shape (M,)
        Relative popularity.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> from sim.release.synthetic.items import make_items
    >>> items = make_items(PRESETS["tiny"], 1, 30_000)
    >>> world = make_world(PRESETS["tiny"], items, items.target)
    >>> bool(np.allclose(world.share.sum(axis=1), 1.0))
    True
    """
    share = weight * exp(items.log_lift)
    share /= share.sum(axis=1, keepdims=True)
    cut, alias = alias_tables(share)
    ages = np.arange(OLDEST + preset.days + 1, dtype=np.float64)
    habits = Habits(
        preset.one_day,
        preset.first_batch,
        preset.session,
        preset.mainstream,
        preset.settle,
        preset.shelf_share,
        preset.shelves / preset.days,
    )
    return World(
        share,
        cut,
        alias,
        items.centre,
        items.vector,
        items.quality,
        items.release,
        appeal(preset, ages).astype(np.float32),
        habits,
    )


@njit
def alias_tables(share: Any) -> Any:
    """Build one alias table per row (Walker 1977, in Vose's form).

    Parameters
    ----------
    share : float64 array, shape (k, M)
        Each row adds up to 1.

    Returns
    -------
    cut : uint32 array, shape (k, M)
    alias : int32 array, shape (k, M)

    Examples
    --------
    >>> cut, alias = alias_tables(np.array([[0.25, 0.75]]))
    >>> round(float(cut[0, 0]) / 2**32, 3), int(alias[0, 0])
    (0.5, 1)
    """
    rows, m = share.shape
    cut = np.empty((rows, m), np.uint32)
    alias = np.empty((rows, m), np.int32)
    level = np.empty(m)
    stack = np.empty(m, np.int32)
    for row in range(rows):
        small, large = 0, m  # two stacks, from both ends of one array
        for i in range(m):
            level[i] = share[row, i] * m
            cut[row, i] = np.uint32(0xFFFFFFFF)
            alias[row, i] = i
            if level[i] < 1.0:
                stack[small] = i
                small += 1
            else:
                large -= 1
                stack[large] = i
        while small > 0 and large < m:
            small -= 1
            lo, hi = stack[small], stack[large]
            cut[row, lo] = np.uint32(level[lo] * 4294967295.0)
            alias[row, lo] = hi
            level[hi] -= 1.0 - level[lo]
            if level[hi] < 1.0:
                large += 1
                stack[small] = hi
                small += 1
    return cut, alias
