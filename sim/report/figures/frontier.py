"""Risk against utility lost, for each chain of defences (spec §11).

Invariant: every chain whose risk and utility were measured is a point; those that no other chain
dominates have numbers, which the second page explains.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from sim.config.chains import UNCHANGED
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Points, Rule
from sim.report.figures.series import interval, percent


def numbered(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the chains that no other dominates, the least lossy first.

    Parameters
    ----------
    rows : DataFrame
        As ``frontier.parquet``, with ``lost``: the utility lost, in percent.

    Returns
    -------
    DataFrame
        With a column ``number``, from 1.
    """
    best = rows[rows["risk"].notna() & rows["kept"].notna() & (rows["dominated_by"] == "")]
    best = best.sort_values(["lost", "risk", "part"], ascending=[True, False, True])
    return best.assign(number=np.arange(1, len(best) + 1))


def pages(data: Data) -> Iterator[Page]:
    """Yield all chains as points, and the frontier as a list."""
    rows = data.tables["frontier"].assign(lost=lambda one: 100 * (1 - one["kept"]).clip(lower=0))
    best = numbered(rows)
    placed = rows["risk"].notna() & rows["kept"].notna()
    missing = f"; not drawn: {quantity(int((~placed).sum()), 'chain')} not tested"
    yield Page(
        "What the defences protect, and what they cost",
        [Panel([*_points(rows[placed], best), *_bound(rows)], _LOST, percent("risk (%)"))],
        "lower left is better; bars: 95% intervals; numbers: chains that no other chain dominates, "
        f"listed on the next page{'' if placed.all() else missing}",
        each=6.4,
        height=4.2,
    )
    place = np.arange(len(best))[::-1].astype(np.float64)
    names = [f"{row['chain']}  ({row['number']})" for row in row_dicts(best[::-1])]
    yield Page(
        "The frontier: from the least loss to the least risk",
        [
            Panel(
                [*_listed(best, place), *_bound(rows, upright=True)],
                Axis("%", (-2, 104), ticks=range(0, 101, 20)),
                Axis("", (-0.6, len(best) - 0.4), ticks=np.arange(len(best)).tolist(), names=names),
                lines_across="x",
            )
        ],
        "bars: 95% intervals",
        each=9.0,
        height=max(2.2, 0.4 * len(best) + 0.8),
    )


_LOST = Axis("utility lost (%)", (-4, 106), ticks=range(0, 101, 20))


def _points(rows: pd.DataFrame, best: pd.DataFrame) -> Iterator[Mark]:
    is_first = rows["chain"] == UNCHANGED
    on_it = rows["part"].isin(best["part"])
    numbers = best[best["chain"] != UNCHANGED]
    for some, look in (
        (
            rows[~is_first & ~on_it],
            {"label": "dominated by another chain", "colour": FAINT, "size": 4.0},
        ),
        (numbers, {"label": "on the frontier", "colour": COLOURS[0]}),
        (
            rows[is_first],
            {"label": "the release as it is", "colour": COLOURS[1], "marker": "s"},
        ),
    ):
        given: dict[str, Any] = {**look, **interval(some, "risk")}
        if some is numbers:
            given["names"] = _labels(numbers)
        yield Points(some["lost"].to_numpy(np.float64), **given)
    steps = best.sort_values(["lost", "risk"], ascending=[True, False])
    yield Line(
        steps["lost"].to_numpy(np.float64), 100 * steps["risk"].to_numpy(np.float64),
        colour=COLOURS[0], width=0.8, steps=True,
    )  # fmt: skip


def _labels(best: pd.DataFrame) -> list[str]:
    """The numbers of the points; those of one place in one label."""
    place = list(zip(best["lost"].round(0), (100 * best["risk"]).round(0), strict=True))
    numbers = best["number"].tolist()
    together = {
        here: ", ".join(str(n) for n, at in zip(numbers, place, strict=True) if at == here)
        for here in place
    }
    return [together.pop(here, "") for here in place]


def _listed(best: pd.DataFrame, place: np.ndarray) -> Iterator[Mark]:
    risks = interval(best, "risk")
    yield Points(
        risks["y"], place, low=risks["low"], high=risks["high"], label="risk", colour=INK,
        marker="D", sideways=True,
    )  # fmt: skip
    kept = 100 * best["kept"].to_numpy(np.float64).clip(max=1.0)
    yield Points(kept, place, label="utility kept", colour=COLOURS[2], marker="o", filled=False)


def _bound(rows: pd.DataFrame, *, upright: bool = False) -> Iterator[Mark]:
    bound = rows["bound"].iloc[0]
    if pd.notna(bound):
        label = f"the bound that was set: {format_percent(bound)} (the upper end counts)"
        yield Rule(100 * float(bound), upright=upright, label=label, colour=COLOURS[3], style="-")


SPEC = FigureSpec(
    "Risk and loss of utility of the release after each chain of defences; the list has the chains "
    "that no other chain dominates.",
    pages,
    needs=[("frontier", "risk"), ("frontier", "kept")],
)
