"""The assessment of an audit: whom each attacker finds, and the risks of people.

Invariant: every row of the assessment is drawn, in the order of its table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Data, FigureSpec, Mark, Page, Panel, Points, Rule

CITED = ((1 / 11, "1/11 ≈ 9%: EMA, Policy 0070"), (1 / 5, "1/5: a cell size of five"))
"""Thresholds that are commonly cited, marked for orientation (El Emam and Arbuckle, 2013)."""

_SERIES = (
    ("succeeds", "finds the right record", COLOURS[0], "o", True, 0.27),
    (
        "control",
        "names somebody for a person who is not in the release",
        COLOURS[1],
        "s",
        False,
        0.09,
    ),
    ("mean", "mean risk of a person", INK, "D", True, -0.09),
    ("highest", "highest risk of a person", INK, "^", False, -0.27),
)
"""Measures of a row: column, label, colour, marker, whether it is filled, and its offset."""


def pages(data: Data) -> Iterator[Page]:
    """Yield all attackers below each other."""
    rows = data.tables["assessment"]
    place = np.arange(len(rows))[::-1].astype(np.float64)
    names = [_name(row) for row in row_dicts(rows[::-1])]
    marks: list[Mark] = [*_marks(rows, place), *_rules(rows)]
    yield Page(
        "Who is found by whom",
        [
            Panel(
                marks,
                Axis("% of the records attacked, or risk in %", (-2, 102), ticks=range(0, 101, 20)),
                Axis("", (-0.6, len(rows) - 0.4), ticks=np.arange(len(rows)).tolist(), names=names),
                lines_across="x",
            )
        ],
        "bars: exact 95% intervals; the thresholds are commonly cited (El Emam and Arbuckle, "
        "Anonymizing Health Data, 2013); Standout recommends none",
        each=9.0,
        height=max(2.2, 0.62 * len(rows) + 0.8),
    )


def _name(row: Mapping[Any, Any]) -> str:
    words = str(row["name"])
    return words if len(words) <= 34 else words.replace(" (", "\n(", 1)


def _marks(rows: pd.DataFrame, place: np.ndarray) -> Iterator[Mark]:
    for column, label, colour, marker, filled, offset in _SERIES:
        known = rows[column].notna().to_numpy()
        if not known.any():
            continue
        some = rows[known]
        if column == "highest" and some["draws"].max() > 1:
            label += ", on average over the draws of facts"
        ends: dict[str, Any] = {
            end: 100 * some[f"{column}_{end}"].astype(float) for end in ("low", "high")
        }
        yield Points(
            100 * some[column].astype(float),
            place[known] + offset,
            **({} if column == "highest" else ends),
            label=label,
            colour=colour,
            marker=marker,
            filled=filled,
            sideways=True,
        )


def _rules(rows: pd.DataFrame) -> Iterator[Mark]:
    bound = rows["bound"].iloc[0]
    if bound is not None and pd.notna(bound):
        label = f"the bound that was set: {format_percent(bound)}"
        yield Rule(100 * float(bound), upright=True, label=label, colour=COLOURS[3], style="-")
    for (threshold, label), style in zip(CITED, (":", "--"), strict=True):
        yield Rule(100 * threshold, upright=True, label=label, colour=FAINT, style=style)


SPEC = FigureSpec(
    "Share of the records attacked that each attacker finds, share of people who are not in the "
    "release for whom it names somebody, and mean and highest risk of a person.",
    pages,
    needs=[("assessment", "")],
)
