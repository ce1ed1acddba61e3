"""Who is at risk: the best guess by how long a record is, and by its rarest item.

Invariant: every cell of the grid is drawn, some on a page; a line has the same look in both panels.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sim.papers.papers import PaperNumber
from sim.report.figures.lines import MOST, line, line_handles
from sim.report.figures.plates import plate
from sim.study.labels import level_words, worth_saying

TITLE = "Whom the attacker names right"

_PANELS = (
    ("risk_by_length", "items in the record"),
    ("risk_by_rarest", "records that hold the rarest item of the record"),
)
_MEASURED = ("low", "high", "n", "rank1", "rank1_low", "rank1_high")


def risk_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw the rank-1 rate by what the records are like.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.metrics.risk.risk`.
    numbers, settings
        As of every picture of tables; no paper states a number here.

    Yields
    ------
    Figure
        As many cells as there are colours on each.
    """
    whole = tables["risk_by_length"]
    axes = [a for a in whole.columns if a not in ("cell", *_MEASURED) and "matched" not in a]
    varied = [a for a in axes if whole[a].nunique(dropna=False) > 1]
    cells = whole.drop_duplicates("cell")[["cell", *axes]].sort_values("cell")
    shared = {a: cells[a].iloc[0] for a in axes if a not in varied}
    said = [level_words(a, level) for a, level in shared.items() if worth_saying(a, level)]
    for begin in range(0, len(cells), MOST):
        yield _page(tables, cells.iloc[begin : begin + MOST], varied, said)


def _page(
    tables: Mapping[str, pd.DataFrame], cells: pd.DataFrame, varied: list[str], said: list[str]
) -> Figure:
    def draw(panel: Axes, name: str, title: str) -> None:
        for look, cell in enumerate(cells["cell"]):
            rows = tables[name][tables[name]["cell"] == cell]
            line(panel, rows["low"].to_numpy(np.float64), rows, "rank1", look)
        panel.set_xscale("log")
        starts = np.unique(tables[name]["low"].to_numpy(np.int64))
        shown = starts[:: -(-starts.size // 8)]
        panel.set_xticks(shown, [f"{start:,}" for start in shown.tolist()])
        panel.minorticks_off()
        panel.set_xlabel(title)
        panel.set_ylabel("best guess right (%)")
        panel.set_ylim(-3, 103)

    words = [", ".join(level_words(a, row[a]) for a in varied) for row in cells.to_dict("records")]
    left_out = "records that cannot be a target are in no bin"
    caption = [*said, "points: the least of each bin", left_out, "bands: 95% intervals"]
    panels = [functools.partial(draw, name=name, title=title) for name, title in _PANELS]
    handles = functools.partial(line_handles, words if varied else ["best guess"])
    return plate(TITLE, panels, handles, "; ".join(caption), each=4.2)
