"""A synthetic release as a source of rows, like a file.

Invariant: rows come in order of records, in bounded memory, and are the same for the same preset
and seed on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY
from sim.release.store.value_bins import UNBINNED
from sim.release.synthetic.block import make_rows
from sim.release.synthetic.items import make_items
from sim.release.synthetic.people import People, make_people
from sim.release.synthetic.plan import new_plan
from sim.release.synthetic.preset import Preset, stream
from sim.release.synthetic.supports import calibrate
from sim.release.synthetic.world import World

GENERATOR = 1
"""Version of the generator: raised whenever a preset and seed give other rows than before."""

BLOCK = 4096
"""Records per chunk; rows don't depend on it."""


class _Release(NamedTuple):
    key: np.uint64
    world: World
    people: People
    name: NDArray[np.int64]
    bound: NDArray[np.float64]


class SyntheticSource:
    """Rows of a synthetic release.

    Parameters
    ----------
    seed : int
        Not negative.

    Raises
    ------
    ConfigError
        The seed is negative, or the preset cannot be filled.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> source = SyntheticSource(PRESETS["tiny"], seed=1)
    >>> sum(len(chunk) for chunk in source.chunks()) == source.size
    True
    """

    repeats = Repeats.LATEST
    value_bins = UNBINNED
    time_bin = DAY

    def __init__(self, preset: Preset, seed: int) -> None:
        if seed < 0:
            raise ConfigError(f"seed {seed} of a synthetic release: must be 0 or more")
        self.preset = preset
        self.seed = seed
        self._made: _Release | None = None
        self._position = 0
        self._size = int(make_people(preset, seed).length.sum())

    @property
    def name(self) -> str:
        """Describe the source."""
        return f"synthetic release '{self.preset.name}', seed {self.seed}"

    @property
    def size(self) -> int:
        """Rows that will be made."""
        return self._size

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the preset, the seed and the version of the generator."""
        facts = {"generator": GENERATOR, "seed": self.seed, "preset": asdict(self.preset)}
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
        made = self._release()
        levels = np.array(self.preset.levels)
        self._position = 0
        plan = new_plan(made.world)
        for at in range(lo, hi, block):
            record, item, day, liking = make_rows(
                made.key, made.world, made.people, plan, at, min(at + block, hi)
            )
            value = levels[np.searchsorted(made.bound, liking)]
            time = (day.astype(np.int64) + self.preset.first_day) * SECONDS_PER_DAY
            self._position += len(record)
            yield CellChunk(record.astype(np.int64) + 1, made.name[item], value, time)

    def notes(self) -> Mapping[str, str | int]:
        """Notes on the generator."""
        return {
            "preset": self.preset.name,
            "seed": self.seed,
            "generator": GENERATOR,
            "records": self.preset.records,
            "items": self.preset.items,
            "rows": self._size,
            "minimum support": self.preset.min_support,
        }

    def position(self) -> int:
        """Rows made so far."""
        return self._position

    def _release(self) -> _Release:
        """Calibrate the world, once."""
        if self._made is None:
            preset, seed = self.preset, self.seed
            people = make_people(preset, seed)
            items = make_items(preset, seed, int(people.length.sum()))
            rng = stream(preset, seed, "names")
            key = rng.integers(0, 2**64, dtype=np.uint64)
            name = rng.permutation(preset.items) + 1
            world = calibrate(preset, items, people, key)
            some = min(preset.records, 2 * BLOCK)
            liking = np.sort(make_rows(key, world, people, new_plan(world), 0, some)[3])
            cuts = np.cumsum(preset.shares)[:-1]
            bound = np.quantile(liking, cuts)
            self._made = _Release(key, world, people, name, bound)
        return self._made
