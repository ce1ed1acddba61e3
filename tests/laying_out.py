"""Whether a figure can be read: nothing is cut off, and no text covers anything."""

from __future__ import annotations

import itertools
from typing import Any

from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from sim.report.figures.style import house_style


def check_layout(figure: Figure) -> None:
    """Nothing is cut off, and no text covers a panel, the legend or another text."""
    with house_style():
        figure.canvas.draw()
        renderer = figure.canvas.get_renderer()
        whole = figure.bbox.padded(1)
        legend = figure.legends[0].get_window_extent(renderer)
        title = figure.get_suptitle() and figure._suptitle.get_window_extent(renderer)
        boxes = [axes.get_tightbbox(renderer) for axes in figure.axes]
        for box in (legend, title, *boxes):
            assert whole.containsx(box.x0), "cut off on the left"
            assert whole.containsx(box.x1), "cut off on the right"
            assert whole.containsy(box.y0), "cut off below"
            assert whole.containsy(box.y1), "cut off above"
        for box in boxes:
            assert not overlap(box, legend)
            assert not overlap(box, title)
        for one, other in itertools.combinations(boxes, 2):
            assert not overlap(one, other)
        for axes in figure.axes:
            ticks = [tick.get_window_extent(renderer) for tick in axes.get_xticklabels()]
            assert not any(overlap(a, b) for a, b in itertools.pairwise(ticks))


def overlap(one: Any, other: Any) -> bool:
    shared = Bbox.intersection(one, other)
    return shared is not None and min(shared.width, shared.height) > 1
