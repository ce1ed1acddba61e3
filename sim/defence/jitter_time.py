"""Days move a little (NS08 §3).

Noise Z_S on the cells and Z_A on the aux leaves exactly the same difference between the two as
Z_S + Z_A on the aux.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import GridError
from sim.extend.options import option
from sim.numeric.noise import day_shifts
from sim.numeric.random import Purpose
from sim.numeric.text import quantity

_MOST_DAYS = 65_535


@dataclass(frozen=True, kw_only=True)
class JitterTime(Defence):
    """Moves every day by a uniform whole number in [−D, D], beyond the ends of the release too."""

    name: ClassVar[str] = "jitter_time"
    summary: ClassVar[str] = "shifts dates by a uniformly drawn number of days (NS08 §3)"
    needs: ClassVar[tuple[str, ...]] = ("days",)
    purpose: ClassVar[int | None] = Purpose.RELEASE_DAY

    date_noise: int = option(14, help="D: maximum shift in days, either way", minimum=0)
    seed: int = option(1, help="seed of this noise", minimum=0, maximum=2**64 - 1)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.date_noise > 0

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        most = (_MOST_DAYS - release.n_days) // 2
        if self.date_noise > most:
            raise GridError(
                f"{self.group}.date_noise: {self.date_noise}: expected 0 to {most} days, as a "
                f"release may span {_MOST_DAYS}"
            )

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`."""
        shift = day_shifts(self.date_noise, self.draws(self.seed, cells))
        return cells.with_days(np.where(cells.day == NO_DAY, NO_DAY, cells.day + shift))

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`: the days that a cell may have now."""
        first_day = release.first_day - self.date_noise
        return replace(release, first_day=first_day, n_days=release.n_days + 2 * self.date_noise)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher | None:  # noqa: ARG002
        """See `Defence.disclosed`; the sum of two noises is not uniform, as `Publisher` has it."""
        return None if publisher.date_noise else replace(publisher, date_noise=self.date_noise)

    def in_words(self) -> str:
        """See `Defence.in_words`."""
        return f"dates shifted by up to {quantity(self.date_noise, 'day')}"
