"""Days move a little (NS08 §3).

Noise Z_S on the cells and Z_A on the aux leaves exactly the same difference between the two as
Z_S + Z_A on the aux.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher, TimeStep
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, GridError
from sim.extend.options import constant, option
from sim.numeric.noise import day_shifts
from sim.numeric.random import Purpose
from sim.release.store.time_bins import MAX_BINS
from sim.release.store.time_spans import TimeSpan


@dataclass(frozen=True, kw_only=True)
class JitterTime(Defence):
    """Moves every time by a uniform number of bins in [−D, D], beyond the release's ends too."""

    name: ClassVar[str] = "jitter_time"
    summary: ClassVar[str] = "shifts dates by a uniformly drawn time (NS08 §3)"
    needs: ClassVar[tuple[str, ...]] = ("days",)
    purpose: ClassVar[int | None] = Purpose.RELEASE_DAY

    date_noise: int | str = option(
        14, help="D: maximum shift, either way, in days or with a unit: min, h, d, w, mo"
    )
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self._span != TimeSpan()

    def check(self) -> None:
        """See `Options.check`."""
        try:
            object.__setattr__(self, "date_noise", self._span.value)
        except ConfigError as error:
            raise ConfigError(f"{self.group}.date_noise: {self.date_noise}: {error}") from None

    @property
    def _span(self) -> TimeSpan:
        return TimeSpan.parse(self.date_noise)

    def _bins(self, release: ReleaseStats) -> int:
        """D in bins of a release that has been checked."""
        bins = self._span.bins(release.time_bin)
        assert bins is not None
        return bins

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        key, width = f"{self.group}.date_noise: {self.date_noise}", release.time_bin
        misfit = self._span.misfit(width)
        if misfit:
            raise GridError(f"{key}: {misfit}; choose another shift")
        most = (MAX_BINS - release.n_days) // 2
        if self._bins(release) > most:
            raise GridError(
                f"{key}: expected 0 to {most} {width.words}s, as a release may span {MAX_BINS}"
            )

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        shift = day_shifts(self._bins(release), self.draws(self.seed, cells))
        return cells.with_days(np.where(cells.day == NO_DAY, NO_DAY, cells.day + shift))

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`: the days that a cell may have now."""
        bins = self._bins(release)
        return replace(
            release, first_day=release.first_day - bins, n_days=release.n_days + 2 * bins
        )

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:
        """See `Defence.disclosed`."""
        if publisher.date_noise or publisher.times:
            return publisher.with_times(TimeStep("jitter", self._bins(release)))
        return replace(publisher, date_noise=self._bins(release))
