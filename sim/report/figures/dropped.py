"""Who is still found when the rarest items are dropped (F06, Figs. 6 and 7).

Invariant: both panels hold the same points, one for each threshold; people who are left out of the
release with all they held count as not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.metrics.identification import DEPTHS
from sim.papers.papers import PaperNumber
from sim.report.figures.lines import line, line_handles, people_words, percent_axis
from sim.report.figures.plates import plate
from sim.report.figures.references import mark, reference_handles

TITLE = "Who is found when the publisher drops the rarest items"

_PANELS = {
    "items_dropped": "items dropped, the rarest first (%)",
    "cells_dropped": "cells dropped with them (%)",
}


def dropped_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw k-identification against what is dropped.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.papers.joint.dropped`.
    numbers : sequence of PaperNumber
        Those about the share dropped when nobody is found are marked at the bottom.
    settings : Mapping, optional
        Not needed.

    Yields
    ------
    Figure
        One for each grid cell.
    """
    for _, rows in tables["dropped"].groupby("cell"):
        yield _page(rows, numbers)


def _page(rows: pd.DataFrame, numbers: Sequence[PaperNumber]) -> Figure:
    used: dict[str, bool] = {}

    def panel(column: str) -> Callable[[Axes], None]:
        def draw(axes: Axes) -> None:
            for place, k in enumerate(DEPTHS):
                line(axes, 100 * rows[column], rows, f"k{k}", place)
            for number in numbers:
                if number.measure == f"{column}_k1_nil" and number.value is not None:
                    said = mark(axes, 100 * number.value, 0, number)
                    used.update({f"nobody found at k = 1, {who}": is_ for who, is_ in said.items()})
            axes.set_xlim(-2, 102)
            axes.set_xticks(range(0, 101, 20))
            axes.set_xlabel(_PANELS[column])
            percent_axis(axes, "people among the k most likely (%)")

        return draw

    def handles() -> list[Line2D]:
        return [*line_handles([f"k = {k}" for k in DEPTHS]), *reference_handles(used)]

    low, high = (
        int(support) for support in (rows["least_support"].min(), rows["least_support"].max())
    )
    caption = (
        f"{people_words(rows['n_targets'].tolist())}, bands: 95% intervals, dropped: items held by "
        f"fewer than {low:,} to {high:,} records"
    )
    return plate(TITLE, [panel(column) for column in _PANELS], handles, caption, each=5.0)
