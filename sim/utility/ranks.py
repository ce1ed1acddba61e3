"""Spearman's rank correlation, exact until its last division.

SciPy's `spearmanr` takes the product of matrices from BLAS, whose sums depend on the processor.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

_AT_A_TIME = 1 << 16


def rank_correlation(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's rank correlation; ties have their mean rank; None if either is constant.

    Parameters
    ----------
    x, y : array_like, shape (n,)

    Examples
    --------
    >>> rank_correlation([1, 2, 3, 4], [10, 30, 20, 40]), rank_correlation([1, 2], [3, 3])
    (0.8, None)
    """
    a, b = _doubled(x), _doubled(y)
    spread = _product(a, a) * _product(b, b)
    if not spread:
        return None
    # With 64 further bits of the root, which is never below the product: at most 1.
    return (_product(a, b) << 64) / math.isqrt(spread << 128)


def _doubled(x: ArrayLike) -> NDArray[np.int64]:
    """Twice the ranks from their mean, which are whole numbers."""
    _, place, counts = np.unique(np.asarray(x), return_inverse=True, return_counts=True)
    doubled = 2 * np.cumsum(counts) - counts - place.size  # of each distinct value
    return np.asarray(doubled[place], np.int64)


def _product(a: NDArray[np.int64], b: NDArray[np.int64]) -> int:
    """Sum of products; each piece fits into 64 bits, and Python adds them up."""
    pieces = range(0, a.size, _AT_A_TIME)
    return sum(int((a[k : k + _AT_A_TIME] * b[k : k + _AT_A_TIME]).sum()) for k in pieces)
