"""The utility of a release before and after its defences, as a table."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from sim.adversary.linkage import linkage_of
from sim.release.store.store import Store
from sim.utility.measure import Utility, UtilityMeasure, utility

UTILITY = "utility"
"""Name of the table."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two stores, equal to others with the same contents."""

    original: Store = field(compare=False)
    released: Store = field(compare=False)
    identities: tuple[str, str]


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
    before, after = (
        _measured(_Pair(original, each, _identities(original, each)), tuple(measures), seed)
        for each in (original, released)
    )
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


def _identities(original: Store, released: Store) -> tuple[str, str]:
    return original.manifest.identity, released.manifest.identity


@functools.lru_cache(maxsize=4)
def _measured(pair: _Pair, measures: tuple[UtilityMeasure, ...], seed: int) -> list[Utility]:
    """Measure once what several parts of a suite ask for."""
    linkage = linkage_of(pair.original, pair.released)
    return utility(pair.original, pair.released, linkage, measures, seed)
