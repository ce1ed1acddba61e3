"""What a suite says while it runs: where it is, how long the rest takes, each remark once.

Invariant: an estimate rests on parts that ran in this call, but not on the first, which include
compiling; parts that were already complete are counted in one line.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from sim.numeric.text import format_duration, quantity

log = logging.getLogger("standout")

_COMPLETE = ": already complete"
"""The end of what a run says that is complete already."""

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
        self._complete = 0
        self._since = 0.0

    def begin(self, name: str, *, complete: bool) -> None:
        """Say that a run begins, or count it if it is complete already."""
        self.begun += 1
        if complete:
            self._complete += 1
            return
        self.tell_complete()
        if self._ran == self._n_first:
            self._since = monotonic()
        self._ran += 1
        if self.n_runs > 1:
            log.info("[%d/%d] %s%s", self.begun, self.n_runs, name, self._time_left())

    def tell_complete(self) -> None:
        """Say how many parts were complete already, since this was last said."""
        if self._complete and self.n_runs > 1:
            were = "was" if self._complete == 1 else "were"
            log.info("%s %s already complete", quantity(self._complete, "part"), were)
        self._complete = 0

    def seconds_per_run(self, n_running: int = 0) -> float | None:
        """Return the seconds of a run, on average since the first ones; None: not known yet.

        Parameters
        ----------
        n_running : int
            Runs that have begun and are not over.
        """
        counted = self._ran - n_running - self._n_first
        return (monotonic() - self._since) / counted if counted > 0 else None

    def _time_left(self) -> str:
        """Say how long the runs that remain take, if each takes as long as those counted."""
        each = self.seconds_per_run(n_running=1)
        left = self.n_runs - self.begun + 1
        return "" if each is None else f"; about {format_duration(each * left)} left"


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
