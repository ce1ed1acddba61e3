"""The interface between readers and the store builder: sources and chunks of cells.

A *source* reads one kind of input and yields its rows as `CellChunk` columns, in file order and
in bounded memory. It knows nothing of stores; the store builder knows nothing of file formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import ValueBins

NO_TIME = np.iinfo(np.int64).min
"""Marks a row without a date in `CellChunk.time`."""

SECONDS_PER_DAY = 86_400

Ids = Any
"""An int64 array, or a `pyarrow.StringArray` (or large string) of the user's own identifiers."""


@dataclass(frozen=True, slots=True)
class CellChunk:
    """Some consecutive rows of a source.

    Parameters
    ----------
    record, item : int64 array or pyarrow string array, shape (n,)
        The user's own identifiers. One kind per column for the whole source.
    value : float64 array, shape (n,), or None
        Ratings or counts; NaN where the row has none. None where the source has none.
    time : int64 array, shape (n,), or None
        Seconds since 1970-01-01 UTC (whole days where the source has days only); `NO_TIME` where
        the row has none. None where the source has none.
    """

    record: Ids
    item: Ids
    value: NDArray[np.float64] | None
    time: NDArray[np.int64] | None

    def __len__(self) -> int:
        return len(self.record)


class Source(Protocol):
    """One kind of input."""

    @property
    def name(self) -> str:
        """Describe the source in a few words: ``MovieLens ratings.dat in ml-1m.zip``."""

    @property
    def size(self) -> int:
        """Bytes to read (or rows to make), for progress."""

    @property
    def repeats(self) -> Repeats:
        """What becomes of rows that have the same record and item."""

    @property
    def value_bins(self) -> ValueBins:
        """How values are put into bins."""

    @property
    def time_bin(self) -> TimeBin:
        """How times are put into bins."""

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the input's bytes and every option that changes its cells."""

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows in file order.

        Raises
        ------
        InputError
            The input is missing, unreadable, truncated, or holds a cell that cannot be read.
        """

    def notes(self) -> Mapping[str, str | int]:
        """Notes on what reading recognised, defaulted or dropped; complete after `chunks`."""

    def position(self) -> int:
        """Amount of `size` read so far, for the progress bar."""
