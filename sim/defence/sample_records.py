"""A random sample of the records is released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.extend.options import constant, option
from sim.numeric.random import unit


@dataclass(frozen=True, kw_only=True)
class SampleRecords(Defence):
    """Keeps each record with a certain probability.

    The adversary knows the other people still, and looks for them in vain. A sample of the same
    seed and a smaller share is part of it.
    """

    name: ClassVar[str] = "sample_records"
    summary: ClassVar[str] = "releases a random sample of the records"

    share: float = option(0.5, help="probability that a record is kept", above=0, maximum=1)
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.share < 1

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        return cells.where(unit(self.draws_of_records(self.seed, cells)) < self.share)

    def disclosed(
        self,
        publisher: Publisher,
        release: ReleaseStats,  # noqa: ARG002
    ) -> Publisher:
        """See `Defence.disclosed`."""
        return publisher.missing_people()
