"""The share of items that can still be told apart in a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value


@dataclass(frozen=True, kw_only=True)
class Items(UtilityMeasure):
    """Released items that stand for items of the original, as a share of the latter."""

    name: ClassVar[str] = "items"
    label: ClassVar[str] = "items kept"
    counts: ClassVar[str] = "items"

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`; a group of items counts once."""
        item = comparison.linkage.item
        return Value(np.unique(item[item >= 0]).size / item.size, item.size)
