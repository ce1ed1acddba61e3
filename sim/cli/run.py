"""One job of the command line: open the release, run the study, say what came out."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli.estimate import estimate
from sim.config.compose import configured, settled
from sim.session.suite import plan_job, run_planned

if TYPE_CHECKING:
    from omegaconf import DictConfig

_OF_HYDRA = {".hydra", "standout.log"}


def run_job(given: DictConfig, folder: Path, overrides: Sequence[str]) -> None:
    """Do what a configuration says, or estimate what it would take.

    Parameters
    ----------
    given : DictConfig
        The configuration as it was composed.
    folder : Path
        Run folder.
    overrides : sequence of str
        What the user typed, for the record and to resume.

    Raises
    ------
    StandoutError
        Whatever the user can put right.
    """
    config = configured(given)
    job = plan_job(config, settled(given, overrides))
    if config.dry_run:
        try:
            print(estimate(job))
        finally:
            leave_nothing(folder)
        return
    result = run_planned(job, folder)
    print(result)
    where = shown(folder)
    print(f"\nreport   {where / 'report.html'}\nresults  {where}")


def leave_nothing(folder: Path) -> None:
    """Remove a run folder that holds no more than what Hydra put there.

    Folders above it go as well if they are empty, as far as the working directory.
    """
    if {path.name for path in folder.iterdir()} - _OF_HYDRA:
        return
    shutil.rmtree(folder)
    for above in folder.parents:
        if Path.cwd() not in above.parents or any(above.iterdir()):
            break
        above.rmdir()


def shown(path: Path) -> Path:
    """A path as a person at this place would write it.

    Returns
    -------
    Path
        Relative where it lies below the working directory.

    Examples
    --------
    >>> shown(Path.cwd() / "outputs").as_posix()
    'outputs'
    """
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
