"""Baselines without knowledge: a random guess, and guessing the longest record."""

from __future__ import annotations

import functools
import math

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn, GroundTruth
from sim.metrics.decision_arrays import DecisionArrays
from sim.numeric.columns import SHARE, share
from sim.release.store.store import Store

COLUMNS = ("baseline_random", *(f"baseline_longest{end}" for end in SHARE))


def longest_ties(store: Store, drawn: Drawn) -> NDArray[np.int64]:
    """Count the records as long as the target if the target is among the longest candidates.

    Parameters
    ----------
    drawn : Drawn
        U units, their candidates restricted by length as in the attack.

    Returns
    -------
    int64 array, shape (U,)
        Records as long as the target, itself included, if it is a candidate and no candidate is
        longer; else 0. Of several records of a person the longest counts.
    """
    lengths, counts = _lengths(store)
    last = np.searchsorted(lengths, drawn.candidates.longest, side="right") - 1
    longest = np.where(last >= 0, lengths[np.maximum(last, 0)], -1)
    own = _own_lengths(store, drawn.truth)
    candidate = drawn.truth.present & (own >= drawn.candidates.shortest)
    return np.where(candidate & (own == longest), counts[np.maximum(last, 0)], 0)


def _own_lengths(store: Store, truth: GroundTruth) -> NDArray[np.int64]:
    """The length of each target's record, of several the greatest; 0 without one."""
    lengths = np.zeros(truth.target.size, np.int64)
    for n in range(truth.most_records):
        record = truth.target if truth.records is None else truth.records.nth(n)
        length = np.where(record >= 0, store.length[np.maximum(record, 0)], 0)
        lengths = np.maximum(lengths, length)
    return lengths


@functools.lru_cache(maxsize=2)
def _lengths(store: Store) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct lengths, ascending, and the number of records with each."""
    lengths, counts = np.unique(store.length, return_counts=True)
    return lengths.astype(np.int64), counts.astype(np.int64)


def baselines(rows: DecisionArrays) -> dict[str, float]:
    """Measure the baselines.

    Returns
    -------
    dict
        `COLUMNS`, of the targets present: 1/candidates on average (0 for a target that is no
        candidate), and 1/t where the target is one of t longest candidates.
    """
    here = rows.take(rows.present)
    random = np.where(here.rank > 0, 1.0 / np.maximum(here.candidates, 1), 0.0)
    longest = np.where(here.longest_ties > 0, 1.0 / np.maximum(here.longest_ties, 1), 0.0)
    return {
        "baseline_random": math.fsum(random) / len(here) if len(here) else np.nan,
        **share("baseline_longest", math.fsum(longest), len(here)),
    }
