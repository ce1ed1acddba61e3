"""Theorems 1, 2 and 4 of NS08: how many attributes Scoreboard needs to name the record.

Invariant: as the paper states them; ``sound`` returns what its proof supports.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.numeric import log, log1p, power
from sim.theory.definitions import Guarantee
from sim.theory.domain import open_unit, records


def false_matches(n_records: float, delta: float, m: ArrayLike) -> NDArray[np.float64]:
    """Bound the expected number of false matches in Scoreboard's matching set: N·(1−δ)^m.

    Lemma 1 lets each of the N records pass m uniformly chosen attributes with probability at most
    (1−δ)^m; drawing them without replacement only helps (NS08, proofs of theorems 1 and 3).

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
        Also bounds, at most 1 being of use, the probability of any false match.

    Examples
    --------
    >>> false_matches(1024, 0.5, [0, 10, 11]).tolist()
    [1024.0, 1.0, 0.5]
    """
    records(n_records)
    open_unit(delta=delta)
    return n_records * power(1.0 - delta, m)


def theorem1_attributes(n_records: float, epsilon: float, delta: float) -> float:
    """Attributes that theorems 1, 2 and 4 ask for: m ≥ (ln N − ln ε)/(−ln(1−δ)) (NS08).

    Parameters
    ----------
    n_records : float
        N.
    epsilon, delta : float
        In (0, 1).

    Returns
    -------
    float
        Attributes; round up. It grows with ln N and 1/δ, and may exceed every record's length.

    Examples
    --------
    >>> import math
    >>> math.ceil(theorem1_attributes(480_189, epsilon=0.05, delta=0.2))
    73
    """
    records(n_records)
    open_unit(epsilon=epsilon, delta=delta)
    return float((log(n_records) - log(epsilon)) / -log1p(-delta))


def theorem1(epsilon: float, delta: float) -> Guarantee:
    """(1−ε−δ, 1−ε), by Scoreboard with α = 1−ε and `theorem1_attributes` (NS08, theorem 1).

    Parameters
    ----------
    epsilon, delta : float
        In (0, 1).

    Returns
    -------
    Guarantee
        θ is 0, a trivial bound, where ε + δ ≥ 1.

    Notes
    -----
    The matching set is score > α: an attribute known to exactly 1−ε would shut the target out.
    Read the assumption as Sim > 1−ε, or use a threshold similarity.

    Examples
    --------
    >>> theorem1(0.25, 0.25)
    Guarantee(theta=0.5, omega=0.75)
    """
    open_unit(epsilon=epsilon, delta=delta)
    return Guarantee(theta=max(1.0 - epsilon - delta, 0.0), omega=1.0 - epsilon)


def theorem1_success(n_records: float, delta: float, m: ArrayLike) -> NDArray[np.float64]:
    """Theorem 1 inverted: ω = 1 − N·(1−δ)^m at each m, the curve to draw.

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
        Lower bound on the probability of no false match, in [0, 1].

    Examples
    --------
    >>> theorem1_success(1024, 0.5, [2, 11, 12]).tolist()
    [0.0, 0.5, 0.75]
    """
    return np.maximum(1.0 - false_matches(n_records, delta, m), 0.0)


def theorem2(epsilon: float, sound: bool = False) -> Guarantee:
    """(1, 1−ε), if D is moreover (1−ε−δ, ε)-sparse (NS08, theorem 2).

    Parameters
    ----------
    epsilon : float
        ε, in (0, 1).
    sound : bool
        Give (1, 1−2ε): the proof lets "no false match" fail for ε of the time, and sparsity lets a
        share ε of the records have a true look-alike; the paper counts only the first.

    Examples
    --------
    >>> theorem2(0.25), theorem2(0.25, sound=True).omega
    (Guarantee(theta=1.0, omega=0.75), 0.5)
    """
    open_unit(epsilon=epsilon)
    return Guarantee(theta=1.0, omega=max(1.0 - (2.0 if sound else 1.0) * epsilon, 0.0))


def theorem4(epsilon: float, delta: float) -> Guarantee:
    """(1−ε−δ, 1−ε) for any released subset D̂ ⊂ D, absent targets included (NS08, theorem 4).

    Parameters
    ----------
    epsilon, delta : float
        In (0, 1).

    Returns
    -------
    Guarantee
        ω holds for present and for absent targets alike.

    Notes
    -----
    For an absent target the proof needs D̂ to hold no true look-alike of it: such a record is no
    false match, may be in the matching set, and is then named.

    Examples
    --------
    >>> theorem4(0.25, 0.25) == theorem1(0.25, 0.25)
    True
    """
    return theorem1(epsilon, delta)
