"""The lines of a screen that say what was read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sim.findings.reading import as_read, columns_of, date_form, span
from sim.numeric.text import quantity
from sim.record.run_record import FRAME
from sim.release.readers.table_options import COLUMNS, LISTS
from sim.release.store.accounts import Accounts

_ROLES = {"people": "person", "items": "item", "values": "value", "dates": "date"}
_SHAPES = {LISTS: "each part", COLUMNS: "each alone"}
_PERSON, _RECORD = ("person", "people"), ("record", "records")
_SYNTHETIC = "Synthetic data: the result says nothing about real people."
_LONG = 98
"""Longer than this with the roles, a name has them below its beginning, and not below its size."""

_DIRECTIVES = {
    "%Y": "year", "%y": "year", "%m": "month", "%b": "month", "%B": "month", "%d": "day",
    "%j": "day of the year", "%H": "hour", "%I": "hour", "%M": "minute", "%S": "second",
    "%f": "fraction", "%p": "am/pm", "%z": "zone", "%a": "weekday", "%A": "weekday",
}  # fmt: skip


def data_lines(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what was read: name and size, roles of columns, and what the publisher left of it.

    Examples
    --------
    >>> data = {"kind": "table", "path": "a/visits.csv", "user": "who", "item": ["shop", "till"]}
    >>> release = {"n_records": 2000, "n_items": 3, "n_cells": 5, "first_day": 0, "n_days": 2}
    >>> notes = {"notes": {"dates are written as": "%d/%m/%Y"}}
    >>> record = {"config": {"data": data | {"date": "day"}}, "release": release | notes}
    >>> for line in data_lines(record):
    ...     print(line)
    visits.csv  2,000 people · 3 items · 5 entries · 1970-01-01 to 1970-01-02
                person = who   item = shop+till   date = day (day/month/year)
    """
    return tuple(_lines(record))


def _lines(record: Mapping[str, Any]) -> Iterator[str]:
    name, read = source_name(record), as_read(record)
    yield f"{name}  {size_of(read)}"
    roles, form = columns_of(record), form_in_words(date_form(read))
    if roles:
        shape = _SHAPES.get(str(record["config"]["data"].get("shape")), "")
        said = {"dates": form, "items": shape}
        listed = (
            f"{_ROLES[role]} = {column}{f' ({said[role]})' if said.get(role) else ''}"
            for role, column in roles.items()
        )
        line = "   ".join(listed)
        yield " " * (len(name) + 2 if len(name) + len(line) <= _LONG else 2) + line
    if record.get("defences"):
        changes = ", ".join(each["name"] for each in record["defences"])
        yield f"after {changes}: {size_of(record['release'], _RECORD)}"
    if is_synthetic(record):
        yield _SYNTHETIC


def source_name(record: Mapping[str, Any]) -> str:
    """Return the name of the file that was read, or what else it was."""
    data = (record.get("config") or {}).get("data") or {}
    path = str(data.get("path") or "") if data.get("kind") == "table" else ""
    if Path(path).name == FRAME:
        return "data frame"
    if data.get("kind") == "synthetic" and data.get("preset"):
        return f"synthetic '{data['preset']}'"
    return Path(path).name or str(as_read(record).get("source") or "–")


def size_of(release: Mapping[str, Any], person: tuple[str, str] = _PERSON) -> str:
    """Return how many people, items and entries a release has, and from when to when."""
    nouns = {"n_records": person, "n_items": ("item", "items"), "n_cells": ("entry", "entries")}
    counts = [quantity(int(release.get(key) or 0), *noun) for key, noun in nouns.items()]
    rows = 0 if person == _RECORD else Accounts.of(release).rows
    counts[-1] += f" of {quantity(rows, 'row')}" if rows not in (0, release.get("n_cells")) else ""
    return " · ".join([*counts, *([dates] if (dates := span(release)) else [])])


def form_in_words(form: str) -> str:
    """Return the format of dates in words.

    Examples
    --------
    >>> form_in_words("%d.%m.%Y %H:%M"), form_in_words("ISO dates")
    ('day.month.year hour:minute', 'ISO dates')
    """
    return re.sub("%[a-zA-Z]", lambda found: _DIRECTIVES.get(found[0], found[0]), form)


def is_synthetic(record: Mapping[str, Any]) -> bool:
    """Whether the data were made by the generator."""
    return ((record.get("config") or {}).get("data") or {}).get("kind") == "synthetic"
