"""The linkage of a release with the data it was made from: whose records, which items."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.matching import match
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True, eq=False)
class Linkage:
    """Whose the records of a release are, and what its items stand for; no attack sees it.

    Parameters
    ----------
    record : int64 array, shape (records of the release,)
        The person's number in the original; −1: nobody's.
    item : int64 array, shape (items of the original,)
        The released item that stands for it; −1: none.
    """

    record: NDArray[np.int64]
    item: NDArray[np.int64]


@functools.lru_cache(maxsize=4)
def linkage_of(original: Store, released: Store) -> Linkage:
    """Link a release with the original by their identifiers."""
    return Linkage(match(released.records, original.records), match(original.items, released.items))
