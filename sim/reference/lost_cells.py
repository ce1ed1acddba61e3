"""Chance of drawing certain cells of a record of which cells of dropped items were left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

GROUP = 32
"""Records of which it is known together how many cells they lost."""


def groups(records: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Part records, as (released, lost), into groups of whole lengths, each of `GROUP` or more.

    Examples
    --------
    >>> [len(group) for group in groups([(2, 0)] * 40 + [(3, 1)] * 20 + [(4, 0)] * 20)]
    [40, 40]
    """
    found, ordered = [list[tuple[int, int]]()], sorted(records)
    for place, one in enumerate(ordered):
        new = place > 0 and one[0] > ordered[place - 1][0]
        if new and len(found[-1]) >= GROUP and len(ordered) - place >= GROUP:
            found.append([])
        found[-1].append(one)
    return found


def spread(lost: Sequence[Fraction]) -> Fraction:
    """Mean square of what was lost over the square of its mean; 0 where nothing was."""
    whole = sum(lost, Fraction())
    return len(lost) * sum((one * one for one in lost), Fraction()) / whole**2 if whole else whole


def lost_by(group: Sequence[tuple[int, int]], released: int) -> list[int]:
    """What a record lost if it lost as each of a group did: as many, or as many in proportion.

    Whichever of the two differs less within the group.

    Examples
    --------
    >>> lost_by([(1, 1), (4, 1)], 2), lost_by([(1, 1), (4, 4)], 2)
    ([1, 1], [2, 2])
    """
    number = [Fraction(lost) for _, lost in group]
    ratio = [Fraction(lost, n) for n, lost in group]
    if spread(number) < (1 - Fraction(1, 10**9)) * spread(ratio):
        return [lost for _, lost in group]
    return [round(released * (lost / n)) for n, lost in group]


def placements(
    records: Sequence[tuple[int, int]], released: int, drawn: tuple[int, int], size: int
) -> float:
    """Mean of the chance over what the record's group lost, and over one record more.

    That has lost in proportion, or what the facts ask for if that is more.

    Parameters
    ----------
    records : sequence of (int, int)
        Released and lost cells of every record of the release.
    released : int
        Cells of the record.
    drawn : (int, int)
        Facts about certain released cells, and about any lost ones.
    size : int
        Cells that all people have who are attacked.

    Examples
    --------
    Of two cells one was lost, by everybody: a fact is about the one that is left in one of two.

    >>> placements([(1, 1)] * 50, 1, (1, 0), 1)
    0.5
    """
    visible, hidden = drawn
    needed = max(size, visible + hidden)
    kept = sum(n for n, _ in records) / sum(n + lost for n, lost in records)
    usual = round(released * ((1 - kept) / kept))
    supposed = max(usual, needed - released, hidden)
    starts = [group[0][0] for group in groups(records)]
    place = max(sum(start <= released for start in starts) - 1, 0)
    lost = [supposed, *lost_by(groups(records)[place], released)]
    each = (
        math.perm(gone, hidden) / math.perm(released + gone, visible + hidden)
        for gone in lost
        if released + gone >= needed
    )
    return math.fsum(each) / len(lost)
