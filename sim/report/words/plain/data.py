"""The data of a run in everyday words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.numeric.text import quantity
from sim.release.store.accounts import Accounts
from sim.report.words.about import is_synthetic
from sim.report.words.reading_losses import as_read, span

SYNTHETIC = "These are synthetic data: the result says nothing about real people."


def data_line(record: Mapping[str, Any]) -> str:
    """Return one line about the release.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> release = {"source": "a table", "n_records": 2000, "n_items": 3, "n_cells": 5}
    >>> data_line({"release": release, "config": {"data": {"kind": "table"}}})
    'The data: a table: 2,000 records, one for each person, with 5 entries; 3 items.'
    """
    release = record["release"]
    records, items, entries = (int(release.get(f"n_{key}") or 0) for key in _COUNTED)
    cut = any((each.get("left") or {}).get("records") != (each.get("left") or {}).get("people")
              for each in record.get("defences") or ())  # fmt: skip
    person = "" if cut else ", one for each person"
    dates = f", from {days.replace(' to ', ' until ')}" if (days := span(release)) else ""
    return (
        f"The data: {release.get('source', '–')}: {quantity(records, 'record')}{person}, with "
        f"{quantity(entries, 'entry', 'entries')}{dates}; {quantity(items, 'item')}."
    )


_COUNTED = ("records", "items", "cells")


def rows_read(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of every row that was read; of synthetic data, that they are.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    """
    if is_synthetic(record):
        yield SYNTHETIC
        return
    rows = Accounts.of(as_read(record))
    if not rows.rows:
        return
    yield (
        f"The data had {quantity(rows.rows, 'row')}: {rows.cells:,} kept, {rows.merged:,} merged "
        f"with or replaced by another, {rows.dropped:,} dropped because the person or the item is "
        f"missing, {rows.unreadable:,} dropped because a cell could not be read."
    )
