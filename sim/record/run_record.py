"""``run.json``: the record of a run, from its start until it is complete.

Invariant: a record is untrusted data. It may come from anyone, so it can set only keys of the
configuration, and name only files inside its folder.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.config.own_overrides import PART, own_key
from sim.errors import ConfigError, InputError
from sim.extend.overrides import command_line
from sim.files.disk import atomic_write
from sim.record.ledger import NAME as LEDGER
from sim.record.sweep_record import is_sweep

NAME = "run.json"
BAYES_FOLDER = "bayes"
"""Folder of the Bayes-optimal attacker's run, within the run that it belongs to."""

FILE_FACTS_FOLDER = "file_facts"
"""Folder of the same attack with facts of the file, within the run with facts of the original."""

INNER = (BAYES_FOLDER, FILE_FACTS_FOLDER)
"""Keys of the runs within a run that are no parts of a suite, and their folders."""

UNFINISHED = "unfinished"
"""Folder of a run at work, which is removed once all of the run is written: see `gather`."""

FRAME = "data frame.parquet"
"""Stands for a data frame in the record of a run: there is no file of it."""

_PLUGGED = re.compile(r"[+~]*(attack|defence|grid|study|utility)\.")
"""Options that plug-ins add; of their names it is said that none is installed."""


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Write the record of a run, JSON values only, atomically."""
    with atomic_write(folder / NAME, flush=False) as partial:
        partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def read_record(folder: Path) -> dict[str, Any]:
    """Read the record of a run.

    Parameters
    ----------
    folder : Path
        Run folder.

    Raises
    ------
    InputError
        The folder is no run folder, or its record cannot be read or sets what no run may.
    """
    path = folder / NAME
    if not path.exists() and (folder / UNFINISHED / NAME).exists():
        path = folder / UNFINISHED / NAME
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(_no_record(folder)) from None
    except NotADirectoryError:
        raise InputError(
            f"{folder}: a file, not a run folder; expected the folder of a run, with {NAME} in it"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    check_record(path, record)
    return record


def check_record(path: Path, record: Any) -> None:
    """Check that a record sets nothing but keys of the configuration, and names no other folder.

    Parameters
    ----------
    path : Path
        Of its file, for errors.

    Raises
    ------
    InputError
        It does, or it is no record.
    """
    if not isinstance(record, dict) or not {"status", "config"} <= record.keys():
        raise InputError(f"{path}: not the record of a run")
    if not isinstance(record["config"], dict):
        raise InputError(f"{path}: config: expected keys and values")
    _check_overrides(path, record.get("overrides") or [])
    _check_parts(path, record.get("parts") or [])
    for name in INNER:
        _check_inner(path, name, record.get(name) or {"folder": None})


def is_begun(folder: Path) -> bool:
    """Return whether a folder has the record of a run, finished or not."""
    return any((one / NAME).is_file() for one in (folder, folder / UNFINISHED))


def _no_record(folder: Path) -> str:
    """Say what a folder without a record is instead."""
    if not folder.is_dir():
        return f"{folder}: no such folder; expected the folder of a run, with {NAME} in it"
    if is_sweep(folder):
        jobs = sorted(path.parent for path in folder.glob(f"*/{NAME}"))
        first = jobs[0] if jobs else folder / "0"
        return (
            f"{folder}: the folder of a sweep (--multirun), not of a run; give that of a job, such "
            f"as {first}; sim.compare or standout compare takes the whole folder"
        )
    return (
        f"{folder}: not a run folder: it has no {NAME}; if a run was interrupted while it "
        "opened the data, start it again"
    )


_OF_A_CLASS = (
    "; it may come from a plug-in that is not installed here, or from a class of a script or a "
    "notebook: there, sim.run with the same arguments opens the run again"
)


def _check_overrides(path: Path, overrides: Any) -> None:
    if not isinstance(overrides, list) or not all(isinstance(o, str) for o in overrides):
        raise InputError(f"{path}: overrides: expected a list of text")
    for override in overrides:
        try:
            own_key(override)
        except ConfigError as error:
            plugged = _PLUGGED.match(str(error))
            raise InputError(
                f"{path}: overrides: {error}; nothing else is taken from a run folder"
                + (_OF_A_CLASS if plugged else "")
            ) from None


def _check_parts(path: Path, parts: Any) -> None:
    """Check that every part names a direct subfolder and its status."""
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise InputError(f"{path}: parts: expected a list of parts")
    for part in parts:
        name, folder = part.get("name"), part.get("folder")
        if not isinstance(name, str) or part.get("status") not in ("complete", "impossible"):
            raise InputError(f"{path}: parts: {name}: expected its name and its status")
        if not isinstance(folder, str) or not PART.fullmatch(folder):
            raise InputError(f"{path}: part {name}: its folder lies outside the run")


def _check_inner(path: Path, name: str, inner: Any) -> None:
    if not isinstance(inner, dict) or inner.get("folder") not in (None, name):
        raise InputError(f"{path}: {name}: its folder lies outside the run")


def plan_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a plan offers and wrote, by its record; empty for another run.

    Examples
    --------
    >>> plan_of({"plan": {"offered": "unchanged"}}), plan_of({"plan": None})
    ({'offered': 'unchanged'}, {})
    """
    plan = record.get("plan")
    return plan if isinstance(plan, dict) else {}


ROWS_AS_READ = "rows_as_read"
"""Key of the record of some rows, as they were read."""

LONG_RECORDS = "long_records"
"""How many people have far more entries than all others (``people``), and the most that others have
(``max_length``); null: nobody has."""


def long_records(record: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the numbers of `LONG_RECORDS`; None: nobody has far more.

    Examples
    --------
    >>> long_records({LONG_RECORDS: {"people": 3, "max_length": 200}}), long_records({})
    ((3, 200), None)
    """
    found = record.get(LONG_RECORDS)
    return (int(found["people"]), int(found["max_length"])) if isinstance(found, dict) else None


SAME = "same_releases"
"""Of a frontier or a plan: chains not tried, each with the one that leaves the same release."""


def same_releases(record: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the chains that were not tried, as others leave the same releases; see `SAME`.

    Examples
    --------
    >>> same_releases({"same_releases": {"drop_values": "unchanged"}}), same_releases({})
    ({'drop_values': 'unchanged'}, {})
    """
    same = record.get(SAME)
    return same if isinstance(same, dict) else {}


def is_complete(folder: Path) -> bool:
    """Return whether a run is complete according to its record.

    Parameters
    ----------
    folder : Path
        Run folder; may have no record.
    """
    at_work = (folder / UNFINISHED).is_dir() and not (folder / LEDGER).is_file()
    if at_work or not (folder / NAME).is_file():
        return False
    return bool(read_record(folder)["status"] == "complete")


def resume_command(folder: Path) -> str:
    """Return the command that resumes a run, or the suite or run that it is part of.

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
    for above in (folder, *folder.parents):
        if above.name == UNFINISHED and (above / NAME).is_file():
            folder = above.parent
    return command_line(["standout", "resume", str(folder)])


class Stopwatch:
    """The seconds of each stage of a run.

    Examples
    --------
    >>> stopwatch = Stopwatch()
    >>> stopwatch.end("plan")
    >>> list(stopwatch.seconds)
    ['plan']
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def end(self, stage: str) -> None:
        """Record the end of a stage."""
        now = time.perf_counter()
        self.seconds[stage] = round(now - self._last, 3)
        self._last = now
