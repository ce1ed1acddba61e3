"""The elementary functions of arrays, and two operations that depend on the machine in NumPy."""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.numeric import elementary
from sim.numeric.compiled import njit, vectorize

Floats = NDArray[np.float64]


@vectorize
def _exp(x):  # type: ignore[no-untyped-def]
    return elementary.exp(x)


@vectorize
def _exp2(x):  # type: ignore[no-untyped-def]
    return elementary.exp2(x)


@vectorize
def _log(x):  # type: ignore[no-untyped-def]
    return elementary.log(x)


@vectorize
def _log2(x):  # type: ignore[no-untyped-def]
    return elementary.log2(x)


@vectorize
def _log1p(x):  # type: ignore[no-untyped-def]
    return elementary.log1p(x)


@vectorize
def _power(x, y):  # type: ignore[no-untyped-def]
    return elementary.power(x, y)


def _floats(x: ArrayLike) -> Any:
    return np.asarray(x, np.float64)


def _quietly(function: Any, *given: ArrayLike) -> Floats:
    """Apply a function without warnings: compiled code computes both sides of a choice."""
    with np.errstate(all="ignore"):
        return np.asarray(function(*(_floats(x) for x in given)))


_UNIT = 2.0**-40


@njit
def _log_parts(x, parts):  # type: ignore[no-untyped-def]
    for k in range(x.size):
        high, low = elementary.log_pair(x[k])
        parts[0, k] = np.rint(high / _UNIT) * _UNIT
        parts[1, k] = high - parts[0, k] + low


def log_parts(x: ArrayLike) -> Floats:
    """Ln of K positive numbers as a multiple of 2^−40 and the rest, shape (2, K).

    The parts of ln a − ln b are then differences without an error that matters, and their sum is
    the same for all a and b of the same ratio, but for one in thousands.

    Examples
    --------
    >>> a, b = log_parts([6.0, 4.0]), log_parts([3.0, 2.0])
    >>> ((a - b)[0] + (a - b)[1]).tolist() == 2 * [float(log(2.0))]
    True
    """
    given = _floats(x)
    parts = np.empty((2, given.size))
    _log_parts(given, parts)
    return parts


def exp(x: ArrayLike) -> Floats:
    """e^x.

    Examples
    --------
    >>> exp([0.0, 1.0, -np.inf]).tolist()
    [1.0, 2.718281828459045, 0.0]
    """
    return _quietly(_exp, x)


def exp2(x: ArrayLike) -> Floats:
    """2^x, exactly for whole x.

    Examples
    --------
    >>> exp2([-1.0, 0.5, 1023.0]).tolist()
    [0.5, 1.4142135623730951, 8.98846567431158e+307]
    """
    return _quietly(_exp2, x)


def log(x: ArrayLike) -> Floats:
    """Ln x; −∞ of 0 and NaN below, without a warning.

    Examples
    --------
    >>> log([1.0, 10.0, 0.0]).tolist()
    [0.0, 2.302585092994046, -inf]
    """
    return _quietly(_log, x)


def log2(x: ArrayLike) -> Floats:
    """log2 x, exactly for powers of 2; −∞ of 0 and NaN below, without a warning.

    Examples
    --------
    >>> log2([8.0, 10.0]).tolist()
    [3.0, 3.321928094887362]
    """
    return _quietly(_log2, x)


def log1p(x: ArrayLike) -> Floats:
    """ln(1 + x).

    Examples
    --------
    >>> log1p([1e-20, 1.0]).tolist()
    [1e-20, 0.6931471805599453]
    """
    return _quietly(_log1p, x)


def power(x: ArrayLike, y: ArrayLike) -> Floats:
    """x^y for x ≥ 0; NaN for x < 0.

    Examples
    --------
    >>> power([0.0, 2.0, 10.0], 0.5).tolist()
    [0.0, 1.4142135623730951, 3.1622776601683795]
    """
    return _quietly(_power, x, y)


@njit
def _matmul(a, b, out):  # type: ignore[no-untyped-def]
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] += a[i, k] * b[k, j]


def matmul(a: ArrayLike, b: ArrayLike) -> Floats:
    """Return the matrix product, summed in the order of the inner index, unlike BLAS.

    Examples
    --------
    >>> matmul([[1.0, 2.0]], [[3.0], [4.0]]).tolist()
    [[11.0]]
    """
    left, right = (np.ascontiguousarray(x, np.float64) for x in (a, b))
    out = np.zeros((left.shape[0], right.shape[1]))
    _matmul(left, right, out)
    return out


def interpolate(x: ArrayLike, places: ArrayLike, values: ArrayLike) -> Floats:
    """Linear interpolation, constant beyond the ends; a compiler may fuse what `numpy.interp` does.

    Parameters
    ----------
    x : array_like, shape (n,)
    places, values : array_like, shape (m,)
        Knots, m ≥ 1; places ascending.

    Examples
    --------
    >>> interpolate([-1.0, 0.5, 2.0], [0.0, 1.0], [10.0, 20.0]).tolist()
    [10.0, 15.0, 20.0]
    """
    at, xs, ys = _floats(x), _floats(places), _floats(values)
    last = xs.size - 1
    below = np.clip(np.searchsorted(xs, at, side="right") - 1, 0, max(last - 1, 0))
    above = np.minimum(below + 1, last)
    width = xs[above] - xs[below]
    slope = np.divide(ys[above] - ys[below], width, out=np.zeros_like(width), where=width > 0)
    found = slope * (at - xs[below]) + ys[below]
    found = np.where(at == xs[below], ys[below], found)
    return np.asarray(np.where(at >= xs[last], ys[last], np.where(at <= xs[0], ys[0], found)))
