"""Digests of the files of a suite, by which a change to one of them is noticed.

The report and the figures are not among them: they are drawn after the run, and can be drawn anew.
They tell a changed folder from the one that was written. They are no signature: who can write the
folder can write new ones.
"""

from __future__ import annotations

from pathlib import Path

from sim.errors import InputError, ResumeError
from sim.files.digest import sha256
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import finished_entry
from sim.record.own_files import check_folder
from sim.record.run_record import NAME as RECORD

_SUFFIXES = (".parquet", ".csv", ".json", ".md")
FILES = "files"
"""Key of the digests in the last line of a ledger."""


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
        if ours and path.is_file() and not any(part.startswith(".") for part in inside.parts):
            found[inside.as_posix()] = sha256(path)
    return found


def check_unchanged(folder: Path) -> None:
    """Check that a finished suite holds the files that were written, and no others.

    Raises
    ------
    InputError
        It is not finished, or a file was changed, added or removed.
    """
    check_folder(folder)
    if not (folder / RECORD).is_file():
        raise InputError(f"{folder}: not a run folder: it has no {RECORD}")
    try:
        entry = finished_entry(folder / LEDGER)
    except (OSError, ResumeError) as error:
        raise InputError(f"{folder / LEDGER}: cannot be read ({error})") from None
    if entry is None:
        raise InputError(f"{folder}: incomplete; finish the run first: standout resume {folder}")
    written = entry.get(FILES)
    if not isinstance(written, dict):
        raise InputError(
            f"{folder}: not an audit: its ledger has no digests of files; run standout "
            "experiment=audit"
        )
    try:
        now = digests_of(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error})") from None
    for name in sorted(written.keys() | now.keys()):
        if written.get(name) != now.get(name):
            how = "added" if name not in written else "removed" if name not in now else "changed"
            raise InputError(f"{folder / name}: {how} since the run; run the audit again")
