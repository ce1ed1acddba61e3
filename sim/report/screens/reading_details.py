"""What was read, below the first screen: accounts of rows, how it is written, three rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from sim.findings.finding import Finding
from sim.findings.kinds import KINDS
from sim.findings.reading import LOST_ROWS, as_read, reading_findings, time_bin_of
from sim.numeric.text import format_number, format_percent, format_setting, in_a_row, quantity
from sim.record.run_record import ROWS_AS_READ
from sim.release.store.accounts import DISTINCT, RANGE, UNREAD, Accounts
from sim.report.sentences import sentences
from sim.report.table import NONE, Chapter, Table

_READ_AS = ("layout", "encoding", "dates", "times of day", "files", "last line")
"""Notes on how the data are written."""

_MOST_LEVELS = 12


def reading_details(record: Mapping[str, Any], above: Collection[str] = ()) -> Iterator[Chapter]:
    """Yield the chapters on what was read.

    Sentences that stand above are not said again.
    """
    found = [*reading_findings(record)]
    said = sentences(one for one in found if one.kind not in LOST_ROWS)
    items = [one for one in said if one not in above]
    yield Chapter("What was read", items=items, table=_rows(as_read(record), found))
    yield Chapter("How it was read", table=pairs("How it was read", _written(as_read(record))))


def _rows(release: Mapping[str, Any], found: list[Finding]) -> Table:
    """Account for all rows: those kept, and what became of the others."""
    rows = Accounts.of(release)
    lines = [("rows", rows.rows, None, ""), ("kept as entries", rows.cells, rows.rows, "")]
    for one in found:
        if one.kind in LOST_ROWS:
            first = one.numbers.get("first")
            more = f"the first: {first}" if first else one.remedy
            lines.append((KINDS[one.kind].meaning, int(one.numbers["count"] or 0), rows.rows, more))
    texts = [
        [name, f"{count:,}", format_percent(count / whole) if whole else "", more]
        for name, count, whole, more in lines
    ]
    return Table(["", "rows", "share", "to keep them"], texts, "Rows")


def _written(release: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    notes, scale = release.get("notes") or {}, [*(release.get("scale") or ())]
    cells, repeats = int(release.get("n_cells") or 0), int(release.get("n_repeats") or 0)
    whole = int(release.get("n_records") or 0) * int(release.get("n_items") or 0)
    if whole and cells:
        yield "filled", format_percent((cells - repeats) / whole, digits=2)
    if repeats:
        yield "entries that repeat a person's item", format_number(repeats)
    yield "values", _levels(scale) if scale else "none"
    if RANGE in notes:
        distinct = format_number(notes.get(DISTINCT))
        yield "values before bins", f"{distinct} distinct, {notes[RANGE]}"
    bins = int(release.get("n_days") or 0)
    yield "dates", quantity(bins, time_bin_of(release).words) if bins else "none"
    for key, needed in (("missing_values", scale), ("missing_days", bins)):
        if needed and release.get(key):
            what = "value" if key == "missing_values" else "date"
            yield f"entries without a {what}", format_number(release[key])
    if timed := Accounts.of(release).timed:
        yield "rows with a time of day", format_number(timed)
    if UNREAD in notes:
        yield UNREAD, str(notes[UNREAD])
    yield from ((f"{key}, as read", str(notes[key])) for key in _READ_AS if key in notes)


def _levels(scale: list[float]) -> str:
    texts = [format_setting(level) for level in scale]
    if len(texts) > _MOST_LEVELS:
        texts = [*texts[:5], "…", *texts[-2:]]
    return f"{len(scale):,} {'level' if len(scale) == 1 else 'levels'}: {', '.join(texts)}"


def pairs(caption: str, found: Iterable[tuple[str, str]]) -> Table:
    """Return a table of names and values."""
    return Table(["", ""], [*found], caption)


def sample_chapters(record: Mapping[str, Any]) -> list[Chapter]:
    """Return the chapter of rows as they were read, which a page has on its first screen."""
    table = sample_table(record)
    return [] if table is None else [Chapter(table.caption, table=table)]


def sample_table(record: Mapping[str, Any]) -> Table | None:
    """Return three rows as they were read, a column for each role; None: no table was read."""
    rows = record.get(ROWS_AS_READ) or ()
    if not rows:
        return None
    roles = [*rows[0]]
    texts = [[row.get(role) or NONE for role in roles] for row in rows]
    return Table(roles, texts, f"What we took as {in_a_row(roles)}")
