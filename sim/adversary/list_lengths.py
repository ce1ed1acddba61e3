"""The number of items that each person mentions in public (F06 Table 1; spec §6).

Invariant: among the records with a list, the bins have exactly the shares of the configuration (to
the nearest list), and within a bin records are drawn in proportion to their activity.
"""

from __future__ import annotations

import contextlib
import functools
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.errors import GridError
from sim.numeric import power
from sim.numeric.random import Purpose, unit, words
from sim.release.store.store import Store

FIRSTS = (1, 2, 4, 8, 16, 32, 64)
"""Shortest list of each bin; the last bin is open."""

PEOPLE = (25, 21, 23, 22, 18, 13, 11)
"""People in each bin (F06 Table 1)."""

LONGEST = 511
"""Longest list.

F06 does not give one. Where lists within a bin have probability ∝ 1/length, as between the bins,
133 lists up to this length name 3,801 items on average; F06's name 3,828.
"""


MOST_ACTIVE = 0.99
"""Quantile of record lengths above which every person has a list of mentions."""


def list_bin(size: ArrayLike) -> NDArray[np.int64]:
    """Bin of lists by the number of mentions: 0 for 1, 1 for 2–3, … 6 for 64 and more.

    Parameters
    ----------
    size : array_like of int
        `Aux.size`; 0 (all mentions hidden) gives −1.

    Examples
    --------
    >>> list_bin([1, 3, 15, 16, 500]).tolist()
    [0, 1, 3, 4, 6]
    """
    return np.asarray(np.searchsorted(FIRSTS, np.asarray(size), side="right") - 1, np.int64)


def length_shares(max_length: int = LONGEST) -> NDArray[np.float64]:
    """Probability of every list length.

    Parameters
    ----------
    max_length : int
        Longer lists do not occur; bins beyond are left out.

    Returns
    -------
    float64 array, shape (max_length,)
        Of lengths 1 … longest; sums to 1.

    Examples
    --------
    >>> length_shares(3).round(3).tolist()  # 25 people of 46; 21 of 46 in proportion 1/2 : 1/3
    [0.543, 0.274, 0.183]
    """
    size = np.arange(1, max_length + 1)
    of = list_bin(size)
    within = np.bincount(of, 1 / size)
    people = np.array(PEOPLE[: within.size], np.float64)
    return np.asarray((people / within)[of] / size / people.sum())


@functools.lru_cache(maxsize=8)
def list_lengths(
    store: Store, max_length: int, seed: int, activity_exponent: float = 0.0
) -> NDArray[np.int32]:
    """Length of every record's list of mentions.

    Some records are those of people who say anything in public. Each of these draws a length. A
    record can have a list of n if it holds n items and lacks n: then how many of the mentions it
    holds need not depend on how long it is. Those who cannot have theirs get none; neither do some
    of the others, so that the bins have their shares.

    Parameters
    ----------
    activity_exponent : float
        Whoever holds more is likelier to say something: by the length of the record to this power,
        certainly from the `MOST_ACTIVE` quantile of all lengths on. 0 lets everyone.

    Returns
    -------
    int32 array, shape (n_records,)
        0 for a record without a list.

    Raises
    ------
    GridError
        No record can have a list of some bin.
    """
    n_records, n_items = store.manifest.n_records, store.manifest.n_items
    everyone = np.arange(n_records)
    reach = np.cumsum(length_shares(max_length))
    drawn = 1 + np.searchsorted(
        reach[:-1], unit(words(seed, Purpose.LIST_LENGTH, everyone)), side="right"
    )
    busy = store.length / max(1.0, float(np.quantile(store.length, MOST_ACTIVE)))
    says = unit(words(seed, Purpose.LIST_WRITER, everyone)) < power(
        np.minimum(busy, 1.0), activity_exponent
    )
    held = store.items_held
    able = says & (held >= drawn) & (n_items - held >= drawn)
    of = np.where(able, list_bin(drawn), -1)
    keys = words(seed, Purpose.LIST_QUOTA, everyone)
    quotas = _quotas(np.bincount(of[able], minlength=int(list_bin(max_length)) + 1).tolist())
    chosen = np.zeros(n_records, np.int32)
    for bin_, quota in enumerate(quotas):
        here = np.flatnonzero(of == bin_)
        first = here[np.lexsort((here, keys[here]))[:quota]]
        chosen[first] = drawn[first]
    return chosen


def longest_lists(store: Store, max_length: int, seed: int, activity_exponent: float) -> int:
    """Return the greatest length, up to one, that a release is large enough for.

    Raises
    ------
    GridError
        It is too small for any list.
    """
    for longest in (max_length, *(first - 1 for first in FIRSTS[:1:-1] if first <= max_length)):
        with contextlib.suppress(GridError):
            list_lengths(store, longest, seed, activity_exponent)
            return longest
    list_lengths(store, 1, seed, activity_exponent)
    return 1


def _quotas(able: list[int]) -> list[int]:
    """Most lists of each bin such that the bins have their shares."""
    for people, first in zip(able, FIRSTS, strict=False):
        if not people:
            shorter = f"set adversary.max_length={first - 1}" if first > 1 else "choose another"
            raise GridError(
                f"adversary=mentions: the release is too small for lists of {first} or more "
                f"mentions: a record must hold and lack that many items; {shorter}"
            )
    scale = min(Fraction(n, p) for n, p in zip(able, PEOPLE, strict=False))
    return [int(scale * p) for p, _ in zip(PEOPLE, able, strict=False)]
