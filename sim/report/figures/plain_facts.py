"""The figure of a measurement that states none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from sim.measurements.measurement import FACTS
from sim.plot.spec import Axis, Data, Plot, figure, rows_of
from sim.study.labels import level_text


@figure("", FACTS)
def facts(data: Data) -> Iterator[Plot]:
    """A panel for each measure, a point for each row: of a measurement without a figure."""
    table = data.tables[FACTS]
    conditions, measures = split_columns(table)
    words = [
        ", ".join(_level(name, row[name], conditions) for name in conditions) or str(nth + 1)
        for nth, row in enumerate(table.to_dict("records"))
    ]
    by = f", by {' and '.join(map(_words, conditions))}" if conditions else ""
    titles = {name: _words(name) for name in measures}
    rows = [rows_of(table, name, x=words, panel=titles[name], scale=1.0) for name in measures]
    if rows:
        y = {title: Axis() for title in titles.values()}
        yield Plot("points", f"Measurements{by}", pd.concat(rows), Axis(), y)


def _level(name: str, value: Any, conditions: Sequence[str]) -> str:
    """Return a condition; a number among several, or a missing one, with its name."""
    text = level_text(value)
    if len(conditions) == 1 or isinstance(value, str):
        return text
    return f"{_words(name)} {text}"


def _words(name: str) -> str:
    return name.replace("_", " ")


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
    names = [str(name) for name in facts.columns if not str(name).endswith(("_low", "_high"))]
    first = next((i for i, n in enumerate(names) if pd.api.types.is_float_dtype(facts[n])), 0)
    plain = [i for i, n in enumerate(names) if not pd.api.types.is_numeric_dtype(facts[n])]
    first = max(first, plain[-1] + 1 if plain else 0)
    measures = [
        name
        for name in names[first:]
        if pd.api.types.is_numeric_dtype(facts[name]) and facts[name].notna().any()
    ]
    return names[:first], measures
