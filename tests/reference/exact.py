"""The exact posterior where a known number of the triples of aux is wrong.

`bayes` treats every triple as wrong with probability π, on its own. The adversary of the spec,
section 2, makes exactly m′ − m of them wrong, and never draws a wrong one that could pass for
right. Invariant: for that adversary these scores are the log posterior up to one constant; where
nothing is wrong they equal those of `bayes`.
"""

from __future__ import annotations

import numpy as np

from reference.bayes import (
    Adversary,
    check_parts,
    day_likelihood,
    log_choose,
    log_of_length,
    same_cell,
    value_likelihood,
)
from reference.tables import Floats, Mask, PlainAux, PlainRelease


def bayes_exact(
    release: PlainRelease, aux: PlainAux, adversary: Adversary, eligible: Mask | None = None
) -> Floats:
    """Log posterior of every record, up to a constant, under a uniform prior (spec, section 2).

    ``wrong="value"``: ln of Σ over the sets W of m′ − m triples of Π_{i∉W} p_i · Π_{i∈W} w_i, less
    ln C(|E(r′)|, m′), where p_i is the noise's likelihood and w_i that of drawing this triple
    among the cells outside the noise thresholds of r′'s own. ``wrong="item"``: r′ must hold
    exactly m of the items; −ln C(|E(r′)|, m) + Σ_{held} ln p_i + Σ_{lacking} ln of the chance to
    draw that item, by popularity among those that r′ lacks and that came not before, and one of
    its cells with this value and day.

    Parameters
    ----------
    release : PlainRelease
        N records, M items.
    aux : PlainAux
        m′ triples, in the order drawn.
    eligible : bool array, shape (M,), or None
        The items that the popularity filter leaves; None for all.

    Returns
    -------
    float64 array, shape (N,)
        −∞ where impossible. An item that the release lacks is one that every record lacks.

    Raises
    ------
    ValueError
        Aux has values or days though the adversary knows none, or fewer than m triples.

    Examples
    --------
    One triple of two is wrong. Both fit record 0, which is one too many; record 1 fits the first.

    >>> cells = [(0, 0, 5, None), (0, 1, 4, None), (1, 0, 5, None), (1, 1, 1, None)]
    >>> release = PlainRelease.of(2, 2, cells)
    >>> adversary = Adversary(correct=1, levels=np.arange(1.0, 6.0))
    >>> aux = PlainAux.of([(0, 5, None), (1, 4, None)])
    >>> np.exp(bayes_exact(release, aux, adversary)).tolist()
    [0.0, 1.0]
    """
    check_parts(aux, adversary)
    m = len(aux)
    n_wrong = m - adversary.correct
    adversary.wrong_share(m)
    allowed = np.ones(release.n_items, dtype=np.bool_) if eligible is None else eligible
    n_eligible = release.held[:, allowed].sum(axis=1)
    support = release.support()
    # ways[w, r′]: likelihood of the triples so far, summed over which w of them are wrong.
    ways = np.zeros((n_wrong + 1, release.n_records))
    ways[0] = 1.0
    mass = release.held.astype(np.float64) @ support
    for item, value, day in aux:
        right = np.zeros(release.n_records)
        wrong = np.zeros(release.n_records)
        if item >= 0 and allowed[item]:
            held = release.held[:, item]
            right[held] = value_likelihood(adversary, release.value[held, item], value)
            right[held] *= day_likelihood(adversary, release.day[held, item], day)
            if adversary.wrong == "value":
                wrong[held] = [
                    wrong_value(release, adversary, int(r), item, value, day)
                    for r in np.flatnonzero(held)
                ]
        if adversary.wrong == "item":
            wrong, mass = wrong_item(release, adversary, (item, value, day), mass)
        ways = ways * right + np.vstack([np.zeros(release.n_records), ways[:-1] * wrong])
    chosen = m if adversary.wrong == "value" else adversary.correct
    with np.errstate(divide="ignore"):
        scores = np.log(ways[n_wrong]) - log_choose(np.maximum(n_eligible, chosen), chosen)
    scores -= log_of_length(release, adversary)
    return np.where(n_eligible >= m, scores, -np.inf)


def wrong_value(
    release: PlainRelease, adversary: Adversary, record: int, item: int, value: float, day: float
) -> float:
    """Chance that a wrong triple for this cell is (value, day): uniform over the cells outside."""
    for cells in (release.held[:, item], None):
        values = release.value[release.held] if cells is None else release.value[cells, item]
        days = release.day[release.held] if cells is None else release.day[cells, item]
        outside = np.zeros(values.size, dtype=np.bool_)
        if adversary.value_noise is not None:
            true = float(release.value[record, item])
            outside |= np.abs(values - true) > adversary.value_reach(true)
        if adversary.date_noise is not None:
            outside |= np.abs(days - release.day[record, item]) > adversary.date_noise
        if outside.any():
            return float(same_cell(adversary, values, days, value, day)[outside].mean())
    return 0.0


def wrong_item(
    release: PlainRelease, adversary: Adversary, triple: tuple[int, float, float], mass: Floats
) -> tuple[Floats, Floats]:
    """Chance for each record that a wrong triple is this one, and the cells drawn out after it.

    `mass` counts, for each record, the cells of its own items and of the wrong ones before.
    """
    n_cells, (item, value, day) = int(release.held.sum()), triple
    if item < 0 or not release.held[:, item].any():
        return np.ones(release.n_records), mass
    held = release.held[:, item]
    cells = release.value[held, item], release.day[held, item]
    same = same_cell(adversary, *cells, value, day)
    room = np.maximum(n_cells - mass, 1.0)
    chance = np.where(held, 0.0, float(same.sum()) / room)
    return chance, np.where(held, mass, mass + float(held.sum()))
