"""``standout resume FOLDER``: resume an interrupted run from its folder.

The folder is not trusted. Its record can set keys of the configuration
(`sim.config.own_overrides`); it cannot make Hydra do anything else, join a cluster, or move this
process to another folder.
"""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from sim.config.own_overrides import settings_of
from sim.errors import ResumeError
from sim.record.own_files import check_folder
from sim.record.run_record import NAME, read_record

_FOLDER = "STANDOUT_RUN_FOLDER"


def resumed(arguments: Sequence[str]) -> tuple[list[str], Path]:
    """Return the overrides that resume an interrupted run.

    Parameters
    ----------
    arguments : sequence of str
        The words after ``standout resume``: the run folder, and overrides that replace its own.

    Returns
    -------
    overrides : list of str
        The run's overrides for Hydra, with the run folder.
    start : Path
        The working directory of the run, to which its paths are relative.

    Raises
    ------
    InputError
        It is not a run folder, or its record contains a key that is not allowed.
    ResumeError
        No run folder is named, or the run cannot be resumed from here.
    """
    if not arguments or ("=" in arguments[0] and not Path(arguments[0]).is_dir()):
        raise ResumeError("resume: expected a run folder: standout resume outputs/…")
    folder, typed = Path(arguments[0]).absolute(), list(arguments[1:])
    overrides, start = recorded(folder, typed)
    # Passed through the environment, since a folder's name may contain Hydra's syntax; `.hydra`
    # stays as the run wrote it, since these overrides may still be refused.
    os.environ[_FOLDER] = str(folder)
    into = f"hydra.run.dir=${{oc.env:{_FOLDER}}}"
    return [*overrides, *typed, into, "hydra.output_subdir=null"], start


def recorded(folder: Path, typed: Sequence[str] = ()) -> tuple[list[str], Path]:
    """Return the overrides of a run, and the folder in which it was begun.

    Parameters
    ----------
    typed : sequence of str
        Overrides that replace its own.

    Raises
    ------
    InputError
        It is not a run folder, or its record contains a key that is not allowed.
    ResumeError
        It was begun elsewhere, or on a cluster that is not typed.
    """
    folder = folder.absolute()
    check_folder(folder)
    record = read_record(folder)
    try:
        overrides, start = record["overrides"], Path(record["working_directory"])
    except (KeyError, TypeError):
        raise ResumeError(
            f"{folder / NAME}: lacks the overrides or the working directory; start a new run"
        ) from None
    _check_cluster(folder, overrides, typed)
    if not (start.is_absolute() and start.is_dir()):
        raise ResumeError(f"{folder}: was run in {start}, which does not exist")
    return list(overrides), start


def _check_cluster(folder: Path, overrides: Sequence[str], typed: Sequence[str]) -> None:
    """Refuse a cluster that only a file names: a cluster receives the data and can send code."""
    if any(argument.startswith("cluster.address=") for argument in typed):
        return
    for key, address in itertools.chain.from_iterable(map(settings_of, overrides)):
        if key == "cluster.address" and address not in (None, "auto"):
            again = shlex.join(["standout", "resume", str(folder), f"{key}={address}"])
            raise ResumeError(
                f"{folder / NAME}: {key}: {address}: is not read from a run folder, since a "
                f"cluster receives the data and can run code here; if it is yours: {again}"
            )
