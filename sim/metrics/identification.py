"""k-identification: whether the target is among the k most likely, and if not, why (F06 §4).

Invariant: ties count against the attacker; every present target is 1-identified or failed for one
reason, so these four shares add up to 1.
"""

from __future__ import annotations

import numpy as np

from sim.metrics.attack_properties import AttackProperties
from sim.metrics.decision_arrays import DecisionArrays, Mask
from sim.numeric.columns import SHARE, share

DEPTHS = (1, 5, 10, 100)
REASONS = ("not_narrow", "no_one_possible", "misdirected")

MEASURED = (*(f"k{k}" for k in DEPTHS), *REASONS)
COLUMNS = tuple(f"{name}{end}" for name in MEASURED for end in SHARE)


def identified(rows: DecisionArrays, k: int, properties: AttackProperties) -> Mask:
    """Return which targets are k-identified.

    Returns
    -------
    bool array, shape (n,)
        The target is in the matching set, and no more than k candidates score at least as much.
    """
    return _on_list(rows, properties) & (rows.rank <= k)


def failures(rows: DecisionArrays, k: int, properties: AttackProperties) -> dict[str, Mask]:
    """Return why targets are not k-identified, as defined by `tests/reference/identification.py`.

    Returns
    -------
    dict of str to bool array, shape (n,)
        By `REASONS`. A target that is no candidate is *misdirected*: it is not on the list.
    """
    no_one = _list_length(rows, properties) == 0
    on_list = _on_list(rows, properties)
    misdirected = ~no_one & (~on_list | (rows.above >= k))
    return {
        "not_narrow": on_list & (rows.above < k) & (rows.rank > k),
        "no_one_possible": no_one,
        "misdirected": misdirected,
    }


def identification(rows: DecisionArrays, properties: AttackProperties) -> dict[str, float]:
    """Measure k-identification, and the reasons of failure at k = 1.

    Returns
    -------
    dict
        Each of `MEASURED` with its interval, as shares of the targets present.
    """
    here = rows.take(rows.present)
    counts = {f"k{k}": identified(here, k, properties) for k in DEPTHS} | failures(
        here, 1, properties
    )
    row: dict[str, float] = {}
    for name in MEASURED:
        row |= share(name, int(np.count_nonzero(counts[name])), len(here))
    return row


def _list_length(
    rows: DecisionArrays, properties: AttackProperties
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return rows.matching_set if properties.list_is_top else rows.candidates


def _on_list(rows: DecisionArrays, properties: AttackProperties) -> Mask:
    """The list holds the highest scores, so it ends before the target or holds all its equals."""
    return (rows.rank > 0) & (rows.rank <= _list_length(rows, properties))
