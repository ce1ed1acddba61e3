"""The curves read off nearest neighbours (NS08, Fig. 1; NS07, Fig. 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ccdf(values: ArrayLike, grid: ArrayLike) -> NDArray[np.float64]:
    """Share of records whose value is at least x, at each x of a grid (NS08, Fig. 1).

    Parameters
    ----------
    values : array_like, shape (n,)
        Similarity to the nearest other record, or another figure of each record.
    grid : array_like, shape (g,)
        In any order.

    Returns
    -------
    float64 array, shape (g,)

    Raises
    ------
    ValueError
        There is no value, or one is NaN.

    Examples
    --------
    >>> ccdf([0.25, 0.5, 0.5, 1.0], [0.0, 0.5, 0.75]).tolist()
    [1.0, 0.75, 0.25]
    """
    ordered = np.sort(np.asarray(values, np.float64), axis=None)
    if ordered.size == 0 or np.isnan(ordered[-1]):
        raise ValueError("a curve needs one value at least, and none that is NaN")
    below = np.searchsorted(ordered, np.asarray(grid, np.float64), side="left")
    return (ordered.size - below) / ordered.size
