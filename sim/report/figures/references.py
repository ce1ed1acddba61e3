"""Numbers that the papers or a reproduction state, marked in pictures.

Invariant: a mark stands over a cell that the statement speaks of, at the value it states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from sim.papers.papers import PaperNumber, matching_cells
from sim.report.figures.style import INK

_DATA = {"netflix_prize": "Netflix Prize", "movielens_2006": "MovieLens"}

_LOOKS: Mapping[bool, Mapping[str, Any]] = {
    True: {"marker": "D", "markersize": 10.0, "markeredgewidth": 1.1},
    False: {"marker": "_", "markersize": 11.0, "markeredgewidth": 1.6},
}
"""A paper's number is a frame around our point, a reproduction's a dash."""


@dataclass(frozen=True, slots=True)
class References:
    """What is stated elsewhere, and what is needed to know which cells it is about.

    Parameters
    ----------
    numbers : sequence of PaperNumber
        Those about other measures or cells are left out.
    fixed : Mapping
        Axes without a column, with their one value.
    """

    numbers: Sequence[PaperNumber] = ()
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def about(
        self, cells: pd.DataFrame, measures: Sequence[str]
    ) -> Iterator[tuple[dict[str, Any], PaperNumber]]:
        """Yield every cell with a number stated about it.

        Parameters
        ----------
        cells : DataFrame
            Rows of ``curves.parquet``.
        measures : sequence of str
            The columns drawn.

        Yields
        ------
        tuple of dict and PaperNumber
            In the order of the numbers.
        """
        for number in self.numbers:
            if number.value is not None and number.measure in measures:
                for cell in matching_cells(cells, number, self.fixed).to_dict("records"):
                    yield {str(key): value for key, value in cell.items()}, number


def mark(axes: Axes, x: float, y: float, number: PaperNumber) -> dict[str, bool]:
    """Mark a number.

    Parameters
    ----------
    axes : Axes
    x, y : float
        In the axes' own units.
    number : PaperNumber

    Returns
    -------
    dict of str to bool
        Its words for the legend, and whether a paper states it.
    """
    stated = number.paper != "reproduction"
    axes.plot([x], [y], **_look(stated), zorder=4)
    who = f"{number.paper} {number.figure}".strip() if stated else "a reproduction"
    return {f"{who} ({_DATA.get(number.data, number.data)})": stated}


def reference_handles(used: Mapping[str, bool]) -> list[Line2D]:
    """Make the legend's entries of what `mark` returned.

    Parameters
    ----------
    used : dict of str to bool

    Returns
    -------
    list of Line2D
    """
    return [Line2D([], [], label=label, **_look(stated)) for label, stated in used.items()]


def _look(stated: bool) -> dict[str, Any]:
    look = {"color": INK, "markerfacecolor": "none", "linestyle": "none", "clip_on": False}
    return look | dict(_LOOKS[stated])
