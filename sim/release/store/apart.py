"""The steps of building a store whose rows are read and sorted apart, each a function of its input.

Each returns a sequence: what it is called for by `sim.release.store.build_apart`, item by item.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.release.store.block_rows import BlockCounts, Columns, added_up, block_of, write
from sim.release.store.cells import Part
from sim.release.store.first_pass import SPILLED, Codes, Distinct, FirstPass, Treatment
from sim.release.store.layout import Final, Layout
from sim.release.store.levels import distinct
from sim.release.store.store import RECORD_COLUMNS, block_folder


class PartRead(NamedTuple):
    """What is known of a part, once it was read.

    Parameters
    ----------
    end
        See `sim.release.store.cells.Part.end`.
    """

    distinct: Distinct
    end: Any


class Rows(NamedTuple):
    """Rows of some consecutive blocks.

    Parameters
    ----------
    rows : array of `Layout.row_dtype`, shape (n,)
    start : int64 array, shape (blocks + 1,)
        Where those of each block begin, with the end appended.
    """

    rows: NDArray[np.void]
    start: NDArray[np.int64]


class BlockRows(NamedTuple):
    """The rows of a block, and what they add up to; see `sim.release.store.block_rows`."""

    rows: NDArray[np.void]
    amount: NDArray[np.float64] | None = None


class Block(NamedTuple):
    """A block that was sorted.

    Parameters
    ----------
    columns : dict of str to array
        Empty if they are written.
    """

    counts: BlockCounts
    columns: Columns


def read_part(
    parts: Sequence[Part], index: int, treatment: Treatment
) -> tuple[PartRead, NDArray[np.void]]:
    """Read a part of a source; return what is known of it, and its rows as `SPILLED`.

    Raises
    ------
    InputError
        It cannot be read, or not by itself.
    """
    first, part = FirstPass(treatment), parts[index]
    rows = [first.take(chunk) for chunk in part.chunks()]
    return PartRead(first.found(), part.end()), np.concatenate([np.empty(0, SPILLED), *rows])


def finals(codes: Codes, final: Final) -> Final:
    """Return the final codes of a part by its own provisional ones.

    Examples
    --------
    >>> codes = Codes(np.array([1]), np.array([0]), np.array([1]))
    >>> found = finals(codes, Final(np.array([7, 8]), np.array([5]), np.array([2, 1, 0])))
    >>> [column.tolist() for column in found]
    [[8], [5], [2, 0]]
    """
    level = final.level[np.append(0, codes.level + 1)]
    return Final(final.record[codes.record], final.item[codes.item], level)


def groups_of(n_blocks: int, most: int) -> list[range]:
    """Cut the blocks of a store into at most `most` runs, as equal as can be.

    Examples
    --------
    >>> groups_of(5, 2), groups_of(1, 2)
    ([range(0, 2), range(2, 5)], [range(0, 1)])
    """
    number = min(n_blocks, most)
    ends = [n_blocks * k // number for k in range(number + 1)]
    return [range(*pair) for pair in itertools.pairwise(ends)]


def cut(
    rows: NDArray[np.void], codes: Codes, final: Final, layout: Layout, groups: Sequence[range]
) -> list[Rows]:
    """Return the rows of a part by groups of blocks, in final codes.

    Parameters
    ----------
    rows : array of `SPILLED`, shape (n,)
    codes : Codes
        Of the part.
    final : Final
        Of the release.
    """
    placed, start = layout.partitioned(rows, finals(codes, final))
    return [
        Rows(
            placed[start[group.start] : start[group.stop]],
            start[group.start : group.stop + 1] - start[group.start],
        )
        for group in groups
    ]


def add_up_blocks(
    blocks: range, layout: Layout, *pieces: Rows
) -> tuple[list[BlockRows], list[tuple[NDArray[np.float64], NDArray[np.int64]]]]:
    """Add up the rows of some blocks; return them, and the distinct amounts of each block.

    Parameters
    ----------
    *pieces : Rows
        Those of all parts, in order.
    """
    found, amounts = [], []
    for block, (rows, _) in zip(blocks, _joined(pieces), strict=True):
        left, amount = added_up(rows, layout.records_of(block), layout.scale, layout)
        found.append(BlockRows(left, amount))
        amounts.append(distinct(amount))
    return found, amounts


def sort_blocks(
    blocks: range, layout: Layout, work: Path | None, *pieces: Rows
) -> tuple[list[Block]]:
    """Make some blocks of rows that are not added up.

    Parameters
    ----------
    work : Path or None
        The folder of the store, in which the columns are written, if it can be reached.
    *pieces : Rows
        Those of all parts, in order.
    """
    return (_blocks_of(blocks, layout, work, _joined(pieces)),)


def sort_amounts(
    blocks: range, layout: Layout, work: Path | None, rows: Sequence[BlockRows]
) -> tuple[list[Block]]:
    """Make some blocks of what rows add up to; see `sort_blocks`."""
    return (_blocks_of(blocks, layout, work, rows),)


def cells_in_order(block: Block, folder: Path) -> list[Any]:
    """Return items, levels and day codes of a block's cells; written ones are mapped.

    Columns that are not written yet are.
    """
    write(block.columns, folder)
    names = RECORD_COLUMNS[1:]
    if block.columns:
        return [block.columns[name] for name in names]
    return [np.load(folder / f"{name}.npy", mmap_mode="r") for name in names]


def _joined(pieces: Sequence[Rows]) -> Iterator[BlockRows]:
    """Yield the rows of each block, from all parts in order."""
    for at in range(pieces[0].start.size - 1):
        yield BlockRows(np.concatenate([rows[start[at] : start[at + 1]] for rows, start in pieces]))


def _blocks_of(
    blocks: range, layout: Layout, work: Path | None, rows: Iterable[BlockRows]
) -> list[Block]:
    found = []
    for block, given in zip(blocks, rows, strict=True):
        columns, counts = block_of(*given, layout.records_of(block), layout)
        if work is not None:
            write(columns, work / block_folder(block))
            columns = {}
        found.append(Block(counts, columns))
    return found
