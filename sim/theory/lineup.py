"""Theorem 3 of NS08: how many attributes leave a lineup of k records.

Invariant: as the paper states it; the two forms are each other's inverse.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.numeric import log, log1p, log2
from sim.theory.definitions import Guarantee
from sim.theory.domain import open_unit, records
from sim.theory.scoreboard import false_matches


def theorem3_attributes(n_records: float, k: float, delta: float) -> float:
    """Attributes for a lineup of k records: m = ln(N/(k−1))/ln(1/(1−δ)) (NS08, theorem 3).

    Parameters
    ----------
    n_records : float
        N.
    k : float
        Size of the lineup, above 1.
    delta : float
        δ, in (0, 1).

    Returns
    -------
    float
        Attributes; round up. 0 where k − 1 ≥ N.

    Examples
    --------
    >>> import math
    >>> math.ceil(theorem3_attributes(480_189, k=8, delta=0.2))
    50
    """
    records(n_records)
    open_unit(delta=delta)
    if not k > 1:
        raise ValueError(f"a lineup of {k} records; theorem 3 needs more than 1")
    return max(float(log(n_records / (k - 1.0)) / -log1p(-delta)), 0.0)


def theorem3(k: float) -> Guarantee:
    """(1, 1/k): a random record of the lineup is the target's (NS08, theorem 3).

    Parameters
    ----------
    k : float
        Size of the lineup, above 1.

    Notes
    -----
    The sparsity assumed, (1−ε−δ, ε), leaves a share ε of the records with a true look-alike, which
    the proof does not count.

    Examples
    --------
    >>> theorem3(8)
    Guarantee(theta=1.0, omega=0.125)
    """
    if not k > 1:
        raise ValueError(f"a lineup of {k} records; theorem 3 needs more than 1")
    return Guarantee(theta=1.0, omega=1.0 / k)


def theorem3_lineup(n_records: float, delta: float, m: ArrayLike) -> NDArray[np.float64]:
    """Theorem 3 inverted: k = 1 + N·(1−δ)^m, the expected lineup at each m.

    Parameters
    ----------
    n_records : float
        N.
    delta : float
        δ, in (0, 1).
    m : array_like
        Attributes known.

    Returns
    -------
    float64 array, of the shape of `m`
        Records, at most N.

    Examples
    --------
    >>> theorem3_lineup(1024, 0.5, [0, 8, 10]).tolist()
    [1024.0, 5.0, 2.0]
    """
    return np.minimum(1.0 + false_matches(n_records, delta, m), n_records)


def theorem3_bits(n_records: float, delta: float, m: ArrayLike) -> NDArray[np.float64]:
    """Entropic form of theorem 3: (1, log2 k) with k = `theorem3_lineup` (NS08, theorem 3).

    Parameters
    ----------
    n_records : float
        N.
    delta : float
        δ, in (0, 1).
    m : array_like
        Attributes known.

    Returns
    -------
    float64 array, of the shape of `m`
        Upper bound on the mean entropy of the uniform distribution over the lineup, in bits.

    Examples
    --------
    >>> theorem3_bits(1024, 0.5, [0, 10]).tolist()
    [10.0, 1.0]
    """
    return log2(theorem3_lineup(n_records, delta, m))
