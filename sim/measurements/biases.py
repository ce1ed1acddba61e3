"""The error of a simple recommender on a release: mean, item and record bias, cross-validated.

The predictor is the usual baseline of rating prediction, μ + b_i + b_r, each bias shrunk towards
0 (Y. Koren, "Factor in the neighbors", ACM TKDD 2010, section 2.1: b_i = Σ(v − μ)/(λ_i + n_i),
then b_r = Σ(v − μ − b_i)/(λ_r + n_r)). Invariant: a cell is predicted without its own fold, whose
number is a function of seed, record and item; so nothing depends on blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.errors import GridError
from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, philox
from sim.release.store.store import Store

_PURPOSE = np.uint64(Purpose.FOLD)
_ZERO = np.uint64(0)
_32 = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Errors:
    """Prediction errors by record.

    Parameters
    ----------
    squared : float64 array, shape (N,)
        Sum of the squared errors of the record's cells, in squared value units.
    cells : int64 array, shape (N,)
        Cells with a value.
    """

    squared: NDArray[np.float64]
    cells: NDArray[np.int64]


def valued_cells(store: Store) -> NDArray[np.int64]:
    """Count the cells of each record that carry a value.

    Returns
    -------
    int64 array, shape (N,)
    """
    if not store.manifest.missing_values:
        return store.length.astype(np.int64)
    counts = np.zeros(store.manifest.n_records, np.int64)
    none = store.scale.size
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        before = np.concatenate([[0], np.cumsum(np.asarray(block.record_level) != none)])
        counts[block.first : block.first + block.n_records] = np.diff(before[block.record_start])
    return counts


def predict(
    store: Store, seed: int, folds: int, shrink_items: float, shrink_records: float
) -> Errors:
    """Predict every value from the cells outside its fold.

    Two passes over the release, block by block; memory grows with records and items, not cells.

    Parameters
    ----------
    store : Store
        With values.
    seed : int
        Of the folds.
    folds : int
        At least 2.
    shrink_items, shrink_records : float
        λ_i and λ_r: as many cells of no bias are added to an item's, to a record's; above 0.

    Raises
    ------
    GridError
        A fold holds all values, so that nothing is left to learn from.
    """
    m = store.manifest
    split = (np.uint64(seed), np.uint64(folds))
    total, count = np.zeros((m.n_items, folds)), np.zeros((m.n_items, folds), np.int64)
    for index in range(m.n_blocks):
        block = store.block(index)
        _add_up(
            *split, block.first, block.record_start, block.record_item, block.record_level,
            store.scale, total, count,
        )  # fmt: skip
    # Totals of all folds except each.
    others = count.sum(axis=1, keepdims=True) - count
    learnt = total.sum(axis=1, keepdims=True) - total
    if (others.sum(axis=0) == 0).any():
        raise GridError(
            f"study=recommender: {count.sum()} values in {folds} folds leave nothing to learn "
            "from; give study.rmse, or a larger release"
        )
    mean = learnt.sum(axis=0) / others.sum(axis=0)
    bias = (learnt - mean * others) / (others + shrink_items)
    errors = Errors(np.zeros(m.n_records), np.zeros(m.n_records, np.int64))
    for index in range(m.n_blocks):
        block = store.block(index)
        _predict(
            split, block.first, (block.record_start, block.record_item, block.record_level),
            store.scale, mean, bias, shrink_records, errors.squared, errors.cells,
        )  # fmt: skip
    return errors


@njit
def _fold(seed, folds, record, item):  # type: ignore[no-untyped-def]
    word = philox(np.uint64(record), np.uint64(item), _ZERO, _ZERO, seed, _PURPOSE)
    return np.int64(((word >> _32) * folds) >> _32)


@njit
def _add_up(seed, folds, first, start, item, level, scale, total, count):  # type: ignore[no-untyped-def]
    """Values of each item and fold: their sum and number."""
    for r in range(start.size - 1):
        for c in range(start[r], start[r + 1]):
            if level[c] < scale.size:
                fold = _fold(seed, folds, first + r, item[c])
                total[item[c], fold] += scale[level[c]]
                count[item[c], fold] += 1


@njit
def _predict(  # type: ignore[no-untyped-def]
    split, first, cells, scale, mean, bias, shrink, squared, counts
):
    """Squared errors of each record; predictions are clipped to the scale."""
    seed, folds = split
    start, item, level = cells
    longest = 0
    for r in range(start.size - 1):
        longest = max(longest, start[r + 1] - start[r])
    fold = np.empty(longest, np.int64)
    rest, number = np.empty(mean.size), np.empty(mean.size)
    for r in range(start.size - 1):
        rest[:] = 0.0
        number[:] = 0.0
        for c in range(start[r], start[r + 1]):
            if level[c] < scale.size:
                own = _fold(seed, folds, first + r, item[c])
                fold[c - start[r]] = own
                for f in range(mean.size):
                    if f != own:
                        rest[f] += scale[level[c]] - mean[f] - bias[item[c], f]
                        number[f] += 1.0
        for c in range(start[r], start[r + 1]):
            if level[c] < scale.size:
                f = fold[c - start[r]]
                guess = mean[f] + bias[item[c], f] + rest[f] / (number[f] + shrink)
                guess = min(max(guess, scale[0]), scale[scale.size - 1])
                squared[first + r] += (scale[level[c]] - guess) ** 2
                counts[first + r] += 1
