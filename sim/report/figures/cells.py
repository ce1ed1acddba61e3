"""Points with intervals: one measure of every cell, or two side by side.

Invariant: no two points of a panel coincide, and a level to compare with (a baseline, log2 N)
belongs to the cells that it spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.numeric.rows import row_dicts
from sim.plot.palette import INK
from sim.plot.spec import Axis, Data, Line, Mark, Name, Page, Points, Rule
from sim.report.figures.facets import FacetPlan, facet_pages, levels, panels_of, plan_cells
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
    """Yield pages of points; in a single panel, names beside the points replace the legend.

    Parameters
    ----------
    curves : DataFrame
        The cells drawn.
    data : Data
        Its numbers are marked, and its strongest attacker is a line.
    title, y, note
        As of `facet_pages`; the title says what is filled, and what is open.
    measures : sequence of Measure
        One or two.
    scale : float
        Factor from the columns to what is drawn.
    unit : str
        Follows a value in words.
    """
    plan = plan_cells(curves)
    grid = _Grid(plan, levels(curves, plan.x), plan.names(curves), len(measures))
    single = len(list(panels_of(curves, plan))) == 1
    columns = [measure.column for measure in measures]
    known = [level for level in compared if curves[level.column].notna().any()]
    labels = {level: _level_label(curves, level, scale, unit) for level in known}

    def marks(cells: pd.DataFrame) -> Iterator[Mark]:
        for place in range(1, len(grid.xs)):
            yield Rule(place - 0.5, upright=True, colour="#E8E8E8", style="-", width=0.6)
        for level in known:
            yield from _level_marks(cells, level, scale, "" if single else labels[level], grid)
        for nth, mine in grid.by_series(cells):
            for which, measure in enumerate(measures):
                drawn, style = interval(mine, measure.column, scale), look(nth)
                if len(grid.xs) > (1 if single else 3):
                    thin: dict[str, Any] = {"colour": style["colour"], "style": "-"}
                    yield Line(grid.at(mine, which), drawn["y"], width=0.9, opacity=0.6, **thin)
                style["style"] = "none"
                yield Points(grid.at(mine, which), filled=measure.filled, **drawn, **style)
        for cell, number, value in stated_numbers(data, cells, columns):
            x = float(grid.at(pd.DataFrame([cell]), columns.index(number.measure))[0])
            point = stated_point(number, x, scale * value)
            if not single:
                yield point
            elif number.paper != "reproduction":  # which is in the comparison
                yield replace(point, label="", names=[f"{number.paper}: {scale * value:g}{unit}"])
        yield from strongest if single else ()

    strongest = list(_strongest(curves, data, grid, scale)) if columns[0] == "rank1" else []
    names = [
        *([_at_end(strongest[0], "strongest attacker (dotted)", INK)] if strongest else []),
        *_names(curves, measures, scale, grid),
        *(
            Name(len(grid.xs) - 0.5, scale * float(curves[level.column].dropna().iloc[-1]), words)
            for level, words in labels.items()
        ),
    ]
    ticks = list(dict.fromkeys(tick_words(plan.x, value) for value in curves[plan.x]))
    many = len(grid.xs) > 8
    wide = 0.28 * len(grid.xs) * len(grid.series) + 0.9
    each = min(max(wide, 0.62 * len(grid.xs) + 0.6, 2.9), 10.5)
    yield from facet_pages(
        curves,
        plan,
        marks,
        title=title,
        x=Axis(
            axis_title(plan.x),
            (-0.5, len(grid.xs) - 0.5),
            ticks=range(len(grid.xs)),
            names=ticks if many else [fill(name, 12) for name in ticks],
            upright=many,
        ),
        y=y or percent("targets (%)"),
        note=note,
        each=max(each + 2, 6.0) if single else each,
        legend=[] if single else [*_legend(grid.series)],
        names=names if single else [],
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """Where the cells of a panel stand: a slot for each series, halved for two measures."""

    plan: FacetPlan
    xs: Sequence[str]
    series: Sequence[str]
    measures: int

    def at(self, cells: pd.DataFrame, measure: int) -> NDArray[np.float64]:
        """Return the x positions of a measure."""
        slot = _SPREAD / len(self.series)
        aside = offset(measure, self.measures, slot / 2)
        return np.array(
            [
                self.xs.index(level_words(self.plan.x, cell[self.plan.x]))
                + offset(self.plan.place(cell, self.series), len(self.series), slot)
                + aside
                for cell in row_dicts(cells)
            ]
        )

    def by_series(self, cells: pd.DataFrame) -> Iterator[tuple[int, pd.DataFrame]]:
        """Yield the cells of each series, with its number."""
        of = np.array([self.plan.place(cell, self.series) for cell in row_dicts(cells)])
        for nth in range(len(self.series)):
            yield nth, cells[of == nth]


def _names(
    curves: pd.DataFrame, measures: Sequence[Measure], scale: float, grid: _Grid
) -> Iterator[Name]:
    """Yield the names of series, or of the measures of a single one, at their last points."""
    for nth, mine in grid.by_series(curves):
        for which, measure in enumerate(measures):
            known = mine[mine[measure.column].notna()]
            if len(known) and (which == 0 or len(grid.series) == 1):
                heights = scale * known[measure.column].to_numpy(np.float64)
                words = grid.series[nth] or measure.label
                yield _at_end(Line(grid.at(known, which), heights), words, look(nth)["colour"])


def _at_end(line: Line, words: str, colour: str) -> Name:
    x, y = (float(np.asarray(values)[-1]) for values in (line.x, line.y))
    return Name(x, y, words, colour)


def _strongest(curves: pd.DataFrame, data: Data, grid: _Grid, scale: float) -> Iterator[Line]:
    """Yield the higher rate of the attack and of the Bayes-optimal attacker, for each series."""
    if data.strongest is None:
        return
    same = curves.merge(data.strongest[["cell", "rank1"]], on="cell", suffixes=("", "_bayes"))
    same["rank1"] = same[["rank1", "rank1_bayes"]].max(axis=1)
    for nth, mine in grid.by_series(same[same["rank1"].notna()]):
        if len(mine):
            style: dict[str, Any] = {"colour": look(nth)["colour"], "style": ":"}
            yield Line(grid.at(mine, 0), scale * mine["rank1"].to_numpy(np.float64), **style)


def _legend(series: Sequence[str]) -> Iterator[Mark]:
    """Yield the colours of the series."""
    for nth, name in enumerate(series):
        if name:
            yield Points(label=name, **look(nth) | {"style": "none"})


def _level_marks(
    cells: pd.DataFrame, level: Level, scale: float, label: str, grid: _Grid
) -> Iterator[Rule]:
    """One line across the panel, or one for each cell where they differ."""
    known = cells[cells[level.column].notna()]
    heights = scale * known[level.column].to_numpy(np.float64)
    if heights.size and np.ptp(heights) == 0:
        yield Rule(float(heights[0]), label=label, style=level.style)
        return
    for value, height in zip(known[grid.plan.x], heights.tolist(), strict=True):
        place = grid.xs.index(level_words(grid.plan.x, value))
        between = (place - 0.46, place + 0.46)
        yield Rule(height, between=between, label=label, style=level.style)


def _level_label(curves: pd.DataFrame, level: Level, scale: float, unit: str) -> str:
    values = curves[level.column].dropna().to_numpy(np.float64)
    return level.label + (f" ({scale * values[0]:.2g}{unit})" if np.ptp(values) == 0 else "")
