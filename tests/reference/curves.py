"""Computes the figures' numbers from the decisions on n targets (spec, section 5).

Invariant: plain definitions on plain arrays; shares, not percentages. An undefined eccentricity
is NaN, which is above no φ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reference.tables import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, eq=False)
class PhiCurve:
    """Shares of the targets at each φ; they sum to 1.

    Parameters
    ----------
    phi, right, wrong, no_match : float64 array, shape (p,)
    """

    phi: Floats
    right: Floats
    wrong: Floats
    no_match: Floats


@dataclass(frozen=True, slots=True)
class EqualError:
    """The point at which the two error rates are equal.

    Parameters
    ----------
    phi : float
        φ*.
    false_positive : float
        Share of the absent targets that are matched at φ*.
    false_negative : float
        Share of the present targets that are not named at φ*.
    """

    phi: float
    false_positive: float
    false_negative: float


def phi_curve(eccentricities: Floats, correct: Mask, phis: Floats) -> PhiCurve:
    """Matched and right, matched and wrong, no match, at each φ.

    Parameters
    ----------
    eccentricities : float64 array, shape (n,)
        Of n ≥ 1 targets; NaN where undefined.
    correct : bool array, shape (n,)
        Whether the best record is the target; never where the target is absent.
    phis : float64 array, shape (p,)

    Examples
    --------
    >>> curve = phi_curve(np.array([2.0, 1.0, np.nan]), np.array([True, False, False]),
    ...                   np.array([0.0, 1.0]))
    >>> curve.right.round(2).tolist(), curve.wrong.round(2).tolist()
    ([0.33, 0.33], [0.33, 0.0])
    """
    matched = eccentricities[:, None] > phis[None, :]
    right = (matched & correct[:, None]).mean(axis=0)
    wrong = (matched & ~correct[:, None]).mean(axis=0)
    return PhiCurve(phis, right, wrong, (~matched).mean(axis=0))


def equal_error(present: Floats, correct: Mask, absent: Floats) -> EqualError:
    """φ*: false positives on absent targets equal false negatives on present ones.

    A present target that is matched to another record is a false negative too (NS08, definition
    3 asks for the right answer). Both rates are steps that change only at an observed
    eccentricity, so they need not meet: φ* is where they are closest, the lowest of several.

    Parameters
    ----------
    present : float64 array, shape (n,)
        Eccentricities with the target in the release; NaN where undefined.
    correct : bool array, shape (n,)
        Whether the best record is the target.
    absent : float64 array, shape (n′,)
        Eccentricities with the target removed.

    Examples
    --------
    >>> present, absent = np.array([4.0, 3.0, 1.0, 5.0]), np.array([0.5, 2.0, 0.1, 0.2])
    >>> equal_error(present, np.ones(4, dtype=bool), absent)
    EqualError(phi=1.0, false_positive=0.25, false_negative=0.25)
    """
    observed = np.concatenate([present, absent])
    phis = np.unique(np.concatenate([[0.0], observed[~np.isnan(observed)]]))
    false_positive = (absent[:, None] > phis[None, :]).mean(axis=0)
    named = (present[:, None] > phis[None, :]) & correct[:, None]
    false_negative = (~named).mean(axis=0)
    best = int(np.argmin(np.abs(false_positive - false_negative)))
    return EqualError(float(phis[best]), float(false_positive[best]), float(false_negative[best]))


def mu(sizes: Ints, n: Ints) -> Floats:
    """μ(n, k): the share of targets whose neighbourhood has at most n records (NS07, section 2).

    Parameters
    ----------
    sizes : int64 array, shape (targets,)
        |N(aux)| of each target, for aux of one size k.
    n : int64 array, shape (p,)

    Returns
    -------
    float64 array, shape (p,)

    Examples
    --------
    >>> mu(np.array([1, 1, 8, 40]), np.array([1, 8, 1000])).tolist()
    [0.5, 0.75, 1.0]
    """
    share: Floats = (sizes[:, None] <= n[None, :]).mean(axis=0)
    return share


def identification_rate(ranks: Ints, k: int) -> float:
    """Share of the targets with rank j ≤ k (F06, section 4).

    Parameters
    ----------
    ranks : int64 array, shape (n,)
        j of each target; 0 where the target is not in the matching set.

    Examples
    --------
    >>> identification_rate(np.array([1, 3, 12, 0]), 10)
    0.5
    """
    return float(((ranks >= 1) & (ranks <= k)).mean())
