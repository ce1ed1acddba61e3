"""How likely a cell that is not released is of a value and a day, by counting cells one by one.

An item's cells are draws from a Dirichlet process: a further one is one of those released, each
with weight 1, or a new one, with weight α.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reference.bayes import Adversary, day_likelihood, has_day, has_value, value_likelihood
from reference.tables import Floats, PlainRelease


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """What a whole release says of cells that are not in it.

    Parameters
    ----------
    alpha : float
        Weight of a new cell.
    usual : float64 array, shape (n_days,)
        Share of the dated cells on each day.
    left : float
        Share of all cells that are in the release.
    lengths : mapping, or None
        Weight of each true length of a record; None: all are as likely.
    """

    alpha: float
    usual: Floats
    left: float = 1.0
    lengths: Mapping[int, float] | None = None


def unseen_of(release: PlainRelease, levels: Floats, n_days: int) -> Unseen:
    """Count how the cells of a whole release are spread.

    Parameters
    ----------
    levels : float64 array, shape (L,)
        The scale.

    Examples
    --------
    Cells of an item that are alike: a new one is as likely as any of them, at most.

    >>> cells = [(r, i, 5.0, 7 * i) for r in range(4) for i in range(2)]
    >>> unseen_of(PlainRelease.of(4, 2, cells), np.arange(1.0, 6.0), 8).alpha
    1.0
    """
    usual = usual_days(release, n_days)
    where = np.argwhere(release.held).tolist()
    cells = [(i, _level(release.value[r, i], levels), _day(release.day[r, i])) for r, i in where]
    n = len(cells)
    undated = sum(day is None for _, _, day in cells) / max(n, 1)
    best, most = 1.0, -math.inf
    for power in range(21):
        alpha, total = 2.0**power, 0.0
        for item, level, day in cells:
            of_item = [(at, on) for i, at, on in cells if i == item]
            if len(of_item) < 2:
                continue
            alike = of_item.count((level, day)) - 1
            anywhere = sum(at == level for _, at, _ in cells) + 1 / (levels.size + 1)
            others = sum(at == level for at, _ in of_item) - 1
            new = (others + anywhere / (n + 1)) / len(of_item)
            if n_days:
                new *= undated if day is None else (1 - undated) * float(usual[day])
            total += math.log((alike + alpha * new) / (len(of_item) - 1 + alpha))
        if total > most:
            best, most = alpha, total
    return Unseen(best, usual)


def _level(value: float, levels: Floats) -> int:
    return levels.size if np.isnan(value) else int(np.searchsorted(levels, value))


def _day(day: float) -> int | None:
    return None if np.isnan(day) else int(day)


def usual_days(release: PlainRelease, n_days: int) -> Floats:
    """Share of the dated cells on each day: the same within each of up to 64 periods.

    Examples
    --------
    >>> usual_days(PlainRelease.of(1, 2, [(0, 0, None, 0), (0, 1, None, 0)]), 2).tolist()
    [0.75, 0.25]
    """
    if not n_days:
        return np.empty(0)
    days = release.day[release.held]
    days = days[~np.isnan(days)].astype(int)
    width = math.ceil(n_days / 64)
    found, n_periods = np.zeros(n_days), math.ceil(n_days / width)
    for first in range(0, n_days, width):
        period = range(first, min(first + width, n_days))
        within = sum(int(day) in period for day in days)
        found[first : period.stop] = (within + 1) / (days.size + n_periods) / len(period)
    return found


def new_cell(
    release: PlainRelease,
    item: int,
    fact: tuple[float, float],
    known: tuple[Adversary, int],
    usual: Floats,
) -> float:
    """Chance that a triple about a new cell of an item is of a value and a day.

    Parameters
    ----------
    fact : (float, float)
        The value and the day; NaN where missing.
    known : (Adversary, int)
        And D_S, in days.
    """
    (value, day), (adversary, date_noise) = fact, known
    n_cells, held = int(release.held.sum()), release.held
    share = float(np.isnan(release.value[held]).mean())
    any_value = _part(
        adversary, has_value, value, (share, n_cells), 1 / max(adversary.levels.size, 1)
    )
    of_item = value_likelihood(adversary, release.value[held[:, item], item], value)
    of_all = value_likelihood(adversary, release.value[held], value)
    elsewhere = (float(of_all.sum()) + any_value) / (n_cells + 1)
    likely = (float(of_item.sum()) + elsewhere) / (of_item.size + 1)
    on_day = 1.0
    if not np.isnan(day):
        shifts = np.arange(-date_noise, date_noise + 1.0)
        on_day = 0.0
        for at in range(usual.size):
            on_day += float(usual[at]) * float(day_likelihood(adversary, at + shifts, day).mean())
        # One cell more than there is may be from before or after the release.
        on_day = (n_cells * on_day + float(usual.min())) / (n_cells + 1)
    share = float(np.isnan(release.day[held]).mean())
    return likely * _part(adversary, has_day, day, (share, n_cells), on_day)


def _part(
    adversary: Adversary, has: object, part: float, cells: tuple[float, int], alike: float
) -> float:
    """Chance that any cell has a part as a triple has it: it is as often missing as elsewhere."""
    share, n_cells = cells
    with_it, without = has(adversary, np.array([0.0, np.nan]), part).tolist()  # type: ignore[operator]
    if np.isnan(part) and with_it != without:
        share = max(share, 1 / (n_cells + 1))  # a cell that no record has may lack it
    return float((1 - share) * with_it * (1.0 if np.isnan(part) else alike) + share * without)
