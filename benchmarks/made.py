"""A made-up release with the lengths and supports of Netflix, in seconds, at any size.

Only its shape matters here, so values and days are drawn without regard to anything else; the
releases of `sim.release.synthetic` are truer, and take longer. Invariant: the same size and seed
give the same rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.release.store.cache import open_or_build
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.value_bins import UNBINNED, ValueBins
from sim.release.synthetic import PRESETS
from sim.release.synthetic.preset import quantiles

_GENERATOR = 1  # raised whenever other rows come out
_RECORDS_AT_A_TIME = 4096
_GUIDE = 1 << 22  # places in the table that turns a random number into an item
_MOST_OF_ITEMS = 0.6  # no record holds more: its last items would take for ever to draw


@dataclass(frozen=True, slots=True)
class MadeRelease:
    """A source of about `cells` rows, record after record, without duplicates.

    Parameters
    ----------
    times : int
        Rows of each record and item that it holds, on days of their own.

    Examples
    --------
    >>> source = MadeRelease(records=300, items=200, cells=6_000)
    >>> abs(sum(len(chunk) for chunk in source.chunks()) / source.cells - 1) < 0.05
    True
    """

    records: int
    items: int
    cells: int
    seed: int = 1
    times: int = 1
    value_bins: ClassVar[ValueBins] = UNBINNED
    time_bin: ClassVar[TimeBin] = DAY

    @property
    def repeats(self) -> Repeats:
        """Keep every row where a record holds an item several times."""
        return Repeats.LATEST if self.times == 1 else Repeats.ALL

    @property
    def name(self) -> str:
        """Short description of the release."""
        return f"made-up release of about {self.cells} cells"

    @property
    def size(self) -> int:
        """Rows that will be made, about."""
        return self.cells

    def position(self) -> int:
        """Not followed."""
        return 0

    def notes(self) -> Mapping[str, str | int]:
        """Parameters of the generator."""
        return {"generator": _GENERATOR, "seed": self.seed}

    def fingerprint(self) -> str:
        """SHA-256 (hex) of what it is made from."""
        made_of = (_GENERATOR, self, PRESETS["netflix"])
        return hashlib.sha256(repr(made_of).encode()).hexdigest()

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows."""
        rng = np.random.default_rng(self.seed)
        preset = PRESETS["netflix"]
        share = rng.permutation(quantiles(preset.supports, self.items))
        share /= share.sum()
        item_of = np.searchsorted(np.cumsum(share), (np.arange(_GUIDE) + 0.5) / _GUIDE)
        item_of = np.minimum(item_of, self.items - 1).astype(np.int32)
        draws = rng.permutation(self._draws(share, quantiles(preset.lengths, self.records)))
        levels, odds = np.array(preset.levels), np.cumsum(preset.shares)
        for first in range(0, self.records, _RECORDS_AT_A_TIME):
            n = draws[first : first + _RECORDS_AT_A_TIME]
            cell = np.repeat(np.arange(n.size, dtype=np.int64), n) * self.items
            cell += item_of[rng.integers(0, _GUIDE, cell.size)]
            cell.sort()
            cell = np.repeat(cell[np.append(True, cell[1:] != cell[:-1])], self.times)
            level = np.searchsorted(odds, rng.random(cell.size) * odds[-1])
            day = preset.first_day + (preset.days * np.sqrt(rng.random(cell.size))).astype(np.int64)
            record, item = np.divmod(cell, self.items)
            yield CellChunk(record + first, item, levels[level], day * SECONDS_PER_DAY)

    def _draws(self, share: NDArray[np.float64], length: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the number of draws with replacement that give each record its number of items."""
        cells = self.cells / self.times
        length = np.minimum(length * (cells / length.sum()), _MOST_OF_ITEMS * self.items)
        length = np.minimum(length * (cells / length.sum()), _MOST_OF_ITEMS * self.items)
        draws = np.geomspace(1, 200 * self.items, 400)
        distinct = np.array([-np.expm1(n * np.log1p(-share)).sum() for n in draws])
        return np.maximum(np.rint(np.interp(length, distinct, draws)), 1).astype(np.int64)


def made_store(source: MadeRelease, cache: Path) -> Store:
    """Open the store of a made-up release, building it first if `cache` has none."""
    return open_or_build(source, cache)
