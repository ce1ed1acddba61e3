"""The result of a run in one line."""

from __future__ import annotations

from sim.config.paths import relative
from sim.record.run_folder import RunFolder
from sim.report.screens.of_run import screen_of


def brief_of(run: RunFolder) -> str:
    """Return the folder of a run and its verdict, as one line."""
    return f"{relative(run.path)}: {screen_of(run).verdict}"
