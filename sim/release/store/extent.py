"""The span of the times of a source's rows, collected while they are read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY
from sim.release.store.time_bins import DAY, TimeBin


@dataclass(slots=True)
class Extent:
    """Number of rows, and the span of their times.

    Parameters
    ----------
    rows : int
        All of them.
    first_time, last_time : int
        In seconds; the first is after the last if no row has a time.
    timed : int
        Rows at another time than midnight.
    cut : int
        Rows at another time than where their bin begins.

    Examples
    --------
    >>> extent = Extent(DAY)
    >>> extent.take(3, np.array([86_400, NO_TIME, 86_400 * 3 + 1]))
    >>> extent.rows, extent.first_day, extent.n_days, extent.timed, extent.unit
    (3, 1, 3, 1, 1)
    """

    time_bin: TimeBin
    rows: int = 0
    first_time: int = np.iinfo(np.int64).max
    last_time: int = np.iinfo(np.int64).min
    timed: int = 0
    cut: int = 0

    def take(self, rows: int, time: NDArray[np.int64] | None) -> None:
        """Take some rows; without times, or with `NO_TIME` where there is none."""
        self.rows += rows
        if time is None:
            return
        known = time if time.min(initial=0) != NO_TIME else time[time != NO_TIME]
        if known.size:
            self.first_time = min(self.first_time, int(known.min()))
            self.last_time = max(self.last_time, int(known.max()))
            timed = int(np.count_nonzero(known % SECONDS_PER_DAY))
            self.timed += timed
            is_day = self.time_bin == DAY
            self.cut += timed if is_day else int(np.count_nonzero(known != self._begin_of(known)))

    @property
    def unit(self) -> int:
        """Seconds in the steps that all times are apart."""
        return 1 if self.timed else SECONDS_PER_DAY

    @property
    def first_day(self) -> int:
        """Number of the first bin of time; 0 if no row has a time."""
        return self._bin_of(self.first_time) if self.last_time >= self.first_time else 0

    @property
    def n_days(self) -> int:
        """Bins from the first to the last, both included."""
        if self.last_time < self.first_time:
            return 0
        return self._bin_of(self.last_time) - self.first_day + 1

    def _begin_of(self, time: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.time_bin.start(self.time_bin.of(time))

    def _bin_of(self, time: int) -> int:
        return int(self.time_bin.of(np.array([time]))[0])
