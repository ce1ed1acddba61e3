"""A release beside the original: what recommenders learn from the one to be tested on the other.

Invariant: whatever the release, the tested cells and people are the same ones, and none is left
out: what the release lacks is predicted without it. Whoever uses the release is assumed to know
what its items stand for, even if a defence withholds that.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.linkage import Linkage
from sim.numeric.compiled import njit
from sim.release.store.store import Store
from sim.utility.rows import Rows, rows_of
from sim.utility.split import Split


@dataclass(frozen=True, eq=False)
class Comparison:
    """A release, the original, and how they are linked.

    Parameters
    ----------
    original, released : Store
        The same store twice, to measure the utility before any change.
    linkage : Linkage
    split : Split
        Of the original.
    seed : int
        Of all random draws.
    """

    original: Store
    released: Store
    linkage: Linkage
    split: Split
    seed: int

    @functools.cached_property
    def training(self) -> Rows:
        """The released cells without the tested pairs of person and item.

        Every pseudonym of a person, and an item that stands for a tested one, count as tested.
        """
        rows, test = rows_of(self.released), self.split.test
        kept = _not_tested(
            (rows.start, rows.item), self.linkage.record, (test.start, test.item),
            self.linkage.item, np.full(self.released.manifest.n_items, -1, np.int64),
        )  # fmt: skip
        return rows if kept.all() else rows.where(kept)

    @functools.cached_property
    def record_of(self) -> NDArray[np.int64]:
        """The record by which each person of the original is served; −1: none, shape (people,).

        Of several pseudonyms, the one with the most cells to learn from; of equals, the first.
        """
        person = self.linkage.record
        own = np.flatnonzero(person >= 0)
        ordered = own[np.lexsort((own, -self.training.length[own], person[own]))]
        served, first = np.unique(person[ordered], return_index=True)
        found = np.full(self.original.manifest.n_records, -1, np.int64)
        found[served] = ordered[first]
        return found

    @functools.cached_property
    def name_of_record(self) -> NDArray[np.int64]:
        """A number of each record that draws are keyed by: its person's, shape (records,).

        A person's draws are the same before and after, whatever was dropped. Nobody's record has a
        number after those of all people.
        """
        person = self.linkage.record
        after = self.original.manifest.n_records + np.arange(person.size)
        return np.where(person >= 0, person, after)

    @functools.cached_property
    def name_of_item(self) -> NDArray[np.int64]:
        """A number of each released item that draws are keyed by: its first original's."""
        n_items = self.original.manifest.n_items
        names = n_items + np.arange(self.released.manifest.n_items)
        linked = np.flatnonzero(self.linkage.item >= 0)
        np.minimum.at(names, self.linkage.item[linked], linked)
        return names


@njit
def _not_tested(rows, person, test, item_of, tested_for):  # type: ignore[no-untyped-def]
    start, item = rows
    test_start, test_item = test
    kept = np.empty(item.size, np.bool_)
    for r in range(start.size - 1):
        p = person[r]
        if p >= 0:
            for c in range(test_start[p], test_start[p + 1]):
                g = item_of[test_item[c]]
                if g >= 0:
                    tested_for[g] = r
        for c in range(start[r], start[r + 1]):
            kept[c] = tested_for[item[c]] != r
    return kept
