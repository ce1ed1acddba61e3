"""How many people have at least so many entries, and so many different items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.release.store.store import Store

PEOPLE_WITH = "people_with"
"""Key of these numbers where a release is described, if people have items several times."""

PEOPLE_WITHIN = "people_within_max_length"
"""Key of those of `people_within` in ``run.json``."""

_MOST = 50
"""Entries up to which people are counted: nobody asks for more."""


def people_with(store: Store) -> dict[str, list[int]]:
    """Return how many people have 1, 2, 3 … ``entries`` or more, and different ``items`` or more.

    Each list ends where nobody is left.
    """
    return {"entries": _at_least(store.length), "items": _at_least(store.items_held)}


def people_within(store: Store, most: int | None) -> dict[str, Any] | None:
    """Return `people_with` of those who have a number of entries at most.

    And ``max_items``: the different items that one of them has at most; None: some of the others
    have no more. None where nobody is left out, or no item is there several times.
    """
    if most is None or not store.manifest.has_repeats:
        return None
    within, items = store.length <= most, store.items_held
    if within.all():
        return None
    max_items = int(items[within].max(initial=0))
    return {
        "entries": _at_least(store.length[within]),
        "items": _at_least(items[within]),
        "max_items": max_items if items[~within].min() > max_items else None,
    }


def _at_least(counts: NDArray[np.int32]) -> list[int]:
    """Return how many of the counts are at least 1, 2, 3 ….

    Examples
    --------
    >>> _at_least(np.array([3, 1, 3], np.int32))
    [3, 2, 2]
    """
    exactly = np.bincount(np.minimum(counts, _MOST))
    return [int(n) for n in exactly[::-1].cumsum()[::-1][1:]]
