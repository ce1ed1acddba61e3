"""exp, log and their kin against decimal arithmetic, and at special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numba import njit

from sim import numeric
from sim.numeric import elementary
from sim.numeric.arrays import interpolate
from sim.numeric.constants import pi

pytestmark = pytest.mark.fast

BOUND = 0.6
"""Units in the last place that a normal result may be off; 0.5 is correct rounding."""

anything = st.floats(width=64)


@njit
def cosines(x):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = elementary.cos(x[i])
    return out


def off(found: float, exact: Decimal) -> float:
    """Units in the last place between a result and the exact value."""
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact))))


def holds(function: Callable, exact: Callable[..., Decimal], *given: float, bound=BOUND) -> None:
    found = float(function(*given))
    with localcontext() as context:
        context.prec = 100
        true = exact(*(Decimal(x) for x in given))
    assert off(found, true) <= bound


def near_one() -> st.SearchStrategy[float]:
    return st.builds(lambda s, e: 1.0 + s * 2.0**e, st.floats(-1, 1), st.integers(-52, -1)).filter(
        lambda x: x > 0
    )


positive = st.floats(2.0**-1074, allow_infinity=False) | near_one()
LN2 = Decimal(2).ln


@given(st.floats(-708, 709.7) | st.floats(-1, 1))
@example(709.782712893384)
def test_exp(x: float) -> None:
    holds(numeric.exp, Decimal.exp, x)


@given(st.floats(-745.1, -708.4))
def test_exp_is_rounded_at_most_twice_where_it_is_subnormal(x: float) -> None:
    holds(numeric.exp, Decimal.exp, x, bound=1)


@given(st.floats(-1022, 1023.99) | st.floats(-1, 1))
def test_exp2(x: float) -> None:
    holds(numeric.exp2, lambda d: (d * LN2()).exp(), x)


@given(positive)
@example(2.0**-1074)
@example(181 / 128)
@example(math.nextafter(181 / 128, 0))
def test_log(x: float) -> None:
    holds(numeric.log, Decimal.ln, x)


@given(positive)
def test_log2(x: float) -> None:
    holds(numeric.log2, lambda d: d.ln() / LN2(), x)


@given(st.floats(-1, exclude_min=True, allow_infinity=False) | st.floats(-1e-8, 1e-8))
@example(math.nextafter(-1, 0))
def test_log1p(x: float) -> None:
    if abs(x) < 2.0**-60:
        assert float(numeric.log1p(x)) == x
    else:
        holds(numeric.log1p, lambda d: (1 + d).ln(), x, bound=0.75)


@given(positive, st.floats(-700, 700))
@example(math.nextafter(1, 2), 1e18)
def test_power(x: float, y: float) -> None:
    size = y * math.log(x)
    if abs(size) < 700:
        holds(numeric.power, lambda a, b: (b * a.ln()).exp(), x, y)
    elif size > 710:
        assert float(numeric.power(x, y)) == math.inf
    elif size < -746:
        assert float(numeric.power(x, y)) == 0.0


def test_cos() -> None:
    """Against its series, around the whole turn and where it is 0."""
    x = np.append(np.linspace(0, 2 * math.pi, 400), [math.pi / 2, 1.5 * math.pi, 99_999.5])
    for angle, found in zip(x.tolist(), cosines(x).tolist(), strict=True):
        with localcontext() as context:
            context.prec = 80
            turn = 2 * pi(80)
            rest = Decimal(angle) % turn
            term, exact, n = Decimal(1), Decimal(0), 0
            while abs(term) > Decimal(10) ** -70:
                exact += term
                n += 2
                term *= -rest * rest / (n * (n - 1))
        assert off(found, exact) <= 1


@pytest.mark.parametrize(
    ("function", "known"),
    [
        (numeric.exp, {-math.inf: 0.0, math.inf: math.inf, 0.0: 1.0, 710.0: math.inf,
                       -746.0: 0.0, 1e-300: 1.0}),
        (numeric.exp2, {-math.inf: 0.0, math.inf: math.inf, 0.0: 1.0, 1024.0: math.inf,
                        -1074.0: 2.0**-1074, -1076.0: 0.0, 1023.0: 2.0**1023}),
        (numeric.log, {0.0: -math.inf, 1.0: 0.0, math.inf: math.inf,
                       -1.0: math.nan, -math.inf: math.nan}),
        (numeric.log2, {0.0: -math.inf, math.inf: math.inf, -1.0: math.nan,
                        **{2.0**n: float(n) for n in range(-1074, 1024)}}),
        (numeric.log1p, {-1.0: -math.inf, -2.0: math.nan, math.inf: math.inf, 0.0: 0.0,
                         1e-320: 1e-320}),
    ],
)  # fmt: skip
def test_special_values(function: Callable, known: dict[float, float]) -> None:
    found = function(list(known))
    np.testing.assert_array_equal(found, list(known.values()))
    assert math.isnan(function(math.nan))


def test_log1p_keeps_the_sign_of_zero() -> None:
    assert math.copysign(1, float(numeric.log1p(-0.0))) == -1


@pytest.mark.parametrize("x", [0.0, 0.5, 1.0, 2.0, math.inf, math.nan])
@pytest.mark.parametrize("y", [-math.inf, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan])
def test_special_powers_are_those_of_c(x: float, y: float) -> None:
    try:
        expected = math.pow(x, y)
    except ValueError:  # a negative power of 0
        expected = math.inf
    np.testing.assert_array_equal(numeric.power(x, y), expected)


def test_no_power_of_negative_numbers() -> None:
    assert math.isnan(numeric.power(-2.0, 2.0))


@given(st.floats(0, allow_infinity=False))
def test_the_first_power_changes_nothing(x: float) -> None:
    assert float(numeric.power(x, 1.0)) == x


@pytest.mark.parametrize("name", ["exp", "exp2", "log", "log2", "log1p"])
@given(st.lists(anything, min_size=1, max_size=40), st.integers(1, 5))
def test_scalars_arrays_and_strides_give_the_same_bits(
    name: str, values: list[float], stride: int
) -> None:
    function, x = getattr(numeric, name), np.array(values)
    whole = function(x).view(np.int64)
    spread = np.zeros((x.size, stride))
    spread[:, 0] = x
    np.testing.assert_array_equal(function(spread[:, 0]).view(np.int64), whole)
    np.testing.assert_array_equal(function(x[::-1])[::-1].copy().view(np.int64), whole)
    one_by_one = np.array([float(function(float(v))) for v in x])
    np.testing.assert_array_equal(one_by_one.view(np.int64), whole)
    compiled = getattr(elementary, name)
    np.testing.assert_array_equal(np.array([compiled(v) for v in x]), function(x))


def test_nothing_is_contracted() -> None:
    """The machine code of a function holds no fused multiplication."""

    @njit
    def everything(x, y, out):
        for i in range(x.size):
            out[i] = (
                elementary.exp(x[i]) + elementary.log(x[i]) * elementary.power(x[i], y[i])
                + elementary.exp2(x[i]) + elementary.log2(x[i]) * elementary.log1p(x[i])
                + elementary.cos(x[i])
            )  # fmt: skip

    x = np.linspace(0.1, 3.0, 100)
    everything(x, x, np.empty_like(x))
    code = "".join(everything.inspect_asm().values())
    assert "mul" in code
    assert not [line for line in code.splitlines() if "fmadd" in line or "fmsub" in line]
    assert not [line for line in code.splitlines() if "fmla" in line or "fnmadd" in line]


def test_matmul_is_the_plain_sum_in_order() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(7, 30)), rng.normal(size=(30, 5))
    expected = np.zeros((7, 5))
    for k in range(30):
        expected += a[:, k, None] * b[None, k]
    np.testing.assert_array_equal(numeric.matmul(a, b), expected)
    assert numeric.matmul(a[:0], b).shape == (0, 5)


def test_interpolation_is_numpys() -> None:
    rng = np.random.default_rng(1)
    places, values = np.sort(rng.random(9)), rng.random(9)
    x = np.concatenate([rng.random(500), places, [-1.0, 2.0]])
    np.testing.assert_allclose(
        numeric.interpolate(x, places, values), np.interp(x, places, values), rtol=1e-15
    )
    np.testing.assert_array_equal(numeric.interpolate(places, places, values), values)
    assert numeric.interpolate([0.3], [0.5], [7.0]).tolist() == [7.0]


@given(
    st.dictionaries(
        st.integers(-8000, 8000).map(lambda n: n / 8), st.floats(-1e3, 1e3), min_size=1, max_size=20
    )
)
def test_interpolation_passes_through_its_knots(knots: dict[float, float]) -> None:
    places = sorted(knots)
    values = [knots[place] for place in places]
    assert interpolate(places, places, values).tolist() == values
