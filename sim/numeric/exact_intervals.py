"""Confidence bounds that hold for every sample size: none of them rests on a limit theorem.

Invariant: a bound holds its own estimate, stays in [0, 1], and depends on the arguments alone.
"""

from __future__ import annotations

import bisect
import math
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from sim.numeric.arrays import log
from sim.numeric.beta import beta_quantile
from sim.numeric.intervals import Interval


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Clopper and Pearson's exact interval for a proportion.

    Parameters
    ----------
    n : int
        Trials, at least one.
    level : float
        Confidence level; each end has half of what is left.

    Raises
    ------
    ValueError
        No trial, or successes outside [0, n].

    Notes
    -----
    C. Clopper, E. Pearson, "The use of confidence or fiducial limits" (1934).

    Examples
    --------
    >>> interval = clopper_pearson(0, 20)
    >>> interval.low, round(interval.high, 4)
    (0.0, 0.1684)
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials")
    tail = _tail(level)
    low = high = successes / n
    low = 0.0 if successes == 0 else _beta(successes, n - successes + 1, tail)
    high = 1.0 if successes == n else _beta(successes + 1, n - successes, 1 - tail)
    return Interval(min(low, successes / n), max(high, successes / n))


def mean_interval(values: NDArray[np.float64], level: float = 0.95) -> Interval:
    """Maurer and Pontil's empirical Bernstein interval for the mean of values in [0, 1].

    Parameters
    ----------
    values : float64 array, shape (n,)
        In an order of their own: the last bit of a sum depends on it.

    Returns
    -------
    Interval
        [0, 1] for a single value.

    Raises
    ------
    ValueError
        There is no value, or one outside [0, 1].

    Notes
    -----
    A. Maurer, M. Pontil, "Empirical Bernstein Bounds and Sample Variance Penalization" (2009),
    Theorem 4, for each end.

    Examples
    --------
    >>> interval = mean_interval(np.full(1000, 0.25))
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2398, 0.2602)
    """
    n = values.size
    if not n or values.min() < 0 or values.max() > 1:
        raise ValueError("expected values from 0 to 1")
    if n == 1:
        return Interval(0.0, 1.0)
    mean = float(values.mean())
    rest = float(log(np.array([2 / _tail(level)]))[0])
    variance = float(((values - mean) ** 2).sum()) / (n - 1)
    off = math.sqrt(2 * variance * rest / n) + 7 * rest / (3 * (n - 1))
    return Interval(max(mean - off, 0.0), min(mean + off, 1.0))


def bounded_interval(values: NDArray[np.float64], level: float = 0.95) -> Interval:
    """Chernoff's and Hoeffding's interval for the mean of values in [0, 1], of whatever law.

    Parameters
    ----------
    values : float64 array, shape (n,)
        At least one, in an order of their own.

    Notes
    -----
    W. Hoeffding, "Probability inequalities for sums of bounded random variables" (1963), Theorem 1:
    the ends p at which n·KL(mean, p) = −ln of the tail.

    Examples
    --------
    >>> interval = bounded_interval(np.full(100, 0.5))
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.367, 0.633)
    >>> round(bounded_interval(np.zeros(20)).high, 4)  # as of Clopper and Pearson
    0.1684
    """
    mean = float(values.mean())
    most = -float(log(np.array([_tail(level)]))[0]) / values.size
    return Interval(_where_far(mean, 0.0, most), _where_far(mean, 1.0, most))


def _where_far(mean: float, end: float, most: float) -> float:
    """Return the p between a mean and an end of [0, 1] at which KL(mean, p) reaches `most`."""
    near, far = mean, end
    for _ in range(60):
        p = (near + far) / 2
        shares = np.array([mean, 1.0 - mean])
        some = shares > 0
        ratio = log(shares[some]) - log(np.array([p, 1.0 - p])[some])
        near, far = (near, p) if float((shares[some] * ratio).sum()) > most else (p, far)
    return far


def quantile_bound(values: NDArray[np.float64], share: float, level: float = 0.95) -> float:
    """Upper confidence bound of a quantile: a value observed, or 1 where the sample is too small.

    Parameters
    ----------
    values : float64 array, shape (n,)
        A sample of values from 0 to 1.
    share : float
        Of the population that is at most the quantile.

    Notes
    -----
    H. David, H. Nagaraja, "Order Statistics" (2003), section 7.1: the k-th smallest value is at
    least the quantile if at most k − 1 of the sample lie below it.

    Examples
    --------
    >>> quantile_bound(np.arange(1000) / 1000, 0.99), quantile_bound(np.zeros(100), 0.99)
    (0.996, 1.0)
    """
    if share >= 1:
        return 1.0
    n, tail = values.size, _tail(level)
    # The fewest b such that more than b of a sample lie below the quantile with probability at
    # most `tail`: that is so if the exact lower bound for b + 1 successes is at least `share`.
    below = bisect.bisect_left(range(n), share, key=lambda b: _beta(b + 1, n - b, tail))
    return 1.0 if below >= n else float(np.sort(values)[below])


def _tail(level: float) -> float:
    # As written in decimal: half of 1 − 0.95 in floats is not 0.025.
    return float((1 - Decimal(repr(level))) / 2)


def _beta(a: int, b: int, p: float) -> float:
    return float(beta_quantile(float(a), float(b), np.array([p]))[0])
