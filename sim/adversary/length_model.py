"""How many cells people had, by how many they show, and which (spec §12.1: T(n, j)).

A record that shows n cells had N with probability P(N | n), counted over all people. What it shows
says more: who holds rare items mostly holds many. So lengths are put into *classes*, and an item
speaks for a class by the share of its cells that people of this length hold; the items of a record
are multiplied, to a power that makes the true lengths of all people likeliest, since tastes repeat
themselves. The same holds for a hidden cell that a fact is about.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.numeric import exp, log

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

POWERS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""Tried weights of what the items of a record say."""

_PRIOR = 3.0
"""Cells of an item whose holders are as long as all others' are, beside those that it has."""

EDGES = np.unique(np.ceil(2.0 ** (np.arange(2, 64) / 2)).astype(np.int64))
"""The fewest cells of each class of lengths but the first: half an octave."""


def length_class(length: Ints) -> Ints:
    """Return the class of each length.

    Examples
    --------
    >>> length_class(np.array([1, 2, 3, 4, 5, 100])).tolist()
    [0, 1, 2, 3, 3, 12]
    """
    return np.searchsorted(EDGES, length, side="right")


@dataclass(frozen=True, slots=True, eq=False)
class LengthModel:
    """The lengths of people before, of B classes.

    Parameters
    ----------
    released, before, people : int64 arrays, shape (P,)
        How many people have so many cells in the release and had so many before; ascending.
    of_record : float64 array, shape (N, B) or (1, B)
        How much likelier each class is by the items that a record shows; one row where all records
        are whole.
    of_item : float64 array, shape (I + 1, B)
        The same by a hidden cell of an item; the last is of any item that the release lacks.
    """

    released: Ints
    before: Ints
    people: Ints
    of_record: Floats
    of_item: Floats

    def placements(self, size: int, n_facts: int) -> Floats:
        """T(n, j) = Σ P(N | n)·(N − n)_j/(N)_k, the chance of drawing certain cells, by class.

        Parameters
        ----------
        size : int
            Cells that all people have who are attacked, at least.
        n_facts : int
            k, of which j are hidden.

        Returns
        -------
        float64 array, shape (M + 1, k + 1, B)
            By visible cells n and hidden facts j; 0 for an n that nobody has.

        Examples
        --------
        Of two people with one visible cell, one had another.

        >>> one = np.array([1, 1]), np.array([1, 2]), np.array([1, 1])
        >>> lengths = LengthModel(*one, np.ones((2, 2)), np.ones((1, 2)))
        >>> lengths.placements(1, 1)[1].sum(axis=1).tolist()
        [0.75, 0.25]
        """
        found = np.zeros(
            (int(self.released.max(initial=0)) + 1, n_facts + 1, self.of_item.shape[1])
        )
        whole = np.bincount(self.released, self.people, minlength=len(found))
        enough = self.before >= max(size, n_facts)
        n, before = self.released[enough], self.before[enough].astype(np.float64)
        share, of = self.people[enough] / whole[n], length_class(self.before[enough])
        for i in range(n_facts):
            share = share / (before - i)
        for j in range(n_facts + 1):
            np.add.at(found[:, j], (n, of), np.where(n >= n_facts - j, share, 0.0))
            share = share * np.maximum(before - n - j, 0.0)
        return found

    def of_survivors(self) -> LengthModel:
        """Return the same of people who had what they show, and no more."""
        n, place = np.unique(self.released, return_inverse=True)
        people = np.bincount(place, self.people).astype(np.int64)
        return LengthModel(
            n, n, people, np.ones_like(self.of_record[:1]), np.ones_like(self.of_item)
        )


def likelier(cells: Floats) -> Floats:
    """Return how much likelier each class of lengths is by a cell of an item.

    Parameters
    ----------
    cells : float64 array, shape (I, B)
        Cells of each item by the length of whose they are.

    Examples
    --------
    >>> likelier(np.array([[6.0, 0.0], [0.0, 6.0]])).tolist()
    [[1.6666666666666667, 0.3333333333333333], [0.3333333333333333, 1.6666666666666667]]
    """
    usual = cells.sum(axis=0) / max(float(cells.sum()), 1.0)
    expected = (cells.sum(axis=1)[:, None] + _PRIOR) * usual
    some = usual > 0
    return np.where(some, (cells + _PRIOR * usual) / np.where(some, expected, 1.0), 1.0)


def of_records(says: Floats, own: Floats, before: Ints, shown: Ints) -> Floats:
    """Return how much likelier each class is by the items of each record, shape (N, B).

    Parameters
    ----------
    says : float64 array, shape (N, B)
        Σ ln `likelier` over the items that a record shows.
    own : float64 array, shape (N,)
        How much of this, for the true class, comes of the record's own cells.
    before, shown : int64 arrays, shape (N,)
        Cells that each record had, and has.
    """
    of, n_classes = length_class(before), says.shape[1]
    pairs, people = np.unique(shown * n_classes + of, return_counts=True)
    by_shown = np.zeros((int(shown.max(initial=0)) + 1, n_classes))
    by_shown[pairs // n_classes, pairs % n_classes] = people
    prior = by_shown[shown] / by_shown[shown].sum(axis=1)[:, None]
    true = np.arange(len(says)), of
    others = says.copy()
    others[true] -= own
    found = [float(np.cumsum(log(_posterior(others, prior, power)[true]))[-1]) for power in POWERS]
    best = _posterior(says, prior, POWERS[int(np.argmax(found))])
    return np.where(prior > 0, best / np.where(prior > 0, prior, 1.0), 0.0)


def _posterior(says: Floats, prior: Floats, power: float) -> Floats:
    """Return the probability of each class, shape (N, B)."""
    possible = np.where(prior > 0, says, -np.inf)
    weight = exp(power * (possible - possible.max(axis=1)[:, None])) * prior if power else prior
    return np.asarray(weight / weight.sum(axis=1)[:, None])
