"""The values of all cells are left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence


@dataclass(frozen=True, kw_only=True)
class DropValues(Defence):
    """Leaves out all values; every cell stays."""

    name: ClassVar[str] = "drop_values"
    summary: ClassVar[str] = "leaves out all values"

    def no_effect(self, release: ReleaseStats) -> str | None:
        """See `Defence.no_effect`."""
        return "there are none" if release.lacks(("values",)) else None

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        return cells.with_values(np.full(len(cells), np.nan))

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`."""
        return replace(release, scale=np.empty(0))

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`; no fact of this release has a value."""
        return publisher.without_values()
