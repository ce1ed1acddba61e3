"""What a check says of the file that is to be released: what it holds that was not read."""

from __future__ import annotations

from dataclasses import replace

from sim.findings.reading import as_read, unread_findings
from sim.record.run_folder import RunFolder
from sim.report.sentences import sentences
from sim.session.check_asked import AS_READ, Asked
from sim.session.check_rows import not_tested
from sim.session.checked import Checked

_UNREAD = "one_who_sees_the_file"
"""Stands for an attacker that no audit has, where a file holds more than what was read."""

_HOLDS_MORE = "the file holds more than what was read and attacked, or names people"
_RELEASE_AS_READ = (
    "released=as_read says that only what was read is released, as standout publish writes it, "
    "with new identifiers"
)
_NOT_LOOKED_AT = (
    "the identifiers of people in the file are released as they are: except for what looks like "
    "e-mail addresses, phone numbers and names, whether they tell who somebody is was not looked "
    "at, and neither were how cells are written, the order of the rows, also where files are only "
    "counted, the name of the file or folder itself, and what else a format can hide beside rows; "
    "standout publish writes new identifiers, and all cells alike, in a new order, to a new file"
)
_NOT_COMPARED = "not compared with the file that is to be released"
_COMPARE = f"{_NOT_COMPARED}: data.path=FILE does"
_BY_FINGERPRINT = (
    "compared by the fingerprint alone: what else the file that is to be released holds was not "
    "looked at, which data.path=FILE does"
)
_OF_ROWS = (
    "only what was read of the rows of the file was judged, not how their cells are written, their "
    "order, the file's own name or the identifiers of people"
)
_GIVEN = "data.path names the file that is to be released"
_WHATEVER = ", whatever released=as_read says"
_AUDIT_WRITTEN = (
    "audit a file that standout publish wrote, read as it says (data.repeats=cells, where rows are "
    "alike), and name that one"
)
_ONLY_AS_READ = (
    "this holds if what is released is only what was read, with new identifiers and in a new "
    "order, as released=as_read says"
)
_OTHER_FILE = (
    "not a file that the run read, byte for byte and by the same keys, though its rows read alike: "
    "audit this file, and check that run"
)
_FILE_HAS_MORE = "the file that was read has more, as the notes say"


def of_the_file(checked: Checked, run: RunFolder, asked: Asked) -> Checked:
    """Let a run not pass whose file holds more than what was read of it, if that is released.

    And restrict the verdict to what was compared and judged of the file.
    """
    is_named, is_as_read = asked.lost is not None, asked.released == AS_READ
    of_file = run.config["data"].get("kind") == "table" and not run.record.get("defences")
    lost = unread_findings(as_read(run.record)) if asked.lost is None else asked.lost
    in_words = sentences(lost)
    if not is_named and asked.fingerprint:  # one that is not that of the run is an error
        checked = checked if is_as_read else _restricted(checked, _BY_FINGERPRINT)
    elif not is_named:
        checked = _restricted(checked, _NOT_COMPARED if is_as_read else _COMPARE)
    if is_as_read and not is_named:  # of a file that is named, the file itself is judged
        checked = replace(checked, notes=tuple(dict.fromkeys((*checked.notes, *in_words))))
        more = f"; {_FILE_HAS_MORE}" if in_words else ""
        return _restricted(checked, f"{_ONLY_AS_READ}{more}") if of_file or in_words else checked
    if of_file or is_named:
        checked = _restricted(checked, _OF_ROWS)
        checked = replace(checked, notes=(*checked.notes, _NOT_LOOKED_AT))
    if not asked.was_read:
        checked = not_tested(checked, _UNREAD, f"{asked.file}: {_OTHER_FILE}")
    if not in_words:
        return checked
    why, remedy = _HOLDS_MORE, _RELEASE_AS_READ
    if is_named:  # the file itself is released, so released=as_read does not help
        why = f"{_GIVEN}{_WHATEVER if is_as_read else ''}: {_HOLDS_MORE}"
        remedy = _AUDIT_WRITTEN
    more = "; ".join(one.rstrip(".") for one in in_words)
    found = not_tested(checked, _UNREAD, f"{why} ({more}); {remedy}")
    return replace(found, notes=tuple(dict.fromkeys((*found.notes, *in_words))))


def _restricted(checked: Checked, less: str) -> Checked:
    """Say on what a verdict rests."""
    return replace(
        checked,
        summary=f"{checked.summary}; {less}",
        restrictions=(*checked.restrictions, less),
    )
