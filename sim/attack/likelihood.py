"""How likely what the adversary knows is, of each cell it may be about (spec §2, §4.1)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, AuxBatch
from sim.adversary.knowledge import Knowledge
from sim.attack.decisions import Floats
from sim.attack.similarity import day_table, value_gaps
from sim.release.store import Store

_FREE, _NEVER = -1, -2
"""Instead of a code: that any will do, that none will."""


@dataclass(frozen=True, slots=True)
class Noise:
    """How the adversary of each of A facts errs.

    Parameters
    ----------
    value : float64 array, shape (A,)
        The most by which a value may be off; inf where no values are known.
    days : float64 array, shape (A,)
        D; −1 where no dates are known.
    wrong : float64 array, shape (A,)
        π = (m′ − m)/m′.
    by_item : bool array, shape (A,)
        Whether wrong facts are of wrong items.
    low, high : float64 arrays, shape (A,)
        Ranks [low, high) of the items the adversary may know.
    """

    value: Floats
    days: Floats
    wrong: Floats
    by_item: NDArray[np.bool_]
    low: Floats
    high: Floats

    @classmethod
    def of(cls, knowledge: tuple[Knowledge, ...], aux: AuxBatch) -> Noise:
        """Take each fact's from the knowledge of its grid cell."""
        by_cell = np.array(
            [
                (
                    np.inf if k.value_reach is None else k.value_reach,
                    -1 if k.date_noise is None else k.date_noise,
                    (k.size - k.correct) / k.size,
                    k.wrong == "item",
                    k.popularity.low,
                    np.inf if k.popularity.high is None else k.popularity.high,
                )
                for k in knowledge
            ],
            np.float64,
        )
        value, days, wrong, by_item, low, high = by_cell[np.repeat(aux.cell, aux.size)].T.copy()
        return cls(value, days, wrong, by_item > 0, low, high)


def right_facts(store: Store, aux: AuxBatch, noise: Noise) -> Floats:
    """p(value | value′)·p(day | day′) of every fact.

    Parameters
    ----------
    store : Store
    aux : AuxBatch
        A facts.
    noise : Noise

    Returns
    -------
    float64 array, shape (A, 3, L + 1)
        By the class of the cell's day (`day_classes`) and its level.
    """
    known = noise.days >= 0
    inside = np.where(known, 1.0 / (2 * np.maximum(noise.days, 0) + 1), 1.0)
    day = np.column_stack([np.where(known, 0.0, 1.0), inside, np.ones(inside.size)])
    day[aux.day == NO_DAY] = 1.0
    right: Floats = day[:, :, None] * _value_likelihood(store, aux, noise.value)[:, None, :]
    return right


def _value_likelihood(store: Store, aux: AuxBatch, reach: Floats) -> Floats:
    """p(value | value′) by the cell's level: uniform over the levels within reach of it."""
    gaps = value_gaps(store, aux)
    apart = np.abs(store.scale[:, None] - store.scale[None, :])
    count = np.ones_like(gaps)
    for k in np.unique(reach).tolist():
        count[reach == k, :-1] = (apart <= k).sum(axis=1)
    within = (gaps <= reach[:, None]) & np.isin(aux.value, store.scale)[:, None]
    likely: Floats = np.where(np.isnan(gaps), 1.0, within / count)
    return likely


def day_classes(
    store: Store, aux: AuxBatch, days: Floats
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Class of every day for every fact: 0 beyond the noise, 1 within, 2 where there is no day.

    Parameters
    ----------
    store : Store
    aux : AuxBatch
        A facts.
    days : float64 array, shape (A,)
        See `Noise`.

    Returns
    -------
    day_class : uint8 array, shape (K,)
        A table for every noise there is.
    day_offset : int64 array, shape (A,)
        See `sim.attack.scan.Gains`.
    """
    tables, offset, length = [], np.zeros(aux.item.size, np.int64), 0
    for d in np.unique(days).tolist():
        table, shift = day_table(store, aux.day, functools.partial(_within, d), 2.0)
        here = days == d
        offset[here] = shift[here] + length
        tables.append(table.astype(np.uint8))
        length += table.size
    return np.concatenate([np.empty(0, np.uint8), *tables]), offset


def _within(days: float, gap: NDArray[np.int64]) -> Floats:
    return (gap <= days).astype(np.float64)


def shares(store: Store, aux: AuxBatch, wanted: NDArray[np.bool_]) -> Floats:
    """q_i: the share of the item's cells with exactly the fact's value and day.

    Parts that the fact lacks are free. An absent target's own cell does not count.

    Parameters
    ----------
    store : Store
    aux : AuxBatch
        A facts.
    wanted : bool array, shape (A,)

    Returns
    -------
    float64 array, shape (A,)
        0 where not wanted, or where the release has no such item.
    """
    facts = np.flatnonzero(wanted & (aux.item >= 0))
    item, day = aux.item[facts], aux.day[facts]
    level = np.searchsorted(store.scale, aux.value[facts])
    on_scale = np.append(store.scale, np.nan)[level] == aux.value[facts]
    level = np.where(np.isnan(aux.value[facts]), _FREE, np.where(on_scale, level, _NEVER))
    # The code one past the last day stands for "no day", which is no day to be the same as.
    day = np.where(day == NO_DAY, _FREE, np.where(day < store.manifest.n_days, day, _NEVER))
    day = np.where((day < 0) & (day != _FREE), _NEVER, day)
    same = np.zeros(facts.size, np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_same(block.item_start, block.item_level, block.item_day, item, level, day, same)
    cells = store.support[item].copy()
    gone = (np.repeat(aux.absent, aux.size) & aux.own_held)[facts]
    own_level, own_day = aux.own_level[facts], aux.own_day[facts]
    same -= gone & ((level == _FREE) | (level == own_level)) & ((day == _FREE) | (day == own_day))
    cells -= gone
    share = np.zeros(aux.item.size)
    share[facts] = same / np.maximum(cells, 1)
    return share


@numba.njit(cache=True, nogil=True)
def _count_same(item_start, item_level, item_day, item, level, day, same):  # type: ignore[no-untyped-def]
    for a in range(item.size):
        for k in range(item_start[item[a]], item_start[item[a] + 1]):
            same[a] += (level[a] == _FREE or item_level[k] == level[a]) and (
                day[a] == _FREE or item_day[k] == day[a]
            )
