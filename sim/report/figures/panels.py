"""Which axis of a grid goes where in a picture: across, by colour, or from panel to panel.

Invariant: every cell of the grid is in exactly one panel, whatever axes the grid has.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.metrics.curves import axis_columns
from sim.report.figures.style import COLOURS
from sim.study.labels import level_words

_FIRST = ("aux", "popularity", "value_noise")


@dataclass(frozen=True, slots=True)
class Plan:
    """What each axis of a grid is used for.

    Parameters
    ----------
    x : str
        Across a panel.
    series : str or None
        Told apart by colour and marker; at most as many levels as there are colours.
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

        Parameters
        ----------
        curves : DataFrame

        Returns
        -------
        list of str

        Examples
        --------
        >>> Plan("aux", None, (), ()).names(pd.DataFrame({"aux": ["2/2"]}))
        ['']
        """
        return levels(curves, self.series) if self.series else [""]

    def place(self, cell: Mapping[Any, Any], names: Sequence[str]) -> int:
        """Tell which of the series a cell belongs to.

        Parameters
        ----------
        cell : dict
        names : sequence of str
            See `names`.

        Returns
        -------
        int

        Examples
        --------
        >>> Plan("aux", "date_noise", (), ()).place({"date_noise": 3}, ["dates ±3 days"])
        0
        """
        return names.index(level_words(self.series, cell[self.series])) if self.series else 0


def plan_panels(curves: pd.DataFrame) -> Plan:
    """Choose the x axis, the colours and the small multiples.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> plan_panels(pd.DataFrame({"aux": ["2/2", "6/8"], "date_noise": [3, 14], "loss": 0.5}))
    Plan(x='aux', series='date_noise', facets=(), constant=('loss',))
    """
    if curves.empty:
        raise ValueError("there is no curve to draw")
    axes = axis_columns(curves)
    varying = [axis for axis in axes if len(levels(curves, axis)) > 1]
    # Dates are told apart by colour, as in the paper, unless nothing else varies.
    others = [axis for axis in varying if axis not in (*_FIRST, "date_noise")]
    order = [axis for axis in (*_FIRST, *others, "date_noise") if axis in varying]
    x = order[0] if order else (axes[0] if axes else "cell")
    rest = [axis for axis in ("date_noise", *_FIRST, *others) if axis in varying and axis != x]
    few = [axis for axis in rest if len(levels(curves, axis)) <= len(COLOURS)]
    series = few[0] if few else None
    facets = tuple(axis for axis in axes if axis in rest and axis != series)
    return Plan(x, series, facets, tuple(a for a in axes if a not in varying and a != x))


def plan_series(curves: pd.DataFrame, across: str, without: Container[str] = ()) -> Plan:
    """Choose colours and small multiples where something else than an axis runs across.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    across : str
        What runs across a panel.
    without : container of str
        Axes that are told apart in another way.

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> plan_series(pd.DataFrame({"aux": ["2/2", "6/8"], "loss": [0.1, 0.5]}), "n")
    Plan(x='n', series='aux', facets=('loss',), constant=())
    """
    if curves.empty:
        raise ValueError("there is no curve to draw")
    axes = [axis for axis in axis_columns(curves) if axis not in without]
    varying = [axis for axis in axes if len(levels(curves, axis)) > 1]
    order = [*(a for a in _FIRST if a in varying), *(a for a in varying if a not in _FIRST)]
    few = [axis for axis in order if len(levels(curves, axis)) <= len(COLOURS)]
    series = few[0] if few else None
    facets = tuple(axis for axis in varying if axis != series)
    return Plan(across, series, facets, tuple(a for a in axes if a not in varying))


def levels(curves: pd.DataFrame, axis: str) -> list[str]:
    """Return an axis's levels in words, in the grid's order.

    Parameters
    ----------
    curves : DataFrame
    axis : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> levels(pd.DataFrame({"date_noise": [14, 3, 14]}), "date_noise")
    ['dates ±14 days', 'dates ±3 days']
    """
    return list(dict.fromkeys(level_words(axis, value) for value in curves[axis]))


def panels(curves: pd.DataFrame, plan: Plan) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield every small multiple.

    Parameters
    ----------
    curves : DataFrame
    plan : Plan

    Yields
    ------
    tuple
        The panel's title and its cells.

    Examples
    --------
    >>> frame = pd.DataFrame({"aux": "2/2", "loss": [0.1, 0.2, 0.1]})
    >>> plan = Plan(x="aux", series=None, facets=("loss",), constant=())
    >>> [(title, len(cells)) for title, cells in panels(frame, plan)]
    [('loss 0.1', 2), ('loss 0.2', 1)]
    """
    keys = [
        ", ".join(level_words(axis, value) for axis, value in zip(plan.facets, cell, strict=True))
        for cell in zip(*(curves[axis] for axis in plan.facets), strict=True)
    ] or [""] * len(curves)
    for key in dict.fromkeys(keys):
        yield key, curves[[other == key for other in keys]]


def columns(curves: pd.DataFrame, plan: Plan, count: int, room: int) -> int:
    """Return how many panels stand side by side: a table of two axes stays one if it fits.

    Parameters
    ----------
    curves : DataFrame
    plan : Plan
    count : int
        Panels to place.
    room : int
        Panels that fit side by side.

    Returns
    -------
    int

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]})
    >>> columns(frame, Plan(x="aux", series=None, facets=("a", "b"), constant=()), 4, 3)
    2
    """
    if len(plan.facets) == 2:
        wide = len(levels(curves, plan.facets[1]))
        if wide <= room and count % wide == 0:
            return wide
    return max(1, min(count, room, 3))
