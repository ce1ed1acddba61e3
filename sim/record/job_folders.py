"""Finds the run folders that a path stands for: a run, or the jobs of a ``--multirun``."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from sim.errors import InputError
from sim.record.digests import check_sealed
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import is_begun, is_complete
from sim.record.sweep_record import check_sweep, is_sweep, what_is_missing

log = logging.getLogger("standout")


def folders_of(path: Path) -> list[Path]:
    """Return a run folder, or those of the jobs of a ``--multirun``, in their order.

    Raises
    ------
    InputError
        The folder holds no run.
    """
    found = jobs_in(path)
    if not found:
        raise InputError(f"{path}: holds no run: it has no run.json, and no jobs of a --multirun")
    return found


def jobs_in(path: Path) -> list[Path]:
    """Return the outermost run folders within a folder, or itself; by number where they have one.

    Links are not followed.
    """
    found = []
    for above, inner, _ in os.walk(path):
        if is_begun(Path(above)):
            found.append(Path(above))
            inner.clear()  # its parts
    return by_number(path, found)


def by_number(path: Path, folders: Iterable[Path]) -> list[Path]:
    """Sort folders within a folder, by number where they have one.

    Examples
    --------
    >>> [one.name for one in by_number(Path("s"), [Path("s/10"), Path("s/a"), Path("s/2")])]
    ['2', '10', 'a']
    """
    return sorted(folders, key=lambda one: [_order(part) for part in one.relative_to(path).parts])


def _order(name: str) -> tuple[bool, int, str]:
    return (False, int(name), "") if name.isdecimal() else (True, 0, name)


def opened(paths: Sequence[Path]) -> list[RunFolder]:
    """Open run folders, and the complete jobs of multiruns; warn of the others.

    Raises as `folders_of`, `open_folder`, `check_sealed` and, where no job is complete,
    `check_sweep`.
    """
    found = list[RunFolder]()
    for path in paths:
        jobs = folders_of(path)
        if is_sweep(path):
            jobs = [job for job in jobs if is_complete(job)]
            if not jobs:
                check_sweep(path, jobs)
            missing = what_is_missing(path, jobs)
            if missing:
                log.warning("%s: %s, so not compared", path, missing)
        for job in jobs:
            found.append(open_folder(job))
            check_sealed(job)
    return found
