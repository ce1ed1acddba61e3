"""The interface between readers and the store builder: sources and chunks of cells.

A *source* reads one kind of input and yields its rows as `CellChunk` columns, in file order and
in bounded memory. It knows nothing of stores; the store builder knows nothing of file formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import ValueBins

NO_TIME = np.iinfo(np.int64).min
"""Marks a row without a date in `CellChunk.time`."""

SECONDS_PER_DAY = 86_400

T = TypeVar("T")

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


PART_BYTES = 64 << 20
"""Most bytes of text in a part of a source, about."""

PART_ROWS = 1 << 22
"""Most rows in one that are not text."""


def part_size(whole: int, number: int, most: int) -> int:
    """Return the size of so many parts of a whole, at most `most`, at least 1.

    Examples
    --------
    >>> part_size(100, 3, 1000), part_size(100, 3, 10), part_size(0, 3, 10)
    (34, 10, 1)
    """
    return max(1, min(-(-whole // number), most))


def runs_of(pieces: Iterable[T], size_of: Callable[[T], int], size: int) -> list[list[T]]:
    """Put consecutive pieces together into runs of about this size.

    Examples
    --------
    >>> runs_of([5, 5, 5, 30, 1], lambda piece: piece, 10)
    [[5, 5, 5], [30], [1]]
    """
    runs: list[list[T]] = []
    held = 0
    for piece in pieces:
        own = size_of(piece)
        if not runs or held + own > 1.5 * size:
            runs.append([])
            held = 0
        runs[-1].append(piece)
        held += own
    return runs


class Part(Protocol):
    """Some consecutive rows of a source, which any process can read that is sent this."""

    @property
    def size(self) -> int:
        """Its share of `Source.size`."""

    def chunks(self) -> Iterator[CellChunk]:
        """Yield its rows in file order.

        Raises
        ------
        InputError
            They cannot be read, or not apart from those before: only the source can tell.
        """

    def end(self) -> Any:
        """Return what `Divisible.agree` has to know of it; after `chunks` alone."""


@runtime_checkable
class Divisible(Source, Protocol):
    """A source whose rows can be read in parts."""

    def parts(self, number: int) -> Sequence[Part]:
        """Cut the rows into consecutive parts, about so many, or more where these were large.

        Returns
        -------
        sequence of Part
            Fewer than two if all must be read by one process. Parts share what is large, so they
            are to be sent together.
        """

    def agree(self, ends: Sequence[Any]) -> bool:
        """Whether the rows of all parts, one after the other, are those of `Source.chunks`.

        If not, they have to be read by `Source.chunks`, which says what is wrong. If they are,
        `Source.notes` is complete.

        Parameters
        ----------
        ends : sequence
            Of all parts in order, see `Part.end`.

        Raises
        ------
        InputError
            The rows are not what they should be, as `Source.chunks` says.
        """
