"""Chance of drawing certain cells of a record of which cells of dropped items were left out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

GROUP = 32
"""Records of which it is known together how many cells they lost."""


def groups(records: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Part records, as (released, lost), by their released cells.

    Those shorter than anybody's record was are groups by length. The others are groups of whole
    lengths, of `GROUP` records or more if there are so many; but of these a length is a group of
    its own if with what another of the group lost it would be longer than anybody's record was, or
    as long where none is that long that is left, or if it is that of the shortest record.

    Examples
    --------
    >>> [len(group) for group in groups([(2, 0)] * 40 + [(3, 1)] * 20 + [(4, 0)] * 20 + [(9, 0)])]
    [40, 40, 1]
    >>> [len(group) for group in groups([(2, 0)] * 40 + [(1, 1)] * 3 + [(0, 2)])]
    [1, 3, 40]

    Nobody had more than three, so that those who have three are not the one who lost one.

    >>> [len(group) for group in groups([(2, 0)] * 20 + [(2, 1)] + [(3, 0)] * 9)]
    [21, 9]

    Somebody had five: only one with four left, who has lost one, can be that.

    >>> [len(group) for group in groups([(1, 0)] * 40 + [(2, 0)] * 20 + [(3, 0)] * 15 + [(4, 1)])]
    [40, 35, 1]
    """
    fewest = min(n + lost for n, lost in records)
    most = max(n + lost for n, lost in records)
    must_have_lost = [one for one in records if one[0] < fewest]
    need_not = [one for one in records if one[0] >= fewest]
    seen = max(n for n, _ in records) == most
    bounds = fewest, most
    pooled = [one for each in _of_whole_lengths(need_not) for one in _apart(each, bounds, seen)]
    return [*_of_each_length(must_have_lost), *pooled]


def _of_each_length(records: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    return [[one for one in records if one[0] == n] for n in sorted({one[0] for one in records})]


def _apart(
    group: list[tuple[int, int]], bounds: tuple[int, int], seen: bool
) -> list[list[tuple[int, int]]]:
    """Part off the lengths of which it can be told by counting what they lost, if there are any.

    Parameters
    ----------
    bounds : (int, int)
        The fewest cells that anybody had, and the most.
    seen : bool
        Whether the most are those of a record that is left.
    """
    fewest, most = bounds

    def is_told(n: int) -> bool:
        before = [n + gone for gone in lost_by(group, n)]
        return n == fewest or max(before) > most or (most in before and not seen)

    by_length = _of_each_length(group)
    if len(by_length) == 1 or not any(is_told(each[0][0]) for each in by_length):
        return [group]
    found, together = list[list[tuple[int, int]]](), list[tuple[int, int]]()
    for each in by_length:
        if not is_told(each[0][0]):
            together += each
            continue
        found += _apart(together, bounds, seen) if together else []
        found.append(each)
        together = []
    return [*found, *(_apart(together, bounds, seen) if together else [])]


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

    The part is one divided by the square of the number of records. It has lost in proportion, or
    what the facts ask for if that is more. No record had fewer cells than the shortest had, or more
    than the longest: what a group lost counts where that holds. Where it never does, and for the
    part more, the nearest possible number counts.

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
    part = 1 / len(records) ** 2
    weights = [part, *[1.0] * len(possible)]
    every = [min(max(gone, least), most) for gone in [supposed, *possible]]
    each = (
        weight * math.perm(gone, hidden) / math.perm(released + gone, visible + hidden)
        for weight, gone in zip(weights, every, strict=True)
        if released + gone >= needed
    )
    return math.fsum(each) / math.fsum(weights)
