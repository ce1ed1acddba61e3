"""A plain figure of any measurement's facts: a panel for each measure, a mark for each row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Points
from sim.report.figures.facets import chunks
from sim.study.labels import level_text

PANELS = 3
"""Measures on one page."""

_ENDS = ("_low", "_high")
_WIDEST = 8
"""Maximum number of letters of tick labels that are set side by side."""


def pages(data: Data) -> Iterator[Page]:
    """Yield every measure of the facts; the leading columns of text or integers name the rows."""
    facts = data.tables["facts"]
    conditions, measures = split_columns(facts)
    rows = [
        ", ".join(_level(name, row[name], conditions) for name in conditions) or str(nth + 1)
        for nth, row in enumerate(row_dicts(facts))
    ]
    title = "Measurements"
    if conditions:
        title += f", by {' and '.join(map(_words, conditions))}"
    for some in chunks(measures, PANELS):
        panels = [_panel(facts, name, rows) for name in some]
        bars = any(f"{name}_low" in facts for name in some)
        yield Page(title, panels, "bars: 95% intervals" if bars else "", each=4.4)


def _level(name: str, value: Any, conditions: Sequence[str]) -> str:
    """Return a condition; a number among several, or a missing one, with its name."""
    text = level_text(value)
    if len(conditions) == 1 or isinstance(value, str):
        return text
    return f"{_words(name)} {text}"


def split_columns(facts: pd.DataFrame) -> tuple[list[str], list[str]]:
    """Part the conditions of facts from their measures.

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


def _panel(facts: pd.DataFrame, name: str, rows: Sequence[str]) -> Panel:
    x = np.arange(len(facts))
    columns = {"y": name, "low": f"{name}_low", "high": f"{name}_high"}
    ends: dict[str, Any] = {
        key: facts[column].to_numpy(np.float64, na_value=np.nan)
        for key, column in columns.items()
        if column in facts
    }
    few = np.linspace(0, len(facts) - 1, min(len(facts), 8)).round().astype(int).tolist()
    names = [rows[place] for place in few]
    marks: list[Mark] = [
        Line(x, ends["y"], colour=COLOURS[0]),
        Points(x, **ends, colour=COLOURS[0]),
    ]
    upright = sum(map(len, names)) > 6 * _WIDEST
    axis = Axis(limits=(-0.5, len(facts) - 0.5), ticks=few, names=names, upright=upright)
    return Panel(marks, axis, Axis(_words(name)))


def _words(name: str) -> str:
    return name.replace("_", " ")


SPEC = FigureSpec("", pages, needs=[("facts", "")])
