"""Tables of chains of defences, for the screens of plans and frontiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from sim.config.chains import UNCHANGED
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_number, format_percent, percents
from sim.report.sentences import measure_title
from sim.report.table import NONE, Table

MOST_CHAINS = 5
"""Rows of the table on a screen."""

_WIDEST = 38
"""Characters of a chain on a screen."""

_SHOWN = {"risk": "interval", "counted": "share", "kept": "share", "people": "count"}
_HEADS = {"risk": "risk [95%]", "counted": "at most"}


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


def best_chains(
    rows: pd.DataFrame, verdict: Callable[[Mapping[Any, Any]], str], measure: str, of: str = ""
) -> Table:
    """Return the first chains, which come best first, with the data as they are among them."""
    first = rows[rows["chain"] == UNCHANGED]
    shown = rows[:MOST_CHAINS]
    if len(first) and UNCHANGED not in set(shown["chain"]):
        shown = pd.concat([rows[: MOST_CHAINS - 1], first])
    label = next((str(name) for name in rows["utility"] if name), "")
    kept = f"; kept: {label}" if label else ""
    texts = [
        [short_chain(str(row["chain"])), *_texts(row, _SHOWN), verdict(row)]
        for row in row_dicts(shown)
    ]
    heads = ["chain", *_heads(_SHOWN), "verdict"]
    return Table(heads, texts, f"{measure_title(measure)}{f' ({of})' if of else ''}{kept}")


def all_chains(rows: pd.DataFrame, caption: str, shown: Mapping[str, str], note: str) -> Table:
    """Return all chains, columns shown as ``interval``, ``share``, ``count`` or ``text``."""
    texts = [_texts(row, shown) for row in row_dicts(rows)]
    return Table(_heads(shown), texts, caption, note)


def _heads(shown: Mapping[str, str]) -> list[str]:
    return [_HEADS.get(name, name.replace("_", " ")) for name in shown]


def _texts(row: Mapping[Any, Any], shown: Mapping[str, str]) -> list[str]:
    return [_text(row, name, how) for name, how in shown.items()]


def _text(row: Mapping[Any, Any], name: str, how: str) -> str:
    value = row[name]
    if how == "text":
        return str(value or NONE)
    if pd.isna(value):
        return NONE
    if how == "interval":
        middle, low, high = percents(value, row[f"{name}_low"], row[f"{name}_high"])
        return f"{middle}% [{low}, {high}]"
    return format_percent(value) if how == "share" else format_number(value)
