"""How many cells people had, by how many they show, and which (spec §12.1: T(n, j)).

A record that shows n cells had N with probability P(N | n), counted over all people. What it shows
says more: who holds rare items mostly holds many. So lengths are put into *classes*, and an item
speaks for a class by the share of its cells that people of this length hold; the items of a record
are multiplied, to a power that makes the true lengths of all people likeliest, since tastes repeat
themselves. The same holds for a hidden cell that a fact is about.

People of whom nothing is released are one more kind of record, of known number, that shows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


class People(NamedTuple):
    """How many people had so many cells, by what is released of them; shape (P,) each.

    Parameters
    ----------
    kind : int64 array
        See `LengthModel`.
    before, hidden : int64 arrays
        The cells that an attacker may know of, and those of them that are hidden.
    length : int64 array
        With those that nobody may know of.
    number : int64 array
        Of people.
    """

    kind: Ints
    before: Ints
    hidden: Ints
    length: Ints
    number: Ints


@dataclass(frozen=True, slots=True, eq=False)
class LengthModel:
    """The lengths of people before, of B classes.

    Parameters
    ----------
    kind : int64 array, shape (N + 1,)
        What each record shows: those of the same number of cells are of one kind, of R. The last
        is of the people of whom nothing is released.
    absent : int
        How many of these there are.
    people : People
    of_record : float64 array, shape (N + 1, B) or (1, B)
        How much likelier each class is by the items that a record shows; one row where all records
        are whole.
    of_item, of_item_of_absent : float64 arrays, shape (I + 1, B)
        The same by a hidden cell of an item, of people in the release and of the others; the last
        is of any item that the release lacks.
    """

    kind: Ints
    absent: int
    people: People
    of_record: Floats
    of_item: Floats
    of_item_of_absent: Floats

    @property
    def hides_cells(self) -> bool:
        """Whether anybody in the release had more cells."""
        return bool((self.people.hidden[self.people.kind < self.kind[-1]] > 0).any())

    @property
    def mean_hidden(self) -> Floats:
        """Hidden cells of the people of each kind, on average, shape (R,)."""
        kind, _, hidden, _, number = self.people
        of_each, n_kinds = np.bincount(kind, number * hidden), int(self.kind[-1]) + 1
        mean = of_each / np.maximum(np.bincount(kind, number), 1)
        return np.append(mean, np.zeros(n_kinds - mean.size))

    def placements(
        self, size: int, drawn: int, known_length: tuple[int, int] | None = None
    ) -> Floats:
        """T(n, j) = Σ P(N | n)·(N − n)_j/(N)_k, the chance of drawing certain cells, by class.

        Parameters
        ----------
        size : int
            Cells that all people have who are attacked, at least.
        drawn : int
            k, the cells that were drawn, of which j are hidden.
        known_length : (int, int), optional
            The least and the greatest length that the person may have had, 1/N as likely each.

        Returns
        -------
        float64 array, shape (R, k + 1, B)
            By kind of record, hidden facts j and class.

        Examples
        --------
        Of two people with one visible cell, one had another.

        >>> one, two = np.array([0, 0]), np.array([1, 2])
        >>> people = People(one, two, two - 1, two, one + 1)
        >>> ones = np.ones((2, 2)), np.ones((1, 2)), np.ones((1, 2))
        >>> lengths = LengthModel(np.array([0, 0, 1]), 0, people, *ones)
        >>> lengths.placements(1, 1)[0].sum(axis=1).tolist()
        [0.75, 0.25]
        """
        found = np.zeros((int(self.kind[-1]) + 1, drawn + 1, self.of_item.shape[1]))
        whole = np.bincount(self.people.kind, self.people.number, minlength=len(found))
        chosen = self.people.before >= max(size, drawn)
        if known_length is not None:
            chosen &= self.people.length >= known_length[0]
            chosen &= self.people.length <= known_length[1]
        of, had, hidden, length, number = (column[chosen] for column in self.people)
        share, before = number / whole[of], had.astype(np.float64)
        if known_length is not None:
            share = share / length
        by_class = length_class(length)
        if self.of_item.shape[1] == 1:
            by_class = np.zeros_like(by_class)
        for i in range(drawn):
            share = share / (before - i)
        for j in range(drawn + 1):
            np.add.at(found[:, j], (of, by_class), share)
            share = share * np.maximum(hidden - j, 0)
        return found

    def of_survivors(self) -> LengthModel:
        """Return the same of people who had what they show, and no more."""
        kind, before, hidden, length, number = self.people
        shown = before - hidden
        columns = kind, shown, np.zeros_like(shown), length, number
        people = People(*(column[shown > 0] for column in columns))
        nothing = np.ones((len(self.of_item), 1))
        return LengthModel(self.kind, 0, people, np.ones((1, 1)), nothing, nothing)


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


def of_records(says: Floats, own: Floats, length: Ints, kind: Ints) -> Floats:
    """Return how much likelier each class is by the items of each record, shape (N, B).

    Parameters
    ----------
    says : float64 array, shape (N, B)
        Σ ln `likelier` over the items that a record shows.
    own : float64 array, shape (N,)
        How much of this, for the true class, comes of the record's own cells.
    length, kind : int64 arrays, shape (N,)
        Cells that each record had, and what it shows.
    """
    of, n_classes = length_class(length), says.shape[1]
    pairs, people = np.unique(kind * n_classes + of, return_counts=True)
    by_kind = np.zeros((int(kind.max(initial=0)) + 1, n_classes))
    by_kind[pairs // n_classes, pairs % n_classes] = people
    prior = by_kind[kind] / by_kind[kind].sum(axis=1)[:, None]
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
