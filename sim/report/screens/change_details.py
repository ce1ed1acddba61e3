"""How the publisher changed the data, below the first screen: what is left, and its utility."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.findings.finding import Finding
from sim.findings.reading import as_read
from sim.findings.release import LEFT, change_findings, grid_findings
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_number, format_percent
from sim.report.chapter import Chapter
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable
from sim.report.sentences import sentences

_UTILITY = "utility"


def change_details(
    record: Mapping[str, Any], tables: Mapping[str, pd.DataFrame]
) -> Iterator[Chapter]:
    """Yield the chapters on how the data were changed, what is left, and what was not possible.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    tables : dict of str to DataFrame
        Of the run.
    """
    found = [*change_findings(record)]
    stages = [one for one in found if one.kind == LEFT.name]
    said = sentences(one for one in found if one.kind != LEFT.name)
    if said or stages:
        table = left_table(as_read(record), stages) if stages else None
        yield Chapter("How the data were changed", items=said, table=table)
    if (utility := tables.get(_UTILITY)) is not None:
        yield Chapter("What the data are good for", table=utility_table(utility))
    if adapted := sentences(grid_findings(record)):
        yield Chapter("What the release cannot have", items=adapted)


def left_table(read: Mapping[str, Any], stages: list[Finding]) -> HtmlTable:
    """Return what is left after each defence, a row each, below what was read.

    Parameters
    ----------
    read : dict
        The release as it was read, as in ``run.json``.
    stages : list of Finding
        Of the kind ``defence_left``.
    """
    people, items, entries = (read.get(f"n_{name}") for name in ("records", "items", "cells"))
    rows: list[list[Any]] = [["as read", people, people, items, entries]]
    for one in stages:
        numbers = one.numbers
        records = numbers["records"] or numbers["people"]
        rows.append([one.name, numbers["people"], records, numbers["items"], numbers["count"]])
    heads = ("after", "people", "records", "items", "entries")
    cells = [
        [HtmlCell(name, name), *(HtmlCell(format_number(n), str(n)) for n in counts)]
        for name, *counts in rows
    ]
    columns = [HtmlColumn(head, numeric=head != "after") for head in heads]
    return HtmlTable("What is left of the data", columns, cells)


def utility_table(frame: pd.DataFrame) -> HtmlTable:
    """Return the utility before and after, a row per measure.

    Parameters
    ----------
    frame : DataFrame
        As ``utility.parquet``.
    """
    heads = ("measure", "before", "after", "kept", "note")
    rows = [
        [
            HtmlCell(_label(row), str(row["label"])),
            *(HtmlCell(format_number(row[name]), repr(row[name])) for name in ("before", "after")),
            HtmlCell(format_percent(row["kept"]), repr(row["kept"])),
            HtmlCell(str(row["note"] or ""), str(row["note"] or "")),
        ]
        for row in row_dicts(frame)
    ]
    columns = [HtmlColumn(head, numeric=head not in ("measure", "note")) for head in heads]
    note = "On the same people and entries; kept: after as a share of before."
    return HtmlTable("Utility before and after the defences", columns, rows, note)


def _label(row: Mapping[Any, Any]) -> str:
    return str(row["label"]) + ("" if row["higher_is_better"] else " (lower is better)")
