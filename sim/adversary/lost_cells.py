"""How many cells records had of items that the publisher dropped, by what was released of them.

An attacker cannot see it, but may know as much of people: of those who rated ten of the films that
are left, so many had rated two others. It is counted in the data that were released, so that the
posterior of one who knows it holds whatever the habits of people are, and is not understated.

Records of one group have different lengths. What they have in common is taken to be the number that
they lost, if it differs less among them than its ratio to what was released, as where everybody had
the item that was dropped; else the ratio.

Invariant: it is known of groups of at least `FEWEST` records (or all), never of a record. A record
that lost what the facts ask for is added to each group, so that nobody is ruled out for certain.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 32
"""Records of a group."""

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
    """

    least: tuple[int, ...]
    lost: tuple[tuple[tuple[float, int], ...], ...]
    by_number: tuple[bool, ...]
    kept: float

    def placements(self, released: Ints, visible: int, hidden: int, size: int) -> Floats:
        """Chance of drawing certain cells of a record, and any of its lost ones beside them.

        Σ P(H | n)·H^(j)/N^(h + j), where N = n + H and x^(k) = x·(x − 1)⋯(x − k + 1), over the N of
        at least `size` cells.

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

        >>> cells = LostCells((2,), (((1.0, 1000),),), (True,), 2 / 3)
        >>> n = np.array([2])
        >>> cells.placements(n, 1, 0, 1).round(3), cells.placements(n, 0, 1, 1).round(3)
        (array([0.333]), array([0.333]))
        """
        found = np.zeros(released.size)
        group = np.maximum(np.searchsorted(self.least, released, side="right") - 1, 0)
        usual = (1.0 - self.kept) / self.kept
        for k, each in enumerate(self.lost):
            here = np.flatnonzero(group == k)
            n = released[here].astype(np.float64)
            enough = np.maximum(max(size, visible + hidden) - n, hidden)
            total = _placed(n, np.maximum(np.rint(n * usual), enough), visible, hidden, size)
            for lost, records in each:
                gone = np.rint(np.full(n.size, lost) if self.by_number[k] else n * lost)
                total += records * _placed(n, gone, visible, hidden, size)
            found[here] = total / (1 + sum(records for _, records in each))
        return found


def _placed(n: Floats, gone: Floats, visible: int, hidden: int, size: int) -> Floats:
    """H^(j)/N^(h + j) of records that lost a known number of cells."""
    found = (n + gone >= max(size, visible + hidden)).astype(np.float64)
    for i in range(hidden):
        found *= np.maximum(gone - i, 0.0) / np.maximum(n + gone - i, 1.0)
    for i in range(hidden, hidden + visible):
        found /= np.maximum(n + gone - i, 1.0)
    return found


def lost_cells(released: Ints, before: Ints) -> LostCells:
    """Count the lost cells.

    Parameters
    ----------
    released, before : int64 arrays, shape (N,)
        Cells of each record, N at least 1, that are released, and that it had.

    Examples
    --------
    >>> lost_cells(np.array([1, 1, 4]), np.array([2, 2, 4]))
    LostCells(least=(1,), lost=(((0.0, 1), (1.0, 2)),), by_number=(False,), kept=0.75)
    >>> lost_cells(np.array([1, 2, 4]), np.array([2, 3, 5])).lost
    (((1.0, 3),),)
    """
    order = np.argsort(released, kind="stable")
    n, lost = released[order], (before - released)[order]
    ends = np.append(np.flatnonzero(n[1:] != n[:-1]) + 1, n.size)
    least, found, begin = list[int](), list[tuple[tuple[float, int], ...]](), 0
    by_number = list[bool]()
    for end in ends.tolist():
        last = n.size - end < FEWEST  # too few are left to be a group
        if end - begin < FEWEST and not last:
            continue
        until = n.size if last else end
        least.append(int(n[begin]))
        number = lost[begin:until].astype(np.float64)
        ratio = number / n[begin:until]
        by_number.append(_spread(number) < _CLEARLY * _spread(ratio))
        found.append(_points(np.sort(number if by_number[-1] else ratio)))
        begin = until
        if last:
            break
    kept = float(released.sum() / max(int(before.sum()), 1))
    return LostCells(tuple(least), tuple(found), tuple(by_number), kept)


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
