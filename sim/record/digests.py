"""Digests of the files of a run, by which a change to one of them is noticed.

The report and the figures are not among them: they are drawn after the run, and can be drawn anew.
They tell a changed folder from the one that was written. They are no signature: who can write the
folder can write new ones.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from sim.errors import InputError, ResumeError, StandoutError
from sim.files.digest import sha256
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import (
    Ledger,
    finished_entry,
    header_of_run,
    line_after,
    write_finished,
)
from sim.record.own_files import check_folder
from sim.record.run_record import NAME as RECORD
from sim.record.run_record import UNFINISHED, is_complete, read_record, resume_command

_SUFFIXES = (".parquet", ".json", ".md")
_READ = ".parquet"
"""Files that are read whatever their names: one that was added would be taken for a result."""

FILES = "files"
"""Key of the digests of all files in the last line of a ledger."""

RESULTS = "results"
"""Key of the digests of those that are written first, and from which others are computed."""


def digests_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every result of a run and its parts, by relative path.

    Parameters
    ----------
    folder : Path
        Run folder.
    """
    found = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        ours = path.suffix in _SUFFIXES or (path.name == LEDGER and path.parent != folder)
        left_out = inside.parts[0] == UNFINISHED or any(one.startswith(".") for one in inside.parts)
        if ours and path.is_file() and not left_out:
            found[inside.as_posix()] = sha256(path)
    return found


def digests(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of some files of a folder, by name."""
    return {name: sha256(folder / name) for name in names}


def seal(ledger: Ledger, folder: Path, entry: Mapping[str, Any]) -> None:
    """Record the digests of all results of a run, once all are written.

    Parameters
    ----------
    entry : dict
        What else is said of the run.
    """
    if ledger.finished is None or FILES not in ledger.finished:
        ledger.finish({**entry, FILES: digests_of(folder)})


def seal_folder(work: Path, folder: Path) -> None:
    """Record the digests of what a run wrote into its folder, as the last of all that it writes.

    Parameters
    ----------
    work : Path
        The folder in which it was at work.
    """
    entry = finished_entry(work / LEDGER) or {}
    header = header_of_run(work / LEDGER)
    write_finished(folder / LEDGER, header, {**entry, FILES: digests_of(folder)})


def is_sealed(folder: Path) -> bool:
    """Return whether all of a run is written; it is checked that nothing of it was changed.

    Parameters
    ----------
    folder : Path
        Run folder; may have no ledger.

    Raises
    ------
    InputError
        A result was changed or removed, or a table added; or the ledger cannot be read.
    """
    written = _written(folder)
    if written is None:
        return False
    _refuse_changes(folder, written, added=_READ)
    return True


def check_unchanged(folder: Path) -> None:
    """Check that a finished run holds the files that were written, and no others.

    Raises
    ------
    InputError
        It is not finished, or a file was changed, added or removed.
    """
    check_sealed(folder, added="")


def check_sealed(folder: Path, added: str = _READ) -> None:
    """Check that a run is finished and unchanged.

    Parameters
    ----------
    added : str
        The suffix of files that may not have been added; empty: any.

    Raises
    ------
    InputError
        It is not finished, or a file was changed, added or removed.
    """
    check_folder(folder)
    read_record(folder)
    written = _written(folder)
    if written is None and is_complete(folder):
        raise InputError(
            f"{folder / LEDGER}: missing or cut off, though the run is complete, so nothing "
            "vouches for its files; run the study again in a new folder"
        )
    if written is None:
        raise InputError(f"{folder}: incomplete; finish the run first: {resume_command(folder)}")
    _refuse_changes(folder, written, added)


@contextmanager
def as_written(folder: Path) -> Iterator[None]:
    """Report tables that contradict each other as an error, whose digests somebody has replaced.

    Raises
    ------
    InputError
        Whatever was raised that is not for the user.
    """
    try:
        yield
    except (StandoutError, MemoryError, BrokenPipeError):
        raise  # the last: of the terminal's pipe, not of a file
    except Exception as error:
        raise InputError(
            f"{folder}: its files contradict each other ({type(error).__name__}: {error}); "
            f"{_again(folder)}"
        ) from error


def check_results(folder: Path, entry: Mapping[str, Any]) -> None:
    """Check the results of a run whose other files are not all written yet.

    Parameters
    ----------
    entry : dict
        What the ledger says of a finished run.

    Raises
    ------
    ResumeError
        One is not as it was written.
    """
    if isinstance(entry.get(FILES), dict):
        return  # checked before the run was taken up
    written, now = entry.get(RESULTS), digests_of(folder)
    if not isinstance(written, dict):
        raise ResumeError(f"{folder / LEDGER}: its last line has no digests; {_again(folder)}")
    for name in written:
        if written[name] != now.get(name):
            raise ResumeError(f"{folder / name}: changed since the run; {_again(folder, name)}")


def _written(folder: Path) -> dict[str, Any] | None:
    """The digests of all results, in the last line of the ledger; None: the run is not finished."""
    ledger = folder / LEDGER
    try:
        entry = finished_entry(ledger)
        more = None if entry is None else line_after(ledger, FILES)
    except OSError as error:
        raise InputError(f"{ledger}: cannot be read ({error})") from None
    if more is not None:
        raise InputError(
            f"{ledger}:{more}: added after the line in which the run is finished; delete what "
            "follows that line, or run the study again in a new folder"
        )
    written = None if entry is None else entry.get(FILES)
    return written if isinstance(written, dict) else None


def _refuse_changes(folder: Path, written: Mapping[str, Any], added: str) -> None:
    """Name the first file that is not as it was written, and how it differs."""
    try:
        now = digests_of(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error})") from None
    for name in sorted(written.keys() | now.keys()):
        if written.get(name) == now.get(name) or not (name in written or name.endswith(added)):
            continue
        if name not in written:
            raise InputError(f"{folder / name}: added since the run; move it to another folder")
        how = "changed" if name in now else "removed"
        raise InputError(f"{folder / name}: {how} since the run; {_again(folder, name)}")


def _again(folder: Path, file: str = LEDGER) -> str:
    """Return what to do about a file of a run: each ledger that vouches for it has to go.

    Nothing says what the record of a run was before; what else was not computed from it goes too.
    """
    anew = "run the study again in a new folder"
    place = PurePosixPath(file)
    if place.name == RECORD:
        return anew
    ledgers = (folder / inside / LEDGER for inside in reversed(place.parents))
    gone = dict.fromkeys(one for one in (*ledgers, folder / file) if one.is_file())
    if not gone:
        return anew
    names = " and ".join(shlex.quote(str(one)) for one in gone)
    return f"{anew}, or delete {names}, then {resume_command(folder)}"
