"""Assigns the axes of a grid to x, to series and to panels.

Invariant: every cell of the grid stands in one panel, whatever axes the grid has; no two cells of
a panel stand at one place of one series.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_title
from sim.axes.registry import axes_of, words_of
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.plot.spec import MOST, Axis, Plot
from sim.report.figures.captions import captioned, populations_text
from sim.study.labels import is_informative, level_words, tick_words


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the cells of a grid stand.

    Parameters
    ----------
    axis : str
        The axis of the grid along x; empty: x is none of them.
    x, series, panel : Series
        Of each cell, in words; of a single series or panel empty.
    shared : str
        What all cells share, for a caption.
    across : int
        Panels side by side, where two axes make a table of panels; otherwise 0.
    """

    axis: str
    x: pd.Series[str]
    series: pd.Series[str]
    panel: pd.Series[str]
    shared: str
    across: int

    def where(self) -> dict[str, Any]:
        """Return series and panel of the cells, as of `rows_of`."""
        return {"series": self.series, "panel": self.panel}

    def plot(
        self, form: str, title: str, rows: pd.DataFrame, x: Axis, y: Axis, *notes: str, **given: Any
    ) -> Plot:
        """Return a plot of the cells, whose caption says what they share."""
        caption = captioned(self.shared, *notes)
        return Plot(form, title, rows, x, y, caption, across=self.across, **given)


def grid_of(
    curves: pd.DataFrame,
    *,
    along: bool = False,
    without: Container[str] = (),
    coloured: bool = True,
) -> Grid:
    """Choose what is along x, what is told apart by colour, and what by panels.

    Parameters
    ----------
    along : bool
        Whether an axis of the grid is along x.
    without : container of str
        Axes that are distinguished in another way.
    coloured : bool
        Whether colours distinguish levels of an axis.

    Examples
    --------
    >>> frame = pd.DataFrame({"aux": ["2/2", "6/8"], "date_noise": [3, 14], "loss": 0.5})
    >>> counts = {"n_eligible": 9, "eligible": 1.0, "n_targets": 9}
    >>> frame = frame.assign(**counts)
    >>> grid = grid_of(frame, along=True)
    >>> grid.axis, grid.x.tolist(), grid.series.tolist()
    ('aux', ['2 of 2', '6 of 8'], ['dates ±3 days', 'dates ±14 days'])
    >>> grid_of(frame.drop(columns="date_noise")).series.tolist()
    ['2 of 2 facts right', '6 of 8 facts right']
    """
    axes = [axis for axis in axis_columns(curves) if axis not in without]
    levels = {axis: len(_words(curves, axis).unique()) for axis in axes}
    varying = [axis for axis in axes if levels[axis] > 1]
    by_x = sorted(varying, key=lambda axis: words_of(axis).x_order)
    x = ""
    if along:
        order = sorted(by_x, key=lambda axis: words_of(axis).prefers_colour)
        x = order[0] if order else (axes[0] if axes else "cell")
        by_x.sort(key=lambda axis: not words_of(axis).prefers_colour)
    few = [axis for axis in by_x if axis != x and coloured and levels[axis] <= MOST]
    facets = [axis for axis in varying if axis not in (x, *few[:1])]
    table = len(facets) == 2 and len(curves.drop_duplicates(facets)) == levels[facets[0]] * (
        wide := levels[facets[1]]
    )
    constant = shared_levels(curves, [axis for axis in axes if axis != x])
    return Grid(
        axis=x,
        x=_joined(curves, [x] if x else [], tick=True),
        series=_joined(curves, few[:1]),
        panel=_joined(curves, facets),
        shared=captioned(", ".join(constant), f"targets: {populations_text(curves)}"),
        across=wide if table and wide <= 3 else 0,
    )


def _words(curves: pd.DataFrame, axis: str, *, tick: bool = False) -> pd.Series[str]:
    words = tick_words if tick else level_words
    return pd.Series([words(axis, value) for value in curves[axis]], curves.index, str)


def _joined(curves: pd.DataFrame, axes: Iterable[str], *, tick: bool = False) -> pd.Series[str]:
    columns = [_words(curves, axis, tick=tick) for axis in axes]
    joined = [", ".join(words) for words in zip(*columns, strict=True)]
    return pd.Series(joined or "", curves.index, str)


def cell_words(rows: pd.DataFrame, axes: Iterable[str]) -> pd.Series[str]:
    """Return what tells each row apart, in words: its levels of the axes on which they differ."""
    return _joined(rows, differing(rows, axes))


def differing(rows: pd.DataFrame, axes: Iterable[str]) -> list[str]:
    """Return those of the axes on which the rows differ."""
    return [a for a in axes if a in rows.columns and rows[a].nunique(dropna=False) > 1]


def shared_levels(rows: pd.DataFrame, axes: Iterable[str]) -> list[str]:
    """Return the levels that all rows share in words, without defaults."""
    first = [(a, rows[a].iloc[0]) for a in axes if rows[a].nunique(dropna=False) <= 1]
    return [level_words(axis, level) for axis, level in first if is_informative(axis, level)]


def attack_labels(facts: pd.DataFrame) -> list[str]:
    """Name the rows of several attacks so that no two names are alike.

    Examples
    --------
    >>> rated = {"algorithm": "scoring_rated", "longest_records": "left out", "n_targets": 9}
    >>> attack_labels(pd.DataFrame([
    ...     {"cell": 0, "part": "exact", "value_tolerance": 0.0} | rated,
    ...     {"cell": 1, "part": "fuzzy", "value_tolerance": 1.0} | rated]))
    ['Scoring with exact ratings', 'Scoring with ratings within 1']
    """
    names = []
    for row in row_dicts(facts):
        name = attack_title(str(row["algorithm"]))
        tolerance = row["value_tolerance"]
        if not pd.isna(tolerance):
            how = f"ratings within {tolerance:g}" if tolerance else "exact ratings"
            name = name.replace("ratings", how)
        if row["longest_records"] == "kept":
            name += ", longest records kept"
        names.append(name)
    if len(set(names)) == len(names):
        return names
    # The same attack more than once: the axes on which its rows differ distinguish them.
    levels = cell_words(facts, [axis.name for axis in axes_of()])
    longer = [", ".join(filter(None, both)) for both in zip(names, levels, strict=True)]
    if len(set(longer)) == len(longer):
        return longer
    return [f"{part}: {name}" for part, name in zip(facts["part"], longer, strict=True)]
