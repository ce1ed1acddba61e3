"""The attacker's answers over φ, where the target is present beside where it is absent.

Invariant: a cell and its absent twin are in one panel; at each φ its three shares add up to one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.metrics.curves import axis_columns
from sim.metrics.phi import PRESENT
from sim.report.figures.multiples import PER_PAGE, Sheet
from sim.report.figures.panels import plan_series
from sim.report.figures.style import COLOURS, FAINT, INK

TITLE = "What the attacker answers, by φ"

_ANSWERS = {
    "matched_right": ("matched and right", COLOURS[0]),
    "matched_wrong": ("matched and wrong", COLOURS[1]),
    "no_match": ("no match", COLOURS[6]),
}
_STYLES: Mapping[bool, Any] = {True: "-", False: "--"}


def figure_phi(
    curves: pd.DataFrame, over_phi: pd.DataFrame, phi: float | None, **options: Any
) -> Figure:
    """Draw the shares of right matches, wrong matches and no match over φ (NS08, Fig. 5).

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, at least one row.
    over_phi : DataFrame
        As ``phi.parquet``.
    phi : float or None
        The run's φ; None where the attack's rule is another.
    **options
        As for `phi_pages`.

    Returns
    -------
    Figure
    """
    return next(phi_pages(curves, over_phi, phi, per_page=None, **options))


def phi_pages(
    curves: pd.DataFrame,
    over_phi: pd.DataFrame,
    phi: float | None,
    *,
    per_page: int | None = PER_PAGE,
    title: str = TITLE,
) -> Iterator[Figure]:
    """Draw the answers over φ for a grid of any size, page by page.

    Parameters
    ----------
    curves, over_phi, phi
        As for `figure_phi`.
    per_page : int or None
        Small multiples on a page, at most; None for all on one.
    title : str

    Yields
    ------
    Figure
        One panel for each cell, or for a cell and its absent twin.
    """
    plan = plan_series(curves, "phi", without=(PRESENT,))
    # Colours are for the answers, so every axis that varies goes from panel to panel.
    varying = tuple(a for a in axis_columns(curves) if a in (plan.series, *plan.facets))
    plan = replace(plan, series=None, facets=varying)
    presence = [bool(value) for value in curves.get(PRESENT, pd.Series(True, curves.index))]
    is_present = dict(zip(curves["cell"].tolist(), presence, strict=True))
    by_cell = dict(list(over_phi.groupby("cell")))
    crossing = "phi_star" in curves and bool(curves["phi_star"].notna().any())
    last = float(over_phi["phi"].max())

    def draw(axes: Axes, cells: pd.DataFrame) -> None:
        if phi is not None:
            axes.axvline(phi, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
        for cell in cells["cell"].tolist():
            shares = by_cell[cell]
            for name, (_, colour) in _ANSWERS.items():
                if name == "matched_right" and not is_present[cell]:
                    continue  # nobody there to be matched
                axes.plot(
                    shares["phi"],
                    100 * shares[name],
                    color=colour,
                    linestyle=_STYLES[is_present[cell]],
                    drawstyle="steps-post",
                )
        if crossing:
            found = cells[["phi_star", "equal_error"]].dropna().drop_duplicates()
            inside = found[found["phi_star"] <= last]
            axes.plot(
                inside["phi_star"],
                100 * inside["equal_error"],
                linestyle="none",
                marker="X",
                color=INK,
                zorder=4,
            )
        axes.set_xlim(0, last)
        axes.set_ylim(-3, 104)
        axes.set_yticks(range(0, 101, 20))

    def handles(letters: int) -> list[Line2D]:  # noqa: ARG001
        lines = [
            Line2D([], [], color=colour, label=label)
            for name, (label, colour) in _ANSWERS.items()
            if over_phi[name].notna().any()
        ]
        if len(set(presence)) > 1:
            lines += [
                Line2D([], [], color=FAINT, linestyle=_STYLES[there], label=f"target {word}")
                for there, word in ((True, "present"), (False, "absent"))
            ]
        if crossing:
            label = "φ*: both errors equal"
            lines.append(Line2D([], [], color=INK, marker="X", linestyle="none", label=label))
        if phi is not None:
            label = f"φ = {phi:g} of this run"
            lines.append(Line2D([], [], color=FAINT, linestyle=":", linewidth=1.2, label=label))
        return lines

    yield from Sheet(
        curves=curves,
        plan=plan,
        title=title,
        each=3.4,
        draw=draw,
        handles=handles,
        x_title="φ: standard deviations from the second best",
        y_title="targets (%)",
        note="" if len(set(presence)) > 1 or presence[0] else "target absent",
    ).pages(per_page)
