"""The highest two scores of a monotone score, and the pruning threshold that follows."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.simd import njit, njit_inline, njit_no_nrt

LEAST = 5e-324
"""The least score above 0: every record scores 0 at first, so only larger scores matter."""

TOP = np.dtype(
    [
        ("best", "<f8"), ("second", "<f8"), ("best_row", "<i8"), ("ties", "<i8"),
        ("overlapping", "<i8"), ("at_least", "<i8"), ("above", "<i8"),
        ("second_before", "<f8"),  # second-highest score of the blocks before
        ("threshold", "<f8"),  # the pruning threshold: lower scores change nothing below
    ]
)  # fmt: skip
"""Top two, ties and target rank at one prefix of the facts, for the block so far."""


@njit_inline
def raise_top2(row, new, best, second, best_row, ties):  # type: ignore[no-untyped-def]
    """Update the highest two scores with another record's, which is above 0."""
    if new >= second:
        if new > best:
            best, second, best_row, ties = new, best, row, 1
        elif new == best:
            second, best_row, ties = best, min(row, best_row), ties + 1
        else:
            second = new
    return best, second, best_row, ties


@njit_no_nrt
def set_threshold(own, o):  # type: ignore[no-untyped-def]
    """Update the pruning threshold: the lowest score that can affect the top two or a rank."""
    least = max(o["second"], o["second_before"])
    o["threshold"] = max(min(least, own) if own == own else least, LEAST)


@njit
def start_top(n_candidates, own, highest, top):  # type: ignore[no-untyped-def]
    """Start at every prefix with all candidates of the block at score 0."""
    for c in range(own.size):
        o = top[c]
        o["second_before"] = highest[c, 1]
        o["best"] = o["second"] = 0.0
        o["best_row"] = o["overlapping"] = o["at_least"] = o["above"] = 0
        o["ties"] = n_candidates
        set_threshold(own[c], o)


@njit
def update_highest(o, highest):  # type: ignore[no-untyped-def]
    """Update the highest two scores of the blocks so far with those of another block."""
    best, second = o["best"], o["second"]
    highest[1] = max(min(best, highest[0]), max(second, highest[1]))
    highest[0] = max(best, highest[0])
