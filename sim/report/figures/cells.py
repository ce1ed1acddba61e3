"""Points with intervals: one measure of every cell, or two side by side.

Invariant: no two points of a panel coincide, and a level to compare with (a baseline, log2 N)
belongs to the cells that it spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.numeric.rows import row_dicts
from sim.plot.palette import INK
from sim.plot.spec import Axis, Data, Line, Mark, Page, Points, Rule
from sim.report.figures.facets import facet_pages, levels, plan_cells
from sim.report.figures.series import interval, look, offset, percent, stated_numbers, stated_point
from sim.study.labels import axis_title, level_words, tick_words

_SPREAD = 0.76
"""Share of the room between two x positions that a cluster of points takes."""


@dataclass(frozen=True, slots=True)
class Measure:
    """The measure of a point; its interval is in ``column_low`` and ``column_high``."""

    column: str
    label: str
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Level:
    """A line to compare points with; left out where it is null in all cells.

    Parameters
    ----------
    style : str
        matplotlib's line style.
    """

    column: str
    label: str
    style: str


def cell_pages(
    curves: pd.DataFrame,
    data: Data,
    *,
    title: str,
    measures: Sequence[Measure],
    compared: Sequence[Level] = (),
    scale: float = 100.0,
    unit: str = "%",
    y: Axis | None = None,
    note: str = "bars: 95% intervals",
) -> Iterator[Page]:
    """Yield pages of points.

    Parameters
    ----------
    curves : DataFrame
        The cells drawn.
    data : Data
        Its numbers are marked.
    title, y, note
        As of `facet_pages`.
    measures : sequence of Measure
        One or two.
    scale : float
        Factor from the columns to what is drawn.
    unit : str
        Follows the value of a level in the legend.
    """
    plan = plan_cells(curves)
    xs, series = levels(curves, plan.x), plan.names(curves)
    slot = _SPREAD / len(series)
    known = [level for level in compared if curves[level.column].notna().any()]
    labels = {level: _level_label(curves, level, scale, unit) for level in known}

    def at(cells: pd.DataFrame, measure: int) -> NDArray[np.float64]:
        """Return the x positions of a measure: a slot for each series, halved for two measures."""
        aside = offset(measure, len(measures), slot / 2)
        return np.array(
            [
                xs.index(level_words(plan.x, cell[plan.x]))
                + offset(plan.place(cell, series), len(series), slot)
                + aside
                for cell in row_dicts(cells)
            ]
        )

    def marks(cells: pd.DataFrame) -> Iterator[Mark]:
        for place in range(1, len(xs)):
            yield Rule(place - 0.5, upright=True, colour="#E8E8E8", style="-", width=0.6)
        for level in known:
            yield from _level_marks(cells, level, scale, labels[level], plan.x, xs)
        of_series = np.array([plan.place(cell, series) for cell in row_dicts(cells)])
        for s in range(len(series)):
            mine = cells[of_series == s]
            for nth, measure in enumerate(measures):
                drawn, like = interval(mine, measure.column, scale), look(s)
                if len(xs) > 3:
                    thin: dict[str, Any] = {"colour": like["colour"], "style": like["style"]}
                    yield Line(at(mine, nth), drawn["y"], width=0.9, opacity=0.6, **thin)
                like["style"] = "none"
                yield Points(at(mine, nth), filled=measure.filled, **drawn, **like)
        columns = [measure.column for measure in measures]
        for cell, number, value in stated_numbers(data, cells, columns):
            x = at(pd.DataFrame([cell]), columns.index(number.measure))
            yield stated_point(number, float(x[0]), scale * value)

    names = list(dict.fromkeys(tick_words(plan.x, value) for value in curves[plan.x]))
    many = len(xs) > 8
    yield from facet_pages(
        curves,
        plan,
        marks,
        title=title,
        x=Axis(
            axis_title(plan.x),
            (-0.5, len(xs) - 0.5),
            ticks=range(len(xs)),
            names=names if many else [fill(name, 12) for name in names],
            upright=many,
        ),
        y=y or percent("targets (%)"),
        note=note,
        each=min(max(0.28 * len(xs) * len(series) + 0.9, 0.62 * len(xs) + 0.6, 2.9), 10.5),
        legend=_legend(series, measures),
    )


def _legend(series: Sequence[str], measures: Sequence[Measure]) -> list[Mark]:
    """Colours for the series, a neutral point for each measure."""
    named = [Points(label=s, **look(nth) | {"style": "none"}) for nth, s in enumerate(series) if s]
    colour = INK if named else look(0)["colour"]
    return [*named, *(Points(label=m.label, filled=m.filled, colour=colour) for m in measures)]


def _level_marks(
    cells: pd.DataFrame, level: Level, scale: float, label: str, x: str, xs: Sequence[str]
) -> Iterator[Rule]:
    """One line across the panel, or one for each cell where they differ."""
    known = cells[cells[level.column].notna()]
    heights = scale * known[level.column].to_numpy(np.float64)
    if heights.size and np.ptp(heights) == 0:
        yield Rule(float(heights[0]), label=label, style=level.style)
        return
    for value, height in zip(known[x], heights.tolist(), strict=True):
        place = xs.index(level_words(x, value))
        between = (place - 0.46, place + 0.46)
        yield Rule(height, between=between, label=label, style=level.style)


def _level_label(curves: pd.DataFrame, level: Level, scale: float, unit: str) -> str:
    values = curves[level.column].dropna().to_numpy(np.float64)
    return level.label + (f" ({scale * values[0]:.2g}{unit})" if np.ptp(values) == 0 else "")
