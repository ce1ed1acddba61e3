"""Pages of small multiples: a title, equal panels, and one legend below them all.

Invariant: every panel given is drawn once; panels of a page share their axes; nothing overlaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import fill

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.report.figures.panels import Plan, columns, panels
from sim.report.figures.style import house_style, new_figure
from sim.report.words.population import populations_text
from sim.study.labels import level_words, worth_saying

PER_PAGE = 12
"""Small multiples on a page, at most."""

_WIDTH = 10.6
"""Inches side by side, at most, so that a page can still be read when it is fitted to paper."""

_HEIGHT = 2.7
"""Inches of a panel."""

Shown = Sequence[tuple[str, pd.DataFrame]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What all pages of a picture have in common.

    Parameters
    ----------
    curves : DataFrame
        All cells drawn, for the layout and the caption.
    plan : Plan
    title : str
    each : float
        Inches across a panel.
    draw : callable
        Draws the cells of one panel.
    handles : callable
        Given the letters that fit side by side, the legend's entries; called when all panels of
        the page are drawn.
    x_title, y_title : str
    note : str
        Ends the caption.
    """

    curves: pd.DataFrame
    plan: Plan
    title: str
    each: float
    draw: Callable[[Axes, pd.DataFrame], None]
    handles: Callable[[int], Sequence[Artist]]
    x_title: str
    y_title: str
    note: str

    def pages(self, per_page: int | None = None) -> Iterator[Figure]:
        """Draw all panels, page by page.

        Parameters
        ----------
        per_page : int, optional
            Panels on a page, at most; all on one if not given.

        Yields
        ------
        Figure
            The title gets the page's number where there are several.
        """
        shown = list(panels(self.curves, self.plan))
        size = per_page or len(shown)
        count = -(-len(shown) // size)
        for page in range(count):
            title = self.title if count == 1 else f"{self.title} ({page + 1} of {count})"
            yield self._page(shown[page * size : (page + 1) * size], title)

    def _page(self, shown: Shown, title: str) -> Figure:
        across = columns(self.curves, self.plan, len(shown), int(_WIDTH // self.each))
        rows = -(-len(shown) // across)
        width = max(across * self.each, 6.0)
        with house_style():
            figure = new_figure(width, _HEIGHT * rows)
            grid = figure.subplots(rows, across, sharex=True, sharey=True, squeeze=False)
            for place, (axes, (name, cells)) in enumerate(zip(grid.flat, shown, strict=False)):
                axes.set_title(fill(name, int(12 * width / across)))
                self.draw(axes, cells)
                axes.tick_params(labelbottom=True)
                if place + across >= len(shown):
                    axes.set_xlabel(self.x_title)
                if place % across == 0:
                    axes.set_ylabel(self.y_title)
            for axes in grid.flat[len(shown) :]:
                axes.remove()
            figure.suptitle(fill(title, int(8.5 * width)), x=0.01, horizontalalignment="left")
            self._add_legend(figure, width, rows)
        return figure

    def _add_legend(self, figure: Figure, width: float, rows: int) -> None:
        handles = list(self.handles(int(12 * width)))
        longest = max(len(str(handle.get_label())) for handle in handles)
        beside = max(1, min(int(width / (0.062 * longest + 0.5)), len(handles)))
        below = fill(caption(self.curves, self.plan, self.note), int(13 * width))
        legend = figure.legend(
            handles=handles, loc="outside lower center", ncols=beside, title=below
        )
        legend.get_title().set_multialignment("center")
        lines = -(-len(handles) // beside) + below.count("\n")
        figure.set_figheight(0.85 + _HEIGHT * rows + 0.2 * lines)


def caption(curves: pd.DataFrame, plan: Plan, note: str) -> str:
    """Say what holds for every point, and whom the targets stand for.

    Parameters
    ----------
    curves : DataFrame
    plan : Plan
    note : str

    Returns
    -------
    str

    Examples
    --------
    >>> counts = {"n_targets": 100, "n_present": 100, "n_eligible": 900, "eligible": 1.0}
    >>> frame = pd.DataFrame({"aux": ["2/2"], "value_noise": 0, "present": True, **counts})
    >>> plan = Plan(x="aux", series=None, facets=(), constant=("value_noise", "present"))
    >>> caption(frame, plan, "bars: 95% intervals")
    'exact values; targets: all 900 records (100 sampled); bars: 95% intervals'
    """
    firsts = [(axis, curves[axis].iloc[0]) for axis in plan.constant]
    said = [level_words(axis, level) for axis, level in firsts if worth_saying(axis, level)]
    targets = f"targets: {populations_text(curves)}"
    return "; ".join([*([", ".join(said)] if said else []), targets, *([note] if note else [])])
