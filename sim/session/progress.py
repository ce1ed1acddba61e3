"""What a suite says while it runs: where it is, how long the rest takes, each remark once.

Invariant: an estimate rests on parts that ran in this call, but not on the first, which include
compiling, and not on one alone; parts that were already complete are counted in one line.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from time import monotonic

from sim.numeric.text import format_duration, quantity

log = logging.getLogger("standout")

_COMPLETE = ": already complete"
"""The end of what a run says that is complete already."""

_NAMED = 7
"""Parts that were complete already and are named, and not counted."""

_FEWEST = 2  # runs on which an estimate rests: one may have compiled something

_TALKING = ("standout", "sim.study.run")
"""Loggers whose remarks the parts of a suite repeat."""


class Progress:
    """Counts the runs of a suite.

    Parameters
    ----------
    n_runs : int
        Single runs in it.
    n_first : int
        So many runs are over before an estimate is made.
    """

    def __init__(self, n_runs: int, n_first: int) -> None:
        self.n_runs = n_runs
        self.begun = 0
        self._n_first = n_first
        self._ran = 0
        self._complete: list[str] = []
        self._since = 0.0
        self._took: list[float] = []

    def begin(self, name: str, *, complete: bool) -> None:
        """Say that a run begins, or count it if it is complete already."""
        self.begun += 1
        if complete:
            self._complete.append(name)
            return
        self.tell_complete()
        now = monotonic()
        if self._ran > self._n_first:
            self._took.append(now - self._since)
        self._since = now
        self._ran += 1
        if self.n_runs > 1:
            log.info("[%d/%d] %s%s", self.begun, self.n_runs, name, self._time_left())

    def tell_complete(self) -> None:
        """Say which parts were complete already, since this was last said, or how many of them."""
        if self._complete and self.n_runs > 1:
            many = len(self._complete) > _NAMED
            named = quantity(len(self._complete), "part") if many else "; ".join(self._complete)
            log.info("already complete: %s", named)
        self._complete = []

    def seconds_per_run(self) -> float | None:
        """Return the median seconds of a run since the first ones, all over; None: not known."""
        if self._ran <= self._n_first:
            return None
        return median([*self._took, monotonic() - self._since])

    def _time_left(self) -> str:
        """Say how long the runs that remain take, if each takes as long as those counted."""
        if len(self._took) < _FEWEST:
            return ""
        left = self.n_runs - self.begun + 1
        return f"; about {format_duration(median(self._took) * left)} left"


@contextmanager
def told_once() -> Iterator[None]:
    """Let the parts of a suite make each remark once, and none of being complete already."""
    said: set[str] = set()

    def is_new(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if text.endswith(_COMPLETE) or text in said:
            return False
        said.add(text)
        return True

    loggers = [logging.getLogger(name) for name in _TALKING]
    for one in loggers:
        one.addFilter(is_new)
    try:
        yield
    finally:
        for one in loggers:
            one.removeFilter(is_new)
