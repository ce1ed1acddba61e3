"""What reading the data found: what was recognised, left out, or may be read otherwise.

Invariant: whatever a file holds more than what was attacked is a finding whose kind is in `UNREAD`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sim.findings.finding import MIND, NOTE, SERIOUS, Finding, Kind
from sim.findings.suspicions import stored_suspicions, subject_of
from sim.numeric.text import in_a_row
from sim.record.run_record import plan_of
from sim.release.store import accounts
from sim.release.store.accounts import Accounts
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY, TimeBin

_SOME = 0.01
_EACH_ROW = "data.repeats=cells"

NO_ROLE = Kind("rows_without_role", "rows without a person or an item are left out", MIND)
UNREADABLE = Kind("rows_unreadable", "rows that could not be read are left out", MIND)
MANY_UNREADABLE = Kind("many_rows_unreadable", "so many rows could not be read", SERIOUS)
ZEROS = Kind("rows_of_zero", "rows of the value 0 are left out", remedy="data.zeros=keep")
COPIES = Kind("rows_copied", "rows that are equal count once", MIND, _SOME, _EACH_ROW)
REPLACED = Kind("rows_replaced", "one row is kept of several", MIND, _SOME, _EACH_ROW)
ADDED_UP = Kind("rows_added_up", "rows are added up", MIND, _SOME, _EACH_ROW)
SPLIT = Kind("rows_split", "rows hold several entries, which are counted as rows")
COUNTED = Kind("rows_counted", "rows that tell nothing but their number are counted")
VALUE_BINS = Kind("values_binned", "values are kept in bins", MIND, remedy="data.value_bins=none")
CUT_TIMES = Kind("times_cut", "times are kept as the bin they lie in", MIND, _SOME)
MISSING = Kind("cells_missing", "entries have no date or no value", MIND, _SOME)
EPOCH = Kind("dates_of_zero", "dates are 1970-01-01, which is what a 0 means", MIND, _SOME)
NEGATIVE = Kind("values_negative", "values are below 0, perhaps returns or a code", MIND, _SOME)
FAR = Kind("values_far", "values are ten times beyond the 99.9% quantile")
NAMED_PEOPLE = Kind("people_named", "identifiers tell outside the data who people are", SERIOUS)
NAMED_ITEMS = Kind("items_named", "items are identifiers of people", SERIOUS)
TWINS = Kind("identifiers_alike", "identifiers differ only in how they are written", MIND, _SOME)
ROUNDED = Kind("identifiers_rounded", "identifiers are rounded numbers", SERIOUS, _SOME)
TOTALS = Kind("line_of_totals", "a person or an item is called Total or the like", MIND)
FORMAT = Kind("date_format_recognised", "a guessed format", remedy="data.date_format=…")
ENCODING = Kind("encoding_recognised", "a guessed encoding", remedy="data.encoding=…")
ZONE = Kind("days_of_utc", "times have a zone, and days are those of UTC")
COLUMNS = Kind("columns_unread", "columns are in the file that were not read", MIND)
PART = Kind("part_unread", "the file tells something beside the cells that were read")
MORE = Kind("file_holds_more", "the file has parts that were not attacked", MIND)

LOST_ROWS = frozenset(
    kind.name
    for kind in (
        *(NO_ROLE, UNREADABLE, MANY_UNREADABLE, ZEROS, COPIES, REPLACED, ADDED_UP, COUNTED),
        CUT_TIMES,
    )
)
"""Kinds that count rows of the input: left out, made one, or with a time that was cut."""

UNREAD = frozenset(
    kind.name
    for kind in (
        *(NO_ROLE, UNREADABLE, MANY_UNREADABLE, ZEROS, COPIES, REPLACED, ADDED_UP),
        *(VALUE_BINS, CUT_TIMES, NAMED_PEOPLE, COLUMNS, PART),
    )
)
"""Kinds after which a file holds more than what was attacked, or names people."""

PARTS = {
    accounts.ZONES: "time zones",
    accounts.SOME_TIMES: "which dates have a time of day",
    accounts.FRACTIONS: "fractions of a second",
    accounts.MORE_DIGITS: "digits beyond 15 of values",
    accounts.JOINED: "who is alike in one of several columns",
    accounts.OTHER_FILES: "other files of the folder",
}
"""What notes of a reading say that a file tells beside its cells, by the name of the note."""

ADDRESSES, NUMBERS, NAMES = "e-mail addresses", "phone numbers", "names"
_FORMS = {ADDRESSES: accounts.EMAILS, NUMBERS: accounts.PHONES, NAMES: accounts.NAMES}


def as_read(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the release as it was read, before its publisher changed it."""
    read: Mapping[str, Any] = record.get("read") or record["release"]
    return read


def time_bin_of(release: Mapping[str, Any]) -> TimeBin:
    """Return the bins of time of a release, as in ``run.json``."""
    return TimeBin.parse(release.get("time_bin") or str(DAY), "release.time_bin")


def span(release: Mapping[str, Any]) -> str:
    """Return the first and the last bin of time of a release; empty where it has no dates.

    Examples
    --------
    >>> span({"first_day": 14_245, "n_days": 365}), span({"n_days": 0})
    ('2009-01-01 to 2009-12-31', '')
    >>> span({"first_day": 0, "n_days": 30, "time_bin": "hour"})
    '1970-01-01 00:00 to 1970-01-02 05:00'
    """
    bins = int(release.get("n_days") or 0)
    if not bins:
        return ""
    first, width = int(release["first_day"]), time_bin_of(release)
    return f"{width.text(first)} to {width.text(first + bins - 1)}"


def columns_of(record: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns of ``people``, ``items``, ``values`` and ``dates``; empty for no table.

    Examples
    --------
    >>> data = {"kind": "table", "user": "who", "item": ["shop", "till"], "date": None}
    >>> columns_of({"config": {"data": data}})
    {'people': 'who', 'items': 'shop+till'}
    """
    data = (record.get("config") or {}).get("data") or {}
    if data.get("kind") != "table" or data.get("user") is None or data.get("item") is None:
        return {}
    found = {}
    for role, key in (
        ("people", "user"),
        ("items", "item"),
        ("values", "value"),
        ("dates", "date"),
    ):
        if (names := data.get(key)) is not None:
            found[role] = "+".join(map(str, names)) if isinstance(names, list) else str(names)
    return found


def date_form(release: Mapping[str, Any]) -> str:
    """Return how dates are written; empty: there are none."""
    return str((release.get("notes") or {}).get(accounts.DATES_AS) or "")


def reading_findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what reading the data found, and what looks wrong about them.

    Of a plan that wrote a file, what this lacks is no warning: it was attacked in full.
    """
    written = bool(plan_of(record).get("written"))
    found = [*release_findings(as_read(record), columns_of(record)), *stored_suspicions(record)]
    unread = [one for one in found if one.kind in UNREAD]
    parts = sum(not one.is_shown and one.kind != ZEROS.name for one in unread)
    has_columns = any(one.kind == COLUMNS.name for one in unread)
    for one in found:
        if written and one in unread:
            yield replace(one, severity=NOTE)
        elif parts and one.kind == COLUMNS.name:
            yield replace(one, numbers={**one.numbers, "parts": parts})
        else:
            yield one
    if parts and not has_columns and not written:
        yield MORE.found("data", parts=parts)


def unread_findings(release: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what a file holds more than what was attacked; a single row may be the only one.

    Parameters
    ----------
    release : dict
        As it was read, before its publisher changed it; as in ``run.json``.
    """
    return (one for one in release_findings(release) if one.kind in UNREAD)


def release_findings(
    release: Mapping[str, Any], columns: Mapping[str, str] | None = None
) -> Iterator[Finding]:
    """Yield what the notes of a release say, whatever part of it they concern.

    Parameters
    ----------
    columns : mapping of str to str, optional
        As of `columns_of`.
    """
    notes, rows = release.get("notes") or {}, Accounts.of(release)
    yield from _recognised(notes)
    if rows.rows:
        yield from _left_unread(notes)  # first: of equals a screen shows the first three
        yield from _lost(release, notes, rows)
        yield from _doubts(release, notes, columns or {})


def _recognised(notes: Mapping[str, Any]) -> Iterator[Finding]:
    if form := notes.get(accounts.FORMAT_RECOGNISED):
        yield FORMAT.found("dates", format=str(form).replace("|", " or "))
    if accounts.ENCODING_GUESSED in notes:
        yield ENCODING.found("data", first=notes.get(accounts.NOT_UTF8))
    if accounts.OTHER_ZONE in notes:
        yield ZONE.found("dates")


def _lost(
    release: Mapping[str, Any], notes: Mapping[str, Any], rows: Accounts
) -> Iterator[Finding]:
    whole = rows.rows
    if split := int(notes.get(accounts.SPLIT_ROWS) or 0):
        yield SPLIT.found("rows", count=split, entries=whole)
    if rows.dropped:
        serious = SERIOUS if rows.dropped > accounts.MANY_LEFT_OUT * whole else None
        yield NO_ROLE.found("rows", of=whole, severity=serious, count=rows.dropped)
    if rows.unreadable:
        many = rows.unreadable > accounts.MANY_LEFT_OUT * whole
        kind = MANY_UNREADABLE if many else UNREADABLE
        first = notes.get(accounts.FIRST_UNREADABLE)
        yield kind.found("rows", of=whole, count=rows.unreadable, first=first)
    if rows.zeros:
        yield ZEROS.found("rows", of=whole, count=rows.zeros)
    if rows.merged:
        yield _merged(release, notes, rows)
    if notes.get(accounts.BINS):
        yield VALUE_BINS.found(
            "values",
            bins=str(notes[accounts.BINS]),
            levels=len(release.get("scale") or ()),
            distinct=notes.get(accounts.DISTINCT),
        )
    if rows.cut:
        width = time_bin_of(release)
        narrower = width.narrowest(int(release.get("n_days") or 0))
        finer = "" if narrower is None else narrower.words
        yield CUT_TIMES.found(
            "dates",
            of=whole,
            remedy=f"data.time_bin={narrower}" if finer else "",
            count=rows.cut,
            bin=width.words,
            finer=finer or None,
        )
    yield from _missing(release, notes, rows)


def _merged(release: Mapping[str, Any], notes: Mapping[str, Any], rows: Accounts) -> Finding:
    """Return which rule left rows out, and whether they tell more than what is kept of them."""
    rule = Repeats(release.get("repeats") or Repeats.LATEST)
    timed, has_values = bool(release.get("n_days")), bool(release.get("scale"))
    about: dict[str, Any] = {"of": rows.rows, "count": rows.merged}
    if rule is Repeats.ALL:
        return COPIES.found("rows", **about)
    if rule.adds_up:
        counts = rule is Repeats.COUNT
        lost = [
            *(["times"] if timed else []),
            *(["values"] if (accounts.NO_VALUE in notes if counts else has_values) else []),
        ]
        return (
            ADDED_UP.found("rows", lost=in_a_row(lost, "or"), **about)
            if lost
            else COUNTED.found("rows", **about)
        )
    latest = rule is Repeats.LATEST
    kept = "latest" if latest else "earliest"
    if not timed:
        kept = ("one of the greatest value" if latest else "one of the least value") * has_values
    return REPLACED.found("rows", kept=kept or "one", **about)


def _missing(
    release: Mapping[str, Any], notes: Mapping[str, Any], rows: Accounts
) -> Iterator[Finding]:
    counted = release.get("repeats") == Repeats.COUNT  # the values of rows are then not kept
    for part, count, key, needed in (
        ("date", rows.no_date, "missing_days", "n_days"),
        ("value", 0 if counted else rows.no_value, "missing_values", "scale"),
    ):
        left = int(release.get(key) or 0) if release.get(needed) else count
        if count and left:
            joined = notes.get(accounts.DATE_COLUMNS) if part == "date" else None
            yield MISSING.found(
                f"{part}s", of=rows.cells, part=part, count=min(left, rows.cells), columns=joined
            )


def _doubts(
    release: Mapping[str, Any], notes: Mapping[str, Any], columns: Mapping[str, str]
) -> Iterator[Finding]:
    def counted(kind: Kind, note: str, role: str, whole: int, form: str = "") -> Iterator[Finding]:
        if count := int(notes.get(note) or 0):
            about = subject_of(role, columns)
            yield kind.found(about, of=whole, count=count, role=role, form=form or None)

    yield from counted(EPOCH, accounts.EPOCH, "dates", Accounts.of(release).rows)
    for kind, note in ((NEGATIVE, accounts.NEGATIVE), (FAR, accounts.FAR)):
        yield from counted(kind, note, "values", int(notes.get(accounts.VALUES) or 0))
    for role, key in (("people", "n_records"), ("items", "n_items")):
        whole = int(release.get(key) or 1)
        named = NAMED_PEOPLE if role == "people" else NAMED_ITEMS
        for form, note in _FORMS.items():
            for one in counted(named, note.format(role), role, whole, form):
                # Products and films are called by names: only of people is that serious.
                is_title = role == "items" and form == NAMES
                yield replace(one, severity=NOTE) if is_title else one
        for kind, note in (
            *((TWINS, accounts.TWINS), (ROUNDED, accounts.ROUNDED), (TOTALS, accounts.TOTALS)),
        ):
            yield from counted(kind, note.format(role), role, whole)


def _left_unread(notes: Mapping[str, Any]) -> Iterator[Finding]:
    if unread := notes.get(accounts.UNREAD):
        yield COLUMNS.found("columns", listed=str(unread))
    for note, part in PARTS.items():
        if found := notes.get(note):
            yield PART.found(f"part:{part}", listed=str(found))
