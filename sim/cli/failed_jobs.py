"""Names the jobs of a sweep that did not finish: what each was asked, and its error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sim.numeric.text import quantity
from sim.record.run_record import is_complete, read_record

_OVERRIDES = Path(".hydra", "overrides.yaml")
LOG = "standout.log"
"""What the run folder's log is called, by Hydra."""
_ERROR = re.compile(r"^\S+ \S+ ERROR (.+)$", re.MULTILINE)
_UNKNOWN = "no error was logged; it was interrupted, or its process ended"


def failed_jobs(failed: Sequence[Path], jobs: Sequence[Path], folder: Path) -> Iterator[str]:
    """Yield the number of jobs that did not finish, and a line on each.

    What is read was written by the jobs themselves, since a launcher may run them elsewhere.

    Parameters
    ----------
    failed, jobs : sequence of Path
        Folders of the jobs that did not finish, and of all.
    folder : Path
        That of the sweep.
    """
    if not failed:
        return
    asked = {job: _overrides(job) for job in jobs}
    shared = set.intersection(*(set(words) for words in asked.values()))
    yield f"{len(failed)} of {quantity(len(jobs), 'job')} did not finish:"
    for job in failed:
        own = " ".join(word for word in asked[job] if word not in shared)
        name = job.relative_to(folder) if job.is_relative_to(folder) else job
        yield f"{name}  {f'{own}: ' if own else ''}{_error(job)}"


def _overrides(job: Path) -> list[str]:
    """Return what a job was asked: by its record once it has ended, or else by Hydra."""
    from omegaconf import OmegaConf

    try:
        found = OmegaConf.to_container(OmegaConf.load(job / _OVERRIDES), resolve=False)
    except OSError:
        found = read_record(job).get("overrides") if is_complete(job) else []
    return [str(one) for one in found] if isinstance(found, list) else []


def _error(job: Path) -> str:
    """Return the last error in the log of a job."""
    try:
        text = (job / LOG).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _UNKNOWN
    errors = _ERROR.findall(text)
    return str(errors[-1]) if errors else _UNKNOWN
