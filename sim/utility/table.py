"""The utility of a release before and after its defences, as a table."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pandas as pd

from sim.adversary.linkage import linkage_of
from sim.release.store.store import Store
from sim.utility.measure import Utility, UtilityMeasure, utility

UTILITY = "utility"
"""Name of the table."""


def utility_table(
    original: Store, released: Store, measures: Sequence[UtilityMeasure], seed: int
) -> pd.DataFrame:
    """Measure a release beside its original.

    Parameters
    ----------
    seed : int
        See `sim.utility.measure.utility`.

    Returns
    -------
    DataFrame
        A row per measure: ``measure``, ``label``, ``unit``, ``higher_is_better``, ``before``,
        ``after``, ``kept`` (after as a share of before, where higher is better), ``n_test``,
        ``counts`` (what the latter is the number of) and ``note``.
    """
    before = _before(original, tuple(measures), seed)
    after = before
    if released is not original:
        linkage = linkage_of(original, released)
        after = tuple(utility(original, released, linkage, measures, seed))
    rows = [
        {
            "measure": new.name,
            "label": new.label,
            "unit": new.unit,
            "higher_is_better": new.higher_is_better,
            "before": old.value,
            "after": new.value,
            "kept": new.value / old.value
            if new.higher_is_better and old.value and new.value is not None
            else None,
            "n_test": new.n,
            "counts": type(measure).counts,
            "note": new.note,
        }
        for measure, old, new in zip(measures, before, after, strict=True)
    ]
    numbers = dict.fromkeys(("before", "after", "kept"), "float64")
    return pd.DataFrame(rows).astype({**numbers, "n_test": "int64"})


@functools.lru_cache(maxsize=2)
def _before(
    original: Store, measures: tuple[UtilityMeasure, ...], seed: int
) -> tuple[Utility, ...]:
    """Measure the original: once for all the releases that are made from it."""
    return tuple(utility(original, original, linkage_of(original, original), measures, seed))
