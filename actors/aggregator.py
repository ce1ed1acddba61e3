"""The actor that merges: partial scores in, eccentricity decisions out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.adversary.aux import AuxBatch
from sim.attack.algorithm import Algorithm
from sim.record.provenance import check_program
from sim.release.store import Store


class Aggregator:
    """Merges the scorers' partials of a batch, phase by phase, and decides.

    A call brings all of a batch's partials, keyed by block, so a block that was scored twice counts
    once and a restart loses nothing.

    Parameters
    ----------
    folder : Path
        The store.
    attack : Algorithm
    program : str
        What the coordinator runs; see `sim.record.provenance.program`.
    """

    def __init__(self, folder: Path, attack: Algorithm, program: str) -> None:
        check_program(program)
        self.store, self.attack = Store(folder), attack

    def fold(self, aux: AuxBatch, phase: int, carry: Any, *found: dict[int, Any]) -> Any:
        """Merge every shard's partials of one phase; see `Algorithm.fold`."""
        blocks = {index: part for shard in found for index, part in shard.items()}
        missing = set(range(self.store.manifest.n_blocks)) - blocks.keys()
        if missing:
            raise RuntimeError(f"no partials of blocks {sorted(missing)}")
        return self.attack.fold(self.store, aux, phase, carry, blocks)
