"""A release with noise on its cells: what a publisher does who trusts in perturbation (NS08 §3).

Noise Z_S on the cells and Z_A on the aux leaves the same difference between the two as Z_S + Z_A
on the aux: exactly for days, and for values at least k_S + k_A from both ends of the scale. Nearer
to an end the two differ, as no level lies beyond it: on five stars with k_S = k_A = 1, no |Δ| has a
probability that differs by more than 1/6.

Invariant: the same seed perturbs every cell alike, whatever the blocks of the store it lies in;
records, items and which cells there are stay as they were.
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
from sim.adversary.noise import day_shifts, moved_levels
from sim.adversary.random import Purpose, words
from sim.errors import ConfigError
from sim.release.build import Progress, build_store
from sim.release.cache import open_or_build
from sim.release.cells import NO_TIME, SECONDS_PER_DAY, CellChunk
from sim.release.store import Store

_CELLS_A_CHUNK = 1 << 20
_MOST_DAYS = 65_535


class PerturbedSource:
    """The cells of a store, each with noise of its own.

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

    Raises
    ------
    ConfigError
        A noise that cannot be.
    """

    def __init__(self, store: Store, value_noise: float, date_noise: int, seed: int) -> None:
        if not (math.isfinite(value_noise) and value_noise >= 0):
            raise ConfigError(f"perturb.value_noise: {value_noise}: expected 0 or more")
        most = (_MOST_DAYS - store.manifest.n_days) // 2 if store.manifest.has_days else _MOST_DAYS
        if not 0 <= date_noise <= most:
            raise ConfigError(
                f"perturb.date_noise: {date_noise}: expected 0 to {most} days, as a release may "
                f"span {_MOST_DAYS}"
            )
        self._store, self._seed = store, seed
        self._value_noise, self._date_noise = value_noise, date_noise
        self._position = self._moved_values = self._moved_days = 0

    @property
    def name(self) -> str:
        """What this is, for people."""
        return (
            f"{self._store.manifest.source}, perturbed (values ±{self._value_noise:g}, "
            f"days ±{self._date_noise})"
        )

    @property
    def size(self) -> int:
        """Number of cells."""
        return self._store.manifest.n_cells

    def position(self) -> int:
        """Cells perturbed so far."""
        return self._position

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the release's cells and the noise."""
        identity = [
            *("standout-perturb-1", self._store.manifest.fingerprint),
            *(repr(float(self._value_noise)), self._date_noise, self._seed),
        ]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()

    def notes(self) -> Mapping[str, str | int]:
        """What was done; complete after `chunks`."""
        return {
            "perturbed from": self._store.manifest.fingerprint,
            "value noise": f"{self._value_noise:g}",
            "date noise": self._date_noise,
            "noise seed": self._seed,
            "values moved": self._moved_values,
            "days moved": self._moved_days,
        }

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all cells by record and item."""
        self._position = self._moved_values = self._moved_days = 0
        for index in range(self._store.manifest.n_blocks):
            bounds = self._store.block(index).record_start
            first = 0
            while first < bounds.size - 1:
                full = np.searchsorted(bounds, bounds[first] + _CELLS_A_CHUNK, side="right")
                last = max(int(full) - 1, first + 1)
                yield self._chunk(index, first, last)
                self._position += int(bounds[last] - bounds[first])
                first = last

    def _chunk(self, index: int, first: int, last: int) -> CellChunk:
        """Perturb the rows [first, last) of a block."""
        store, block = self._store, self._store.block(index)
        begin, end = int(block.record_start[first]), int(block.record_start[last])
        lengths = np.diff(block.record_start[first : last + 1])
        record = np.repeat(np.arange(block.first + first, block.first + last), lengths)
        place = np.arange(begin, end) - np.repeat(block.record_start[first:last], lengths)
        old_level = block.record_level[begin:end].astype(np.int64)
        level = old_level
        if self._value_noise and store.manifest.has_values:
            word = words(self._seed, Purpose.RELEASE_VALUE, record, place)
            level = moved_levels(store.scale, reach(self._value_noise), old_level, word)
            self._moved_values += int(np.count_nonzero(level != old_level))
        code = block.record_day[begin:end].astype(np.int64)
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
            store.items.take(pa.array(block.record_item[begin:end])),
            np.append(store.scale, np.nan)[level],
            np.where(known, day * SECONDS_PER_DAY, NO_TIME),
        )


def perturb(
    store: Store,
    folder: Path,
    value_noise: float,
    date_noise: int,
    seed: int,
    *,
    progress: Progress | None = None,
) -> Store:
    """Write a perturbed release into a new store.

    Parameters
    ----------
    store : Store
    folder : Path
        Where the new store shall lie; must not exist.
    value_noise, date_noise, seed
        See `PerturbedSource`.
    progress : callable, optional
        Called with the number of cells done.

    Returns
    -------
    Store
        Of the same records, items and blocks.

    Raises
    ------
    ConfigError
        A noise that cannot be.
    StoreError
        The store cannot be written.
    """
    source = PerturbedSource(store, value_noise, date_noise, seed)
    build_store(source, folder, block_records=store.manifest.block_records, progress=progress)
    return Store(folder)


def open_perturbed(
    store: Store,
    cache: Path,
    value_noise: float,
    date_noise: int,
    seed: int,
    *,
    progress: Progress | None = None,
) -> Store:
    """Open the perturbed release, writing it into the cache on first use; see `perturb`."""
    return open_or_build(
        PerturbedSource(store, value_noise, date_noise, seed),
        cache,
        block_records=store.manifest.block_records,
        progress=progress,
    )
