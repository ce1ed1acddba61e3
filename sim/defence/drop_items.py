"""The items that few people hold are dropped (F06 §5.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import NothingLeftError
from sim.extend.options import option


@dataclass(frozen=True, kw_only=True)
class DropItems(Defence):
    """Drops the items that few people hold (F06 §5.1).

    A record that holds nothing else goes with them, as there is nothing of it left to publish. The
    adversary knows the person still, and looks for them in vain.
    """

    name: ClassVar[str] = "drop_items"
    summary: ClassVar[str] = "drops items that few people hold (F06 §5.1)"

    min_support: int = option(2, help="drop items that fewer people hold", minimum=1)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.min_support > 1

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        most = int(release.support.max())
        if most < self.min_support:
            raise NothingLeftError(
                f"{self.group}.min_support: {self.min_support}: nothing is left of the release, as "
                f"no item is held by more than {most} people",
                advice=f"set it to {most} at most",
            )

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        return cells.where(release.support[cells.item] >= self.min_support)

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`; the scale and the days stay those that were published for."""
        kept = release.support >= self.min_support
        return replace(release, support=np.where(kept, release.support, 0), lengths=None)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return replace(publisher, min_support=max(publisher.min_support, self.min_support))
