"""Points of a release, and the records that hold each of them.

A *point* is an item at a time, in bins of a chosen width, or an item alone (de Montjoye et al.,
"Unique in the Crowd", 2013). A record may hold a point several times: with repeats counted, its
first, second, … are points of their own, and whoever holds the second holds the first.

Invariant: points have the same numbers in every block, and the records of a point are ascending.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from sim.numeric.random import Purpose, philox
from sim.release.store.store import Block, Store

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coding:
    """How cells become points: (item · widths + bin) · repeats + which repeat, from 0.

    Parameters
    ----------
    bins : int64 array, shape (n_days + 1,)
        Bin of each day code of the store, from 0; the last is that of cells without a day.
    n_bins : int
    repeats : int
        Cells of one point that are counted per record; 1: a record holds it or not.
    """

    bins: Ints
    n_bins: int
    repeats: int = 1

    def of(self, item: NDArray[Any], day: NDArray[Any]) -> Ints:
        """Return the points of cells, were each the first of its record's, shape (n,)."""
        known: Ints = (item.astype(np.int64) * self.n_bins + self.bins[day]) * self.repeats
        return known


class BlockPoints(NamedTuple):
    """The points of a block's records.

    Parameters
    ----------
    first : int
        The block's first record.
    point : int64 array, shape (n_points,)
        Ascending.
    start : int64 array, shape (n_points + 1,)
        Where each point's rows begin.
    row : uint16 array, shape (n,)
        Records, from `first`.
    """

    first: int
    point: Ints
    start: Ints
    row: NDArray[np.uint16]

    @classmethod
    def of(cls, block: Block, coding: Coding) -> BlockPoints:
        """Sort the cells of a block by point."""
        item = np.repeat(np.arange(block.item_start.size - 1), np.diff(block.item_start))
        point = coding.of(item, block.item_day)
        row = block.item_row
        if (np.diff(point) < 0).any():
            # Rows ascend within an item, so they do within a point.
            order = np.argsort(point, kind="stable")
            point, row = point[order], row[order]
        if coding.repeats > 1 or (np.diff(point) == 0).any():
            nth = _repeats(point, row)
            kept = nth < coding.repeats
            point, row = (point + nth)[kept], row[kept]
            if coding.repeats > 1:
                order = np.argsort(point, kind="stable")
                point, row = point[order], row[order]
        new = np.flatnonzero(np.diff(point, prepend=-1))
        return cls(block.first, point[new], np.append(new, point.size).astype(np.int64), row)


@numba.njit(cache=True, nogil=True)
def _repeats(point, row):  # type: ignore[no-untyped-def]
    """How many cells before have the same point and row, of cells sorted by both."""
    nth = np.zeros(point.size, np.int64)
    for k in range(1, point.size):
        if point[k] == point[k - 1] and row[k] == row[k - 1]:
            nth[k] = nth[k - 1] + 1
    return nth


@numba.njit(cache=True, nogil=True)
def _draw(rows, first, record_start, point, seed, purpose, out):  # type: ignore[no-untyped-def]
    zero = np.uint64(0)
    for t in range(rows.size):
        begin, end = record_start[rows[t]], record_start[rows[t] + 1]
        keys, record = np.empty(end - begin, np.uint64), np.uint64(first + rows[t])
        for k in range(begin, end):
            keys[k - begin] = philox(record, np.uint64(k - begin), zero, zero, seed, purpose)
        n = 0
        for at in np.argsort(keys):
            if n == out.shape[1]:
                break
            candidate, is_new = point[begin + at], True
            for j in range(n):
                is_new = is_new and out[t, j] != candidate
            if is_new:
                out[t, n] = candidate
                n += 1


def draw_points(
    store: Store, coding: Coding, records: Ints, most: int, seed: int
) -> NDArray[np.int64]:
    """Draw points of records, uniformly from their cells, without replacement.

    Parameters
    ----------
    records : int64 array, shape (T,)
        Ascending.

    Returns
    -------
    int64 array, shape (T, most)
        In the order drawn; −1 where a record has no more.
    """
    out = np.full((records.size, most), -1, np.int64)
    size = store.manifest.block_records
    for index in np.unique(records // size).tolist():
        here, block = records // size == index, store.block(index)
        found = out[here]
        point = coding.of(block.record_item, block.record_day)
        _draw(
            records[here] - block.first, block.first, block.record_start, point, np.uint64(seed),
            np.uint64(Purpose.UNICITY_POINT), found,
        )  # fmt: skip
        out[here] = found
    return out
