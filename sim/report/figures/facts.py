"""A plain figure of any measurement's facts: a panel for each measure, a mark for each row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.papers.papers import PaperNumber
from sim.report.figures.plates import plate
from sim.report.figures.style import COLOURS
from sim.study.labels import level_text

PANELS = 3
"""Measures on one page."""

_ENDS = ("_low", "_high")
_WIDEST = 8
"""Letters of all places along a row that are set side by side."""


def facts_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw every measure of the facts.

    Parameters
    ----------
    tables : dict of str to DataFrame
        With ``facts``: what stands before the first measure that is not a whole number, or is
        text, names a row.
    numbers, settings
        Not needed: no paper states numbers of a measurement that has no figure of its own.

    Yields
    ------
    Figure
    """
    facts = tables["facts"]
    conditions, measures = split_columns(facts)
    if not measures:
        return
    rows = [
        ", ".join(level_text(row[name]) for name in conditions) or str(nth + 1)
        for nth, row in enumerate(facts.to_dict("records"))
    ]
    title = "What was measured"
    if conditions:
        title += f", by {' and '.join(map(_words, conditions))}"
    for begin in range(0, len(measures), PANELS):
        panels = [_panel(facts, name, rows) for name in measures[begin : begin + PANELS]]
        yield plate(
            title,
            panels,
            _no_handles,
            "bars: 95% intervals, where there are any",
        )


def split_columns(facts: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Tell the conditions of facts from their measures.

    Returns
    -------
    conditions : list of str
        The leading columns that hold text, truths or whole numbers, if anything follows them.
    measures : list of str
        The numeric columns after these, but for the ends of intervals.

    Examples
    --------
    >>> split_columns(pd.DataFrame({"top": [5], "share": [0.5], "share_low": [0.4], "n": [3]}))
    (['top'], ['share', 'n'])
    >>> split_columns(pd.DataFrame({"records": [5]}))
    ([], ['records'])
    """
    names = [str(name) for name in facts.columns if not str(name).endswith(_ENDS)]
    first = next((i for i, n in enumerate(names) if pd.api.types.is_float_dtype(facts[n])), 0)
    plain = [i for i, n in enumerate(names) if not pd.api.types.is_numeric_dtype(facts[n])]
    first = max(first, plain[-1] + 1 if plain else 0)
    measures = [
        name
        for name in names[first:]
        if pd.api.types.is_numeric_dtype(facts[name]) and facts[name].notna().any()
    ]
    return names[:first], measures


def _panel(facts: pd.DataFrame, name: str, rows: Sequence[str]) -> Any:
    places = np.arange(len(facts))
    value = facts[name].to_numpy(np.float64, na_value=np.nan)

    def draw(axes: Axes) -> None:
        if all(f"{name}{end}" in facts for end in _ENDS):
            low, high = (
                facts[f"{name}{end}"].to_numpy(np.float64, na_value=np.nan) for end in _ENDS
            )
            axes.vlines(places, low, high, color=COLOURS[0])
        axes.plot(places, value, "o-", color=COLOURS[0])
        axes.set_xlim(-0.5, len(facts) - 0.5)
        few = np.linspace(0, len(facts) - 1, min(len(facts), 8)).round().astype(int)
        axes.set_xticks(few, [rows[place] for place in few])
        if sum(len(rows[place]) for place in few) > 6 * _WIDEST:
            axes.tick_params(axis="x", labelrotation=30)
        axes.set_ylabel(_words(name))

    return draw


def _no_handles() -> Sequence[Artist]:
    return []


def _words(name: str) -> str:
    return name.replace("_", " ")
