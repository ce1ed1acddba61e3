"""The actor that merges the partials of all scorers into decisions."""

from __future__ import annotations

import functools
from typing import Any

from actors.replication import StoreReference
from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.record.provenance import check_program
from sim.release.store.store import Store


class Aggregator:
    """Merges the scorers' partials of batches, phase by phase, and decides.

    A call brings all partials of a batch, keyed by block, so a block that was scored twice counts
    once, and a restart loses nothing.

    Parameters
    ----------
    reference : StoreReference
        The store, on the node of this actor.
    program : str
        Digest of the coordinator's program; see `sim.record.provenance.program`.
    """

    def __init__(self, reference: StoreReference, attack: Algorithm, program: str) -> None:
        self.reference, self.attack, self.program = reference, attack, program

    @functools.cached_property
    def store(self) -> Store:
        """The release; see `actors.scorer.Scorer.store`."""
        check_program(self.program)
        return self.reference.open()

    def fold(
        self, batches: list[Drawn], phase: int, carry: list[Any], *found: list[dict[int, Any]]
    ) -> list[Any]:
        """Merge every shard's partials of one phase, batch by batch; see `Algorithm.fold`."""
        return [
            self.attack.fold(self.store, drawn, phase, carried, self._blocks(of_shards))
            for drawn, carried, *of_shards in zip(batches, carry, *found, strict=True)
        ]

    def _blocks(self, of_shards: list[dict[int, Any]]) -> dict[int, Any]:
        """Return the partials of all blocks, each once."""
        blocks = {index: part for shard in of_shards for index, part in shard.items()}
        missing = set(range(self.store.manifest.n_blocks)) - blocks.keys()
        if missing:
            raise RuntimeError(f"no partials of blocks {sorted(missing)}")
        return blocks
