"""The cells of items that have few of them, read once.

What is drawn of an item may be drawn again and again until it is wrong, and of an item with a cell
or two mostly in vain. Each draw would look for the item in every block of the release.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Store

FEW = 256
"""Most cells of an item that are read."""


@dataclass(frozen=True, slots=True)
class ItemCells:
    """The cells of some items, those of each by record.

    Parameters
    ----------
    place : int64 array, shape (W,)
        Of each item that was asked for among those that were read; −1 for one with many cells.
    start : int64 array, shape (d + 1,)
        Where the cells of each item that was read begin, with the end appended.
    level, day : int32 arrays
        Codes as in a store.
    """

    place: NDArray[np.int64]
    start: NDArray[np.int64]
    level: NDArray[np.int32]
    day: NDArray[np.int32]

    @classmethod
    def of(cls, store: Store, item: NDArray[np.int32]) -> ItemCells:
        """Read the cells of those items that have at most `FEW`.

        Parameters
        ----------
        item : int32 array, shape (W,)
            All of the release; in any order, and more than once.
        """
        few = store.cells[item] <= FEW
        items, place = np.unique(item[few], return_inverse=True)
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(store.cells[items])])
        level, day = np.empty(start[-1], np.int32), np.empty(start[-1], np.int32)
        free = start[:-1].copy()
        for index in range(store.manifest.n_blocks if items.size else 0):
            block = store.block(index)
            begin, end = block.postings_of(items)
            here = np.flatnonzero(begin < end)
            size = (end - begin)[here]
            within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
            to, at = np.repeat(free[here], size) + within, np.repeat(begin[here], size) + within
            level[to], day[to] = block.item_level[at], block.item_day[at]
            free[here] += size
        places = np.full(item.size, -1, np.int64)
        places[few] = place
        return cls(places, start, level, day)

    def nth(
        self, which: NDArray[np.int64], nth: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the level and day of the nth cell of some of the items that were asked for.

        Parameters
        ----------
        which : int64 array, shape (V,)
            Places among all W; of items that were read.
        nth : int64 array, shape (V,)
        """
        at = self.start[self.place[which]] + nth
        return self.level[at], self.day[at]

    def all_of(self, which: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the levels and days of all cells of one item that was read."""
        place = self.place[which]
        cells = slice(int(self.start[place]), int(self.start[place + 1]))
        return self.level[cells], self.day[cells]
