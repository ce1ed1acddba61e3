"""Confidence intervals: Wilson on proportions, bootstrap on means.

Invariant: an interval holds its own estimate, depends on nothing but the arguments (the bootstrap
is seeded), and a proportion's interval never leaves [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.numeric import normal_cdf, normal_quantile
from sim.numeric.binomial import binomial_quantiles

_DRAWN_AT_ONCE = 1 << 16
"""Values resampled in one step: enough for speed, few enough for the cache."""

_MANY = 1 << 16
"""A sample of more values is not resampled, unless it is very skew; see `bootstrap_mean`."""

_SKEW = 0.05
"""The most that the acceleration of such a sample may be."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval, in the unit of what it is an interval of.

    Parameters
    ----------
    low, high : float
        The ends, ``low <= high``.

    Examples
    --------
    >>> 0.5 in Interval(0.4, 0.6), 0.7 in Interval(0.4, 0.6).widened(0.1)
    (True, True)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"an interval from {self.low} to {self.high} is upside down")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def widened(self, by: float) -> Interval:
        """Return the interval with both ends moved outwards.

        Parameters
        ----------
        by : float
            How far, in the interval's own unit; not negative.

        Returns
        -------
        Interval
            May leave [0, 1] where the interval is one of a proportion.

        Examples
        --------
        >>> Interval(0.25, 0.5).widened(0.25)
        Interval(low=0.0, high=0.75)
        """
        return Interval(self.low - by, self.high + by)


def wilson(successes: float, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for a proportion.

    Parameters
    ----------
    successes : float
        Successes among the `n` trials. May be fractional: a target tied with others at the top
        counts by its expected success.
    n : int
        Trials, at least one.
    level : float
        Confidence level, between 0 and 1.

    Returns
    -------
    Interval
        Two-sided, within [0, 1]; its low end is exactly 0 without a success, its high end exactly
        1 without a failure.

    Raises
    ------
    ValueError
        No trial, successes outside [0, n] or not finite, or a level outside (0, 1).

    Notes
    -----
    E. B. Wilson, "Probable inference, the law of succession, and statistical inference" (1927).
    With fractional successes the variance is at most the binomial one, so the interval errs on
    the wide side.

    Examples
    --------
    >>> interval = wilson(680, 1000)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.6504, 0.7082)
    """
    if n < 1:
        raise ValueError(f"a proportion of {n} trials has no interval")
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials")
    z = _quantile(level)
    p = successes / n
    centre = p + z * z / (2 * n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # Rounding must not push the ends past the estimate or out of [0, 1].
    low = 0.0 if successes == 0 else min(max((centre - half) / scale, 0.0), p)
    high = 1.0 if successes == n else max(min((centre + half) / scale, 1.0), p)
    return Interval(low, high)


def bootstrap_mean(
    values: ArrayLike, seed: int, level: float = 0.95, resamples: int = 2_000
) -> Interval:
    """Bias-corrected and accelerated (BCa) bootstrap interval for a mean.

    Parameters
    ----------
    values : array_like, shape (n,)
        The sample, n of at least two, all finite.
    seed : int
        Seed of the resampling; the same seed gives the same interval.
    level : float
        Confidence level, between 0 and 1.
    resamples : int
        Bootstrap samples, at least 100.

    Returns
    -------
    Interval
        In the unit of `values`. A constant sample gives an interval of width 0.

    Raises
    ------
    ValueError
        Fewer than two values, a value that is not finite, too few resamples, or a level outside
        (0, 1).

    Notes
    -----
    B. Efron, "Better bootstrap confidence intervals" (1987). `scipy.stats.bootstrap` finds the
    acceleration by n jackknife samples, which takes n² steps; for a mean it has a closed form, so
    that the 480,189 records of a large release can be the sample. Memory is O(n). Where more than
    half of the values are equal, only how many of a resample are not is drawn, and which these are.

    Resampling 480,189 values takes 10⁹ draws; so of more than 65,536 values the distribution of
    the resamples' means is taken from its Edgeworth expansion, and their quantiles from that of
    Cornish and Fisher (P. Hall, "The Bootstrap and Edgeworth Expansion", 1992), where the
    acceleration a is at most 0.05 in size. What these leave out is of the order of a² standard
    errors, where 2,000 resamples miss an end by 0.06. The seed and the number of resamples then
    have no effect.

    Examples
    --------
    >>> interval = bootstrap_mean([0.0, 1.0, 1.0, 2.0, 6.0], seed=1)
    >>> 0.0 < interval.low < 2.0 < interval.high < 6.0
    True
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size < 2:
        raise ValueError(f"a sample of shape {sample.shape} has no bootstrap interval")
    if not np.isfinite(sample).all():
        raise ValueError("the sample holds a value that is not finite")
    if resamples < 100:
        raise ValueError(f"{resamples} resamples are too few for an interval")
    z = _quantile(level)
    mean = float(sample.mean())
    if np.ptp(sample) == 0:
        return Interval(float(sample[0]), float(sample[0]))

    # The acceleration has no unit: scaled, its powers can neither overflow nor vanish.
    scale = float(np.abs(sample - mean).max())
    deviations = (sample - mean) / scale
    squares = deviations * deviations
    total = float(squares.sum())
    acceleration = float((squares * deviations).sum()) / (6 * total * math.sqrt(total))
    if sample.size > _MANY and abs(acceleration) <= _SKEW:
        error = scale * (math.sqrt(total) / sample.size)

        def end_of_many(quantile: float) -> float:
            shifted = acceleration + quantile  # the bias is the acceleration
            at = acceleration + shifted / (1 - acceleration * shifted)
            return mean + error * (at + acceleration * (at * at - 1))

        return Interval(min(end_of_many(-z), mean), max(end_of_many(z), mean))

    rng = np.random.default_rng(seed)
    common = float(np.partition(sample, sample.size // 2)[sample.size // 2])
    others = sample[sample != common] - common
    if 2 * others.size < sample.size:
        means, middle = _means_of_few(others, sample.size, rng, resamples)
    else:
        common, middle = 0.0, mean
        means = _means(sample, rng, resamples)

    lower = int(np.count_nonzero(means < middle)) + int(np.count_nonzero(means <= middle))
    # A bias of all or none of the resamples would put the ends at infinity.
    lower = min(max(lower, 1), 2 * resamples - 1)
    bias = normal_quantile(lower / (2 * resamples))

    def end(quantile: float) -> float:
        shifted = bias + quantile
        # At the pole of the correction (extreme skewness and level) the end is the last resample.
        share = normal_cdf(bias + shifted / max(1 - acceleration * shifted, 1e-9))
        return common + float(np.quantile(means, share))

    low, high = end(-z), end(z)
    return Interval(min(low, mean), max(high, mean))


def _means(
    sample: NDArray[np.float64], rng: np.random.Generator, resamples: int
) -> NDArray[np.float64]:
    """Return the means of resamples."""
    means = np.empty(resamples)
    place = np.int32 if sample.size < 2**31 else np.int64  # half the memory, twice the speed
    at_once = max(1, _DRAWN_AT_ONCE // sample.size)
    for begin in range(0, resamples, at_once):
        shape = (min(at_once, resamples - begin), sample.size)
        means[begin : begin + shape[0]] = sample[rng.integers(0, sample.size, shape, place)].mean(
            axis=1
        )
    return means


def _means_of_few(
    others: NDArray[np.float64], n: int, rng: np.random.Generator, resamples: int
) -> tuple[NDArray[np.float64], float]:
    """Return the means of resamples of a sample that is 0 but for others, and its own.

    How many of a resample are others is binomial, and each of these is any of them. So only they
    are drawn.
    """
    drawn = binomial_quantiles(n, others.size, rng.random(resamples))
    sums = np.empty(resamples)
    at_once = max(1, _DRAWN_AT_ONCE // others.size)
    for begin in range(0, resamples, at_once):
        counts = drawn[begin : begin + at_once]
        values = others[rng.integers(0, others.size, counts.sum())]
        of = np.repeat(np.arange(counts.size), counts)
        sums[begin : begin + counts.size] = np.bincount(of, values, counts.size)
    # Added up in the same way, so that a resample of the same values is equal.
    (whole,) = np.bincount(np.zeros(others.size, np.intp), others)
    return sums / n, float(whole) / n


def _quantile(level: float) -> float:
    """Return the two-sided standard normal quantile of a confidence level."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level of {level} is not between 0 and 1")
    # As written in decimal: the double nearest to 0.975 has another quantile in the last bits.
    return normal_quantile((1 + Decimal(repr(level))) / 2)
