"""μ(n, k): how often the answer is a set of at most n records (NS07, Figs. 2-4).

Invariant: every cell with a set is drawn once, with the intervals of all its points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.metrics.neighbourhoods import MEASURED, SIZES
from sim.papers.papers import PaperNumber
from sim.report.figures.multiples import PER_PAGE, Sheet
from sim.report.figures.panels import plan_series
from sim.report.figures.references import References, mark, reference_handles
from sim.report.figures.style import COLOURS, LINES, MARKERS

TITLE = "How few records fit what the attacker knows"


def figure_mu(curves: pd.DataFrame, **options: Any) -> Figure:
    """Draw the share of targets whose set has at most n records, over n.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, of an attack that answers with a set; cells without are left out.
    **options
        As for `mu_pages`.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        There is no set.

    Examples
    --------
    >>> figure_mu(pd.DataFrame({"mu_1": [None]}))
    Traceback (most recent call last):
    ValueError: there is no curve to draw
    """
    return next(mu_pages(curves, per_page=None, **options))


def mu_pages(
    curves: pd.DataFrame,
    *,
    per_page: int | None = PER_PAGE,
    title: str = TITLE,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw μ for a grid of any size, page by page.

    Parameters
    ----------
    curves
        As for `figure_mu`.
    per_page : int or None
        Small multiples on a page, at most; None for all on one.
    title : str
    numbers, fixed
        As for `sim.report.figures.figures.best_guess_pages`.

    Yields
    ------
    Figure
    """
    drawn = curves[curves["mu_1"].notna()]
    plan = plan_series(drawn, "n")
    series = plan.names(drawn)
    references, used = References(numbers, fixed or {}), dict[str, bool]()

    def draw(axes: Axes, cells: pd.DataFrame) -> None:
        for cell in cells.to_dict("records"):
            s = plan.place(cell, series)
            share, low, high = (
                100 * np.array([cell[f"{name}{end}"] for name in MEASURED], np.float64)
                for end in ("", "_low", "_high")
            )
            axes.fill_between(SIZES, low, high, color=COLOURS[s], alpha=0.15, linewidth=0)
            axes.plot(
                SIZES, share, color=COLOURS[s], linestyle=LINES[s], marker=MARKERS[s], markersize=4
            )
        for _, number in references.about(cells, MEASURED):
            size = SIZES[MEASURED.index(number.measure)]
            used.update(mark(axes, size, 100 * float(number.value or 0), number))
        axes.set_xscale("log")
        axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
        axes.set_ylim(-3, 104)
        axes.set_yticks(range(0, 101, 20))

    def handles(letters: int) -> list[Line2D]:  # noqa: ARG001
        looks = zip(series, COLOURS, LINES, MARKERS, strict=False)
        lines = [
            Line2D(
                [], [], color=c, linestyle=style, marker=m, markersize=4, label=name or "μ(n, k)"
            )
            for name, c, style, m in looks
        ]
        lines += reference_handles(used)
        used.clear()
        return lines

    yield from Sheet(
        curves=drawn,
        plan=plan,
        title=title,
        each=3.4,
        draw=draw,
        handles=handles,
        x_title="records that fit, at most",
        y_title="targets (%)",
        note="bands: 95% intervals",
    ).pages(per_page)
