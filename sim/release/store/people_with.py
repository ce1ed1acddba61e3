"""How many people have at least so many entries, and so many different items."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Store

PEOPLE_WITH = "people_with"
"""Key of these numbers where a release is described, if people have items several times."""

_MOST = 50
"""Entries up to which people are counted: nobody asks for more."""


def people_with(store: Store) -> dict[str, list[int]]:
    """Return how many people have 1, 2, 3 … ``entries`` or more, and different ``items`` or more.

    Each list ends where nobody is left.
    """
    return {"entries": _at_least(store.length), "items": _at_least(store.items_held)}


def _at_least(counts: NDArray[np.int32]) -> list[int]:
    """Return how many of the counts are at least 1, 2, 3 ….

    Examples
    --------
    >>> _at_least(np.array([3, 1, 3], np.int32))
    [3, 2, 2]
    """
    exactly = np.bincount(np.minimum(counts, _MOST))
    return [int(n) for n in exactly[::-1].cumsum()[::-1][1:]]
