"""Estimates of risks and shares that a verdict may rest on, with exact 95% intervals.

Facts about the same people may be drawn several times: arrays have a row for each draw. The draws
are together no larger a sample, so an interval holds that of every draw.

Invariant: an estimate does not depend on the order of draws and targets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric.exact_intervals import (
    bounded_interval,
    clopper_pearson,
    mean_interval,
    quantile_bound,
)
from sim.numeric.intervals import Interval

PERCENTILE = 0.99

_ROUNDING = 1e-9
"""Relative error that the arithmetic of a risk may have, and by which it may be above its bound."""

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
Counts = Mapping[str, int]
"""People in the release (``records``), those who can be attacked (``eligible``), and who were
(``attacked``)."""


def is_above(risk: float, bound: float) -> bool:
    """Whether a risk is above a bound by more than rounding: the only comparison of the two.

    Parameters
    ----------
    risk : float
        The mean of 18 risks of 0.04 is computed as 0.04000000000000001, and keeps a bound of 0.04.

    Examples
    --------
    >>> is_above(0.04000000000000001, 0.04), is_above(0.0400001, 0.04), is_above(0.04, 0.04)
    (False, True, False)
    """
    return risk > bound * (1 + _ROUNDING)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability with its 95% interval.

    Parameters
    ----------
    high_of_all : float
        The upper end for all records, those that could not be attacked counted as found.
    """

    estimate: float
    low: float
    high: float
    high_of_all: float


def estimate_of(row: Mapping[Any, Any], name: str) -> Estimate:
    """Return a share of a table, with its interval from the columns beside it, as an estimate.

    Examples
    --------
    >>> estimate_of({"x": 0.5, "x_low": 0.25, "x_high": 1}, "x")
    Estimate(estimate=0.5, low=0.25, high=1.0, high_of_all=1.0)
    """
    low, high = (float(row[f"{name}{end}"]) for end in ("_low", "_high"))
    return Estimate(float(row[name]), low, high, high)


def estimate_columns(name: str, given: Estimate | None) -> Iterator[tuple[str, float | None]]:
    """Yield an estimate and the ends of its interval, as `estimate_of` reads them."""
    for column, end in ((name, "estimate"), (f"{name}_low", "low"), (f"{name}_high", "high")):
        yield column, None if given is None else getattr(given, end)


def larger_of(one: Estimate, other: Estimate) -> Estimate:
    """Return the larger of each number of two estimates."""
    return Estimate(*map(max, astuple(one), astuple(other)))


def with_rest(high: float, counts: Counts) -> float:
    """Count the records that could not be attacked as found, in the upper end of a share."""
    some = counts["eligible"] / counts["records"]
    return high if some == 1 else some * high + (1 - some)


def share_of_targets(chosen: Truths, counts: Counts) -> Estimate:
    """Return the share of draws and targets that are chosen, shape (draws, targets)."""
    mean, around = over_draws(chosen)
    return Estimate(mean, around.low, around.high, with_rest(around.high, counts))


def share_of_absent(chosen: Truths) -> Estimate:
    """Return the share of people who are not in the release, of whom none are left out."""
    mean, around = over_draws(chosen)
    return Estimate(mean, around.low, around.high, around.high)


def mean_chance(chances: Floats, counts: Counts) -> Estimate:
    """Return the mean of chances, as `share_of_targets` does of what happened."""
    if np.isin(chances, (0.0, 1.0)).all():
        return share_of_targets(chances == 1.0, counts)
    each = [bounded_interval(np.sort(row)) for row in chances]
    low, high = min(one.low for one in each), max(one.high for one in each)
    mean = float(np.sort(chances, axis=None).mean())
    return Estimate(mean, min(low, mean), max(high, mean), with_rest(max(high, mean), counts))


def limited(share: Estimate, limit: float, counts: Counts) -> Estimate:
    """Return a share whose upper end is not above a limit, unless the estimate is."""
    high = max(min(share.high, limit), share.estimate)
    return replace(share, high=high, high_of_all=with_rest(high, counts))


def share_of_claims(named: Truths, right: Truths) -> Estimate | None:
    """Return the share of the claims that are right; None where a draw of facts has no claim."""
    counts = [
        (int(np.count_nonzero(one & claimed)), int(np.count_nonzero(claimed)))
        for one, claimed in zip(right, named, strict=True)
    ]
    if not all(n for _, n in counts):
        return None
    each = [clopper_pearson(*pair) for pair in counts]
    high = max(one.high for one in each)
    found, claimed = (sum(numbers) for numbers in zip(*counts, strict=True))
    return Estimate(found / claimed, min(one.low for one in each), high, high)


def over_draws(chosen: Truths) -> tuple[float, Interval]:
    """Return the share of draws and targets, and an interval that holds that of every draw."""
    draws, n = chosen.shape
    each = [clopper_pearson(int(np.count_nonzero(row)), n) for row in chosen]
    around = Interval(min(one.low for one in each), max(one.high for one in each))
    return int(np.count_nonzero(chosen)) / (draws * n), around


def risks_of(
    risks: Floats,
    counts: Counts,
    by_facts: float | None = None,
) -> dict[str, Estimate]:
    """Mean, 99th percentile and maximum of the risks of people.

    The risk of a person is the mean over draws of facts. Of a sample, the highest risk has no upper
    end below 1. Where all were attacked, its upper end is the largest of what was found in any draw
    and what a fact could reveal that was not drawn. So repeated draws never lower it. No other
    measure has a higher one, if these facts were looked at. The mean is also at most what it
    would be if as many people as may have been missed had a risk of 1, and all others the highest
    risk found in any draw.

    Parameters
    ----------
    risks : float64 array, shape (draws, targets)
        Posteriors of the targets' own records.
    by_facts : float or None
        The highest risk by a fact about one of the targets, or by two.
    """
    # In an order of their own: the last bit of a sum depends on it.
    drawn = np.sort(risks, axis=0)
    risk = np.sort(np.clip(drawn.mean(axis=0), drawn[0], drawn[-1]))
    most = float(risk[-1])
    census = counts["attacked"] == counts["eligible"]
    some = counts["eligible"] / counts["records"]
    found = float(risks.max())
    end_of_highest = max(found, by_facts or 0.0) if census else 1.0
    limit = end_of_highest if census and by_facts is not None else 1.0
    mean = float(risk[0]) if risk[0] == most else float(risk.mean())
    around, missed = mean_interval(risk), clopper_pearson(0, risk.size).high
    high = max(min(around.high, found + (1 - found) * missed, limit), mean)
    place = float(np.quantile(risk, PERCENTILE, method="inverted_cdf"))
    bound = max(min(quantile_bound(risk, PERCENTILE), limit), place)
    # Of all records, a share 1 - some may have any risk.
    rest_end = limit if some >= PERCENTILE else 1.0
    rest = bound if some == 1 else min(quantile_bound(risk, PERCENTILE / some), rest_end)
    return {
        "mean": Estimate(mean, around.low, high, with_rest(high, counts)),
        "percentile_99": Estimate(place, place, bound, max(rest, bound)),
        "highest": Estimate(most, most, end_of_highest, end_of_highest if some == 1 else 1.0),
    }
