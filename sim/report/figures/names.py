"""Words beside points, in place of a legend."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from sim.plot.spec import Name

_WIDTH = 22
"""Characters of a line."""

_SIZE, _LINE = 8.0, 0.17
"""Points of the letters, and inches from line to line."""

_LEADER: dict[str, Any] = {"arrowstyle": "-", "linewidth": 0.6, "alpha": 0.6, "relpos": (0, 0.5)}


def draw_names(axes: Axes, names: Sequence[Name], height: float) -> None:
    """Write names at the right of a panel, each with a line to its point, none over another.

    Parameters
    ----------
    height : float
        Inches of the panel.
    """
    words = [fill(name.words, _WIDTH) for name in names]
    low, high = axes.get_ylim()
    line = _LINE * (high - low) / height
    heights = [line * (1 + text.count("\n")) for text in words]
    at = apart([name.y for name in names], heights, low)
    for name, text, y in zip(names, words, at.tolist(), strict=True):
        axes.annotate(
            text,
            (name.x, name.y),
            (1.03, y),
            textcoords=axes.get_yaxis_transform(),
            color=name.colour,
            fontsize=_SIZE,
            verticalalignment="center",
            annotation_clip=False,
            arrowprops=_LEADER | {"color": name.colour},
        )


def apart(at: Sequence[float], heights: Sequence[float], low: float) -> NDArray[np.float64]:
    """Move the middles of lines of text so that none overlaps another, or `low`.

    Examples
    --------
    >>> apart([99.0, 100.0, 1.0, 50.0], [4.0] * 4, 0.0).tolist()
    [96.0, 100.0, 2.0, 50.0]
    """
    middles = np.array(at, np.float64)
    order = sorted(range(len(at)), key=lambda place: (-at[place], place))
    ceiling = np.inf
    for place in order:
        middles[place] = min(middles[place], ceiling - heights[place] / 2)
        ceiling = middles[place] - heights[place] / 2
    floor = low
    for place in reversed(order):
        middles[place] = max(middles[place], floor + heights[place] / 2)
        floor = middles[place] + heights[place] / 2
    return middles
