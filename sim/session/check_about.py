"""What a check states of the data that were attacked, and whether a file that is given is these."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sim.errors import InputError
from sim.files.digest import sha256
from sim.record.run_folder import RunFolder
from sim.report.screens.data import data_lines
from sim.session.check_asked import Asked
from sim.session.checked import data_of

_VOUCHED = (
    "unchanged since the run: the tables (parquet, csv), records (json) and assessment.md of its "
    "folder; not checked: report.html and the figures, which standout report RUN_FOLDER makes anew"
)
"""What the digests cover."""


def still_written(record: Mapping[str, Any], written: Mapping[str, Any]) -> Iterator[str]:
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
    yield f"unchanged since the run: {path}, the release that the plan wrote"


def not_there(record: Mapping[str, Any], written: Mapping[str, Any]) -> str:
    """Say that the file that a plan wrote is not where the plan wrote it."""
    return (
        f"{_path(record, written)}, the release that the plan wrote, is not there, so it cannot be "
        "compared with what was attacked: name where it is now by data.path=FILE"
    )


def _path(record: Mapping[str, Any], written: Mapping[str, Any]) -> Path:
    return Path(record["working_directory"], written["path"])


def about_data(
    run: RunFolder, asked: Asked, written: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """State what was attacked, by its fingerprint, and what the check vouches for.

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
        return *_data(run), _about_file(asked, written), _VOUCHED
    own, given = data_of(run).fingerprint, (asked.fingerprint or "").lower()
    what = (
        f"what was attacked has the fingerprint {own}, the SHA-256 of its people, items, values "
        f"and times as they were read, in whatever format and order of rows"
    )
    if not given:
        how = "not compared with a file: data.path=FILE does, and reads it as the run read its own"
    elif given == own:
        how = "it is that of the data given"
    else:
        raise InputError(
            f"{asked.folder}: attacked other data than those given: the fingerprint of these is "
            f"{given}, that of what was attacked {own}; audit the data that are to be released, "
            "and read both alike (a file that was written with new identifiers has another "
            "fingerprint than what it was made of)"
        )
    return *_data(run), f"{what}; {how}", _VOUCHED


def _data(run: RunFolder) -> list[str]:
    return [line.strip() for line in data_lines(run.record)]


def about_plan(run: RunFolder) -> tuple[str, ...]:
    """State what a plan began with, by its fingerprint, where it offers no release."""
    began = (
        f"what the plan began with has the fingerprint {data_of(run).fingerprint}; as it offers no "
        "release, no file was compared with one"
    )
    return *_data(run), began, _VOUCHED


def _about_file(asked: Asked, written: Mapping[str, Any]) -> str:
    """State what a plan wrote, by which the file can be told from every other.

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
    how = "it is that of the file given" if asked.written else "data.path=FILE compares another one"
    return f"the file that the plan wrote has the SHA-256 {written['sha256']}; {how}"
