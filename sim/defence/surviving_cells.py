"""Facts of the file: the original cells that a release still has, as a store of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sim.adversary.linkage import Linkage
from sim.adversary.matching import match
from sim.defence.source import DefendedSource, origins, seconds
from sim.release.store.accounts import BINS, DISTINCT
from sim.release.store.cells import CellChunk
from sim.release.store.store import Store


class SurvivingCells(DefendedSource):
    """The cells of a store that defences leave, with their original items, values and times."""

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the released cells' and what is taken of them."""
        text = f"standout-surviving-1 {super().fingerprint()}"
        return hashlib.sha256(text.encode()).hexdigest()

    def notes(self) -> Mapping[str, Any]:
        """Notes of the original that hold for its cells."""
        before = self._store.manifest.notes
        return {name: before[name] for name in (BINS, DISTINCT) if name in before}

    def chunks(self) -> Iterator[CellChunk]:
        """Yield the original of each released cell once; none of one that a defence added."""
        self._start()
        for given, made in self.pieces():
            if len(made):
                kept = given.where(np.unique(origins(given, made, self.parts)))
                yield CellChunk(
                    self._store.records.take(pa.array(kept.record)),
                    self._store.items.take(pa.array(kept.item)),
                    kept.value,
                    seconds(kept.day, self.time_bin),
                )
            self._position += len(given)


def linkage_of_surviving(original: Store, surviving: Store, linkage: Linkage) -> Linkage:
    """Return whose a release's records are, and what its items stand for, by the surviving cells.

    Parameters
    ----------
    linkage : Linkage
        The same by the original.
    """
    people = match(original.records, surviving.records)
    record = np.where(linkage.record >= 0, people[linkage.record], -1)
    return Linkage(record=record, item=linkage.item[match(surviving.items, original.items)])
