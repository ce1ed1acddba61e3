"""The house style of all figures, and saving them.

Invariant: the same figure gives the same bytes: no time, random id or user setting of matplotlib
gets into a file. A file is written in whole or not at all.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sim.files.disk import write_file
from sim.plot.palette import INK

DPI = 200

_SHOWN_DPI = 100
"""In a notebook, which shows pixels as they are."""

_HOUSE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "grid.color": "#D9D9D9",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.title_fontsize": 8.5,
    "legend.labelspacing": 0.6,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.07,
    "figure.titlesize": 11.0,
    "figure.titleweight": "bold",
    "figure.facecolor": "white",
    "text.color": INK,
    "lines.linewidth": 1.4,
    "lines.markersize": 6.0,
    "errorbar.capsize": 2.5,
    "savefig.dpi": DPI,
    "text.parse_math": False,  # an identifier may hold a dollar sign
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw in the house style, whatever the user's own settings are."""
    with style.context(["default", _HOUSE]):
        yield


class ShownFigure(Figure):
    """A figure that a notebook shows, though it was not made by pyplot."""

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        with house_style():
            self.savefig(buffer, format="png", dpi=_SHOWN_DPI)
        return buffer.getvalue()


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches, without a window, to fill within `house_style`."""
    figure = ShownFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as PNG into a folder, made where it is missing, and return the file.

    Raises
    ------
    StandoutError
        The file cannot be written.
    """
    buffer = io.BytesIO()
    with house_style():
        _lay_out(figure)
        # The version of matplotlib would change the bytes.
        figure.savefig(buffer, format="png", metadata={"Software": None})
    return write_file(folder / f"{name}.png", buffer.getvalue(), "figure")


def _lay_out(figure: Figure) -> None:
    """Compute the layout before the file is drawn: matplotlib would draw twice."""
    engine = figure.get_layout_engine()
    if engine is not None and figure.axes:
        figure.set_dpi(DPI)
        with warnings.catch_warnings():
            # Labels may leave a plot no room: it is drawn, and nobody can do more about it.
            warnings.filterwarnings("ignore", "constrained_layout not applied")
            engine.execute(figure)
    figure.set_layout_engine(None)


def shown_width(png: Path) -> int:
    """Return how wide a saved figure is on a page, in pixels of CSS, of which an inch has 96."""
    # A PNG says its width there first; the file is of a run folder, so nothing else of it is read.
    with png.open("rb") as file:
        head = file.read(20)
    return round(int.from_bytes(head[16:], "big") * 96 / DPI)
