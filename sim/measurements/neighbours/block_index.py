"""An index of a block, laid out for fast comparison of its records.

- Records are sorted by length, so those too short or too long to be near lie at the ends.
- Items that many records hold and many targets ask for are also stored as bitmaps
  (`sim.measurements.neighbours.bit_counters`).
- Where dates count, an item's holders are sorted by day, so those within reach are a slice.

Invariant: an index holds exactly the cells of its block, whichever shortcuts it has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.measurements.neighbours.bit_counters import WORD
from sim.measurements.neighbours.metric import MatchRule
from sim.numeric.compiled import njit
from sim.release.store.store import Block

BITMAP_BYTES = 128 << 20
"""Most memory for bitmaps."""

MOST_CLASSES = 1 << 23
"""Items times ranges of levels beyond which there are no bitmaps: the counts would not fit."""

WORDS_A_HOLDER = 4
"""Words of a bitmap that are added in the time it takes to count one holder."""


class BlockIndex(NamedTuple):
    """A block as the search kernels read it; a record's *place* is its rank by length.

    Parameters
    ----------
    first : int
        First record.
    record_start : int64 array, shape (n + 1,)
    record_item : int32 array, shape (n_cells,)
        As in the block.
    row : int32 array, shape (n,)
        The record at each place, minus `first`: by length, then by row.
    length : int64 array, shape (n,)
        Of the record at each place, ascending.
    item : int32 array, shape (M,) or (0,)
        The block's items, ascending, where its index of them is sparse; empty: M are all items.
    start : int64 array, shape (M + 1,)
        Where each item's holders begin in the next three.
    place : uint16 array, shape (n_cells,)
    level, day : arrays, shape (n_cells,)
        Of an item's holders; in order of day where the rule looks at dates.
    set_of : int32 array, shape (M * n_ranges,) or (0,)
        Row of `sets` with the holders of an item whose level is in a range or missing; −1 for
        none.
    sets : uint64 array, shape (S, words)
        One bit per place.
    """

    first: int
    record_start: NDArray[np.int64]
    record_item: NDArray[np.int32]
    row: NDArray[np.int32]
    length: NDArray[np.int64]
    item: NDArray[np.int32]
    start: NDArray[np.int64]
    place: NDArray[np.uint16]
    level: NDArray[Any]
    day: NDArray[np.uint16]
    set_of: NDArray[np.int32]
    sets: NDArray[np.uint64]


def index_block(block: Block, rule: MatchRule, uses: NDArray[np.int64]) -> BlockIndex:
    """Index a block.

    Parameters
    ----------
    uses : int64 array, shape (M * n_ranges,) or (0,)
        Number of cells of the targets that ask for each item and range of levels; empty for no
        bitmaps.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sim.measurements.neighbours.metric import PRESENCE, match_rule
    >>> facts = SimpleNamespace(n_days=0, missing_days=3)
    >>> rule = match_rule(PRESENCE, SimpleNamespace(scale=np.empty(0), manifest=facts))
    >>> none = (np.zeros(3, np.uint8), np.zeros(3, np.uint16))
    >>> start, item = np.array([0, 2, 3]), np.array([0, 1, 1], np.int32)
    >>> by_item = np.array([0, 1, 3]), np.array([0, 0, 1], np.uint16)
    >>> block, uses = Block(0, 2, start, item, *none, *by_item, *none), np.array([9, 9])
    >>> index = index_block(block, rule, uses)
    >>> index.row.tolist(), index.length.tolist()  # the shorter record first
    ([1, 0], [1, 2])
    >>> [f"{bits:02b}" for bits in index.sets[:, 0]]  # the second place alone; both
    ['10', '11']
    """
    length = np.diff(block.record_start)
    row = np.argsort(length, kind="stable").astype(np.int32)
    place_of = np.empty(row.size, np.uint16)
    place_of[row] = np.arange(row.size, dtype=np.uint16)
    level, day = block.item_level, block.item_day
    item, start = block.items()
    if block.item_start is None:
        uses = uses[:0]  # items that most blocks lack have no use for bitmaps
    else:
        item = item[:0]
    item.flags.writeable = start.flags.writeable = False
    if rule.reach >= 0:
        order = by_day(start, day, rule.no_day)
        place, level, day = place_of[block.item_row[order]], level[order], day[order]
    else:
        place = place_of[block.item_row]
    words = -(-row.size // WORD)
    wanted = _worth_a_set(np.diff(start), uses, words)
    set_of = np.full(uses.size, -1, np.int32)
    set_of[wanted] = np.arange(wanted.size, dtype=np.int32)
    sets = np.zeros((wanted.size, words), np.uint64)
    _fill(wanted, *_distinct(rule), rule.no_value, start, place, level, sets)
    for array in (place, level, day):
        array.flags.writeable = False  # as in a mapped block, so that kernels are compiled once
    return BlockIndex(
        block.first,
        block.record_start,
        block.record_item,
        row,
        length[row],
        item,
        start,
        place,
        level,
        day,
        set_of,
        sets,
    )


def _worth_a_set(
    holders: NDArray[np.int64], uses: NDArray[np.int64], words: int
) -> NDArray[np.int64]:
    """Classes (item · n_ranges + range) whose bitmap saves time and fits, ascending."""
    each = np.repeat(holders, uses.size // holders.size)
    saved = (uses - 1) * each - uses * (words // WORDS_A_HOLDER)
    worth = np.flatnonzero(saved > 0)
    best = np.argsort(-saved[worth], kind="stable")[: BITMAP_BYTES // (8 * words)]
    return np.sort(worth[best])


def _distinct(rule: MatchRule) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bounds of each range of levels, shape (n_ranges,)."""
    low, high = np.empty(rule.n_ranges, np.int64), np.empty(rule.n_ranges, np.int64)
    low[rule.range_of], high[rule.range_of] = rule.low, rule.high
    return low, high


@njit
def _fill(classes, low, high, no_value, start, place, level, sets):  # type: ignore[no-untyped-def]
    for s in range(classes.size):
        item, k = classes[s] // low.size, classes[s] % low.size
        bits = sets[s]
        for q in range(start[item], start[item + 1]):
            agrees = (low[k] <= level[q] <= high[k]) | (level[q] == no_value)
            bits[place[q] >> 6] |= np.uint64(agrees) << np.uint64(place[q] & 63)


@njit
def by_day(start, day, no_day):  # type: ignore[no-untyped-def]
    """Sort the cells by item, then day, stably.

    Parameters
    ----------
    start : int64 array, shape (M + 1,)
        Where each item's cells begin.
    day : uint16 array, shape (n_cells,)
    no_day : int
        Day code of "no day", which comes last.

    Returns
    -------
    int64 array, shape (n_cells,)

    Examples
    --------
    >>> by_day(np.array([0, 3, 4]), np.array([7, 2, 7, 0], np.uint16), 9).tolist()
    [1, 0, 2, 3]
    """
    order = np.empty(day.size, np.int64)
    at = np.zeros(no_day + 2, np.int64)
    for i in range(start.size - 1):
        begin, end = start[i], start[i + 1]
        if (end - begin) * 4 < no_day:  # too few to go through all days
            order[begin:end] = begin + np.argsort(day[begin:end], kind="mergesort")
            continue
        at[:] = 0
        for q in range(begin, end):
            at[day[q] + 1] += 1
        for d in range(no_day + 1):
            at[d + 1] += at[d]
        for q in range(begin, end):
            order[begin + at[day[q]]] = q
            at[day[q]] += 1
    return order
