"""Short and long records are dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, TooShortError
from sim.extend.options import option


@dataclass(frozen=True, kw_only=True)
class DropRecords(Defence):
    """Drops the records with fewer or more cells than stated.

    The adversary knows the person still, and looks for them in vain.
    """

    name: ClassVar[str] = "drop_records"
    summary: ClassVar[str] = "drops short and long records"

    min_length: int = option(2, help="drop records of fewer cells", minimum=1)
    max_length: int | None = option(
        None, help="drop records of more cells", minimum=1, null="none is too long"
    )

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.min_length > 1 or self.max_length is not None

    def check(self) -> None:
        """See `Options.check`."""
        if self.max_length is not None and self.max_length < self.min_length:
            raise ConfigError(
                f"{self.group}.max_length: {self.max_length}: expected at least "
                f"{self.group}.min_length, which is {self.min_length}"
            )

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        if release.lengths is None:
            return
        most = int(np.flatnonzero(release.lengths).max(initial=0))
        if most < self.min_length:
            raise TooShortError(
                f"{self.group}.min_length: {self.min_length}: nothing is left of the release, as "
                f"nobody has more than {most:,} entries",
                advice=f"set it to {most:,} at most",
            )

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        length = cells.lengths
        longest = np.inf if self.max_length is None else self.max_length
        return cells.where((length >= self.min_length) & (length <= longest))

    def disclosed(
        self,
        publisher: Publisher,
        release: ReleaseStats,  # noqa: ARG002
    ) -> Publisher:
        """See `Defence.disclosed`."""
        return publisher.missing_people()
