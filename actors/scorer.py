"""The actor that scores its blocks of the store, which it maps into memory."""

from __future__ import annotations

import functools
from typing import Any

import ray

from actors.library import StoreReference
from actors.pulse import GROUP
from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.block_tree import Span
from sim.record.provenance import check_program
from sim.release.store.store import Store


class Scorer:
    """Scores some blocks of a store.

    Its methods are pure, so Ray may run them again on any node.

    Parameters
    ----------
    reference : StoreReference
        The store, opened here: a memory map that travels would be a copy. A `RemoteStore` where
        there are several nodes.
    program : str
        What the coordinator runs; see `sim.record.provenance.program`.
    """

    def __init__(
        self, reference: StoreReference, blocks: list[int], attack: Algorithm, program: str
    ) -> None:
        self.reference, self.blocks, self.attack, self.program = reference, blocks, attack, program

    # Not in __init__: an error there reaches the coordinator as text, and ends the actor.
    @functools.cached_property
    def store(self) -> Store:
        """The release, or the part that this scorer needs, on this node."""
        check_program(self.program)
        return self.reference.open(self.blocks)

    @ray.method(concurrency_group=GROUP)
    def pulse(self) -> None:
        """Answer at once, whatever else is in progress."""

    def ready(self) -> None:
        """Bring this scorer's blocks to this node if they are missing."""
        _ = self.store

    def score(self, batches: list[Drawn], phase: int, carry: list[Any]) -> list[dict[Span, Any]]:
        """Run one phase on this scorer's blocks, by batch; see `Algorithm.partials`."""
        return [
            self.attack.partials(self.store, self.blocks, drawn, phase, carried)
            for drawn, carried in zip(batches, carry, strict=True)
        ]
