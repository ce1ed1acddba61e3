"""How long records are (NS08, Figs. 2 and 3).

Invariant: every length up to the end of a panel is drawn, and its title counts the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter

from sim.papers.papers import PaperNumber
from sim.report.figures.plates import plate
from sim.report.figures.style import COLOURS, LINES

TITLE = "How many records hold so many items"


def lengths_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw the number of records with exactly, and with at least, X items.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.measurements.lengths.Lengths`.
    numbers : sequence of PaperNumber
        None that could be marked: the papers state totals only.
    settings : Mapping, optional
        Not needed.

    Yields
    ------
    Figure
        A panel for each range.
    """
    facts, lengths = tables["facts"].iloc[0], tables["lengths"]

    def panel(items: int, beyond: int) -> Callable[[Axes], None]:
        def draw(axes: Axes) -> None:
            shown = lengths[lengths["x"] <= items]
            edges = [*(shown["x"] - 0.5), shown["x"].iloc[-1] + 0.5]
            axes.stairs(
                shown["exactly"], edges, baseline=0.5, fill=True, color=COLOURS[0], alpha=0.75
            )
            seen = shown[shown["at_least"] > 0]
            axes.plot(seen["x"], seen["at_least"], color=COLOURS[1], linestyle=LINES[1])
            axes.set_yscale("log")
            axes.set_ylim(0.5, 2.0 * float(facts["n_records"]))
            axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}"))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
            axes.set_xlim(0, items)
            axes.set_title(f"up to {items:,} items ({beyond:,} records hold more)")
            axes.set_xlabel("items of a record, X")
            axes.set_ylabel("records")

        return draw

    def handles() -> list[Any]:
        return [
            Patch(color=COLOURS[0], alpha=0.75, label="with exactly X items"),
            Line2D([], [], color=COLOURS[1], linestyle=LINES[1], label="with X items or more"),
        ]

    caption = (
        f"{facts['n_records']:,.0f} records; items of a record: mean {facts['length_mean']:,.0f}, "
        f"median {facts['length_median']:,.0f}, most {facts['length_max']:,.0f}; "
        "all records counted"
    )
    ranges = tables["beyond"]
    panels = [
        panel(int(i), int(n)) for i, n in zip(ranges["items"], ranges["records"], strict=True)
    ]
    yield plate(TITLE, panels, handles, caption, each=max(4.6, 6.4 / len(panels)))
