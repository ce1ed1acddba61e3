"""A release changed by its publisher: without its rarest items (F06 §5.1), or with noise (NS08 §3).

Items held by fewer records than asked are dropped; a record that holds nothing else goes with them,
as there is nothing of it left to publish. The adversary knows the person still, and looks for them
in vain. Both are counted in the notes of the release.

Noise Z_S on the cells and Z_A on the aux leaves the same difference between the two as Z_S + Z_A
on the aux: exactly for days, and for values at least k_S + k_A from both ends of the scale. Nearer
to an end the two differ, as no level lies beyond it: on five stars with k_S = k_A = 1, no |Δ| has a
probability that differs by more than 1/6.

Invariant: the same seed perturbs every cell alike, whatever the blocks of the store it lies in and
whichever items are dropped beside it; nothing else changes.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from sim.adversary.knowledge import reach
from sim.errors import ConfigError, GridError
from sim.numeric.noise import day_shifts, moved_levels
from sim.numeric.random import Purpose, words
from sim.release.store.build import Progress, build_store
from sim.release.store.cache import open_or_build
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY, CellChunk
from sim.release.store.store import Block, Store

_CELLS_A_CHUNK = 1 << 20
_MOST_DAYS = 65_535


class PerturbedSource:
    """The cells of a store that are published, each with noise of its own.

    Parameters
    ----------
    store : Store
        The release as it is in truth.
    value_noise : float
        k: a value moves to a uniform level of the scale at most this far from it; levels beyond
        the ends of the scale do not exist.
    date_noise : int
        D: a day moves by a uniform whole number in [−D, D], beyond the ends of the release too.
    seed : int
        Of the noise.
    least_support : int
        Items held by fewer records are dropped.

    Raises
    ------
    ConfigError
        A noise or a support that cannot be.
    GridError
        No item has the support asked for.
    """

    def __init__(
        self, store: Store, value_noise: float, date_noise: int, seed: int, least_support: int = 1
    ) -> None:
        if not (math.isfinite(value_noise) and value_noise >= 0):
            raise ConfigError(f"perturb.value_noise: {value_noise}: expected 0 or more")
        most = (_MOST_DAYS - store.manifest.n_days) // 2 if store.manifest.has_days else _MOST_DAYS
        if not 0 <= date_noise <= most:
            raise ConfigError(
                f"perturb.date_noise: {date_noise}: expected 0 to {most} days, as a release may "
                f"span {_MOST_DAYS}"
            )
        if least_support < 1:
            raise ConfigError(f"perturb.least_support: {least_support}: expected 1 or more")
        most = int(store.support.max())
        if most < least_support:
            raise GridError(
                f"perturb.least_support: {least_support}: nothing is left of the release, as no "
                f"item is held by more than {most} records; set it to {most} at most"
            )
        self._store, self._seed = store, seed
        self._value_noise, self._date_noise = value_noise, date_noise
        self._least_support = least_support
        self._stays = store.support >= least_support
        self._position = self._moved_values = self._moved_days = self._records = 0

    @property
    def name(self) -> str:
        """What this is, for people."""
        done = []
        if self._least_support > 1:
            done.append(f"without the items held by fewer than {self._least_support:,} records")
        if self._least_support == 1 or self._value_noise or self._date_noise:
            done.append(f"perturbed (values ±{self._value_noise:g}, days ±{self._date_noise})")
        return ", ".join([self._store.manifest.source, *done])

    @property
    def size(self) -> int:
        """Number of cells that are published."""
        return int(self._store.support[self._stays].sum())

    def position(self) -> int:
        """Cells published so far."""
        return self._position

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the identity of the release's store and what is done to its cells."""
        identity = [
            *("standout-perturb-3", self._store.manifest.identity),
            *(repr(float(self._value_noise)), self._date_noise, self._seed, self._least_support),
        ]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()

    def notes(self) -> Mapping[str, str | int]:
        """What was done; complete after `chunks`."""
        return {
            "perturbed from": self._store.manifest.fingerprint,
            "least support": self._least_support,
            "items dropped": int(np.count_nonzero(~self._stays)),
            "cells dropped": self._store.manifest.n_cells - self.size,
            "records left out": self._store.manifest.n_records - self._records,
            "value noise": f"{self._value_noise:g}",
            "date noise": self._date_noise,
            "noise seed": self._seed,
            "values moved": self._moved_values,
            "days moved": self._moved_days,
        }

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all cells that are published, by record and item."""
        self._position = self._moved_values = self._moved_days = self._records = 0
        for index in range(self._store.manifest.n_blocks):
            block = self._store.block(index)
            bounds = block.record_start
            first = 0
            while first < bounds.size - 1:
                full = np.searchsorted(bounds, bounds[first] + _CELLS_A_CHUNK, side="right")
                last = max(int(full) - 1, first + 1)
                chunk = self._chunk(block, first, last)
                if len(chunk):
                    yield chunk
                self._position += len(chunk)
                first = last

    def _chunk(self, block: Block, first: int, last: int) -> CellChunk:
        """Publish what is left of the rows [first, last) of a block."""
        store = self._store
        begin, end = int(block.record_start[first]), int(block.record_start[last])
        lengths = np.diff(block.record_start[first : last + 1])
        record = np.repeat(np.arange(block.first + first, block.first + last), lengths)
        # The noise of a cell goes by its place in the whole record, whatever is dropped.
        place = np.arange(begin, end) - np.repeat(block.record_start[first:last], lengths)
        kept = self._stays[block.record_item[begin:end]]
        record, place = record[kept], place[kept]
        self._records += int(np.count_nonzero(np.diff(record, prepend=-1)))
        old_level = block.record_level[begin:end][kept].astype(np.int64)
        level = old_level
        if self._value_noise and store.manifest.has_values:
            word = words(self._seed, Purpose.RELEASE_VALUE, record, place)
            level = moved_levels(store.scale, reach(self._value_noise), old_level, word)
            self._moved_values += int(np.count_nonzero(level != old_level))
        code = block.record_day[begin:end][kept].astype(np.int64)
        known = code < store.manifest.n_days
        day = store.manifest.first_day + code
        if self._date_noise:
            shift = day_shifts(
                self._date_noise, words(self._seed, Purpose.RELEASE_DAY, record, place)
            )
            self._moved_days += int(np.count_nonzero(known & (shift != 0)))
            day = day + shift
        return CellChunk(
            store.records.take(pa.array(record)),
            store.items.take(pa.array(block.record_item[begin:end][kept])),
            np.append(store.scale, np.nan)[level],
            np.where(known, day * SECONDS_PER_DAY, NO_TIME),
        )


def perturb(
    store: Store,
    folder: Path,
    value_noise: float,
    date_noise: int,
    seed: int,
    least_support: int = 1,
    *,
    progress: Progress | None = None,
) -> Store:
    """Write a release that its publisher changed into a new store.

    Parameters
    ----------
    store : Store
    folder : Path
        Where the new store shall lie; must not exist.
    value_noise, date_noise, seed, least_support
        See `PerturbedSource`.
    progress : callable, optional
        Called with the number of cells done.

    Returns
    -------
    Store
        Of the items asked for and the records that hold any of them.

    Raises
    ------
    ConfigError
        A noise or a support that cannot be.
    GridError
        No item has the support asked for.
    StoreError
        The store cannot be written.
    """
    source = PerturbedSource(store, value_noise, date_noise, seed, least_support)
    build_store(source, folder, block_records=store.manifest.block_records, progress=progress)
    return Store(folder)


def open_perturbed(
    store: Store,
    cache: Path,
    value_noise: float,
    date_noise: int,
    seed: int,
    least_support: int = 1,
    *,
    progress: Progress | None = None,
) -> Store:
    """Open the changed release, writing it into the cache on first use; see `perturb`."""
    return open_or_build(
        PerturbedSource(store, value_noise, date_noise, seed, least_support),
        cache,
        block_records=store.manifest.block_records,
        progress=progress,
    )
