"""How many cells of the release have each value and day, an absent target's own left out."""

from __future__ import annotations

import functools

import numba
import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.attack.engine.decisions import Floats
from sim.release.store.store import Block, Store


def cells_by_level(store: Store, aux: AuxBatch) -> Floats:
    """Cells of each fact's item by level, shape (A, L + 1); of any item where it has none."""
    counts = _levels_of_items(store)[np.maximum(aux.item, 0)].astype(np.float64)
    gone = np.flatnonzero(np.repeat(aux.absent, aux.size) & aux.own_held)
    counts[gone, aux.own_level[gone]] -= 1
    counts[aux.item < 0] = 0
    return counts


def cells_of_release(store: Store, aux: AuxBatch) -> Floats:
    """Cells of the whole release by level, for each fact, shape (A, L + 1)."""
    by_unit = [cells_by_day(store, aux, unit).sum(axis=1) for unit in range(len(aux))]
    width = store.scale.size + 1
    return np.repeat(np.array(by_unit, np.float64).reshape(-1, width), aux.size, axis=0)


def cells_by_day(store: Store, aux: AuxBatch, unit: int) -> NDArray[np.int64]:
    """Cells that one aux set may be about, by level and day, shape (L + 1, n_days + 1)."""
    cells = all_cells(store)
    if not aux.absent[unit] or aux.target[unit] < 0:
        return cells
    block, own = _record(store, int(aux.target[unit]))
    cells = cells.copy()
    np.subtract.at(cells, (block.record_level[own], block.record_day[own]), 1)
    return cells


@functools.lru_cache(maxsize=2)
def all_cells(store: Store) -> NDArray[np.int64]:
    """Cells of the release by level and day, shape (L + 1, n_days + 1)."""
    counts = np.zeros((store.scale.size + 1, store.manifest.n_days + 1), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_cells(block.item_level, block.item_day, counts)
    return counts


@functools.lru_cache(maxsize=2)
def _levels_of_items(store: Store) -> NDArray[np.int64]:
    """Cells of each item by level, shape (n_items, L + 1)."""
    counts = np.zeros((store.manifest.n_items, store.scale.size + 1), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        _count_levels(block.item_start, block.item_level, counts)
    return counts


def _record(store: Store, record: int) -> tuple[Block, slice]:
    """Where a record's cells are."""
    block = store.block(record // store.manifest.block_records)
    row = record - block.first
    return block, slice(int(block.record_start[row]), int(block.record_start[row + 1]))


@numba.njit(cache=True, nogil=True)
def _count_levels(item_start, item_level, counts):  # type: ignore[no-untyped-def]
    for item in range(counts.shape[0]):
        for k in range(item_start[item], item_start[item + 1]):
            counts[item, item_level[k]] += 1


@numba.njit(cache=True, nogil=True)
def _count_cells(level, day, counts):  # type: ignore[no-untyped-def]
    for k in range(level.size):
        counts[level[k], day[k]] += 1
