"""The gain of a recommender that knows some records (NS07, section 5).

Invariant: every curve of the table is drawn in whole, and near its start once more; NS07's number
is marked under its own two assumptions only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from sim.measurements.measurement import FACTS
from sim.plot.palette import COLOURS, FAINT, LINES
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Rule
from sim.report.figures.series import stated_numbers, stated_point

_WAYS = {
    ("records", "at random"): "random order, records weighted equally",
    ("cells", "at random"): "random order, cells weighted equally",
    ("cells", "longest first"): "longest records first, cells weighted equally",
}
_LAWS = {
    "mean square": ("mean squared error proportional to the unknown share", LINES[0]),
    "linear": ("RMSE proportional to the unknown share (NS07)", LINES[1]),
}
_BOLD: dict[str, Any] = {"width": 3.2, "opacity": 0.45}
"""The two weightings often coincide: the thicker line of the records stays visible below."""

_NEAR = 0.05
"""Share of the records up to which the first panel goes."""


def pages(data: Data) -> Iterator[Page]:
    """Yield the RMSE over the share of records known."""
    facts, gain = data.tables[FACTS], data.tables["gain"]
    levels = list(_levels(facts, data))
    # The end of a panel is a share k / n in floating point.
    near = [*_curves(gain[gain["share"] <= _NEAR + 1e-12]), *levels]
    known = set(zip(gain["weighing"], gain["chosen"], strict=True))
    ways = [
        Line(label=words, colour=COLOURS[w], **_BOLD if way[0] == "records" else {})
        for w, (way, words) in enumerate(_WAYS.items())
        if way in known
    ]
    yield Page(
        "Error of a recommender, by the share of records known",
        [
            Panel(
                near,
                Axis("records known (%)", (0, 100 * _NEAR)),
                Axis("RMSE (units of the value)", (None, 1.01 * gain["rmse"].max())),
                f"up to {_NEAR:.0%} of the records",
            ),
            Panel(
                list(_curves(gain)),
                Axis("records known (%)", (0, 100)),
                Axis(limits=(0, None)),
                "up to all records",
            ),
        ],
        _caption(facts, bool(levels)),
        each=4.8,
        height=3.5,
        legend=[
            *ways,
            *(Line(label=words, style=style, colour=FAINT) for words, style in _LAWS.values()),
        ],
    )


def _curves(gain: pd.DataFrame) -> Iterator[Mark]:
    by = dict(list(gain.groupby(["weighing", "chosen", "law"])))
    for w, way in enumerate(_WAYS):
        for law, (_, style) in _LAWS.items():
            if (*way, law) in by:
                rows = by[(*way, law)]
                yield Line(
                    100 * rows["share"],
                    rows["rmse"],
                    low=rows["rmse_low"],
                    high=rows["rmse_high"],
                    colour=COLOURS[w],
                    style=style,
                    **_BOLD if way[0] == "records" else {},
                )


def _levels(facts: pd.DataFrame, data: Data) -> Iterator[Mark]:
    """Yield the stated number, and the level of RMSE that it refers to."""
    stated = {"records_for_1_percent"}
    for row, number, value in stated_numbers(data, facts, list(stated)):
        level = float(row["rmse"]) - 0.01
        yield Rule(level, style="-", width=0.8)
        yield stated_point(number, 100 * value, level)


def _caption(facts: pd.DataFrame, stated: bool) -> str:
    rmse = facts[facts["weighing"] == "cells"]["rmse"].iloc[0]
    what = (
        f"a recommender with mean, item and record bias and a cross-validated RMSE of {rmse:.3f}"
        if facts["measured"].any()
        else f"a recommender with RMSE {rmse:g} and equal errors in all records"
    )
    level = "; grey line: RMSE reduced by 0.01" if stated else ""
    return f"{what}; bands: 95% of random choices{level}"


SPEC = FigureSpec(
    "Error of a recommender by the share of records whose truth it knows.",
    pages,
)
