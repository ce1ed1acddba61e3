"""Styles, intervals and labels that figures share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts
from sim.papers.papers import PaperNumber, matching_cells
from sim.plot.palette import COLOURS, LINES, MARKERS
from sim.plot.spec import Axis, Data, Points

MOST = len(COLOURS)
"""Series that a reader can distinguish."""


def look(nth: int) -> dict[str, Any]:
    """Return the colour, the marker and the line style of the nth series."""
    return {"colour": COLOURS[nth], "marker": MARKERS[nth], "style": LINES[nth]}


def interval(
    rows: pd.DataFrame, column: str | Sequence[str], scale: float = 100.0
) -> dict[str, Any]:
    """Return a measure and the ends of its interval as `y`, `low` and `high` of a mark.

    Parameters
    ----------
    rows : DataFrame
        With ``column``, ``column_low`` and ``column_high``.
    column : str or sequence of str
        Of several, the values of the one row there is.
    scale : float
        100 gives percent.

    Examples
    --------
    >>> rows = pd.DataFrame({"k1": [0.5], "k1_low": [0.4], "k1_high": [0.6]})
    >>> interval(rows, "k1")["y"].tolist(), interval(rows, ["k1"])["high"].tolist()
    ([50.0], [60.0])
    """
    names = [column] if isinstance(column, str) else list(column)
    ends = {"y": "", "low": "_low", "high": "_high"}
    return {
        key: scale * rows[[f"{name}{end}" for name in names]].to_numpy(np.float64).ravel()
        for key, end in ends.items()
    }


def percent(title: str) -> Axis:
    """Return an axis of shares."""
    return Axis(title, (-3, 104), ticks=range(0, 101, 20))


_DATA = {"netflix_prize": "Netflix Prize", "movielens_2006": "MovieLens"}


def stated_numbers(
    data: Data, rows: pd.DataFrame, measures: Sequence[str]
) -> Iterator[tuple[Mapping[Any, Any], PaperNumber, float]]:
    """Yield each row that a stated number is about, the number, and its value."""
    for number in data.numbers:
        if number.value is not None and number.measure in measures:
            for row in row_dicts(matching_cells(rows, number, data.settings)):
                yield row, number, float(number.value)


def stated_point(number: PaperNumber, x: float, y: float, lead: str = "") -> Points:
    """Return the mark of a stated number: a paper's is a frame, a reproduction's a dash."""
    paper = number.paper != "reproduction"
    who = f"{number.paper} {number.figure}".strip() if paper else "a reproduction"
    form: dict[str, Any] = {"marker": "D", "size": 10.0, "edge": 1.1}
    return Points(
        [x],
        [y],
        label=f"{lead}{who} ({_DATA.get(number.data, number.data)})",
        filled=False,
        stated=True,
        **form if paper else {"marker": "_", "size": 11.0, "edge": 1.6},
    )


def offset(place: int, count: int, step: float) -> float:
    """Return how far to move a series so that none covers another.

    Examples
    --------
    >>> [offset(place, 3, 0.1) for place in range(3)]
    [-0.1, 0.0, 0.1]
    """
    return step * (place - (count - 1) / 2)


def per_point(counts: Sequence[int], what: str = "point") -> str:
    """Format the number of people that each point represents.

    Examples
    --------
    >>> per_point([1000, 1000]), per_point([90, 1200], "bar")
    ('1,000 people per point', '90 to 1,200 people per bar')
    """
    least, most = min(counts), max(counts)
    return f"{least:,}{'' if least == most else f' to {most:,}'} people per {what}"
