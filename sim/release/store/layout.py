"""What the second pass over the rows of a source goes by, once all of them are known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.release.store.extent import Extent
from sim.release.store.repeats import Repeats
from sim.release.store.sorting import partition
from sim.release.store.time_bins import TimeBin


class Final(NamedTuple):
    """Final codes, by provisional ones; a level's provisional code is one more, and 0 is none."""

    record: NDArray[np.int32]
    item: NDArray[np.int32]
    level: NDArray[Any]


@dataclass(frozen=True, slots=True)
class Layout:
    """How rows are cut into blocks, and what their codes mean.

    Parameters
    ----------
    n_records, n_items : int
        Of the release.
    block_records : int
        Block b holds the records from b · block_records on.
    scale : list of float
        Values of the levels, ascending; of rows that are added up, of the amounts.
    dense_at_most : int
        See `sim.release.store.item_index.is_sparse`.
    first_time, unit : int
        Times count from here, in steps of so many seconds.
    first_day, n_days : int
        The first bin of time, and how many there are.
    row_dtype : dtype
        Of a row in its block, with final codes; `when` counts units from 1, 0 for none.
    """

    n_records: int
    n_items: int
    block_records: int
    scale: list[float]
    dense_at_most: int
    repeats: Repeats
    time_bin: TimeBin
    first_time: int
    unit: int
    first_day: int
    n_days: int
    row_dtype: np.dtype[np.void]

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return math.ceil(self.n_records / self.block_records)

    def records_of(self, block: int) -> int:
        """Return the number of records in a block."""
        return min(self.block_records, self.n_records - block * self.block_records)

    def partitioned(
        self, spilled: NDArray[np.void], final: Final
    ) -> tuple[NDArray[np.void], NDArray[np.int64]]:
        """Group rows by block, in final codes.

        Parameters
        ----------
        spilled : array of `sim.release.store.first_pass.SPILLED`, shape (n,)

        Returns
        -------
        rows : array of `row_dtype`, shape (n,)
            Those of a block in the order they came.
        start : int64 array, shape (n_blocks + 1,)
            Where those of each block begin, with the end appended.
        """
        rows = np.empty(spilled.size, self.row_dtype)
        start: NDArray[np.int64] = partition(
            tuple(spilled[name] for name in ("record", "item", "level", "time")),
            tuple(final),
            self.block_records,
            self.n_blocks,
            self.first_time,
            self.unit,
            tuple(rows[name] for name in ("row", "item", "level", "when")),
        )
        return rows, start

    def levels_of(self, amount: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the levels of what rows add up to."""
        scale = np.array(self.scale)
        if not scale.size:
            return np.zeros(amount.size, np.int64)  # no value
        place = np.searchsorted(scale, amount, side="right") - 1  # in a bin: its lower end
        return np.where(np.isnan(amount), scale.size, place)

    def days_of(self, when: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the codes of times that are counted in units, 0 for none."""
        time = self.first_time + (when - 1) * self.unit
        return np.where(when == 0, self.n_days, self.time_bin.of(time) - self.first_day)


def layout_of(
    counts: tuple[int, int],
    limits: tuple[int, int],
    scale: list[float],
    repeats: Repeats,
    extent: Extent,
) -> Layout:
    """Lay out a release, its blocks as equal as can be.

    Parameters
    ----------
    counts : tuple of int
        Records and items.
    limits : tuple of int
        Most records in a block; see `sim.release.store.item_index.is_sparse`.
    scale : list of float
        Of the values of rows.
    """
    n_records, n_items = counts
    most, dense_at_most = limits
    span = (extent.last_time - extent.first_time) // extent.unit
    when = "<u4" if span < np.iinfo(np.uint32).max else "<u8"
    level = least_type(len(scale))
    return Layout(
        n_records=n_records,
        n_items=n_items,
        block_records=math.ceil(n_records / math.ceil(n_records / most)),
        scale=scale,
        dense_at_most=dense_at_most,
        repeats=repeats,
        time_bin=extent.time_bin,
        first_time=extent.first_time,
        unit=extent.unit,
        first_day=extent.first_day,
        n_days=extent.n_days,
        row_dtype=np.dtype([("row", "<u2"), ("item", "<i4"), ("level", level), ("when", when)]),
    )


def least_type(most: int) -> np.dtype[Any]:
    """Return the type of codes up to a number.

    Examples
    --------
    >>> least_type(65_535), least_type(65_536)
    (dtype('uint16'), dtype('uint32'))
    """
    return np.dtype("<u2" if most <= np.iinfo(np.uint16).max else "<u4")
