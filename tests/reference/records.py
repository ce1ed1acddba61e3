"""Similarity of two records, and each record's nearest neighbour (spec, section 3).

Invariant: brute force over all pairs; with the paper's denominator the measure is symmetric.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from reference.similarity import Similarity
from reference.tables import Floats, Ints, PlainRelease


def record_similarity(
    release: PlainRelease,
    first: int,
    second: int,
    similarity: Similarity,
    over: Literal["union", "first"] = "union",
) -> float:
    """Sim(r1, r2) = Σ_i Sim(r1i, r2i) / |supp(r1) ∪ supp(r2)| (NS08, section 3).

    Parameters
    ----------
    first, second : int
        Rows.
    similarity : Similarity
        Presence, or a threshold on values, dates or both.
    over : {"union", "first"}
        The denominator: the paper's, or |supp(r1)| alone, the directed form which the proof of
        Lemma 1 needs (see `sim.theory`).

    Returns
    -------
    float
        0 where the denominator is 0.

    Examples
    --------
    >>> from reference import Threshold
    >>> cells = [(0, 0, 5, None), (0, 1, 3, None), (1, 0, 4, None), (1, 2, 2, None)]
    >>> release = PlainRelease.of(2, 3, cells)
    >>> round(record_similarity(release, 0, 1, Threshold(value=1)), 4)  # 1 agrees of 3
    0.3333
    """
    a, b = release.held[first], release.held[second]
    both = a & b
    parts = similarity.weighted(
        1.0,
        np.abs(release.value[first, both] - release.value[second, both]),
        np.abs(release.day[first, both] - release.day[second, both]),
    )
    size = int((a | b).sum() if over == "union" else a.sum())
    total = 0.0
    for part in parts.tolist():
        total += part
    return total / size if size else 0.0


def similarity_matrix(
    release: PlainRelease, similarity: Similarity, over: Literal["union", "first"] = "union"
) -> Floats:
    """Sim(r1, r2) for all pairs of records.

    Parameters
    ----------
    release : PlainRelease
        N records.
    over : {"union", "first"}
        See `record_similarity`; the row is the first record.

    Returns
    -------
    float64 array, shape (N, N)

    Examples
    --------
    >>> from reference import Presence
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, None), (1, 0, 5, None), (1, 1, 1, None)])
    >>> similarity_matrix(release, Presence()).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    n = release.n_records
    rows = [
        [record_similarity(release, a, b, similarity, over) for b in range(n)] for a in range(n)
    ]
    return np.array(rows, dtype=np.float64).reshape(n, n)


def nearest_neighbour(
    release: PlainRelease, similarity: Similarity, over: Literal["union", "first"] = "union"
) -> tuple[Floats, Ints]:
    """Find each record's most similar other record, by brute force (NS08, Fig. 1).

    Parameters
    ----------
    release : PlainRelease
        N ≥ 2 records.
    over : {"union", "first"}
        See `record_similarity`.

    Returns
    -------
    similarity : float64 array, shape (N,)
    record : int64 array, shape (N,)
        The first such record where several are equally similar.

    Raises
    ------
    ValueError
        Fewer than two records.

    Examples
    --------
    >>> from reference import Presence
    >>> release = PlainRelease.of(3, 2, [(0, 0, 5, None), (1, 0, 5, None), (2, 1, 1, None)])
    >>> nearest_neighbour(release, Presence())[0].tolist()
    [1.0, 1.0, 0.0]
    """
    if release.n_records < 2:
        raise ValueError("a nearest neighbour needs at least two records")
    matrix = similarity_matrix(release, similarity, over)
    np.fill_diagonal(matrix, -1.0)
    return matrix.max(axis=1), matrix.argmax(axis=1)


def hamming_to_nearest(release: PlainRelease) -> Floats:
    """Distance to the nearest other record as a fraction of the record's Hamming weight.

    |supp(r) Δ supp(r′)| / |supp(r)|, the least over r′; it may exceed 1 (NS07, Fig. 1).

    Parameters
    ----------
    release : PlainRelease
        N ≥ 2 records, none empty.

    Returns
    -------
    float64 array, shape (N,)

    Raises
    ------
    ValueError
        Fewer than two records, or an empty one.

    Examples
    --------
    >>> release = PlainRelease.of(2, 3, [(0, 0, 5, None), (1, 1, 5, None), (1, 2, 5, None)])
    >>> hamming_to_nearest(release).tolist()
    [3.0, 1.5]
    """
    if release.n_records < 2 or not release.length().all():
        raise ValueError("the Hamming distance to a neighbour needs two records, none empty")
    differ = (release.held[:, None, :] ^ release.held[None, :, :]).sum(axis=2).astype(np.float64)
    np.fill_diagonal(differ, np.inf)
    fraction: Floats = differ.min(axis=1) / release.length()
    return fraction
