"""The posterior where each cell is released with a known probability, by summing over all lengths.

A record of N cells has each released with probability κ. The sums over N, over which facts are
wrong, and the chance of every fact stand here one by one.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from scipy.stats import binom

from reference.bayes import (
    Adversary,
    check_parts,
    day_likelihood,
    value_likelihood,
)
from reference.tables import Floats, Mask, PlainAux, PlainRelease
from reference.unseen import Unseen, new_cell

LONGEST = 512
"""Released cells of a record, beyond which all true lengths are as likely."""


@functools.cache
def placements(released: int, visible: int, hidden: int, kept: float) -> float:
    """Chance of drawing these cells of a record, by the number of cells that it has released.

    Σ_H P(N = n + H | n)·H(H − 1)⋯/N(N − 1)⋯ for so many visible facts about one released cell each,
    and so many about any hidden ones.

    Examples
    --------
    κ^h·(1 − κ)^j/(n(n − 1)⋯(n − h + 1)):

    >>> round(placements(4, 2, 1, 0.5), 9) == round(0.5**3 / (4 * 3), 9)
    True
    """
    drawn, total = visible + hidden, 0.0
    for more in range(hidden, 4000):
        n = released + more
        if n < drawn:
            continue
        likely = math.exp(
            math.lgamma(n + 1) - math.lgamma(released + 1) - math.lgamma(more + 1)
            + (released + 1) * math.log(kept) + more * math.log1p(-kept)
        )  # fmt: skip
        total += likely * math.perm(more, hidden) / math.perm(n, drawn)
    return total


@functools.lru_cache(1 << 16)
def _released(n: int, length: int, kept: float) -> float:
    """Chance that n of so many cells are released: SciPy is slow for one number at a time."""
    return float(binom.pmf(n, length, kept))


def placements_of(
    weight: Mapping[int, float], released: int, drawn: tuple[int, int], size: int, kept: float
) -> float:
    """The same, where lengths are not as likely, and those of fewer than `size` cells impossible.

    Parameters
    ----------
    weight : mapping
        Of each length; see `tests/reference/true_lengths.py`.
    drawn : (int, int)
        Visible and hidden facts.

    Examples
    --------
    >>> placements_of({3: 1.0}, 2, (0, 1), 1, 0.5)
    0.3333333333333333
    """
    (visible, hidden), total, whole = drawn, 0.0, 0.0
    for length, share in weight.items():
        if length < released:
            continue
        likely = share * _released(released, length, kept)
        whole += likely
        if length >= max(size, visible + hidden):
            placed = math.perm(length - released, hidden)
            total += likely * placed / math.perm(length, visible + hidden)
    return total / whole


def placements_of_cut(
    before: Mapping[int, int], released: int, drawn: tuple[int, int], size: int, kept: float
) -> float:
    """The same, where it is known how many people had how many cells before they were cut down.

    Each of these was one of a person's cells with a probability, and each length of these is as
    likely. Of the hidden facts, any may be about cells that were cut off, and the others not.

    Examples
    --------
    >>> placements_of_cut({2: 1, 4: 1}, 2, (1, 0), 1, 1.0) == (1 / 2 + 1 / 4) / 2
    True
    """
    visible, hidden = drawn
    total = 0.0
    for length, people in before.items():
        for which in itertools.product((True, False), repeat=hidden):
            cut, gone = which.count(True), which.count(False)
            if cut > length - released or (kept == 1 and (gone or length < size)):
                continue
            placed = math.perm(length - released, cut) / math.perm(length, visible + cut)
            total += people * kept ** (visible + cut) * (1 - kept) ** gone * placed
    return total / sum(before.values())


def bayes_missing(
    release: PlainRelease,
    aux: PlainAux,
    adversary: Adversary,
    kept: float | Floats,
    size: int,
    unseen: Unseen,
    eligible: Mask | None = None,
    date_noise: int = 0,
    drops_items: bool = False,
    cut: tuple[int, Mapping[int, int], float] | None = None,
) -> Floats:
    """Log posterior of every record, up to a constant, of a sample of the cells.

    Parameters
    ----------
    aux : PlainAux
        The first k of m′ triples. A wrong one is about a wrong item, or has a wrong value, where
        no days are known.
    kept : float, or float64 array, shape (N,)
        κ, below 1; of each record.
    size : int
        m′.
    unseen : Unseen
        Of the whole release.
    eligible : bool array, shape (M,), or None
        The items that the popularity filter leaves; None for all.
    date_noise : int
        D_S, in days.
    drops_items : bool
        Whether the publisher dropped items; hidden cells are then of others.
    cut : (int, mapping, float) or None
        The number of cells that records were cut down to, how many records of at least as many had
        how many, and the κ of these cells; None: all that is known of it is κ.

    Returns
    -------
    float64 array, shape (N,)

    Examples
    --------
    Half of the cells were released. Record 0 holds the item among two; it is one of four held.

    >>> release = PlainRelease.of(2, 3, [(0, 0, None, None), (0, 1, None, None), (1, 1, None, None),
    ...     (1, 2, None, None)])
    >>> adversary = Adversary(1, np.empty(0), None, None)
    >>> from reference.unseen import unseen_of
    >>> unseen = unseen_of(release, np.empty(0), 0)
    >>> scores = bayes_missing(release, PlainAux.of([(0, None, None)]), adversary, 0.5, 1, unseen)
    >>> np.exp(scores).round(3).tolist()
    [0.25, 0.5]
    """
    check_parts(aux, adversary)
    k, n_wrong, by_item = len(aux), size - adversary.correct, adversary.wrong == "item"
    allowed = np.ones(release.n_items, np.bool_) if eligible is None else eligible
    support = release.support()
    nobody = [drops_items and (item < 0 or support[item] == 0) for item, _, _ in aux]
    least = k - sum(nobody) if any(nobody) else size
    known = adversary, date_noise
    scores = np.full(release.n_records, -np.inf)
    for record in range(release.n_records):
        held = [item >= 0 and bool(release.held[record, item]) for item, _, _ in aux]
        n = int(release.held[record, allowed].sum())
        n = max(n, min(int(release.held[record].sum()), k))
        share = kept if isinstance(kept, float) else float(kept[record])
        total = 0.0
        for x in range(min(n_wrong, k) + 1):
            ways = math.comb(size - k, n_wrong - x)
            for wrong in itertools.combinations(range(k), x):
                if by_item and any(held[a] for a in wrong):
                    continue
                no_cell = wrong if by_item else ()
                lacking = [a for a in range(k) if not held[a] and a not in no_cell]
                drawn = sum(held), sum(not nobody[a] for a in lacking)
                if cut is not None and release.held[record].sum() == cut[0]:
                    chance = placements_of_cut(cut[1], n, drawn, least, cut[2])
                elif unseen.lengths is None or n > LONGEST:
                    chance = placements(n, *drawn, share)
                else:
                    chance = placements_of(unseen.lengths, n, drawn, least, share)
                of_items = tuple(a for a in wrong if not nobody[a])
                total += ways * chance * _product(release, aux, known, unseen, record, of_items)
        with np.errstate(divide="ignore"):
            scores[record] = np.log(total)
    return scores


def _product(
    release: PlainRelease,
    aux: PlainAux,
    known: tuple[Adversary, int],
    unseen: Unseen,
    record: int,
    wrong: tuple[int, ...],
) -> float:
    """Chance of every fact: of the record's cell, of one that is not released, or a wrong one.

    Certain facts are wrong.
    """
    adversary, date_noise = known
    product, support = 1.0, release.support()
    room = float(support.sum() - support[release.held[record]].sum())
    hidden: list[float] = []
    for a, (item, value, day) in enumerate(aux):
        if (item < 0 or not release.held[record, item]) and not np.isnan(day):
            far = (adversary.date_noise or 0) + date_noise
            near = _own_days(release, record, day, hidden, (far, unseen.usual.size))
            product *= 1.0 if a in wrong else near
            hidden.append(day)
        if item < 0 or support[item] == 0:
            continue  # nobody holds it
        triple = item, value, day
        if release.held[record, item]:
            if a in wrong:
                own = float(release.value[record, item])
                product *= _wrong_value(release, own, triple, known, unseen)
            else:
                product *= _chance(release, record, item, value, day, known)
            continue
        if a in wrong and adversary.wrong == "value":
            spread = _wrong_value_of_hidden(release, triple, known, unseen)
        elif a in wrong:
            spread = _wrong(release, triple, known, unseen)
        else:
            spread = _hidden(release, triple, known, unseen)
        product *= spread * float(support[item]) / max(room, 1.0)
        room -= float(support[item])
    return product


def _hidden(
    release: PlainRelease,
    triple: tuple[int, float, float],
    known: tuple[Adversary, int],
    unseen: Unseen,
) -> float:
    """Chance that a fact about a hidden cell of the item is this one."""
    item, value, day = triple
    cells = np.flatnonzero(release.held[:, item]).tolist()
    same = sum(_chance(release, record, item, value, day, known) for record in cells)
    new = new_cell(release, item, (value, day), known, unseen.usual)
    return float((same + unseen.alpha * new) / (len(cells) + unseen.alpha))


def _wrong(
    release: PlainRelease,
    triple: tuple[int, float, float],
    known: tuple[Adversary, int],
    unseen: Unseen,
) -> float:
    """Chance that a true cell of the item, released or not, has exactly this value and day."""
    (item, value, day), (adversary, date_noise) = triple, known
    exact = replace(
        adversary,
        value_noise=None if adversary.value_noise is None else 0.0,
        value_share=0.0,
        date_noise=None if adversary.date_noise is None else 0,
    )
    cells, n = np.flatnonzero(release.held[:, item]).tolist(), int(release.held.sum())
    seen = [_chance(release, record, item, value, day, (exact, date_noise)) for record in cells]
    share = min(unseen.left, n / (n + 1))
    unseen_one = _hidden(release, triple, (exact, date_noise), unseen)
    return share * sum(seen) / len(seen) + (1 - share) * unseen_one


def _wrong_value(
    release: PlainRelease,
    own: float,
    triple: tuple[int, float, float],
    known: tuple[Adversary, int],
    unseen: Unseen,
) -> float:
    """Chance that a wrong value of a cell of this value is that of the triple."""
    (item, value, _), adversary = triple, known[0]
    reach = adversary.value_reach(own)
    if abs(value - own) <= reach:
        return 0.0
    of_item, of_all = release.value[release.held[:, item], item], release.value[release.held]
    outside = np.abs(of_item - own) > reach
    if outside.any():
        return _wrong(release, triple, known, unseen) / float(outside.mean())
    # One cell more than there is has any of the levels.
    same = (float((of_all == value).sum()) + 1 / adversary.levels.size) / (of_all.size + 1)
    elsewhere = float((np.abs(of_all - own) > reach).mean())
    return same / elsewhere if elsewhere > 0 else 0.0


def _wrong_value_of_hidden(
    release: PlainRelease,
    triple: tuple[int, float, float],
    known: tuple[Adversary, int],
    unseen: Unseen,
) -> float:
    """The same of a hidden cell: one of the item's cells, or one more as those of the release."""
    cells = release.value[release.held[:, triple[0]], triple[0]].tolist()
    of_all = release.value[release.held].tolist()
    chance = {own: _wrong_value(release, own, triple, known, unseen) for own in {*cells, *of_all}}
    new = sum(chance[own] for own in of_all) / len(of_all)
    return (sum(chance[own] for own in cells) + new) / (len(cells) + 1)


def _own_days(
    release: PlainRelease, record: int, day: float, hidden: list[float], spans: tuple[int, int]
) -> float:
    """Return how much more often than others the record has cells near a day.

    Up to 64 periods of equal length; those with any of the record's own cells are as likely as one
    another and, with the weight of α cells, the cells of all records tell how likely each is.
    """
    far, n_days = spans
    width = math.ceil(n_days / 64)
    n_periods = math.ceil(n_days / width)
    counts = np.zeros((release.n_records, n_periods))
    for r, i in np.argwhere(release.held & ~np.isnan(release.day)).tolist():
        counts[r, int(release.day[r, i]) // width] += 1
    share = (counts.sum(axis=0) + 1) / (counts.sum() + n_periods)
    n = counts.sum(axis=1)
    pairs = [(c * (c - 1)).sum() / (m * (m - 1)) for c, m in zip(counts, n, strict=True) if m > 1]
    same, by_chance = (float(np.mean(pairs)) if pairs else 0.0), float((share**2).sum())
    alpha = min(4 * (1 - same) / (same - by_chance), 1e6) if same > by_chance else 1e6

    def near(at: float) -> tuple[int, int]:
        """Periods of a day: the first and the last."""
        ends = math.floor((at - far) / width), math.floor((at + far) / width)
        low, high = (min(max(each, 0), n_periods - 1) for each in ends)
        return low, high

    first, last = near(day)
    own, usual = counts[record, first : last + 1].sum(), share[first : last + 1].sum()
    own += sum(first <= sum(near(each)) // 2 <= last for each in hidden)
    cells = n[record] + len(hidden)
    own = max(cells / (1 + alpha), 1.0) if own > 0 else 0.0
    return float((own + alpha * usual) / ((cells + alpha) * usual))


def _chance(
    release: PlainRelease, record: int, item: int, value: float, day: float,
    known: tuple[Adversary, int],
) -> float:  # fmt: skip
    """Chance that a right fact about a released cell is (value, day)."""
    adversary, date_noise = known
    days = release.day[record, item] + np.arange(-date_noise, date_noise + 1)
    p_value = value_likelihood(adversary, release.value[[record], item], value)[0]
    return float(p_value * day_likelihood(adversary, days, day).mean())
