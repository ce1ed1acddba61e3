"""The effect of people hiding mentions (F06, Fig. 8) or adding decoys (Fig. 9).

Invariant: all shares along a line are of the same people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sim.axes.registry import axes_of, words_of
from sim.axes.words import Countermeasure
from sim.metrics.curves import axis_columns
from sim.metrics.identification import DEPTHS
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Points
from sim.report.figures.facets import differing
from sim.report.figures.series import interval, look, offset, percent, stated_numbers, stated_point
from sim.report.population import populations_text
from sim.study.labels import level_words

_APART = 0.006
"""Distance between the points of neighbouring lines, as a fraction of the x axis."""


def pages(data: Data) -> Iterator[Page]:
    """Yield k-identification over each countermeasure and each combination of the other axes."""
    curves = data.tables["curves"]
    drawn = curves[curves["k1"].notna()]
    varying = differing(drawn, axis_columns(drawn))
    for axis in countermeasures(drawn):
        others = [a for a in varying if a != axis]
        groups = drawn.groupby(others, sort=False, dropna=False) if others else [((), drawn)]
        for _, rows in groups:
            lines = [(f"k = {k}", rows, f"k{k}") for k in DEPTHS]
            words = ", ".join(level_words(a, rows[a].iloc[0]) for a in others)
            yield defence_page(axis, lines, words, data)


def countermeasures(curves: pd.DataFrame) -> list[str]:
    """Return the axes that vary and along which people protect themselves.

    Examples
    --------
    >>> countermeasures(pd.DataFrame({"decoys": [0, 5], "hide_rarest": 0, "aux": ["1/1", "2/2"]}))
    ['decoys']
    """
    return differing(curves, [axis.name for axis in axes_of() if axis.countermeasure])


def defence_page(
    axis: str, lines: Sequence[tuple[str, pd.DataFrame, str]], words: str, data: Data
) -> Page:
    """Return a page of lines over the amount of hiding or decoys.

    Parameters
    ----------
    axis : str
        The x axis: one of `countermeasures`.
    lines : sequence of tuple
        Label, rows and measure. If all measures are k1, the lines are close together: points are
        drawn with an offset, and the y axis is cut to their range.
    words : str
        Levels that all points share, to begin the caption.
    data : Data
        Its numbers are marked.

    Raises
    ------
    ValueError
        The axis has no `Countermeasure`.
    """
    figure = words_of(axis).countermeasure
    if figure is None:
        raise ValueError(f"{axis}: the axis states no countermeasure")
    return _page(figure, axis, lines, words, data)


def _page(
    figure: Countermeasure,
    axis: str,
    lines: Sequence[tuple[str, pd.DataFrame, str]],
    words: str,
    data: Data,
) -> Page:
    all_k1 = all(column == "k1" for _, _, column in lines)

    def marks() -> Iterator[Mark]:
        for nth, (label, rows, column) in enumerate(lines):
            rows = rows.sort_values(axis)
            x = figure.scale * rows[axis].to_numpy(np.float64)
            if all_k1:
                x = x + offset(nth, len(lines), _APART * x.max())
                shares = interval(rows, column)
                yield Points(x, size=4.5, edge=1.0, label=label, **shares, **look(nth))
            else:
                yield Line(x, label=label, **interval(rows, column), **look(nth))
            for row, number, value in stated_numbers(data, rows, [column]):
                yield stated_point(number, figure.scale * float(row[axis]), 100 * value)

    drawn = list(marks())
    y = percent("people (%)")
    if all_k1:
        tops = [100 * float(rows["k1_high"].max()) for _, rows, _ in lines]
        tops += [float(m.y[0]) for m in drawn if isinstance(m, Points) and m.stated]
        y = Axis("people identified (%)", (-1, 4 + max(tops)), ticks=range(0, 101, 10))
    every = pd.concat([rows for _, rows, _ in lines])
    intervals = f"{'bars' if all_k1 else 'bands'}: 95% intervals"
    return Page(
        figure.title,
        [Panel(drawn, Axis(figure.x_title, whole=10), y)],
        "; ".join([*([words] if words else []), f"targets: {populations_text(every)}", intervals]),
        each=7.4,
    )


SPEC = FigureSpec(
    "People identified, by the share of their mentions they hide or the number of decoys they add.",
    pages,
    needs=[("curves", "k1")],
    applies=lambda data: bool(countermeasures(data.tables["curves"])),
)
