"""The Bayes-optimal attacker: the log posterior of every record given aux (spec, section 4.1).

Invariant: −∞ means that the stated adversary cannot have drawn this aux from that record; the
scores of one aux differ from the log posterior by one constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import gammaln

from reference.tables import Floats, Ints, Mask, PlainAux, PlainRelease


@dataclass(frozen=True, slots=True, eq=False)
class Adversary:
    """The adversary's parameters on which the posterior depends (spec, section 2).

    Parameters
    ----------
    correct : int
        m, of the m′ triples of aux.
    levels : float64 array, shape (L,)
        The scale, distinct levels in value units; empty where nothing has a value.
    value_noise : float or None
        k, in value units; None where aux has no values.
    date_noise : int or None
        D, in days; None where aux has no dates.
    wrong : {"value", "item"}
        What a completely wrong triple is.
    draw : {"cells", "items"}
        Triples are of cells drawn without replacement; or of items drawn so, and one cell of each.
    value_share : float
        A share of the true value, by which a value may be off in addition to k.
    missing : float
        Probability that a triple, right or wrong, carries no value.
    released_days : bool
        Whether cells of the release have days; else it says nothing that they have none.
    blanks : bool
        Whether released cells may lack values and days that the true ones have.
    knows_length : bool
        Whether the length of the record is known but for a share of it; which records may have it
        is left to the caller.

    Examples
    --------
    >>> Adversary(correct=6, levels=np.arange(1.0, 6.0)).wrong_share(8)
    0.25
    """

    correct: int
    levels: Floats
    value_noise: float | None = 0.0
    date_noise: int | None = 0
    wrong: Literal["value", "item"] = "value"
    draw: Literal["cells", "items"] = "cells"
    value_share: float = 0.0
    missing: float = 0.0
    released_days: bool = True
    blanks: bool = False
    knows_length: bool = False

    def value_reach(self, value: float) -> float:
        """Return the most by which a value may be off; k where it is missing, inf if unknown."""
        if self.value_noise is None:
            return np.inf
        return self.value_noise + (0.0 if np.isnan(value) else self.value_share * abs(value))

    def wrong_share(self, size: int) -> float:
        """Return π = (m′ − m)/m′.

        Parameters
        ----------
        size : int
            m′.

        Raises
        ------
        ValueError
            m is not between 0 and m′.
        """
        if not 0 <= self.correct <= size:
            raise ValueError(f"{self.correct} correct triples of {size}")
        return (size - self.correct) / size


def ranks(release: PlainRelease) -> Ints:
    """Rank the items by decreasing support, ties by item, from 0 (spec, section 1).

    Parameters
    ----------
    release : PlainRelease
        M items.

    Returns
    -------
    int64 array, shape (M,)

    Examples
    --------
    >>> cells = [(0, 0, None, None), (0, 1, None, None), (1, 1, None, None), (0, 2, None, None)]
    >>> ranks(PlainRelease.of(2, 3, cells)).tolist()
    [1, 0, 2]
    """
    order = np.argsort(-release.support(), kind="stable")
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    return rank


def rank_window(release: PlainRelease, low: int = 0, high: int | None = None) -> Mask:
    """Return the items that a popularity filter leaves: those with a rank in [low, high).

    Parameters
    ----------
    release : PlainRelease
        M items.
    low : int
        Number of the most supported items that are left out.
    high : int or None
        None for no end.

    Returns
    -------
    bool array, shape (M,)

    Examples
    --------
    >>> release = PlainRelease.of(1, 3, [(0, 1, None, None)])
    >>> rank_window(release, 1).tolist()
    [True, False, True]
    """
    rank = ranks(release)
    return (rank >= low) & (rank < (rank.size if high is None else high))


def bayes(
    release: PlainRelease, aux: PlainAux, adversary: Adversary, eligible: Mask | None = None
) -> Floats:
    """Log posterior of every record, up to a constant, under a uniform prior (spec, section 4.1).

    −ln C(|E(r′)|, m′) + Σ_i ln((1−π)·p(value_i|value′_i)·p(day_i|day′_i) + π·q_i(value_i, day_i)),
    where E(r′) = the items of r′ that the popularity filter leaves. q_i is the share of item i's
    cells with exactly that value and day. A triple has the parts that its cell has, but for values
    that are missing by chance; a part that the adversary does not know at all is free.

    Parameters
    ----------
    release : PlainRelease
        N records, M items.
    aux : PlainAux
        m′ triples.
    eligible : bool array, shape (M,), or None
        The items that the popularity filter leaves, as `rank_window` gives them; None for all.

    Returns
    -------
    float64 array, shape (N,)
        −∞ for a record with fewer than m′ eligible items, for one that lacks an aux item (with
        ``wrong="value"``; also one that the whole release lacks), and where the noise cannot
        explain a triple. With ``wrong="item"`` an item that the whole release lacks adds nothing.

    Raises
    ------
    ValueError
        Aux has values or days though the adversary knows none, or fewer than m triples.

    Examples
    --------
    Three hold the item; the longer record is half as likely to be asked about it.

    >>> cells = [(0, 0, 5, None), (1, 0, 5, None), (1, 1, 5, None), (2, 0, 4, None)]
    >>> release = PlainRelease.of(3, 2, cells)
    >>> adversary = Adversary(correct=1, levels=np.arange(1.0, 6.0))
    >>> np.exp(bayes(release, PlainAux.of([(0, 5, None)]), adversary)).round(4).tolist()
    [1.0, 0.5, 0.0]
    """
    check_parts(aux, adversary)
    m = len(aux)
    wrong = adversary.wrong_share(m)
    support = release.support()
    allowed = np.ones(release.n_items, dtype=np.bool_) if eligible is None else eligible
    n_eligible = release.held[:, allowed].sum(axis=1)
    scores = np.where(n_eligible >= m, -log_choose(np.maximum(n_eligible, m), m), -np.inf)
    scores -= log_of_length(release, adversary)
    for item, value, day in aux:
        if item < 0 or support[item] == 0:
            if adversary.wrong == "value":
                scores[:] = -np.inf
            continue
        held = release.held[:, item]
        q = float(
            same_cell(
                adversary, release.value[held, item], release.day[held, item], value, day
            ).mean()
        )
        # π·(the item's share of all cells)·q is how a wrong item comes about.
        lacking = wrong * (support[item] / support.sum()) * q if adversary.wrong == "item" else 0.0
        likelihood = np.full(release.n_records, lacking)
        p_value = value_likelihood(adversary, release.value[held, item], value)
        p_day = day_likelihood(adversary, release.day[held, item], day)
        likelihood[held] = (1.0 - wrong) * p_value * p_day + wrong * q
        with np.errstate(divide="ignore"):
            scores = scores + np.log(likelihood)
    return scores


def check_parts(aux: PlainAux, adversary: Adversary) -> None:
    """Refuse aux with a part that the adversary cannot know.

    Raises
    ------
    ValueError
        A value where `value_noise` is None, or a day where `date_noise` is None.

    Examples
    --------
    >>> check_parts(PlainAux.of([(0, None, 3)]), Adversary(1, np.empty(0), date_noise=None))
    Traceback (most recent call last):
    ValueError: aux has a day, but the adversary knows no days
    """
    for name, part, noise in (
        ("value", aux.value, adversary.value_noise),
        ("day", aux.day, adversary.date_noise),
    ):
        if noise is None and not np.isnan(part).all():
            raise ValueError(f"aux has a {name}, but the adversary knows no {name}s")


def log_of_length(release: PlainRelease, adversary: Adversary) -> Floats:
    """Return the ln of how many lengths may be known of each record, up to a constant, shape (N,).

    Of n cells, a length known is uniform over n·(1 ± p), so each is as likely as 1/n.
    """
    n = np.maximum(release.length(), 1)
    return np.log(n) if adversary.knows_length else np.zeros(n.size)


def log_choose(n: Ints, m: int) -> Floats:
    """Return ln C(n, m).

    Parameters
    ----------
    n : int64 array
        At least m.

    Examples
    --------
    >>> np.exp(log_choose(np.array([4, 5]), 2)).round(9).tolist()
    [6.0, 10.0]
    """
    choose: Floats = gammaln(n + 1.0) - gammaln(m + 1.0) - gammaln(n - m + 1.0)
    return choose


def same_cell(
    adversary: Adversary, values: Floats, days: Floats, value: float, day: float
) -> Floats:
    """Chance that a triple which is made of each cell as it is would be (value, day).

    Examples
    --------
    >>> adversary, values = Adversary(1, np.array([4.0, 5.0])), np.array([5.0, 4.0, np.nan])
    >>> same_cell(adversary, values, np.zeros(3), 5.0, 0.0).tolist()
    [1.0, 0.0, 0.0]
    """
    same = np.isnan(value) | (values == value)
    same &= np.isnan(day) | (days == day)
    chance: Floats = same * has_value(adversary, values, value) * has_day(adversary, days, day)
    return chance


def has_value(adversary: Adversary, cells: Floats, value: float) -> Floats:
    """Chance that a triple has a value, or none, as it does, given the true value of its cell.

    Parameters
    ----------
    cells : float64 array, shape (n,)
        NaN where missing.
    value : float
        The known value; NaN where missing.

    Returns
    -------
    float64 array, shape (n,)
        1 for an adversary who knows no values, and where the release has none.

    Examples
    --------
    >>> cells, often = np.array([5.0, np.nan]), Adversary(1, np.array([5.0]), missing=0.25)
    >>> has_value(often, cells, 5.0).tolist(), has_value(often, cells, np.nan).tolist()
    ([0.75, 0.0], [0.25, 1.0])
    """
    if adversary.value_noise is None or not adversary.levels.size:
        return np.ones(cells.size)
    if np.isnan(value):
        return np.where(np.isnan(cells), 1.0, adversary.missing)
    return np.where(np.isnan(cells), float(adversary.blanks), 1.0) * (1.0 - adversary.missing)


def has_day(adversary: Adversary, cells: Floats, day: float) -> Floats:
    """Whether a triple has a day, or none, as the true day of its cell has it; as `has_value`.

    Examples
    --------
    >>> has_day(Adversary(1, np.empty(0)), np.array([9.0, np.nan]), 9.0).tolist()
    [1.0, 0.0]
    """
    if adversary.date_noise is None or not adversary.released_days:
        return np.ones(cells.size)
    if np.isnan(day):
        return np.isnan(cells).astype(np.float64)
    return np.where(np.isnan(cells), float(adversary.blanks), 1.0)


def value_likelihood(adversary: Adversary, cells: Floats, value: float) -> Floats:
    """p(value | value′) for each cell value′: uniform over the scale levels within ±k of it.

    Times the chance that a triple has a value; see `has_value`.

    Parameters
    ----------
    cells : float64 array, shape (n,)
        True values; NaN where missing.
    value : float
        The known value; NaN where missing.

    Returns
    -------
    float64 array, shape (n,)

    Examples
    --------
    >>> adversary = Adversary(1, np.arange(1.0, 6.0), value_noise=1)
    >>> value_likelihood(adversary, np.array([5.0, 4.0, 1.0, np.nan]), 5.0).round(4).tolist()
    [0.5, 0.3333, 0.0, 0.0]
    """
    told = has_value(adversary, cells, value)
    if adversary.value_noise is None or np.isnan(value):
        return told
    reach = np.array([adversary.value_reach(cell) for cell in cells.tolist()])
    within = np.abs(adversary.levels[None, :] - cells[:, None]) <= reach[:, None]
    drawn = (within & (adversary.levels == value)[None, :]).any(axis=1)
    p = np.where(drawn, 1.0 / np.maximum(within.sum(axis=1), 1), 0.0)
    return np.where(np.isnan(cells), 1.0, p) * told


def day_likelihood(adversary: Adversary, cells: Floats, day: float) -> Floats:
    """p(day | day′) for each cell day′: 1/(2D+1) within ±D.

    Where triples have a day as cells have one; see `has_day`.

    Parameters
    ----------
    cells : float64 array, shape (n,)
        True days; NaN where missing.
    day : float
        The known day; NaN where missing.

    Returns
    -------
    float64 array, shape (n,)

    Examples
    --------
    >>> adversary = Adversary(1, np.empty(0), date_noise=2)
    >>> day_likelihood(adversary, np.array([10.0, 12.0, 13.0, np.nan]), 10.0).tolist()
    [0.2, 0.2, 0.0, 0.0]
    """
    told = has_day(adversary, cells, day)
    if adversary.date_noise is None:
        return told
    gap = np.abs(cells - day)
    p = np.where(gap <= adversary.date_noise, 1.0 / (2 * adversary.date_noise + 1), 0.0)
    return np.where(np.isnan(gap), 1.0, p) * told
