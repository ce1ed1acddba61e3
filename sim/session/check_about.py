"""What a check states of the data that were attacked, and whether a file that is given is these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sim.errors import InputError
from sim.files.digest import sha256
from sim.findings.check import FILE_GONE, FINGERPRINT, UNCHANGED, WRITTEN
from sim.findings.finding import Finding
from sim.record.run_folder import RunFolder
from sim.session.checked import data_of


def still_written(record: Mapping[str, Any], written: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield that the release that a plan wrote is still what was attacked, if it is still there.

    Raises
    ------
    InputError
        It is another file now.
    """
    path = _path(record, written)
    # The path is that of a record: no device or pipe, which might never end, is read.
    if not path.is_file():
        return
    try:
        digest = sha256(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if digest != written["sha256"]:
        raise InputError(
            f"{path}: changed since the plan wrote it, so it is not what was attacked; "
            "write it again under another name, by the second command of assessment.md under 'How "
            "to repeat the plan', and name that one"
        )
    yield WRITTEN.found("data", file=str(path), sha256=digest, same="unchanged")


def not_there(record: Mapping[str, Any], written: Mapping[str, Any]) -> Finding:
    """Return that the file that a plan wrote is not where the plan wrote it."""
    return FILE_GONE.found("data", file=str(_path(record, written)), remedy="data.path=FILE")


def _path(record: Mapping[str, Any], written: Mapping[str, Any]) -> Path:
    return Path(record["working_directory"], written["path"])


def about_data(run: RunFolder) -> tuple[Finding, ...]:
    """Return what was attacked, by its fingerprint, and what the check vouches for."""
    return FINGERPRINT.found("data", fingerprint=data_of(run).fingerprint), UNCHANGED.found("run")


def about_written(written: Mapping[str, Any], *, is_given: bool) -> tuple[Finding, ...]:
    """Return what a plan wrote, by which the file can be told from every other.

    Parameters
    ----------
    written : dict
        The file that a plan wrote.
    is_given : bool
        Whether this is the file that is to be released.
    """
    same = "it is that of the file given" if is_given else None
    found = WRITTEN.found("data", file=written["path"], sha256=written["sha256"], same=same)
    return found, UNCHANGED.found("run")


def about_plan(run: RunFolder) -> tuple[Finding, ...]:
    """Return what a plan began with, by its fingerprint, where it offers no release."""
    return (FINGERPRINT.found("data", fingerprint=data_of(run).fingerprint),)
