"""Values are published on a coarser scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import GridError
from sim.extend.options import option


@dataclass(frozen=True, kw_only=True)
class CoarsenValues(Defence):
    """Parts the scale into groups of adjacent levels, each published as its middle level.

    The groups have equally many levels; where that is not possible, the first ones have one more.
    Of two levels in the middle it is the lower one.
    """

    name: ClassVar[str] = "coarsen_values"
    summary: ClassVar[str] = "publishes groups of adjacent levels as one level each"
    needs: ClassVar[tuple[str, ...]] = ("values",)

    levels: int = option(2, help="number of levels that are left", minimum=1, maximum=254)

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        there = release.scale.size
        if self.levels >= there:
            instead = f"set it to {there - 1} at most" if there > 1 else "leave this defence out"
            raise GridError(
                f"{self.group}.levels: {self.levels}: the release has {there} "
                f"level{'' if there == 1 else 's'}, so nothing would be coarser; {instead}"
            )

    def published_as(self, release: ReleaseStats) -> NDArray[np.int64]:
        """Place in the scale of the level that each level is published as, shape (L,)."""
        groups = np.array_split(np.arange(release.scale.size), self.levels)
        return np.concatenate([np.full(g.size, g[(g.size - 1) // 2]) for g in groups])

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        level = np.searchsorted(release.scale, cells.value)  # NaN sorts last, as no value does
        new = np.append(self.published_as(release), release.scale.size)
        return cells.with_values(np.append(release.scale, np.nan)[new[level]])

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`."""
        return replace(release, scale=release.scale[np.unique(self.published_as(release))])

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:
        """See `Defence.disclosed`."""
        published = self.published_as(release)
        levels = np.unique(published)
        step = (published[:, None] == levels[None, :]).astype(np.float64)
        return publisher.with_channel(step, release.scale, release.scale[levels])
