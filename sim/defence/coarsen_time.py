"""Times are published in wider bins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.publisher import Publisher, TimeStep
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, GridError
from sim.extend.options import option
from sim.release.store.time_bins import MAX_BINS, TimeBin
from sim.release.store.time_spans import TimeSpan

_NAMES = ("hour", "day", "week", "month")
_EXPECTED = (
    f"expected {', '.join(_NAMES)}, or a whole number with a unit (min, h, d, w), such as 3h"
)


@dataclass(frozen=True, kw_only=True)
class CoarsenTime(Defence):
    """Publishes the start of a wider bin of time in place of every time.

    Weeks begin on Monday and months are those of the calendar; other bins are counted from
    1970-01-01 00:00 UTC. The release keeps its own bins.
    """

    name: ClassVar[str] = "coarsen_time"
    summary: ClassVar[str] = "publishes the start of a wider bin in place of every time"
    needs: ClassVar[tuple[str, ...]] = ("days",)

    bin: int | str = option(
        "week", help="width: hour, day, week, month, or in days or with a unit, such as 3h or 10d"
    )

    def check(self) -> None:
        """See `Options.check`."""
        given = self.wider
        text: int | str = str(given)
        if str(text).isdecimal():
            text = TimeSpan(given.minutes).value
        object.__setattr__(self, "bin", text)

    @property
    def wider(self) -> TimeBin:
        """The bins that are published."""
        key = f"{self.group}.bin"
        if self.bin in _NAMES:
            return TimeBin.parse(self.bin, key)
        try:
            span = TimeSpan.parse(self.bin)
        except ConfigError:
            span = TimeSpan()
        if span == TimeSpan(months=1):
            return TimeBin("month")
        if not span.minutes:
            raise ConfigError(f"{key}: {self.bin!r}: {_EXPECTED}")
        return TimeBin.parse(span.minutes, key)

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        key, width, wider = f"{self.group}.bin: {self.bin}", release.time_bin, self.wider
        if width == wider or not width.refines(wider):
            example = {"month": "leave this defence out"}.get(
                str(width), f"choose a wider one that is made of whole {width.words}s"
            )
            raise GridError(
                f"{key}: the release has its times in {width.words}s, "
                + ("so nothing would change" if width == wider else "which do not fit into it")
                + f"; {example}"
            )
        if self.stats_after(release).n_days == 1 < release.n_days:
            raise GridError(
                f"{key}: all times of the release would be the same, before all that happened in "
                "it; use drop_time, which leaves them out"
            )
        if self.stats_after(release).n_days > MAX_BINS:
            raise GridError(
                f"{key}: the release would span more than {MAX_BINS} {width.words}s, its limit; "
                "choose a narrower one, or set data.time_bin to a wider one"
            )

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        day, known = cells.day.copy(), cells.day != NO_DAY
        day[known] = release.time_bin.first_in(self.wider, day[known])
        return cells.with_days(day)

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`."""
        ends = np.array([release.first_day, release.first_day + release.n_days - 1])
        first, last = release.time_bin.first_in(self.wider, ends).tolist()
        return replace(release, first_day=first, n_days=last - first + 1)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return publisher.with_times(TimeStep("coarsen", str(self.wider)))
