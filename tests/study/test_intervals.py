"""Intervals against scipy, against hand-worked values, and by their properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sim.numeric import intervals
from sim.numeric.intervals import Interval, bootstrap_mean, wilson

pytestmark = pytest.mark.fast


@given(n=st.integers(1, 5_000), data=st.data(), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipys_for_whole_successes(n, data, level):
    k = data.draw(st.integers(0, n))
    expected = stats.binomtest(k, n).proportion_ci(level, method="wilson")
    got = wilson(k, n, level)
    assert got.low == pytest.approx(expected.low, abs=1e-12)
    assert got.high == pytest.approx(expected.high, abs=1e-12)


@given(n=st.integers(1, 10**6), share=st.floats(0, 1))
def test_wilson_holds_the_estimate_and_stays_in_range(n, share):
    successes = min(share * n, n)
    got = wilson(successes, n)
    assert 0 <= got.low <= successes / n <= got.high <= 1
    assert got.low < got.high


@given(n=st.integers(1, 1_000), share=st.floats(0, 1))
def test_wilson_is_symmetric_in_success_and_failure(n, share):
    k = share * n
    got, mirrored = wilson(k, n), wilson(n - k, n)
    assert got.low == pytest.approx(1 - mirrored.high, abs=1e-9)
    assert got.high == pytest.approx(1 - mirrored.low, abs=1e-9)


def test_wilson_ends_are_exact_without_success_or_failure():
    assert wilson(0, 7).low == 0.0
    assert wilson(7, 7).high == 1.0
    assert wilson(0, 7).high == pytest.approx(1.959964**2 / (7 + 1.959964**2), rel=1e-6)


def test_wilson_takes_fractional_successes_between_whole_ones():
    assert wilson(2, 10).low < wilson(2.5, 10).low < wilson(3, 10).low
    assert wilson(2, 10).high < wilson(2.5, 10).high < wilson(3, 10).high


@pytest.mark.parametrize(
    ("successes", "n", "level"),
    [(0, 0, 0.95), (-0.1, 5, 0.95), (5.1, 5, 0.95), (np.nan, 5, 0.95), (1, 5, 0), (1, 5, 1)],
)
def test_wilson_refuses_what_is_no_proportion(successes, n, level):
    with pytest.raises(ValueError, match=r"interval|successes|level"):
        wilson(successes, n, level)


def test_bootstrap_is_close_to_scipys_bca():
    sample = np.random.default_rng(5).exponential(3.0, 60)
    expected = stats.bootstrap(
        (sample,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(1)
    ).confidence_interval
    got = bootstrap_mean(sample, seed=2, resamples=20_000)
    width = expected.high - expected.low
    assert got.low == pytest.approx(expected.low, abs=0.05 * width)
    assert got.high == pytest.approx(expected.high, abs=0.05 * width)


def test_bootstrap_covers_the_mean_of_a_skewed_law_about_as_often_as_it_says():
    rng = np.random.default_rng(11)
    covered = sum(
        1.0 in bootstrap_mean(rng.exponential(1.0, 50), seed=s, resamples=400) for s in range(300)
    )
    assert 0.88 <= covered / 300 <= 0.98


def test_bootstrap_depends_on_the_seed_alone():
    values = np.random.default_rng(1).exponential(size=40).tolist()
    assert bootstrap_mean(values, seed=3) == bootstrap_mean(np.array(values), seed=3)
    assert bootstrap_mean(values, seed=3) != bootstrap_mean(values, seed=4)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.integers(0, 2**32))
def test_bootstrap_holds_the_mean_and_stays_within_the_sample(values, seed):
    got = bootstrap_mean(values, seed, resamples=100)
    slack = 1e-9 * (1 + max(map(abs, values)))
    assert min(values) - slack <= got.low <= got.high <= max(values) + slack
    assert float(np.mean(values)) in got.widened(slack)


@pytest.mark.parametrize("values", [[0.0, 5e-324], [0.0, 1e-200, 3e-200], [-1e150, 1e150, 9e150]])
def test_bootstrap_does_not_depend_on_the_unit(values):
    got = bootstrap_mean(values, seed=0)
    assert min(values) <= got.low <= got.high <= max(values)


def test_bootstrap_survives_an_outlier_at_an_extreme_level():
    got = bootstrap_mean([0.0] * 60 + [1.0], seed=0, level=0.99999, resamples=200)
    assert 0 <= got.low <= 1 / 61 <= got.high <= 1


def test_bootstrap_of_a_constant_has_no_width():
    assert bootstrap_mean([0.1, 0.1, 0.1], seed=0) == Interval(0.1, 0.1)


@pytest.mark.parametrize("values", [[], [1.0], [1.0, np.nan], [1.0, np.inf], [[1.0, 2.0]]])
def test_bootstrap_refuses_what_has_no_interval(values):
    with pytest.raises(ValueError, match="sample"):
        bootstrap_mean(values, seed=0)


def test_bootstrap_refuses_few_resamples():
    with pytest.raises(ValueError, match="10 resamples"):
        bootstrap_mean([1.0, 2.0], seed=0, resamples=10)


def test_an_interval_is_never_upside_down():
    with pytest.raises(ValueError, match="upside down"):
        Interval(1.0, 0.0)
    with pytest.raises(ValueError, match="upside down"):
        Interval(float("nan"), 1.0)


@pytest.mark.parametrize("shape", [0.3, 1.0, 4.0])
def test_many_values_have_the_interval_of_their_resamples(
    shape: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the bootstrap does, but for its own noise."""
    values = np.random.default_rng(4).gamma(shape, size=400)
    resampled = bootstrap_mean(values, seed=1, resamples=100_000)
    monkeypatch.setattr(intervals, "_MANY", 399)
    found = bootstrap_mean(values, seed=1)
    error = values.std() / math.sqrt(values.size)
    assert found != resampled
    assert found.low == pytest.approx(resampled.low, abs=0.03 * error)
    assert found.high == pytest.approx(resampled.high, abs=0.03 * error)
    assert bootstrap_mean(-values, seed=2) == Interval(-found.high, -found.low)


def test_many_values_that_are_very_skew_are_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.append(np.zeros(299), 1.0)
    resampled = bootstrap_mean(values, seed=1)
    monkeypatch.setattr(intervals, "_MANY", 100)
    assert bootstrap_mean(values, seed=1) == resampled


@pytest.mark.parametrize("equal", [0.51, 0.9, 0.999])
def test_values_that_are_mostly_equal_have_the_interval_of_all_draws(
    equal: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only those that are not equal are drawn, and how many: the same law."""
    rng = np.random.default_rng(8)
    values = np.where(rng.random(2000) < equal, 0.25, rng.gamma(0.5, size=2000))
    few = bootstrap_mean(values, seed=1, resamples=20_000)
    # What differs by less than is seen in the ends makes no two values equal.
    every = bootstrap_mean(values + 1e-9 * rng.random(2000), seed=1, resamples=20_000)
    error = values.std() / math.sqrt(values.size)
    assert few != every
    assert few.low == pytest.approx(every.low, abs=0.08 * error)
    assert few.high == pytest.approx(every.high, abs=0.08 * error)


def test_few_draws_of_two_values_are_binomial() -> None:
    """Where the interval can be worked out: BCa by the quantiles of the binomial law."""
    found = bootstrap_mean(np.append(np.full(990, 3.0), np.full(10, 4.0)), seed=5, resamples=50_000)
    law = stats.binom(1000, 0.01)
    bias = stats.norm.ppf(law.cdf(10) - law.pmf(10) / 2)
    skew = (1 - 2 * 0.01) / math.sqrt(1000 * 0.01 * 0.99) / 6
    for end, z in ((found.low, -1.959964), (found.high, 1.959964)):
        share = stats.norm.cdf(bias + (bias + z) / (1 - skew * (bias + z)))
        assert end == pytest.approx(3 + law.ppf(share) / 1000, abs=1e-12)
