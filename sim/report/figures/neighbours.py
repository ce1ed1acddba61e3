"""How near the nearest other record is (NS08, Fig. 1; NS07, Fig. 1).

Invariant: every curve is drawn with its interval, and the threshold that the papers speak of is
the one that the shares in the legend are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sim.measurements.nearest import HALF, WITHIN
from sim.papers.papers import PaperNumber
from sim.report.figures.plates import plate
from sim.report.figures.references import References, mark, reference_handles
from sim.report.figures.style import COLOURS, FAINT, LINES

TITLE = "How alike the most similar other record is"
DISTANCE_TITLE = "How far the nearest other record is"

_WORDS = {
    "presence": "items alone",
    "values": "values ±{eps_value:g}",
    "dates": "dates ±{eps_day:g} days",
    "values_and_dates": "values ±{eps_value:g} and dates ±{eps_day:g} days",
}


def neighbours_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw the share of records whose nearest other record is at least so similar, or distant.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.measurements.nearest.Neighbours`.
    numbers : sequence of PaperNumber
        Those with a value are marked at their threshold.
    settings : Mapping, optional
        What the numbers' conditions may be looked up in besides.

    Yields
    ------
    Figure
    """
    facts, curves = tables["facts"], tables["ccdf"]
    far = "distance" in curves
    x = "distance" if far else "similarity"
    at, measure = (WITHIN, "no_neighbour_within_70") if far else (HALF, "no_neighbour_above_half")
    known = facts[facts[measure].notna()]
    references, used = References(numbers, settings or {}), dict[str, bool]()

    def draw(axes: Axes) -> None:
        axes.axvline(at, color=FAINT, linestyle=":", linewidth=1.2, zorder=1)
        for by in known["by"]:
            curve, look = curves[curves["by"] == by], list(_WORDS).index(by)
            shares = 100 * curve[["share", "low", "high"]].to_numpy(np.float64)
            if not np.isnan(shares[:, 1]).all():
                axes.fill_between(
                    curve[x],
                    shares[:, 1],
                    shares[:, 2],
                    color=COLOURS[look],
                    alpha=0.2,
                    linewidth=0,
                )
            axes.plot(curve[x], shares[:, 0], color=COLOURS[look], linestyle=LINES[look])
        for _, number in references.about(known, [measure]):
            # The share without such a neighbour is what the curve leaves to 100%; not so far away.
            stated = float(number.value or 0)
            used.update(mark(axes, at, 100 * (stated if far else 1 - stated), number))
        axes.set_xlim(0, _end(curves, x))
        axes.set_ylim(-2, 104)
        axes.set_yticks(range(0, 101, 20))
        what = "distance to it, as a part of the record's own items" if far else "similarity to it"
        axes.set_xlabel(f"{what}, at least")
        axes.set_ylabel("records (%)")

    def handles() -> list[Any]:
        lines = []
        for row in known.to_dict("records"):
            look = list(_WORDS).index(row["by"])
            words = _WORDS[row["by"]].format(**{str(key): value for key, value in row.items()})
            words += f": {row[measure]:.1%} have none {'within' if far else 'above'} {at:g}"
            lines.append(Line2D([], [], color=COLOURS[look], linestyle=LINES[look], label=words))
        return [*lines, *reference_handles(used)]

    title = DISTANCE_TITLE if far else TITLE
    yield plate(title, [draw], handles, _caption(facts, measure, at), each=6.8)


def _end(curves: pd.DataFrame, x: str) -> float:
    """Where the picture ends: at 1, or where no record of a thousand is left."""
    seen = curves.loc[curves["share"] > 1e-3, x]
    return max(1.0, float(seen.max()))


def _caption(facts: pd.DataFrame, measure: str, at: float) -> str:
    """Whose neighbours these are."""
    first = facts.iloc[0]
    records, all_records = int(first["records"]), int(first["of_records"])
    who = f"all {all_records:,} records"
    if records < all_records:
        who = f"{records:,} of {all_records:,} records, each against all; bands: 95% intervals"
    missing = [f"the release has no {by}" for by in facts.loc[facts[measure].isna(), "by"]]
    return "; ".join([who, f"dotted line at {at:g}", *(word.replace("_", " ") for word in missing)])
