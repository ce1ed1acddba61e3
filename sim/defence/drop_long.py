"""Long records are dropped, where short ones may be dropped after further changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import NothingLeftError
from sim.extend.options import option


@dataclass(frozen=True, kw_only=True)
class DropLong(Defence):
    """Drops the records with more cells than stated, as of staff or of tests.

    It stands before changes that shorten records, and `drop_records` after them: a list has each
    defence once.
    """

    name: ClassVar[str] = "drop_long"
    summary: ClassVar[str] = "drops long records, before other changes shorten them"

    max_length: int = option(1000, help="drop records of more cells", minimum=1)

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        if release.lengths is None or release.lengths[1 : self.max_length + 1].any():
            return
        least = 1 + int(np.flatnonzero(release.lengths[1:])[0])
        raise NothingLeftError(
            f"{self.group}.max_length: {self.max_length}: nothing is left of the release, as "
            f"nobody has fewer than {least:,} entries",
            advice=f"set it to {least:,} or more",
        )

    def no_effect(self, release: ReleaseStats) -> str | None:
        """See `Defence.no_effect`; where the lengths are not known, it may have one."""
        if release.lengths is None or release.lengths[self.max_length + 1 :].any():
            return None
        return f"no record has more than {self.max_length:,} entries"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        return cells.where(cells.lengths <= self.max_length)

    def disclosed(
        self,
        publisher: Publisher,
        release: ReleaseStats,  # noqa: ARG002
    ) -> Publisher:
        """See `Defence.disclosed`."""
        return publisher.missing_people()
