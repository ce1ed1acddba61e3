"""What wrong values are drawn from, where dates are known (spec §2, §4.1).

A wrong value is one of the item's cells outside the noise of the record's own, each as likely, so
its chance is the number of cells that are this fact over the number outside. The latter depends on
the day and the value of the record's own cell: `sim.attack.kernels.near_cells` counts for it. Where
no cell of the item is outside, the wrong value is one of the release's. Both are exact, and held to
`tests/reference/exact.py`. A fact without a date is of a cell without one, which none is far from.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.attack.algorithms.likelihood import Noise, same_value
from sim.attack.algorithms.originals import Originals
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import NO_DRAWS, WrongDraws
from sim.numeric import log_parts, matmul

Ints = NDArray[np.int64]


def depend_on_day(release: ReleaseView, noise: Noise) -> NDArray[np.bool_]:
    """Return the facts whose chance of being wrong is counted by the day of each cell, (A,).

    Not where cells may have other values, days or items than they had: then it is expected.
    """
    publisher = noise.publisher
    moved = noise.coarse is not None or publisher.date_noise > 0 or publisher.misses_cells
    if moved or publisher.hides_cells_of_items or Originals.of(release.scale, publisher).noisy:
        return np.zeros(noise.days.size, np.bool_)
    return np.asarray((noise.days >= 0) & (release.n_days > 0))


def near_noise(release: ReleaseView, aux: Aux, noise: Noise) -> WrongDraws | None:
    """Return the noise of each fact that may be drawn by the day of a cell; None without any.

    Without what `wrong_draws` adds for the score.
    """
    asked = (aux.item >= 0) & (noise.wrong > 0) & ~noise.by_item & depend_on_day(release, noise)
    here = np.flatnonzero(asked)
    if not here.size:
        return None
    reach, within, kind = _noises(release, noise, here)
    return WrongDraws(kind=_of_all(aux.item.size, here, kind, -1), reach=reach, within=within)


def wrong_draws(
    release: ReleaseView, aux: Aux, noise: Noise, share: Floats, right: Floats, here: Ints
) -> tuple[Floats, WrongDraws]:
    """Count what is needed for some facts.

    Parameters
    ----------
    share : float64 array, shape (A,)
        q_i.
    right : float64 array, shape (A, C, L + 1)
    here : int64 array, shape (B,)
        The facts, whose items the release holds.

    Returns
    -------
    number : float64 array, shape (B, C, L + 1)
        The item's cells that are the fact, where these are outside, by class of the day and level.
    draws : WrongDraws
    """
    if not here.size:
        return np.empty((0, *right.shape[1:])), NO_DRAWS
    n_facts = aux.item.size
    reach, within, kind = _noises(release, noise, here)
    same = _same_cells(release, aux, noise, share, here)
    agrees = _agreement(aux, noise, here)
    number = _outside(same, agrees, within, kind)
    gone, gone_level, gone_day = release.removed_cells()
    # Without the removed records' cells an item's dates may be closer together.
    alone = _may_be_alone(release, reach[kind], here) | (gone[here, 0] < gone[here, 1])
    either = ((right[here] > 0) & (number > 0)).any(axis=(1, 2))
    whole = gone[here, 0] == gone[here, 1]
    whole &= (number == np.rint(number)).all(axis=(1, 2))  # else ln n/s is in no table
    draws = WrongDraws(
        kind=_of_all(n_facts, here, kind, -1),
        plain=_of_all(n_facts, here, ~alone & ~either & whole, True),
        gone=gone,
        gone_level=gone_level,
        gone_day=gone_day,
        reach=reach,
        within=within,
        logs=_logs(int(release.cells.max(initial=0))),
    )
    if not alone.any():
        return number, draws
    outside = reach, within, kind[alone]
    room, row, of_release = _of_release(release, aux, noise, here[alone], outside)
    elsewhere = np.zeros(right.shape)
    elsewhere[here[alone]] = _outside(of_release, agrees[alone], within, kind[alone])
    return number, draws._replace(
        elsewhere=elsewhere.reshape(n_facts, -1), room=room, row=_of_all(n_facts, here[alone], row)
    )


def _of_all(n_facts: int, here: Ints, found: NDArray, rest: int = 0) -> NDArray:  # type: ignore[type-arg]
    every = np.full(n_facts, rest, found.dtype)
    every[here] = found
    return every


def _noises(release: ReleaseView, noise: Noise, here: Ints) -> tuple[Ints, NDArray[np.bool_], Ints]:
    """Days and values within each noise there is, and which of them is each fact's."""
    limits, which = noise.value_limits(release.scale)
    pairs = np.column_stack([np.floor(noise.days[here]), which[here]]).astype(np.int64)
    distinct, kind = pairs[:1], np.zeros(len(pairs), np.int64)
    if (pairs != distinct).any():  # sorting all takes longer than the rest, and most are alike
        distinct, kind = np.unique(pairs, axis=0, return_inverse=True)
    values = np.append(release.scale, np.nan)
    apart = np.abs(values[None, :] - values[:, None])  # of a level's, each other's
    within = ~(apart[None] > limits[distinct[:, 1]][:, :, None])
    return np.minimum(distinct[:, 0], release.n_days), within, kind.ravel()


def _same_cells(release: ReleaseView, aux: Aux, noise: Noise, share: Floats, here: Ints) -> Floats:
    """Return the item's cells that are each fact, by level, shape (B, L + 1)."""
    number = np.rint(share[here] * release.cells[here])
    by_level = same_value(release.scale, aux, noise)[here]
    same = by_level * number[:, None]
    free = np.flatnonzero(np.isnan(aux.value[here]) & (number > 0))
    facts, day = here[free], aux.day[here[free]].astype(np.int64)
    on = np.where(aux.day[facts] == NO_DAY, release.n_days, day)
    for level in range(same.shape[1] if free.size else 0):
        one = np.zeros((free.size, same.shape[1]))
        one[:, level] = by_level[free, level]
        same[free, level] = release.matching_cells(facts, one, on, on)
    return same


def _agreement(aux: Aux, noise: Noise, here: Ints) -> Floats:
    """Whether the fact's day is within the noise, by class of the record's, shape (B, C)."""
    agrees = np.broadcast_to(noise.agreeing_days, (here.size, noise.n_classes)).copy()
    agrees[aux.day[here] == NO_DAY] = 1.0
    return agrees


def _outside(same: Floats, agrees: Floats, within: NDArray[np.bool_], kind: Ints) -> Floats:
    """Return the cells outside of those that are the fact, by class and level of the record's.

    Parameters
    ----------
    same : float64 array, shape (B, L + 1)
        Cells that are the fact, by their level.

    Returns
    -------
    float64 array, shape (B, C, L + 1)
    """
    near = np.empty_like(same)
    for k, of_levels in enumerate(within):
        near[kind == k] = matmul(same[kind == k], of_levels.T)
    number: Floats = same.sum(axis=1)[:, None, None] - agrees[:, :, None] * near[:, None, :]
    return number


def _may_be_alone(release: ReleaseView, reach: Ints, here: Ints) -> NDArray[np.bool_]:
    """Whether some cell of the item may have no other outside: if only as dates are close."""
    first, last, undated = release.days_of_items(here)
    return np.asarray((last - first <= 2 * reach) | (undated > 0))


@functools.lru_cache(maxsize=2)
def _logs(most: int) -> Floats:
    logs = log_parts(np.maximum(np.arange(most + 1, dtype=np.float64), 1.0))
    logs.flags.writeable = False
    return logs


def _of_release(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    here: Ints,
    outside: tuple[Ints, NDArray[np.bool_], Ints],
) -> tuple[Floats, Ints, Floats]:
    """Cells of the release outside, by day and level, and those that are some facts.

    Parameters
    ----------
    outside : tuple
        Days and values within each noise, and which of them is each fact's; see `_noises`.

    Returns
    -------
    room : float64 array, shape (H, days·levels)
    row : int64 array, shape (B,)
    same : float64 array, shape (B, L + 1)
    """
    reach, within, kind = outside
    by_level = same_value(release.scale, aux, noise)
    rooms: dict[tuple[int, int], int] = {}
    found: list[Floats] = []
    row, same = np.empty(here.size, np.int64), np.empty((here.size, within.shape[1]))
    which = release.releases()
    unit = aux.unit[here]
    for at, (fact, u, k) in enumerate(
        zip(here.tolist(), unit.tolist(), kind.tolist(), strict=True)
    ):
        cells = release.cells_by_day(u).astype(np.float64)
        key = int(which[u]), k
        if key not in rooms:
            rooms[key] = len(found)
            found.append(_room(cells, int(reach[k]), within[k]))
        row[at] = rooms[key]
        day = release.n_days if aux.day[fact] == NO_DAY else int(aux.day[fact])
        dated = 0 <= day < release.n_days or aux.day[fact] == NO_DAY
        same[at] = cells[:, day] * by_level[fact] if dated else 0.0
    return np.array(found), row, same


def _room(cells: Floats, reach: int, within: NDArray[np.bool_]) -> Floats:
    """Cells outside the noise of one with each day and level, shape (days·levels,).

    `cells` has them by level and day, the last day being none.
    """
    dated, undated = cells[:, :-1], cells[:, -1]
    sums = np.column_stack([np.zeros(len(cells)), np.cumsum(dated, axis=1)])
    at, n_days = np.arange(dated.shape[1]), dated.shape[1]
    high, low = np.minimum(at + reach + 1, n_days), np.maximum(at - reach, 0)
    near = np.column_stack([sums[:, high] - sums[:, low] + undated[:, None], cells.sum(axis=1)])
    inside = (within[:, :, None] * near[None, :, :]).sum(axis=1)  # level, day
    room: Floats = (cells.sum() - inside).T.ravel()
    return room
