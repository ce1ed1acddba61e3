"""Builds a store from parts of a source that are read and sorted apart, wherever that is done.

Parts are read each by itself, with provisional codes of their own. What they found is put together
as if they had been read one after the other; then their rows are cut by groups of blocks, and each
group is sorted and written. The store is that of `sim.release.store.build`, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from sim.errors import InputError, StandoutError
from sim.release.store.apart import (
    Block,
    PartRead,
    add_up_blocks,
    cells_in_order,
    cut,
    groups_of,
    read_part,
    sort_amounts,
    sort_blocks,
)
from sim.release.store.assembly import Assembly, make_block_folders
from sim.release.store.build import Limits, Progress, planned, treatment_of
from sim.release.store.cells import Divisible, Part, Source
from sim.release.store.first_pass import FirstPass, Treatment
from sim.release.store.layout import Layout
from sim.release.store.levels import Amounts, Levels
from sim.release.store.manifest import Manifest
from sim.release.store.store import block_folder

_PARTS = 4
"""Parts for each worker, so that none waits long for the last."""

_GROUPS = 32
"""Most groups of blocks."""


_UNLIKE = (
    "a part cannot be read by itself (something is wrong in it, it cuts through a quoted cell, is "
    "of another encoding, or is not on every node)"
)


class UndividedError(StandoutError):
    """The rows of a source cannot be read apart."""


class Tasks(Protocol):
    """Workers that call functions.

    Attributes
    ----------
    number : int
        Of workers.
    """

    number: int

    def share(self, value: Any) -> Any:
        """Return what stands for a value among the arguments of calls."""

    def folder(self, path: Path) -> Any:
        """Return what stands for a folder: its path for workers that reach it, None for others."""

    def call(self, function: Callable[..., Sequence[Any]], *given: Any, returns: int) -> list[Any]:
        """Let a worker call a function, some time.

        Parameters
        ----------
        *given
            Arguments, or what stands for them.
        returns : int
            How many items are in the sequence that the function returns.

        Returns
        -------
        list
            What stands for each of these items.
        """

    def get(self, standing: Any) -> Any:
        """Wait for a value.

        Raises
        ------
        InputError
            The function raised it.
        """


def build_apart(
    source: Source, work: Path, limits: Limits, progress: Progress, tasks: Tasks
) -> Manifest:
    """Build a store by many workers; see `sim.release.store.build.build_store`.

    Raises
    ------
    UndividedError
        Only one process can read the source, or say what is wrong with it.
    InputError
        The rows, all of which can be read, are not what they should be.
    """
    treatment = treatment_of(source)
    parts: list[Part] = []
    if isinstance(source, Divisible):
        parts = list(source.parts(_PARTS * tasks.number))
    if len(parts) < 2:
        raise UndividedError(f"{source.name}: cannot be cut into parts")
    shared = tasks.share(parts)
    read = [tasks.call(read_part, shared, n, treatment, returns=2) for n in range(len(parts))]
    first, codes, ends, done = FirstPass(treatment), [], [], 0
    for part, (found, _) in zip(parts, read, strict=True):
        try:
            known: PartRead = tasks.get(found)
        except InputError:
            raise UndividedError(f"{source.name}: {_UNLIKE}") from None
        codes.append(tasks.share(first.add(known.distinct)))
        ends.append(known.end)
        done += part.size
        progress(done)
    assert isinstance(source, Divisible)
    if not source.agree(ends):
        raise UndividedError(f"{source.name}: {_UNLIKE}")
    layout, final, ids, levels = planned(first, limits)
    extent = first.extent
    del first
    groups = groups_of(layout.n_blocks, _GROUPS)
    final = tasks.share(final)
    pieces = []
    while read:  # so that rows are not held once they are cut
        rows = read.pop(0)[1]
        given = rows, codes.pop(0), final, layout, groups
        pieces.append(tasks.call(cut, *given, returns=len(groups)))
        del rows, given
    make_block_folders(work, layout.n_blocks)
    of_group = [list(group) for group in zip(*pieces, strict=True)]
    del pieces, final
    if layout.repeats.adds_up:
        layout, levels, blocks = _amounts(groups, layout, treatment, work, of_group, tasks)
    else:
        folder = tasks.folder(work)
        blocks = [
            tasks.call(sort_blocks, group, layout, folder, *of_group.pop(0), returns=1)[0]
            for group in groups
        ]
    assembly = Assembly(work, ids, layout)
    for group in groups:
        made: list[Block] = tasks.get(blocks.pop(0))
        for index, block in zip(group, made, strict=True):
            assembly.take(block.counts, cells_in_order(block, work / block_folder(index)))
        del made
    return assembly.finish(source, extent, levels.notes)


def _amounts(
    groups: Sequence[range],
    layout: Layout,
    treatment: Treatment,
    work: Path,
    of_group: list[list[Any]],
    tasks: Tasks,
) -> tuple[Layout, Levels, list[Any]]:
    """Add up the rows of all blocks, then sort them by the levels of what they add up to."""
    added = [
        tasks.call(add_up_blocks, group, layout, *of_group.pop(0), returns=2) for group in groups
    ]
    amounts = Amounts(layout.scale, treatment)
    for _, found in added:
        for of_block in tasks.get(found):
            amounts.take(*of_block)
    levels = amounts.levels()
    layout, folder = replace(layout, scale=levels.scale), tasks.folder(work)
    blocks = [
        tasks.call(sort_amounts, group, layout, folder, added.pop(0)[0], returns=1)[0]
        for group in groups
    ]
    return layout, levels, blocks
