"""Assigns the axes of a grid to colours, panels and pages.

Invariant: every cell of the grid is in exactly one panel, whatever axes the grid has; the axes,
colours and levels are the same on all pages.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd

from sim.axes.registry import words_of
from sim.metrics.curves import axis_columns
from sim.plot.spec import Axis, Mark, Name, Page, Panel
from sim.report.figures.series import MOST
from sim.report.population import populations_text
from sim.study.labels import is_informative, level_words

PER_PAGE = 12
"""Panels on a page, at most."""

_WIDTH = 10.6
"""Inches side by side, at most, so that a page can still be read when it is fitted to paper."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FacetPlan:
    """The use of each axis of a grid in a figure.

    Parameters
    ----------
    x : str
        Across a panel.
    series : str or None
        Distinguished by colour and marker; at most as many levels as there are colours.
    facets : tuple of str
        One panel for each combination of their levels.
    constant : tuple of str
        Axes with one level only.
    """

    x: str
    series: str | None
    facets: tuple[str, ...]
    constant: tuple[str, ...]

    def names(self, curves: pd.DataFrame) -> list[str]:
        """Name the series, in the grid's order; a single one has no name.

        Examples
        --------
        >>> FacetPlan("aux", None, (), ()).names(pd.DataFrame({"aux": ["2/2"]}))
        ['']
        """
        return levels(curves, self.series) if self.series else [""]

    def place(self, cell: Mapping[Any, Any], names: Sequence[str]) -> int:
        """Return the number of the series that a cell belongs to, among all `names`.

        Examples
        --------
        >>> FacetPlan("aux", "date_noise", (), ()).place({"date_noise": 3}, ["dates ±3 days"])
        0
        """
        return names.index(level_words(self.series, cell[self.series])) if self.series else 0


def plan_cells(curves: pd.DataFrame) -> FacetPlan:
    """Choose the x axis, the colours and the panels.

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> plan_cells(pd.DataFrame({"aux": ["2/2", "6/8"], "date_noise": [3, 14], "loss": 0.5}))
    FacetPlan(x='aux', series='date_noise', facets=(), constant=('loss',))
    """
    axes, varying = _axes(curves)
    by_x = sorted(varying, key=lambda axis: words_of(axis).x_order)
    order = sorted(by_x, key=lambda axis: words_of(axis).prefers_colour)
    x = order[0] if order else (axes[0] if axes else "cell")
    by_colour = sorted(by_x, key=lambda axis: not words_of(axis).prefers_colour)
    rest = [axis for axis in by_colour if axis != x]
    few = [axis for axis in rest if len(levels(curves, axis)) <= MOST]
    series = few[0] if few else None
    facets = tuple(axis for axis in axes if axis in rest and axis != series)
    return FacetPlan(x, series, facets, tuple(a for a in axes if a not in varying and a != x))


def plan_series(
    curves: pd.DataFrame, across: str, without: Container[str] = (), coloured: bool = True
) -> FacetPlan:
    """Choose colours and panels where the x axis is not an axis of the grid.

    Parameters
    ----------
    across : str
        The x axis of a panel.
    without : container of str
        Axes that are distinguished in another way.
    coloured : bool
        Whether colours distinguish levels of an axis.

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> plan_series(pd.DataFrame({"aux": ["2/2", "6/8"], "loss": [0.1, 0.5]}), "n")
    FacetPlan(x='n', series='aux', facets=('loss',), constant=())
    """
    axes, varying = _axes(curves, without)
    order = sorted(varying, key=lambda axis: words_of(axis).x_order)
    few = [axis for axis in order if coloured and len(levels(curves, axis)) <= MOST]
    series = few[0] if few else None
    facets = tuple(axis for axis in varying if axis != series)
    return FacetPlan(across, series, facets, tuple(a for a in axes if a not in varying))


def _axes(curves: pd.DataFrame, without: Container[str] = ()) -> tuple[list[str], list[str]]:
    if curves.empty:
        raise ValueError("there is no curve to draw")
    axes = [axis for axis in axis_columns(curves) if axis not in without]
    return axes, [axis for axis in axes if len(levels(curves, axis)) > 1]


def levels(curves: pd.DataFrame, axis: str) -> list[str]:
    """Return an axis's levels in words, in the grid's order.

    Examples
    --------
    >>> levels(pd.DataFrame({"date_noise": [14, 3, 14]}), "date_noise")
    ['dates ±14 days', 'dates ±3 days']
    """
    return list(dict.fromkeys(level_words(axis, value) for value in curves[axis]))


def differing(rows: pd.DataFrame, axes: Iterable[str]) -> list[str]:
    """Return those of the axes on which the rows differ."""
    return [a for a in axes if a in rows.columns and rows[a].nunique(dropna=False) > 1]


def panels_of(curves: pd.DataFrame, plan: FacetPlan) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the title and the cells of every panel.

    Examples
    --------
    >>> frame = pd.DataFrame({"aux": "2/2", "loss": [0.1, 0.2, 0.1]})
    >>> plan = FacetPlan(x="aux", series=None, facets=("loss",), constant=())
    >>> [(title, len(cells)) for title, cells in panels_of(frame, plan)]
    [('loss 0.1', 2), ('loss 0.2', 1)]
    """
    keys = [
        ", ".join(level_words(axis, value) for axis, value in zip(plan.facets, cell, strict=True))
        for cell in zip(*(curves[axis] for axis in plan.facets), strict=True)
    ] or [""] * len(curves)
    for key in dict.fromkeys(keys):
        yield key, curves[[other == key for other in keys]]


def facet_pages(
    curves: pd.DataFrame,
    plan: FacetPlan,
    marks: Callable[[pd.DataFrame], Iterable[Mark]],
    *,
    title: str,
    x: Axis,
    y: Axis,
    note: str,
    each: float = 3.4,
    legend: Sequence[Mark] = (),
    names: Sequence[Name] = (),
) -> Iterator[Page]:
    """Yield pages of panels that share their axes, for a grid of any size.

    Parameters
    ----------
    curves : DataFrame
        All cells.
    marks : callable
        Makes the marks of the cells of one panel.
    title : str
        Gets the page's number where there are several.
    x, y, each, legend
        As of `Page`.
    names : sequence of Name
        Of a single panel.
    note : str
        Ends the caption.
    """
    pages = chunks(list(panels_of(curves, plan)), PER_PAGE)
    for page, shown in enumerate(pages, 1):
        yield Page(
            title if len(pages) == 1 else f"{title} ({page} of {len(pages)})",
            [Panel(list(marks(cells)), x, y, name, names=names) for name, cells in shown],
            _caption(curves, plan, note),
            across=_across(curves, plan, len(shown), int(_WIDTH // each)),
            each=each,
            height=3.4 if names else 2.7,
            shared="xy",
            legend=legend,
        )


def chunks(things: Sequence[T], most: int) -> list[Sequence[T]]:
    """Return things in groups of `most`, in their order; the last may be smaller.

    Examples
    --------
    >>> chunks("abcde", 2)
    ['ab', 'cd', 'e']
    """
    return [things[begin : begin + most] for begin in range(0, len(things), most)]


def _across(curves: pd.DataFrame, plan: FacetPlan, count: int, room: int) -> int:
    """Return the number of panels in a row: two facet axes form a table if it fits."""
    if len(plan.facets) == 2:
        wide = len(levels(curves, plan.facets[1]))
        if wide <= room and count % wide == 0:
            return wide
    return max(1, min(count, room, 3))


def _caption(curves: pd.DataFrame, plan: FacetPlan, note: str) -> str:
    """Return the levels that all points share, and the population of the targets."""
    shared = shared_levels(curves, plan.constant)
    return "; ".join(
        [
            *([", ".join(shared)] if shared else []),
            f"targets: {populations_text(curves)}",
            *([note] if note else []),
        ]
    )


def shared_levels(rows: pd.DataFrame, axes: Iterable[str]) -> list[str]:
    """Return the one level of each of these axes in words, without defaults."""
    first = [(axis, rows[axis].iloc[0]) for axis in axes]
    return [level_words(axis, level) for axis, level in first if is_informative(axis, level)]
