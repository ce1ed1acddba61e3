"""The error of the usual baseline of rating prediction: mean, item bias and record bias.

μ + b_i + b_r, each bias shrunk towards 0 (Y. Koren, "Factor in the neighbors", ACM TKDD 2010,
section 2.1): item biases, then record biases, several times over as in `BaselineOnly` of
scikit-surprise, which the constants are from. `sim.measurements.biases` cross-validates the
first pass within one release.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.extend.options import constant
from sim.numeric.compiled import njit
from sim.utility.comparison import Comparison
from sim.utility.predicted_values import Model, PredictedValues
from sim.utility.rows import Rows


@dataclass(frozen=True, kw_only=True)
class RmseBias(PredictedValues):
    """RMSE of predicted values: mean, item bias and record bias."""

    name: ClassVar[str] = "rmse_bias"
    label: ClassVar[str] = "RMSE of a bias model"
    use: ClassVar[str] = "predicting the values that people give"

    # As in `BaselineOnly` of scikit-surprise (ALS), so that errors can be compared with published
    # ones: unbiased cells added to those of each item, of each record; rounds of both biases.
    shrink_items: float = constant(10.0, above=0)
    shrink_records: float = constant(15.0, above=0)
    passes: int = constant(10, minimum=1)

    def fit(self, training: Rows, comparison: Comparison) -> Model:
        """See `PredictedValues.fit`."""
        n_items, n_records = comparison.released.manifest.n_items, training.start.size - 1
        of_item, of_record = np.zeros(n_items), np.zeros(n_records)
        mean = _fit(
            (training.start, training.item, training.level, training.scale),
            self.passes, (self.shrink_items, self.shrink_records), of_item, of_record,
        )  # fmt: skip
        none = np.zeros((n_items, 0)), np.zeros((n_records, 0))
        return Model(mean, of_item, of_record, *none)


@njit
def _fit(cells, passes, shrinkage, of_item, of_record):  # type: ignore[no-untyped-def]
    start, item, level, scale = cells
    shrink_items, shrink_records = shrinkage
    total, count = 0.0, 0
    held = np.zeros(of_item.size, np.int64)
    for c in range(item.size):
        if level[c] < scale.size:
            total += scale[level[c]]
            count += 1
            held[item[c]] += 1
    mean = total / count
    for _ in range(passes):
        of_item[:] = 0.0
        for r in range(of_record.size):
            for c in range(start[r], start[r + 1]):
                if level[c] < scale.size:
                    of_item[item[c]] += scale[level[c]] - mean - of_record[r]
        for i in range(of_item.size):
            of_item[i] /= held[i] + shrink_items
        for r in range(of_record.size):
            rest, number = 0.0, 0
            for c in range(start[r], start[r + 1]):
                if level[c] < scale.size:
                    rest += scale[level[c]] - mean - of_item[item[c]]
                    number += 1
            of_record[r] = rest / (number + shrink_records)
    return mean
