"""Exact intervals against SciPy's distributions, and their properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from sim.numeric.exact_intervals import clopper_pearson, mean_interval, quantile_bound

pytestmark = pytest.mark.fast

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=200).map(np.array)


@given(st.integers(1, 30_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_clopper_pearson_is_that_of_the_beta_distribution(given: tuple[int, int]) -> None:
    k, n = given
    found = clopper_pearson(k, n)
    low = 0.0 if k == 0 else beta.ppf(0.025, k, n - k + 1)
    high = 1.0 if k == n else beta.ppf(0.975, k + 1, n - k)
    assert found.low == pytest.approx(low, abs=1e-9)
    assert found.high == pytest.approx(high, abs=1e-9)
    assert k / n in found


@given(st.integers(1, 3000), st.sampled_from([0.5, 0.9, 0.99, 0.999]))
def test_the_bound_of_a_quantile_is_the_order_statistic_of_the_binomial(n: int, q: float) -> None:
    below = int(binom.ppf(0.975, n, q))
    expected = 1.0 if below >= n else below / n
    assert quantile_bound(np.arange(n) / n, q) == pytest.approx(expected, abs=1.01 / n)


@pytest.mark.parametrize(("n", "q"), [(100, 0.5), (300, 0.9), (3000, 0.99)])
def test_the_bound_of_a_quantile_is_no_other_value(n: int, q: float) -> None:
    assert quantile_bound(np.arange(n) / n, q) == int(binom.ppf(0.975, n, q)) / n


@given(SHARES)
def test_the_interval_of_a_mean_holds_it(values: np.ndarray) -> None:
    found = mean_interval(values)
    assert 0 <= found.low <= values.mean() + 1e-12
    assert values.mean() - 1e-12 <= found.high <= 1


def test_the_interval_of_a_mean_by_hand() -> None:
    values = np.array([0.0, 1.0] * 500)
    rest = math.log(2 / 0.025)
    off = math.sqrt(2 * values.var(ddof=1) * rest / 1000) + 7 * rest / (3 * 999)
    found = mean_interval(values)
    assert (found.low, found.high) == pytest.approx((0.5 - off, 0.5 + off))


@pytest.mark.parametrize("p", [0.02, 0.1])
def test_intervals_hold_what_they_promise(p: float) -> None:
    """Of 400 samples of 500, at most some 2.5% have their upper end below the truth."""
    rng = np.random.default_rng(5)
    samples = rng.random((400, 500)) < p
    shares = [clopper_pearson(int(s.sum()), s.size).high < p for s in samples]
    means = [mean_interval(s.astype(np.float64)).high < p for s in samples]
    assert np.mean(shares) <= 0.045
    assert np.mean(means) <= 0.045


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="0 successes in 0"):
        clopper_pearson(0, 0)
    with pytest.raises(ValueError, match="from 0 to 1"):
        mean_interval(np.array([1.5]))
