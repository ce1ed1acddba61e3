"""Measures as columns of a result, each with the ends of its interval.

Invariant: a measure that does not apply has all its columns, and they are NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric.exact_intervals import clopper_pearson
from sim.numeric.intervals import Interval, bootstrap_mean, wilson

SHARE = ("", "_low", "_high")
MEAN = SHARE
"""Endings of the columns of a proportion, or of a mean, and of its interval."""


def share(name: str, successes: float, n: int) -> dict[str, float]:
    """Return a proportion and its interval as columns of a result.

    Parameters
    ----------
    successes : float
        As for `wilson`.
    n : int
        Trials; a proportion of none is NaN.

    Returns
    -------
    dict of str to float
        `name`, and the ends of its Wilson interval as ``name_low`` and ``name_high``.

    Examples
    --------
    >>> share("right", 1, 2)["right"], share("right", 0, 0)["right_low"]
    (0.5, nan)
    """
    return _share(name, successes, n, wilson)


def exact_share(name: str, successes: int, n: int) -> dict[str, float]:
    """Return a proportion and its exact interval, as an assessment has it.

    Parameters
    ----------
    successes, n : int
        As for `share`.

    Returns
    -------
    dict of str to float
        As of `share`, with the ends of the interval of Clopper and Pearson.

    Examples
    --------
    >>> exact_share("right", 0, 20)["right"], round(exact_share("right", 0, 20)["right_high"], 4)
    (0.0, 0.1684)
    """
    return _share(name, successes, n, clopper_pearson)


def _share(
    name: str, successes: Any, n: int, of: Callable[[Any, int], Interval]
) -> dict[str, float]:
    if n == 0:
        return unmeasured(f"{name}{end}" for end in SHARE)
    interval = of(successes, n)
    return {name: successes / n, f"{name}_low": interval.low, f"{name}_high": interval.high}


def mean(name: str, values: NDArray[np.float64]) -> dict[str, float]:
    """Return a mean and its interval as columns of a result.

    Parameters
    ----------
    values : float64 array, shape (n,)
        In an order of their own: the last bit of a sum depends on it.

    Returns
    -------
    dict of str to float
        `name`, and the ends of its bootstrap interval as ``name_low`` and ``name_high``: NaN
        where there is one value only. All NaN where there is none.

    Examples
    --------
    >>> mean("bits", np.array([2.0, 2.0]))
    {'bits': 2.0, 'bits_low': 2.0, 'bits_high': 2.0}
    """
    row = unmeasured(f"{name}{end}" for end in MEAN)
    if values.size:
        # Equal values can have a mean that is off by one rounding, outside its own interval.
        row[name] = float(values[0] if np.ptp(values) == 0 else values.mean())
    if values.size > 1:
        interval = bootstrap_mean(values, seed=0)
        row[f"{name}_low"], row[f"{name}_high"] = interval.low, interval.high
    return row


def unmeasured(columns: Iterable[str]) -> dict[str, float]:
    """Return the columns of a measure that does not apply.

    Returns
    -------
    dict of str to float
        NaN throughout.

    Examples
    --------
    >>> unmeasured(["mu_1"])
    {'mu_1': nan}
    """
    return dict.fromkeys(columns, math.nan)
