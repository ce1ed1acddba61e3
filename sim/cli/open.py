"""``standout open RUN``: show the report of a run in a browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path

from sim.config.paths import relative
from sim.errors import ConfigError

USAGE = "standout open RUN_FOLDER"


def open_command(arguments: Sequence[str]) -> None:
    """Open the report, and print where it is, for a machine without a browser.

    Raises
    ------
    ConfigError
        No run folder is named, or it has no report.
    """
    if len(arguments) != 1:
        raise ConfigError(f"open: expected one folder: {USAGE}")
    report = Path(arguments[0]) / "report.html"
    if not report.is_file():
        raise ConfigError(
            f"open: {arguments[0]}: has no report.html; a run that is complete has one, and "
            "standout report RUN_FOLDER writes it again"
        )
    print(f"report   {relative(report)}")
    webbrowser.open(report.absolute().as_uri())
