"""The fixed tree in which partials of blocks merge.

The leaves are the blocks. A group of 32 neighbours merges from the first to the last; above, pairs
of neighbours merge. The tree belongs to the store: whoever holds all that lies under a node can
merge it, and sums in floating point are the same whoever does. A worker that holds a run of blocks
is left with the partials of a few dozen spans at most, however long the run; and has no more in
memory on the way if it merges each group as soon as it is scored.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

GROUP_BLOCKS = 32
"""Blocks of a group. Part of what results depend on: the rounding of sums."""

Span = tuple[int, int]
"""The blocks [first, end)."""


def merged(
    found: Mapping[Span, Any], n_blocks: int, join: Callable[[list[Any]], Any]
) -> dict[Span, Any]:
    """Merge the partials of spans as far as they reach.

    Parameters
    ----------
    found : dict of span to partial
        Spans of the tree, in any order.
    n_blocks : int
        Blocks of the store.
    join : callable
        Merges the partials of neighbouring spans, given in order.

    Returns
    -------
    dict of span to partial
        ``(0, n_blocks)`` alone if `found` is the whole release.

    Examples
    --------
    >>> merged({(2, 3): "c", (0, 1): "a", (1, 2): "b"}, 3, "".join)
    {(0, 3): 'abc'}
    >>> merged({(1, 2): "b", (0, 1): "a"}, 3, "".join)
    {(1, 2): 'b', (0, 1): 'a'}
    """
    left = dict(found)
    for whole, parts in _tree(n_blocks, GROUP_BLOCKS):
        if all(part in left for part in parts):
            left[whole] = join([left.pop(part) for part in parts])
    return left


def groups_of(blocks: Sequence[int]) -> list[list[int]]:
    """Cut blocks, in the order given, into those of one group at a time.

    Examples
    --------
    >>> groups_of([30, 31, 32, 40])
    [[30, 31], [32, 40]]
    """
    return [list(some) for _, some in itertools.groupby(blocks, lambda b: b // GROUP_BLOCKS)]


def n_groups(n_blocks: int) -> int:
    """Groups that the blocks of a store are in.

    Examples
    --------
    >>> n_groups(32), n_groups(33)
    (1, 2)
    """
    return -(-n_blocks // GROUP_BLOCKS)


def most_held(n_blocks: int) -> int:
    """Most partials of an aux set in memory at a time where each group is merged once it is whole.

    A worker that scores the release holds those of a group, and one for each level of the tree
    above; one that merges what others have left of whole groups, one for each group at most.

    Examples
    --------
    >>> most_held(8), most_held(32), most_held(33), most_held(832), most_held(15_259)
    (8, 32, 33, 37, 477)
    """
    groups = n_groups(n_blocks)
    return max(min(n_blocks, GROUP_BLOCKS) + (groups - 1).bit_length(), groups)


@functools.lru_cache(maxsize=4)
def _tree(n_blocks: int, width: int) -> list[tuple[Span, list[Span]]]:
    """Every span that is merged, from the leaves up, with those that it is merged from."""
    spans = [(b, b + 1) for b in range(n_blocks)]
    tree: list[tuple[Span, list[Span]]] = []
    while len(spans) > 1:
        siblings = [spans[first : first + width] for first in range(0, len(spans), width)]
        spans = [(some[0][0], some[-1][1]) for some in siblings]
        tree += [(span, some) for span, some in zip(spans, siblings, strict=True) if some[1:]]
        width = 2
    return tree
