"""The protocol of a runner, the same for every backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from sim.adversary.aux import Drawn
from sim.attack.engine.decisions import Decisions

Draw = Callable[[int], Drawn]


class Runner(Protocol):
    """Attack batches of aux sets and decide on them."""

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        """Yield every batch's aux and decisions, in the order given.

        Parameters
        ----------
        batches : list of int
            Numbers of the batches.
        draw : callable
            Draws the aux of a batch; called once for each, in order, some batches ahead, one at
            a time but perhaps not in this thread.

        Raises
        ------
        ClusterError
            The work cannot be done.
        """

    def shape(self) -> Mapping[str, Any]:
        """Return the workers and shards, for the record of the run."""

    def close(self) -> None:
        """Stop everything that was started for this run."""
