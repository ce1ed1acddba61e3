"""What one block says about one aux set, and how blocks are put together.

A set of block partials is the disjoint union of its blocks, so merging is associative and
commutative to the last bit; `total` folds the blocks in block order, whatever order they came in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

PARTIAL = np.dtype(
    [
        ("candidates", "<i8"),  # records scored
        ("touched", "<i8"),  # of these, sharing at least one item with the aux
        ("sum", "<f8"),
        ("sum_squares", "<f8"),
        ("best", "<f8"),  # highest score; −inf without candidates
        ("best_record", "<i8"),  # lowest record with that score; −1 without candidates
        ("ties", "<i8"),  # records with that score
        ("second", "<f8"),  # second-highest score with multiplicity; −inf if there is none
        ("at_least", "<i8"),  # records scoring at least the target's score
    ]
)
"""One row per aux set."""

Partials = NDArray[Any]


def total(blocks: dict[int, Partials]) -> Partials:
    """Fold block partials into those of the whole release.

    Parameters
    ----------
    blocks : dict of int to PARTIAL array, shape (S,)
        Partials of each block, of the same S aux sets.

    Returns
    -------
    PARTIAL array, shape (S,)

    Examples
    --------
    >>> a, b = np.zeros(1, PARTIAL), np.zeros(1, PARTIAL)
    >>> a["best"], a["ties"], a["second"], b["best"], b["ties"] = 2.0, 1, 0.5, 1.0, 1
    >>> both = total({1: b, 0: a})
    >>> both["best"].item(), both["second"].item(), both["ties"].item()
    (2.0, 1.0, 1)
    """
    ordered = [blocks[index] for index in sorted(blocks)]
    whole = ordered[0].copy()
    for part in ordered[1:]:
        for name in ("candidates", "touched", "sum", "sum_squares", "at_least"):
            whole[name] += part[name]
        tied = part["best"] == whole["best"]
        above = part["best"] > whole["best"]
        loser = np.where(above, whole["best"], part["best"])
        keeper = np.where(above, part["second"], whole["second"])
        whole["second"] = np.maximum(loser, keeper)
        whole["ties"] = np.where(
            tied, whole["ties"] + part["ties"], np.where(above, part["ties"], whole["ties"])
        )
        whole["best_record"] = np.where(above, part["best_record"], whole["best_record"])
        whole["best"] = np.maximum(whole["best"], part["best"])
    return whole
