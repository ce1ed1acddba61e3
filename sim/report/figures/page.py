"""Lays out a page: a title, panels, and one legend with a caption below.

Invariant: every panel is drawn once; nothing overlaps and nothing is cut off, however long the
words are.
"""

from __future__ import annotations

from textwrap import fill
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from sim.plot.spec import LINEAR, Axis, Mark, Page, Panel, Points, Rule
from sim.report.figures.marks import draw_mark, legend_entry
from sim.report.figures.names import draw_names
from sim.report.figures.style import house_style, new_figure


def draw_page(page: Page) -> Figure:
    """Draw a page.

    Examples
    --------
    >>> panel = Panel(marks=[Rule(at=1.0, label="one")], x=Axis(), y=Axis())
    >>> figure = draw_page(Page(title="Two", panels=[panel, panel], caption="nothing", each=3))
    >>> len(figure.axes), [text.get_text() for text in figure.legends[0].get_texts()]
    (2, ['one'])
    """
    across = page.across or len(page.panels)
    rows = -(-len(page.panels) // across)
    width = max(across * page.each, 6.0)
    share_x, share_y = "x" in page.shared, "y" in page.shared
    with house_style():
        figure = new_figure(width, page.height * rows)
        grid = figure.subplots(rows, across, sharex=share_x, sharey=share_y, squeeze=False)
        for place, (axes, panel) in enumerate(zip(grid.flat, page.panels, strict=False)):
            axes.set_title(fill(panel.title, int(12 * width / across)))
            _draw_panel(axes, panel)
            draw_names(axes, panel.names, page.height)
            axes.tick_params(labelbottom=True)
            if share_x and place + across < len(page.panels):
                axes.set_xlabel("")
            if share_y and place % across:
                axes.set_ylabel("")
        for axes in grid.flat[len(page.panels) :]:
            axes.remove()
        figure.suptitle(fill(page.title, int(8.5 * width)), x=0.01, horizontalalignment="left")
        lines = _add_legend(figure, page, width)
        figure.set_figheight(0.8 + page.height * rows + 0.2 * lines)
    return figure


def _draw_panel(axes: Axes, panel: Panel) -> None:
    # Marks of sized or hatched parts need to know the scale that they are drawn on.
    axes.set_xscale(panel.x.scale)
    axes.set_yscale(panel.y.scale, **_SYMLOG if panel.y.scale == "symlog" else {})
    for mark in panel.marks:
        draw_mark(axes, mark)
    _set_axis(axes, "x", panel.x)
    _set_axis(axes, "y", panel.y)
    if panel.lines_across == "x":
        axes.grid(axis="y", visible=False)
        axes.grid(axis="x", visible=True)


_SYMLOG = {"linthresh": LINEAR, "linscale": 1.2}


def _set_axis(axes: Axes, name: Literal["x", "y"], axis: Axis) -> None:
    side = axes.xaxis if name == "x" else axes.yaxis
    side.set_label_text(axis.title)
    if axis.ticks is not None:
        side.set_ticks(list(axis.ticks), labels=axis.names)
        if not axis.minor:
            side.set_minor_locator(NullLocator())
    if axis.form:
        side.set_major_formatter(FuncFormatter(lambda value, _: axis.form.format(value)))
    if axis.whole:
        side.set_major_locator(MaxNLocator(axis.whole, integer=True))
    if axis.names is not None and axis.scale == "linear":
        axes.tick_params(axis=name, length=0, labelrotation=90 if axis.upright else 0)
    if axis.heads:
        for nth, words in enumerate(side.get_ticklabels()):
            words.set_fontsize(7.5)
            words.set_fontweight("bold" if nth in axis.heads else "normal")
    low, high = axis.limits
    if name == "x":
        axes.set_xlim(low, high)
    else:
        axes.set_ylim(low, high)


def _add_legend(figure: Figure, page: Page, width: float) -> int:
    """Add the legend; return how many lines it takes."""
    marks: dict[str, Mark] = {mark.label: mark for mark in page.legend}
    in_panels = [mark for panel in page.panels for mark in panel.marks if mark.label]
    for mark in sorted(in_panels, key=_rank):
        marks.setdefault(mark.label, mark)
    entries = [legend_entry(mark, fill(label, int(12 * width))) for label, mark in marks.items()]
    longest = max((len(str(entry.get_label())) for entry in entries), default=1)
    abreast = max(1, min(int(width / (0.062 * longest + 0.5)), len(entries)))
    caption = fill(page.caption, int(13 * width))
    legend = figure.legend(
        handles=entries, loc="outside lower center", ncols=abreast, title=caption
    )
    legend.get_title().set_multialignment("center")
    return -(-len(entries) // abreast) + caption.count("\n")


def _rank(mark: Mark) -> int:
    """Order of a legend: what was measured, what others state, what it is compared with."""
    return 2 if isinstance(mark, Rule) else int(isinstance(mark, Points) and mark.stated)
