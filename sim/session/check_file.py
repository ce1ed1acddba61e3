"""What a check says of the file that is to be released: whether it is known, and read in full."""

from __future__ import annotations

from pathlib import Path

from sim.findings.check import AS_READ, FILE_HOLDS_MORE, NOT_COMPARED, OF_ROWS, OTHER_FILE
from sim.findings.reading import as_read, unread_findings
from sim.record.run_folder import RunFolder
from sim.report.sentences import sentences
from sim.session.check_asked import AS_READ as RELEASED_AS_READ
from sim.session.check_asked import Asked
from sim.session.check_data import audit_command, is_attacked
from sim.session.checked import Checked

_UNREAD = "one_who_sees_the_file"
"""Stands for an attacker that no audit has, where a file holds more than what was read."""


def of_another_file(checked: Checked, run: RunFolder, file: Path) -> Checked:
    """Let a run not pass, as the file that is to be released is not what was attacked."""
    command = audit_command(run.record, file)
    return checked.failed_by(_UNREAD, OTHER_FILE.found("data", file=str(file), command=command))


def of_the_file(checked: Checked, run: RunFolder, asked: Asked) -> Checked:
    """Let a run not pass whose file is another, or holds more than what was read of it.

    Raises
    ------
    InputError
        See `is_attacked`.
    """
    if asked.file is None:
        checked = checked.with_findings(NOT_COMPARED.found("data"))
    elif not is_attacked(run.record, asked.file):
        return of_another_file(checked, run, asked.file)
    lost = [*unread_findings(as_read(run.record))]
    of_file = run.config["data"].get("kind") == "table" and not run.record.get("defences")
    if asked.file is None and asked.released == RELEASED_AS_READ:
        return checked.with_findings(*lost, *([AS_READ.found("data")] if of_file or lost else []))
    if of_file or asked.file is not None:
        checked = checked.with_findings(OF_ROWS.found("data"))
    if not lost:
        return checked
    what = "; ".join(one.rstrip(".") for one in sentences(lost))
    as_released = "as_read" if asked.file is None else None
    more = FILE_HOLDS_MORE.found("data", what=what, as_read=as_released)
    return checked.failed_by(_UNREAD, more).with_findings(*lost)
