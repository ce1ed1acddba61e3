"""``standout resume FOLDER``: an interrupted run is taken up from its folder alone.

The folder may come from anyone. Its record can set keys of the configuration
(`sim.config.own_overrides`); it cannot make Hydra do anything else, nor join a
cluster, nor move this process to another folder.
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
    """Return what takes up an interrupted run.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout resume``: the run folder, and overrides that take the place of its
        own.

    Returns
    -------
    overrides : list of str
        For Hydra: those of the run, to be run again in its folder.
    begun : Path
        The folder that the run was begun in, which its relative paths are meant in.

    Raises
    ------
    InputError
        It is no run folder, or its record asks for what no run may.
    ResumeError
        No run folder is named, or the run cannot be taken up from here.
    """
    if not arguments or ("=" in arguments[0] and not Path(arguments[0]).is_dir()):
        raise ResumeError("resume: expected a run folder: standout resume outputs/…")
    folder, typed = Path(arguments[0]).absolute(), list(arguments[1:])
    check_folder(folder)
    record = read_record(folder)
    try:
        overrides, start = record["overrides"], Path(record["working_directory"])
    except (KeyError, TypeError):
        raise ResumeError(
            f"{folder / NAME}: does not say how the run was begun; begin a new one"
        ) from None
    _check_cluster(folder, overrides, typed)
    if not (start.is_absolute() and start.is_dir()):
        raise ResumeError(f"{folder}: was run in {start}, which is gone")
    # By way of the environment, since a folder's name may hold what means something to Hydra;
    # and `.hydra` stays as the run wrote it: these overrides may yet be refused.
    os.environ[_FOLDER] = str(folder)
    into = f"hydra.run.dir=${{oc.env:{_FOLDER}}}"
    return [*overrides, *typed, into, "hydra.output_subdir=null"], start


def _check_cluster(folder: Path, overrides: Sequence[str], typed: Sequence[str]) -> None:
    """Refuse to join a cluster that only a file names: it could send us code, and gets the data."""
    if any(argument.startswith("cluster.address=") for argument in typed):
        return
    for key, address in itertools.chain.from_iterable(map(settings_of, overrides)):
        if key == "cluster.address" and address not in (None, "auto"):
            again = shlex.join(["standout", "resume", str(folder), f"{key}={address}"])
            raise ResumeError(
                f"{folder / NAME}: {key}: {address}: is not taken from a run folder, as a cluster "
                f"is given the data and can run code here; if it is yours: {again}"
            )
