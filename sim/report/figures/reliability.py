"""Whether an attack that gives probabilities keeps its word: right against claimed (spec §4.1).

Invariant: every bin that holds a guess is drawn, with its interval; on the diagonal the attack
claims what it achieves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.report.figures.multiples import PER_PAGE, Sheet
from sim.report.figures.panels import plan_series
from sim.report.figures.style import COLOURS, FAINT, INK, MARKERS

TITLE = "Whether guesses are right as often as the attacker claims"

_SMALLEST, _LARGEST = 3.0, 9.0
"""Points, for a bin of next to no guesses and a bin of all."""


def figure_reliability(curves: pd.DataFrame, reliability: pd.DataFrame, **options: Any) -> Figure:
    """Draw the share of right guesses over the probability claimed.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``; cells without a present target are left out.
    reliability : DataFrame
        As ``reliability.parquet``.
    **options
        As for `reliability_pages`.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        No target is present.
    """
    return next(reliability_pages(curves, reliability, per_page=None, **options))


def reliability_pages(
    curves: pd.DataFrame,
    reliability: pd.DataFrame,
    *,
    per_page: int | None = PER_PAGE,
    title: str = TITLE,
) -> Iterator[Figure]:
    """Draw the reliability of a grid of any size, page by page.

    Parameters
    ----------
    curves, reliability
        As for `figure_reliability`.
    per_page : int or None
        Small multiples on a page, at most; None for all on one.
    title : str

    Yields
    ------
    Figure
    """
    drawn = curves[curves["rank1"].notna()]
    plan = plan_series(drawn, "claimed")
    series = plan.names(drawn)
    by_cell = dict(list(reliability[reliability["n"] > 0].groupby("cell")))

    def draw(axes: Axes, cells: pd.DataFrame) -> None:
        axes.plot([0, 100], [0, 100], color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
        for cell in cells.to_dict("records"):
            s = plan.place(cell, series)
            bins = by_cell[cell["cell"]]
            share, low, high = (
                100 * bins[f"right{end}"].to_numpy(np.float64) for end in ("", "_low", "_high")
            )
            claimed = 100 * bins["claimed"].to_numpy(np.float64)
            axes.errorbar(
                *(claimed, share, [share - low, high - share]),
                linestyle="none",
                color=COLOURS[s],
                elinewidth=1.0,
                zorder=2,
            )
            size = _SMALLEST + (_LARGEST - _SMALLEST) * np.sqrt(bins["n"] / bins["n"].sum())
            axes.scatter(claimed, share, size**2, color=COLOURS[s], marker=MARKERS[s], zorder=3)
        axes.set_xlim(-3, 104)
        axes.set_ylim(-3, 104)
        axes.set_xticks(range(0, 101, 20))
        axes.set_yticks(range(0, 101, 20))

    def handles(letters: int) -> list[Line2D]:  # noqa: ARG001
        points = [
            Line2D([], [], color=colour, marker=marker, linestyle="none", label=name or "guesses")
            for name, colour, marker in zip(series, COLOURS, MARKERS, strict=False)
        ]
        small: dict[str, Any] = {"color": INK, "marker": "o", "linestyle": "none", "markersize": 3}
        label = "the larger, the more guesses"
        return [
            *points,
            Line2D([], [], label=label, **small),
            Line2D([], [], color=FAINT, linestyle=":", linewidth=1.2, label="right as claimed"),
        ]

    yield from Sheet(
        curves=drawn,
        plan=plan,
        title=title,
        each=3.4,
        draw=draw,
        handles=handles,
        x_title="probability claimed (%)",
        y_title="guesses right (%)",
        note="bars: 95% intervals",
    ).pages(per_page)
