"""One job of the command line: open the release, run the study, print the results."""

from __future__ import annotations

import gc
import logging
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.assessment.assessment import conclusion_of, is_audit, is_plan
from sim.cli.estimate import estimate
from sim.cli.failed_jobs import LOG
from sim.config.compose import configured, settled
from sim.config.paths import relative
from sim.errors import ConfigError
from sim.files.disk import is_full
from sim.numeric.text import visible
from sim.record.run_folder import RunFolder, open_folder
from sim.report.page.text import brief_of
from sim.report.words.plain.data import written_as_read
from sim.report.words.plain.fewer_facts import not_as_meant
from sim.report.words.reading_losses import as_read, losses
from sim.report.words.suspicious import suspicious
from sim.session.jobs import plan_job
from sim.session.plan_release import check_free
from sim.session.suite import run_planned

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from sim.session.result import Result

log = logging.getLogger("standout")

NOT_PRINTED = (
    "standard output: cannot be written, the disk is full; free some space, or send it elsewhere"
)
_OF_HYDRA = {".hydra", LOG}


def run_job(
    given: DictConfig,
    folder: Path,
    overrides: Sequence[str],
    *,
    quiet: bool = False,
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
    quiet : bool
        Print only the answer and the folder.
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
    where, run = relative(folder), open_folder(folder)
    if quiet:  # of what is not printed, what makes the answer doubtful
        for sentence in _doubts(run):
            log.warning("%s", sentence)
    try:
        print(visible(brief_of(run) if quiet else f"{result}\n"))
        print(f"report   {where / 'report.html'}\nresults  {where}", flush=True)
    except OSError as error:
        if not is_full(error):
            raise
        raise ConfigError(f"{NOT_PRINTED}; the results are in {where}") from None
    return result


def _doubts(run: RunFolder) -> Iterator[str]:
    yield from suspicious(run.record)
    found = conclusion_of(run) if is_audit(run) or is_plan(run) else None
    if found is not None:
        yield from not_as_meant(found)
    yield from written_as_read(run.record)
    yield from losses(as_read(run.record))


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
