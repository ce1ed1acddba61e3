"""Two attacks on the very same targets: what each identifies of those that both attacked.

Invariant: both shares of a cell have the same denominator, the targets present in the release that
both runs attacked; whatever only one of them attacked is in neither.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd

from sim.metrics.attack_properties import AttackProperties
from sim.metrics.decided_targets import Decisions
from sim.metrics.decision_arrays import NEEDED, DecisionArrays, decision_arrays
from sim.metrics.outcomes import success_at_one
from sim.metrics.reliability import claimed
from sim.numeric.columns import share


def on_shared_targets(
    ours: Decisions,
    theirs: Decisions,
    cells: Iterable[tuple[int, int]],
    properties: AttackProperties,
) -> pd.DataFrame:
    """Measure two attacks on the targets that both attacked.

    Parameters
    ----------
    ours, theirs : callable
        Return columns of the decisions of a grid cell, of two attacks on one release, of the same
        seed and adversary, so that a target has the same facts in both.
    cells : iterable of tuple of int
        Grid cells that are the same, by their number in our run and in theirs.
    properties : AttackProperties
        Of the release; scores may be logarithms in either run.

    Returns
    -------
    DataFrame
        A row per pair of cells with a shared target in the release: ``cell`` (ours),
        ``n_shared``; ``rank1`` of ours and ``best_rank1`` of theirs, a target tied with t − 1
        others counting 1/t, with their Wilson intervals; ``best_claimed``, the mean probability
        that theirs gives its guesses about these targets, with its bootstrap interval (NaN for an
        attack that gives none).
    """
    rows = []
    for cell, other in cells:
        mine, best = _rows(ours, cell, properties), _rows(theirs, other, properties)
        targets, here, there = np.intersect1d(
            mine.target, best.target, assume_unique=True, return_indices=True
        )
        mine, best = mine.take(here), best.take(there)
        n = targets.size
        if n:
            found: dict[str, float] = {"cell": cell, "n_shared": n}
            found |= share("rank1", math.fsum(success_at_one(mine)), n)
            found |= share("best_rank1", math.fsum(success_at_one(best)), n)
            rows.append(found | {f"best_{name}": value for name, value in claimed(best).items()})
    return pd.DataFrame(rows)


def _rows(decisions: Decisions, cell: int, properties: AttackProperties) -> DecisionArrays:
    """Decisions of a cell about targets that are in the release."""
    decided = decisions(["cell", *NEEDED], cell)
    rows = decision_arrays(decided.to_pandas(), f"decisions: grid cell {cell}", properties)
    return rows.take(rows.present)
