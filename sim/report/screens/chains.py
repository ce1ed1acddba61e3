"""Tables of chains of defences, for the screens of plans and frontiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from sim.numeric.text import format_number, format_percent, percents
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable

MOST_CHAINS = 5
"""Rows of the table on a screen."""

RISKS = {
    "mean": "Mean risk of a person",
    "percentile_99": "Risk of one person in 100",
    "highest": "Highest risk of a person",
    "succeeds": "Share of people found",
}
"""What is compared with the bound, by `sim.findings.attacker_rows.MEASURES`."""

_WIDEST = 38
"""Characters of a chain on a screen."""


def short_chain(chain: str) -> str:
    """Return a chain as it fits into a table: without the names of options, or cut.

    Examples
    --------
    >>> short_chain("drop_items.min_support=3")
    'drop_items.min_support=3'
    >>> short_chain("drop_items.min_support=100 jitter_time.date_noise=14")
    'drop_items=100 jitter_time=14'
    """
    if len(chain) <= _WIDEST:
        return chain
    pieces = (piece.partition("=") for piece in chain.split())
    short = " ".join(f"{name.partition('.')[0]}{sign}{value}" for name, sign, value in pieces)
    return short if len(short) <= _WIDEST else f"{short[: _WIDEST - 1]}…"


def interval_text(row: Mapping[Any, Any], name: str) -> str:
    """Return a share with the ends of its interval; a dash where it is not known.

    Examples
    --------
    >>> interval_text({"risk": 0.5, "risk_low": 0.4, "risk_high": 0.6}, "risk")
    '50.0% [40.0, 60.0]'
    """
    if pd.isna(row[name]):
        return "–"
    value, low, high = percents(row[name], row[f"{name}_low"], row[f"{name}_high"])
    return f"{value}% [{low}, {high}]"


HEADS = ("chain", "risk [95%]", "counted", "kept", "people", "verdict")
"""Of the table on a screen."""


def chain_row(row: Mapping[Any, Any], verdict: str) -> list[str]:
    """Return the row of a chain on a screen, by `HEADS`."""
    return [
        short_chain(str(row["chain"])),
        interval_text(row, "risk"),
        *(format_percent(row[name]) for name in ("counted", "kept")),
        format_number(row["people"]),
        verdict,
    ]


def with_unchanged(rows: pd.DataFrame, first: pd.DataFrame) -> pd.DataFrame:
    """Return as many rows as a screen shows, the data as they are among them.

    Parameters
    ----------
    rows : DataFrame
        The best chain first.
    first : DataFrame
        The row of the data as they are.
    """
    if len(first) == 0 or first.iloc[0]["chain"] in set(rows["chain"][:MOST_CHAINS]):
        return rows[:MOST_CHAINS]
    return pd.concat([rows[: MOST_CHAINS - 1], first])


def heading(measure: str, of: str, rows: pd.DataFrame) -> str:
    """Return what stands above the table of chains.

    Parameters
    ----------
    measure : str
        One of `RISKS`.
    of : str
        Who was attacked; empty: everybody who can be.
    rows : DataFrame
        As ``frontier.parquet``.
    """
    label = next((str(name) for name in rows["utility"] if name), "")
    kept = f"; kept: {label}" if label else ""
    return f"{RISKS[measure]}{f' ({of})' if of else ''}{kept}"


def html_cells(row: Mapping[Any, Any], columns: Mapping[str, str]) -> list[HtmlCell]:
    """Return the cells of a row.

    Parameters
    ----------
    columns : dict of str to str
        How each column is shown: ``interval``, ``share``, ``count`` or ``text``.
    """
    cells = []
    for name, how in columns.items():
        value = row[name]
        if how == "text":
            cells.append(HtmlCell(str(value or "–"), str(value or "")))
        elif pd.isna(value):
            cells.append(HtmlCell("–", ""))
        else:
            put = {"share": format_percent, "count": format_number}.get(how)
            text = interval_text(row, name) if put is None else put(value)
            cells.append(HtmlCell(text, repr(value)))
    return cells


def html_table(
    caption: str, rows: Iterable[Mapping[Any, Any]], heads: Mapping[str, str], note: str
) -> HtmlTable:
    """Return a table in full.

    Parameters
    ----------
    heads : dict of str to str
        Names of columns, each with how it is shown, as for `html_cells`.
    """
    columns = [HtmlColumn(head.replace("_", " "), how != "text") for head, how in heads.items()]
    return HtmlTable(caption, columns, [html_cells(row, heads) for row in rows], note)
