"""One job of the command line: open the release, run the study, print the results."""

from __future__ import annotations

import gc
import logging
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.estimate import estimate
from sim.cli.failed_jobs import LOG
from sim.config.compose import configured, settled
from sim.config.paths import relative
from sim.errors import ConfigError
from sim.files.disk import is_full
from sim.numeric.text import visible
from sim.record.run_folder import RunFolder, open_folder
from sim.report.screens.of_run import details_of, screen_of
from sim.report.screens.reading_details import sample_chapters
from sim.report.terminal import details_text, screen_text
from sim.session.jobs import plan_job
from sim.session.plan_release import check_free
from sim.session.suite import run_planned

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from sim.session.result import Result

log = logging.getLogger("standout")

LINE, SCREEN, DETAILS = "line", "screen", "details"
"""What a job prints when it is done: each more than the one before."""

NOT_PRINTED = (
    "standard output: cannot be written, the disk is full; free some space, or send it elsewhere"
)
_HYDRA = ".hydra"
_OF_HYDRA = {_HYDRA, LOG}


def run_job(
    given: DictConfig,
    folder: Path,
    overrides: Sequence[str],
    *,
    shown: str = SCREEN,
    remarks: list[str],
) -> Result | None:
    """Run a configuration, or estimate its time and memory.

    Parameters
    ----------
    given : DictConfig
        The composed configuration.
    folder : Path
        Run folder.
    overrides : sequence of str
        The overrides as typed, for the record and for resuming.
    shown : str
        What is printed at the end: `LINE`, `SCREEN`, or `DETAILS` too.
    remarks : list of str
        What to say of the overrides, once they are known to be right; emptied.

    Returns
    -------
    Result or None
        None where it was only estimated.

    Raises
    ------
    StandoutError
        An error that the user can correct.
    """
    config = configured(given)
    check_free(config, folder)  # before a hundred parts are composed
    job = plan_job(config, settled(given, overrides))
    while remarks:
        log.warning("%s", remarks.pop(0))
    if config.dry_run:
        try:
            print(estimate(job))
        finally:
            remove_unused(folder)
        return None
    gc.enable()  # `sim.cli.main` is without it until all is composed
    result = run_planned(job, folder)
    shutil.rmtree(folder / _HYDRA, ignore_errors=True)  # the record of the run has all of it
    where = relative(folder)
    try:
        print(visible(_text(open_folder(folder), str(where), shown)), flush=True)
    except OSError as error:
        if not is_full(error):
            raise
        raise ConfigError(f"{NOT_PRINTED}; the results are in {where}") from None
    return result


def _text(run: RunFolder, folder: str, shown: str) -> str:
    screen = screen_of(run)
    if shown == LINE:
        return f"{folder}  {screen.verdict}"
    text = screen_text(screen, folder=folder, bars=sys.stdout.isatty())
    if shown != DETAILS:
        return text
    return f"{text}\n\n{details_text([*details_of(run), *sample_chapters(run.record)])}"


def remove_unused(folder: Path) -> None:
    """Remove a run folder that holds only Hydra's files, and empty folders above it.

    Folders are removed up to, but not including, the working directory.
    """
    if {path.name for path in folder.iterdir()} - _OF_HYDRA:
        return
    shutil.rmtree(folder)
    for above in folder.parents:
        if Path.cwd() not in above.parents or any(above.iterdir()):
            break
        above.rmdir()
