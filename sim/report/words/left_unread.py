"""What reading notes that a file holds and an attack cannot use, in words of four lengths.

Invariant: each note has one entry here, whose parts name what was found where they have a ``{}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sim.release.store.accounts import (
    FILE_NAMES,
    FORMS,
    FRACTIONS,
    JOINED,
    METADATA,
    MORE_DIGITS,
    OTHER_FILES,
    SOME_TIMES,
    UNREAD,
    UNUSED,
    ZONES,
)


class LeftUnread(NamedTuple):
    """What a file holds that was not read.

    Parameters
    ----------
    fact : str
        A sentence that says it, without what it may lead to and without its point.
    warning : str
        What it means for the release, and what to do.
    name : str
        What it is called in a list.
    first : str
        The first sentence of the warning, without its point; what was found may hold points.
    """

    fact: str
    warning: str
    name: str
    first: str = ""


_OF_NOTES = {
    ZONES: LeftUnread(
        "Times have several time zones, which were not read ({})",
        "The times are written in several time zones ({}), if only as summer time changes them, "
        "and what was read are the moments in UTC. Zones can identify people, and an attacker who "
        "sees them was not tested: write all times in one zone, such as UTC, before the release.",
        "time zones",
    ),
    SOME_TIMES: LeftUnread(
        "Whether a date has a time of day differs, and was not read ({})",
        "Some dates are written with a time of day and others without, which can identify people, "
        "and an attacker who sees it was not tested: write all alike before the release.",
        "which dates have a time of day",
    ),
    FRACTIONS: LeftUnread(
        "Fractions of a second were {}",
        "Fractions of a second were {}. They can identify people, and an attacker who sees them "
        "was not tested: write whole seconds, or days, before the release.",
        "fractions of a second",
    ),
    MORE_DIGITS: LeftUnread(
        "Some values were rounded, as they have more than 15 digits (rows: {})",
        "Some values (rows: {}) have more than 15 digits and were rounded. What tells them apart "
        "was not read, and an attacker who sees it was not tested: write fewer digits before the "
        "release. Whole numbers as long are mostly identifiers, which a release should not have.",
        "digits of long values (rows: {})",
    ),
    FORMS: LeftUnread(
        "Some cells or lines are written in two ways, or lines are empty ({})",
        "Some cells or lines are written in two ways, or lines are empty ({}), which can identify "
        "people, and an attacker who sees it was not tested: write all alike before the release.",
        "how cells or lines are written",
    ),
    UNUSED: LeftUnread(
        "Some categories are in the file and in no row ({})",
        "The file holds categories that no row has, by column: {}. They may be people or items "
        "that were taken out of the data, and an attacker who sees them was not tested: write the "
        "file without them, as after .cat.remove_unused_categories() of pandas, and remove folders "
        "without rows.",
        "categories that no row has",
    ),
    UNREAD: LeftUnread(
        "Some columns were not read ({})",
        "Some columns were not read ({}), so what they tell was not tested. The measured risk is "
        "too low if they are released as well.",
        "columns that were not read ({})",
    ),
    JOINED: LeftUnread(
        "Several columns together tell people apart ({})",
        "Several columns together tell people apart ({}). The file shows which people are alike in "
        "one of these, and an attacker who sees it was not tested: the measured risk is too low "
        "for somebody who is several of these people. Release one new identifier in place of these "
        "columns, or name the one column that is a person.",
        "which people are alike in one of several columns ({})",
    ),
    OTHER_FILES: LeftUnread(
        "Some files or folders within the folder were not read ({})",
        "Some files or folders within the folder were not read ({}). If they hold data rows, the "
        "measured risk is too low; if not, remove them before the release.",
        "files or folders that were not read ({})",
    ),
    FILE_NAMES: LeftUnread(
        "The names of {}, tell more than a count: which of them a row lies in was not read",
        "The names of {}, tell more than a count: which of them a row lies in was not read. A "
        "month or a place in a name can identify people, and an attacker who sees it was not "
        "tested: write all rows to one file before the release.",
        "in which of {}, a row lies",
    ),
    METADATA: LeftUnread(
        "Besides their rows, the files hold more that was not read ({})",
        "Besides their rows, the files hold more that was not read ({}), and what it tells was not "
        "tested: write the files without it before the release.",
        "what files hold beside their rows ({})",
    ),
}


def left_unread(notes: Mapping[str, Any]) -> Iterator[LeftUnread]:
    """Yield what the notes of a reading say that a file holds more, with what was found.

    Parameters
    ----------
    notes : dict
        Of a release, as in ``run.json``.

    Examples
    --------
    >>> [one.name for one in left_unread({UNREAD: "2: age, sex", "rows": 3})]
    ['columns that were not read (2: age, sex)']
    """
    for note, words in _OF_NOTES.items():
        if found := notes.get(note):
            first = words.warning.partition(". ")[0].rstrip(".")
            yield LeftUnread(*(part.format(found) for part in words._replace(first=first)))
