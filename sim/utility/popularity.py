"""The rank correlation of the popularity of items before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value
from sim.utility.ranks import rank_correlation


@dataclass(frozen=True, kw_only=True)
class Popularity(UtilityMeasure):
    """Rank correlation (Spearman) of the supports of items, before and after."""

    name: ClassVar[str] = "popularity"
    label: ClassVar[str] = "rank correlation of item popularity"
    use: ClassVar[str] = "ranking the items by how many people have them"
    counts: ClassVar[str] = "items"

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`: items that are not released have a support of 0."""
        before, item = comparison.original.support, comparison.linkage.item
        after = np.append(comparison.released.support, 0)[item]  # −1 is the last
        found = rank_correlation(before, after)
        if found is not None:
            return Value(found, before.size)
        if np.ptp(before) == 0:
            return Value(None, note="every item of the original has the same support")
        return Value(0.0, before.size, "every item has the same support after")
