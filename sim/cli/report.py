"""``standout report DIR``: redraw the figures and rewrite the report of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.errors import InputError
from sim.record.digests import as_written, is_sealed
from sim.record.own_files import check_folder, existing_folder
from sim.record.run_folder import open_folder
from sim.report.figures.draw import draw_run
from sim.report.page.html import write_report

USAGE = "standout report RUN_FOLDER"


def report_command(arguments: Sequence[str]) -> None:
    """Redraw the figures of a run and rewrite its report; for a suite, also those of its parts.

    Parameters
    ----------
    arguments : sequence of str
        The words after ``standout report``: the run folder, as ``run=DIR`` or ``DIR``.

    Raises
    ------
    InputError
        The arguments name no finished run, or it was changed.
    StandoutError
        A figure or the report cannot be written.
    """
    folder = folder_of(arguments)
    check_folder(folder)
    with as_written(folder):
        open_folder(folder)  # raises an error if it is none
        is_sealed(folder)  # and if a finished run was changed
        print(f"figures  {folder / 'figures'} ({len(draw_run(folder))})")
        print(f"report   {write_report(folder)}")


def folder_of(arguments: Sequence[str]) -> Path:
    """Return the run folder that the arguments name.

    Raises
    ------
    InputError
        There is not exactly one, or it is not a folder.

    Examples
    --------
    >>> folder_of(["run="])
    Traceback (most recent call last):
    sim.errors.InputError: report: expected one run folder: standout report RUN_FOLDER
    """
    for argument in arguments:
        key, equals, _ = argument.partition("=")
        if equals and key != "run" and not Path(argument).is_dir():
            raise InputError(f"report: {argument}: not a key of report; expected {USAGE}")
    given = [argument.removeprefix("run=") for argument in arguments]
    if len(given) != 1 or not given[0] or given[0].startswith("-"):
        raise InputError(f"report: expected one run folder: {USAGE}")
    return existing_folder(given[0], USAGE)
