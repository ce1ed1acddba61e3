"""Shows how far a stage of a run is: a bar on a terminal, elsewhere a line every so often.

Invariant: what is shown follows the log of the terminal; where that is silent, there is no bar.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Never

from tqdm import tqdm

from sim.numeric.text import format_duration, format_percent

log = logging.getLogger("standout.progress")

LOG_SECONDS = 30.0
"""Between two lines of the log."""

_SOON = 2.0
_VARIABLE = "STANDOUT_PROGRESS"
"""0 in the environment: no such lines."""

_TICK_SECONDS = 1.0
_named: set[str] = set()


class Stage:
    """How far a stage is.

    Parameters
    ----------
    doing : str
        What it does, such as ``attacking``.
    total : int
        Its size, in whatever unit.
    before : int
        How much of it was done earlier.
    """

    def __init__(self, doing: str, total: int, before: int = 0) -> None:
        self._doing, self._total = doing, total
        self._before = before
        self._said = monotonic()
        if doing not in _named:  # one of its kind is named soon, all others where they take long
            self._said -= LOG_SECONDS - _SOON
        self._first: tuple[float, int] | None = None

    def reach(self, done: int) -> None:
        """Take note of how much is done, and say so if nothing was said for long.

        How long the rest takes is told by the steps after the first, which includes compiling.
        """
        now = monotonic()
        if self._first is None and done > self._before:
            self._first = now, done
        if now - self._said < LOG_SECONDS or not 0 < done < self._total:
            return
        if os.environ.get(_VARIABLE) == "0":
            return
        self._said = now
        _named.add(self._doing)
        left = ""
        if self._first is not None and done > self._first[1]:
            each = (now - self._first[0]) / (done - self._first[1])
            left = f", about {format_duration(each * (self._total - done))} left"
        log.info("%s: %s%s", self._doing, format_percent(done / self._total), left)


class _Bar(Stage):
    def __init__(self, doing: str, total: int, before: int, bar: tqdm[Never]) -> None:
        super().__init__(doing, total, before)
        self._bar = bar
        self.reach(before)

    def reach(self, done: int) -> None:
        self._bar.update(min(done, self._total) - self._bar.n)


@contextmanager
def _ticking(bar: tqdm[Never]) -> Iterator[None]:
    """Refresh a bar every second, so that its clock is seen to run."""
    over = threading.Event()

    def tick() -> None:
        while not over.wait(_TICK_SECONDS):
            bar.refresh()

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        over.set()
        ticker.join()


@contextmanager
def stage(doing: str, total: int, *, before: int = 0, unit: str = "it") -> Iterator[Stage]:
    """Show how far a stage is, until the end of the block.

    Parameters
    ----------
    doing, total, before
        As of `Stage`.
    unit : str
        In a bar.

    Examples
    --------
    >>> with stage("reading", 100) as reading:
    ...     reading.reach(40)
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield Stage(doing, total, before)
        return
    with (
        tqdm(
            total=total, desc=doing, unit=unit, unit_scale=unit == "it", disable=_is_silent()
        ) as bar,
        _ticking(bar),
    ):
        yield _Bar(doing, total, before, bar)


def _is_silent() -> bool:
    """Whether the log of the terminal leaves out what is no error."""
    consoles = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, logging.StreamHandler)
        and not isinstance(handler, logging.FileHandler)
    ]
    return bool(consoles) and all(handler.level > logging.WARNING for handler in consoles)
