"""Pictures of curves: how often the attacker names the right record.

Invariant: every cell of the grid is drawn, with its intervals; whatever axes a grid has, those that
do not fit into one panel become small multiples, and those that do not vary are named below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.report.labels import axis_title, level_words, tick_words
from sim.report.panels import Plan, columns, levels, panels, plan_panels
from sim.report.papers import PaperNumber, matching_cells
from sim.report.style import COLOURS, FAINT, INK, LINES, MARKERS, house_style, new_figure

TITLE = "How often the attacker names the right record"

_MEASURES = ("rank1", "matched_right")
_WIDTH = 10.6
"""Inches side by side, at most, so that a page can still be read when it is fitted to paper."""

_SPREAD = 0.76
"""Share of the room between two x positions that a cluster of points takes."""

_DATA = {"netflix_prize": "Netflix Prize", "movielens_2006": "MovieLens"}

_REFERENCES: Mapping[bool, Mapping[str, Any]] = {
    True: {"marker": "D", "markersize": 10.0, "markeredgewidth": 1.1},
    False: {"marker": "_", "markersize": 11.0, "markeredgewidth": 1.6},
}
"""How a number stated elsewhere is marked: a paper's as a frame, a reproduction's as a dash."""


def figure_best_guess(
    curves: pd.DataFrame,
    phi: float | None,
    *,
    title: str = TITLE,
    baseline: float | None = None,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Figure:
    """Draw the rank-1 rate beside the rate of right matches (NS08, Fig. 4).

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, at least one row.
    phi : float or None
        The φ of the matches; None where the attack's rule is another.
    title : str
        One line.
    baseline : float, optional
        Success of a uniformly random guess, as a proportion.
    numbers : sequence of PaperNumber
        Numbers to mark; those about other measures or cells are left out.
    fixed : Mapping, optional
        Axes without a column, to know which cells the numbers are about.

    Returns
    -------
    Figure
        Filled points: φ ignored; open points: at φ; bars: 95% intervals.

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> rates = {name: [0.5] for name in ("rank1", "rank1_low", "rank1_high", "matched_right",
    ...                                   "matched_right_low", "matched_right_high")}
    >>> frame = pd.DataFrame({"cell": [0], "aux": ["2/2"], "n_targets": [100], **rates})
    >>> len(figure_best_guess(frame, phi=1.5).axes)
    1
    """
    plan = plan_panels(curves)
    return _page(curves, plan, list(panels(curves, plan)), phi, title, baseline, numbers, fixed)


def best_guess_pages(
    curves: pd.DataFrame,
    phi: float | None,
    *,
    per_page: int = 12,
    title: str = TITLE,
    baseline: float | None = None,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw a grid of any size, page by page.

    Parameters
    ----------
    curves, phi, title, baseline, numbers, fixed
        As for `figure_best_guess`; the title gets the page's number where there are several.
    per_page : int
        Small multiples on a page, at most.

    Yields
    ------
    Figure
        Axes, colours and levels are the same on all pages.

    Examples
    --------
    >>> rates = {name: 0.5 for name in ("rank1", "rank1_low", "rank1_high", "matched_right",
    ...                                 "matched_right_low", "matched_right_high")}
    >>> frame = pd.DataFrame({"cell": range(32), "aux": ["2/2", "6/8"] * 16, "n_targets": 9,
    ...     "loss": [i // 2 for i in range(32)], **rates})
    >>> [len(page.axes) for page in best_guess_pages(frame, 1.5, per_page=10)]
    [10, 6]
    """
    plan = plan_panels(curves)
    everything = list(panels(curves, plan))
    pages = -(-len(everything) // per_page)
    for page in range(pages):
        part = everything[page * per_page : (page + 1) * per_page]
        name = title if pages == 1 else f"{title} ({page + 1} of {pages})"
        yield _page(curves, plan, part, phi, name, baseline, numbers, fixed)


def _page(
    curves: pd.DataFrame,
    plan: Plan,
    shown: Sequence[tuple[str, pd.DataFrame]],
    phi: float | None,
    title: str,
    baseline: float | None,
    numbers: Sequence[PaperNumber],
    fixed: Mapping[str, Any] | None,
) -> Figure:
    """Draw some panels of a grid on one page."""
    xs = levels(curves, plan.x)
    series = levels(curves, plan.series) if plan.series else [""]
    each = min(max(0.28 * len(xs) * len(series) + 0.9, 0.62 * len(xs) + 0.6, 2.9), 10.5)
    across = columns(curves, plan, len(shown), int(_WIDTH // each))
    rows = -(-len(shown) // across)
    width = max(across * each, 6.0)
    many = len(xs) > 8
    ticks = list(dict.fromkeys(tick_words(plan.x, value) for value in curves[plan.x]))

    with house_style():
        figure = new_figure(width, 2.7 * rows)
        grid = figure.subplots(rows, across, sharex=True, sharey=True, squeeze=False)
        used: dict[str, bool] = {}
        for place, (axes, (name, cells)) in enumerate(zip(grid.flat, shown, strict=False)):
            axes.set_title(fill(name, int(12 * width / across)))
            for between in range(1, len(xs)):
                axes.axvline(between - 0.5, color="#E8E8E8", linewidth=0.6, zorder=0)
            if baseline is not None:
                axes.axhline(100 * baseline, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
            _draw_cells(axes, cells, plan, xs, series)
            for number in numbers:
                used |= _draw_number(axes, cells, number, plan, xs, series, fixed)
            axes.set_xticks(range(len(xs)), ticks if many else [fill(tick, 12) for tick in ticks])
            axes.set_xlim(-0.5, len(xs) - 0.5)
            axes.set_ylim(-3, 104)
            axes.set_yticks(range(0, 101, 20))
            axes.tick_params(bottom=False, labelbottom=True, labelrotation=0)
            if many:
                axes.tick_params(axis="x", labelrotation=90)
            if place + across >= len(shown):
                axes.set_xlabel(axis_title(plan.x))
            if place % across == 0:
                axes.set_ylabel("targets (%)")
        for axes in grid.flat[len(shown) :]:
            axes.remove()
        figure.suptitle(fill(title, int(8.5 * width)), x=0.01, horizontalalignment="left")
        handles = _handles(plan, series, phi, baseline, used, int(12 * width))
        longest = max(len(str(handle.get_label())) for handle in handles)
        beside = max(1, min(int(width / (0.062 * longest + 0.5)), len(handles)))
        legend = figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=beside,
            title=fill(_caption(curves, plan), int(13 * width)),
        )
        legend.get_title().set_multialignment("center")
        figure.set_figheight(0.85 + 2.7 * rows + 0.2 * -(-len(handles) // beside))
    return figure


def _position(
    plan: Plan, cell: Mapping[Any, Any], xs: Sequence[str], series: Sequence[str]
) -> float:
    """Return where on the x axis a cell's pair of points is centred."""
    s = series.index(level_words(plan.series, cell[plan.series])) if plan.series else 0
    slot = _SPREAD / len(series)
    return xs.index(level_words(plan.x, cell[plan.x])) + (s - (len(series) - 1) / 2) * slot


def _draw_cells(
    axes: Axes, cells: pd.DataFrame, plan: Plan, xs: Sequence[str], series: Sequence[str]
) -> None:
    """Draw the points of one panel and their intervals."""
    aside = _SPREAD / len(series) / 4
    for s, name in enumerate(series):
        mine = cells
        if plan.series:
            mine = cells[[level_words(plan.series, v) == name for v in cells[plan.series]]]
        centres = [_position(plan, cell, xs, series) for cell in mine.to_dict("records")]
        for measure, side in zip(_MEASURES, (-aside, aside), strict=True):
            rate = 100 * mine[measure]
            bars = [rate - 100 * mine[f"{measure}_low"], 100 * mine[f"{measure}_high"] - rate]
            at = [centre + side for centre in centres]
            if len(xs) > 3:
                axes.plot(at, rate, color=COLOURS[s], linestyle=LINES[s], linewidth=0.9, alpha=0.6)
            axes.errorbar(
                *(at, rate, bars),
                linestyle="none",
                marker=MARKERS[s],
                color=COLOURS[s],
                markerfacecolor=COLOURS[s] if measure == "rank1" else "white",
                markeredgewidth=1.2,
                elinewidth=1.1,
                zorder=3,
            )


def _draw_number(
    axes: Axes,
    cells: pd.DataFrame,
    number: PaperNumber,
    plan: Plan,
    xs: Sequence[str],
    series: Sequence[str],
    fixed: Mapping[str, Any] | None,
) -> dict[str, bool]:
    """Mark a number stated elsewhere at its cells; return its legend where there is one."""
    if number.value is None or number.measure not in _MEASURES:
        return {}
    stated = number.paper != "reproduction"
    aside = _SPREAD / len(series) / 4 * (-1 if number.measure == "rank1" else 1)
    found = matching_cells(cells, number, fixed)
    for cell in found.to_dict("records"):
        at = _position(plan, cell, xs, series) + aside
        axes.plot([at], [100 * number.value], **_mark(stated), zorder=4)
    who = f"{number.paper} {number.figure}".strip() if stated else "a reproduction"
    label = f"{who} ({_DATA.get(number.data, number.data)})"
    return {} if found.empty else {label: stated}


def _mark(stated: bool) -> dict[str, Any]:
    """Return the look of a number that a paper states, or a reproduction."""
    look = {"color": INK, "markerfacecolor": "none", "linestyle": "none", "clip_on": False}
    return look | dict(_REFERENCES[stated])


def _handles(
    plan: Plan,
    series: Sequence[str],
    phi: float | None,
    baseline: float | None,
    references: Mapping[str, bool],
    letters: int,
) -> list[Line2D]:
    """Return the legend's entries."""

    def point(label: str, colour: str, marker: str, face: str) -> Line2D:
        look = {"color": colour, "marker": marker, "markerfacecolor": face, "linestyle": "none"}
        return Line2D([], [], label=fill(label, letters), markeredgewidth=1.2, **look)  # type: ignore[arg-type]

    right = "matched and right" if phi is None else f"matched and right at φ = {phi:g}"
    neutral, marker = (INK, "o") if plan.series else (COLOURS[0], MARKERS[0])
    handles = [
        point("filled: best guess right, φ ignored", neutral, marker, neutral),
        point(f"open: {right}", neutral, marker, "white"),
    ]
    if plan.series:
        handles = [
            point(name, COLOURS[s], MARKERS[s], COLOURS[s]) for s, name in enumerate(series)
        ] + handles
    handles += [Line2D([], [], label=label, **_mark(st)) for label, st in references.items()]
    if baseline is not None:
        label = f"random guess ({100 * baseline:.2g}%)"
        handles.append(Line2D([], [], label=label, color=FAINT, linestyle=":", linewidth=1.2))
    return handles


def _caption(curves: pd.DataFrame, plan: Plan) -> str:
    """Say what holds for every point."""
    said = [level_words(axis, curves[axis].iloc[0]) for axis in plan.constant]
    least, most = int(curves["n_targets"].min()), int(curves["n_targets"].max())
    targets = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return ", ".join([*said, f"{targets} targets a point", "bars: 95% intervals"])
