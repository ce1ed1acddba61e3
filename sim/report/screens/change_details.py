"""How the publisher changed the data, below the first screen: what is left, and its utility."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.findings.finding import Finding
from sim.findings.reading import as_read
from sim.findings.release import LEFT, change_findings, grid_findings
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_number, format_percent
from sim.report.sentences import sentences
from sim.report.table import Chapter, Table

_UTILITY = "utility"


def change_details(
    record: Mapping[str, Any], tables: Mapping[str, pd.DataFrame], above: Collection[str] = ()
) -> Iterator[Chapter]:
    """Yield the chapters on how the data were changed, what is left, and what was not possible.

    Sentences that stand above are not said again.
    """
    found = [*change_findings(record)]
    stages = [one for one in found if one.kind == LEFT.name]
    every = sentences(one for one in found if one.kind != LEFT.name)
    said = [one for one in every if one not in above]
    if said or stages:
        table = left_table(as_read(record), stages) if stages else None
        yield Chapter("How the data were changed", items=said, table=table)
    if (utility := tables.get(_UTILITY)) is not None:
        yield Chapter("What the data are good for", table=utility_table(utility))
    if adapted := sentences(grid_findings(record)):
        yield Chapter("What the release cannot have", items=adapted)


def left_table(read: Mapping[str, Any], stages: Sequence[Finding]) -> Table:
    """Return what is left after each defence, a row each, below what was read."""
    people, items, entries = (read.get(f"n_{name}") for name in ("records", "items", "cells"))
    rows: list[list[Any]] = [["as read", people, people, items, entries]]
    for one in stages:
        numbers = one.numbers
        records = numbers["records"] or numbers["people"]
        rows.append([one.name, numbers["people"], records, numbers["items"], numbers["count"]])
    return Table(
        ["after", "people", "records", "items", "entries"],
        [[name, *map(format_number, counts)] for name, *counts in rows],
        "What is left of the data",
    )


def utility_table(frame: pd.DataFrame) -> Table:
    """Return the utility before and after, a row per measure."""
    rows = [
        [
            str(row["label"]) + ("" if row["higher_is_better"] else " (lower is better)"),
            format_number(row["before"]),
            format_number(row["after"]),
            format_percent(row["kept"]),
            str(row["note"] or ""),
        ]
        for row in row_dicts(frame)
    ]
    note = "On the same people and entries; kept: after as a share of before."
    heads = ["measure", "before", "after", "kept", "note"]
    return Table(heads, rows, "Utility before and after the defences", note)
