"""Assigns blocks to scorers and scorers to nodes, by pure functions of their numbers."""

from __future__ import annotations

from dataclasses import dataclass

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
    cost = {s: max(sum(blocks[b] for b in part) for part in splits[s]) * s for s in possible}
    best = max(s for s in possible if cost[s] <= _WASTE * min(cost.values()))
    return Placement(workers // best, splits[best])


def distribute(scorers: int, cores: list[int]) -> list[int]:
    """Distribute scorers over nodes in proportion to their free cores.

    Parameters
    ----------
    scorers : int
        Those that hold the same blocks one after the other.
    cores : list of int
        Of each node; together at least as many as scorers.

    Returns
    -------
    list of int
        Node of each scorer, ascending: neighbours share a node, so that it holds few blocks.

    Raises
    ------
    ValueError
        There are fewer cores than scorers.

    Examples
    --------
    >>> distribute(4, [2, 8, 1])
    [1, 1, 1, 1]
    >>> distribute(4, [4, 4])
    [0, 0, 1, 1]
    """
    if scorers > sum(cores):
        raise ValueError(f"{scorers} scorers on {sum(cores)} cores")
    left = list(cores)
    chosen = []
    for _ in range(scorers):
        node = left.index(max(left))
        left[node] -= 1
        chosen.append(node)
    return sorted(chosen)


def _split(blocks: list[int], parts: int) -> list[list[int]]:
    """Consecutive runs of blocks with about the same number of cells, none empty."""
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
