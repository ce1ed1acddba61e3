"""The attacks of NS08 and NS07, as in the papers (spec, section 4).

Invariant: every function takes (release, aux) and gives each of the N records a score or a yes or
no; no score depends on which records are candidates, so a mask only matters to the decisions.
Sums start from 0.0, and take the aux items in their order.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from reference.similarity import (
    Base2,
    Exponential,
    Similarity,
    Threshold,
    column_similarity,
)
from reference.tables import (
    Floats,
    Ints,
    Mask,
    PlainAux,
    PlainRelease,
    held_columns,
)
from sim.numeric import log


def item_weights(release: PlainRelease, kind: Literal["log", "log1p", "none"] = "log") -> Floats:
    """wt(i) of every item, from its support in the release being attacked (NS08, section 4).

    Parameters
    ----------
    release : PlainRelease
        M items.
    kind : {"log", "log1p", "none"}
        1/ln(max(|supp(i)|, 2)), 1/ln(|supp(i)| + 1), or 1.

    Returns
    -------
    float64 array, shape (M,)
        0 where no record holds the item.

    Examples
    --------
    >>> release = PlainRelease.of(3, 2, [(r, 0, None, None) for r in range(3)])
    >>> item_weights(release).round(4).tolist()
    [0.9102, 0.0]
    """
    support = release.support()
    if kind == "log":
        weights = 1.0 / log(np.maximum(support, 2))
    elif kind == "log1p":
        weights = 1.0 / log(np.maximum(support, 1) + 1)
    else:
        weights = np.ones(support.size)
    return np.where(support > 0, weights, 0.0)


def scoreboard(release: PlainRelease, aux: PlainAux, similarity: Similarity) -> Floats:
    """Score(aux, r′) = min over aux of Sim(aux_i, r′_i) (NS08, section 4).

    Parameters
    ----------
    release : PlainRelease
        N records.

    Returns
    -------
    float64 array, shape (N,)
        0 where the record, or the whole release, lacks an aux item.

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, None), (0, 1, 3, None), (1, 0, 5, None)])
    >>> scoreboard(release, PlainAux.of([(0, 5, None), (1, 3, None)]), Threshold(value=0)).tolist()
    [1.0, 0.0]
    """
    scores = np.full(release.n_records, np.inf)
    for item, value, day in aux:
        scores = np.minimum(scores, column_similarity(release, item, value, day, similarity))
    return scores


def matching_set(scores: Floats, alpha: float, candidates: Mask | None = None) -> Mask:
    """Scoreboard's matching set: the candidates with a score above α (NS08, section 4).

    Parameters
    ----------
    scores : float64 array, shape (N,)
    candidates : bool array, shape (N,), or None
        None for all records.

    Returns
    -------
    bool array, shape (N,)

    Examples
    --------
    >>> matching_set(np.array([1.0, 0.5, 0.2]), 0.5).tolist()
    [True, False, False]
    """
    above: Mask = scores > alpha
    return above if candidates is None else above & candidates


def additive_scores(
    release: PlainRelease, aux: PlainAux, similarity: Similarity, weights: Floats
) -> Floats:
    """Σ over aux of wt(i)·Sim(aux_i, r′_i).

    Parameters
    ----------
    release : PlainRelease
        N records, M items.
    weights : float64 array, shape (M,)
        wt(i).

    Returns
    -------
    float64 array, shape (N,)
        One float64 addition per held aux item, in aux order, from 0.0.

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, None), (0, 1, 3, None), (1, 0, 4, None)])
    >>> aux = PlainAux.of([(0, 5, None), (1, 3, None)])
    >>> additive_scores(release, aux, Base2(), np.ones(2)).tolist()
    [2.0, 0.5]
    """
    scores = np.zeros(release.n_records)
    for item, value, day in held_columns(release, aux):
        part = column_similarity(release, item, value, day, similarity, float(weights[item]))
        held = release.held[:, item]
        scores[held] += part[held]
    return scores


def scoreboard_rh(
    release: PlainRelease,
    aux: PlainAux,
    similarity: Similarity | None = None,
    weight: Literal["log", "log1p", "none"] = "log",
) -> Floats:
    """Score(aux, r′) = Σ wt(i)·Sim(aux_i, r′_i), wt(i) = 1/ln|supp(i)| (NS08, sections 4 and 5).

    Parameters
    ----------
    release : PlainRelease
        N records.
    similarity : Similarity or None
        None for the paper's exponential, ρ0 = 1.5 and d0 = 30 days.
    weight : {"log", "log1p", "none"}
        See `item_weights`.

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    >>> release = PlainRelease.of(2, 1, [(0, 0, 5, 10), (1, 0, 5, 40)])
    >>> scoreboard_rh(release, PlainAux.of([(0, 5, 10)])).round(4).tolist()
    [2.8854, 1.9734]
    """
    measure = Exponential() if similarity is None else similarity
    return additive_scores(release, aux, measure, item_weights(release, weight))


def neighbourhood(
    release: PlainRelease,
    aux: PlainAux,
    epsilon_value: float,
    epsilon_day: float,
    delta_value: float = 0.0,
    delta_day: float = 0.0,
) -> Mask:
    """N(aux): at least (1−δ_r)·m′ values within ε_r, (1−δ_d)·m′ days within ε_d (NS07, section 2).

    Values and days are counted apart. Of an item that the record holds, a missing part passes;
    of one that it lacks, neither part does. Of several cells of an item, one whose day agrees is
    taken before one whose value does.

    Parameters
    ----------
    release : PlainRelease
        N records.
    epsilon_value, epsilon_day : float
        ε_r in value units and ε_d in days.
    delta_value, delta_day : float
        δ_r and δ_d, in [0, 1]: the shares that may be wrong. 1 looks at no item.

    Returns
    -------
    bool array, shape (N,)
        n = its sum over the candidates.

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, 3), (0, 1, 3, 3), (1, 0, 5, 3)])
    >>> aux = PlainAux.of([(0, 5, 3), (1, 3, 3)])
    >>> neighbourhood(release, aux, 0, 3).tolist()
    [True, False]
    >>> neighbourhood(release, aux, 0, 3, delta_value=0.5, delta_day=0.5).tolist()
    [True, True]
    """
    values = np.zeros(release.n_records)
    days = np.zeros(release.n_records)
    for item, value, day in aux:
        day_agrees = column_similarity(release, item, value, day, Threshold(day=epsilon_day))
        value_agrees = np.zeros(release.n_records)
        for layer in release.layers:
            alone = replace(layer, more=None)
            right = column_similarity(alone, item, value, day, Threshold(value=epsilon_value))
            on_day = column_similarity(alone, item, value, day, Threshold(day=epsilon_day))
            value_agrees = np.where(
                on_day == day_agrees, np.maximum(right, value_agrees), value_agrees
            )
        values += value_agrees
        days += day_agrees
    return (values >= _needed(delta_value, len(aux))) & (days >= _needed(delta_day, len(aux)))


def correlation(release: PlainRelease, aux: PlainAux, similarity: Base2 | None = None) -> Floats:
    """Δ = Σ over common items of α + β·2^(−|Δvalue|/r0) + γ·2^(−|Δday|/d0) (NS07, section 4).

    Parameters
    ----------
    release : PlainRelease
        N records.
    similarity : Base2 or None
        None for the paper's constants.

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    >>> release = PlainRelease.of(2, 1, [(0, 0, 4, 10), (1, 0, 3, 24)])
    >>> correlation(release, PlainAux.of([(0, 4, 10)])).tolist()
    [3.0, 1.5]
    """
    measure = Base2() if similarity is None else similarity
    return additive_scores(release, aux, measure, item_weights(release, "none"))


def correlation_matches(
    scores: Floats, lengths: Ints, lam: float, candidates: Mask | None = None
) -> Mask:
    """Matching set: c with Δ(c) ≥ Δ(c′) + λσ for all c′ with a shorter record (NS07, section 4).

    σ is the population standard deviation of Δ over those shorter records. As with eccentricity,
    what has nothing to stand out from is no match: a record with no shorter one, and (where
    λσ = 0) one that merely equals the best of the shorter.

    Parameters
    ----------
    scores : float64 array, shape (N,)
        Δ of every record.
    lengths : int64 array, shape (N,)
        |supp(c)|.
    lam : float
        λ > 0.
    candidates : bool array, shape (N,), or None
        Both the records that may match and those compared with.

    Returns
    -------
    bool array, shape (N,)
        The matching set; several records may be in it.

    Examples
    --------
    >>> correlation_matches(np.array([0.0, 1.0, 4.0]), np.array([1, 1, 2]), 2.0).tolist()
    [False, False, True]
    """
    among = np.ones(scores.size, dtype=np.bool_) if candidates is None else candidates
    matches = np.zeros(scores.size, dtype=np.bool_)
    for c in np.flatnonzero(among).tolist():
        shorter = scores[among & (lengths < lengths[c])]
        if shorter.size:
            best = shorter.max()
            matches[c] = scores[c] > best and scores[c] >= best + lam * shorter.std()
    return matches


def _needed(delta: float, m: int) -> float:
    """(1−δ)·m′, less a hair: 0.1·3 items of 10 must not become 3.0000000000000004."""
    return (1.0 - delta) * m - 1e-9
