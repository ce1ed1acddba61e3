"""Whose records a release holds, and what its items stand for: known to whoever made the release.

Invariant: nothing here is given to an attack. Facts are restated with it (`on_release`), and what
is found is counted with it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.matching import match
from sim.errors import StoreError
from sim.release.store.store import Store

IDENTIFIERS = "identifiers"
"""Note of a release whose identifiers do not tell whose its records are, or what its items are."""

NEW = "new"
"""Value of this note."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Linkage:
    """Whose the records of a release are, and what its items stand for; no attack sees it.

    Parameters
    ----------
    record : int64 array, shape (records of the release,)
        The person's number in the original; −1: nobody's.
    item : int64 array, shape (items of the original,)
        The released item that stands for it; −1: none.
    """

    record: Ints
    item: Ints

    @functools.cached_property
    def several(self) -> bool:
        """Whether anybody has more than one record."""
        people = self._by_person[1]
        return bool((people[1:] == people[:-1]).any())

    @functools.cached_property
    def _by_person(self) -> tuple[Ints, Ints]:
        """The records that are somebody's, by person, then by number; and whose they are."""
        order = np.argsort(self.record, kind="stable")
        order = order[np.searchsorted(self.record[order], 0) :]
        return order, self.record[order]

    def records_of(self, person: Ints) -> tuple[Ints, Ints]:
        """Find the records of some people.

        Parameters
        ----------
        person : int64 array, shape (U,)
            Numbers in the original; −1 for none.

        Returns
        -------
        start : int64 array, shape (U + 1,)
        record : int64 array, shape (C,)
            Those of the u-th are ``record[start[u] : start[u + 1]]``, ascending.

        Examples
        --------
        >>> linkage = Linkage(np.array([2, 0, -1, 2]), np.arange(1))
        >>> linkage.records_of(np.array([2, 1, 0]))
        (array([0, 2, 2, 3]), array([0, 3, 1]))
        """
        records, people = self._by_person
        begin = np.searchsorted(people, person)
        size = np.searchsorted(people, person, side="right") - begin
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
        at = np.arange(start[-1]) + np.repeat(begin - start[:-1], size)
        return start, records[at]


_known: dict[tuple[str, str], Linkage] = {}
"""Linkages that identifiers do not tell, by the identities of original and release."""


def remember(original: Store, released: Store, linkage: Linkage) -> None:
    """Keep the linkage of a release whose identifiers do not tell it."""
    _known[_key(original, released)] = linkage


def linkage_of(original: Store, released: Store) -> Linkage:
    """Return the linkage of a release and the data it was made from.

    Identifiers are matched, unless whoever opened the release has said otherwise (`remember`).

    Raises
    ------
    StoreError
        The release has new identifiers, and nobody has said whose they are.
    """
    known = _known.get(_key(original, released))
    if known is not None:
        return known
    if released.manifest.notes.get(IDENTIFIERS) == NEW:
        raise StoreError(
            f"{released.folder}: its records or items have new identifiers; open it with the "
            "defences that made it"
        )
    return _matched(original, released)


def _key(original: Store, released: Store) -> tuple[str, str]:
    return original.manifest.identity, released.manifest.identity


@functools.lru_cache(maxsize=4)
def _matched(original: Store, released: Store) -> Linkage:
    return Linkage(
        record=_places(released.records, original.records),
        item=_places(original.items, released.items),
    )


def _places(ids: Any, known: Any) -> Ints:
    return np.arange(len(ids)) if ids.equals(known) else match(ids, known)
