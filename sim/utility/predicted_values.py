"""The base class of models of values that learn from a release and predict later cells.

A model is μ + b_i + b_r + q_i·p_r. A part that it has not learnt is 0: a record or an item without
a value is predicted without its bias and factors. Without any value to learn from, the middle of
the original's scale, which is public, is predicted.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.numeric.text import quantity
from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value
from sim.utility.rows import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A model of the values of a release.

    Parameters
    ----------
    mean : float
    of_item, of_record : float64 arrays, shapes (items,), (records,)
        Biases.
    item_factors, record_factors : float64 arrays, shapes (items, F), (records, F)
    """

    mean: float
    of_item: NDArray[np.float64]
    of_record: NDArray[np.float64]
    item_factors: NDArray[np.float64]
    record_factors: NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PredictedValues(UtilityMeasure):
    """RMSE of predicted values of later cells."""

    unit: ClassVar[str] = "value units"
    counts: ClassVar[str] = "cells"
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ("values",)
    tested: ClassVar[bool] = True

    @abstractmethod
    def fit(self, training: Rows, comparison: Comparison) -> Model:
        """Learn a model from the cells with a value, of which there are some.

        Parameters
        ----------
        training : Rows
            Of the release.
        """

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`; predictions are clipped to the original's scale."""
        training, test = comparison.training, comparison.split.test
        scale = test.scale
        blind = not (training.level < training.scale.size).any()
        if blind:
            middle = (float(scale[0]) + float(scale[-1])) / 2
            model = _constant(middle, training, comparison.released.manifest.n_items)
        else:
            model = self.fit(training, comparison)
        squared, cells, people, items = _errors(
            (test.start, test.item, test.level, scale), comparison.record_of,
            comparison.linkage.item, model.mean, (model.of_item, model.of_record),
            (model.item_factors, model.record_factors),
        )  # fmt: skip
        if not cells:
            return Value(None, note="no tested cell has a value")
        notes = [
            "no value to learn from; the middle of the scale is predicted" if blind else "",
            f"{quantity(people, 'cell')} of people who are not released" if people else "",
            f"{quantity(items, 'cell')} of items that are not released" if items else "",
        ]
        return Value(math.sqrt(squared / cells), cells, "; ".join(filter(None, notes)))


def _constant(value: float, training: Rows, n_items: int) -> Model:
    n_records = training.start.size - 1
    none = np.zeros((n_items, 0)), np.zeros((n_records, 0))
    return Model(value, np.zeros(n_items), np.zeros(n_records), *none)


@njit
def _errors(test, record_of, item_of, mean, biases, factors):  # type: ignore[no-untyped-def]
    """Sum of squared errors, number of cells with a value, and of those that are not released."""
    start, item, level, scale = test
    of_item, of_record = biases
    item_factors, record_factors = factors
    squared = 0.0
    cells, people, items = 0, 0, 0
    for p in range(start.size - 1):
        r = record_of[p]
        for c in range(start[p], start[p + 1]):
            if level[c] >= scale.size:
                continue
            i = item_of[item[c]]
            guess = mean
            if i >= 0:
                guess += of_item[i]
            if r >= 0:
                guess += of_record[r]
            if i >= 0 and r >= 0:
                for f in range(item_factors.shape[1]):
                    guess += item_factors[i, f] * record_factors[r, f]
            guess = min(max(guess, scale[0]), scale[scale.size - 1])
            squared += (scale[level[c]] - guess) ** 2
            cells += 1
            people += r < 0
            items += i < 0
    return squared, cells, people, items
