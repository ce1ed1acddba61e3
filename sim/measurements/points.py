"""Points of a release, and the records that hold each of them.

A *point* is an item at a time, in bins of a chosen width, or an item alone (de Montjoye et al.,
"Unique in the Crowd", 2013). A record may hold a point several times: with repeats counted, its
first, second, … are points of their own, and whoever holds the second holds the first.

Invariant: points have the same numbers in every block, and the records of a point are ascending.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, philox
from sim.release.store.store import Block, Store
from sim.release.store.threads import in_order, threads_for

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
        point, row = _sorted(
            *block.items(), block.item_day, block.item_row, coding.bins, coding.n_bins,
            coding.repeats,
        )  # fmt: skip
        if coding.repeats > 1 or (point[1:] == point[:-1]).any():
            nth = _repeats(point, row)
            if nth.any():
                kept = nth < coding.repeats
                point, row = (point + nth)[kept], row[kept]
                order = np.argsort(point, kind="stable")
                point, row = point[order], row[order]
        new = np.flatnonzero(np.diff(point, prepend=-1))
        return cls(block.first, point[new], np.append(new, point.size).astype(np.int64), row)


@njit
def _sorted(items, start, day, row, bins, n_bins, repeats):  # type: ignore[no-untyped-def]
    """Points and rows of cells, in the order of points and, as the cells of an item are, rows."""
    point, sorted_row = np.empty(row.size, np.int64), np.empty(row.size, row.dtype)
    free = np.empty(n_bins, np.int64)
    for i in range(start.size - 1):
        item, begin, end = np.int64(items[i]), start[i], start[i + 1]
        if end - begin < n_bins:
            order = np.argsort(bins[day[begin:end]], kind="mergesort")
            for k in range(end - begin):
                at = begin + order[k]
                point[begin + k] = (item * n_bins + bins[day[at]]) * repeats
                sorted_row[begin + k] = row[at]
            continue
        free[:] = 0
        for k in range(begin, end):
            free[bins[day[k]]] += 1
        at = begin
        for each in range(n_bins):
            at, free[each] = at + free[each], at
        for k in range(begin, end):
            to = free[bins[day[k]]]
            free[bins[day[k]]] += 1
            point[to] = (item * n_bins + bins[day[k]]) * repeats
            sorted_row[to] = row[k]
    return point, sorted_row


@njit
def _repeats(point, row):  # type: ignore[no-untyped-def]
    """How many cells before have the same point and row, of cells sorted by both."""
    nth = np.zeros(point.size, np.int64)
    for k in range(1, point.size):
        if point[k] == point[k - 1] and row[k] == row[k - 1]:
            nth[k] = nth[k - 1] + 1
    return nth


@njit
def _least(keys, most):  # type: ignore[no-untyped-def]
    """Places of so many of the least keys, ascending by key."""
    places, n = np.empty(most, np.int64), 0
    for k in range(keys.size):
        if n == most and keys[k] >= keys[places[n - 1]]:
            continue
        at = min(n, most - 1)
        while at > 0 and keys[places[at - 1]] > keys[k]:
            places[at] = places[at - 1]
            at -= 1
        places[at] = k
        n = min(n + 1, most)
    return places[:n]


@njit
def _take_new(places, point, drawn):  # type: ignore[no-untyped-def]
    """Write the points at some places, each once; return their number."""
    n = 0
    for at in places:
        if n == drawn.size:
            break
        candidate, is_new = point[at], True
        for j in range(n):
            is_new = is_new and drawn[j] != candidate
        if is_new:
            drawn[n] = candidate
            n += 1
    return n


@njit
def _draw(rows, first, record_start, point, seed, purpose, out):  # type: ignore[no-untyped-def]
    zero = np.uint64(0)
    for t in range(rows.size):
        begin, end = record_start[rows[t]], record_start[rows[t] + 1]
        keys, record = np.empty(end - begin, np.uint64), np.uint64(first + rows[t])
        for k in range(begin, end):
            keys[k - begin] = philox(record, np.uint64(k - begin), zero, zero, seed, purpose)
        n = _take_new(_least(keys, out.shape[1]), point[begin:end], out[t])
        if n < min(out.shape[1], keys.size):  # one was drawn twice
            _take_new(np.argsort(keys), point[begin:end], out[t])


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

    def of_block(index: int) -> None:
        block = store.block(index)
        here = slice(*np.searchsorted(records, [index * size, (index + 1) * size]))
        point = coding.of(block.record_item, block.record_day)
        _draw(
            records[here] - block.first, block.first, block.record_start, point, np.uint64(seed),
            np.uint64(Purpose.UNICITY_POINT), out[here],
        )  # fmt: skip

    threads = threads_for(store.manifest.n_cells)
    for _ in in_order(of_block, np.unique(records // size).tolist(), threads):
        pass
    return out
