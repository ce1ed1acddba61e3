"""A synthetic release of events as a source of rows, like a file.

Invariant: rows come in order of records, in bounded memory, and are the same for the same preset
and seed on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import UNBINNED
from sim.release.synthetic.events.preset import (
    HOURS_PER_DAY,
    EventPreset,
    PurchasePreset,
    VisitPreset,
)
from sim.release.synthetic.events.purchases import make_purchases, purchase_buffers, shopper_of
from sim.release.synthetic.events.visits import habits_of, make_visits, visit_buffers
from sim.release.synthetic.events.world import make_goods, make_world, names_of, ranks_of
from sim.release.synthetic.preset import quantiles

GENERATOR = 1
"""Version of the generator: raised whenever a preset and seed give other rows than before."""

BLOCK = 4096
"""Records per chunk; rows don't depend on it."""

_SECONDS_PER_HOUR = SECONDS_PER_DAY // HOURS_PER_DAY

Rows = Callable[[int, int], CellChunk]
"""Makes the rows of records lo … hi − 1."""


class EventSource:
    """Rows of a synthetic release of events.

    Parameters
    ----------
    seed : int
        Not negative.

    Raises
    ------
    ConfigError
        The seed is negative.

    Examples
    --------
    >>> from sim.release.synthetic.events import EVENTS
    >>> source = EventSource(EVENTS["tiny_visits"], seed=1)
    >>> sum(len(chunk) for chunk in source.chunks()) == source.size
    True
    """

    repeats = Repeats.ALL
    value_bins = UNBINNED

    def __init__(self, preset: EventPreset, seed: int) -> None:
        if seed < 0:
            raise ConfigError(f"seed {seed} of a synthetic release: must be 0 or more")
        self.preset = preset
        self.seed = seed
        self.time_bin = TimeBin.parse(preset.time_bin)
        self._position = 0
        self._size = int(_lengths(preset).sum())

    @property
    def name(self) -> str:
        """Describe the source."""
        return f"synthetic release '{self.preset.name}', seed {self.seed}"

    @property
    def key(self) -> int:
        """Key of all random numbers."""
        text = json.dumps([self.seed, self.preset.records, self.preset.items])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    @property
    def size(self) -> int:
        """Rows that will be made."""
        return self._size

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the preset, the seed and the version of the generator."""
        facts = {"events": GENERATOR, "seed": self.seed, "preset": asdict(self.preset)}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows, some records at a time."""
        return self.records(0, self.preset.records)

    def records(self, lo: int, hi: int, block: int = BLOCK) -> Iterator[CellChunk]:
        """Yield the rows of records lo + 1 … hi.

        Parameters
        ----------
        block : int
            Records per chunk.
        """
        self._position = 0
        rows = self._rows()
        for at in range(lo, hi, block):
            chunk = rows(at, min(at + block, hi))
            self._position += len(chunk)
            yield chunk

    def notes(self) -> Mapping[str, str | int]:
        """Notes on the generator."""
        return {
            "preset": self.preset.name,
            "seed": self.seed,
            "generator": GENERATOR,
            "records": self.preset.records,
            "items": self.preset.items,
            "rows": self._size,
        }

    def position(self) -> int:
        """Rows made so far."""
        return self._position

    def _rows(self) -> Rows:
        preset, key = self.preset, self.key
        length = _lengths(preset)[ranks_of(preset, key)]
        if isinstance(preset, VisitPreset):
            return _visits(preset, key, length)
        assert isinstance(preset, PurchasePreset)
        return _purchases(preset, key, length)


def _lengths(preset: EventPreset) -> NDArray[np.int64]:
    return np.rint(quantiles(preset.lengths, preset.records)).astype(np.int64)


def _visits(preset: VisitPreset, key: int, length: NDArray[np.int64]) -> Rows:
    longest = int(length.max())
    world, name = make_world(preset, key, longest), names_of(preset, key)
    buffers = visit_buffers(preset, longest)
    make = partial(make_visits, np.uint64(key), world, habits_of(preset), length, buffers)

    def rows(lo: int, hi: int) -> CellChunk:
        record, item, hour = make(lo, hi)
        time = preset.first_day * SECONDS_PER_DAY + hour.astype(np.int64) * _SECONDS_PER_HOUR
        return CellChunk(record.astype(np.int64) + 1, name[item], None, time)

    return rows


def _purchases(preset: PurchasePreset, key: int, length: NDArray[np.int64]) -> Rows:
    world, name = make_world(preset, key, int(length.max())), names_of(preset, key)
    goods, levels = make_goods(preset, key), np.array(preset.levels)
    shopper, buffers = shopper_of(preset), purchase_buffers(preset)
    make = partial(make_purchases, np.uint64(key), world, goods, shopper, length, buffers)

    def rows(lo: int, hi: int) -> CellChunk:
        record, item, day, level = make(lo, hi)
        time = (preset.first_day + day.astype(np.int64)) * SECONDS_PER_DAY
        return CellChunk(record.astype(np.int64) + 1, name[item], levels[level], time)

    return rows
