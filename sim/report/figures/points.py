"""Points with intervals: one measure of every cell, or two side by side.

Invariant: every cell is drawn with its intervals, no two points of a panel stand on one another,
and a level of a line (a baseline, log2 N) is that of the very cells it runs along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sim.report.figures.multiples import Sheet
from sim.report.figures.panels import Plan, levels
from sim.report.figures.references import References, mark, reference_handles
from sim.report.figures.style import COLOURS, FAINT, INK, LINES, MARKERS
from sim.study.labels import axis_title, level_words, tick_words

_SPREAD = 0.76
"""Share of the room between two x positions that a cluster of points takes."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What a point stands for.

    Parameters
    ----------
    column : str
        Its interval is in ``column_low`` and ``column_high``.
    label : str
        For the legend.
    filled : bool
        Whether its points are filled.
    """

    column: str
    label: str
    filled: bool = True


@dataclass(frozen=True, slots=True)
class Level:
    """A line to compare points with.

    Parameters
    ----------
    column : str
    label : str
        For the legend; the value is added where it is the same in all cells.
    line : str
        matplotlib's line style.
    """

    column: str
    label: str
    line: str = ":"


@dataclass(frozen=True, slots=True, kw_only=True)
class Points:
    """A picture of points.

    Parameters
    ----------
    title : str
    measures : sequence of Measure
        One or two.
    levels : sequence of Level
        Those that are null in all cells are left out.
    scale : float
        Factor from the columns to what is drawn: 100 for percent.
    y_title : str
    y_limits : tuple of float
    y_step : float
        Between ticks.
    unit : str
        Follows the value of a level in the legend.
    references : References
    note : str
        Ends the caption.
    """

    title: str
    measures: Sequence[Measure]
    levels: Sequence[Level] = ()
    scale: float = 100.0
    y_title: str = "targets (%)"
    y_limits: tuple[float, float] = (-3.0, 104.0)
    y_step: float = 20.0
    unit: str = "%"
    references: References = field(default_factory=References)
    note: str = "bars: 95% intervals"

    def sheet(self, curves: pd.DataFrame, plan: Plan) -> Sheet:
        """Lay the picture out.

        Parameters
        ----------
        curves : DataFrame
            As ``curves.parquet``.
        plan : Plan

        Returns
        -------
        Sheet
        """
        xs = levels(curves, plan.x)
        series = plan.names(curves)
        ticks = list(dict.fromkeys(tick_words(plan.x, value) for value in curves[plan.x]))
        known = [level for level in self.levels if curves[level.column].notna().any()]
        used: dict[str, bool] = {}

        def draw(axes: Axes, cells: pd.DataFrame) -> None:
            for between in range(1, len(xs)):
                axes.axvline(between - 0.5, color="#E8E8E8", linewidth=0.6, zorder=0)
            for level in known:
                self._draw_level(axes, cells, level, plan, xs)
            self._draw_cells(axes, cells, plan, xs, series)
            used.update(self._draw_references(axes, cells, plan, xs, series))
            many = len(xs) > 8
            axes.set_xticks(range(len(xs)), ticks if many else [fill(tick, 12) for tick in ticks])
            axes.set_xlim(-0.5, len(xs) - 0.5)
            axes.set_ylim(*self.y_limits)
            axes.set_yticks(np.arange(0, self.y_limits[1], self.y_step))
            axes.tick_params(axis="x", bottom=False, labelrotation=90 if many else 0)

        def handles(letters: int) -> list[Line2D]:
            found = [
                *self._point_handles(plan, series, letters),
                *reference_handles(used),
                *(self._level_handle(curves, level) for level in known),
            ]
            used.clear()
            return found

        return Sheet(
            curves=curves,
            plan=plan,
            title=self.title,
            each=min(max(0.28 * len(xs) * len(series) + 0.9, 0.62 * len(xs) + 0.6, 2.9), 10.5),
            draw=draw,
            handles=handles,
            x_title=axis_title(plan.x),
            y_title=self.y_title,
            note=self.note,
        )

    def _aside(self, nth: int, series: Sequence[str]) -> float:
        """How far the nth measure's points stand from the centre of their cell."""
        if len(self.measures) == 1:
            return 0.0
        return _SPREAD / len(series) / 4 * (-1 if nth == 0 else 1)

    def _draw_cells(
        self, axes: Axes, cells: pd.DataFrame, plan: Plan, xs: Sequence[str], series: Sequence[str]
    ) -> None:
        for s, name in enumerate(series):
            mine = cells
            if plan.series:
                mine = cells[[level_words(plan.series, v) == name for v in cells[plan.series]]]
            centres = [_position(plan, cell, xs, series) for cell in mine.to_dict("records")]
            for nth, measure in enumerate(self.measures):
                value, low, high = (
                    self.scale * mine[f"{measure.column}{end}"] for end in ("", "_low", "_high")
                )
                at = [centre + self._aside(nth, series) for centre in centres]
                if len(xs) > 3:
                    axes.plot(
                        at, value, color=COLOURS[s], linestyle=LINES[s], linewidth=0.9, alpha=0.6
                    )
                axes.errorbar(
                    *(at, value, [value - low, high - value]),
                    linestyle="none",
                    marker=MARKERS[s],
                    color=COLOURS[s],
                    markerfacecolor=COLOURS[s] if measure.filled else "white",
                    markeredgewidth=1.2,
                    elinewidth=1.1,
                    zorder=3,
                )

    def _draw_level(
        self, axes: Axes, cells: pd.DataFrame, level: Level, plan: Plan, xs: Sequence[str]
    ) -> None:
        look: dict[str, Any] = {
            "color": FAINT,
            "linestyle": level.line,
            "linewidth": 1.2,
            "zorder": 1,
        }
        known = cells[cells[level.column].notna()]
        heights = self.scale * known[level.column].to_numpy(np.float64)
        if heights.size and np.ptp(heights) == 0:
            axes.axhline(heights[0], **look)
            return
        for cell, height in zip(known.to_dict("records"), heights.tolist(), strict=True):
            place = xs.index(level_words(plan.x, cell[plan.x]))
            axes.hlines(height, place - 0.46, place + 0.46, **look)

    def _draw_references(
        self, axes: Axes, cells: pd.DataFrame, plan: Plan, xs: Sequence[str], series: Sequence[str]
    ) -> dict[str, bool]:
        used: dict[str, bool] = {}
        names = [measure.column for measure in self.measures]
        for cell, number in self.references.about(cells, names):
            at = _position(plan, cell, xs, series)
            at += self._aside(names.index(number.measure), series)
            used |= mark(axes, at, self.scale * float(number.value or 0), number)
        return used

    def _point_handles(self, plan: Plan, series: Sequence[str], letters: int) -> list[Line2D]:
        neutral, marker = (INK, "o") if plan.series else (COLOURS[0], MARKERS[0])
        points = [
            _handle(m.label, neutral, marker, neutral if m.filled else "white", letters)
            for m in self.measures
        ]
        if plan.series:
            points = [
                _handle(name, COLOURS[s], MARKERS[s], COLOURS[s], letters)
                for s, name in enumerate(series)
            ] + points
        return points

    def _level_handle(self, curves: pd.DataFrame, level: Level) -> Line2D:
        values = curves[level.column].dropna().to_numpy(np.float64)
        same = f" ({self.scale * values[0]:.2g}{self.unit})" if np.ptp(values) == 0 else ""
        look: dict[str, Any] = {"color": FAINT, "linestyle": level.line, "linewidth": 1.2}
        return Line2D([], [], label=level.label + same, **look)


def _position(
    plan: Plan, cell: Mapping[Any, Any], xs: Sequence[str], series: Sequence[str]
) -> float:
    """Return where on the x axis a cell's points are centred."""
    s = plan.place(cell, series)
    slot = _SPREAD / len(series)
    return xs.index(level_words(plan.x, cell[plan.x])) + (s - (len(series) - 1) / 2) * slot


def _handle(label: str, colour: str, marker: str, face: str, letters: int) -> Line2D:
    look: dict[str, Any] = {"color": colour, "marker": marker, "markerfacecolor": face}
    return Line2D([], [], label=fill(label, letters), markeredgewidth=1.2, linestyle="none", **look)
