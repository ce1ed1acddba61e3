"""The theorems of NS08, section 4, as functions, to be drawn beside the measured curves.

Symbols: N records; m attributes of the target known, each to within Sim ≥ 1−ε; a *false match* is
a record r′ with Sim(r, r′) ≤ 1−ε−δ. Logarithms are natural but for bits. Invariant: each function
is the paper's statement and nothing else; where its proof does not carry that far, the docstring
says so, and a function or option named ``sound`` gives what does follow.

The proofs' common step, Lemma 1, needs Sim(r, r′) = Σ_i Sim(r_i, r′_i) / |supp(r)|, the directed
form. With |supp(r) ∪ supp(r′)| below the line, as NS08 defines Sim, a record that holds all of r
and as much again is a false match that agrees with r everywhere. The theorems hold as stated for
the directed similarity, or where all records hold the same items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A (θ, ω)-de-anonymization (NS08, definitions 2 and 3).

    Parameters
    ----------
    theta : float
        Similarity of the record found to the target, in [0, 1].
    omega : float
        Probability of finding one so similar and, over a subset, of saying that there is none.

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
    """ω that was reached: Pr[Sim(r, r*) ≥ θ] (NS08, definition 2).

    Parameters
    ----------
    similarity : array_like, shape (n,)
        Sim of each target to the record guessed for it; 1 for the very record.
    theta : float
        θ, in [0, 1].

    Returns
    -------
    float

    Examples
    --------
    >>> deanonymized([1.0, 1.0, 0.4, 0.1], 1.0)
    0.5
    """
    return float((np.asarray(similarity, dtype=np.float64) >= theta).mean())


def deanonymized_subset(similarity: ArrayLike, no_match: ArrayLike, theta: float) -> float:
    """ω that was reached on a subset D̂ ⊂ D (NS08, definition 3): the worse of the two cases.

    Parameters
    ----------
    similarity : array_like, shape (n,)
        Targets in D̂: Sim to the record found, 0 where the attack said "no match".
    no_match : bool array_like, shape (n′,)
        Targets not in D̂: whether the attack said "no match".
    theta : float
        θ, in (0, 1].

    Returns
    -------
    float

    Examples
    --------
    >>> deanonymized_subset([1.0, 1.0, 1.0, 0.0], [True, False], 1.0)
    0.5
    """
    absent = float(np.asarray(no_match, dtype=np.bool_).mean())
    return min(deanonymized(similarity, theta), absent)


def entropic_deanonymized(bits: ArrayLike) -> float:
    """H that was reached: the mean of min −log2 Π(r′) over r′ with Sim ≥ θ (NS08, definition 4).

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

    Returns
    -------
    bool

    Examples
    --------
    >>> is_false_match(0.5, 0.25, 0.25), is_false_match(0.6, 0.25, 0.25)
    (True, False)
    """
    _open_unit(epsilon=epsilon, delta=delta)
    return similarity <= 1.0 - epsilon - delta


def agreement(similarities: ArrayLike, epsilon: float) -> float:
    """Pr over i ∈ supp(r) of Sim(r_i, r′_i) ≥ 1−ε: below 1−δ for a false match (NS08, lemma 1).

    Parameters
    ----------
    similarities : array_like, shape (|supp(r)|,)
        Sim(r_i, r′_i) over the target's items, 0 where r′ lacks one.
    epsilon : float
        ε, in (0, 1).

    Returns
    -------
    float

    Examples
    --------
    >>> agreement([1.0, 1.0, 0.0, 0.5], 0.1)
    0.5
    """
    _open_unit(epsilon=epsilon)
    return float((np.asarray(similarities, dtype=np.float64) >= 1.0 - epsilon).mean())


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
    _records(n_records)
    _open_unit(delta=delta)
    return n_records * (1.0 - delta) ** np.asarray(m, dtype=np.float64)


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
    >>> math.ceil(theorem1_attributes(480_189, epsilon=0.05, delta=0.2))
    73
    """
    _records(n_records)
    _open_unit(epsilon=epsilon, delta=delta)
    return (math.log(n_records) - math.log(epsilon)) / -math.log1p(-delta)


def theorem1(epsilon: float, delta: float) -> Guarantee:
    """(1−ε−δ, 1−ε), by Scoreboard with α = 1−ε and `theorem1_attributes` (NS08, theorem 1).

    Parameters
    ----------
    epsilon, delta : float
        In (0, 1).

    Returns
    -------
    Guarantee
        θ is 0, and says nothing, where ε + δ ≥ 1.

    Notes
    -----
    The matching set is score > α: an attribute known to exactly 1−ε would shut the target out.
    Read the assumption as Sim > 1−ε, or use a threshold similarity.

    Examples
    --------
    >>> theorem1(0.25, 0.25)
    Guarantee(theta=0.5, omega=0.75)
    """
    _open_unit(epsilon=epsilon, delta=delta)
    return Guarantee(theta=max(1.0 - epsilon - delta, 0.0), omega=1.0 - epsilon)


def theorem1_success(n_records: float, delta: float, m: ArrayLike) -> NDArray[np.float64]:
    """Theorem 1 turned round: ω = 1 − N·(1−δ)^m at each m, the curve to draw.

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

    Returns
    -------
    Guarantee

    Examples
    --------
    >>> theorem2(0.25), theorem2(0.25, sound=True).omega
    (Guarantee(theta=1.0, omega=0.75), 0.5)
    """
    _open_unit(epsilon=epsilon)
    return Guarantee(theta=1.0, omega=max(1.0 - (2.0 if sound else 1.0) * epsilon, 0.0))


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
    >>> math.ceil(theorem3_attributes(480_189, k=8, delta=0.2))
    50
    """
    _records(n_records)
    _open_unit(delta=delta)
    if not k > 1:
        raise ValueError(f"a lineup of {k} records; theorem 3 needs more than 1")
    return max(math.log(n_records / (k - 1.0)) / -math.log1p(-delta), 0.0)


def theorem3(k: float) -> Guarantee:
    """(1, 1/k): a random record of the lineup is the target's (NS08, theorem 3).

    Parameters
    ----------
    k : float
        Size of the lineup, above 1.

    Returns
    -------
    Guarantee

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
    """Theorem 3 turned round: k = 1 + N·(1−δ)^m, the expected lineup at each m.

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
    bits: NDArray[np.float64] = np.log2(theorem3_lineup(n_records, delta, m))
    return bits


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


def theorem5_sparsity(delta: float, gamma: float, lam: float) -> float:
    """Theorem 5: D not (ε, δ)-sparse ⇒ a random 1/λ-subset is not (ε, δγ/λ)-sparse, Pr ≥ 1−γ.

    Parameters
    ----------
    delta, gamma : float
        In (0, 1).
    lam : float
        λ ≥ 1.

    Returns
    -------
    float
        δγ/λ.

    Notes
    -----
    As printed the theorem fails: its proof uses Markov's inequality for a lower tail. One record
    similar to all the others, which are not similar to each other, is in a 1/λ-subset with
    probability 1/λ; without it the subset is perfectly sparse. `theorem5_sound` gives the
    probability that does follow.

    Examples
    --------
    >>> theorem5_sparsity(0.5, 0.5, 10)
    0.025
    """
    _open_unit(delta=delta, gamma=gamma)
    if not lam >= 1:
        raise ValueError(f"a 1/{lam}-subset; theorem 5 needs λ of at least 1")
    return delta * gamma / lam


def theorem5_sound(n_records: int, delta: float, gamma: float, lam: float) -> float:
    """Give the probability that theorem 5's proof does carry, in place of its 1−γ.

    The share X of the sampled records that have a sampled neighbour is at most 1. A record's
    nearest neighbour is sampled with it with probability (n−1)/(N−1), so E[X] ≥ μ = δ(n−1)/(N−1),
    and Pr[X > δγ/λ] ≥ (μ − δγ/λ)/(1 − δγ/λ).

    Parameters
    ----------
    n_records : int
        N, at least 2.
    delta, gamma : float
        In (0, 1).
    lam : float
        λ ≥ 1; the subset is n = N/λ records drawn uniformly without replacement.

    Returns
    -------
    float
        Lower bound on Pr[the subset is not (ε, δγ/λ)-sparse], given that D is not (ε, δ)-sparse.

    Examples
    --------
    >>> round(theorem5_sound(480_189, delta=0.5, gamma=0.5, lam=10), 4)
    0.0256
    """
    if n_records < 2:
        raise ValueError(f"{n_records} records; a neighbour needs at least 2")
    least = theorem5_sparsity(delta, gamma, lam)
    mean = delta * (n_records / lam - 1) / (n_records - 1)
    return max((mean - least) / (1.0 - least), 0.0)


def _open_unit(**values: float) -> None:
    """Refuse what is not strictly between 0 and 1."""
    for name, value in values.items():
        if not 0 < value < 1:
            raise ValueError(f"{name} is {value}; it must lie strictly between 0 and 1")


def _records(n_records: float) -> None:
    """Refuse a release without records."""
    if not n_records >= 1:
        raise ValueError(f"{n_records} records; at least one is needed")
