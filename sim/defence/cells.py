"""The input of a defence: some cells of a release, and statistics of all of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.release.store.cells import NO_TIME
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY, TimeBin

NO_DAY = NO_TIME
"""Marks a cell without a date in `Cells.day`."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells of whole records, sorted by record and item.

    A record holds an item once, unless the release has repeats.

    Parameters
    ----------
    record : int64 array, shape (n,)
        Numbers of the records in the original release. Where a defence before has cut records into
        several, each part has a number of its own; see `ReleaseStats.parts`.
    place : int64 array, shape (n,)
        Place of each cell among those of its record in the original release, whatever has been
        dropped since: with `record`, a counter for random draws. Cells that a defence adds have
        negative places.
    item : int64 array, shape (n,)
        Numbers of the items in the original release; of items that a defence before has put into
        groups, the number of the first of each group.
    value : float64 array, shape (n,)
        NaN: none.
    day : int64 array, shape (n,)
        Numbers of bins of time, see `sim.release.store.time_bins`; `NO_DAY`: none.
    secret : int
        64 bits that every draw depends on, and that only who has the whole original can compute:
        from the seed alone, which may be known, nobody can draw the same noise and take it away.
    """

    record: NDArray[np.int64]
    place: NDArray[np.int64]
    item: NDArray[np.int64]
    value: NDArray[np.float64]
    day: NDArray[np.int64]
    secret: int = 0

    def __len__(self) -> int:
        return self.record.size

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many cells the record of each cell has."""
        _, place, counts = np.unique(self.record, return_inverse=True, return_counts=True)
        return counts[place]

    def where(self, kept: NDArray[np.bool_] | NDArray[np.int64]) -> Cells:
        """Return the cells of a mask, or those at places, in their order.

        Examples
        --------
        >>> one = np.array([1, 2])
        >>> Cells(one, one, one, one * 0.5, one).where(one > 1).value
        array([1.])
        """
        return Cells(
            self.record[kept],
            self.place[kept],
            self.item[kept],
            self.value[kept],
            self.day[kept],
            self.secret,
        )

    def with_parts(self, part: NDArray[np.int64], parts: int) -> Cells:
        """Return the cells with records cut into parts.

        Parameters
        ----------
        part : int64 array, shape (n,)
            The part of its record that each cell is in, from 0 on.
        parts : int
            Parts that a record may have.
        """
        return replace(self, record=self.record * parts + part)._sorted()

    def with_items(self, item: NDArray[np.int64]) -> Cells:
        """Return the cells with other items."""
        return replace(self, item=item)._sorted()

    def _sorted(self) -> Cells:
        """By record and item; cells of one record and item stay in their order."""
        return self.where(np.lexsort((self.item, self.record)))

    def with_values(self, value: NDArray[np.float64]) -> Cells:
        """Return the cells with other values."""
        return replace(self, value=value)

    def with_days(self, day: NDArray[np.int64]) -> Cells:
        """Return the cells with other days."""
        return replace(self, day=day)


@dataclass(frozen=True, slots=True)
class ReleaseStats:
    """Statistics of a release before a defence.

    Parameters
    ----------
    support : int64 array, shape (n_items,)
        People who hold each item of the original release; 0 where it has been dropped.
    scale : float64 array, shape (L,)
        Levels that a value may have, ascending; empty where the release has no values.
    first_day : int
        Number of the first bin of time.
    n_days : int
        Bins from the first to the last, both included; 0 where the release has no times.
    has_repeats : bool
        Whether a record may hold an item in several cells.
    time_bin : TimeBin
        Bins of time, which are called days here.
    parts : int
        Records that each record of the original may have become: the p-th part of record r has the
        number r · parts + p.
    lengths : int64 array, shape (longest + 1,), or None
        Number of records of each length; None where it does not follow from what was counted.
    """

    support: NDArray[np.int64]
    scale: NDArray[np.float64]
    first_day: int
    n_days: int
    has_repeats: bool = False
    time_bin: TimeBin = DAY
    parts: int = 1
    lengths: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, store: Store) -> ReleaseStats:
        """Return the statistics of a store."""
        manifest: Manifest = store.manifest
        return cls(
            store.support, store.scale, manifest.first_day, manifest.n_days,
            manifest.has_repeats, manifest.bins, lengths=np.bincount(store.length),
        )  # fmt: skip

    def lacks(self, needs: tuple[str, ...]) -> str | None:
        """Return which of "values" and "days" are needed and missing; None if nothing is."""
        has: dict[str, Any] = {"values": self.scale.size, "days": self.n_days}
        missing = [what for what in needs if not has[what]]
        return " and ".join(missing).replace("days", "dates") or None
