"""Risk against utility lost, for each chain of defences (spec §11).

Invariant: every chain whose risk and utility were measured is a point; those that no other chain
dominates have numbers, which the second page explains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from sim.numeric.text import format_percent
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Points, Rule
from sim.report.figures.series import interval, percent

_UNCHANGED = 0
"""The row of the release as it is."""


def numbered(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the chains that no other dominates, the least lossy first.

    Parameters
    ----------
    rows : DataFrame
        As ``frontier.parquet``.

    Returns
    -------
    DataFrame
        With a column ``number``, from 1.
    """
    placed = rows[rows["risk"].notna() & rows["kept"].notna() & (rows["dominated_by"] == "")]
    best = placed.sort_values(["kept", "risk", "part"], ascending=[False, True, True])
    return best.assign(number=np.arange(1, len(best) + 1))


def pages(data: Data) -> Iterator[Page]:
    """Yield all chains as points, and the frontier as a list."""
    rows = data.tables["frontier"]
    best = numbered(rows)
    yield Page(
        "What the defences protect, and what they cost",
        [Panel([*_points(rows, best), *_bound(rows)], _lost(), percent("risk (%)"))],
        "lower left is better; bars: 95% intervals; numbers: chains that no other chain dominates, "
        "listed on the next page",
        each=6.4,
        height=4.2,
    )
    place = np.arange(len(best))[::-1].astype(np.float64)
    names = [f"{row['chain']}  ({row['number']})" for row in best[::-1].to_dict("records")]
    yield Page(
        "The frontier: from the least lossy chain to the safest",
        [
            Panel(
                [*_listed(best, place), *_bound(rows, upright=True)],
                Axis("%", (-2, 102), ticks=range(0, 101, 20)),
                Axis("", (-0.6, len(best) - 0.4), ticks=np.arange(len(best)).tolist(), names=names),
                lines_across="x",
            )
        ],
        "bars: 95% intervals",
        each=9.0,
        height=max(2.2, 0.4 * len(best) + 0.8),
    )


def _lost() -> Axis:
    return Axis("utility lost (%)", (-4, 104), ticks=range(0, 101, 20))


def _points(rows: pd.DataFrame, best: pd.DataFrame) -> Iterator[Mark]:
    unchanged = rows.iloc[[_UNCHANGED]]
    numbers = best[best["part"] != unchanged["part"].iloc[0]]
    others = rows.drop(index=[*best.index, rows.index[_UNCHANGED]])
    for some, look in (
        (others, {"label": "dominated by another chain", "colour": FAINT, "size": 4.0}),
        (numbers, {"label": "on the frontier", "colour": COLOURS[0]}),
        (unchanged, {"label": "the release as it is", "colour": COLOURS[1], "marker": "s"}),
    ):
        placed = some[some["risk"].notna() & some["kept"].notna()]
        given: dict[str, Any] = {**look, **interval(placed, "risk")}
        if some is numbers:
            given["names"] = [str(number) for number in placed["number"]]
        yield Points(100 * (1 - placed["kept"].to_numpy(np.float64)), **given)
    steps = best.sort_values("kept", ascending=False)
    yield Line(
        100 * (1 - steps["kept"].to_numpy(np.float64)), 100 * steps["risk"].to_numpy(np.float64),
        colour=COLOURS[0], width=0.8, steps=True,
    )  # fmt: skip


def _listed(best: pd.DataFrame, place: np.ndarray) -> Iterator[Mark]:
    risks = interval(best, "risk")
    yield Points(
        risks["y"], place, low=risks["low"], high=risks["high"], label="risk", colour=INK,
        marker="D", sideways=True,
    )  # fmt: skip
    kept = 100 * best["kept"].to_numpy(np.float64)
    yield Points(kept, place, label="utility kept", colour=COLOURS[2], marker="o", filled=False)


def _bound(rows: pd.DataFrame, *, upright: bool = False) -> Iterator[Mark]:
    bound = rows["bound"].iloc[0]
    if pd.notna(bound):
        label = f"the bound that was set: {format_percent(bound)}"
        yield Rule(100 * float(bound), upright=upright, label=label, colour=COLOURS[3], style="-")


SPEC = FigureSpec(
    "Risk and loss of utility of the release after each chain of defences; the list has the chains "
    "that no other chain dominates.",
    pages,
    needs=[("frontier", "risk"), ("frontier", "kept")],
)
