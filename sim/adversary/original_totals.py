"""What an attacker knows of the original besides the facts: totals over all people (spec §12)."""

from __future__ import annotations

import enum
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Draw, Window
from sim.adversary.length_model import LengthModel
from sim.adversary.time_channel import TimeChannel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Drawn(NamedTuple):
    """What facts are drawn from: the items of some ranks, by cells or each item once."""

    window: Window = Window()
    draw: Draw = "cells"


@dataclass(frozen=True, slots=True, eq=False)
class CellsBehind:
    """The cells behind a release that facts may be about, those that it hides included.

    Where no item repeats, a hidden cell of record r is of item x with probability
    ``share[r] · items[x]``, and not of what the record shows. Where items repeat, it is with
    probability (o·v + q + a·p)/(s + j + a), v being the record's visible cells of the item, j the
    facts about hidden cells so far, q of them about the item.

    Parameters
    ----------
    lengths : LengthModel
    share : float64 array, shape (N + 1,)
        The last is of the people of whom nothing is released, as in what follows.
    items : float64 array, shape (I + 1,)
        p where items repeat; the last is of any item that the release lacks.
    held : float64 array, shape (N + 1,)
        Share of all cells, hidden or not, that are of items of whoever has a record, on average.
    odds : float64 array, shape (I + 1,)
        o, the hidden cells of an item for each visible one.
    weight : float64 array, shape (N + 1,)
        s, the sum of o over a record's visible cells.
    strength : float
        a; 0 where no item repeats.
    known : bool array, shape (I + 1,)
        Whether any of the item's cells may be known.
    items_of_absent, strength_of_absent : float64 array, shape (I + 1,), and float
        p and a for people of whom nothing is released.
    """

    lengths: LengthModel
    share: Floats
    items: Floats
    held: Floats
    odds: Floats
    weight: Floats
    strength: float
    known: NDArray[np.bool_]
    items_of_absent: Floats
    strength_of_absent: float

    def of_survivors(self) -> CellsBehind:
        """See `OriginalTotals.of_survivors`."""
        none, no_odds = np.zeros_like(self.share), np.zeros_like(self.odds)
        lengths = self.lengths.of_survivors()
        return replace(self, lengths=lengths, share=none, odds=no_odds, weight=none)


class State(enum.IntEnum):
    """Where a cell of the original is: released, hidden of a released person, or of another."""

    VISIBLE = 0
    HIDDEN = 1
    ABSENT = 2


@dataclass(frozen=True, eq=False)
class JointCells:
    """How many cells of the original have an item, a value and a time together.

    Parameters
    ----------
    axes : (int, int, int)
        Items of the release and one that it lacks, levels and none, times and none.
    key : int64 array, shape (n,)
        Places in these axes, ascending.
    cells : int64 array, shape (3, n)
        By `State`.

    Examples
    --------
    >>> joint = JointCells.of((2, 1, 2), np.array([3, 0, 3]), np.array([1, 0, 0]))
    >>> joint.key.tolist(), joint.cells.tolist()
    ([0, 3], [[1, 1], [0, 1], [0, 0]])
    >>> one, first, end = np.array([1, 1]), np.array([0, 1]), np.array([1, 2])
    >>> joint.by_level(one, first, end, [State.VISIBLE, State.HIDDEN]).tolist()
    [[0], [2]]
    """

    axes: tuple[int, int, int]
    key: Ints
    cells: Ints

    @classmethod
    def of(cls, axes: tuple[int, int, int], key: Ints, state: Ints) -> JointCells:
        """Count cells by their keys and states."""
        return cls.merged([cls(axes, key, (state == np.arange(3)[:, None]).astype(np.int64))])

    @classmethod
    def merged(cls, parts: Sequence[JointCells]) -> JointCells:
        """Add up the counts of several parts, at least one."""
        key, place = np.unique(np.concatenate([one.key for one in parts]), return_inverse=True)
        cells = np.zeros((3, key.size), np.int64)
        for state, column in enumerate(cells):
            np.add.at(column, place, np.concatenate([one.cells[state] for one in parts]))
        return cls(parts[0].axes, key, cells)

    @functools.cached_property
    def _up_to(self) -> Ints:
        """Cells before each key, shape (3, n + 1)."""
        return np.pad(np.cumsum(self.cells, axis=1), ((0, 0), (1, 0)))

    @functools.cached_property
    def by_time(self) -> Ints:
        """Cells of all items, by state and time, shape (3, T + 1)."""
        found = np.zeros((3, self.axes[2]), np.int64)
        for of_state, column in zip(found, self.cells, strict=True):
            np.add.at(of_state, self.key % self.axes[2], column)
        return found

    @functools.cached_property
    def of_any_item(self) -> Ints:
        """Cells of all items and states, by time and level, shape (T + 1, K + 1)."""
        _, levels, times = self.axes
        found = np.zeros(levels * times, np.int64)
        np.add.at(found, self.key % found.size, self.cells.sum(axis=0))
        return found.reshape(levels, times).T

    def by_level(self, item: Ints, first: Ints, end: Ints, states: Sequence[int]) -> Ints:
        """Return the cells of items at the times [first, end), by level, shape (A, K + 1)."""
        base = np.ravel_multi_index((item, 0, 0), self.axes)
        base = base[:, None] + np.arange(self.axes[1]) * self.axes[2]
        low, high = (base + np.clip(t, 0, self.axes[2])[:, None] for t in (first, end))
        low, high = (np.searchsorted(self.key, bound) for bound in (low, np.maximum(low, high)))
        return np.asarray(sum(self._up_to[one][high] - self._up_to[one][low] for one in states))

    def of_survivors(self) -> JointCells:
        """See `OriginalTotals.of_survivors`."""
        return replace(self, cells=self.cells * (np.arange(3) == State.VISIBLE)[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class OriginalTotals:
    """Totals of an original, of which a release has lost cells or people, or moved times.

    Parameters
    ----------
    scale : float64 array, shape (K,)
        Levels of the original, ascending.
    times : TimeChannel
    behind : mapping of Drawn to CellsBehind
        By what facts are drawn from.
    item_values, hidden_values, absent_values : int64 arrays, shape (I + 1, K + 1)
        All cells, the hidden cells of released people, and the cells of people who are not
        released, by item of the release and by level of the original; the last item stands for all
        that the release lacks, the last level for cells without a value.
    joint : JointCells or None
        None where facts have no times.
    """

    scale: Floats
    times: TimeChannel
    item_values: Ints
    hidden_values: Ints
    absent_values: Ints
    behind: Mapping[Drawn, CellsBehind] = field(default_factory=dict)
    joint: JointCells | None = None

    @property
    def kept_values(self) -> Ints:
        """Released cells by item and level of the original, shape (I + 1, K + 1)."""
        return self.item_values - self.hidden_values - self.absent_values

    @property
    def hides_cells(self) -> bool:
        """Whether anybody in the release had more cells."""
        return any(one.lengths.hides_cells for one in self.behind.values())

    @property
    def absent(self) -> int:
        """People of whom nothing is released."""
        return max((one.lengths.absent for one in self.behind.values()), default=0)

    @property
    def moves_times(self) -> bool:
        """Whether a released time may not be the original one."""
        return not self.times.windows.are_exact

    def of_survivors(self) -> OriginalTotals:
        """Return the same for whoever knows facts about cells that are in the release alone."""
        behind = {drawn: one.of_survivors() for drawn, one in self.behind.items()}
        none = np.zeros_like(self.hidden_values)
        return replace(
            self, item_values=self.kept_values, hidden_values=none, absent_values=none,
            behind=behind, joint=None if self.joint is None else self.joint.of_survivors(),
        )  # fmt: skip
