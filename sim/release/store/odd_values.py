"""Counts values that look wrong: negative ones, and those far from all others.

Nothing is changed: what is odd is counted, for the user to judge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.release.store.accounts import (
    FAR,
    NEGATIVE,
    PLACEHOLDER_VALUES,
    VALUES,
    WHICH_VALUES,
)

CODES = (-9999, -999, -99, -9, -1, 88, 97, 98, 99, 999, 9999, 99_999)
"""Numbers that stand for none in many tables."""

_APART, _SHARE = 2, 0.01  # times the largest other value; of all values

_USUAL = 999, 1000  # of the values, without regard to their signs
_TIMES = 10


def odd(values: NDArray[np.float64], number: NDArray[np.int64]) -> dict[str, int | str]:
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
    dict of str to int or str
        By the names of the notes, with the number of all values; empty where none is odd. Numbers
        that seem to stand for none are counted as such alone.

    Examples
    --------
    >>> odd(np.array([-1.0, 2, 99_999]), np.array([5, 2000, 1]))
    {'negative values': 5, 'values far from all others': 1, \
'values in all, odd or not': 2006}
    >>> odd(np.array([1.0, 5, 99]), np.array([50, 40, 10]))
    {'values that stand for none': 10, 'which values stand for none': '99', \
'values in all, odd or not': 100}
    >>> odd(np.array([1.0, 2]), np.array([5, 2000]))
    {}
    >>> odd(np.array([1e307, 1.7e308]), np.array([1, 1]))  # no sum or product of these is a float
    {}
    """
    total = int(number.sum())
    if not total:
        return {}
    codes = _codes(values, number)
    stand = np.isin(values, codes)
    found: dict[str, int | str] = {}
    if codes:
        found = {
            PLACEHOLDER_VALUES: int(number[stand].sum()),
            WHICH_VALUES: ",".join(f"{code:g}" for code in codes),
        }
    values, number = values[~stand], number[~stand]
    size, rest = np.abs(values), int(number.sum())
    order = np.argsort(size, kind="stable")
    rank = -(-rest * _USUAL[0] // _USUAL[1])
    usual = size[order][np.searchsorted(np.cumsum(number[order]), rank)]
    found |= {
        NEGATIVE: int(number[values < 0].sum()),
        FAR: int(number[size / _TIMES > usual].sum()) if usual else 0,  # the product may overflow
    }
    counted = {name: count for name, count in found.items() if count}
    return {**counted, VALUES: total} if counted else {}


def _codes(values: NDArray[np.float64], number: NDArray[np.int64]) -> list[float]:
    """Return the numbers that seem to stand for none: usual, often there, apart from others."""
    able = np.isin(values, CODES) & (number >= _SHARE * number.sum())
    rest = values[~np.isin(values, CODES)]
    if not rest.size or not able.any():
        return []
    least, most = rest.min(), rest.max()
    apart = (values > _APART * max(most, 0)) | ((values < 0) & (least >= 0))
    return sorted(map(float, values[able & apart]))
