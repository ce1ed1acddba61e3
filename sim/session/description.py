"""A release in numbers, for a look before any study."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Any

from sim.config.schema import DataConfig, TableConfig
from sim.numeric.text import format_number, format_percent
from sim.record.run_record import FRAME
from sim.release.readers.date_reader import BY_TYPE
from sim.release.store.accounts import DISTINCT, FIRST_UNREADABLE, MIDNIGHT, RANGE, Accounts
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin
from sim.report.page.notebook import preformatted
from sim.report.text_table import aligned
from sim.report.words.about import release_facts
from sim.report.words.reading_losses import remarks, span
from sim.session.open_release import described
from sim.session.reading import column_choice
from sim.session.rows_as_read import rows_as_read
from sim.session.suspicions import CHECKS, Suspicion, quantiles, suspicions

_WIDTH = 100
_READ_AS = ("layout", "encoding", "dates", "times of day", "files", "last line")
"""Notes on how the data are written; the others are counts of rows."""

_FIRST = "what is said above is to be judged first; apart from that, "
"""So that a list of remarks is not taken for an all-clear by what follows it."""


@dataclass(frozen=True, slots=True)
class Description:
    """What was read.

    Parameters
    ----------
    source : str
        What it was read from.
    fingerprint : str
        SHA-256 of the cells, as in the record of a run on the same release.
    rows, dropped, unreadable, merged, zeros, cells : int
        Rows read; left out for an empty user or item; left out as they could not be read; left out
        as another row has the same person and item, or as their value is 0; kept.
    people, items : int
    columns : dict of str to str
        The columns of a table that were read, by what they are taken for: people, items, values,
        dates.
    time_bin : str
        Width of the bins of time.
    dates : str
        The first and the last bin; empty where there are none.
    cells_without_date, cells_without_value, rows_with_time_of_day, rows_with_time_cut : int
        The last: those whose time is kept as the bin that it lies in.
    values : tuple of float
        The distinct values, ascending.
    lengths, supports : dict of str to float
        Quantiles of the cells of a person, and of the people of an item; see
        `sim.session.suspicions.quantiles`.
    read_as : dict
        What was found out about how the data are written.
    notes : dict
        Everything that was recognised, defaulted or dropped.
    remarks : tuple of str
        What a reader of results must know of it.
    suspicions : tuple of Suspicion
    sample : tuple of dict
        Of a table, some rows as they were read; see `sim.session.rows_as_read`.
    """

    source: str
    fingerprint: str
    rows: int
    dropped: int
    unreadable: int
    merged: int
    zeros: int
    cells: int
    repeats: int
    people: int
    items: int
    columns: dict[str, str]
    time_bin: str
    dates: str
    cells_without_date: int
    cells_without_value: int
    rows_with_time_of_day: int
    rows_with_time_cut: int
    values: tuple[float, ...]
    lengths: dict[str, float]
    supports: dict[str, float]
    read_as: dict[str, str | int]
    notes: dict[str, Any]
    remarks: tuple[str, ...]
    suspicions: tuple[Suspicion, ...]
    sample: tuple[dict[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def _repr_html_(self) -> str:
        return str(preformatted(str(self)))


def describe(store: Store, config: DataConfig) -> Description:
    """Describe an open release.

    Parameters
    ----------
    config : DataConfig
        How it was opened, for the names of the columns.
    """
    manifest, facts = store.manifest, described(store)
    accounts, notes = Accounts.of(facts), _notes(manifest.notes, config)
    return Description(
        source=store.source,
        fingerprint=manifest.fingerprint,
        rows=accounts.rows,
        dropped=accounts.dropped,
        unreadable=accounts.unreadable,
        merged=accounts.merged,
        zeros=accounts.zeros,
        cells=manifest.n_cells,
        repeats=manifest.n_repeats,
        people=manifest.n_records,
        items=manifest.n_items,
        columns=_columns(config),
        time_bin=manifest.time_bin,
        dates=span(facts),
        cells_without_date=manifest.missing_days if manifest.has_days else 0,
        cells_without_value=manifest.missing_values if manifest.has_values else 0,
        rows_with_time_of_day=accounts.timed,
        rows_with_time_cut=accounts.cut,
        values=tuple(manifest.scale),
        lengths=quantiles(store.length),
        supports=quantiles(store.support),
        read_as={key: notes[key] for key in _READ_AS if key in notes},
        notes=notes,
        remarks=remarks(facts),
        suspicions=suspicions_of(store, config),
        sample=tuple(rows_as_read(store)) if isinstance(config, TableConfig) else (),
    )


def suspicions_of(store: Store, config: DataConfig) -> tuple[Suspicion, ...]:
    """Return what looks wrong about an open release; see `suspicions`."""
    return suspicions(store, _columns(config), _notes(store.manifest.notes, config))


def _notes(notes: Mapping[str, Any], config: DataConfig) -> dict[str, Any]:
    """The notes on a release, but for times of a data frame that are midnight by their type.

    Pandas has no type of days, so that midnight there is no sign of times that were lost.
    """
    of_frame = isinstance(config, TableConfig) and Path(config.path).name == FRAME
    days = of_frame and BY_TYPE in str(notes.get("dates"))
    return {key: note for key, note in notes.items() if not (days and key == MIDNIGHT)}


def _columns(config: DataConfig) -> dict[str, str]:
    if not isinstance(config, TableConfig) or config.user is None or config.item is None:
        return {}
    chosen = column_choice(config).chosen()
    roles = {"user": "people", "item": "items", "value": "values", "date": "dates"}
    return {roles[role]: "+".join(names) for role, names in chosen.items()}


def _lines(given: Description) -> Iterator[str]:
    yield given.source
    yield ""
    yield from aligned(list(_facts(given)), left=1)
    yield ""
    yield f"fingerprint of the cells (SHA-256): {given.fingerprint}"
    if given.sample:
        yield ""
        yield "rows as read"
        heads = [*given.sample[0]]
        shown = [heads, *([row[head] or "–" for head in heads] for row in given.sample)]
        yield from aligned([tuple(row) for row in shown], left=len(heads))
    yield ""
    names = list(given.lengths)
    rows = [("", *names)]
    for title, found in (
        ("cells of a person", given.lengths),
        ("people of an item", given.supports),
    ):
        rows.append((title, *(format_number(found[name]) for name in names)))
    yield from aligned(rows, left=1)
    if given.read_as:
        yield ""
        read_as = [(f"read as: {key}", str(value)) for key, value in given.read_as.items()]
        yield from aligned(read_as, left=2)
    for title, sentences in (
        ("", given.remarks),
        ("suspicions", [one.words for one in given.suspicions]),
    ):
        if sentences:
            yield ""
        if sentences and title:
            yield f"{title} ({len(sentences)})"
        for sentence in sentences:
            yield fill(f"- {sentence}", _WIDTH, subsequent_indent="  ", break_long_words=False)
    if not given.suspicions:
        yield ""
        yield fill(
            f"{_FIRST if given.remarks else ''}none of the {len(CHECKS)} checks found anything "
            "suspicious; whether these are the columns that you mean, and what they tell of "
            "people, no check knows",
            _WIDTH,
        )


def _facts(given: Description) -> Iterator[tuple[str, str, str]]:
    def count(name: str, value: int, whole: int = 0) -> tuple[str, str, str]:
        share = f"({format_percent(value / whole)})" if whole and value else ""
        return name, format_number(value), share

    yield count("rows", given.rows)
    yield count("without a person or an item, dropped", given.dropped, given.rows)
    yield count("with a cell that could not be read, dropped", given.unreadable, given.rows)
    if FIRST_UNREADABLE in given.notes:
        yield "the first of these", str(given.notes[FIRST_UNREADABLE]), ""
    if given.zeros:
        yield count("with the value 0, left out", given.zeros, given.rows)
    yield count("merged with another row of the person and the item", given.merged, given.rows)
    yield count("cells", given.cells)
    yield count("cells that repeat an item of the person", given.repeats, given.cells)

    def taken_from(name: str) -> str:
        return f"({given.columns[name]})" if name in given.columns else ""

    yield "people", format_number(given.people), taken_from("people")
    yield "items", format_number(given.items), taken_from("items")
    filled: Mapping[str, Any] = {"release": {
        "n_records": given.people, "n_items": given.items, "n_cells": given.cells,
        "n_repeats": given.repeats, "scale": given.values,
    }}  # fmt: skip
    facts = dict(release_facts(filled))
    yield "filled", facts.get("filled", ""), ""
    if given.values:
        yield count("distinct values", len(given.values))
        low, high = f"{given.values[0]:g}", f"{given.values[-1]:g}"
        if RANGE in given.notes:
            yield "distinct values before bins", format_number(given.notes[DISTINCT]), ""
            low, _, high = str(given.notes[RANGE]).partition(" to ")
        yield "least and greatest value", low, high
        yield count("cells without a value", given.cells_without_value, given.cells)
    else:
        yield "values", "none", ""
    if given.dates:
        first, _, last = given.dates.partition(" to ")
        yield f"first and last {TimeBin.parse(given.time_bin).words}", first, last
        yield count("cells without a date", given.cells_without_date, given.cells)
        yield count("rows with a time of day", given.rows_with_time_of_day, given.rows)
        yield count(
            "rows with a time rounded down to its bin", given.rows_with_time_cut, given.rows
        )
    else:
        yield "dates", "none", ""
