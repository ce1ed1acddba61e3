"""Groups the records of a release that are identical, cell for cell, after a recoding.

Invariant: exact. Records are grouped by digests, and records of one digest are then compared cell
by cell; nothing depends on blocks. Memory is that of one block and one digest per record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.measurements.kanonymity import record_digests
from sim.release.store.store import Store

Columns = tuple[NDArray[Any], ...]
Recode = Callable[[Columns], Columns]
"""From item, level and day of cells to whatever of them is released, cell by cell."""

_CELLS_AT_ONCE = 1 << 22
"""Cells compared in one step."""


@dataclass(frozen=True, slots=True)
class RecordCells:
    """Cells of consecutive records, by record and then item.

    Parameters
    ----------
    first : int
        The first record.
    start : int64 array, shape (n + 1,)
        Where each record's cells begin.
    columns : tuple of array, each of shape (cells,)
        Item, level and day.
    """

    first: int
    start: NDArray[np.int64]
    columns: Columns

    def pick(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], Columns]:
        """Return some of the records, counted from `first`.

        Parameters
        ----------
        rows : int64 array, shape (r,)

        Returns
        -------
        start : int64 array, shape (r + 1,)
        """
        if rows.size == self.start.size - 1:
            return self.start, self.columns
        length = self.start[rows + 1] - self.start[rows]
        start = np.concatenate([[0], np.cumsum(length)])
        place = np.arange(start[-1]) + np.repeat(self.start[rows] - start[:-1], length)
        return start, tuple(column[place] for column in self.columns)


def cells_of(store: Store, kept: NDArray[np.bool_] | None = None) -> list[RecordCells]:
    """Return a release's cells, block by block.

    Parameters
    ----------
    kept : bool array, shape (n_items,), optional
        Items that are released; all if not given. What is left of a block is then held in memory.
    """
    pieces = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        columns: Columns = (block.record_item, block.record_level, block.record_day)
        start = np.asarray(block.record_start)
        if kept is not None:
            keep = kept[block.record_item]
            start = np.concatenate([[0], np.cumsum(keep)])[start]
            columns = tuple(column[keep] for column in columns)
        pieces.append(RecordCells(block.first, start, columns))
    return pieces


def class_sizes(
    pieces: Sequence[RecordCells], recode: Recode, wanted: NDArray[np.bool_], digest_size: int = 16
) -> NDArray[np.int64]:
    """Count, for each record, the records with identical recoded cells, itself included.

    Parameters
    ----------
    pieces : sequence of RecordCells
        Of N records.
    wanted : bool array, shape (N,)
        Records to look at; each of the others is known to be the only one of its kind.
    digest_size : int
        Bytes, 1 to 64.

    Returns
    -------
    int64 array, shape (N,)
        Records without a cell are alike.

    Examples
    --------
    >>> item = np.array([0, 1, 0, 1, 0])
    >>> cells = RecordCells(0, np.array([0, 2, 4, 5]), (item, item, item))
    >>> class_sizes([cells], lambda columns: columns[:1], np.ones(3, bool)).tolist()
    [2, 2, 1]
    """
    sizes = np.ones(wanted.size, np.int64)
    records = np.flatnonzero(wanted)
    if not records.size:
        return sizes
    digests = np.empty(wanted.size, f"S{digest_size}")
    for piece in pieces:
        rows = np.flatnonzero(wanted[piece.first : piece.first + piece.start.size - 1])
        start, columns = piece.pick(rows)
        found = record_digests(start, *recode(columns), digest_size=digest_size)
        digests[piece.first + rows] = found
    _, group = np.unique(digests[records], return_inverse=True)
    group = _split_by_cells(pieces, recode, records, group)
    sizes[records] = np.bincount(group)[group]
    return sizes


def _split_by_cells(
    pieces: Sequence[RecordCells],
    recode: Recode,
    records: NDArray[np.int64],
    group: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Split groups of one digest whose records differ."""
    shared = np.bincount(group)[group] > 1
    order = np.flatnonzero(shared)[np.argsort(group[shared], kind="stable")]
    if not order.size:
        return group
    length = np.concatenate(
        [piece.start[1:] - piece.start[:-1] for piece in pieces]
    )[records[order]]  # fmt: skip
    ends = np.cumsum(length)
    doubtful: set[int] = set()
    begin = 0
    while begin < order.size - 1:
        # At least a pair; the last of a step is the first of the next.
        reach = (ends[begin - 1] if begin else 0) + _CELLS_AT_ONCE
        end = max(int(np.searchsorted(ends, reach, side="right")), begin + 2)
        part = order[begin:end]
        exact = _bytes_of(pieces, recode, records[part])
        doubtful |= {
            int(group[b])
            for a, b, one, other in zip(part[:-1], part[1:], exact[:-1], exact[1:], strict=True)
            if group[a] == group[b] and one != other
        }
        begin = end - 1
    if not doubtful:
        return group
    group = group.copy()
    new = int(group.max()) + 1
    for label in sorted(doubtful):
        members = np.flatnonzero(group == label)
        kinds: dict[bytes, int] = {}
        for member, exact_one in zip(
            members, _bytes_of(pieces, recode, records[members]), strict=True
        ):
            group[member] = kinds.setdefault(exact_one, new + len(kinds))
        new += len(kinds)
    return np.asarray(np.unique(group, return_inverse=True)[1], np.int64)


def _bytes_of(
    pieces: Sequence[RecordCells], recode: Recode, records: NDArray[np.int64]
) -> list[bytes]:
    """All released cells of each record."""
    exact = [b""] * records.size
    for piece in pieces:
        n = piece.start.size - 1
        places = np.flatnonzero((records >= piece.first) & (records < piece.first + n))
        if not places.size:
            continue
        rows, back = np.unique(records[places] - piece.first, return_inverse=True)
        start, columns = piece.pick(rows)
        recoded = [np.ascontiguousarray(column) for column in recode(columns)]
        bounds = start.tolist()
        for place, row in zip(places.tolist(), back.tolist(), strict=True):
            here = slice(bounds[row], bounds[row + 1])
            exact[place] = b"".join(column[here].tobytes() for column in recoded)
    return exact
