"""What a check says of the file that is to be released: what it holds that was not read."""

from __future__ import annotations

from sim.findings.check import (
    AS_READ,
    BY_FINGERPRINT,
    FILE_HOLDS_MORE,
    NOT_COMPARED,
    OF_ROWS,
    OTHER_FILE,
)
from sim.findings.reading import as_read, unread_findings
from sim.record.run_folder import RunFolder
from sim.report.sentences import sentences
from sim.session.check_asked import AS_READ as RELEASED_AS_READ
from sim.session.check_asked import Asked
from sim.session.checked import Checked

_UNREAD = "one_who_sees_the_file"
"""Stands for an attacker that no audit has, where a file holds more than what was read."""


def of_the_file(checked: Checked, run: RunFolder, asked: Asked) -> Checked:
    """Let a run not pass whose file holds more than what was read of it, if that is released.

    And restrict the verdict to what was compared and judged of the file.
    """
    is_named, is_as_read = asked.lost is not None, asked.released == RELEASED_AS_READ
    of_file = run.config["data"].get("kind") == "table" and not run.record.get("defences")
    lost = [*unread_findings(as_read(run.record))] if asked.lost is None else [*asked.lost]
    if not is_named and not asked.fingerprint:
        checked = checked.with_findings(NOT_COMPARED.found("data"))
    elif not is_named and not is_as_read:  # one that is not that of the run is an error
        checked = checked.with_findings(BY_FINGERPRINT.found("data"))
    if is_as_read and not is_named:  # of a file that is named, the file itself is judged
        return checked.with_findings(*lost, *([AS_READ.found("data")] if of_file or lost else []))
    if of_file or is_named:
        checked = checked.with_findings(OF_ROWS.found("data"))
    if not asked.was_read:
        checked = checked.failed_by(_UNREAD, OTHER_FILE.found("data", file=asked.file))
    if not lost:
        return checked
    what = "; ".join(one.rstrip(".") for one in sentences(lost))
    more = FILE_HOLDS_MORE.found("data", what=what, as_read=None if is_named else "as_read")
    return checked.failed_by(_UNREAD, more).with_findings(*lost)
