"""Of long records only some cells are released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import GridError
from sim.extend.options import constant, option
from sim.numeric.text import quantity

Keep = Literal["random", "latest"]


@dataclass(frozen=True, kw_only=True)
class CapLength(Defence):
    """Keeps at most n cells of each record: drawn at random, or the latest.

    Of the latest, cells without a time count as the earliest, and which cells of one day are kept
    is drawn.
    """

    name: ClassVar[str] = "cap_length"
    summary: ClassVar[str] = "keeps at most so many cells of each record"

    n: int = option(100, help="maximum number of cells of a record", minimum=1)
    keep: Keep = option("random", help="which cells of a longer record are kept")
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        if self.keep == "latest" and not release.n_days:
            raise GridError(
                f"{self.group}.keep: latest: needs dates, which the release lacks; set "
                f"{self.group}.keep=random"
            )

    def no_effect(self, release: ReleaseStats) -> str | None:
        """See `Defence.no_effect`; where the lengths are not known, it may have one."""
        if release.lengths is None or release.lengths[self.n + 1 :].any():
            return None
        return f"no record has more than {quantity(self.n, 'entry', 'entries')}"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        draws, later = self.draws(self.seed, cells), np.zeros(len(cells), np.int64)
        if self.keep == "latest":
            dated = cells.day != NO_DAY
            # From 1 up, so that a cell without a time comes after every other.
            first = int(cells.day[dated].min(initial=np.iinfo(np.int64).max)) if dated.any() else 0
            later[dated] = cells.day[dated] - first + 1
        order = np.lexsort((cells.place, draws, -later, cells.record))
        record = cells.record[order]
        begins = np.searchsorted(record, record)  # of each cell's record
        return cells.where(np.sort(order[np.arange(len(cells)) - begins < self.n]))

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`; totals of the original tell how long the long records were."""
        return publisher.leaving_out()
