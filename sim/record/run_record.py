"""``run.json``: how a run was made, from when it begins until it is complete."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.errors import InputError
from sim.overrides import command_line

NAME = "run.json"

STRONGEST = "strongest"
"""Folder of the strongest attacker's run, within the run that it belongs to."""


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a run, whole or not at all.

    Parameters
    ----------
    folder : Path
        Run folder.
    record : dict
        JSON values only.
    """
    partial = folder / f"{NAME}.partial"
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / NAME)


def read_record(folder: Path) -> dict[str, Any]:
    """Read the record of a run.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    dict

    Raises
    ------
    InputError
        The folder is none of ours, or its record cannot be read.
    """
    try:
        record: dict[str, Any] = json.loads((folder / NAME).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder}: not a run folder: it has no {NAME}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{folder / NAME}: cannot be read ({error})") from None
    if not isinstance(record, dict) or not {"status", "config"} <= record.keys():
        raise InputError(f"{folder / NAME}: not the record of a run")
    return record


def is_complete(folder: Path) -> bool:
    """Whether the record of a run says that all is done.

    Parameters
    ----------
    folder : Path
        Run folder; may have no record.

    Returns
    -------
    bool
    """
    return (folder / NAME).is_file() and read_record(folder)["status"] == "complete"


def resume_command(folder: Path) -> str:
    """Return the command that takes up a run, with the suite or the run that it is part of.

    Parameters
    ----------
    folder : Path
        Run folder.

    Returns
    -------
    str
        Quoted for a POSIX shell.

    Examples
    --------
    >>> resume_command(Path("outputs/my run"))
    "standout resume 'outputs/my run'"
    """
    while _is_part(folder):
        folder = folder.parent
    return command_line(["standout", "resume", str(folder)])


def _is_part(folder: Path) -> bool:
    """Whether a run was begun by the one whose folder it lies in."""
    try:
        parts = read_record(folder.parent)["config"].get("parts") or {}
    except (InputError, AttributeError):
        return False
    return folder.name == STRONGEST or folder.name in parts


class Clock:
    """Seconds spent on each stage.

    Examples
    --------
    >>> clock = Clock()
    >>> clock.lap("plan")
    >>> list(clock.laps)
    ['plan']
    """

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """End a stage.

        Parameters
        ----------
        stage : str
        """
        now = time.perf_counter()
        self.laps[stage] = round(now - self._last, 3)
        self._last = now
