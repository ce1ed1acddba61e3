"""Filters of the cells of a record that an adversary may know.

Facts are drawn from the cells that are kept, in the order in which they would be drawn from all, so
a filter only takes facts out. A record is eligible if enough of its cells are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Block, Store


@dataclass(frozen=True, slots=True)
class RecordCells:
    """The cells of whole records, one record after the other, each by ascending item.

    Parameters
    ----------
    start : int64 array, shape (T + 1,)
        Record t has the cells from ``start[t]`` to before ``start[t + 1]``.
    item, level, day : int32 arrays, shape (C,)
        Codes. A level indexes ``store.scale``, a day counts from the first of the release; the
        code after the last one stands for a missing one.
    """

    start: NDArray[np.int64]
    item: NDArray[np.int32]
    level: NDArray[np.int32]
    day: NDArray[np.int32]

    @classmethod
    def of(cls, block: Block, rows: NDArray[np.int64] | None = None) -> RecordCells:
        """Return the cells of a block, or of some of its rows."""
        if rows is None:
            where, start = slice(None), np.asarray(block.record_start, np.int64)
            return cls(start, *_columns(block, where))
        size = (block.record_start[rows + 1] - block.record_start[rows]).astype(np.int64)
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
        at = np.arange(start[-1]) + np.repeat(block.record_start[rows] - start[:-1], size)
        return cls(start, *_columns(block, at))


class Filter(Protocol):
    """The cells that may be known. Equal filters keep the same cells, and have equal hashes."""

    def __hash__(self) -> int: ...

    def keep(self, store: Store, cells: RecordCells) -> NDArray[np.bool_]:
        """Return whether each cell may be known, shape (C,).

        It must depend on nothing but the store and the cell's own record: which records come
        together does not matter.
        """


def kept(store: Store, filters: Sequence[Filter], cells: RecordCells) -> NDArray[np.bool_]:
    """Return whether each cell passes all filters, shape (C,)."""
    passes = np.ones(cells.item.size, np.bool_)
    for each in filters:
        passes &= each.keep(store, cells)
    return passes


def _columns(
    block: Block, where: slice | NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    item, level, day = block.record_item, block.record_level, block.record_day
    return (
        np.asarray(item[where], np.int32),
        np.asarray(level[where], np.int32),
        np.asarray(day[where], np.int32),
    )
