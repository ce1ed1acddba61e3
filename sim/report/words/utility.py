"""What a release is good for, before and after its defences, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.numeric.rows import row_dicts
from sim.numeric.text import format_decimals, format_number, format_percent
from sim.record.run_folder import RunFolder
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable
from sim.utility.registry import UTILITIES

_TABLE = "utility"


def utility_kept(tables: Mapping[str, pd.DataFrame], record: Mapping[str, Any]) -> Iterator[str]:
    """Yield the utility of a release, before and after its defences; nothing if not measured.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Of the run.
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> columns = ["label", "higher_is_better", "before", "after", "note"]
    >>> rows = [("nDCG@10", True, 0.2, 0.15, ""), ("RMSE", False, None, None, "no values")]
    >>> tables = {"utility": pd.DataFrame(rows, columns=columns)}
    >>> for sentence in utility_kept(tables, {"defences": [{"name": "jitter_time"}]}):
    ...     print(sentence)
    Utility before and after the defences: nDCG@10 0.200, then 0.150.
    Utility is not measured by RMSE: no values.
    """
    frame = tables.get(_TABLE)
    if frame is None:
        return
    known = frame["before"].notna() & frame["after"].notna()
    both = bool(record.get("defences"))
    found = [_in_words(row, both=both) for row in row_dicts(frame[known])]
    if found:
        when = " before and after the defences" if both else " of the release"
        yield f"Utility{when}: {'; '.join(found)}."
    for row in row_dicts(frame[~known]):
        yield f"Utility is not measured by {row['label']}: {row['note']}."


def _in_words(row: Mapping[Any, Any], *, both: bool) -> str:
    after = f", then {format_decimals(row['after'], 3)}" if both else ""
    lower = "" if row["higher_is_better"] else " (lower is better)"
    return f"{row['label']} {format_decimals(row['before'], 3)}{after}{lower}"


def loss_words(
    row: Mapping[Any, Any], measure: str, tables: Mapping[str, pd.DataFrame] | None = None
) -> str:
    """Say what a release loses, by the measure that a plan keeps and others; empty: not measured.

    Parameters
    ----------
    row : Mapping
        Of a chain of defences, as in ``trials.parquet``.
    measure : str
        Its name, as in ``plan.utility``.
    tables : dict of str to DataFrame, optional
        Of the audit of the release. How many people, items and cells it has is said elsewhere.

    Examples
    --------
    >>> row = {"kept": 0.5, "utility": "people kept"}
    >>> print(loss_words(row, "people"))
    What it loses was measured by one number, people kept: of that, 50.0% is left. What else is \
lost was not measured.

    >>> columns = ["measure", "label", "higher_is_better", "before", "after", "kept", "note"]
    >>> rows = [("monthly_volume", "volume", True, 1, 0, 0, "no times are released")]
    >>> tables = {"utility": pd.DataFrame(rows, columns=columns)}
    >>> print(loss_words(row, "people", tables))
    The plan keeps as much as it can of one number, people kept: of that, 50.0% is left. Measured \
as well: volume, of which nothing is left (no times are released). What else is lost was not \
measured.

    Another measure than the one that the plan was to keep was compared, as that cannot be measured:

    >>> rows = [("ndcg", "nDCG", True, None, None, None, "nobody has both earlier and later cells")]
    >>> tables = {"utility": pd.DataFrame(rows, columns=columns)}
    >>> print(loss_words({"kept": 0.75, "utility": "entries kept"}, "ndcg", tables))
    What it loses was measured by one number, entries kept, as nDCG cannot be measured (nobody has \
both earlier and later cells): of that, 75.0% is left. What else is lost was not measured.
    """
    if pd.isna(row["kept"]):
        return ""
    of = _share_left(row["kept"])
    taken = _measure_of(str(row["utility"]), measure)
    stated = UTILITIES.get(taken)
    by = (
        f"for one use, {stated.use} ({row['utility']})"
        if stated is not None and stated.use
        else f"by one number, {row['utility']}"
    )
    others = _other_measures({} if tables is None else tables, taken)
    begins, well = "What it loses was measured", ""
    if others:
        begins = "The plan keeps as much as it can"
        by = by.replace("by one number", "of one number")
        well = f" Measured as well: {'; '.join(others)}."
    reason = "" if taken == measure else _not_measurable({} if tables is None else tables, measure)
    why = f", as {reason}" if reason else ""
    blind = f" {_BLIND}" if _rose(row["kept"]) else ""
    return f"{begins} {by}{why}: of that, {of}.{blind}{well} What else is lost was not measured."


def _measure_of(label: str, wanted: str) -> str:
    """Return the measure that has a label: the one that is wanted, unless only another has it."""
    found = [name for name, cls in UTILITIES.all().items() if cls.label == label]
    return wanted if wanted in found or not found else found[0]


def not_measurable(run: RunFolder) -> str:
    """Say why a plan or a frontier cannot compare what chains keep of the utility it is to keep.

    Empty: it can, or this utility was not measured.
    """
    measured = (part.run.tables for part in run.parts if part.run is not None)
    tables: Mapping[str, pd.DataFrame] = next((one for one in measured if _TABLE in one), {})
    return _not_measurable(tables, str(run.config["plan"]["utility"]))


def _not_measurable(tables: Mapping[str, pd.DataFrame], measure: str) -> str:
    """Say that nothing of a measure of utility can be kept, and why.

    Examples
    --------
    >>> columns = ["measure", "label", "before", "note"]
    >>> rows = [("ndcg", "nDCG", 0.0, "tested on the last fifth"), ("cells", "cells", 1.0, "")]
    >>> tables = {"utility": pd.DataFrame(rows, columns=columns)}
    >>> _not_measurable(tables, "ndcg"), _not_measurable(tables, "cells")
    ('nDCG is 0 of the data as they are', '')
    """
    frame = tables.get(_TABLE)
    if frame is None:
        return ""
    for row in row_dicts(frame[frame["measure"] == measure]):
        if pd.isna(row["before"]):
            note = f" ({row['note']})" if row["note"] else ""
            return f"{row['label']} cannot be measured{note}"
        if row["before"] == 0:
            return f"{row['label']} is 0 of the data as they are"
    return ""


_BLIND = (
    "A measure that rises does not show what is lost: releases can be compared by another one "
    "(plan.utility)."
)


_COUNTS = frozenset({"people", "items", "cells"})
"""Measures of how much is left, not of what it is good for."""


def _other_measures(tables: Mapping[str, pd.DataFrame], measure: str) -> list[str]:
    """Return what is left by each measure but one, of those that could measure the original."""
    frame = tables.get(_TABLE)
    if frame is None:
        return []
    others = frame[frame["before"].notna() & ~frame["measure"].isin({measure, *_COUNTS})]
    return [_left_by(row) for row in row_dicts(others)]


def _left_by(row: Mapping[Any, Any]) -> str:
    note = f" ({row['note']})" if row["note"] else ""
    if pd.isna(row["after"]):
        return f"{row['label']}, which the release no longer allows{note}"
    if pd.isna(row["kept"]):
        return _in_words(row, both=True)
    return f"{row['label']}, of which {_share_left(row['kept'])}{note}"


def _rose(kept: float) -> bool:
    """Whether a measure is higher than before, beyond rounding."""
    return kept >= 1.01


def _share_left(kept: float) -> str:
    """Say what is left.

    Examples
    --------
    >>> [_share_left(kept) for kept in (0, 0.25, 1, 4.13)]
    ['nothing is left', '25.0% is left', 'nothing is lost', 'there is more than before (413.0%)']
    """
    if _rose(kept):
        return f"there is more than before ({format_percent(kept)})"
    if kept >= 1:
        return "nothing is lost"
    return "nothing is left" if kept <= 0 else f"{format_percent(kept)} is left"


def kept_words(row: Mapping[Any, Any]) -> str:
    """Say what is kept of the utility that chains are compared by, to follow a statement."""
    of = _share_left(row["kept"])
    says = "does not show what is lost" if _rose(row["kept"]) else "says nothing of other uses"
    return f"of the utility that is compared, {row['utility']}, {of}, which {says}"


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
    return HtmlTable(
        "Utility before and after the defences",
        [HtmlColumn(head, numeric=head not in ("measure", "note")) for head in heads],
        rows,
        "Before: what the original is good for; after: what the release is good for, on the same "
        "people and cells. Kept: after as a share of before, where higher is better.",
    )


def _label(row: Mapping[Any, Any]) -> str:
    return str(row["label"]) + ("" if row["higher_is_better"] else " (lower is better)")
