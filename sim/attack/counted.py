"""The posterior's chances where the number of wrong facts is taken at its word (spec §2, §4.1).

What the drawing of `sim.adversary.wrong` does, told as likelihoods; the plain twin is
`sim.attack.reference.exact`. A wrong value is drawn from the item's cells outside the noise of the
record's own, so its chance is the share of the cells that are this fact over the share outside.
With values alone that is exact. Where dates are known nearly every cell is outside: the share of
those within the noise of a date is then taken as that of two cells of the release, and an item is
taken to have no cell outside only if it has no other cell.
"""

from __future__ import annotations

import functools

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, AuxBatch
from sim.adversary.own import items_of
from sim.attack.decisions import Floats
from sim.attack.likelihood import Noise
from sim.attack.scan import Counted
from sim.attack.similarity import value_gaps
from sim.attack.weights import cells_left, supports
from sim.release.store import Block, Store


def counted(
    store: Store, aux: AuxBatch, noise: Noise, right: Floats, number: NDArray[np.int64]
) -> Counted:
    """Chances of every fact if it is right and if it is wrong.

    Parameters
    ----------
    store : Store
    aux : AuxBatch
        U units, A facts; `share` counted.
    noise : Noise
    right : float64 array, shape (A, 3, L + 1)
        Chance of a right fact, by the class of the day and the level of the record's cell.
    number : int64 array, shape (U,)
        Wrong facts.

    Returns
    -------
    Counted
    """
    some = np.repeat(number > 0, aux.size)
    support = supports(store, aux)
    rank = store.rank[np.maximum(aux.item, 0)]
    known = (aux.item >= 0) & (rank >= noise.low) & (rank < noise.high)
    by_value = some & ~noise.by_item & known & (support > 0)
    wrong = np.zeros_like(right)
    if by_value.any():
        wrong[by_value] = _wrong_values(store, aux, noise, support)[by_value]
    lacking = np.where(noise.by_item, np.rint(aux.share * support), 0.0)
    lacking[noise.by_item & (support == 0)] = np.nan
    mass, group = np.empty((0, 0)), np.zeros(len(aux), np.int64)
    if (some & noise.by_item).any():
        mass, group = _masses(store, aux)
    shape = (aux.item.size, 3 * (store.scale.size + 1))
    return Counted(
        right=np.where(known[:, None, None], right, 0.0).reshape(shape),
        wrong=wrong.reshape(shape),
        lacking=lacking,
        support=support,
        number=number,
        cells=cells_left(store, aux),
        mass=mass,
        group=group,
    )


def _wrong_values(store: Store, aux: AuxBatch, noise: Noise, support: Floats) -> Floats:
    """Chance of a wrong value and day, by class of the day and level, shape (A, 3, L + 1)."""
    item = np.maximum(aux.item, 0)
    gone = np.flatnonzero(np.repeat(aux.absent, aux.size) & aux.own_held)
    counts = _levels_of_items(store)[item].astype(np.float64)
    counts[gone, aux.own_level[gone]] -= 1
    dates = np.array([_close_dates(store, d) for d in noise.days.tolist()])
    chance = _chance(store, aux, noise, counts, dates, aux.share)
    # Where the item has no cell outside, all of the release is drawn from.
    near = _near(store, noise, counts)
    alone = np.where((noise.days >= 0)[:, None], (support == 1)[:, None], near >= 1.0)
    if not alone.any():
        return chance
    totals, share = _of_release(store, aux)
    return np.where(alone[:, None, :], _chance(store, aux, noise, totals, dates, share), chance)


def _chance(
    store: Store, aux: AuxBatch, noise: Noise, counts: Floats, dates: Floats, share: Floats
) -> Floats:
    """Share of the cells that are the fact, over that of the cells outside the noise.

    `counts` are the cells by level, shape (A, L + 1). Of a part that the fact lacks it is not known
    whether it is outside; for that stands the share of the cells that are not.
    """
    near = _near(store, noise, counts)
    value = np.where(
        np.isnan(aux.value)[:, None], near, ~(value_gaps(store, aux) > noise.value[:, None])
    )
    day = np.where((aux.day == NO_DAY)[:, None], dates[:, None], [0.0, 1.0, 1.0])
    is_outside = 1.0 - day[:, :, None] * value[:, None, :]
    outside = (1.0 - near * dates[:, None])[:, None, :]
    chance: Floats = share[:, None, None] * is_outside / np.where(outside > 0, outside, np.inf)
    return chance


def _near(store: Store, noise: Noise, counts: Floats) -> Floats:
    """Share of the cells whose value is within the noise of each level's, shape (A, L + 1).

    A missing value never differs.
    """
    values = np.append(store.scale, np.nan)
    apart = np.abs(values[:, None] - values[None, :])
    inside = np.empty_like(counts)
    for k in np.unique(noise.value).tolist():
        here = noise.value == k
        inside[here] = counts[here] @ ~(apart > k)
    share: Floats = inside / np.maximum(counts.sum(axis=1), 1)[:, None]
    return share


@functools.lru_cache(maxsize=64)
def _close_dates(store: Store, days: float) -> float:
    """Chance that two cells of the release are within so many days; a missing day never differs."""
    if days < 0:
        return 1.0
    counts = _cells_of_release(store).sum(axis=0).astype(np.float64)
    reach = np.concatenate([[0.0], np.cumsum(counts[:-1])])
    at = np.arange(counts.size - 1)
    low = np.clip(at - int(days), 0, counts.size - 1)
    high = np.clip(at + int(days) + 1, 0, counts.size - 1)
    dated = (counts[:-1] * (reach[high] - reach[low])).sum()
    missing, everything = counts[-1], counts.sum()
    return float((dated + missing * (2 * everything - missing)) / everything**2)


def _of_release(store: Store, aux: AuxBatch) -> tuple[Floats, Floats]:
    """Cells of the release by level, and the share of them that are each fact.

    Returns
    -------
    counts : float64 array, shape (A, L + 1)
    share : float64 array, shape (A,)
    """
    counts = np.empty((aux.item.size, store.scale.size + 1))
    share = np.empty(aux.item.size)
    values = np.append(store.scale, np.nan)
    n_days = store.manifest.n_days
    for unit in range(len(aux)):
        cells = _cells_of_release(store)
        if aux.absent[unit] and aux.target[unit] >= 0:
            cells = cells.copy()
            block, own = _record(store, int(aux.target[unit]))
            np.subtract.at(cells, (block.record_level[own], block.record_day[own]), 1)
        for fact in range(int(aux.start[unit]), int(aux.start[unit + 1])):
            counts[fact] = cells.sum(axis=1)
            value, day = aux.value[fact], int(aux.day[fact])
            same = cells if np.isnan(value) else cells[values == value]
            if day != NO_DAY:
                same = same[:, day : day + 1] if 0 <= day < n_days else same[:, :0]
            share[fact] = same.sum() / max(cells.sum(), 1)
    return counts, share


def _masses(store: Store, aux: AuxBatch) -> tuple[Floats, NDArray[np.int64]]:
    """Cells of each record's own items, once for all present targets and for each absent one."""
    masses = [_mass(store)]
    group = np.zeros(len(aux), np.int64)
    for unit in np.flatnonzero(aux.absent & (aux.target >= 0)).tolist():
        group[unit] = len(masses)
        masses.append(masses[0] - _common(store, int(aux.target[unit])))
    return np.array(masses), group


@functools.lru_cache(maxsize=2)
def _mass(store: Store) -> Floats:
    """Cells of the items that each record holds, shape (N,)."""
    mass = np.empty(store.manifest.n_records)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        summed = np.add.reduceat(store.support[block.record_item], block.record_start[:-1])
        mass[block.first : block.first + block.n_records] = summed
    return mass


def _common(store: Store, target: int) -> Floats:
    """Items that each record shares with the target, shape (N,)."""
    shared = np.zeros(store.manifest.n_records)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        rows = [
            block.item_row[block.item_start[item] : block.item_start[item + 1]]
            for item in items_of(store, target).tolist()
        ]
        here = shared[block.first : block.first + block.n_records]
        here += np.bincount(np.concatenate(rows), minlength=block.n_records)
    return shared


def _record(store: Store, record: int) -> tuple[Block, slice]:
    """Where a record's cells are."""
    block = store.block(record // store.manifest.block_records)
    row = record - block.first
    return block, slice(int(block.record_start[row]), int(block.record_start[row + 1]))


@functools.lru_cache(maxsize=2)
def _levels_of_items(store: Store) -> NDArray[np.int64]:
    """Cells of each item by level, shape (n_items, L + 1)."""
    counts = np.zeros((store.manifest.n_items, store.scale.size + 1), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_levels(block.item_start, block.item_level, counts)
    return counts


@functools.lru_cache(maxsize=2)
def _cells_of_release(store: Store) -> NDArray[np.int64]:
    """Cells of the release by level and day, shape (L + 1, n_days + 1)."""
    counts = np.zeros((store.scale.size + 1, store.manifest.n_days + 1), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_cells(block.item_level, block.item_day, counts)
    return counts


@numba.njit(cache=True, nogil=True)
def _count_levels(item_start, item_level, counts):  # type: ignore[no-untyped-def]
    for item in range(counts.shape[0]):
        for k in range(item_start[item], item_start[item + 1]):
            counts[item, item_level[k]] += 1


@numba.njit(cache=True, nogil=True)
def _count_cells(level, day, counts):  # type: ignore[no-untyped-def]
    for k in range(level.size):
        counts[level[k], day[k]] += 1
