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
from sim.session.check_asked import Asked
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


def about_data(
    run: RunFolder, asked: Asked, written: Mapping[str, Any] | None = None
) -> tuple[Finding, ...]:
    """Return what was attacked, by its fingerprint, and what the check vouches for.

    Parameters
    ----------
    written : dict or None
        The file that a plan wrote of it.

    Raises
    ------
    InputError
        It is not the data whose fingerprint is given.
    """
    if written:
        return _of_written(asked, written), UNCHANGED.found("run")
    own, given = data_of(run).fingerprint, (asked.fingerprint or "").lower()
    if given not in ("", own):
        raise InputError(
            f"{asked.folder}: attacked other data than those given: the fingerprint of these is "
            f"{given}, that of what was attacked {own}; audit the data that are to be released, "
            "and read both alike (a file that was written with new identifiers has another "
            "fingerprint than what it was made of)"
        )
    file = asked.file or "the data given" if given else None
    return FINGERPRINT.found("data", fingerprint=own, file=file), UNCHANGED.found("run")


def about_plan(run: RunFolder) -> tuple[Finding, ...]:
    """Return what a plan began with, by its fingerprint, where it offers no release."""
    return (FINGERPRINT.found("data", fingerprint=data_of(run).fingerprint, file=None),)


def _of_written(asked: Asked, written: Mapping[str, Any]) -> Finding:
    """Return what a plan wrote, by which the file can be told from every other.

    Raises
    ------
    InputError
        The fingerprint that is given is not the file's.
    """
    if asked.fingerprint:
        raise InputError(
            f"fingerprint: {asked.fingerprint}: not the SHA-256 of the file that the plan wrote, "
            f"which is {written['sha256']} and tells it from every other: name the file itself by "
            "data.path=FILE"
        )
    same = "it is that of the file given" if asked.written else None
    return WRITTEN.found("data", file=written["path"], sha256=written["sha256"], same=same)
