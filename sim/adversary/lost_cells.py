"""How many cells records had of items that the publisher dropped, by what was released of them.

An attacker cannot see it, but may know as much of people: of those who rated ten of the films that
are left, so many had rated two others. It is counted in the data that were released, so that the
posterior of one who knows it holds whatever the habits of people are, and is not understated.
Known as well are the fewest cells that anybody had and the most, as where all had the same: whose
record is shorter than anybody's was has lost some.

Records of one group have different lengths. What they have in common is taken to be the number that
they lost, if it differs less among them than its ratio to what was released, as where everybody had
the item that was dropped; else the ratio.

Invariant: it is known of groups of at least `GROUP` records, but where whose loss is whose can be
told by counting. Then a length is a group of its own: if such records must have lost cells; if with
as many more as another of the group has lost, or as many in proportion, one would be longer than
anybody's, or as long where no record that is left is; and if one may have been the shortest. So the
losses within a group may be anybody's of it, whatever those of the others are.

To each group is added a small part of a record that lost what the facts ask for, one divided by the
square of the number of records: so nobody who may have lost so many is ruled out, as where the
losses of neighbours were put together, and all that is added is next to nothing beside one record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Knowledge, Window

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUP = 32
"""The fewest records of a group, where there are so many."""

_POINTS = 64
"""Numbers, or ratios, of lost cells that are told apart in a group."""

_CLEARLY = 1.0 - 1e-9
"""So that rounding does not decide which of the two differs less."""


class LostCells(NamedTuple):
    """The lost cells of records, by their released ones.

    Parameters
    ----------
    least : tuple of int
        The fewest released cells of each group of records, ascending.
    lost : tuple of tuple of (float, int)
        Of each group, lost cells, or lost ones for each released one, and how many records lost so
        many.
    by_number : tuple of bool
        Of each group, whether the first of these is the number itself.
    kept : float
        Share of the cells of the released records that is released.
    fewest, most : int
        Cells that any of these people had at least, and at most.
    """

    least: tuple[int, ...]
    lost: tuple[tuple[tuple[float, int], ...], ...]
    by_number: tuple[bool, ...]
    kept: float
    fewest: int
    most: int

    def placements(self, released: Ints, visible: int, hidden: int, size: int) -> Floats:
        """Chance of drawing certain cells of a record, and any of its lost ones beside them.

        Σ P(H | n)·H^(j)/N^(h + j), where N = n + H and x^(k) = x·(x − 1)⋯(x − k + 1), over the N of
        at least `size` cells. An H by which N is not within `fewest` and `most` has P(H | n) = 0;
        if that leaves none of the group, each is moved to the nearest that is possible.

        Parameters
        ----------
        released : int64 array, shape (K,)
            n.
        visible, hidden : int
            h and j.
        size : int
            Cells that all people have who are attacked.

        Returns
        -------
        float64 array, shape (K,)

        Examples
        --------
        Everybody lost one cell of three, and a fact is as likely to be about it as about another.

        >>> cells = LostCells((2,), (((1.0, 1000),),), (True,), 2 / 3, fewest=3, most=3)
        >>> n = np.array([2])
        >>> cells.placements(n, 1, 0, 1).round(3), cells.placements(n, 0, 1, 1).round(3)
        (array([0.333]), array([0.333]))

        Nobody had more than three cells, so that whoever has three left has lost none.

        >>> cells.placements(np.array([2, 3]), 1, 1, 2).round(3)
        array([0.167, 0.   ])
        """
        found = np.zeros(released.size)
        group = np.maximum(np.searchsorted(self.least, released, side="right") - 1, 0)
        usual = (1.0 - self.kept) / self.kept
        part = 1.0 / sum(records for each in self.lost for _, records in each) ** 2
        for k, each in enumerate(self.lost):
            here = np.flatnonzero(group == k)
            n = released[here].astype(np.float64)
            least = np.maximum(self.fewest - n, 0.0)
            most = np.maximum(self.most - n, 0.0)
            enough = np.maximum(max(size, visible + hidden) - n, hidden)
            supposed = np.clip(np.maximum(np.rint(n * usual), enough), least, most)
            total = part * _placed(n, supposed, visible, hidden, size)
            records = np.full(n.size, part)
            lost = [np.full(n.size, one) if self.by_number[k] else n * one for one, _ in each]
            gone = np.rint(np.array(lost))
            possible = (least <= gone) & (gone <= most)
            possible |= ~possible.any(axis=0)
            gone = np.clip(gone, least, most)
            for one, (_, number), counts in zip(gone, each, possible, strict=True):
                total += number * counts * _placed(n, one, visible, hidden, size)
                records += number * counts
            found[here] = total / records
        return found


def _placed(n: Floats, gone: Floats, visible: int, hidden: int, size: int) -> Floats:
    """H^(j)/N^(h + j) of records that lost a known number of cells."""
    found = (n + gone >= max(size, visible + hidden)).astype(np.float64)
    for i in range(hidden):
        found *= np.maximum(gone - i, 0.0) / np.maximum(n + gone - i, 1.0)
    for i in range(hidden, hidden + visible):
        found /= np.maximum(n + gone - i, 1.0)
    return found


def counts_lost(known: Knowledge, has_repeats: bool) -> bool:
    """Whether facts are any cells of a person, of whose lost ones it is known how many."""
    whole = known.popularity == Window() and (known.draw == "cells" or not has_repeats)
    return whole and known.wrong == "value"


def lost_cells(released: Ints, before: Ints) -> LostCells:
    """Count the lost cells.

    Parameters
    ----------
    released, before : int64 arrays, shape (N,)
        Cells of each record, N at least 1, that are released, and that it had.

    Examples
    --------
    >>> lost_cells(np.array([1, 1, 4]), np.array([2, 2, 4]))
    LostCells(least=(1, 4), lost=(((1.0, 2),), ((0.0, 1),)), by_number=(False, False), kept=0.75, \
fewest=2, most=4)
    >>> lost_cells(np.array([1, 2, 4]), np.array([2, 3, 5])).lost
    (((1.0, 1),), ((0.5, 1),), ((0.25, 1),))
    """
    order = np.argsort(released, kind="stable")
    n, lost = released[order], (before - released)[order]
    fewest = int(before.min())
    sure = int(np.searchsorted(n, fewest))  # records that have lost some, whoever's they are
    least, found, by_number = list[int](), list[tuple[tuple[float, int], ...]](), list[bool]()
    most = int(before.max())
    groups = _groups(n, sure, n.size)
    pooled = (one for each in groups for one in _apart(n, lost, each, (fewest, most)))
    for begin, end in [*_lengths(n, 0, sure), *pooled]:
        least.append(int(n[begin]))
        number = lost[begin:end].astype(np.float64)
        ratio = number / n[begin:end]
        by_number.append(_is_number(number, ratio))
        found.append(_points(np.sort(number if by_number[-1] else ratio)))
    kept = float(released.sum() / max(int(before.sum()), 1))
    return LostCells(tuple(least), tuple(found), tuple(by_number), kept, fewest, most)


def _is_number(number: Floats, ratio: Floats) -> bool:
    """Whether records of a group have lost as many cells rather than as many in proportion."""
    return _spread(number) < _CLEARLY * _spread(ratio)


def _apart(
    n: Ints, lost: Ints, group: tuple[int, int], bounds: tuple[int, int]
) -> Iterator[tuple[int, int]]:
    """Part a group until counting does not tell whose loss is whose.

    Parameters
    ----------
    bounds : (int, int)
        The fewest cells that anybody had, and the most.
    """
    (begin, end), (fewest, most) = group, bounds
    number = lost[begin:end].astype(np.float64)
    ratio = number / n[begin:end]
    length, first = np.unique(n[begin:end], return_index=True)
    if _is_number(number, ratio):
        before = length[:, None] + np.unique(number)
    else:
        before = length[:, None] + np.rint(length[:, None] * np.unique(ratio))
    # Somebody had the most; nothing follows if a record is left that is as long.
    seen = int(n[-1]) == most
    told = (length == fewest) | (before > most).any(axis=1)
    told |= (before == most).any(axis=1) & (not seen)
    if length.size == 1 or not told.any():
        yield begin, end
        return
    starts = [*(first + begin).tolist(), end]
    together = begin  # where the lengths begin that are not told apart
    for k in np.flatnonzero(told).tolist():
        if together < starts[k]:
            yield from _apart(n, lost, (together, starts[k]), bounds)
        yield starts[k], starts[k + 1]
        together = starts[k + 1]
    if together < end:
        yield from _apart(n, lost, (together, end), bounds)


def _lengths(n: Ints, begin: int, until: int) -> Iterator[tuple[int, int]]:
    """Part some records, ascending, into those of each length."""
    ends = [*(np.flatnonzero(np.diff(n[begin:until])) + begin + 1).tolist(), until]
    for end in ends if begin < until else []:
        yield begin, end
        begin = end


def _groups(n: Ints, begin: int, until: int) -> Iterator[tuple[int, int]]:
    """Part some records, by the released cells of all, ascending, into groups of whole lengths."""
    ends = np.flatnonzero(np.diff(n[begin:until])) + begin + 1
    for end in ends.tolist():
        if until - end < GROUP:  # too few are left to be a group
            break
        if end - begin >= GROUP:
            yield begin, end
            begin = end
    if begin < until:
        yield begin, until


def _spread(lost: Floats) -> float:
    """The mean square over the square of the mean; 1 where all are equal, 0 where none is lost.

    Sums are added up one by one, so that all processors find the same.
    """
    whole = float(np.cumsum(lost)[-1])
    return float(np.cumsum(lost * lost)[-1]) * lost.size / whole**2 if whole else 0.0


def _points(lost: Floats) -> tuple[tuple[float, int], ...]:
    """Return what was lost and how many records did, or of neighbours the mean; ascending."""
    value, records = np.unique(lost, return_counts=True)
    if value.size > _POINTS:
        ends = np.linspace(0, lost.size, _POINTS + 1).astype(np.int64)
        sums, records = np.append(0.0, np.cumsum(lost))[ends], np.diff(ends)
        value = np.diff(sums) / np.maximum(records, 1)
    return tuple(zip(value.tolist(), records.tolist(), strict=True))
