"""The most popular items are dropped: those that most people hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import NothingLeftError
from sim.extend.options import option
from sim.numeric.text import format_number


@dataclass(frozen=True, kw_only=True)
class DropPopular(Defence):
    """Drops the items that most people hold; of items held by equally many, those first in order.

    The order of items is that of their identifiers, as everywhere. A record that holds nothing else
    goes with them.
    """

    name: ClassVar[str] = "drop_popular"
    summary: ClassVar[str] = "drops the items that most people hold"

    top: int = option(100, help="number of most popular items to drop", minimum=0)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.top > 0

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        items = int(np.count_nonzero(release.support))
        if self.top >= items:
            raise NothingLeftError(
                f"{self.group}.top: {self.top}: nothing is left of the release, which has "
                f"{format_number(items)} items",
                advice=f"set it to {items - 1} at most",
            )

    def _kept(self, release: ReleaseStats) -> NDArray[np.bool_]:
        kept = np.ones(release.support.size, np.bool_)
        kept[np.argsort(-release.support, kind="stable")[: self.top]] = False
        return kept

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        return cells.where(self._kept(release)[cells.item])

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`; the scale and the days stay those that were published for."""
        return replace(
            release, support=np.where(self._kept(release), release.support, 0), lengths=None
        )

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return replace(publisher, popular=publisher.popular + self.top)
