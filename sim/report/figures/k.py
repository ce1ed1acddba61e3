"""k-identification: the target among the k most likely, and why not (F06, Figs. 3-5).

Invariant: every cell with a present target has one bar for each k, with its interval, and one
stack whose parts add up to the targets that are not 1-identified.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.metrics.identification import DEPTHS, REASONS
from sim.papers.papers import PaperNumber
from sim.report.figures.multiples import PER_PAGE, Sheet
from sim.report.figures.panels import plan_series
from sim.report.figures.references import References, mark, reference_handles
from sim.report.figures.style import COLOURS, INK

TITLE = "How often the target is among the k most likely records"

_REASONS = {
    "not_narrow": ("not narrow: others score as much", "#EDEDED", ""),
    "misdirected": ("misdirected: others score more", "#C4C4C4", "////"),
    "no_one_possible": ("no one possible", "#8C8C8C", "...."),
}
_FAILED = len(DEPTHS) + 0.35
"""Where the failures stand, a little apart from the bars."""

_WIDE = 0.8
"""Share of the room between two x positions that a group of bars takes."""


def figure_k_identification(curves: pd.DataFrame, **options: Any) -> Figure:
    """Draw k-identification for each k, and the reasons of failure at k = 1.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``; cells without a present target are left out.
    **options
        As for `k_pages`.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        No target is present.

    Examples
    --------
    >>> figure_k_identification(pd.DataFrame({"k1": [None]}))
    Traceback (most recent call last):
    ValueError: there is no curve to draw
    """
    return next(k_pages(curves, per_page=None, **options))


def k_pages(
    curves: pd.DataFrame,
    *,
    per_page: int | None = PER_PAGE,
    title: str = TITLE,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw k-identification for a grid of any size, page by page.

    Parameters
    ----------
    curves
        As for `figure_k_identification`.
    per_page : int or None
        Small multiples on a page, at most; None for all on one.
    title : str
    numbers, fixed
        As for `sim.report.figures.figures.best_guess_pages`.

    Yields
    ------
    Figure
    """
    drawn = curves[curves["k1"].notna()]
    plan = plan_series(drawn, "k")
    series = plan.names(drawn)
    slot = _WIDE / len(series)
    references, used = References(numbers, fixed or {}), dict[str, bool]()
    names = [f"k{k}" for k in DEPTHS]

    def place(cell: Mapping[Any, Any]) -> tuple[int, float]:
        s = plan.place(cell, series)
        return s, (s - (len(series) - 1) / 2) * slot

    def draw(axes: Axes, cells: pd.DataFrame) -> None:
        row: Mapping[Any, Any]
        for row in cells.to_dict("records"):
            s, aside = place(row)
            share, low, high = (
                100 * np.array([row[f"{name}{end}"] for name in names], np.float64)
                for end in ("", "_low", "_high")
            )
            axes.bar(
                np.arange(len(DEPTHS)) + aside,
                share,
                0.92 * slot,
                yerr=[share - low, high - share],
                color=COLOURS[s],
                error_kw={"elinewidth": 1.0, "ecolor": INK, "capsize": min(2.5, 12 * slot)},
            )
            _draw_failures(axes, row, _FAILED + aside, 0.92 * slot, COLOURS[s])
        for cell, number in references.about(cells, names):
            at = names.index(number.measure) + place(cell)[1]
            used.update(mark(axes, at, 100 * float(number.value or 0), number))
        axes.set_xticks([*range(len(DEPTHS)), _FAILED], [*map(str, DEPTHS), "failed\nat k = 1"])
        axes.set_ylim(0, 104)
        axes.set_yticks(range(0, 101, 20))
        axes.tick_params(axis="x", bottom=False)

    def handles(letters: int) -> list[Any]:  # noqa: ARG001
        bars = [
            Patch(color=colour, label=name)
            for name, colour in zip(series, COLOURS, strict=False)
            if name
        ]
        reasons = [
            Patch(facecolor=grey, edgecolor=INK, linewidth=0.6, hatch=hatch, label=label)
            for label, grey, hatch in _REASONS.values()
        ]
        found = [*bars, *reasons, *reference_handles(used)]
        used.clear()
        return found

    yield from Sheet(
        curves=drawn,
        plan=plan,
        title=title,
        each=4.2 if len(series) > 2 else 3.4,
        draw=draw,
        handles=handles,
        x_title="k",
        y_title="targets (%)",
        note="bars: 95% intervals, ties count against the attacker",
    ).pages(per_page)


def _draw_failures(
    axes: Axes, row: Mapping[Any, Any], at: float, width: float, colour: str
) -> None:
    """Stack the reasons, edged in the colour of the cell's bars."""
    bottom = 0.0
    for name in sorted(REASONS, key=list(_REASONS).index):
        _, grey, hatch = _REASONS[name]
        share = 100 * float(row[name])
        axes.bar(at, share, width, bottom, color=grey, hatch=hatch, edgecolor=colour, linewidth=0.8)
        bottom += share
