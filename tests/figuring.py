"""Fills a figure from tables, without drawing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.plot.spec import Data, Plot
from sim.report.figures.draw import FIGURES


def plots_of(name: str, tables: Mapping[str, pd.DataFrame], **given: Any) -> tuple[Plot, ...]:
    """Return the plots of a figure."""
    return FIGURES[name].filled(Data(tables=tables, **given))


def plot_of(name: str, tables: Mapping[str, pd.DataFrame], **given: Any) -> Plot:
    """Return the only plot of a figure."""
    (plot,) = plots_of(name, tables, **given)
    return plot


def heights(plot: Plot, **where: Any) -> list[float]:
    """Return the y of the rows that have these levels, in order."""
    rows = plot.rows
    for name, level in where.items():
        rows = rows[rows[name] == level]
    return [float(y) for y in rows["y"]]


def stated_points(plot: Plot) -> list[tuple[Any, float]]:
    """Return where the numbers of papers stand, sorted."""
    if plot.stated is None:
        return []
    return sorted(zip(plot.stated["x"], plot.stated["y"], strict=True))
