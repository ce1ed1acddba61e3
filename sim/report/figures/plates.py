"""One page of a measurement: a title, panels side by side, one legend with a caption below.

Invariant: nothing overlaps and nothing is cut off, however long the words are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import fill

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.report.figures.style import house_style, new_figure

_HEIGHT = 3.1
"""Inches of a panel."""


def plate(
    title: str,
    panels: Sequence[Callable[[Axes], None]],
    handles: Callable[[], Sequence[Artist]],
    caption: str,
    each: float = 6.4,
) -> Figure:
    """Draw one page.

    Parameters
    ----------
    title : str
    panels : sequence of callable
        Each draws one panel, titles of its axes included.
    handles : callable
        The legend's entries; called when all panels are drawn.
    caption : str
        What holds for all of the page.
    each : float
        Inches across a panel.

    Returns
    -------
    Figure

    Examples
    --------
    >>> def draw(axes):
    ...     _ = axes.plot([1, 2], [1, 2], label="a line")
    >>> figure = plate("Two", [draw, draw], lambda: [], "nothing", each=3)
    >>> len(figure.axes)
    2
    """
    width = each * len(panels)
    with house_style():
        figure = new_figure(width, _HEIGHT)
        for axes, draw in zip(
            figure.subplots(1, len(panels), squeeze=False).flat, panels, strict=True
        ):
            draw(axes)
        figure.suptitle(fill(title, int(8.5 * width)), x=0.01, horizontalalignment="left")
        entries = list(handles())
        longest = max((len(str(entry.get_label())) for entry in entries), default=1)
        beside = max(1, min(int(width / (0.062 * longest + 0.5)), len(entries)))
        below = fill(caption, int(13 * width))
        legend = figure.legend(
            handles=entries, loc="outside lower center", ncols=beside, title=below
        )
        legend.get_title().set_multialignment("center")
        lines = -(-len(entries) // beside) + below.count("\n")
        figure.set_figheight(0.75 + _HEIGHT + 0.2 * lines)
    return figure
