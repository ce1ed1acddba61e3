"""Quantiles and binomial coefficients against exact arithmetic, and against SciPy."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from sim.numeric import beta_quantile, log_choose, normal_cdf, normal_quantile, normal_quantiles
from sim.numeric.binomial import binomial_quantiles, fair_coin_quantile

pytestmark = pytest.mark.fast


@given(st.integers(0, 20_000), st.integers(0, 60))
def test_log_choose(n: int, k: int) -> None:
    found = float(log_choose(n, k))
    if k > n:
        assert found == -math.inf
    else:
        with localcontext() as context:
            context.prec = 50
            exact = Decimal(math.comb(n, k)).ln()
            assert abs(Decimal(found) - exact) <= 2 * Decimal(math.ulp(float(exact)))


def test_log_choose_does_not_depend_on_what_is_asked_for_with_it() -> None:
    alone = float(log_choose(50, 3))
    assert log_choose(np.array([50, 3_000_000], np.int32), 3)[0] == alone


@given(st.floats(-37, 37))
def test_normal_cdf(x: float) -> None:
    assert normal_cdf(x) == pytest.approx(stats.norm.cdf(x), rel=1e-11)


def test_normal_cdf_at_the_ends() -> None:
    assert (normal_cdf(-math.inf), normal_cdf(math.inf)) == (0.0, 1.0)
    assert (normal_cdf(-1e300), normal_cdf(1e300)) == (0.0, 1.0)
    assert math.isnan(normal_cdf(math.nan))


@given(st.floats(1e-12, 1 - 1e-12))
def test_normal_quantile_turns_the_cdf_round(p: float) -> None:
    x = normal_quantile(p)
    around = math.nextafter(x, -math.inf), math.nextafter(x, math.inf)
    assert normal_cdf(around[0]) <= p <= normal_cdf(around[1])


@pytest.mark.parametrize("p", [0.0, 1.0, -0.1, math.nan])
def test_no_normal_quantile_outside(p: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        normal_quantile(p)


@given(st.lists(st.floats(1e-300, 1, exclude_max=True), min_size=1))
def test_normal_quantiles(p: list[float]) -> None:
    np.testing.assert_allclose(
        normal_quantiles(np.array(p)), special.ndtri(p), rtol=1e-13, atol=1e-14
    )


@pytest.mark.parametrize(
    ("a", "b"), [(2.334, 0.512), (0.5, 0.5), (1, 1), (8.2, 1.8), (820, 180), (0.2, 0.02)]
)
def test_beta_quantile(a: float, b: float) -> None:
    p = np.concatenate([np.linspace(0, 1, 301), [1e-12, 1 - 1e-12]])
    np.testing.assert_allclose(
        beta_quantile(a, b, p), special.betaincinv(a, b, p), rtol=1e-10, atol=1e-14
    )


@given(st.floats(0.01, 50), st.floats(0.01, 50), st.lists(st.floats(0, 1), max_size=20))
def test_beta_quantiles_rise_with_the_share(a: float, b: float, p: list[float]) -> None:
    found = beta_quantile(a, b, np.sort(np.array(p, np.float64)))
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= -1e-14).all()


@pytest.mark.parametrize("n", [*range(60), 1000, 12_345])
def test_fair_coin_quantile_is_exact(n: int) -> None:
    below, ways, expected = 0, 1, 0  # ways: math.comb(n, expected), each from the one before
    for expected in range(n + 1):
        below += ways
        if 40 * below >= 2**n:
            break
        ways = ways * (n - expected) // (expected + 1)
    assert fair_coin_quantile(n, Fraction(1, 40)) == expected


@given(st.integers(2, 400), st.data())
def test_binomial_quantiles(n: int, data: st.DataObject) -> None:
    m = data.draw(st.integers(1, n - 1))
    shares = np.array(data.draw(st.lists(st.floats(0, 1, exclude_max=True), max_size=9)), float)
    terms = [math.comb(n, k) * m**k * (n - m) ** (n - k) for k in range(n + 1)]
    for share, found in zip(shares, binomial_quantiles(n, m, shares).tolist(), strict=True):
        # To the rounding of the sums.
        near = Fraction(1, 2**44)
        low, high = (Fraction(float(share)) - near, Fraction(float(share)) + near)
        assert Fraction(sum(terms[: found + 1]), n**n) > low
        assert found == 0 or Fraction(sum(terms[:found]), n**n) <= high


@pytest.mark.parametrize(("n", "m"), [(480_189, 1), (480_189, 240_000), (10**7, 123_456)])
def test_binomial_quantiles_of_many(n: int, m: int) -> None:
    shares = np.linspace(0.0005, 0.9995, 41)
    law = stats.binom(n, m / n)
    found = binomial_quantiles(n, m, shares)
    assert (law.cdf(found) > shares - 1e-9).all()
    assert (law.cdf(found - 1) <= shares + 1e-9).all()
