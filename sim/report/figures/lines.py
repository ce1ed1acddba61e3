"""Lines of shares with their intervals, for figures of several runs.

Invariant: one colour, one marker and one line style per line, everywhere in a figure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from sim.report.figures.style import COLOURS, LINES, MARKERS

MOST = len(COLOURS)
"""Lines that can be told apart."""

_SIZE = 4.5


def line(axes: Axes, x: ArrayLike, rows: pd.DataFrame, column: str, look: int) -> None:
    """Draw a share in percent with its 95% interval.

    Parameters
    ----------
    axes : Axes
    x : array_like, shape (n,)
    rows : DataFrame
        n rows with ``column``, ``column_low`` and ``column_high``.
    column : str
    look : int
        Number of the line, below `MOST`.
    """
    low, share, high = (
        100 * rows[f"{column}{end}"].to_numpy(np.float64) for end in ("_low", "", "_high")
    )
    axes.fill_between(np.asarray(x), low, high, color=COLOURS[look], alpha=0.14, linewidth=0)
    axes.plot(
        np.asarray(x),
        share,
        color=COLOURS[look],
        linestyle=LINES[look],
        marker=MARKERS[look],
        markersize=_SIZE,
    )


def points(axes: Axes, x: ArrayLike, rows: pd.DataFrame, column: str, look: int) -> None:
    """Draw a share in percent with its 95% interval as bars: for many lines close together.

    Parameters
    ----------
    axes : Axes
    x : array_like, shape (n,)
    rows, column, look
        As for `line`.
    """
    low, share, high = (
        100 * rows[f"{column}{end}"].to_numpy(np.float64) for end in ("_low", "", "_high")
    )
    axes.errorbar(
        np.asarray(x),
        share,
        [share - low, high - share],
        color=COLOURS[look],
        linestyle=LINES[look],
        marker=MARKERS[look],
        markersize=_SIZE,
        elinewidth=1.0,
    )


def aside(place: int, count: int, step: float) -> float:
    """How far a line's points stand aside of their place, so that none covers another.

    Parameters
    ----------
    place : int
        Number of the line.
    count : int
        Of lines.
    step : float
        Between neighbouring lines.

    Returns
    -------
    float

    Examples
    --------
    >>> [aside(place, 3, 0.1) for place in range(3)]
    [-0.1, 0.0, 0.1]
    """
    return step * (place - (count - 1) / 2)


def line_handles(labels: Sequence[str]) -> list[Line2D]:
    """The legend's entries of lines 0, 1, 2 ...

    Parameters
    ----------
    labels : sequence of str

    Returns
    -------
    list of Line2D

    Examples
    --------
    >>> [handle.get_label() for handle in line_handles(["k = 1", "k = 5"])]
    ['k = 1', 'k = 5']
    """
    return [
        Line2D(
            [],
            [],
            color=COLOURS[i],
            linestyle=LINES[i],
            marker=MARKERS[i],
            markersize=_SIZE,
            label=label,
        )
        for i, label in enumerate(labels)
    ]


def percent_axis(axes: Axes, title: str = "people (%)") -> None:
    """Make the y axis one of shares in percent.

    Parameters
    ----------
    axes : Axes
    title : str
    """
    axes.set_ylim(-3, 104)
    axes.set_yticks(range(0, 101, 20))
    axes.set_ylabel(title)


def people_words(counts: Sequence[int]) -> str:
    """Say how many people points stand for.

    Parameters
    ----------
    counts : sequence of int

    Returns
    -------
    str

    Examples
    --------
    >>> people_words([1000, 1000]), people_words([90, 1200])
    ('1,000 people a point', '90 to 1,200 people a point')
    """
    least, most = min(counts), max(counts)
    said = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"{said} people a point"
