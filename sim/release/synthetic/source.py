"""A synthetic release of ratings as a source of rows, like a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY
from sim.release.synthetic.block import make_rows
from sim.release.synthetic.generated import BLOCK, GeneratedSource, Rows
from sim.release.synthetic.items import make_items
from sim.release.synthetic.people import People, make_people
from sim.release.synthetic.plan import new_plan
from sim.release.synthetic.preset import Preset, stream
from sim.release.synthetic.supports import calibrate
from sim.release.synthetic.world import World


class _Release(NamedTuple):
    key: np.uint64
    world: World
    people: People
    name: NDArray[np.int64]
    bound: NDArray[np.float64]


class SyntheticSource(GeneratedSource):
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
    time_bin = DAY
    generator = "generator", 1
    preset: Preset
    _made: _Release | None = None

    def notes(self) -> Mapping[str, str | int]:
        """Notes on the generator."""
        return {**super().notes(), "minimum support": self.preset.min_support}

    def _count(self) -> int:
        return int(make_people(self.preset, self.seed).length.sum())

    def _rows(self) -> Rows:
        made, levels = self._release(), np.array(self.preset.levels)
        plan = new_plan(made.world)

        def rows(lo: int, hi: int) -> CellChunk:
            record, item, day, liking = make_rows(made.key, made.world, made.people, plan, lo, hi)
            value = levels[np.searchsorted(made.bound, liking)]
            time = (day.astype(np.int64) + self.preset.first_day) * SECONDS_PER_DAY
            return CellChunk(record.astype(np.int64) + 1, made.name[item], value, time)

        return rows

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
