"""Auxiliary information as arrays: many aux sets, drawn for a batch of targets."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

NO_DAY = np.iinfo(np.int32).min
"""Marks a fact without a date in `AuxBatch.day`."""


class Kind(enum.IntEnum):
    """How a fact came about."""

    TRUE = 0
    WRONG_VALUE = 1
    WRONG_ITEM = 2


@dataclass(frozen=True, slots=True)
class AuxBatch:
    """Aux sets of U units; a unit is one target in one grid cell.

    Parameters
    ----------
    cell : int32 array, shape (U,)
        Grid cell.
    target : int64 array, shape (U,)
        Record the aux was drawn for.
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
    own_held : bool array, shape (A,)
        Whether the target holds the item.
    own_level, own_day : int32 arrays, shape (A,)
        Codes of the target's own cell; 0 where it holds none.
    """

    cell: NDArray[np.int32]
    target: NDArray[np.int64]
    start: NDArray[np.int64]
    item: NDArray[np.int32]
    value: NDArray[np.float64]
    day: NDArray[np.int32]
    kind: NDArray[np.uint8]
    own_held: NDArray[np.bool_]
    own_level: NDArray[np.int32]
    own_day: NDArray[np.int32]

    def __len__(self) -> int:
        return self.cell.size

    @property
    def size(self) -> NDArray[np.int64]:
        """Facts of each unit, shape (U,)."""
        return np.diff(self.start)

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
