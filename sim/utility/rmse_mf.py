"""The error of a matrix factorisation with biases, learnt by stochastic gradient descent.

The model and its updates are those of `SVD` of scikit-surprise (S. Funk, "Netflix update: try this
at home", 2006; Y. Koren et al., "Matrix factorization techniques for recommender systems",
Computer 42(8), 2009). That library predicts cells one by one in Python, which takes longer than all
other measures together, and a compiler may fuse its multiplications and additions, so its results
need not be the same on every processor.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.extend.options import constant
from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, unit, words
from sim.utility.comparison import Comparison
from sim.utility.predicted_values import Model, PredictedValues
from sim.utility.rows import Rows

_DEVIATION = 0.1
"""Standard deviation of initial factors, as in scikit-surprise."""

_ITEMS = 1 << 32
"""Added to the place of a factor of an item, to tell its draw from those of people."""


@dataclass(frozen=True, kw_only=True)
class RmseMF(PredictedValues):
    """RMSE of predicted values: a matrix factorisation with biases."""

    name: ClassVar[str] = "rmse_mf"
    label: ClassVar[str] = "RMSE of a matrix factorisation"
    use: ClassVar[str] = "predicting the values that people give"

    # One model for the release before and after its defences: only the difference is reported, and
    # it would mean little if each were tuned. Fewer factors than the 100 of scikit-surprise, and
    # twice its learning rate, in its 20 passes: an audit measures it for every chain of a plan.
    factors: int = constant(16, minimum=1)
    epochs: int = constant(20, minimum=1)
    rate: float = constant(0.01, above=0)
    regularisation: float = constant(0.05, minimum=0)
    regularisation_biases: float = constant(0.02, minimum=0)

    def fit(self, training: Rows, comparison: Comparison) -> Model:
        """See `PredictedValues.fit`; every epoch takes records in the same random order."""
        seed = comparison.seed
        names, item_names = comparison.name_of_record, comparison.name_of_item
        order = np.argsort(words(seed, Purpose.FACTOR_ORDER, names), kind="stable")
        cells = (training.start, training.item, training.level, training.scale)
        p = self._drawn(seed, names, 0)
        q = self._drawn(seed, item_names, _ITEMS)
        of_record, of_item = np.zeros(names.size), np.zeros(item_names.size)
        rates = (self.rate, self.regularisation, self.regularisation_biases)
        mean = _fit(cells, order, self.epochs, rates, (of_record, of_item), (p, q))
        return Model(mean, of_item, of_record, q, p)

    def _drawn(self, seed: int, names: NDArray[np.int64], first: int) -> NDArray[np.float64]:
        """Initial factors: uniform, with a mean of 0."""
        places = first + np.arange(self.factors)
        drawn = unit(words(seed, Purpose.FACTOR, names[:, None], places))
        return (drawn * 2 - 1) * (_DEVIATION * math.sqrt(3))


@njit
def _fit(cells, order, epochs, rates, biases, factors):  # type: ignore[no-untyped-def]
    start, item, level, scale = cells
    rate, weight, weight_of_biases = rates
    of_record, of_item = biases
    p, q = factors
    total, count = 0.0, 0
    known = np.zeros(of_item.size, np.bool_)
    for r in range(of_record.size):
        before = count
        for c in range(start[r], start[r + 1]):
            if level[c] < scale.size:
                total += scale[level[c]]
                count += 1
                known[item[c]] = True
        if count == before:
            p[r] = 0.0
    for i in range(of_item.size):
        if not known[i]:
            q[i] = 0.0
    mean = total / count
    for _ in range(epochs):
        for o in range(order.size):
            r = order[o]
            for c in range(start[r], start[r + 1]):
                if level[c] >= scale.size:
                    continue
                i = item[c]
                product = 0.0
                for f in range(p.shape[1]):
                    product += q[i, f] * p[r, f]
                error = scale[level[c]] - (mean + of_record[r] + of_item[i] + product)
                of_record[r] += rate * (error - weight_of_biases * of_record[r])
                of_item[i] += rate * (error - weight_of_biases * of_item[i])
                for f in range(p.shape[1]):
                    a, b = p[r, f], q[i, f]
                    p[r, f] += rate * (error * b - weight * a)
                    q[i, f] += rate * (error * a - weight * b)
    return mean
