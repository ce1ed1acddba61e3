"""A synthetic release of events as a source of rows, like a file."""

from __future__ import annotations

import hashlib
import json
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import TimeBin
from sim.release.synthetic.events.preset import (
    HOURS_PER_DAY,
    EventPreset,
    PurchasePreset,
    VisitPreset,
)
from sim.release.synthetic.events.purchases import make_purchases, purchase_buffers, shopper_of
from sim.release.synthetic.events.visits import habits_of, make_visits, visit_buffers
from sim.release.synthetic.events.world import make_goods, make_world, names_of, ranks_of
from sim.release.synthetic.generated import GeneratedSource, Rows
from sim.release.synthetic.preset import quantiles

_SECONDS_PER_HOUR = SECONDS_PER_DAY // HOURS_PER_DAY


class EventSource(GeneratedSource):
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

    generator = "events", 1
    repeats = Repeats.ALL
    preset: EventPreset

    @property
    def time_bin(self) -> TimeBin:
        """Bins of the times."""
        return TimeBin.parse(self.preset.time_bin)

    @property
    def key(self) -> int:
        """Key of all random numbers."""
        text = json.dumps([self.seed, self.preset.records, self.preset.items])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")

    def _count(self) -> int:
        return int(_lengths(self.preset).sum())

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
