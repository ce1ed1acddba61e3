"""The only comparison of risks with a bound, for verdicts and plans alike (spec §9.1)."""

from __future__ import annotations

_ROUNDING = 1e-9
"""Relative error that the arithmetic of a risk may have, and by which it may be above its bound."""


def is_above(risk: float, bound: float) -> bool:
    """Whether a risk is above a bound by more than rounding.

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
