"""The attacks of F06, as in the paper, and the baselines (spec, section 4).

Invariant: as in `algorithms`; products start from 1.0 and take the aux items in their order.
"""

from __future__ import annotations

import math

import numpy as np

from reference.similarity import Threshold, column_similarity
from reference.tables import Floats, Mask, PlainAux, PlainRelease, held_columns

ABSENT_SUBSCORE = 0.05
"""Sub-score of an item that a record does not hold (F06, equation 1)."""


def set_intersection(release: PlainRelease, aux: PlainAux) -> Mask:
    """Find the records that hold every aux item, all equally likely (F06, section 4.1).

    Parameters
    ----------
    release : PlainRelease
        N records.

    Returns
    -------
    bool array, shape (N,)
        None of them where the release lacks an aux item.

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, None), (0, 1, 3, None), (1, 0, 4, None)])
    >>> set_intersection(release, PlainAux.of([(0, None, None), (1, None, None)])).tolist()
    [True, False]
    """
    if (aux.item < 0).any():
        return np.zeros(release.n_records, dtype=np.bool_)
    everything: Mask = np.logical_and.reduce(release.held[:, aux.item], axis=1)
    return everything


def tf_idf(release: PlainRelease, aux: PlainAux) -> Floats:
    """Cosine of the vectors of binary tf × log2(N/|supp(i)|) (F06, section 4.2).

    Parameters
    ----------
    release : PlainRelease
        N records, M items.
    aux : PlainAux
        Items that no record holds have no idf and are left out.

    Returns
    -------
    float64 array, shape (N,)
        In [0, 1]; 0 where either vector is null (all its items are held by everyone).

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, None), (1, 1, 3, None)])
    >>> tf_idf(release, PlainAux.of([(0, None, None)])).tolist()
    [1.0, 0.0]
    """
    support = release.support()
    idf = np.where(support > 0, np.log2(release.n_records / np.maximum(support, 1)), 0.0)
    known = [item for item, _, _ in held_columns(release, aux)]
    aux_norm = math.sqrt(float((idf[known] ** 2).sum()))
    record_norms = np.sqrt((release.held * idf**2).sum(axis=1))
    dot = (release.held[:, known] * idf[known] ** 2).sum(axis=1)
    norms = record_norms * aux_norm
    cosine: Floats = np.divide(dot, norms, out=np.zeros(release.n_records), where=norms > 0)
    return cosine


def scoring(
    release: PlainRelease, aux: PlainAux, delta: float | None = None, log: bool = False
) -> Floats:
    """Π over aux of 1 − (|supp(i)|−1)/N if r′ holds i, else 0.05 (F06, section 4.3, eqs. 1 and 2).

    Parameters
    ----------
    release : PlainRelease
        N records.
    aux : PlainAux
        Items that no record holds would multiply every score by 0.05; they are left out.
    delta : float or None
        None for Scoring. Otherwise an item counts as held only if |Δvalue| ≤ δ, a missing value
        passing (section 4.4, eq. 3: 0 is ExactRating, 1 FuzzyRating).
    log : bool
        Return Σ ln(sub-score) instead, which some 250 items cannot drive to 0.

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    >>> release = PlainRelease.of(4, 1, [(0, 0, 5, None), (1, 0, 3, None)])
    >>> scoring(release, PlainAux.of([(0, 5, None)])).tolist()
    [0.75, 0.75, 0.05, 0.05]
    >>> scoring(release, PlainAux.of([(0, 5, None)]), delta=0).tolist()
    [0.75, 0.05, 0.05, 0.05]
    """
    support = release.support()
    measure = Threshold(value=math.inf if delta is None else delta)
    scores = np.full(release.n_records, 0.0 if log else 1.0)
    for item, value, day in held_columns(release, aux):
        counts = column_similarity(release, item, value, day, measure) > 0
        rare = 1.0 - (support[item] - 1) / release.n_records
        factor = np.where(counts, rare, ABSENT_SUBSCORE)
        scores = scores + np.log(factor) if log else scores * factor
    return scores


def not_overlong(release: PlainRelease, share: float = 1 / 3) -> Mask:
    """Keep the records that hold at most a share of all items (F06, section 4.3).

    Parameters
    ----------
    release : PlainRelease
        N records, M items.
    share : float
        Records longer than share·M are no candidates of Scoring.

    Returns
    -------
    bool array, shape (N,)

    Examples
    --------
    >>> release = PlainRelease.of(2, 3, [(0, 0, 5, None), (1, 0, 5, None), (1, 1, 5, None)])
    >>> not_overlong(release).tolist()
    [True, False]
    """
    short: Mask = release.length() <= share * release.n_items
    return short


def longest_record(release: PlainRelease) -> Floats:
    """Guess the longest record, whatever aux says (a baseline).

    Parameters
    ----------
    release : PlainRelease
        N records.

    Returns
    -------
    float64 array, shape (N,)
        The record's length.

    Examples
    --------
    >>> longest_record(PlainRelease.of(2, 2, [(0, 0, 5, None)])).tolist()
    [1.0, 0.0]
    """
    return release.length().astype(np.float64)


def random_guess(release: PlainRelease) -> Floats:
    """Guess uniformly at random (a baseline): all scores tie, so a guess is right 1/N of the time.

    Parameters
    ----------
    release : PlainRelease
        N records.

    Returns
    -------
    float64 array, shape (N,)
        All 0: the expectation itself, with nothing drawn.

    Examples
    --------
    >>> random_guess(PlainRelease.of(2, 2, [(0, 0, 5, None)])).tolist()
    [0.0, 0.0]
    """
    return np.zeros(release.n_records)
