"""Completely wrong facts (spec §2): wrong value and day of a right item, or a wrong item.

Each draw is exactly uniform over the cells that qualify. A few cells are tried at random first,
because nearly all qualify; after that the qualifying cells are counted and one is chosen among
them. Both steps are uniform over the same set, so their mixture is too, and the drawing always
ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.item_cells import ItemCells
from sim.adversary.knowledge import Knowledge
from sim.adversary.target_cells import items_of
from sim.errors import GridError
from sim.numeric.random import Purpose, below, words
from sim.release.store.store import Store

TRIES = 8


@dataclass(frozen=True, slots=True)
class CodedCells:
    """Cells of the release by their codes: item, level and day."""

    item: NDArray[np.int32]
    level: NDArray[np.int32]
    day: NDArray[np.int32]

    @classmethod
    def empty(cls, n: int) -> CodedCells:
        """Return n cells of zeros, to be filled."""
        return cls(*(np.zeros(n, np.int32) for _ in range(3)))

    def put(self, where: NDArray[np.int64], other: CodedCells, which: NDArray[np.bool_]) -> None:
        """Set the cells at `where` to the cells of `other` at `which`."""
        for name in ("item", "level", "day"):
            getattr(self, name)[where] = getattr(other, name)[which]


@dataclass(frozen=True, slots=True)
class Outside:
    """The cells outside the noise thresholds of a true (level, day).

    The value differs by more than k + s·|true value|; where the adversary knows dates, it is enough
    that the day differs by more than D. A missing part never differs.
    """

    value: NDArray[np.float64]
    n_days: int
    knowledge: Knowledge

    @classmethod
    def of(cls, store: Store, knowledge: Knowledge) -> Outside:
        """Thresholds of one grid cell on one release."""
        return cls(np.append(store.scale, np.nan), store.manifest.n_days, knowledge)

    def __call__(
        self,
        level: NDArray[Any],
        day: NDArray[Any],
        true_level: NDArray[np.int32] | int,
        true_day: NDArray[np.int32] | int,
    ) -> NDArray[np.bool_]:
        """Whether each cell qualifies as wrong; arguments broadcast."""
        d = self.knowledge.date_noise
        wrong = np.zeros(np.broadcast_shapes(np.shape(level), np.shape(true_level)), np.bool_)
        if self.knowledge.value_noise is not None:
            reach = self.knowledge.reach_of(self.value)[true_level]
            wrong |= np.abs(self.value[level] - self.value[true_level]) > reach
        if d is not None:
            far = np.abs(np.asarray(day, np.int64) - true_day) > d
            known = (np.asarray(day) < self.n_days) & (np.asarray(true_day) < self.n_days)
            wrong |= far & known
        return wrong


def wrong_values(
    store: Store,
    knowledge: Knowledge,
    seed: int,
    record: NDArray[np.int64],
    place: NDArray[np.int64],
    true: CodedCells,
) -> CodedCells:
    """Draw a wrong value and day for each fact from its item's own cells.

    Where no cell of the item qualifies, all cells of the release that do are drawn from.

    Parameters
    ----------
    record, place : int64 arrays, shape (W,)
        The target and the place of the item in its record: what the draws are keyed by.
    true : CodedCells
        The target's own cells, shape (W,).

    Raises
    ------
    GridError
        No cell of the whole release is wrong for some fact.
    """
    outside = Outside.of(store, knowledge)
    drawn = CodedCells.empty(record.size)
    left, read = np.arange(record.size), ItemCells.of(store, true.item)
    for attempt in range(TRIES):
        if not left.size:
            return drawn
        word = words(seed, Purpose.WRONG_CELL, record[left], place[left], attempt)
        items = true.item[left]
        cells = _cells_of_facts(store, read, left, items, below(word, store.cells[items]))
        fits = outside(cells.level, cells.day, true.level[left], true.day[left])
        drawn.put(left[fits], cells, fits)
        left = left[~fits]
    for w in left.tolist():
        word = words(seed, Purpose.WRONG_CELL, record[w], place[w], TRIES)
        item, level, day = int(true.item[w]), int(true.level[w]), int(true.day[w])
        if read.place[w] >= 0:
            found = _choose(outside, [read.all_of(w)], level, day, word)
        else:
            found = _choose(outside, _InBlocks(store, item), level, day, word)
        if found is None:
            found = _from_release(store, outside, seed, int(record[w]), int(place[w]), level, day)
        if found is None:
            raise GridError(
                f"{knowledge}: no cell of the release differs enough from the truth to be wrong; "
                "lower value_noise, or set adversary.wrong=item"
            )
        drawn.item[w] = item
        drawn.level[w], drawn.day[w] = found
    return drawn


def wrong_items(
    store: Store,
    knowledge: Knowledge,
    seed: int,
    target: NDArray[np.int64],
    position: NDArray[np.int64],
) -> CodedCells:
    """Draw an item the target does not hold, by popularity, with one of its cells.

    A uniform cell of the release is an item drawn by popularity together with one of its cells.
    Facts of the same target get different items.

    Parameters
    ----------
    target, position : int64 arrays, shape (W,)
        The target and the position of the fact in its aux, sorted by target, then position.

    Raises
    ------
    GridError
        A target holds every item there is.
    """
    drawn = CodedCells.empty(target.size)
    starts, n_cells = store.block_cell_starts, store.manifest.n_cells
    tries = [
        _cells_of_release(
            store, starts, below(words(seed, Purpose.WRONG_ITEM, target, position, a), n_cells)
        )
        for a in range(TRIES)
    ]
    taken: set[int] = set()
    for w in range(target.size):
        if w == 0 or target[w] != target[w - 1]:
            taken = set(items_of(store, int(target[w])).tolist())
        for cells in tries:
            if int(cells.item[w]) not in taken:
                drawn.item[w], drawn.level[w], drawn.day[w] = (
                    cells.item[w], cells.level[w], cells.day[w],
                )  # fmt: skip
                break
        else:
            weight = store.cells.copy()
            weight[list(taken)] = 0
            reach = np.cumsum(weight)
            if reach[-1] == 0:
                raise GridError(f"{knowledge}: a target holds every item, so none can be wrong")
            word = words(seed, Purpose.WRONG_ITEM, target[w], position[w], TRIES)
            nth = below(word, int(reach[-1]))
            item = np.searchsorted(reach, nth, side="right").astype(np.int32).reshape(1)
            one = cells_of_items(store, item, (nth - reach[item] + weight[item]).reshape(1))
            drawn.put(np.array([w]), one, np.array([True]))
        taken.add(int(drawn.item[w]))
    return drawn


def cells_of_items(store: Store, item: NDArray[np.int32], nth: NDArray[np.int64]) -> CodedCells:
    """Look up the nth cell, by record, of each item.

    Parameters
    ----------
    item : int32 array, shape (W,)
    nth : int64 array, shape (W,)
        Below the item's number of cells.

    Returns
    -------
    CodedCells
        Shape (W,).
    """
    cells = CodedCells(item, np.zeros(item.size, np.int32), np.zeros(item.size, np.int32))
    left = np.arange(item.size)
    for index in range(store.manifest.n_blocks):
        if not left.size:
            break
        block = store.block(index)
        begin, end = block.postings_of(item[left])
        inside = nth < end - begin
        at, found = (begin + nth)[inside], left[inside]
        cells.level[found] = block.item_level[at]
        cells.day[found] = block.item_day[at]
        left, nth = left[~inside], (nth - (end - begin))[~inside]
    return cells


def _cells_of_facts(
    store: Store,
    read: ItemCells,
    which: NDArray[np.int64],
    item: NDArray[np.int32],
    nth: NDArray[np.int64],
) -> CodedCells:
    """As `cells_of_items`, of the items of some facts, the cells of some of which have been read.

    Parameters
    ----------
    which : int64 array, shape (V,)
        The facts, by their places in `read`.
    """
    cells = CodedCells(item, np.zeros(item.size, np.int32), np.zeros(item.size, np.int32))
    few = read.place[which] >= 0
    cells.level[few], cells.day[few] = read.nth(which[few], nth[few])
    many = cells_of_items(store, item[~few], nth[~few])
    cells.level[~few], cells.day[~few] = many.level, many.day
    return cells


def _cells_of_release(
    store: Store, starts: NDArray[np.int64], nth: NDArray[np.int64]
) -> CodedCells:
    """The nth cells of the release, by record and item."""
    cells = CodedCells.empty(nth.size)
    of = np.searchsorted(starts, nth, side="right") - 1
    for index in np.unique(of).tolist():
        block = store.block(index)
        here = of == index
        at = nth[here] - starts[index]
        cells.item[here] = block.record_item[at]
        cells.level[here] = block.record_level[at]
        cells.day[here] = block.record_day[at]
    return cells


class _InBlocks(Sequence[tuple[NDArray[Any], NDArray[Any]]]):
    """The levels and days of the cells of an item, or of all, block by block."""

    def __init__(self, store: Store, item: int | None = None) -> None:
        self._store, self._item = store, item

    def __len__(self) -> int:
        return self._store.manifest.n_blocks

    def __getitem__(self, index: Any) -> Any:
        block, where = self._store.block(range(len(self))[index]), slice(None)
        if self._item is not None:
            begin, end = block.postings_of(np.array([self._item]))
            where = slice(int(begin[0]), int(end[0]))
        return block.item_level[where], block.item_day[where]


def _choose(
    outside: Outside,
    parts: Sequence[tuple[NDArray[Any], NDArray[Any]]],
    true_level: int,
    true_day: int,
    word: NDArray[np.uint64],
) -> tuple[int, int] | None:
    """Choose uniformly among the cells that qualify; None if none does.

    Parameters
    ----------
    parts : sequence of (levels, days)
        Read twice: to count them, and to find the one that is drawn.
    """
    counts = []
    for level, day in parts:
        # Most blocks of a large release have no cell of an item.
        count = np.count_nonzero(outside(level, day, true_level, true_day)) if level.size else 0
        counts.append(int(count))
    if not sum(counts):
        return None
    nth = int(below(word, sum(counts)))
    for index, count in enumerate(counts):
        if nth < count:
            level, day = parts[index]
            at = np.flatnonzero(outside(level, day, true_level, true_day))[nth]
            return int(level[at]), int(day[at])
        nth -= count
    raise AssertionError("unreachable: nth is below the sum of the counts")


def _from_release(
    store: Store, outside: Outside, seed: int, record: int, place: int, level: int, day: int
) -> tuple[int, int] | None:
    """A cell drawn from all cells of the release that qualify; None if none does."""
    starts = store.block_cell_starts
    for attempt in range(TRIES):
        word = words(seed, Purpose.WRONG_RELEASE_CELL, [record], [place], attempt)
        one = _cells_of_release(store, starts, below(word, store.manifest.n_cells))
        if outside(one.level, one.day, level, day)[0]:
            return int(one.level[0]), int(one.day[0])
    word = words(seed, Purpose.WRONG_RELEASE_CELL, record, place, TRIES)
    return _choose(outside, _InBlocks(store), level, day, word)
