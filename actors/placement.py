"""Assigns blocks to scorers, by a pure function of their sizes."""

from __future__ import annotations

from dataclasses import dataclass

from sim.attack.engine.block_tree import GROUP_BLOCKS

_WASTE = 1.05
"""A finer split may leave the busiest scorer at most this much more than the most even one."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Scorers in a grid: each of `replicas` rows holds the whole release in `shards` parts.

    Parameters
    ----------
    replicas : int
        Batches go to one row each.
    shards : list of list of int
        Blocks of each part, ascending.
    """

    replicas: int
    shards: list[list[int]]

    @property
    def workers(self) -> int:
        """Number of scorers."""
        return self.replicas * len(self.shards)


def place(blocks: list[int], workers: int, shards: int | None = None) -> Placement:
    """Split the release over the workers as finely as an even load allows.

    Parameters
    ----------
    blocks : list of int
        Cells in each block.
    shards : int or None
        Parts to split into; None chooses the most parts that leave no worker idle for long.

    Raises
    ------
    ValueError
        `shards` does not divide the workers, or exceeds the blocks.

    Examples
    --------
    >>> place([10, 10, 10, 10], workers=2)
    Placement(replicas=1, shards=[[0, 1], [2, 3]])
    >>> place([10], workers=2)
    Placement(replicas=2, shards=[[0]])
    """
    if shards is not None:
        if not 1 <= shards <= len(blocks) or workers % shards:
            raise ValueError(f"{shards} shards of {len(blocks)} blocks for {workers} workers")
        return Placement(workers // shards, _split(blocks, shards))
    possible = [s for s in range(1, workers + 1) if workers % s == 0 and s <= len(blocks)]
    splits = {s: _split(blocks, s) for s in possible}
    # Cost of a batch to the busiest worker, counting that replicas share the batches.
    cost = {s: _most(blocks, splits[s]) * s for s in possible}
    fast = [s for s in possible if cost[s] <= _WASTE * min(cost.values())]
    if len(blocks) > GROUP_BLOCKS:
        # One aggregator has to merge, and to hold, what a shard of parts of groups leaves.
        fast = [s for s in fast if _is_of_groups(splits[s])]
    best = max(fast)
    return Placement(workers // best, splits[best])


def _split(blocks: list[int], parts: int) -> list[list[int]]:
    """Consecutive runs of blocks with about the same number of cells, none empty.

    They are runs of whole groups, whose partials merge where they are made, if that is as even.
    """
    fine = _runs(blocks, parts)
    firsts = range(0, len(blocks), GROUP_BLOCKS)
    if len(firsts) < parts:
        return fine
    groups = [range(first, min(first + GROUP_BLOCKS, len(blocks))) for first in firsts]
    cells = [sum(blocks[b] for b in group) for group in groups]
    coarse = [[b for g in run for b in groups[g]] for run in _runs(cells, parts)]
    fits = _most(blocks, coarse) <= _WASTE * _most(blocks, fine)
    return coarse if fits else fine


def _is_of_groups(split: list[list[int]]) -> bool:
    return all(part[0] % GROUP_BLOCKS == 0 for part in split)


def _most(blocks: list[int], split: list[list[int]]) -> int:
    return max(sum(blocks[b] for b in part) for part in split)


def _runs(blocks: list[int], parts: int) -> list[list[int]]:
    """Consecutive runs with about the same sum, none empty."""
    whole, done, result = sum(blocks), 0, []
    first = 0
    for part in range(1, parts + 1):
        last = len(blocks) - (parts - part)  # leave one block for each part to come
        end = first + 1
        done += blocks[first]
        while end < last and done + blocks[end] / 2 <= whole * part / parts:
            done += blocks[end]
            end += 1
        if part == parts:
            end = len(blocks)
        result.append(list(range(first, end)))
        first = end
    return result
