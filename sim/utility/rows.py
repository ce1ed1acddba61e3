"""The cells of a release by record, in memory: what recommenders learn from, and are tested on."""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Cells sorted by record, then item.

    Parameters
    ----------
    start : int64 array, shape (records + 1,)
        Where each record's cells begin.
    item : int32 array, shape (cells,)
    level : integer array, shape (cells,)
        Places in `scale`; after its last value: none.
    scale : float64 array, shape (L,)
        The values, ascending.
    """

    start: NDArray[np.int64]
    item: NDArray[np.int32]
    level: NDArray[Any]
    scale: NDArray[np.float64]

    @property
    def length(self) -> NDArray[np.int64]:
        """Number of cells of each record."""
        return np.diff(self.start)

    def where(self, kept: NDArray[np.bool_]) -> Rows:
        """Return the cells of a mask, of the same records.

        Examples
        --------
        >>> three = np.arange(3, dtype=np.int32)
        >>> rows = Rows(np.array([0, 2, 3]), three, three, np.arange(3.0))
        >>> rows.where(three != 1).start.tolist()
        [0, 1, 2]
        """
        start = np.zeros_like(self.start)
        np.cumsum(_count(self.start, kept), out=start[1:])
        return Rows(start, self.item[kept], self.level[kept], self.scale)


def rows_of(store: Store) -> Rows:
    """Return all cells of a release; those of a single block are mapped, not read."""
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    if len(blocks) == 1:
        (one,) = blocks
        return Rows(one.record_start, one.record_item, one.record_level, store.scale)
    ends = np.concatenate([np.diff(block.record_start) for block in blocks])
    return Rows(
        np.concatenate([[0], np.cumsum(ends)]),
        np.concatenate([block.record_item for block in blocks]),
        np.concatenate([block.record_level for block in blocks]),
        store.scale,
    )


@njit
def _count(start, kept):  # type: ignore[no-untyped-def]
    """Cells of each record that are kept."""
    found = np.zeros(start.size - 1, np.int64)
    for r in range(found.size):
        for c in range(start[r], start[r + 1]):
            found[r] += kept[c]
    return found
