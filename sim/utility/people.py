"""The share of people who are still in a release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value


@dataclass(frozen=True, kw_only=True)
class People(UtilityMeasure):
    """Share of the people of the original who have a record in the release."""

    name: ClassVar[str] = "people"
    label: ClassVar[str] = "people kept"
    counts: ClassVar[str] = "people"

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`; a person under several pseudonyms counts once."""
        person, n = comparison.linkage.record, comparison.original.manifest.n_records
        return Value(np.unique(person[person >= 0]).size / n, n)
