"""Chance of drawing certain cells of a record of which cells of dropped items were left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

GROUP = 32
"""Records of which it is known together how many cells they lost."""


def groups(records: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Part records, as (released, lost), by their released cells.

    First those shorter than anybody's record was, and then the others; each of these into groups of
    whole lengths, of `GROUP` or more if there are so many.

    Examples
    --------
    >>> [len(group) for group in groups([(2, 0)] * 40 + [(3, 1)] * 20 + [(4, 0)] * 20)]
    [40, 40]
    >>> [len(group) for group in groups([(2, 0)] * 40 + [(1, 1)] * 3)]
    [3, 40]
    """
    fewest = min(n + lost for n, lost in records)
    must_have_lost = [one for one in records if one[0] < fewest]
    need_not = [one for one in records if one[0] >= fewest]
    return [*_of_whole_lengths(must_have_lost), *_of_whole_lengths(need_not)]


def _of_whole_lengths(records: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    found, ordered = list[list[tuple[int, int]]](), sorted(records)
    for place, one in enumerate(ordered):
        new = place > 0 and one[0] > ordered[place - 1][0]
        enough = new and len(found[-1]) >= GROUP and len(ordered) - place >= GROUP
        if place == 0 or enough:
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
    """Mean of the chance over what the record's group lost, and over a part of a record more.

    The part is one divided by the number of all records. It has lost in proportion, or what the
    facts ask for if that is more. No record had fewer cells than the shortest had, or more than the
    longest: what a group lost counts where that holds. Where it never does, and for the part more,
    the nearest possible number counts.

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

    Everybody had two cells. Whoever has two left has lost none.

    >>> placements([(1, 1)] * 3 + [(2, 0)] * 50, 2, (1, 1), 2)
    0.0
    """
    visible, hidden = drawn
    needed = max(size, visible + hidden)
    kept = sum(n for n, _ in records) / sum(n + lost for n, lost in records)
    usual = round(released * ((1 - kept) / kept))
    supposed = max(usual, needed - released, hidden)
    least = max(min(n + lost for n, lost in records) - released, 0)
    most = max(max(n + lost for n, lost in records) - released, 0)
    starts = [group[0][0] for group in groups(records)]
    place = max(sum(start <= released for start in starts) - 1, 0)
    of_group = lost_by(groups(records)[place], released)
    possible = [gone for gone in of_group if least <= gone <= most] or of_group
    part = 1 / len(records)
    weights = [part, *[1.0] * len(possible)]
    every = [min(max(gone, least), most) for gone in [supposed, *possible]]
    each = (
        weight * math.perm(gone, hidden) / math.perm(released + gone, visible + hidden)
        for weight, gone in zip(weights, every, strict=True)
        if released + gone >= needed
    )
    return math.fsum(each) / math.fsum(weights)
