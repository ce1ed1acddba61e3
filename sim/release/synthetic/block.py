"""The rows of some consecutive records, and the latent rating of each.

Invariant: a record's rows do not depend on the block in which they are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.numeric.compiled import njit
from sim.release.synthetic.draw import draw_items
from sim.release.synthetic.plan import plan_record
from sim.release.synthetic.randomness import normal, unit


@njit
def make_rows(key: Any, world: Any, people: Any, plan: Any, lo: int, hi: int) -> Any:
    """Generate the rows of records lo … hi − 1.

    Parameters
    ----------
    key : uint64
        Key of the release's streams.
    plan : Plan
        Scratch.

    Returns
    -------
    record, item, day : int32 array, shape (n,)
        From 0; days from the first day of the release.
    liking : float32 array, shape (n,)
        The rating before it is cut into levels: the item's mean, the person's, how well the item
        suits the person's taste, and noise, noisier for some people than for others.
    """
    total = people.length[lo:hi].sum()
    record = np.empty(total, np.int32)
    item = np.empty(total, np.int32)
    day = np.empty(total, np.int32)
    liking = np.empty(total, np.float32)
    at = 0
    for r in range(lo, hi):
        end = at + people.length[r]
        given = people.given[people.given_start[r] : people.given_start[r + 1]]
        sessions = plan_record(key, world, people, r, plan)
        draw_items(world, given, sessions, plan, item[at:end], day[at:end])
        bias = 0.42 * normal(plan.state)
        spread = 0.5 + 0.6 * unit(plan.state)
        for c in range(at, end):
            record[c] = r
            fit = 0.0
            for f in range(plan.taste.shape[0]):
                fit += plan.taste[f] * world.vector[item[c], f]
            noise = spread * normal(plan.state)
            liking[c] = world.quality[item[c]] + bias + 0.3 * fit + noise
        at = end
    return record, item, day, liking
