"""The times of all cells are left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence


@dataclass(frozen=True, kw_only=True)
class DropTime(Defence):
    """Leaves out all times; every cell stays."""

    name: ClassVar[str] = "drop_time"
    summary: ClassVar[str] = "leaves out all times"

    def no_effect(self, release: ReleaseStats) -> str | None:
        """See `Defence.no_effect`."""
        return "there are none" if release.lacks(("days",)) else None

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        return cells.with_days(np.full(len(cells), NO_DAY))

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`."""
        return replace(release, first_day=0, n_days=0)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`; no fact of this release has a date."""
        return publisher.without_times()
