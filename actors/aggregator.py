"""The actor that merges the partials of all scorers into decisions."""

from __future__ import annotations

import functools
from collections import ChainMap
from typing import Any

import ray

from actors.library import StoreReference
from actors.pulse import GROUP
from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.block_tree import Span
from sim.record.provenance import check_program
from sim.release.store.store import Store


class Aggregator:
    """Merges the scorers' partials of batches, phase by phase, and decides.

    A call brings all partials of a batch, keyed by the blocks that they cover, so a block that was
    scored twice counts once, and a restart loses nothing.

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

    @ray.method(concurrency_group=GROUP)
    def pulse(self) -> None:
        """Answer at once, whatever else is in progress."""

    def fold(
        self, batches: list[Drawn], phase: int, carry: list[Any], *found: list[dict[Span, Any]]
    ) -> list[Any]:
        """Merge every shard's partials of one phase, batch by batch; see `Algorithm.fold`."""
        return [
            self.attack.fold(self.store, drawn, phase, carried, dict(ChainMap(*of_shards)))
            for drawn, carried, *of_shards in zip(batches, carry, *found, strict=True)
        ]
