"""What the sources of generated rows have in common.

Invariant: rows come in order of records, in bounded memory, and are the same for the same preset
and seed on every machine.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from sim.errors import ConfigError
from sim.release.store.cells import CellChunk
from sim.release.store.value_bins import UNBINNED

BLOCK = 4096
"""Records per chunk; rows don't depend on it."""

Rows = Callable[[int, int], CellChunk]
"""Makes the rows of records lo … hi − 1."""


class GeneratedSource(ABC):
    """Rows made from a preset and a seed.

    Parameters
    ----------
    preset : dataclass
        With a ``name``, and numbers of ``records`` and ``items``.
    size : int
        Rows that will be made.

    Raises
    ------
    ConfigError
        The seed is negative.
    """

    value_bins = UNBINNED
    generator: ClassVar[tuple[str, int]]
    """Name and version of the generator: the version is raised when its rows change."""

    def __init__(self, preset: Any, seed: int) -> None:
        if seed < 0:
            raise ConfigError(f"seed {seed} of a synthetic release: must be 0 or more")
        self.preset = preset
        self.seed = seed
        self._position = 0
        self._size = self._count()

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
        name, version = self.generator
        facts = {name: version, "seed": self.seed, "preset": asdict(self.preset)}
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
            "generator": self.generator[1],
            "records": self.preset.records,
            "items": self.preset.items,
            "rows": self._size,
        }

    def position(self) -> int:
        """Rows made so far."""
        return self._position

    @abstractmethod
    def _count(self) -> int:
        """Return the number of rows of the whole release."""

    @abstractmethod
    def _rows(self) -> Rows:
        """Prepare the making of rows."""
