"""Definitions of NS08, sections 3 and 4: sparsity, de-anonymization, false matches; and lemma 1.

Invariant: each function measures what its definition says, on whatever sample it is given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sim.theory.domain import open_unit


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A (θ, ω)-de-anonymization (NS08, definitions 2 and 3).

    Parameters
    ----------
    theta : float
        Similarity of the record found to the target, in [0, 1].
    omega : float
        Probability of finding a record this similar and, over a subset, of reporting none.

    Examples
    --------
    >>> Guarantee(theta=1.0, omega=0.95).omega
    0.95
    """

    theta: float
    omega: float


def sparsity(nearest: ArrayLike, epsilon: float) -> float:
    """δ of a release: Pr_r[some r′ ≠ r has Sim(r, r′) > ε] (NS08, definition 1).

    The paper prints "for all r′"; its Fig. 1 and its proofs need "some".

    Parameters
    ----------
    nearest : array_like, shape (n,)
        Similarity of each record, or of a sample of them, to its nearest other record.
    epsilon : float
        ε, in [0, 1].

    Returns
    -------
    float
        The least δ for which the release is (ε, δ)-sparse.

    Examples
    --------
    >>> sparsity([0.1, 0.3, 0.5, 0.9], 0.5)
    0.25
    """
    return float((np.asarray(nearest, dtype=np.float64) > epsilon).mean())


def deanonymized(similarity: ArrayLike, theta: float) -> float:
    """Attained ω: Pr[Sim(r, r*) ≥ θ] (NS08, definition 2).

    Parameters
    ----------
    similarity : array_like, shape (n,)
        Sim of each target to the record guessed for it; 1 for the very record.
    theta : float
        θ, in [0, 1].

    Examples
    --------
    >>> deanonymized([1.0, 1.0, 0.4, 0.1], 1.0)
    0.5
    """
    return float((np.asarray(similarity, dtype=np.float64) >= theta).mean())


def deanonymized_subset(similarity: ArrayLike, no_match: ArrayLike, theta: float) -> float:
    """Attained ω on a subset D̂ ⊂ D (NS08, definition 3): the worse of the two cases.

    Parameters
    ----------
    similarity : array_like, shape (n,)
        Targets in D̂: Sim to the record found, 0 where the attack said "no match".
    no_match : bool array_like, shape (n′,)
        Targets not in D̂: whether the attack said "no match".
    theta : float
        θ, in (0, 1].

    Examples
    --------
    >>> deanonymized_subset([1.0, 1.0, 1.0, 0.0], [True, False], 1.0)
    0.5
    """
    absent = float(np.asarray(no_match, dtype=np.bool_).mean())
    return min(deanonymized(similarity, theta), absent)


def entropic_deanonymized(bits: ArrayLike) -> float:
    """Attained H: the mean of min −log2 Π(r′) over r′ with Sim ≥ θ (NS08, definition 4).

    Parameters
    ----------
    bits : array_like, shape (n,)
        Of each target; log2 N where there is no such r′.

    Returns
    -------
    float
        Bits.

    Examples
    --------
    >>> entropic_deanonymized([0.0, 1.0, 5.0])
    2.0
    """
    return float(np.asarray(bits, dtype=np.float64).mean())


def is_false_match(similarity: float, epsilon: float, delta: float) -> bool:
    """Sim(r, r′) ≤ 1−ε−δ (NS08, proof of theorem 1).

    Parameters
    ----------
    similarity : float
        Sim(r, r′).
    epsilon, delta : float
        In (0, 1).

    Examples
    --------
    >>> is_false_match(0.5, 0.25, 0.25), is_false_match(0.6, 0.25, 0.25)
    (True, False)
    """
    open_unit(epsilon=epsilon, delta=delta)
    return similarity <= 1.0 - epsilon - delta


def agreement(similarities: ArrayLike, epsilon: float) -> float:
    """Pr over i ∈ supp(r) of Sim(r_i, r′_i) ≥ 1−ε: below 1−δ for a false match (NS08, lemma 1).

    Parameters
    ----------
    similarities : array_like, shape (|supp(r)|,)
        Sim(r_i, r′_i) over the target's items, 0 where r′ lacks one.
    epsilon : float
        ε, in (0, 1).

    Examples
    --------
    >>> agreement([1.0, 1.0, 0.0, 0.5], 0.1)
    0.5
    """
    open_unit(epsilon=epsilon)
    return float((np.asarray(similarities, dtype=np.float64) >= 1.0 - epsilon).mean())
