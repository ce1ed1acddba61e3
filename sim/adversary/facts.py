"""The cells of several people in a release, as concatenated arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.sample_items import by_block
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about several people; every array has shape (A,).

    Parameters
    ----------
    whose : int64 array
        Place of the person.
    place : int64 array
        Of the fact in the person's record, or beyond it: what draws about the fact are keyed by.
    level : int64 array
        Codes as in a store.
    day : int32 array
        Codes as in a store, or days as in `sim.adversary.aux.Aux`.
    """

    whose: NDArray[np.int64]
    place: NDArray[np.int64]
    item: NDArray[np.int32]
    level: NDArray[np.int64]
    day: NDArray[np.int32]

    def chosen(self, places: NDArray[np.int64]) -> Facts:
        """Return some facts, by their places in the arrays."""
        return Facts(*(getattr(self, name)[places] for name in Facts.__slots__))

    @staticmethod
    def concatenate(parts: list[Facts]) -> Facts:
        """Concatenate several sets of facts."""
        columns = ([getattr(part, name) for part in parts] for name in Facts.__slots__)
        joined: list[Any] = [np.concatenate(column) for column in columns]
        return Facts(*joined)


def facts_of(store: Store, subjects: NDArray[np.int64]) -> Facts:
    """Return all cells of some records in a release.

    Parameters
    ----------
    subjects : int64 array, shape (T,)
        Records, ascending.

    Returns
    -------
    Facts
        In the order of the subjects and, of each, of its items.
    """
    columns: list[list[NDArray[Any]]] = [[np.empty(0, np.int64)] for _ in Facts.__slots__]
    for index, part in by_block(store, subjects):
        block = store.block(index)
        row = subjects[part] - block.first
        begin = block.record_start[row]
        size = block.record_start[row + 1] - begin
        place = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        at = np.repeat(begin, size) + place
        found = (
            np.repeat(np.arange(part.start, part.stop), size),
            place,
            *(getattr(block, f"record_{name}")[at] for name in ("item", "level", "day")),
        )
        for column, values in zip(columns, found, strict=True):
            column.append(values)
    whose, place, item, level, day = (np.concatenate(column) for column in columns)
    return Facts(
        whose.astype(np.int64),
        place.astype(np.int64),
        item.astype(np.int32),
        level.astype(np.int64),
        day.astype(np.int32),
    )
