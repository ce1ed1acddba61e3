"""Functions that return the same bits on every machine.

NumPy, SciPy and the C library choose their exp, log, power and special functions by processor, and
these differ in the last bits; so does BLAS in the order of its sums. The functions here use IEEE
754 additions, multiplications, divisions and square roots, comparisons and integers alone, each
rounded by itself: Numba neither contracts nor reorders them unless it is asked to (`fastmath`).
Constants and tables come from Python's `decimal`, which is exact to the digits asked for.

`elementary` holds the functions of one number, for compiled loops; the functions of this module
take arrays. Sums by `numpy.sum`, `mean`, `cumsum` and `bincount` have a fixed order and need no
replacement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.numeric.arrays import (
        exp,
        exp2,
        interpolate,
        log,
        log1p,
        log2,
        log_parts,
        matmul,
        power,
    )
    from sim.numeric.beta import beta_quantile
    from sim.numeric.constants import LN2
    from sim.numeric.factorials import log_choose
    from sim.numeric.normal import normal_cdf, normal_quantile, normal_quantiles

__all__ = [
    "LN2",
    "beta_quantile",
    "exp",
    "exp2",
    "interpolate",
    "log",
    "log1p",
    "log2",
    "log_choose",
    "log_parts",
    "matmul",
    "normal_cdf",
    "normal_quantile",
    "normal_quantiles",
    "power",
]


def __getattr__(name: str) -> Any:
    """Import the functions when first used: they compile, and formatting a number does not."""
    if name not in __all__:
        raise AttributeError(f"module 'sim.numeric' has no attribute {name!r}")
    from sim.numeric import arrays, beta, constants, factorials, normal

    homes = (arrays, beta, constants, factorials, normal)
    return next(getattr(home, name) for home in homes if hasattr(home, name))
