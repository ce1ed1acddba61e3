"""The few records that are far longer than all others: tills, tests, or people who are unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric import log
from sim.release.store.store import Store

_HEAVY, _SOME = 1 / 3, 0.01  # of all cells, in one record
_FAR_ABOVE = 3  # times as many as the next record has
_ABOVE, _SPACINGS, _TAIL = 2, 12, 40
"""As well: so many times as many, and so many usual spacings, by so many of the records below."""
_FEW, _FEW_OF = 20, 20  # records that are far above the next, at most; of so many people for each


def long_records(store: Store) -> dict[str, int] | None:
    """Return how many people have far more cells than others, and the most of these; None: nobody.

    Returns
    -------
    dict or None
        Numbers of ``people``, and the ``max_length`` of the others, for ``run.json``.
    """
    far, following = far_above(store.length, store.manifest.n_cells)
    return {"people": far.size, "max_length": following} if far.size else None


def are_left_out(store: Store, most: int | None) -> bool:
    """Whether all people with far more cells than others have more than a number of them."""
    far, _ = far_above(store.length, store.manifest.n_cells)
    return most is not None and bool((far > most).all())


def far_above(length: NDArray[Any], cells: int) -> tuple[NDArray[Any], int]:
    """Return the lengths of the few records that are far longer than all others, and the next.

    Far longer: three times, or twice and more than the tail of the others explains.

    Examples
    --------
    >>> far_above(np.array([1, 2, 7, 2]), 12)
    (array([7]), 2)
    >>> far_above(np.array([90, 80, 12, *[5] * 97]), 667)
    (array([90, 80]), 12)
    >>> far_above(np.array([90, 80, 70, 50, *[20] * 4, *[5] * 92]), 830)
    (array([90, 80, 70, 50]), 20)
    >>> far_above(np.array([3, 2, 2]), 7)[0].size
    1
    >>> far_above(np.array([2, 2, 2, 2]), 8)[0].size
    0
    """
    if length.size < 2:
        return length[:0], 0
    few = max(1, min(_FEW, length.size // _FEW_OF))
    least = min(few + _TAIL + 1, length.size)
    longest = np.sort(np.partition(length, -least)[-least:])[::-1]
    most, following = longest[:few], longest[1 : few + 1]
    far = most >= _FAR_ABOVE * following
    far |= (most >= _ABOVE * following) & (_spacings(longest, few) >= _SPACINGS)
    above = far & (most >= _SOME * cells)
    n = int(np.flatnonzero(above).max(initial=-1)) + 1 or int(most[0] >= _HEAVY * cells)
    return most[:n], int(longest[n])


def _spacings(longest: NDArray[Any], few: int) -> NDArray[np.float64]:
    """Return how many times as far above the next each of the first records is as is usual there.

    In a Pareto tail the k-th logarithm of all, from the top, lies above the next by an exponential
    variable of mean 1/(αk), and 1/α is estimated by the records that follow (B. M. Hill, "A simple
    general approach to inference about the tail of a distribution", Annals of Statistics 3(5),
    1975). It is taken to be no less than the relative error of a count, as equal short records
    show no tail.

    Parameters
    ----------
    longest : array
        Lengths, descending.

    Examples
    --------
    >>> _spacings(np.array([64, 32, 16, 8, 4, 2, 1, 1]), 2).round(2).tolist()
    [0.4, 1.0]
    """
    logarithm = log(longest)
    found = np.zeros(few)
    for k in range(1, min(few, longest.size - 2) + 1):
        tail = logarithm[k : k + _TAIL + 1]
        usual = max(float(np.mean(tail[:-1] - tail[-1])), float(longest[k]) ** -0.5)
        found[k - 1] = k * (logarithm[k - 1] - logarithm[k]) / usual
    return found
