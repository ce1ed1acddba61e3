"""Auxiliary information as arrays: many aux sets, drawn for a batch of targets."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

NO_DAY = np.iinfo(np.int32).min
"""Marks a fact without a date in `AuxBatch.day`."""


ANY_LENGTH = np.iinfo(np.int32).max
"""`AuxBatch.longest` where the adversary knows no length."""

_PER_UNIT = ("cell", "target", "shortest", "longest", "absent", "person")

PER_FACT = ("item", "value", "day", "kind", "own_held", "own_level", "own_day", "share")
"""Fields of `AuxBatch` that have one value for each fact."""


class Kind(enum.IntEnum):
    """How a fact came about."""

    TRUE = 0
    WRONG_VALUE = 1
    WRONG_ITEM = 2
    MENTION = 3
    """Said in earnest of an item the target does not hold."""
    DECOY = 4
    """Said to mislead, of an item the target does not hold."""
    UNKNOWN = 5
    """Nobody knows which record the person's is."""


def _nobody() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class AuxBatch:
    """Aux sets of U units; a unit is one target in one grid cell.

    Parameters
    ----------
    cell : int32 array, shape (U,)
        Grid cell.
    target : int64 array, shape (U,)
        Record the aux is about; −1 if it is not known or the release does not hold it.
    start : int64 array, shape (U + 1,)
        Facts of unit u are [start[u], start[u + 1]).
    item : int32 array, shape (A,)
        Item of each fact; −1 if the release does not hold it.
    value : float64 array, shape (A,)
        NaN where the adversary has none.
    day : int32 array, shape (A,)
        Days since the release's first day, any sign; `NO_DAY` where the adversary has none.
    kind : uint8 array, shape (A,)
        See `Kind`.
    shortest, longest : int32 arrays, shape (U,)
        Lengths a record may have to be a candidate.
    absent : bool array, shape (U,)
        Whether the target's record is removed from the release before the attack.
    own_held : bool array, shape (A,)
        Whether the target holds the item.
    own_level, own_day : int32 arrays, shape (A,)
        Codes of the target's own cell; 0 where it holds none.
    share : float64 array, shape (A,)
        Share of the item's cells in the release with exactly this value and day (the parts the
        adversary has); 0 where no algorithm asked for it.
    person : int64 array, shape (U,)
        Place of the person in `sim.adversary.adversary.Adversary.people`; empty where the targets
        are the release's own records.
    """

    cell: NDArray[np.int32]
    target: NDArray[np.int64]
    start: NDArray[np.int64]
    item: NDArray[np.int32]
    value: NDArray[np.float64]
    day: NDArray[np.int32]
    kind: NDArray[np.uint8]
    shortest: NDArray[np.int32]
    longest: NDArray[np.int32]
    absent: NDArray[np.bool_]
    own_held: NDArray[np.bool_]
    own_level: NDArray[np.int32]
    own_day: NDArray[np.int32]
    share: NDArray[np.float64]
    person: NDArray[np.int64] = field(default_factory=_nobody)

    def __len__(self) -> int:
        return self.cell.size

    @property
    def size(self) -> NDArray[np.int64]:
        """Facts of each unit, shape (U,)."""
        return np.diff(self.start)

    @property
    def unit(self) -> NDArray[np.int64]:
        """Unit of each fact, shape (A,)."""
        return np.repeat(np.arange(len(self)), self.size)

    def part(self, begin: int, end: int) -> AuxBatch:
        """Units [begin, end)."""
        facts = slice(int(self.start[begin]), int(self.start[end]))
        cut: dict[str, Any] = {
            name: getattr(self, name)[slice(begin, end) if name in _PER_UNIT else facts]
            for name in AuxBatch.__slots__
            if name != "start"
        }
        return AuxBatch(start=self.start[begin : end + 1] - self.start[begin], **cut)

    @staticmethod
    def concatenate(batches: list[AuxBatch]) -> AuxBatch:
        """Put the units of several batches one after the other."""
        sizes = np.concatenate([[0], *(b.size for b in batches)])
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(b, name) for b in batches])
            for name in AuxBatch.__slots__
            if name != "start"
        }
        return AuxBatch(start=np.cumsum(sizes), **joined)
