"""A record becomes one record per window of time, under unlinked pseudonyms (spec §11)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import Publisher
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, GridError
from sim.extend.options import constant, option
from sim.release.store.time_bins import TimeBin
from sim.release.store.time_spans import TimeSpan

_MONTH = TimeBin("month")

_NAMED = {
    "day": TimeSpan.parse("1d"),
    "week": TimeSpan.parse("1w"),
    "month": TimeSpan(months=1),
    "year": TimeSpan(months=12),
}
_MOST_RECORDS = 1 << 62


@dataclass(frozen=True, kw_only=True)
class CutPseudonyms(Defence):
    """Cuts each record into one record per window of time, under new unlinked pseudonyms.

    Windows of days or weeks count from the first bin of the release, windows of months from the
    calendar (of three months: quarters). Cells without a time are together in one more record. A
    person whose cells are in several windows has several records, and an attacker who names any of
    them has found the person.
    """

    name: ClassVar[str] = "cut_pseudonyms"
    summary: ClassVar[str] = "cuts records by time, and gives each part a new identifier"
    needs: ClassVar[tuple[str, ...]] = ("days",)

    window: str = option(
        "year",
        help="width of the windows: day, week, month, year, or a number with a unit (min, h, d, w, "
        "mo)",
    )
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)

    def check(self) -> None:
        """See `Options.check`."""
        if self._span == TimeSpan():
            raise ConfigError(f"{self.group}.window: {self.window}: expected more than no time")

    @property
    def _span(self) -> TimeSpan:
        if self.window in _NAMED:
            return _NAMED[self.window]
        try:
            return TimeSpan.parse(self.window)
        except ConfigError as error:
            spans = str(error).removeprefix("expected ")
            raise ConfigError(
                f"{self.group}.window: {self.window}: expected day, week, month, year, or {spans}"
            ) from None

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        misfit = "" if self._span.months else self._span.misfit(release.time_bin)
        if misfit:
            raise GridError(f"{self.group}.window: {self.window}: {misfit}; choose another window")
        if self.parts(release) * release.parts > _MOST_RECORDS >> 32:
            raise GridError(
                f"{self.group}.window: {self.window}: together with the cuts before, more than "
                f"{_MOST_RECORDS >> 32} windows; choose a wider one"
            )

    def _windows(self, day: NDArray[np.int64], release: ReleaseStats) -> NDArray[np.int64]:
        """Number of the window of each bin of time, in any order from some number on."""
        if self._span.months:
            return _MONTH.of(release.time_bin.start(day)) // self._span.months
        bins = self._span.bins(release.time_bin)
        assert bins is not None
        return (day - release.first_day) // bins

    def _ends(self, release: ReleaseStats) -> tuple[int, int]:
        """The first and the last window."""
        last = release.first_day + release.n_days - 1
        first, final = self._windows(np.array([release.first_day, last]), release).tolist()
        return first, final

    def parts(self, release: ReleaseStats) -> int:
        """See `Defence.parts`; the last one is for cells without a time."""
        first, last = self._ends(release)
        return last - first + 2

    def part_of(self, cells: Cells, release: ReleaseStats) -> NDArray[np.int64]:
        """See `Defence.part_of`."""
        first, last = self._ends(release)
        part = np.full(len(cells), last - first + 1)
        dated = cells.day != NO_DAY
        part[dated] = self._windows(cells.day[dated], release) - first
        return part

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`; `part_of` says what becomes of records."""
        return cells

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`; people hold what they held, in records of other lengths."""
        return replace(release, lengths=None)

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`; what several records of a person say together has no model."""
        return replace(publisher, cut=True)
