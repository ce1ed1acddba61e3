"""A random sample of the cells is released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.extend.options import constant, option
from sim.numeric.random import unit


@dataclass(frozen=True, kw_only=True)
class SampleCells(Defence):
    """Keeps each cell with a certain probability, whatever becomes of the others.

    A record of which no cell is drawn is left out. A sample of the same seed and a smaller share is
    part of it.
    """

    name: ClassVar[str] = "sample_cells"
    summary: ClassVar[str] = "releases a random sample of the cells"

    share: float = option(0.5, help="probability that a cell is kept", above=0, maximum=1)
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.share < 1

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        return cells.where(unit(self.draws(self.seed, cells)) < self.share)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return publisher.leaving_out()
