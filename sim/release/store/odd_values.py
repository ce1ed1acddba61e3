"""Counts values that look wrong: negative ones, and those far from all others.

Nothing is changed: what is odd is counted, for the user to judge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.release.store.accounts import FAR, NEGATIVE, VALUES

_USUAL = 999, 1000  # of the values, without regard to their signs
_TIMES = 10


def odd(values: NDArray[np.float64], number: NDArray[np.int64]) -> dict[str, int]:
    """Count the odd values in a column.

    A value is far from all others if, without its sign, it is more than 10 times the 99.9%
    quantile (by nearest rank) of all values without their signs. Up to 1,000 values have none.

    Parameters
    ----------
    values : float64 array, shape (L,)
        Distinct and finite.
    number : int64 array, shape (L,)
        How often each occurs.

    Returns
    -------
    dict of str to int
        By the names of the notes, with the number of all values; empty where none is odd.

    Examples
    --------
    >>> odd(np.array([-1.0, 2, 99_999]), np.array([5, 2000, 1]))
    {'negative values': 5, 'values far from all others': 1, \
'values in all, odd or not': 2006}
    >>> odd(np.array([1.0, 2]), np.array([5, 2000]))
    {}
    >>> odd(np.array([1e307, 1.7e308]), np.array([1, 1]))  # no sum or product of these is a float
    {}
    """
    size, total = np.abs(values), int(number.sum())
    if not total:
        return {}
    order = np.argsort(size, kind="stable")
    rank = -(-total * _USUAL[0] // _USUAL[1])
    usual = size[order][np.searchsorted(np.cumsum(number[order]), rank)]
    found = {
        NEGATIVE: int(number[values < 0].sum()),
        FAR: int(number[size / _TIMES > usual].sum()) if usual else 0,  # the product may overflow
    }
    counted = {name: count for name, count in found.items() if count}
    return {**counted, VALUES: total} if counted else {}
