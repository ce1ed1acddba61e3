"""Ranks and k-identification (F06, section 4; spec, section 5).

Invariant: ties count against the attacker; every target is identified or failed for one reason.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from reference.decisions import candidate_mask
from reference.tables import Floats, Mask


class Identification(Enum):
    """Whether a target is k-identified, and if not, why (F06, section 4 and Fig. 3)."""

    IDENTIFIED = "identified"
    NOT_NARROW = "not narrow"
    NO_ONE_POSSIBLE = "no one possible"
    MISDIRECTED = "misdirected"


def rank(scores: Floats, target: int, candidates: Mask | None = None) -> int:
    """Count j = the number of candidates that score at least the target's score (F06, section 4).

    Parameters
    ----------
    scores : float64 array, shape (N,)
    candidates : bool array, shape (N,), or None

    Returns
    -------
    int
        At least 1; ties count against the attacker.

    Raises
    ------
    ValueError
        The target is no candidate.

    Examples
    --------
    >>> rank(np.array([2.0, 3.0, 2.0, 1.0]), target=0)
    3
    """
    mask = candidate_mask(scores, candidates)
    if not mask[target]:
        raise ValueError(f"record {target} is no candidate and has no rank")
    return int((scores[mask] >= scores[target]).sum())


def identification(
    scores: Floats,
    target: int,
    k: int,
    candidates: Mask | None = None,
    matching: Mask | None = None,
) -> Identification:
    """Return whether the target is k-identified, or why not (F06, sections 4 and 4.1).

    F06 names the reasons for Set Intersection; this is the one reading that gives its meaning
    there and a meaning to any scores. *No one possible*: the matching set is empty.
    *Misdirected*: the target is not in the set, or k others are strictly above it. *Not narrow*:
    fewer than k are above it, but with those tied with it there are more than k.

    Parameters
    ----------
    scores : float64 array, shape (N,)
    k : int
        At least 1.
    candidates : bool array, shape (N,), or None
    matching : bool array, shape (N,), or None
        The records in the matching set; None for every candidate with a score above −∞. For Set
        Intersection and neighbourhoods, the set itself.

    Examples
    --------
    >>> held_all = np.array([True, True, False])
    >>> identification(held_all.astype(float), 0, 1, matching=held_all).value
    'not narrow'
    >>> identification(held_all.astype(float), 2, 1, matching=held_all).value
    'misdirected'
    """
    mask = (scores > -np.inf) if candidates is None else candidates & (scores > -np.inf)
    likely = mask if matching is None else mask & matching
    if not likely.any():
        return Identification.NO_ONE_POSSIBLE
    if not likely[target] or int((scores[likely] > scores[target]).sum()) >= k:
        return Identification.MISDIRECTED
    if rank(scores, target, likely) > k:
        return Identification.NOT_NARROW
    return Identification.IDENTIFIED
