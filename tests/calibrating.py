"""How strong an attack is and whether its probabilities are right, on lifelike data."""

from __future__ import annotations

import numpy as np
from making import Row

from sim.attack.engine.decisions import Decisions
from sim.numeric.intervals import wilson


def lifelike(seed: int, records: int, items: int) -> list[Row]:
    """Popular items, items of good and bad repute, short and long records, dates in sessions."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, items + 1) ** 0.8
    repute = np.clip(rng.normal(3.6, 0.5, items), 1, 5)
    rows: list[Row] = []
    for record in range(records):
        n = int(np.clip(rng.lognormal(3.1, 0.7), 8, 0.8 * items))
        held = np.sort(rng.choice(items, n, replace=False, p=popularity / popularity.sum()))
        day = rng.integers(0, 300) + rng.choice([0, 0, 0, 1, 7, 30, 90], n)
        value = np.clip(np.round(repute[held] + rng.normal(0, 0.4) + rng.normal(0, 0.9, n)), 1, 5)
        rows += [
            (record, int(i), float(v), int(d)) for i, v, d in zip(held, value, day, strict=True)
        ]
    return rows


def success(found: Decisions) -> np.ndarray:
    """Chance that a best guess names the target: one of the tied at the top is taken."""
    top = (found.above == 0) & (found.rank > 0) & (found.matching > 0)
    return np.where(top, 1 / np.maximum(found.rank, 1), 0.0)


def check_calibration(found: Decisions) -> None:
    """In every bin the share of right guesses is what the posteriors say.

    A guess among t that tie, each with posterior p, is right with probability p too.
    """
    right, posterior = success(found), found.posterior
    bins = np.minimum((posterior * 10).astype(int), 9)
    for bin_ in np.unique(bins).tolist():
        here = bins == bin_
        n = int(here.sum())
        expected = posterior[here].mean()
        interval = wilson(min(right[here].sum(), n), n, level=0.999)
        # A rare miss among certain guesses is one more than no miss at all.
        assert expected in interval.widened(1 / n), (bin_, expected, interval, n)
