"""The share of cells that are still in a release."""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.numeric.compiled import njit
from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value
from sim.utility.rows import rows_of


@dataclass(frozen=True, kw_only=True)
class CellsKept(UtilityMeasure):
    """Share of the cells of the original that are released."""

    name: ClassVar[str] = "cells"
    label: ClassVar[str] = "entries kept"
    counts: ClassVar[str] = "cells"

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`.

        A cell is kept if it is released with its person and item, whatever its value and time. A
        released cell stands for one of the original at most: those that a defence adds do not
        count, nor do cells that became one, but for one of them.
        """
        before, after = rows_of(comparison.original), rows_of(comparison.released)
        n_items = comparison.released.manifest.n_items
        person = comparison.linkage.record
        own = np.flatnonzero(person >= 0)
        own = own[np.argsort(person[own], kind="stable")]
        first = np.searchsorted(person[own], np.arange(before.start.size))
        kept = _kept(
            (before.start, before.item), (after.start, after.item), own, first,
            comparison.linkage.item, np.zeros(n_items, np.int64),
        )  # fmt: skip
        return Value(kept / before.item.size, before.item.size)


@njit
def _kept(before, after, own, first, item_of, waiting):  # type: ignore[no-untyped-def]
    """Released cells that stand for one of the same person and item, each of these once."""
    old_start, old_item = before
    new_start, new_item = after
    kept = 0
    for p in range(old_start.size - 1):
        if first[p] == first[p + 1]:
            continue
        for c in range(old_start[p], old_start[p + 1]):
            if item_of[old_item[c]] >= 0:
                waiting[item_of[old_item[c]]] += 1
        for k in range(first[p], first[p + 1]):
            for c in range(new_start[own[k]], new_start[own[k] + 1]):
                if waiting[new_item[c]] > 0:
                    waiting[new_item[c]] -= 1
                    kept += 1
        for c in range(old_start[p], old_start[p + 1]):
            if item_of[old_item[c]] >= 0:
                waiting[item_of[old_item[c]]] = 0
    return kept
