"""What people gain by mentioning fewer items (F06, Fig. 8), or decoys (Fig. 9).

Invariant: along a line the shares are of the same people, who mention more and more differently.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from sim.metrics.curves import axis_columns
from sim.metrics.identification import DEPTHS
from sim.report.figures.facets import differing
from sim.report.figures.series import interval, look, offset, percent, stated_point
from sim.report.figures.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Points
from sim.report.words.population import populations_text
from sim.study.labels import level_words

_TITLES = {
    "hide_rarest": "Who is identified when people hide their rarest mentions",
    "decoys": "Who is identified when people add decoys to their mentions",
}
_X_TITLES = {
    "hide_rarest": "mentions hidden, the rarest first (% of those held)",
    "decoys": "decoys mentioned",
}
_SCALES = {"hide_rarest": 100.0, "decoys": 1.0}
_APART = 0.006


def pages(data: Data) -> Iterator[Page]:
    """Yield k-identification over each defence and each combination of the other axes."""
    curves = data.tables["curves"]
    drawn = curves[curves["k1"].notna()]
    varying = differing(drawn, axis_columns(drawn))
    for axis in (a for a in _TITLES if a in varying):
        others = [a for a in varying if a != axis]
        groups = drawn.groupby(others, sort=False, dropna=False) if others else [((), drawn)]
        for _, rows in groups:
            lines = [(f"k = {k}", rows, f"k{k}") for k in DEPTHS]
            words = ", ".join(level_words(a, rows[a].iloc[0]) for a in others)
            yield defence_page(axis, lines, words, data)


def defence_page(
    axis: str, lines: Sequence[tuple[str, pd.DataFrame, str]], words: str, data: Data
) -> Page:
    """Return a page of lines over how much people hide or add.

    Parameters
    ----------
    axis : str
        Along which they do.
    lines : sequence of tuple
        Label, rows and measure. Where all are k1, lines are close together: the points stand
        aside of each other, and the axis ends where they do.
    words : str
        What is the same for all points, to begin the caption.
    data : Data
        Its numbers are marked.
    """
    all_k1 = all(column == "k1" for _, _, column in lines)

    def marks() -> Iterator[Mark]:
        for nth, (label, rows, column) in enumerate(lines):
            rows = rows.sort_values(axis)
            x = _SCALES[axis] * rows[axis].to_numpy(np.float64)
            if all_k1:
                x = x + offset(nth, len(lines), _APART * x.max())
                shares = interval(rows, column)
                yield Points(x, size=4.5, edge=1.0, label=label, **shares, **look(nth))
            else:
                yield Line(x, label=label, **interval(rows, column), **look(nth))
            for row, number, value in data.stated(rows, [column]):
                yield stated_point(number, _SCALES[axis] * float(row[axis]), 100 * value)

    drawn = list(marks())
    y = percent("people (%)")
    if all_k1:
        tops = [100 * float(rows["k1_high"].max()) for _, rows, _ in lines]
        tops += [float(m.y[0]) for m in drawn if isinstance(m, Points) and m.stated]
        y = Axis("people identified (%)", (-1, 4 + max(tops)), ticks=range(0, 101, 10))
    every = pd.concat([rows for _, rows, _ in lines])
    intervals = f"{'bars' if all_k1 else 'bands'}: 95% intervals"
    return Page(
        _TITLES[axis],
        [Panel(drawn, Axis(_X_TITLES[axis], whole=10), y)],
        "; ".join([*([words] if words else []), f"targets: {populations_text(every)}", intervals]),
        each=7.4,
    )


SPEC = FigureSpec(
    "People identified, by how much of their mentions they hide, or how many decoys they add.",
    pages,
    needs=[("curves", "k1")],
    applies=lambda data: bool(differing(data.tables["curves"], _TITLES)),
)
