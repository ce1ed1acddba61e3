"""How likely a cell that is not released is of a value and a day (spec §11).

The cells of an item are draws from a Dirichlet process: one more cell is one of n that are
released, each with weight 1, or a new one, with weight α. A new one has a value as often as the
item's cells have it, and a day as often as all cells of the release do. α, the same for all items,
is what makes each released cell most likely, given the others of its item. Where cells of an item
often agree in value and day, as ratings on the day of an item's publication do, α is small; where
they agree by chance alone it is large, and one cell on a day says little of another.

The reference implementation is `tests/reference/unseen.py`.
"""

from __future__ import annotations

import numpy as np

from sim.adversary.aux import NO_DAY, Aux
from sim.attack.algorithms.likelihood import (
    Noise,
    any_day,
    any_value,
    cells_on,
    common_values,
    fact_days,
    value_likelihood,
)
from sim.attack.algorithms.originals import Originals
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView


def unseen_cells(release: ReleaseView, aux: Aux, noise: Noise) -> Floats:
    """Return the probability that a hidden cell of each fact's item makes this fact, shape (A,).

    0 where the release lacks the item.
    """
    facts = np.flatnonzero(aux.item >= 0)
    originals = Originals.of(release.scale, noise.publisher)
    common = common_values(release, aux, originals)[facts]
    likely = value_likelihood(originals.scale, aux, noise)[facts]
    by_level = originals.by_release(common, likely)
    dated = (noise.days[facts] >= 0) & (aux.day[facts] != NO_DAY)
    day = aux.day[facts].astype(np.int64)
    low = np.where(noise.days[facts] >= 0, release.n_days, 0)  # the last code: without a day
    high = np.full(facts.size, release.n_days)
    same = np.zeros(facts.size)
    free = np.flatnonzero(~dated)
    same[free] = release.matching_cells(facts[free], by_level[free], low[free], high[free])
    usual = release.usual_days
    density = np.zeros(aux.item.size)
    for d in np.unique(noise.days[facts][dated]).astype(np.int64).tolist():
        here = np.flatnonzero(dated & (noise.days[facts] == d))
        code, chance = weights = fact_days(noise, day[here], d)
        same[here] += cells_on(
            release, facts[here], by_level[here], np.zeros(here.size, np.bool_), weights
        )
        inside = (code >= 0) & (code < usual.size)
        on_days = chance * np.where(inside, usual[np.where(inside, code, 0)], 0.0)
        # One cell more than there is may be from before the first one, or after the last.
        n = release.n_cells[aux.unit[facts[here]]]
        density[facts[here]] = (n * np.cumsum(on_days, axis=1)[:, -1] + usual.min()) / (n + 1.0)
    every = np.zeros(facts.size, np.int64)
    cells, whole = release.cells[facts], np.repeat(release.n_cells, aux.size)[facts]
    valued = np.maximum(release.matching_cells(facts, by_level, every, high), 0.0)
    anywhere = np.cumsum(by_level * release.all_cells_by_level[facts], axis=1)[:, -1]
    elsewhere = (anywhere + any_value(release, aux, noise)[facts]) / (whole + 1.0)
    value = (valued + elsewhere) / (cells + 1.0)
    alpha = release.concentration
    found = np.zeros(aux.item.size)
    new = value * any_day(release, aux, noise, density)[facts]
    found[facts] = (np.maximum(same, 0.0) + alpha * new) / (cells + alpha)
    return found
