"""The first screen of frontier runs, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterator

from sim.record.run_folder import RunFolder
from sim.report.chapter import Chapter
from sim.report.screen import Screen


def frontier_screen(run: RunFolder) -> Screen:
    """Return the first screen."""
    raise NotImplementedError(run)


def frontier_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below it."""
    raise NotImplementedError(run)
