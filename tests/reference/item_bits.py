"""Bits revealed by one known item, holder by holder (spec, section 6: NS08, Fig. 7).

Invariant: brute force over all pairs of holders, whatever is missing.
"""

from __future__ import annotations

import numpy as np

from reference.similarity import Similarity
from reference.tables import Floats, PlainRelease


def item_bits(release: PlainRelease, similarity: Similarity) -> Floats:
    """Mean over an item's holders of log2(N / holders that agree), the holder itself included.

    Parameters
    ----------
    release : PlainRelease
        N records by M items.
    similarity : Similarity
        Presence, or a threshold on values, dates or both; a holder agrees where it is 1.

    Returns
    -------
    float64 array, shape (M,)
        NaN for an item without holders.

    Examples
    --------
    >>> from reference import Presence, Threshold
    >>> cells = [(0, 0, 5, None), (1, 0, 4, None), (2, 0, 1, None), (3, 1, 5, None)]
    >>> release = PlainRelease.of(4, 2, cells)
    >>> item_bits(release, Threshold(value=1)).tolist()  # two see two, one sees itself alone
    [1.3333333333333333, 2.0]
    """
    bits = np.full(release.n_items, np.nan)
    for item in range(release.n_items):
        holders = np.flatnonzero(release.held[:, item])
        gains = []
        for holder in holders.tolist():
            alike = similarity.weighted(
                1.0,
                np.abs(release.value[holders, item] - release.value[holder, item]),
                np.abs(release.day[holders, item] - release.day[holder, item]),
            )
            gains.append(np.log2(release.n_records / alike.sum()))
        if gains:
            bits[item] = np.mean(gains)
    return bits
