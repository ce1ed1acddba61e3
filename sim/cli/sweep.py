"""What a sweep over several values ends in: a comparison, and a number that a sweeper may lower."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.cli.failed_jobs import LOG, failed_jobs
from sim.config.paths import relative
from sim.errors import StandoutError
from sim.findings.headline_risk import headline_risk
from sim.numeric.text import quantity, visible
from sim.record.frames import write_tables
from sim.record.job_folders import by_number, jobs_in
from sim.record.run_folder import open_folder
from sim.record.run_record import NAME as RUN
from sim.record.run_record import is_complete
from sim.record.sweep_record import forget, write_sweep
from sim.report.page.comparison import NAME, Comparison, comparisons

if TYPE_CHECKING:
    from omegaconf import DictConfig

    from sim.session.result import Result

log = logging.getLogger("standout")

_SHOWN = 60
"""Rows of a comparison on the terminal; the file has all of them."""

_DRAWN = 200
"""Rows of a comparison that a figure can show."""

_BASIC = "hydra._internal.core_plugins.basic_sweeper.BasicSweeper"
"""Runs every value, whatever a job returns."""

_swept: list[Path] = []


class Swept:
    """Hydra's callback: remembers the folder of a sweep, once all of its jobs have ended.

    Hydra makes a warning of whatever is raised here, so the comparison is made later.
    """

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Forget an earlier sweep in the same folder, which must not be that of a run.

        Raises
        ------
        SystemExit
            It is; of other exceptions Hydra makes warnings.
        """
        folder = Path(str(config.hydra.sweep.dir))
        if (folder / RUN).is_file():
            words = (
                f"hydra.sweep.dir: {visible(str(folder))}: is the folder of a run; choose another"
            )
            print(f"standout: error: {words}", file=sys.stderr)
            raise SystemExit(2)
        forget(folder)

    def on_multirun_end(self, config: DictConfig, **_: Any) -> None:
        """Remember the folder."""
        _swept.append(Path(str(config.hydra.sweep.dir)))

    def __getattr__(self, name: str) -> Any:
        """Take no notice of other events."""
        if not name.startswith("on_"):
            raise AttributeError(name)
        return lambda **_: None


def objective_of(result: Result, sweeper: str) -> float | None:
    """Return what a sweeper is to lower: the upper end of the headline risk of a run.

    Parameters
    ----------
    sweeper : str
        The class of the sweeper.

    Returns
    -------
    float or None
        None: the run has no risk, which is said to whoever looks for the lowest.
    """
    found = headline_risk(open_folder(result.folder))
    if found is None and sweeper != _BASIC:
        log.warning(
            "%s: has no risk for the sweeper to lower: only an attack, an audit, a plan that "
            "offers a release, and a suite with one of these have",
            relative(result.folder),
        )
    return None if found is None else found.objective


def conclude(ended: Sequence[Path], *, failed: bool) -> None:
    """Print the comparison of the runs of a sweep, and write it into the folder of the sweep.

    Parameters
    ----------
    ended : sequence of Path
        Folders of the jobs of this process; a launcher may have run others.
    failed : bool
        Whether an error has been said already.

    Raises
    ------
    StandoutError
        A job in another process has failed, or a file cannot be written.
    """
    for folder in _swept:
        jobs = list(dict.fromkeys([*_jobs(folder), *(job.absolute() for job in ended)]))
        done = [job for job in jobs if is_complete(job)]
        if folder.is_dir():
            write_sweep(folder, jobs)
        if done:
            _compare(folder, done)
        lost = [job for job in jobs if job.is_dir() and not is_complete(job)]
        for line in failed_jobs(lost, jobs, folder.absolute()):
            print(visible(line))
        if lost and not failed:
            raise StandoutError(
                f"{quantity(len(lost), 'job')} of {len(jobs)} did not finish: "
                f"{', '.join(str(relative(job)) for job in lost)}; what was printed says why, or "
                "the log in the folder"
            )
    _swept.clear()


def _jobs(folder: Path) -> list[Path]:
    """Return the folders of all jobs of a sweep, those that failed included."""
    whole = folder.absolute()
    begun = {Path(above) for above, _, files in os.walk(whole) if LOG in files}
    return by_number(whole, begun.union(jobs_in(whole)))


def _compare(folder: Path, jobs: Iterable[Path]) -> None:
    found = comparisons([open_folder(job) for job in jobs])
    for reason in found.left_out:
        log.warning("not compared: %s", reason)
    for name, each in found.kinds.items():
        print(f"\n{visible(shown(each))}")
        for line in written(each, folder, name):
            print(line)


def shown(found: Comparison) -> str:
    """Return the first rows of a comparison, and how many there are more."""
    more = len(found.table) - _SHOWN
    return f"{found.first(_SHOWN)}\n… {quantity(more, 'row')} more" if more > 0 else str(found)


def written(found: Comparison, folder: Path, name: str = NAME) -> Iterator[str]:
    """Write the table and the figure of a comparison, and yield where they are.

    Raises
    ------
    StandoutError
        A file cannot be written.
    """
    from sim.report.figures.style import save

    folder.mkdir(parents=True, exist_ok=True)
    write_tables(folder, {name: found.table})
    yield f"table    {relative(folder / name)}.parquet"
    if len(found.table) > _DRAWN:
        yield f"figure   not drawn: {len(found.table):,} rows, more than the {_DRAWN} it can show"
        return
    yield f"figure   {relative(save(found.figure(), folder, name))}"
