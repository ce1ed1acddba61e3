"""Likelihoods of facts if the number of wrong ones is known exactly (spec §2, §4.1).

What the drawing of `sim.adversary.wrong` does, as likelihoods; the plain reference implementation
is `tests/reference/exact.py`. A wrong value is drawn from the item's true cells outside the noise
of the record's own, so its chance is the share of the cells that are this fact over the share
outside. With values alone these are tables by level; where dates are known, the cells outside are
counted for each cell (`sim.attack.algorithms.wrong_draws`). Both are exact.

Where the publisher moved the cells, true ones are expected from released ones
(`sim.attack.algorithms.originals`), and the share of those within the noise of a date is taken as
that of two cells of the release; of an item all of whose cells are that close, it is 1. That none
is outside depends on the date, which the classes of days do not tell, where an item's dates span
more than D and at most 2·D bins: then it is as likely as such dates are among its cells, so that no
record is ruled out that it may be so for.

Where items are in groups, the cells that a wrong value is drawn from are those of an item of the
group, which the release does not tell from the others': they are taken to be spread as those of the
group are, and one cell more than there is has any value and day. So a wrong fact rules no record
out that has any cell of the group left for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge
from sim.attack.algorithms.likelihood import Noise, any_cell, common_values, gaps_to, same_value
from sim.attack.algorithms.originals import Originals
from sim.attack.algorithms.wrong_draws import depend_on_day, wrong_draws
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Counted, WrongDraws
from sim.numeric import matmul, power

_ROUNDING = 1e-6
"""A number of cells that is as close to a whole one is that."""


def counted(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    right: Floats,
    share: Floats,
    number: NDArray[np.int64],
    either: NDArray[np.bool_],
) -> Counted:
    """Likelihoods of every fact if it is right and if it is wrong.

    Parameters
    ----------
    aux : Aux
        U units, A facts.
    right : float64 array, shape (A, C, L + 1)
        Chance of a right fact, by the class of the day and the level of the record's cell.
    share : float64 array, shape (A,)
        q_i; see `sim.attack.algorithms.likelihood.shares`.
    number : int64 array, shape (U,)
        Wrong facts, the most there may be of them.
    either : bool array, shape (A,)
        See `dropped`.
    """
    some = np.repeat(number > 0, aux.size)
    cells, rank = release.cells, release.rank
    known = (aux.item >= 0) & (rank >= noise.low) & (rank < noise.high)
    by_value = some & ~noise.by_item & known & (cells > 0)
    by_day = by_value & depend_on_day(release, noise)
    wrong, here = np.zeros_like(right), np.flatnonzero(by_day)
    wrong[here], draws = wrong_draws(release, aux, noise, share, right, here)
    if (by_value & ~by_day).any():
        wrong[by_value & ~by_day] = wrong_values(release, aux, noise, share)[by_value & ~by_day]
    same = share * cells
    whole = not (noise.publisher.changes_cells or noise.publisher.moves_ranks)
    if whole:
        same = np.where(np.abs(same - np.rint(same)) < _ROUNDING, np.rint(same), same)
    lacking = np.where(noise.by_item, same, 0.0)
    lacking[noise.by_item & (cells == 0)] = np.nan
    mass, group = np.empty((0, 0)), np.zeros(len(aux), np.int64)
    if (some & noise.by_item).any():
        mass, group = release.cells_of_own_items()
    shape = (aux.item.size, noise.n_classes * (release.scale.size + 1))
    return Counted(
        right=np.where(known[:, None, None], right, 0.0).reshape(shape),
        wrong=wrong.reshape(shape),
        levels=release.scale.size + 1,
        days=release.n_days + 1,
        lacking=lacking,
        either=either,
        by_item=noise.by_item,
        support=cells,
        number=number,
        cells=release.n_cells,
        mass=mass,
        group=group,
        draws=draws,
    )


def taken(chances: Counted, unit: Any, fact: Any) -> Counted:
    """Return what `counted` found, of aux sets that are made of the facts of others.

    Parameters
    ----------
    unit : int64 array, shape (V,), or slice
        The aux set that each has its facts from.
    fact : int64 array, shape (B,), or slice
    """
    facts = ("right", "wrong", "lacking", "either", "by_item", "support")
    parts = {name: getattr(chances, name)[fact] for name in facts}
    if chances.draws.kind.size:
        parts["draws"] = _draws_taken(chances.draws, fact)
    units = ("number", "cells", "group")
    return chances._replace(**parts, **{name: getattr(chances, name)[unit] for name in units})


def _draws_taken(draws: WrongDraws, fact: Any) -> WrongDraws:
    facts = ("kind", "plain", "gone", "elsewhere", "row")
    each = {name: getattr(draws, name) for name in facts}
    return draws._replace(**{name: of[fact] for name, of in each.items() if len(of)})


def first_of_more(chances: Counted, known: Sequence[Knowledge], cell: NDArray[np.int32]) -> Counted:
    """Complete the chances where the facts are the first ones of more (`grid.first`).

    Which of the m′ facts are wrong is a uniform choice, so the number of wrong ones among the first
    k is hypergeometric: each choice of w of them goes with C(m′ − k, m′ − m − w) choices of the
    others (`tests/reference/first.py`).

    Parameters
    ----------
    known : sequence of Knowledge
        Of each grid cell.
    cell : int32 array, shape (U,)
        The grid cell of each unit.
    """
    weight = np.zeros((len(known), int(chances.number.max(initial=0)) + 1))
    right_items = np.zeros(len(known), np.int64)
    for c in np.unique(cell).tolist():
        each = known[c]
        for w, ways in enumerate(ways_of_wrong(each)):
            weight[c, w] = ways
        if each.first is not None and each.wrong == "item":
            right_items[c] = each.first
    return chances._replace(weight=weight[cell], right_items=right_items[cell])


def ways_of_wrong(known: Knowledge) -> list[float]:
    """In how many ways 0, 1, … of the facts that are known may be wrong.

    Examples
    --------
    >>> ways_of_wrong(Knowledge(2, 3)), ways_of_wrong(Knowledge(2, 3, first=1))
    ([0.0, 1.0], [2.0, 1.0])
    """
    wrong, later = known.size - known.correct, known.size - known.n_facts
    return [float(math.comb(later, wrong - w)) for w in range(min(wrong, known.n_facts) + 1)]


def dropped(release: ReleaseView, aux: Aux, noise: Noise) -> NDArray[np.bool_]:
    """Return the facts that may be right although the publisher dropped their item.

    The rarest items have the ranks after all others.
    """
    rare = (noise.publisher.min_support > 1) & (noise.high > release.n_items)
    return np.asarray((aux.item < 0) & (rare | noise.popular))


def wrong_values(release: ReleaseView, aux: Aux, noise: Noise, share: Floats) -> Floats:
    """Chance of a wrong value and day, by class of the day and level, shape (A, C, L + 1)."""
    originals = Originals.of(release.scale, noise.publisher)
    common = common_values(release, aux, originals)
    counts = originals.of_cells(common, release.cells_by_level)
    of_any_item = close_dates(release, noise)
    central = _central_cells(release, noise)
    dates = np.where(central == 1.0, 1.0, of_any_item)
    chance = _chance(originals.scale, aux, noise, counts, dates, share)
    alone = _chance_of_none_outside(originals, noise, counts, dates, central, release.cells)
    if alone.any():
        # If the item has no cell outside, wrong values come from the whole release.
        totals, of_all = _of_release(release, aux, originals, noise)
        other = _chance(originals.scale, aux, noise, totals, of_any_item, of_all)
        chance = np.where(
            alone == 1.0, other, np.where(alone == 0.0, chance, _mixed(chance, other, alone))
        )
    return originals.by_release(common, chance)


def close_dates(release: ReleaseView, noise: Noise) -> Floats:
    """Probability that the true days of two cells are within the noise of each fact's day, (A,)."""
    if noise.coarse is None:
        known = {d: release.close_dates(d) for d in set(noise.days.tolist())}
        return np.array([known[d] for d in noise.days.tolist()])
    released = release.cells_of_days.astype(np.float64)
    true, missing = noise.coarse.law.expected(released[:-1]), released[-1]
    distinct, which = np.unique(noise.days, return_inverse=True)
    sums, at, everything = np.append(0.0, np.cumsum(true)), np.arange(true.size), released.sum()
    found = np.ones(distinct.size)
    for place, d in enumerate(distinct.astype(np.int64).tolist()):
        if d < 0:
            continue
        high, low = np.minimum(at + d + 1, true.size), np.maximum(at - d, 0)
        dated = np.cumsum(true * (sums[high] - sums[low]))[-1]
        found[place] = (dated + missing * (2 * everything - missing)) / everything**2
    close: Floats = found[which.ravel()]
    return close


def _central_cells(release: ReleaseView, noise: Noise) -> Floats:
    """Share of an item's cells from whose day that of no other is outside the noise, (A,).

    Of facts without a date it is 0, as it is not asked.
    """
    if noise.coarse is not None or not release.n_days:
        return np.zeros(noise.days.size)
    moved = noise.publisher.date_noise
    return release.central_cells(np.where(noise.days >= 0, noise.days + moved, -1.0))


def _by_class(dated: Floats, noise: Noise) -> Floats:
    """Return what holds of dated cells, and 1 of those without a day, which never differ."""
    by_class = np.repeat(dated[:, None], noise.n_classes, axis=1)
    by_class[:, -1] = 1.0
    return by_class


def _mixed(chance: Floats, other: Floats, alone: Floats) -> Floats:
    mixed: Floats = (1.0 - alone) * chance + alone * other
    return mixed


def _chance_of_none_outside(
    originals: Originals,
    noise: Noise,
    counts: Floats,
    dates: Floats,
    central: Floats,
    cells: Floats,
) -> Floats:
    """Chance that no other cell of the item lies outside the noise, shape (A, C, K + 1).

    By the class of the day and the true level. Known for certain where values were not moved and
    dates are not known; where values were moved, each other cell is inside independently.
    """
    near = share_of_close_values(originals.scale, noise, counts)
    if not originals.blurred:
        by_day = _by_class(np.where(noise.days < 0, 1.0, central), noise)
        none = by_day[:, :, None] * (near >= 1.0)[:, None, :]
        return np.where((cells == 1)[:, None, None] & (noise.days >= 0)[:, None, None], 1.0, none)
    inside = np.minimum(near * dates[:, None], 1.0)
    of_values: Floats = power(inside, np.maximum(cells - 1.0, 0.0)[:, None])
    return np.repeat(of_values[:, None, :], noise.n_classes, axis=1)


def _chance(
    scale: Floats, aux: Aux, noise: Noise, counts: Floats, dates: Floats, share: Floats
) -> Floats:
    """Share of the cells that are the fact, over that of the cells outside the noise.

    `counts` are the cells by true level, shape (A, K + 1); the result has shape (A, C, K + 1). If
    the fact lacks a value that its cell may have, for whether it is outside stands the share of
    such cells that are not.
    """
    near = share_of_close_values(scale, noise, counts)
    limits, which = noise.value_limits(scale)
    silent = share_of_close_values(scale, noise, counts * noise.has_value(aux, scale.size))
    value = np.where(
        np.isnan(aux.value)[:, None], silent, ~(gaps_to(scale, aux.value) > limits[which])
    )
    day = np.where((aux.day == NO_DAY)[:, None], 1.0, noise.agreeing_days)
    is_outside = 1.0 - day[:, :, None] * value[:, None, :]
    outside = 1.0 - near[:, None, :] * _by_class(dates, noise)[:, :, None]
    chance: Floats = share[:, None, None] * is_outside / np.where(outside > 0, outside, np.inf)
    return chance


def share_of_close_values(scale: Floats, noise: Noise, counts: Floats) -> Floats:
    """Share of the cells whose value is within the noise of each level's, shape (A, K + 1).

    A missing value never differs.
    """
    values = np.append(scale, np.nan)
    apart = np.abs(values[:, None] - values[None, :])
    inside = np.empty_like(counts)
    limits, which = noise.value_limits(scale)
    for k, reach in enumerate(limits):
        inside[which == k] = matmul(counts[which == k], ~(apart > reach[None, :]))
    total = counts.sum(axis=1)
    share: Floats = inside / np.where(total > 0, total, 1.0)[:, None]
    return share


def _of_release(
    release: ReleaseView, aux: Aux, originals: Originals, noise: Noise
) -> tuple[Floats, Floats]:
    """True cells of the release by level, and the share of them that are each fact.

    Returns
    -------
    counts : float64 array, shape (A, K + 1)
    share : float64 array, shape (A,)
    """
    released = release.all_cells_by_level
    common = originals.everywhere(released)
    chance = originals.by_release(common, same_value(originals.scale, aux, noise))
    share = np.empty(aux.item.size)
    reach, n_days = noise.publisher.date_noise, release.n_days
    for unit in range(len(aux)):
        cells = release.cells_by_day(unit)
        for fact in range(int(aux.start[unit]), int(aux.start[unit + 1])):
            day = int(aux.day[fact])
            if noise.coarse is not None and day != NO_DAY:
                code, weight = noise.coarse.law.fact(np.array([day]), 0)
                inside = (code[0] >= 0) & (code[0] < n_days)
                on_days = cells[:, code[0][inside]] * weight[0][inside]
                by_level = np.cumsum(on_days, axis=1)[:, -1] if inside.any() else np.zeros(1)
                share[fact] = float((by_level * chance[fact]).sum()) / max(cells.sum(), 1)
                continue
            dated = 1 if day == NO_DAY else 2 * reach + 1
            window = slice(max(day - reach, 0), max(min(day + reach + 1, n_days), 0))
            if day == NO_DAY:
                window = slice(n_days if noise.days[fact] >= 0 else 0, n_days + 1)
            same = float((cells[:, window].sum(axis=1) * chance[fact]).sum())
            share[fact] = same / dated / max(cells.sum(), 1)
    if noise.publisher.hides_cells_of_items:
        n = np.repeat(release.n_cells, aux.size)
        share = (n * share + any_cell(release, aux, noise)) / (n + 1)
    return originals.of_cells(common, released), share
