"""Which jobs a ``--multirun`` had: ``sweep.json`` in its folder, written once all have ended.

Without it nobody can tell a sweep whose jobs are all there from one that lost some on the way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from sim.errors import InputError
from sim.files.disk import atomic_write

SWEEP = "sweep.json"
_BEGUN = "multirun.yaml"
"""What Hydra writes when a sweep begins."""

_REPEAT = (
    "give the command of the sweep again, with this folder as hydra.sweep.dir: what is complete is "
    "not run again; or give the folder of a job"
)


def is_sweep(folder: Path) -> bool:
    """Whether a folder is that of a sweep, ended or not."""
    return (folder / SWEEP).is_file() or (folder / _BEGUN).is_file()


def forget(folder: Path) -> None:
    """Remove the record of an earlier sweep in the same folder, as another begins."""
    (folder / SWEEP).unlink(missing_ok=True)


def write_sweep(folder: Path, jobs: Iterable[Path]) -> None:
    """Record the folders of all jobs, those that failed included.

    Parameters
    ----------
    jobs : iterable of Path
        Those outside of the folder are left out.
    """
    whole = folder.absolute()
    names = [
        str(job.absolute().relative_to(whole)) for job in jobs if whole in job.absolute().parents
    ]
    with atomic_write(folder / SWEEP) as path:
        path.write_text(json.dumps({"jobs": sorted(names)}, indent=1) + "\n", encoding="utf-8")


def what_is_missing(folder: Path, complete: Iterable[Path]) -> str:
    """Say what a sweep lacks; empty: nothing.

    A folder without a sweep, into which runs were put by hand, is what it is.

    Parameters
    ----------
    complete : iterable of Path
        Folders of complete runs within the folder.

    Raises
    ------
    InputError
        The record of the sweep was changed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sweep(Path(folder), [Path(folder, "0"), Path(folder, "1")])
    ...     what_is_missing(Path(folder), [Path(folder, "0"), Path(folder, "1")])
    ...     what_is_missing(Path(folder), [Path(folder, "1")])
    ''
    '1 of its 2 jobs is not complete (0)'
    """
    path = folder / SWEEP
    if not path.is_file():
        return "the sweep did not end" if (folder / _BEGUN).is_file() else ""
    try:
        jobs = json.loads(path.read_text(encoding="utf-8"))["jobs"]
        names = {str(Path(one)) for one in jobs if isinstance(one, str)}
    except (OSError, ValueError, TypeError, KeyError):
        raise InputError(f"{path}: is not what a sweep writes; {_REPEAT}") from None
    whole = folder.absolute()
    lost = sorted(names - {str(run.absolute().relative_to(whole)) for run in complete})
    if not lost:
        return ""
    return (
        f"{len(lost)} of its {len(names)} jobs {'is' if len(lost) == 1 else 'are'} not complete "
        f"({', '.join(lost[:5])}{', …' if len(lost) > 5 else ''})"
    )


def check_sweep(folder: Path, complete: Iterable[Path]) -> None:
    """Check that a sweep lacks nothing; see `what_is_missing`.

    Raises
    ------
    InputError
        The sweep did not end, or a job of it is not complete.
    """
    missing = what_is_missing(folder, complete)
    if missing:
        raise InputError(f"{folder}: {missing}; {_REPEAT}")
