"""Theorem 5 of NS08: the sparsity of a release from a sample.

Invariant: as the paper states it, and as far as its proof goes.
"""

from __future__ import annotations

from sim.theory.domain import open_unit


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
    open_unit(delta=delta, gamma=gamma)
    if not lam >= 1:
        raise ValueError(f"a 1/{lam}-subset; theorem 5 needs λ of at least 1")
    return delta * gamma / lam


def theorem5_sound(n_records: int, delta: float, gamma: float, lam: float) -> float:
    """Return the probability that theorem 5's proof supports, in place of its 1−γ.

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
