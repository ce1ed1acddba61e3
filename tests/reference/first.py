"""The exact posterior of an adversary who knows the first few of m′ triples (spec, section 2).

Which triples are wrong is a uniform choice of m′ − m of the m′ positions. So of the first k any w
may be, w being hypergeometric: a given set of w of them is the wrong ones in C(m′ − k, m′ − m − w)
of the C(m′, m′ − m) choices.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from reference.bayes import Adversary, check_parts, day_likelihood, value_likelihood
from reference.exact import wrong_item, wrong_value
from reference.tables import Floats, Mask, PlainAux, PlainRelease


def bayes_first(
    release: PlainRelease,
    aux: PlainAux,
    adversary: Adversary,
    size: int,
    eligible: Mask | None = None,
) -> Floats:
    """Log posterior of every record, up to a constant, under a uniform prior.

    ln of the sum, over the sets W of the k known triples, of C(m′ − k, m′ − m − |W|) times the
    chance to draw these triples in this order with those of W wrong: own items one after the other,
    uniformly among those of the record that are left, and for ``wrong="item"`` wrong ones by
    popularity among those that it lacks and that came not before.

    Parameters
    ----------
    aux : PlainAux
        The first k triples, in the order drawn.
    size : int
        m′; a record is eligible with so many items, and for ``wrong="item"`` if it lacks as many as
        are wrong.
    eligible : bool array, shape (M,), or None
        The items that the popularity filter leaves; None for all.

    Returns
    -------
    float64 array, shape (N,)
        −∞ where impossible.

    Examples
    --------
    One of two triples is wrong, and one is known: it is as likely right as wrong. Record 0 has the
    value, record 1 another; a wrong value for record 1 is the 5 for sure.

    >>> cells = [(0, 0, 5, None), (0, 1, 4, None), (1, 0, 2, None), (1, 1, 1, None)]
    >>> release = PlainRelease.of(2, 2, cells)
    >>> adversary = Adversary(correct=1, levels=np.arange(1.0, 6.0))
    >>> np.exp(bayes_first(release, PlainAux.of([(0, 5, None)]), adversary, 2)).tolist()
    [0.5, 0.5]
    """
    check_parts(aux, adversary)
    known, n_wrong = len(aux), size - adversary.correct
    allowed = np.ones(release.n_items, np.bool_) if eligible is None else eligible
    scores = np.full(release.n_records, -np.inf)
    support = release.support()
    for record in range(release.n_records):
        own = int(release.held[record, allowed].sum())
        lacking = int(((support > 0) & ~release.held[record]).sum())
        if own < size or (adversary.wrong == "item" and lacking < n_wrong):
            continue
        total = 0.0
        for w in range(min(known, n_wrong) + 1):
            ways = math.comb(size - known, n_wrong - w)
            for wrong in itertools.combinations(range(known), w):
                total += ways * _chance(release, aux, adversary, allowed, record, set(wrong))
        scores[record] = math.log(total) if total > 0 else -np.inf
    return scores


def _chance(
    release: PlainRelease,
    aux: PlainAux,
    adversary: Adversary,
    allowed: Mask,
    record: int,
    wrong: set[int],
) -> float:
    """Chance of the triples in this order if those are wrong and the others right."""
    chance, left = 1.0, int(release.held[record, allowed].sum())
    mass = release.held.astype(np.float64) @ release.support()
    for position, (item, value, day) in enumerate(aux):
        held = item >= 0 and bool(release.held[record, item])
        if position in wrong and adversary.wrong == "item":
            if held:
                return 0.0
            of_each, mass = wrong_item(release, adversary, (item, value, day), mass)
            chance *= float(of_each[record])
            continue
        if not held or not allowed[item] or left == 0:
            return 0.0
        chance /= left
        left -= 1
        if position in wrong:
            chance *= wrong_value(release, adversary, record, item, value, day)
        else:
            chance *= value_likelihood(adversary, release.value[record, [item]], value)[0]
            chance *= day_likelihood(adversary, release.day[record, [item]], day)[0]
    return float(chance)
