"""The summary of one block's scores for one aux set, and how summaries merge.

Sums of numbers in floating point depend on the order, so `total` folds the blocks in block order,
whatever order they came in; `sim.attack.engine.block_tree` says which blocks are folded together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.numeric import exp

PARTIAL = np.dtype(
    [
        ("candidates", "<i8"),  # records scored, or known to be ruled out
        ("overlapping", "<i8"),  # of these, those that share an item with the aux; −1: not known
        ("matching", "<i8"),  # of these, in the matching set: possible at all, or in the answer
        ("sum", "<f8"),
        ("sum_squares", "<f8"),
        ("best", "<f8"),  # highest score; −inf without candidates
        ("best_record", "<i8"),  # lowest record with that score; −1 without candidates
        ("ties", "<i8"),  # records with that score
        ("second", "<f8"),  # second-highest score with multiplicity; −inf if there is none
        ("at_least", "<i8"),  # records scoring at least the target's score
        ("above", "<i8"),  # records scoring more than the target's score
        ("own", "<f8"),  # the target's own score, the same in every block; NaN for no candidate
        # Of the overlapping records; the extremes are not known where their number is not:
        ("overlapping_sum", "<f8"),
        ("overlapping_squares", "<f8"),
        ("overlapping_best", "<f8"),  # −inf without any
        # Lowest score, or less if not all are equal; +inf without any:
        ("overlapping_least", "<f8"),
        ("exp", "<f8"),  # Σ exp(s − best), of log scores only
        ("exp_squares", "<f8"),  # Σ exp(2(s − best))
        ("exp_scores", "<f8"),  # Σ (s − best)·exp(s − best)
        ("overlapping_exp", "<f8"),  # Σ exp(s − best) of the overlapping records
        ("overlapping_exp_squares", "<f8"),  # Σ exp(2(s − best)) of these
    ]
)
"""One row per aux set.

A block that is scanned after others may leave out of its highest two, and of their ties, the
records that those outscore: `total` then finds the same
(`sim.attack.kernels.drivers.scan_block`).
"""


def weighed_type(conventions: int) -> np.dtype[Any]:
    """PARTIAL with the sums of `sim.attack.kernels.drivers.weigh_block`, for releases of one block.

    Parameters
    ----------
    conventions : int
        C, the conventions of σ that scores are weighed by.
    """
    return np.dtype([("partial", PARTIAL), ("weighed", "<f8", (conventions, 2))])


def kept_type(number: int) -> np.dtype[Any]:
    """PARTIAL with the records that score highest, from the highest down, and their scores.

    −1 and −∞ where fewer are possible.
    """
    return np.dtype(
        [("partial", PARTIAL), ("record", "<i8", (number,)), ("score", "<f8", (number,))]
    )


Partials = NDArray[Any]

_OF_THE_TARGET = ("at_least", "above", "own")

SEEN = np.dtype(
    [(name, PARTIAL[name]) for name in PARTIAL.names or () if name not in _OF_THE_TARGET]
)
"""The fields of a PARTIAL that an attack may see: those that do not depend on the target."""


def seen(whole: Partials) -> Partials:
    """Copy the fields of the partials of a release that an attack may see.

    Parameters
    ----------
    whole : PARTIAL array, shape (U,)

    Returns
    -------
    SEEN array, shape (U,)
    """
    shown = np.empty(whole.shape, SEEN)
    for name in SEEN.names or ():
        shown[name] = whole[name]
    return shown


def with_nobody(whole: Partials, score: NDArray[np.float64]) -> Partials:
    """Add to the exponential sums of a release the score of whoever has no record.

    Parameters
    ----------
    whole : SEEN array, shape (U,)
    score : float64 array, shape (U,)
        −inf where it is certain that the person has a record.
    """
    found = whole.copy()
    some = (found["exp"] > 0) & (score > -np.inf)
    gap = np.where(some, score - np.where(some, found["best"], 0.0), 0.0)
    weight = np.where(some, exp(np.minimum(gap, _MOST_GAP)), 0.0)
    found["exp"] += weight
    found["exp_squares"] += weight * weight
    found["exp_scores"] += weight * gap
    return found


_MOST_GAP = 300.0
"""Log odds that nobody's record is meant, from which nobody is found at all."""

_COUNTS = ("candidates", "overlapping", "matching", "at_least", "above")
_SUMS = ("sum", "sum_squares", "overlapping_sum", "overlapping_squares")
_EXPONENTIALS = (  # with the power of exp(s − best) in each
    ("exp_scores", 1),  # before "exp", from which it is computed
    ("exp_squares", 2),
    ("exp", 1),
    ("overlapping_exp_squares", 2),
    ("overlapping_exp", 1),
)


def total(blocks: dict[int, Partials]) -> Partials:
    """Fold block partials into those of the whole release.

    Parameters
    ----------
    blocks : dict of int to PARTIAL array, shape (U,)
        Partials of each block, of the same U aux sets.

    Returns
    -------
    PARTIAL array, shape (U,)

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
        if whole["exp"].any() or part["exp"].any():  # of log scores only
            _rescale(whole, part)
        for name in (*_COUNTS, *_SUMS):
            whole[name] += part[name]
        whole["overlapping_best"] = np.maximum(whole["overlapping_best"], part["overlapping_best"])
        whole["overlapping_least"] = np.minimum(
            whole["overlapping_least"], part["overlapping_least"]
        )
        tied = part["best"] == whole["best"]
        higher = part["best"] > whole["best"]
        loser = np.where(higher, whole["best"], part["best"])
        keeper = np.where(higher, part["second"], whole["second"])
        whole["second"] = np.maximum(loser, keeper)
        whole["ties"] = np.where(
            tied, whole["ties"] + part["ties"], np.where(higher, part["ties"], whole["ties"])
        )
        whole["best_record"] = np.where(
            higher | (whole["best_record"] < 0), part["best_record"], whole["best_record"]
        )
        whole["best"] = np.maximum(whole["best"], part["best"])
    return whole


def highest_of(blocks: dict[int, Partials]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Merge the records that score highest in each block; of equal scores the first record's first.

    Parameters
    ----------
    blocks : dict of int to `kept_type` array, shape (U,)

    Returns
    -------
    record : int64 array, shape (U, K)
    score : float64 array, shape (U, K)

    Examples
    --------
    >>> a, b = np.zeros(1, kept_type(2)), np.zeros(1, kept_type(2))
    >>> a["record"], a["score"] = [[0, 1]], [[5.0, 2.0]]
    >>> b["record"], b["score"] = [[9, -1]], [[5.0, -np.inf]]
    >>> [part.tolist() for part in highest_of({1: b, 0: a})]
    [[[0, 9]], [[5.0, 5.0]]]
    """
    ordered = [blocks[index] for index in sorted(blocks)]
    record = np.concatenate([part["record"] for part in ordered], axis=1)
    score = np.concatenate([part["score"] for part in ordered], axis=1)
    number = ordered[0]["score"].shape[1]
    order = np.argsort(-score, axis=1, kind="stable")[:, :number]
    return np.take_along_axis(record, order, axis=1), np.take_along_axis(score, order, axis=1)


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Merge the partials of neighbouring runs of blocks into one of the same type.

    Parameters
    ----------
    parts : list of PARTIAL, `kept_type` or float64 array, shape (U, …)
        In block order.

    Examples
    --------
    >>> joined([np.array([0.5]), np.array([2.0])]).tolist()
    [2.5]
    """
    blocks = dict(enumerate(parts))
    names = parts[0].dtype.names or ()
    if not names:
        return sum_of(blocks)
    if "record" not in names:
        return total(blocks)
    whole = np.empty_like(parts[0])
    whole["partial"] = total({index: part["partial"] for index, part in blocks.items()})
    whole["record"], whole["score"] = highest_of(blocks)
    return whole


def sum_of(blocks: dict[int, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Add up sums over blocks, in block order.

    Examples
    --------
    >>> sum_of({1: np.array([0.5]), 0: np.array([2.0])}).tolist()
    [2.5]
    """
    whole = np.zeros_like(blocks[min(blocks)])
    for index in sorted(blocks):
        whole += blocks[index]
    return whole


def _rescale(whole: Partials, part: Partials) -> None:
    """Add the exponential sums of two blocks, each taken relative to its own best."""
    best = np.maximum(whole["best"], part["best"])
    with np.errstate(invalid="ignore"):
        gaps = [np.where(np.isinf(p["best"]), 0.0, p["best"] - best) for p in (whole, part)]
    scale = [
        np.where(np.isinf(p["best"]), 0.0, exp(g)) for p, g in zip((whole, part), gaps, strict=True)
    ]
    for name, power in _EXPONENTIALS:
        pieces = []
        for p, s, gap in zip((whole, part), scale, gaps, strict=True):
            value = p[name] + gap * p["exp"] if name == "exp_scores" else p[name]
            pieces.append(value * s**power)
        whole[name] = pieces[0] + pieces[1]
