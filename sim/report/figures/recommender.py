"""What a recommender gains by knowing records (NS07, section 5).

Invariant: every curve of the table is drawn whole and once more where the papers look, near the
start; what NS07 states is marked where its own two assumptions put it, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.measurements.measurement import FACTS
from sim.papers.papers import PaperNumber, matching_cells
from sim.report.figures.references import mark, reference_handles
from sim.report.figures.style import COLOURS, FAINT, LINES, house_style, new_figure

TITLE = "What a recommender gains by knowing records"

_WAYS = {
    ("records", "at random"): "at random, records weighing the same",
    ("cells", "at random"): "at random, cells weighing the same",
    ("cells", "longest first"): "the longest first, cells weighing the same",
}
_LAWS = {
    "mean square": "mean square error falling in proportion",
    "linear": "RMSE itself falling in proportion (NS07)",
}

_NEAR = 0.05
"""Share of the records up to which the first panel goes."""


def recommender_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw the RMSE over the share of records known.

    Parameters
    ----------
    tables : Mapping
        ``facts`` and ``gain``, as `sim.measurements.recommender` makes them.
    numbers : sequence of PaperNumber
    settings : Mapping, optional
        What is the same throughout the run.

    Yields
    ------
    Figure
    """
    facts, gain = tables[FACTS], tables["gain"]
    measured = bool(facts["measured"].any())
    used: dict[str, bool] = {}
    with house_style():
        figure = new_figure(9.6, 4.9)
        near, whole = figure.subplots(1, 2)
        for axes, end in ((near, _NEAR), (whole, 1.0)):
            shown = gain[gain["share"] <= end + 1e-12]
            _draw(axes, shown)
            axes.set_xlim(0, 100 * end)
            axes.set_xlabel("records known (%)")
        near.set_ylabel("RMSE (units of the value)")
        near.set_title(f"up to {_NEAR:.0%} of the records")
        whole.set_title("up to all of them")
        whole.set_ylim(bottom=0)
        used = _draw_stated(near, facts, numbers, settings)
        near.set_ylim(top=gain["rmse"].max() * 1.01)
        figure.suptitle(TITLE, x=0.01, horizontalalignment="left")
        figure.legend(
            handles=[*_handles(gain), *reference_handles(used)],
            loc="outside lower center",
            ncols=2,
            title=fill(_caption(facts, measured, bool(used)), 125),
        ).get_title().set_multialignment("center")
    yield figure


def _draw(axes: Axes, gain: pd.DataFrame) -> None:
    for w, (weighing, chosen) in enumerate(_WAYS):
        for law in _LAWS:
            rows = gain[
                (gain["weighing"] == weighing) & (gain["chosen"] == chosen) & (gain["law"] == law)
            ]
            x = 100 * rows["share"]
            axes.fill_between(
                x, rows["rmse_low"], rows["rmse_high"], color=COLOURS[w], alpha=0.15, linewidth=0
            )
            # Records and cells often fall as one: the thicker line stays to be seen below.
            width = 3.2 if weighing == "records" else 1.4
            alpha = 0.45 if weighing == "records" else 1.0
            style = LINES[0] if law == "mean square" else LINES[1]
            axes.plot(
                x, rows["rmse"], color=COLOURS[w], linestyle=style, linewidth=width, alpha=alpha
            )


def _draw_stated(
    axes: Axes,
    facts: pd.DataFrame,
    numbers: Sequence[PaperNumber],
    settings: Mapping[str, Any] | None,
) -> dict[str, bool]:
    """Mark what is stated, and draw the level it is stated at."""
    used: dict[str, bool] = {}
    for number in numbers:
        if number.measure != "records_for_1_percent" or number.value is None:
            continue
        for row in matching_cells(facts, number, settings).to_dict("records"):
            level = float(row["rmse"]) - 0.01
            axes.axhline(level, color=FAINT, linewidth=0.8)
            used.update(mark(axes, 100 * number.value, level, number))
    return used


def _handles(gain: pd.DataFrame) -> list[Line2D]:
    there = set(zip(gain["weighing"], gain["chosen"], strict=True))
    ways = [
        Line2D(
            [], [], color=COLOURS[w], label=words, linewidth=3.2 if way[0] == "records" else 1.4,
            alpha=0.45 if way[0] == "records" else 1.0,
        )
        for w, (way, words) in enumerate(_WAYS.items())
        if way in there
    ]  # fmt: skip
    laws = [
        Line2D([], [], color=FAINT, linestyle=style, label=words)
        for style, words in zip(LINES, _LAWS.values(), strict=False)
    ]
    return ways + laws


def _caption(facts: pd.DataFrame, measured: bool, stated: bool) -> str:
    rmse = facts[facts["weighing"] == "cells"]["rmse"].iloc[0]
    what = (
        f"a recommender of mean, item and record bias, whose cross-validated RMSE is {rmse:.3f}"
        if measured
        else f"a recommender of RMSE {rmse:g}, its errors alike in all records"
    )
    level = "; grey line: RMSE lower by 0.01" if stated else ""
    return f"{what}; bands: 95% of random choices{level}"
