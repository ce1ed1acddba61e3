"""``standout compare RUN RUN``: several runs in one table and one figure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.cli.sweep import written
from sim.errors import ConfigError
from sim.numeric.text import visible
from sim.record.job_folders import opened
from sim.record.own_files import check_folder, existing_folder
from sim.report.page.comparison import compare

USAGE = "standout compare RUN_FOLDER RUN_FOLDER out=compared"


def compare_command(arguments: Sequence[str]) -> None:
    """Print a table of several runs; with ``out=`` write it, and a figure, into a folder.

    Parameters
    ----------
    arguments : sequence of str
        Run folders, suites or folders of a ``--multirun``; ``out``.

    Raises
    ------
    ConfigError
        There is no folder, or another key.
    InputError
        A folder holds no run that can be compared.
    StandoutError
        A file cannot be written.
    """
    out: Path | None = None
    paths = []
    for argument in arguments:
        if argument.startswith("out=") and out is None:
            out = Path(argument.removeprefix("out="))
            if out.exists():
                raise ConfigError(f"out: {out}: is there already; choose another name")
            continue
        path = existing_folder(argument, USAGE, "compare")
        check_folder(path)
        paths.append(path)
    if not paths:
        raise ConfigError(f"compare: expected run folders: {USAGE}")
    found = compare(opened(paths))
    print(visible(str(found)))
    if out is not None:
        for line in written(found, out):
            print(line)
