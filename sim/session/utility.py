"""The utility of a release before and after its defences, as a table."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import pandas as pd

from sim.adversary.linkage import linkage_of
from sim.release.store.store import Store
from sim.utility.measure import utility
from sim.utility.registry import UTILITIES

TABLE = "utility"


def utility_table(
    original: Store, released: Store, names: Sequence[str], seed: int
) -> pd.DataFrame:
    measures = tuple(UTILITIES.all()[name]() for name in names)
    before = _before(original, measures, seed)
    after = utility(original, released, linkage_of(original, released), measures, seed)
    rows = []
    for one, other in zip(before, after, strict=True):
        kept = None
        if one.value and other.value is not None:
            kept = other.value / one.value if one.higher_is_better else one.value / other.value
        rows.append(
            {
                "measure": one.name,
                "label": one.label,
                "before": one.value,
                "after": other.value,
                "kept": kept,
            }
        )
    return pd.DataFrame(rows)


@functools.lru_cache(maxsize=4)
def _before(original, measures, seed):
    return utility(original, original, linkage_of(original, original), measures, seed)
